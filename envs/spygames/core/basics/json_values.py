"""Read JSON from untrusted files with limits, and check its numbers."""

import json
import math
import sys
from typing import Any, NoReturn

from spygames.core.basics.files import decoded
from spygames.core.basics.text import one_line

LARGEST = 1 << 53
"""Exclusive upper bound of integers in files; every smaller one is exact as a float and in any JSON."""


MAX_DEPTH = 50
"""Maximum nesting of lists and mappings in a JSON file. The package's own files are nested less deeply, and Python can
still compare values that are nested this deeply."""


def is_number(value: object) -> bool:
    """Whether `value` is an int or float (not a bool) that is finite as a float."""
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) <= sys.float_info.max


def is_count(value: object) -> bool:
    """Whether `value` is an int (not a bool) from 0 to `LARGEST` - 1."""
    return type(value) is int and 0 <= value < LARGEST


def parse_json(text: str | bytes) -> Any:
    """Parse an untrusted JSON text; all numbers of the result are finite as floats.

    Raises:
        ValueError: the text is not JSON in UTF-8, or is nested too deeply. The message is one line and does not name
            the file.
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
