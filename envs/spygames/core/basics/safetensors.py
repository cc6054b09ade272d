"""Read weights in the safetensors format (https://github.com/huggingface/safetensors) from untrusted bytes.

The bytes are a header of 8 bytes with the length of a JSON text, that text, and the tensors' values without gaps.
"""

import math
from typing import Any

import numpy as np

from spygames.core.basics.json_values import is_count, parse_json
from spygames.core.basics.text import one_line, shown

__all__ = ["SafetensorsError", "read_safetensors"]

MAX_HEADER = 1 << 20
"""Maximum number of bytes of the JSON text."""
MAX_RANK = 8
"""Maximum number of dimensions of a tensor."""
_STORED = {"F32": np.dtype("<f4"), "BF16": np.dtype("<u2")}


class SafetensorsError(ValueError):
    """The bytes are truncated or not in the safetensors format; the message is one line and does not name the file."""


def read_safetensors(data: bytes) -> dict[str, np.ndarray]:
    """Read tensors of float32 and bfloat16.

    Args:
        data: the content of a file. Any bytes are safe: at most about four times their size of memory is used.

    Returns:
        float32 arrays by name. Every bfloat16 is a float32, so no value is rounded.

    Raises:
        SafetensorsError: the bytes are not in this format, or have tensors of another number format.
    """
    if len(data) < 8:
        raise SafetensorsError(f"the file has {len(data)} bytes, and its header alone has 8")
    length = int.from_bytes(data[:8], "little")
    if length > min(MAX_HEADER, len(data) - 8):
        raise SafetensorsError(f"the header has {length} bytes, of at most {min(MAX_HEADER, len(data) - 8)}")
    try:
        header = parse_json(data[8 : 8 + length])
    except ValueError as error:
        raise SafetensorsError(f"the header is not JSON: {one_line(error)}") from None
    if not isinstance(header, dict):
        raise SafetensorsError("the header is not a JSON object")
    header.pop("__metadata__", None)
    places = [(*_place(name, about), name) for name, about in header.items()]
    end, found = 0, {}
    for lo, hi, shape, dtype, name in sorted(places, key=lambda place: place[:2]):
        if lo != end:
            raise SafetensorsError(f"the values of {shown(name)} must begin at byte {end}, not {lo}")
        end = hi
        if 8 + length + hi > len(data):
            raise SafetensorsError(f"the values of {shown(name)} go beyond the end of the file")
        values = np.frombuffer(data, dtype, math.prod(shape), 8 + length + lo).reshape(shape)
        found[name] = _from_bfloat16(values) if dtype.kind == "u" else values.astype(np.float32)
    if 8 + length + end != len(data):
        raise SafetensorsError(f"the tensors have {end} bytes of values, and the file {len(data) - 8 - length}")
    return found


def _place(name: str, about: Any) -> tuple[int, int, tuple[int, ...], np.dtype[Any]]:
    """Return where a tensor's values begin and end, its shape, and the stored dtype."""
    if not isinstance(about, dict) or about.keys() != {"dtype", "shape", "data_offsets"}:
        raise SafetensorsError(f"{shown(name)} must have dtype, shape and data_offsets")
    kind, shape, offsets = about["dtype"], about["shape"], about["data_offsets"]
    dtype = _STORED.get(kind) if isinstance(kind, str) else None
    if dtype is None:
        raise SafetensorsError(f"{shown(name)} must be of dtype {' or '.join(_STORED)}, not {shown(kind)}")
    if not isinstance(shape, list) or len(shape) > MAX_RANK or not all(map(is_count, shape)):
        raise SafetensorsError(f"the shape of {shown(name)} must be at most {MAX_RANK} counts, not {shown(shape)}")
    if not isinstance(offsets, list) or len(offsets) != 2 or not all(map(is_count, offsets)):
        raise SafetensorsError(f"the data_offsets of {shown(name)} must be two counts, not {shown(offsets)}")
    if offsets[1] - offsets[0] != math.prod(shape) * dtype.itemsize:
        raise SafetensorsError(f"the data_offsets of {shown(name)} must fit its shape {shown(shape)}")
    if not is_count(math.prod(n or 1 for n in shape)):  # NumPy makes no such array, even if it is empty
        raise SafetensorsError(f"{shown(name)} must not be empty with the large shape {shown(shape)}")
    return offsets[0], offsets[1], tuple(shape), dtype


def _from_bfloat16(values: np.ndarray) -> np.ndarray:
    """Convert bfloat16 numbers, given as uint16, to float32: they are the upper halves of float32 numbers."""
    return (values.astype(np.uint32) << 16).view(np.float32)
