"""JSON of anybody's: read with limits, and its numbers checked."""

import json
import math
import sys
from typing import Any, NoReturn

from spygames.core.basics.files import decoded
from spygames.core.basics.text import one_line

LARGEST = 1 << 53
"""Whole numbers in files stay below it, so that every float and every JSON has them exactly."""


MAX_DEPTH = 50
"""Lists and mappings within each other in a JSON file: more than any of ours has, and fewer than Python can compare."""


def is_number(value: object) -> bool:
    """Whether it is an int or float that is finite as a float, no bool."""
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) <= sys.float_info.max


def is_count(value: object) -> bool:
    """Whether it is an int from 0 to `LARGEST` - 1, no bool."""
    return type(value) is int and 0 <= value < LARGEST


def parse_json(text: str | bytes) -> Any:
    """The value of a JSON text that somebody else may have written: all its numbers are finite as floats.

    Raises:
        ValueError: with one line that does not name the file: it is not JSON in UTF-8, or lists and mappings are nested
            too deep.
    """
    if isinstance(text, bytes):
        text = decoded(text)
    try:
        found = json.loads(text, parse_constant=_refuse, parse_int=_int, parse_float=_float)
    except RecursionError:
        found = None
    else:
        if not _is_deep(found):
            return found
    raise ValueError(f"lists and mappings are nested deeper than {MAX_DEPTH}")


def _refuse(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a number in JSON")


def _int(digits: str) -> int:
    if len(digits) > 300:
        raise ValueError(f"the number {one_line(digits, 20)} is too large")
    return int(digits)


def _float(digits: str) -> float:
    number = float(digits)
    if not math.isfinite(number):
        raise ValueError(f"the number {one_line(digits, 20)} is too large")
    return number


def _is_deep(value: object) -> bool:
    """Whether lists and mappings are nested deeper than `MAX_DEPTH`."""
    level = [value]
    for _ in range(MAX_DEPTH + 1):
        parts = [each.values() if isinstance(each, dict) else each for each in level if isinstance(each, dict | list)]
        level = [each for part in parts for each in part if isinstance(each, dict | list)]
        if not level:
            return False
    return True
