"""Exact JSON integers up to 2^64 - 1: large ones are texts, since programs that use doubles would round them."""

import re

import numpy as np

EXACT = 1 << 53
"""Integers below this bound are exact in every JSON program."""
_DIGITS = re.compile("0|[1-9][0-9]{0,19}")


def written(number: int) -> int | str:
    """Return an integer as a JSON value: a decimal text from 2^53 on."""
    return int(number) if number < EXACT else str(int(number))


def read_uint64(value: object) -> int | None:
    """Read an integer from 0 to 2^64 - 1, given as an integer or a decimal text; None for anything else."""
    if isinstance(value, str) and _DIGITS.fullmatch(value):
        value = int(value)
    if isinstance(value, int | np.integer) and not isinstance(value, bool) and 0 <= value < 1 << 64:
        return int(value)
    return None
