"""Helpers of the checks, and the class `Trial`: the game under test, random positions and error messages."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, NoReturn
from zlib import crc32

import numpy as np

from spygames.core.compiling.kernel import Record
from spygames.core.game.game import NOBODY, Game, as_record, flat

MAX_DECISIONS = 10_000
"""Maximum number of decisions; a longer game counts as endless."""
_LATEST = 1000  # positions are taken from the first 1000 decisions of a game
EDGES = (0, 1, 2**63, 2**64 - 1)
"""Seeds that every check tries first."""


class ContractError(AssertionError):
    """A game failed a check. The message says which check, where, what was found and what is right."""


class Skip(Exception):
    """A check cannot be done for this game; the message says why."""


@dataclass
class Trial:
    """One check of one game."""

    game: Game
    check: str
    """The name of the check. It seeds the random stream, so that a check does the same alone and with others."""
    seed: int = 0
    effort: float = 1.0
    invariants: Callable[[Record], None] | None = None
    hidden: bool = True
    bots: bool = True
    """Whether `interpreted` also compares the bots, which take longest to compile."""
    at: str = ""
    """The current position of the check, for messages."""
    notes: list[str] = field(default_factory=list)
    """Remarks that are not faults."""

    def __post_init__(self) -> None:
        self.rng = np.random.default_rng([self.seed, crc32(self.check.encode())])

    def fail(self, what: str) -> NoReturn:
        """Raise ContractError with the message `what`, after the game, the check and the position."""
        raise ContractError(": ".join(part for part in (self.game.title, self.check, self.at, what) if part))

    def times(self, number: int) -> int:
        """Return the number of examples to try: `number` times the effort, at least 1."""
        return max(1, round(number * self.effort))

    def seeds(self, number: int) -> list[int]:
        """Return `number` seeds, 0..2^64-1: those in `EDGES` first, in a rotation given by `seed`."""
        edges = [EDGES[(self.seed + i) % len(EDGES)] for i in range(min(number, len(EDGES)))]
        return edges + [int(s) for s in self.rng.integers(2**64, size=number - len(edges), dtype=np.uint64)]

    def games(self, number: int, decisions: int) -> Iterator[np.ndarray]:
        """Yield each position, STATE [1], of random games that are played to their ends. The array is reused.

        Args:
            number: the number of games (times the effort).
            decisions: the maximum number of decisions in all (times the effort), after which no further game begins.
        """
        left = self.times(decisions)
        for seed in self.seeds(self.times(number)):
            states = self.game.start(seed)
            for decision in range(MAX_DECISIONS + 1):
                self.at = f"seed {seed}, decision {decision}"
                yield states
                if as_record(states).to_move == NOBODY:
                    break
                self.decide(states)
                left -= 1
            else:
                self.fail(
                    f"no end after {MAX_DECISIONS:,} random decisions; a game must end or be cut off (Game.truncated)"
                )
            if left <= 0:
                return

    def positions(self, number: int) -> Iterator[np.ndarray]:
        """Yield one random position, STATE [1], of each of `number` random games (times the effort).

        Each of the first thousand positions of a game is equally likely. Every eighth game is taken at its end instead.
        """
        for i, seed in enumerate(self.seeds(self.times(number))):
            states = self.game.start(seed)
            kept, decision = states.copy(), 0
            for n in range(1, _LATEST):
                if as_record(states).to_move == NOBODY:
                    break
                self.at = f"seed {seed}, decision {n - 1}"
                self.decide(states)
                over = as_record(states).to_move == NOBODY
                if self.rng.integers(n + 1) == 0 or (over and i % 8 == 7):
                    kept, decision = states.copy(), n
            self.at = f"seed {seed}, decision {decision}"
            yield kept

    def decide(self, states: np.ndarray) -> None:
        """Apply a random legal action."""
        legal = self.legal(states)
        self.game.apply(as_record(states), int(legal[self.rng.integers(len(legal))]))

    def legal(self, states: np.ndarray) -> np.ndarray:
        """Return the legal actions of the seat to move; fail if there are none or `to_move` is not a seat."""
        s = as_record(states)
        if not 0 <= s.to_move < self.game.num_players:
            last = self.game.num_players - 1
            self.fail(f"to_move must be a seat, 0..{last}, or {NOBODY} when the game is over, not {s.to_move}")
        legal = np.flatnonzero(mask_of(self.game, s))
        if not len(legal):
            self.fail(f"no action is legal for seat {s.to_move}; the seat to move must have at least one (`legal`)")
        return legal

    def look(self, states: np.ndarray) -> None:
        """Fail if one of the game's own invariants does not hold."""
        if self.invariants is not None:
            try:
                self.invariants(as_record(states))
            except AssertionError as error:
                self.fail(f"an invariant does not hold: {short(error)}")


def short(value: object, length: int = 200) -> str:
    """Return `str(value)` on one line, cut to `length` characters."""
    text = " ".join(str(value).split())
    return text if len(text) <= length else f"{text[: length - 4]} ..."


def few(items: np.ndarray, number: int) -> list[int]:
    """Return at most `number` of `items`, spread evenly."""
    return items[:: -(-len(items) // number)].tolist() if len(items) else []


def mask_of(game: Game, s: Record) -> np.ndarray:
    """Return the mask of the seat to move, int8 [A]."""
    mask = np.zeros(game.num_actions, np.int8)
    game.legal(s, mask)
    return mask


def view_of(game: Game, s: Record, seat: int) -> np.ndarray:
    """Return the view of a seat, VIEW [1]."""
    views = game.new_views()
    game.observe(s, np.int64(seat), as_record(views))  # type: ignore[arg-type]
    return views


def returns_of(game: Game, s: Record) -> np.ndarray:
    """Return the result of each seat, float32 [P]."""
    out = np.zeros(game.num_players, np.float32)
    game.returns(s, out)
    return out


def determinized(game: Game, states: np.ndarray, seat: int, seed: int) -> np.ndarray:
    """Return a copy of `states` [1], determinized for `seat`."""
    world = states.copy()
    game.determinize(as_record(world), np.int64(seat), np.uint64(seed))  # type: ignore[arg-type]
    return world


def play(game: Game, seed: int, choose: Callable[[int], int], decisions: int = MAX_DECISIONS) -> np.ndarray:
    """Play a game from `seed` for at most `decisions` decisions and return its state [1].

    `choose(n)` picks one of n legal actions.
    """
    states = game.start(seed)
    s = as_record(states)
    for _ in range(decisions):
        if s.to_move == NOBODY:
            break
        legal = np.flatnonzero(mask_of(game, s))
        game.apply(s, int(legal[choose(len(legal))]))
    return states


def uniform_choice(seed: int) -> Callable[[int], int]:
    """Return a function for `play` that chooses uniformly."""
    rng = np.random.default_rng(seed)
    return lambda n: int(rng.integers(n))


def leaves(dtype: np.dtype, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], np.dtype]]:
    """Yield the fields of a record layout that are not records themselves, each with its path of names."""
    for name in dtype.names or ():
        base = dtype[name].base
        if base.names is None:
            yield (*path, name), base
        else:
            yield from leaves(base, (*path, name))


def at_path(records: np.ndarray, path: tuple[str, ...]) -> np.ndarray:
    """Return the values of a field in nested records."""
    values: Any = records
    for name in path:
        values = values[name]
    return np.asarray(values)


def difference(one: np.ndarray, other: np.ndarray, names: tuple[str, str]) -> str:
    """Describe the first difference between two arrays [1] of one layout: `cards[1] is 3 before, 5 now`."""
    for path, _ in leaves(one.dtype) if one.dtype.names else [((), one.dtype)]:
        a, b = at_path(one, path)[0], at_path(other, path)[0]
        differ = np.argwhere(~((a == b) | ((a != a) & (b != b))))
        if len(differ):
            index = tuple(int(i) for i in differ[0])
            where = ".".join(path) + (f"[{', '.join(map(str, index))}]" if index else "")
            return f"{where or 'it'} is {a[index]} {names[0]}, {b[index]} {names[1]}"
    return "unnamed bytes differ"


def has_no_padding(dtype: np.dtype) -> bool:
    """Whether every byte of a record belongs to a field."""
    base = dtype.base
    if base.names is None:
        return True
    return base.itemsize == sum(base[n].itemsize for n in base.names) and all(
        has_no_padding(base[n]) for n in base.names
    )


def vector(views: np.ndarray) -> np.ndarray:
    """Return a view [1] as a vector, float32 [F], as networks read it."""
    return flat(views)[0]
