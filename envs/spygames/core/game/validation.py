"""Input validation: one function per kind of value. The errors say in one line which values are right."""

import sys
import warnings
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import cache
from typing import Any, TypeVar

import numpy as np

from spygames.core.basics.plain import plain
from spygames.core.basics.text import one_line, shown
from spygames.core.basics.whole_numbers import whole
from spygames.core.compiling.kernel import Record
from spygames.core.game.game import Game, ImpossibleState

T = TypeVar("T")


def number(name: str, value: object, low: float, high: float = sys.float_info.max) -> float:
    """Return `value` as a float if it is a finite number from `low` to `high`; else raise ValueError."""
    value = plain(value)  # comparing a float32 would round the bounds to float32
    if isinstance(value, int | float) and not isinstance(value, bool) and low <= value <= high:  # False for NaN
        return float(value)
    bounds = f"a finite number >= {low:g}" if high == sys.float_info.max else f"a number from {low:g} to {high:g}"
    raise ValueError(f"{name} must be {bounds}, not {shown(value)}")


def time_limit(name: str, value: object) -> float:
    """Return `value` as a float if it is a time in seconds from 0.001 to 10^6, as timers accept; else ValueError."""
    return number(name, value, 1e-3, 1e6)


def check_game(game: object) -> None:
    """Raise TypeError if `game` is not a Game, such as its id."""
    if not isinstance(game, Game):
        raise TypeError(f"game must be a Game, as spygames.make_game(id) returns it, not {shown(game)}")


def check_variant(game: Game, states: np.ndarray) -> None:
    """Raise ValueError if positions, STATE [k], hold other options than those of the game.

    Variants may share the layout of STATE, and a kernel writes beyond the end of a mask that is too short for it.
    """
    for name in _fields_of(game.state_dtype, game.packed.dtype):
        own = states[name]
        # Equal bytes are compared in a microsecond. Equal options can still differ in padding.
        if own.tobytes() != game.packed.tobytes() * len(own) and (own != game.packed).any():
            raise ValueError(f"states must be positions of {game.title}, not of another variant")


def one_position(game: Game, states: object) -> np.ndarray:
    """Return one position as STATE [1], given as such an array or as its bytes, uint8; else raise ValueError."""
    own, found = game.state_dtype, states
    if isinstance(found, np.ndarray) and found.nbytes == own.itemsize and found.dtype.fields in (None, own.fields):
        found = np.ascontiguousarray(found).reshape(-1).view(own)
        check_variant(game, found)
        return found
    form = type(found).__name__
    if isinstance(found, np.ndarray):
        form = f"{'other records' if found.dtype.names else found.dtype} {list(found.shape)}"
    raise ValueError(f"states must be one position of {game.title}, STATE [1] or its bytes, not {form}")


@cache
def _fields_of(dtype: np.dtype, field: np.dtype) -> list[str]:
    """Return the names of the fields of `dtype` that have the dtype `field`."""
    return [name for name in dtype.names or () if dtype[name] == field]


def some_legal(mask: np.ndarray, text: Callable[[int], str] = str, most: int = 5) -> str:
    """List legal actions for the message about an illegal one: `0, 3, 4 and 2 more`.

    Args:
        mask: int8 [A].
        text: returns the text of an action; by default its number.
        most: the maximum number of actions to list.
    """
    legal = np.flatnonzero(mask).tolist()
    more = f" and {len(legal) - most} more" if len(legal) > most else ""
    return ", ".join(map(text, legal[:most])) + more


def may_do(game: Game, s: Record, seat: int, mask: np.ndarray) -> str:
    """List legal actions of a seat for the message about an illegal one: `legal for player_0: 3 ('pass')`."""
    legal = some_legal(mask, lambda action: f"{action} ({game.action_to_string(s, action, seat)!r})")
    return f"legal for player_{seat}: {legal}"


def because(game: Game, s: Record, action: int, seat: int) -> str:
    """Return the reason for the message about an action that is not legal: `: REASON (RULE)`; "" without reasons."""
    reason = game.why_not(s, action, seat)
    return "" if reason is None else f": {reason}"


def choice(name: str, value: T, allowed: Sequence[T]) -> T:
    """Return `value` as a plain Python value if it equals one of `allowed` (True is not 1); else raise ValueError."""
    value = plain(value)
    if not any(type(value) is type(a) and value == a for a in allowed):
        raise ValueError(f"{name} must be one of {', '.join(map(repr, allowed))}, not {shown(value)}")
    return value


def same(value: object, expected: object) -> bool:
    """Whether two JSON values are equal in value and type: True is not 1, and 2.0 is not 2."""
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


def reset_options(options: object, known: Sequence[str]) -> dict[str, Any]:
    """Return the options of a `reset` as a dict, empty for None. Unknown options are left out with a warning.

    The warning names the line that calls the caller of this function.

    Raises:
        ValueError: `options` is not a mapping.
    """
    if options is None:
        return {}
    if not isinstance(options, Mapping):
        raise ValueError(f"reset options must be a mapping such as {{'state': ...}}, not {shown(options)}")
    if unknown := [key for key in options if key not in known]:
        warnings.warn(f"unknown reset options {shown(unknown)} are ignored; known: {', '.join(known)}", stacklevel=3)
    return {key: options[key] for key in known if key in options}


def check_played(mapping: Mapping[str, Any], played: Mapping[str, Any]) -> None:
    """Raise ImpossibleState unless a state's mapping has the values in `played`, which are those of the game."""
    for key, value in played.items():
        if not same(mapping[key], value):
            raise ImpossibleState(f"{key} must be {value!r}, as in the options of this game, not {shown(mapping[key])}")


def check_keys(mapping: object, needed: Collection[str], left_out: Collection[str], what: str = "the state") -> None:
    """Raise ImpossibleState unless `mapping` has all the `needed` keys; the only others allowed are `left_out`."""
    if not isinstance(mapping, Mapping):
        raise ImpossibleState(f"{what} must be a mapping, not {type(mapping).__name__}")
    if missing := [key for key in needed if key not in mapping]:
        raise ImpossibleState(f"{what} lacks {', '.join(missing)}")
    if unknown := [key for key in mapping if key not in needed and key not in left_out]:
        names = [one_line(key) if isinstance(key, str) else shown(key) for key in unknown[:5]]
        raise ImpossibleState(f"{what} has unknown keys: {', '.join(names)}; known: {', '.join([*needed, *left_out])}")


def integer(value: object, key: str, low: int, high: int) -> int:
    """Return the `value` of a state's `key` if it is an integer from `low` to `high`; else raise ImpossibleState."""
    return whole(key, value, low, high, error=ImpossibleState)


def member(value: object, key: str, names: Sequence[str]) -> int:
    """Return the index of `value` in `names`; ImpossibleState if it is not one of them."""
    if not isinstance(value, str) or value not in names:
        raise ImpossibleState(f"{key}: {shown(value)} is not one of {', '.join(names)}")
    return names.index(value)


def sequence(value: object, key: str, length: int | None = None) -> Sequence[Any]:
    """Return `value` if it is a list, of the given `length` if any; else raise ImpossibleState."""
    if not isinstance(value, Sequence) or isinstance(value, str) or (length is not None and len(value) != length):
        raise ImpossibleState(f"{key} must be a list{'' if length is None else f' of {length}'}, not {shown(value)}")
    return value


def table(value: object, key: str, length: int) -> Iterator[tuple[int, Any]]:
    """Return pairs (index, item) of a mapping with the keys 0 to `length` - 1, in order; else raise ImpossibleState."""
    names = [(str(i), i) for i in range(length)]
    if (
        not isinstance(value, Mapping)
        or len(value) != length
        or not all((a in value) != (b in value) for a, b in names)
    ):
        wanted = ", ".join(map(str, range(length)))
        raise ImpossibleState(f"{key} must be a mapping with the keys {wanted}, not {shown(value)}")
    return ((i, value[a] if a in value else value[i]) for a, i in names)
