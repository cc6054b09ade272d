"""Records for interpreted kernels that refuse what NumPy allows: negative indices, and numbers that do not fit.

Compiled kernels check neither. NumPy takes a negative index from the end and lets NumPy integers wrap around.
"""

import operator
from typing import Any

import numpy as np


class OutOfBounds(AssertionError):
    """A kernel used a negative index, or wrote a number that its field cannot hold."""


class Array(np.ndarray):
    """An array that refuses negative indices and integers that do not fit."""

    def __getitem__(self, key: Any) -> Any:
        _check_index(key)
        found = super().__getitem__(key)
        return found.view(Array) if isinstance(found, np.ndarray) else _wide(found)

    def __setitem__(self, key: Any, value: Any) -> None:
        _check_index(key)
        _check_fits(value, self.dtype)
        super().__setitem__(key, value)


class Strict:
    """A record with its fields as attributes and by name; its arrays are `Array`, its records `Strict`."""

    __slots__ = ("_record",)

    def __init__(self, record: np.record) -> None:
        object.__setattr__(self, "_record", record)

    def __getattr__(self, name: str) -> Any:
        return self[name]

    def __setattr__(self, name: str, value: Any) -> None:
        self[name] = value

    def __getitem__(self, name: str) -> Any:
        found = self._record[name]
        if isinstance(found, np.ndarray):
            return found.view(Array)
        return Strict(found) if isinstance(found, np.void) else _wide(found)

    def __setitem__(self, name: str, value: Any) -> None:
        if np.ndim(value) == 0:
            _check_fits(value, self._record.dtype[name].base)
        self._record[name] = value

    def copy(self) -> "Strict":
        """Return an independent copy."""
        return Strict(self._record.copy())


def _wide(value: Any) -> Any:
    """Return a signed 64-bit integer, as in kernels, so that it does not wrap around before it is written."""
    return np.int64(value) if isinstance(value, np.signedinteger) else value


def _check_index(key: Any) -> None:
    for index in key if isinstance(key, tuple) else (key,):
        if isinstance(index, int | np.integer) and operator.index(index) < 0:
            raise OutOfBounds(f"index {key}")


def _check_fits(value: Any, dtype: np.dtype) -> None:
    if dtype.kind == "i" and isinstance(value, int | float | np.number):
        limits = np.iinfo(dtype)
        if not limits.min <= value <= limits.max:
            raise OutOfBounds(f"{value} in {dtype}")
