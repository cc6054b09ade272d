"""Records with and without their padding: files hold a state's fields one after the other, memory holds them aligned.

A record is aligned (`np.dtype([...], align=True)`) so that processors and GPUs read each number in one piece. What that
leaves free is a field of its own, `padding`, always 0: NumPy does not copy bytes that belong to no field, so equal
records would differ in bytes.
"""

from functools import cache

import numpy as np

PADDING = "padding"
"""The name of a field that holds nothing, in STATE and OPTIONS."""


@cache
def without_padding(dtype: np.dtype) -> np.dtype:
    """The same fields one after the other, but for `padding`. No kernel may be given such records: Numba takes them for
    the aligned ones, converts between the two, and is then 4 times slower for both."""
    fields = []
    for name in dtype.names or ():
        base, shape = dtype[name].base, dtype[name].shape
        if name != PADDING:
            fields.append((name, base if base.names is None else without_padding(base), shape))
    return np.dtype(fields)


def to_fields(records: np.ndarray) -> np.ndarray:
    """The bytes of records [n] without padding, uint8 [n, k]."""
    return records.view(np.uint8).reshape(len(records), -1)[:, places(records.dtype)]


def from_fields(dtype: np.dtype, data: np.ndarray) -> np.ndarray:
    """Records [n] of `dtype` from what `to_fields` gave, uint8 [n, k]; ValueError for another k."""
    records = np.zeros(len(data), dtype)
    if data.shape[1] != (size := without_padding(dtype).itemsize):
        raise ValueError(f"a record has {size} bytes without padding, not {data.shape[1]}")
    records.view(np.uint8).reshape(len(data), -1)[:, places(dtype)] = data
    return records


@cache
def places(dtype: np.dtype) -> np.ndarray | slice:
    """Where the bytes of fields other than `padding` are in a record: an index of its bytes."""
    found = _places(dtype)
    return slice(len(found)) if np.array_equal(found, np.arange(len(found))) else found


@cache
def _places(dtype: np.dtype) -> np.ndarray:
    """The same, int64."""
    places = [np.zeros(0, np.int64)]
    for name, (kind, offset, *_) in (dtype.fields or {}).items():
        if name == PADDING or not kind.itemsize:
            continue
        inner = np.arange(kind.base.itemsize) if kind.base.names is None else _places(kind.base)
        starts = np.arange(0, kind.itemsize, kind.base.itemsize)
        places.append(offset + (starts[:, None] + inner).ravel())
    return np.concatenate(places)
