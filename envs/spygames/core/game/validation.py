"""Checks of what comes in: each looks at one thing, and its error says in one line what is right."""

import sys
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Any, TypeGuard, TypeVar

import numpy as np

from spygames.core.basics.plain import plain
from spygames.core.basics.text import one_line, shown
from spygames.core.compiling.kernel import Record
from spygames.core.game.game import Game, ImpossibleState

T = TypeVar("T")


def is_whole(value: object) -> TypeGuard[int]:
    """Whether `value` is a whole number; True and False are none."""
    return isinstance(value, int | np.integer) and not isinstance(value, bool)


def whole(name: str, value: object, low: int, high: int | None = None, *, error: type[ValueError] = ValueError) -> int:
    """`value` as a plain number if it is a whole one from `low` to `high` (None: without end); else `error`."""
    if is_whole(value) and low <= value and (high is None or value <= high):
        return int(value)
    bounds = f", at least {low}" if high is None else f" from {low} to {high}"
    raise error(f"{name} must be a whole number{bounds}, not {shown(value)}")


def number(name: str, value: object, low: float, high: float = sys.float_info.max) -> float:
    """`value` as a plain float if it is a number from `low` to `high`, by default any finite one; else ValueError."""
    value = plain(value)  # a float32 would make one of the bounds, too
    if isinstance(value, int | float) and not isinstance(value, bool) and low <= value <= high:  # NaN is not
        return float(value)
    bounds = (
        f"a finite number, at least {low:g}" if high == sys.float_info.max else f"a number from {low:g} to {high:g}"
    )
    raise ValueError(f"{name} must be {bounds}, not {shown(value)}")


def time_limit(name: str, value: object) -> float:
    """`value` as a plain float if it is a number of seconds that timers take, 0.001 to 10^6; else ValueError."""
    return number(name, value, 1e-3, 1e6)


def some_legal(mask: np.ndarray, text: Callable[[int], str] = str, most: int = 5) -> str:
    """Legal actions for the message about one that is not: `0, 3, 4 and 2 more`.

    Args:
        mask: int8 [A].
        text: of an action; its number by default.
        most: actions that are named.
    """
    legal = np.flatnonzero(mask).tolist()
    more = f" and {len(legal) - most} more" if len(legal) > most else ""
    return ", ".join(map(text, legal[:most])) + more


def may_do(game: Game, s: Record, seat: int, mask: np.ndarray) -> str:
    """Legal actions of the seat to move, for the message about one that is not: `player_0 may do 3 ('pass')`."""
    legal = some_legal(mask, lambda action: f"{action} ({game.action_to_string(s, action, seat)!r})")
    return f"player_{seat} may do {legal}"


def choice(name: str, value: T, allowed: Sequence[T]) -> T:
    """`value` as a plain one if it is one of `allowed` (and of the same type: True is not 1); ValueError otherwise."""
    value = plain(value)
    if not any(type(value) is type(a) and value == a for a in allowed):
        raise ValueError(f"{name} must be one of {', '.join(map(repr, allowed))}, not {shown(value)}")
    return value


def same(value: object, expected: object) -> bool:
    """Whether two JSON values are equal; True is not 1, and 2.0 is not 2."""
    value = plain(value)
    if isinstance(expected, Mapping):
        if not isinstance(value, Mapping) or value.keys() != expected.keys():
            return False
        return all(same(value[key], each) for key, each in expected.items())
    if isinstance(expected, list | tuple):
        if not isinstance(value, list | tuple) or len(value) != len(expected):
            return False
        return all(map(same, value, expected))
    return type(value) is type(expected) and value == expected


def check_played(mapping: Mapping[str, Any], played: Mapping[str, Any]) -> None:
    """ImpossibleState unless the values of these keys in a state are those of the game that is `played`."""
    for key, value in played.items():
        if not same(mapping[key], value):
            raise ImpossibleState(f"{key} is {shown(mapping[key])}, but this game is played with {value!r}")


def check_keys(mapping: object, needed: Collection[str], left_out: Collection[str], what: str = "the state") -> None:
    """ImpossibleState unless `mapping` has all the `needed` keys and none beyond them and those that may be
    `left_out`."""
    if not isinstance(mapping, Mapping):
        raise ImpossibleState(f"{what} must be a mapping, not {type(mapping).__name__}")
    if missing := [key for key in needed if key not in mapping]:
        raise ImpossibleState(f"{what} lacks {', '.join(missing)}")
    if unknown := [key for key in mapping if key not in needed and key not in left_out]:
        names = [one_line(key) if isinstance(key, str) else shown(key) for key in unknown[:5]]
        raise ImpossibleState(f"{what} has unknown keys: {', '.join(names)}; known: {', '.join([*needed, *left_out])}")


def integer(value: object, key: str, low: int, high: int) -> int:
    """`value` of a state's `key` if it is a whole number from `low` to `high`; else ImpossibleState."""
    return whole(key, value, low, high, error=ImpossibleState)


def member(value: object, key: str, names: Sequence[str]) -> int:
    """The index of `value` in `names`; ImpossibleState if it is none of them."""
    if not isinstance(value, str) or value not in names:
        raise ImpossibleState(f"{key}: {shown(value)} is none of {', '.join(names)}")
    return names.index(value)


def sequence(value: object, key: str, length: int | None = None) -> Sequence[Any]:
    """`value` if it is a list, of that length where one is given; else ImpossibleState."""
    if not isinstance(value, Sequence) or isinstance(value, str) or (length is not None and len(value) != length):
        raise ImpossibleState(f"{key} must be a list{'' if length is None else f' of {length}'}, not {shown(value)}")
    return value


def table(value: object, key: str, length: int) -> Iterator[tuple[int, Any]]:
    """The values of a mapping with the keys "0" to "length - 1", in that order; ImpossibleState if it is none."""
    found = []
    if isinstance(value, Mapping) and len(value) == length:
        found = [name for i in range(length) for name in (str(i), i) if name in value]
    if len(found) != length or not isinstance(value, Mapping):
        wanted = ", ".join(map(str, range(length)))
        raise ImpossibleState(f"{key} must be a mapping with the keys {wanted}, not {shown(value)}")
    return ((i, value[name]) for i, name in enumerate(found))
