"""Checks of integers. `spygames.core.game.validation` has those of other values."""

from typing import TypeGuard

import numpy as np

from spygames.core.basics.text import shown


def is_whole(value: object) -> TypeGuard[int]:
    """Whether `value` is an integer of Python or NumPy. True and False do not count."""
    return isinstance(value, int | np.integer) and not isinstance(value, bool)


def whole(name: str, value: object, low: int, high: int | None = None, *, error: type[ValueError] = ValueError) -> int:
    """Return `value` as an int if it is an integer from `low` to `high` (None: no upper bound); else raise `error`."""
    if is_whole(value) and low <= value and (high is None or value <= high):
        return int(value)
    bounds = f">= {low}" if high is None else f"from {low} to {high}"
    raise error(f"{name} must be an integer {bounds}, not {shown(value)}")
