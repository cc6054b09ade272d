"""Conversion between aligned records, as in memory, and packed ones without padding, as in files.

Records in memory are aligned (`np.dtype([...], align=True)`), so that processors and GPUs read each number in one
access. The unused bytes form a field of their own, `padding`, which is always 0. NumPy does not copy bytes outside of
fields, so without this field equal records could differ in bytes.
"""

from functools import cache

import numpy as np

PADDING = "padding"
"""The name of the padding field in STATE and OPTIONS."""


@cache
def without_padding(dtype: np.dtype) -> np.dtype:
    """Return the packed layout: the same fields except `padding`, without gaps.

    Do not pass such records to kernels. Numba treats them as the aligned ones and converts between the two, which makes
    kernels 4 times slower for both.
    """
    fields = []
    for name in dtype.names or ():
        base, shape = dtype[name].base, dtype[name].shape
        if name != PADDING:
            fields.append((name, base if base.names is None else without_padding(base), shape))
    return np.dtype(fields)


def to_fields(records: np.ndarray) -> np.ndarray:
    """Return the bytes of records [n] without padding, uint8 [n, k]."""
    return records.view(np.uint8).reshape(len(records), -1)[:, places(records.dtype)]


def from_fields(dtype: np.dtype, data: np.ndarray) -> np.ndarray:
    """Return records [n] of `dtype` from the bytes of `to_fields`, uint8 [n, k].

    Raises:
        ValueError: k is not the size of a record without padding.
    """
    records = np.zeros(len(data), dtype)
    if data.shape[1] != (size := without_padding(dtype).itemsize):
        raise ValueError(f"a record without padding must have {size} bytes, not {data.shape[1]}")
    records.view(np.uint8).reshape(len(data), -1)[:, places(dtype)] = data
    return records


@cache
def places(dtype: np.dtype) -> np.ndarray | slice:
    """Return an index of the bytes of a record that belong to fields other than `padding`."""
    found = _places(dtype)
    return slice(len(found)) if np.array_equal(found, np.arange(len(found))) else found


@cache
def _places(dtype: np.dtype) -> np.ndarray:
    """Return the same index as an array, int64."""
    places = [np.zeros(0, np.int64)]
    for name, (kind, offset, *_) in (dtype.fields or {}).items():
        if name == PADDING or not kind.itemsize:
            continue
        inner = np.arange(kind.base.itemsize) if kind.base.names is None else _places(kind.base)
        starts = np.arange(0, kind.itemsize, kind.base.itemsize)
        places.append(offset + (starts[:, None] + inner).ravel())
    return np.concatenate(places)
