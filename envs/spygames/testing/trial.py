"""What every check has at hand: the game under test, its random positions, and one way to say what is wrong."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, NoReturn
from zlib import crc32

import numpy as np

from spygames.core.compiling.kernel import Record
from spygames.core.game.game import NOBODY, Game, as_record, flat

LONGEST = 10_000
"""Decisions after which a game counts as endless."""
_LATEST = 1000  # decisions into a game up to which positions are taken
EDGES = (0, 1, 2**63, 2**64 - 1)
"""Seeds that every check with seeds of its own begins with."""


class ContractError(AssertionError):
    """A game breaks a promise; the message says which, where, what was found and what is right."""


class Skip(Exception):
    """A check cannot be done for this game; the message says why."""


@dataclass
class Trial:
    """One check of one game."""

    game: Game
    check: str
    """Its name, which the check's random stream depends on, so that a check does the same alone and among all."""
    seed: int = 0
    effort: float = 1.0
    invariants: Callable[[Record], None] | None = None
    hidden: bool = True
    bots: bool = True
    """Whether `interpreted` looks at the bots, too, which take longest to compile."""
    at: str = ""
    """Where in play the check stands, for messages."""
    notes: list[str] = field(default_factory=list)
    """What is no fault, but worth knowing."""

    def __post_init__(self) -> None:
        self.rng = np.random.default_rng([self.seed, crc32(self.check.encode())])

    def fail(self, what: str) -> NoReturn:
        """ContractError with the game, the check and the place in front of `what`."""
        raise ContractError(": ".join(part for part in (self.game.title, self.check, self.at, what) if part))

    def times(self, number: int) -> int:
        """How many examples are tried where `number` are with an effort of 1."""
        return max(1, round(number * self.effort))

    def seeds(self, number: int) -> list[int]:
        """Seeds of so many examples, 0..2^64-1: those at the edges first, in a turn that `seed` decides."""
        edges = [EDGES[(self.seed + i) % len(EDGES)] for i in range(min(number, len(EDGES)))]
        return edges + [int(s) for s in self.rng.integers(2**64, size=number - len(edges), dtype=np.uint64)]

    def games(self, number: int, decisions: int) -> Iterator[np.ndarray]:
        """Each position, STATE [1], of so many random games one after the other, to the end; fewer where they take more
        than so many decisions, but one at least. The array is the next position's, too."""
        left = self.times(decisions)
        for seed in self.seeds(self.times(number)):
            states = self.game.start(seed)
            for decision in range(LONGEST + 1):
                self.at = f"seed {seed}, decision {decision}"
                yield states
                if as_record(states).to_move == NOBODY:
                    break
                self.decide(states)
                left -= 1
            else:
                self.fail(f"no end after {LONGEST:,} random decisions; a game ends, or is cut off (Game.truncated)")
            if left <= 0:
                return

    def positions(self, number: int) -> Iterator[np.ndarray]:
        """One random position, STATE [1], of each of so many random games: any of its first thousand decisions is
        as likely as the next, and every eighth game is taken at its end."""
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
        """Plays one legal action, uniformly drawn."""
        legal = self.legal(states)
        self.game.apply(as_record(states), int(legal[self.rng.integers(len(legal))]))

    def legal(self, states: np.ndarray) -> np.ndarray:
        """The actions that the seat to move has, at least one."""
        s = as_record(states)
        if not 0 <= s.to_move < self.game.num_players:
            last = self.game.num_players - 1
            self.fail(f"to_move is {s.to_move}; it is a seat, 0..{last}, or {NOBODY} when the game is over")
        legal = np.flatnonzero(mask_of(self.game, s))
        if not len(legal):
            self.fail(f"no action is legal for seat {s.to_move}; who is to move has at least one (`legal`)")
        return legal

    def look(self, states: np.ndarray) -> None:
        """The game's own invariants hold."""
        if self.invariants is not None:
            try:
                self.invariants(as_record(states))
            except AssertionError as error:
                self.fail(f"an invariant does not hold: {short(error)}")


def short(value: object, length: int = 200) -> str:
    """The text of something on one line."""
    text = " ".join(str(value).split())
    return text if len(text) <= length else f"{text[: length - 4]} ..."


def few(items: np.ndarray, number: int) -> list[int]:
    """At most `number` of `items`, spread evenly."""
    return items[:: -(-len(items) // number)].tolist() if len(items) else []


def mask_of(game: Game, s: Record) -> np.ndarray:
    """int8 [A] of the seat to move."""
    mask = np.zeros(game.num_actions, np.int8)
    game.legal(s, mask)
    return mask


def view_of(game: Game, s: Record, seat: int) -> np.ndarray:
    """VIEW [1] of a seat."""
    views = game.new_views()
    game.observe(s, np.int64(seat), as_record(views))  # type: ignore[arg-type]
    return views


def returns_of(game: Game, s: Record) -> np.ndarray:
    """The result of each seat, float32 [P]."""
    out = np.zeros(game.num_players, np.float32)
    game.returns(s, out)
    return out


def determinized(game: Game, states: np.ndarray, seat: int, seed: int) -> np.ndarray:
    """A copy of `states` [1], determinized for `seat`."""
    world = states.copy()
    game.determinize(as_record(world), np.int64(seat), np.uint64(seed))  # type: ignore[arg-type]
    return world


def play(game: Game, seed: int, choose: Callable[[int], int], decisions: int = LONGEST) -> np.ndarray:
    """The state [1] after some decisions from `seed` or at the end; `choose(n)` picks one of n legal actions."""
    states = game.start(seed)
    s = as_record(states)
    for _ in range(decisions):
        if s.to_move == NOBODY:
            break
        legal = np.flatnonzero(mask_of(game, s))
        game.apply(s, int(legal[choose(len(legal))]))
    return states


def uniform_choice(seed: int) -> Callable[[int], int]:
    """For `play`: uniform choices."""
    rng = np.random.default_rng(seed)
    return lambda n: int(rng.integers(n))


def leaves(dtype: np.dtype, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], np.dtype]]:
    """The fields of a record layout that are no records themselves, each with its path of names."""
    for name in dtype.names or ():
        base = dtype[name].base
        if base.names is None:
            yield (*path, name), base
        else:
            yield from leaves(base, (*path, name))


def at_path(records: np.ndarray, path: tuple[str, ...]) -> np.ndarray:
    """The values of a field of nested records."""
    values: Any = records
    for name in path:
        values = values[name]
    return np.asarray(values)


def difference(one: np.ndarray, other: np.ndarray, names: tuple[str, str]) -> str:
    """Where two arrays [1] of one layout differ first, and how: `cards[1] is 3 by one, 5 by the other`."""
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
    """A view [1] as the network reads it, float32 [F]."""
    return flat(views)[0]
