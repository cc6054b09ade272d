"""Reading state mappings: each helper checks one thing and raises ImpossibleState with what is right."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from spygames.core.game import ImpossibleState
from spygames.core.shown import one_line, shown


def check_keys(mapping: object, needed: Collection[str], left_out: Collection[str], what: str = "the state") -> None:
    """`mapping` has all the `needed` keys and none beyond them and those that may be `left_out`."""
    if not isinstance(mapping, Mapping):
        raise ImpossibleState(f"{what} must be a mapping, not {type(mapping).__name__}")
    if missing := [key for key in needed if key not in mapping]:
        raise ImpossibleState(f"{what} lacks {', '.join(missing)}")
    if unknown := [key for key in mapping if key not in needed and key not in left_out]:
        names = [one_line(key) if isinstance(key, str) else shown(key) for key in unknown[:5]]
        raise ImpossibleState(f"{what} has unknown keys: {', '.join(names)}; known: {', '.join([*needed, *left_out])}")


def integer(value: object, key: str, low: int, high: int) -> int:
    """A whole number from `low` to `high`."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or not low <= value <= high:
        raise ImpossibleState(f"{key} must be a whole number from {low} to {high}, not {shown(value)}")
    return int(value)


def member(value: object, key: str, names: Sequence[str]) -> int:
    """The index of `value` in `names`."""
    if not isinstance(value, str) or value not in names:
        raise ImpossibleState(f"{key}: {shown(value)} is none of {', '.join(names)}")
    return names.index(value)


def sequence(value: object, key: str, length: int | None = None) -> Sequence[Any]:
    """A list, of that length where one is given."""
    if not isinstance(value, Sequence) or isinstance(value, str) or (length is not None and len(value) != length):
        raise ImpossibleState(f"{key} must be a list{'' if length is None else f' of {length}'}, not {shown(value)}")
    return value


def table(value: object, key: str, length: int) -> Iterator[tuple[int, Any]]:
    """The values of a mapping with the keys "0" to "length - 1", in that order."""
    found = []
    if isinstance(value, Mapping) and len(value) == length:
        found = [name for i in range(length) for name in (str(i), i) if name in value]
    if len(found) != length or not isinstance(value, Mapping):
        wanted = ", ".join(map(str, range(length)))
        raise ImpossibleState(f"{key} must be a mapping with the keys {wanted}, not {shown(value)}")
    return ((i, value[name]) for i, name in enumerate(found))
