"""Numbers up to 2^64 - 1 in JSON: as text where programs whose numbers are doubles round them."""

import re

import numpy as np

EXACT = 1 << 53
"""Whole numbers below it are the same in every program."""
_DIGITS = re.compile("0|[1-9][0-9]{0,19}")


def written(number: int) -> int | str:
    """A whole number as it is put into JSON: as its decimal text from 2^53 on."""
    return int(number) if number < EXACT else str(int(number))


def read_uint64(value: object) -> int | None:
    """The number that is written as a text or, exactly, as a number; None unless it is a whole one below 2^64."""
    if isinstance(value, str) and _DIGITS.fullmatch(value):
        value = int(value)
    if isinstance(value, int | np.integer) and not isinstance(value, bool) and 0 <= value < 1 << 64:
        return int(value)
    return None
