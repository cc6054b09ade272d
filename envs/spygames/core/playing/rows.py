"""Rows of games: many games side by side, stepped row by row, each of which stays over until another one begins."""

import itertools
from collections.abc import Callable
from functools import cache
from types import FunctionType
from typing import Any, NamedTuple

import numpy as np

from spygames.core.basics.text import shown
from spygames.core.compiling.kernel import Record, entry, kernel
from spygames.core.game.game import KERNELS, Game, IllegalAction
from spygames.core.game.rng import GAMMA, as_seed, mix, next_seed
from spygames.core.game.validation import is_whole
from spygames.core.players.history import Notes
from spygames.core.players.player import DecisionBatch

# Placeholders for the kernels of a game: `Game.bind` replaces them.
init: Any = None
legal: Any = None
apply: Any = None
returns: Any = None
observe: Any = None
truncated: Any = None


@kernel
def blank(memory: np.ndarray) -> None:
    """Zero the bytes of one state, uint8 [itemsize], as `init` is promised."""
    for i in range(len(memory)):
        memory[i] = 0


@kernel
def first_illegal(actions: np.ndarray, mask: np.ndarray) -> int:
    """Return the first row whose action its mask does not allow, or -1. actions: int64 [k]; mask: int8 [k, A]."""
    for i in range(len(actions)):
        a = actions[i]
        if a < 0 or a >= mask.shape[1] or mask[i, a] == 0:
            return i
    return -1


@kernel
def _never(s: Record) -> bool:
    return False


class RowArrays(NamedTuple):
    """The arrays of n games, which the compiled loops read and write."""

    states: np.ndarray
    """STATE [n]"""
    memory: np.ndarray
    """uint8 [n, itemsize], the bytes of `states`"""
    seeds: np.ndarray
    """uint64 [n], the seed that each row's game started from"""
    serial: np.ndarray
    """int64 [n], the number of each row's game"""
    allowed: np.ndarray
    """int8 [n, A], the legal actions, out of reach of the buffers' owner: kernels trust that actions are legal"""
    views: np.ndarray
    """VIEW [n], of the seat to move: the memory of `Rows.observation`"""
    mask: np.ndarray
    """int8 [n, A], a copy of `allowed` for the buffers' owner"""
    rewards: np.ndarray
    """float32 [n, P]"""
    done: np.ndarray
    """bool [n]"""


def _begin_rows(options, games, rows, lo, hi):  # type: ignore[no-untyped-def]
    for k in range(lo, hi):
        i = rows[k]
        s = games.states[i]
        games.serial[i] += 1
        blank(games.memory[i])
        init(s, options[0], games.seeds[i])
        legal(s, games.allowed[i])
        for a in range(games.mask.shape[1]):
            games.mask[i, a] = games.allowed[i, a]
        observe(s, np.int64(s.to_move), games.views[i])


def _look_rows(games, rows, viewers, lo, hi):  # type: ignore[no-untyped-def]
    for k in range(lo, hi):
        i = rows[k]
        s = games.states[i]
        legal(s, games.allowed[i])
        for a in range(games.mask.shape[1]):
            games.mask[i, a] = games.allowed[i, a]
        observe(s, np.int64(viewers[i] if s.to_move < 0 else s.to_move), games.views[i])


def _advance_rows(games, rows, actions, viewers, cut_off, lo, hi):  # type: ignore[no-untyped-def]
    for k in range(lo, hi):
        i = rows[k]
        s = games.states[i]
        apply(s, np.int64(actions[i]))
        over = s.to_move < 0
        games.done[i] = over
        returns(s, games.rewards[i])
        cut_off[i] = over and truncated(s)
        legal(s, games.allowed[i])
        for a in range(games.mask.shape[1]):
            games.mask[i, a] = games.allowed[i, a]
        observe(s, np.int64(viewers[i] if over else s.to_move), games.views[i])


class RowLoops(NamedTuple):
    """The loops over some rows of one game."""

    begin: Callable[..., None]
    look: Callable[..., None]
    advance: Callable[..., None]


@cache
def _row_loops(game: Game, compiled: bool) -> RowLoops:
    kernels = {"truncated": game.truncated or _never}
    if compiled:
        return RowLoops(*(game.bind(loop, **kernels) for loop in (_begin_rows, _look_rows, _advance_rows)))
    names = {**{name: getattr(game, name) for name in KERNELS}, **kernels}
    return RowLoops(*(_with_globals(loop, names) for loop in (_begin_rows, _look_rows, _advance_rows)))


def _with_globals(loop: Callable[..., None], names: dict[str, Any]) -> Callable[..., None]:
    """A copy of `loop` in which `names` replace globals, run as plain Python."""
    assert isinstance(loop, FunctionType)
    return FunctionType(loop.__code__, {**loop.__globals__, **names}, loop.__name__)


_objects = itertools.count(1)
_PER_OBJECT = 32  # bits for the games of one row


class SavedRows(NamedTuple):
    """The games at the time of `Rows.save`, copies."""

    memory: np.ndarray
    """uint8 [n, itemsize], the bytes of the states, which NumPy copies in a twentieth of the time of records"""
    seeds: np.ndarray
    rewards: np.ndarray
    done: np.ndarray
    cut_off: np.ndarray


class Rows:
    """`n` games, one a row. `advance` steps some of them; a game that has ended stays over until `begin`.

    observation: float32 [n, F], what the seat to move may know; in a game that is over, what the viewer given to
    `advance` sees of its end. mask: int8 [n, A], 1 where legal, all zeros in a game that is over.
    rewards: float32 [n, P], done: bool [n], of each row's last step. cut_off: bool [n], whether each row's last
    `advance` ended its game without a result (`Game.truncated`).
    serial: int64 [n], the number of each row's game. It changes when a game begins and when a game is put back to an
    earlier position. Row i of this and of any other `Rows` of this process never has the same number for two games.

    Args:
        game: the game in all rows.
        n: number of games.
        seed: 0..2^64-1; row i starts from a seed derived from it. None: from the system's entropy.
        observation, mask, rewards, done: buffers to use, C-contiguous, aligned, and of the shapes and types above.
        compiled: whether the loops over rows are compiled, which takes a second for each variant; else they run as
            Python over the game's kernels, 30 microseconds a step. None: those of several rows are.
    """

    def __init__(
        self,
        game: Game,
        n: int,
        seed: int | None = None,
        *,
        observation: np.ndarray | None = None,
        mask: np.ndarray | None = None,
        rewards: np.ndarray | None = None,
        done: np.ndarray | None = None,
        compiled: bool | None = None,
    ):
        if not is_whole(n) or n < 1:
            raise ValueError(f"a batch has a whole number of games, at least one, not {shown(n)}")
        self.game, self.n, self._compiled = game, n, n > 1 if compiled is None else compiled
        self.states = game.new_states(n)
        self.seeds: np.ndarray = np.zeros(n, np.uint64)
        self._allowed = np.zeros((n, game.num_actions), np.int8)
        self.rewards = buffer("rewards", rewards, (n, game.num_players), np.float32)
        self.done = buffer("done", done, (n,), np.bool_)
        self.cut_off = np.zeros(n, np.bool_)
        self.observation = buffer("observation", observation, (n, game.num_features), np.float32)
        self.mask = buffer("mask", mask, (n, game.num_actions), np.int8)
        self.all = np.arange(n)
        """All rows, int64 [n]."""
        self._connect()
        self.reset(int(as_seed(seed)))

    def _connect(self) -> None:
        """Gathers the arrays, loops and views that copies do not take along, and numbers the games afresh."""
        game, n = self.game, self.n
        self.serial = np.full(n, next(_objects) << _PER_OBJECT, np.int64)
        self.views = self.observation.view(game.view_dtype).reshape(n)
        self.seats = self.states["to_move"]
        """The seat to move in each game, NOBODY where it is over, int8 [n]; a view of the states."""
        self.arrays = RowArrays(
            states=self.states,
            memory=self.states.view(np.uint8).reshape(n, -1),
            seeds=self.seeds,
            serial=self.serial,
            allowed=self._allowed,
            views=self.views,
            mask=self.mask,
            rewards=self.rewards,
            done=self.done,
        )
        """What a loop over the games reads and writes next."""
        self._row_loops = _row_loops(game, self._compiled)

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, **dict.fromkeys(("serial", "views", "seats", "arrays", "_row_loops"))}

    def __setstate__(self, values: dict[str, Any]) -> None:
        self.__dict__.update(values)
        self._connect()

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.game.title}; n={self.n})"

    def reset(self, seed: int | None = None, *, seeds: np.ndarray | None = None) -> None:
        """Begins all games anew: from one seed, from `seeds`, uint64 [n], one a game, or, without either, each row from
        the seed that follows its last game's, as an environment does. ValueError for seeds that are none."""
        if seeds is not None:
            if seed is not None:
                raise ValueError("give seed or seeds, not both")
            seeds = np.array([as_seed(s) for s in np.asarray(seeds).ravel().tolist()], np.uint64).reshape(
                np.shape(seeds)
            )
            seeds = buffer("seeds", seeds, (self.n,), np.uint64)
        elif seed is not None:
            seeds = spread(as_seed(seed), self.n)
        self.begin(self.all, seeds)
        self.rewards[:], self.done[:], self.cut_off[:] = 0, False, False

    def begin(self, rows: np.ndarray, seeds: np.ndarray | None = None, states: np.ndarray | None = None) -> None:
        """Begin other games in `rows`, int64 [k]; `rewards`, `done` and `cut_off` stay those of the last step.

        Args:
            rows: the games.
            seeds: uint64 [k]; None: each row from the seed that follows its last game's.
            states: STATE [k], positions of this game to begin from instead; `seeds` are then those that the next
                games follow. Seat 0 observes one that is over.
        """
        self.seeds[rows] = [next_seed(s) for s in self.seeds[rows]] if seeds is None else seeds
        if states is None:
            self._run(self._row_loops.begin, self.game.packed, self.arrays, rows, n=len(rows))
            return
        self.states[rows] = states
        self.serial[rows] += 1
        self.look(rows, np.zeros(self.n, np.int8))

    def advance(self, rows: np.ndarray, actions: np.ndarray, viewers: np.ndarray) -> None:
        """Apply one decision in each of `rows`; other rows stay as they are.

        Args:
            rows: int64 [k], the games.
            actions: int64 [n], read at `rows`.
            viewers: int8 [n], the seat for which the end of a game is observed.

        Raises:
            IllegalAction: an action is not legal; no game has moved.
        """
        self.require_legal(rows, actions)
        self.advance_legal(rows, actions, viewers)

    def advance_legal(self, rows: np.ndarray, actions: np.ndarray, viewers: np.ndarray) -> None:
        """As `advance`, of actions that are known to be legal: what an illegal one does is undefined."""
        loop, viewers = self._row_loops.advance, np.ascontiguousarray(viewers, np.int8)
        self._run(loop, self.arrays, rows, actions, viewers, self.cut_off, n=len(rows))

    def require_legal(self, rows: np.ndarray, actions: np.ndarray) -> None:
        """IllegalAction unless the actions are legal; arguments as in `advance`."""
        bad = first_illegal(actions[rows], self._allowed[rows])
        if bad >= 0:
            i = rows[bad]
            # The legal actions are not named: they would show one seat the cards of another.
            raise IllegalAction(f"action {actions[i]} is not legal for seat {self.seats[i]} in game {i}")

    def look(self, rows: np.ndarray, viewers: np.ndarray) -> None:
        """Write `observation` and `mask` of `rows` from the states, which the caller has changed; `viewers` as in
        `advance`."""
        self._run(self._row_loops.look, self.arrays, rows, np.ascontiguousarray(viewers, np.int8), n=len(rows))

    def save(self) -> SavedRows:
        """Copy the games, for `restore`."""
        memory = self.arrays.memory.copy()
        return SavedRows(memory, self.seeds.copy(), self.rewards.copy(), self.done.copy(), self.cut_off.copy())

    def restore(self, saved: SavedRows, viewers: np.ndarray) -> None:
        """Put the games back to where they were at `save`. A game that has moved since gets another number, because
        players may have heard of what is undone. `viewers` as in `advance`."""
        memory = self.arrays.memory
        self.serial[(memory != saved.memory).any(axis=1)] += 1
        for array, values in zip((memory, self.seeds, self.rewards, self.done, self.cut_off), saved, strict=True):
            array[...] = values
        self.look(self.all, viewers)

    def decisions(
        self, rng: np.ndarray, rows: np.ndarray, memory: np.ndarray | None = None, notes: Notes | None = None
    ) -> DecisionBatch:
        """The decisions that are due in some of the games, as a player is asked for them.

        Args:
            rng: uint64 [n, 1], the players' random streams, one a game.
            rows: int64 [k], the games.
            memory: float32 [n, P, M], what players keep (`new_memory`); None: nothing.
            notes: the decisions so far (`new_notes`); None: nobody wants them.

        Returns:
            The decisions, which share the arrays of these games: ask before the next step.

        Raises:
            ValueError: `rng` is another array than that.
        """
        rng = buffer("rng", rng, (self.n, 1), np.uint64)
        rows = np.asarray(rows, np.int64)
        return DecisionBatch(
            self.game, self.states, self.views, self.observation, self.mask, rng, rows, memory, notes, self.serial
        )

    def _run(self, loop: Callable[..., None], *args: Any, n: int) -> None:
        """Runs `loop`, whose arguments have the same types each time, over its first `n` rows."""
        entry(loop, *args, 0, n)(*args, 0, n)


def spread(seed: np.uint64, n: int) -> np.ndarray:
    """`n` seeds, uint64 [n], derived from one: the SplitMix64 sequence that starts there."""
    with np.errstate(over="ignore"):
        return np.array([mix(np.uint64(seed) + GAMMA * np.uint64(i + 1)) for i in range(n)], np.uint64)


def _described(array: Any) -> str:
    """What was given in the place of a buffer."""
    if not isinstance(array, np.ndarray):
        return shown(array)
    flaws = {
        "read-only": array.flags.writeable,
        "not aligned": array.flags.aligned,
        "strided": array.flags.c_contiguous,
    }
    return ", ".join([f"{array.dtype} of shape {array.shape}", *(flaw for flaw, fine in flaws.items() if not fine)])


def buffer(name: str, array: np.ndarray | None, shape: tuple[int, ...], dtype: Any) -> np.ndarray:
    """`array` if it can be written in place as it is, a new one for None; ValueError otherwise."""
    if array is None:
        return np.zeros(shape, dtype)
    if not isinstance(array, np.ndarray) or array.shape != shape or array.dtype != dtype or not array.flags.carray:
        right = f"a writeable, aligned, C-contiguous {np.dtype(dtype)} array of shape {shape}"
        raise ValueError(f"{name} must be {right}, not {_described(array)}")
    return array
