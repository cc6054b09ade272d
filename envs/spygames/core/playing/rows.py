"""Rows of games: many games side by side. A finished game stays over until the caller begins another one."""

import copy
import itertools
from collections.abc import Callable
from functools import cache
from types import FunctionType
from typing import Any, NamedTuple, Self

import numpy as np

from spygames.core.basics.text import shown
from spygames.core.basics.whole_numbers import whole
from spygames.core.compiling.kernel import Record, entry, kernel
from spygames.core.game.game import KERNELS, Game, IllegalAction
from spygames.core.game.rng import GAMMA, as_seed, given_seed, mix, next_seed
from spygames.core.game.validation import check_game
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
    """Zero the bytes of one state, uint8 [itemsize], as `init` requires."""
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
def never(s: Record) -> bool:
    """Stand in for `Game.truncated` in games that are never cut off."""
    return False


class RowArrays(NamedTuple):
    """The arrays of n games that the compiled loops read and write."""

    states: np.ndarray
    """STATE [n]"""
    memory: np.ndarray
    """uint8 [n, itemsize], the bytes of `states`"""
    seeds: np.ndarray
    """uint64 [n], the seed of each row's game"""
    serial: np.ndarray
    """int64 [n], the number of each row's game"""
    allowed: np.ndarray
    """int8 [n, A], the legal actions. The caller cannot change them: kernels trust that actions are legal."""
    views: np.ndarray
    """VIEW [n], of the seat to move: the memory of `Rows.observation`"""
    mask: np.ndarray
    """int8 [n, A], a copy of `allowed` for the caller"""
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
    """The compiled loops over some rows of one game."""

    begin: Callable[..., None]
    look: Callable[..., None]
    advance: Callable[..., None]


@cache
def _row_loops(game: Game, compiled: bool) -> RowLoops:
    kernels = {"truncated": game.truncated or never}
    if compiled:
        return RowLoops(*(game.bind(loop, **kernels) for loop in (_begin_rows, _look_rows, _advance_rows)))
    names = {**{name: getattr(game, name) for name in KERNELS}, **kernels}
    return RowLoops(*(_with_globals(loop, names) for loop in (_begin_rows, _look_rows, _advance_rows)))


def _with_globals(loop: Callable[..., None], names: dict[str, Any]) -> Callable[..., None]:
    """Return a copy of `loop` with other globals, run as plain Python."""
    assert isinstance(loop, FunctionType)
    return FunctionType(loop.__code__, {**loop.__globals__, **names}, loop.__name__)


_objects = itertools.count(1)
_PER_OBJECT = 32  # bits for the games of one row


class SavedRows(NamedTuple):
    """Copies of the games, made by `Rows.save`."""

    memory: np.ndarray
    """uint8 [n, itemsize], the bytes of the states; NumPy copies bytes about 20 times as fast as records"""
    seeds: np.ndarray
    rewards: np.ndarray
    done: np.ndarray
    cut_off: np.ndarray


class Rows:
    """`n` games, one per row. `advance` steps some of them; a finished game stays over until `begin` restarts it.

    - `observation`: float32 [n, F], what the seat to move may know; in a finished game, the end as seen by the viewer
      that was passed to `advance`
    - `mask`: int8 [n, A], 1 where an action is legal; zeros in a finished game
    - `rewards`: float32 [n, P], of each row's last step
    - `done`: bool [n], whether each row's last step ended its game
    - `cut_off`: bool [n], whether each row's last `advance` ended its game without a result (`Game.truncated`)
    - `serial`: int64 [n], the number of each row's game. It changes when a game begins and when it is reset to an
      earlier position. Two games in row i of any `Rows` of this process never have the same number.

    Example:
        >>> import numpy as np
        >>> from spygames import Rows, make_game
        >>> rows = Rows(make_game("agent_avenue_v0"), 4, seed=1)
        >>> some, seats = np.array([0, 2]), rows.seats.copy()
        >>> rows.advance(some, rows.mask.argmax(1), viewers=seats)  # one decision in rows 0 and 2
        >>> rows.done
        array([False, False, False, False])

    Args:
        game: the game that all rows play.
        n: number of games.
        seed: 0..2^64-1; row i starts from a seed derived from it. None: from the system's entropy.
        observation, mask, rewards, done: buffers to use, C-contiguous, aligned, and of the shapes and types above.
        compiled: whether to compile the loops over rows, which takes about a second per variant. Otherwise they run as
            Python over the game's kernels, about 30 microseconds per step. None: compile if `n` is above 1.
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
        check_game(game)
        n = whole("n", n, 1)  # an int: the entry point of a loop is compiled for the types of its first arguments
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
        """int64 [n], the numbers of all rows"""
        self._connect()
        self.reset(int(as_seed(seed)))

    def _connect(self) -> None:
        """Set up the arrays, views and loops that copies do not share, and give the games new numbers."""
        game, n = self.game, self.n
        self.serial = np.full(n, next(_objects) << _PER_OBJECT, np.int64)
        self.views = self.observation.view(game.view_dtype).reshape(n)
        self.seats = self.states["to_move"]
        """int8 [n], the seat to move in each game, NOBODY if it is over; a view of the states"""
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
        """The arrays that the next loop reads and writes"""
        self._row_loops = _row_loops(game, self._compiled)

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, **dict.fromkeys(("serial", "views", "seats", "arrays", "_row_loops"))}

    def __setstate__(self, values: dict[str, Any]) -> None:
        self.__dict__.update(values)
        self._connect()

    def __copy__(self) -> Self:
        return copy.deepcopy(self)  # a shallow copy would share the games

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.game.title}; n={self.n})"

    def reset(self, seed: int | None = None, *, seeds: np.ndarray | None = None) -> None:
        """Begin new games in all rows.

        Args:
            seed: 0..2^64-1, from which the seeds of all rows are derived.
            seeds: uint64 [n], the seed of each row instead. If both are None, each row uses the seed that follows the
                seed of its last game, as an environment does.

        Raises:
            ValueError: a seed is invalid, or both arguments are given.
        """
        if seeds is not None:
            if seed is not None:
                raise ValueError("seed and seeds must not both be given")
            seeds = np.array([given_seed(s) for s in np.asarray(seeds).ravel().tolist()], np.uint64).reshape(
                np.shape(seeds)
            )
            seeds = buffer("seeds", seeds, (self.n,), np.uint64)
        elif seed is not None:
            seeds = spread(as_seed(seed), self.n)
        self.begin(self.all, seeds)
        self.rewards[:], self.done[:], self.cut_off[:] = 0, False, False

    def begin(self, rows: np.ndarray, seeds: np.ndarray | None = None, states: np.ndarray | None = None) -> None:
        """Begin new games in `rows`. `rewards`, `done` and `cut_off` remain those of the last step.

        Args:
            rows: int64 [k], the games, each once.
            seeds: uint64 [k]; None: each row uses the seed that follows the seed of its last game.
            states: STATE [k], positions of this game to begin from; `Game.is_possible` checks one, this method does
                not. The seeds of later games then follow `seeds`. A position that is over is observed by seat 0.

        Raises:
            ValueError: `rows` are not rows, or `seeds` or `states` have another shape or type. No game has changed
                then.
        """
        rows = self.checked(rows)
        if seeds is not None and not _integers(seeds := np.asarray(seeds), (len(rows),)):
            raise ValueError(f"seeds must be a uint64 array of shape ({len(rows)},), not {_described(seeds)}")
        if seeds is not None and (seeds < 0).any():
            raise ValueError(f"seeds must be from 0 to 2**64 - 1, not {seeds[seeds < 0][0]}")
        right = ((len(rows),), self.game.state_dtype)
        if states is not None and not (isinstance(states, np.ndarray) and (states.shape, states.dtype) == right):
            raise ValueError(f"states must be {len(rows)} states of {self.game.id}, not {_described(states)}")
        self.seeds[rows] = [next_seed(s) for s in self.seeds[rows]] if seeds is None else seeds
        if states is None:
            self._run(self._row_loops.begin, self.game.packed, self.arrays, rows, n=len(rows))
            return
        self.states[rows] = states
        self.serial[rows] += 1
        self.look(rows, np.zeros(self.n, np.int8))

    def advance(self, rows: np.ndarray, actions: np.ndarray, viewers: np.ndarray) -> None:
        """Apply one decision in each of `rows`. All other rows are unchanged.

        Args:
            rows: int64 [k], the games, each once.
            actions: int [n], read at `rows`.
            viewers: int8 [n], the seat that observes the end of a finished game; read at `rows`.

        Raises:
            IllegalAction: an action is not legal, or `actions` have another shape or type. No game has changed then.
            ValueError: `rows` are not rows, or `viewers` not seats. No game has changed then.
        """
        rows, actions = self.checked(rows), as_actions(actions, self.n)
        viewers = self.checked_viewers(rows, viewers)
        self.require_legal(rows, actions)
        self.advance_legal(rows, actions, viewers)

    def advance_legal(self, rows: np.ndarray, actions: np.ndarray, viewers: np.ndarray) -> None:
        """Like `advance`, without checks. The effect of an illegal action or another array is undefined.

        Args:
            rows: int64 [k], contiguous, as `checked` returns it.
            actions: int64 [n], contiguous.
            viewers: int8 [n].
        """
        loop, viewers = self._row_loops.advance, np.ascontiguousarray(viewers, np.int8)
        self._run(loop, self.arrays, rows, actions, viewers, self.cut_off, n=len(rows))

    def checked_viewers(self, rows: np.ndarray, viewers: np.ndarray) -> np.ndarray:
        """Return `viewers` as int8 [n]. Raise ValueError unless they are seats at `rows`, int64 [k]."""
        found, seats = np.asarray(viewers), self.game.num_players
        if not _integers(found, (self.n,)) or not ((found[rows] >= 0) & (found[rows] < seats)).all():
            raise ValueError(f"viewers must be {self.n} seats from 0 to {seats - 1}, not {_described(viewers)}")
        return np.ascontiguousarray(found, np.int8)

    def checked(self, rows: np.ndarray) -> np.ndarray:
        """Return `rows` as int64 [k], contiguous. Raise ValueError unless they are different rows of these games."""
        if rows is self.all:
            return rows
        found = np.asarray(rows)
        right = _integers(found, found.shape[:1])
        if right and len(found):
            right = found.min() >= 0 and found.max() < self.n and np.bincount(found.astype(np.int64)).max() == 1
        if not right:
            raise ValueError(f"rows must be different numbers from 0 to {self.n - 1}, int64 [k], not {shown(rows)}")
        return np.ascontiguousarray(found, np.int64)

    def require_legal(self, rows: np.ndarray, actions: np.ndarray) -> None:
        """Raise IllegalAction unless all actions are legal; arguments as in `advance`."""
        bad = first_illegal(actions[rows], self._allowed[rows])
        if bad >= 0:
            i = rows[bad]
            # The message does not list the legal actions: they would show one seat the cards of another.
            raise IllegalAction(f"action {actions[i]} is not legal for seat {self.seats[i]} in game {i}")

    def look(self, rows: np.ndarray, viewers: np.ndarray) -> None:
        """Update `observation` and `mask` of `rows` after the caller has changed states; arguments as in `advance`."""
        rows = self.checked(rows)
        self._run(self._row_loops.look, self.arrays, rows, self.checked_viewers(rows, viewers), n=len(rows))

    def save(self) -> SavedRows:
        """Return a copy of the games, for `restore`."""
        memory = self.arrays.memory.copy()
        return SavedRows(memory, self.seeds.copy(), self.rewards.copy(), self.done.copy(), self.cut_off.copy())

    def restore(self, saved: SavedRows, viewers: np.ndarray) -> None:
        """Reset the games to a saved state.

        A game that has moved since gets a new number, because players may have heard of the undone moves.

        Args:
            saved: the result of `save`.
            viewers: int8 [n], as in `advance`.

        Raises:
            ValueError: the games were saved by `Rows` of another game or number, or `viewers` are not seats. No game
                has changed then.
        """
        memory, own = self.arrays.memory, saved.rewards.shape == self.rewards.shape
        if not own or saved.memory.shape != memory.shape:
            raise ValueError(f"saved must be of {self.n} games of {self.game.title}, not of {len(saved.memory)} others")
        viewers = self.checked_viewers(self.all, viewers)
        self.serial[(memory != saved.memory).any(axis=1)] += 1
        for array, values in zip((memory, self.seeds, self.rewards, self.done, self.cut_off), saved, strict=True):
            array[...] = values
        self.look(self.all, viewers)

    def decisions(
        self, rng: np.ndarray, rows: np.ndarray, memory: np.ndarray | None = None, notes: Notes | None = None
    ) -> DecisionBatch:
        """Return the decisions that are due in some of the games, as the argument of `Player.act`.

        Args:
            rng: uint64 [n, 1], the players' random streams, one per game.
            rows: int64 [k], the games, each once.
            memory: float32 [n, P, M], the players' memory (`new_memory`); None: no player has a memory.
            notes: the decisions so far (`new_notes`); None: no player wants notes.

        Returns:
            The decisions. They share the arrays of these games, so they are valid until the next step.

        Raises:
            ValueError: `rng` has another shape or type, or `rows` are not rows.
        """
        rng = buffer("rng", rng, (self.n, 1), np.uint64)
        rows = self.checked(rows)
        return DecisionBatch(
            self.game, self.states, self.views, self.observation, self.mask, rng, rows, memory, notes, self.serial
        )

    def _run(self, loop: Callable[..., None], *args: Any, n: int) -> None:
        """Run `loop` over its first `n` rows. The arguments of a loop must have the same types in each call."""
        entry(loop, *args, 0, n)(*args, 0, n)


def spread(seed: np.uint64, n: int) -> np.ndarray:
    """Derive `n` seeds, uint64 [n], from one: the SplitMix64 sequence that starts there."""
    with np.errstate(over="ignore"):
        return np.array([mix(np.uint64(seed) + GAMMA * np.uint64(i + 1)) for i in range(n)], np.uint64)


def _integers(array: np.ndarray, shape: tuple[int, ...]) -> bool:
    """Whether an array holds integers, and has one dimension and that shape."""
    return array.ndim == 1 and array.shape == shape and array.dtype.kind in "iu"


def as_actions(actions: np.ndarray, n: int) -> np.ndarray:
    """Return actions as int64 [n]. Raise IllegalAction if they have another shape or are not integers."""
    actions = np.asarray(actions)
    if not _integers(actions, (n,)):
        raise IllegalAction(f"actions must be integers of shape ({n},), not {actions.dtype} of shape {actions.shape}")
    if actions.dtype == np.uint64 and n and actions.max() > np.iinfo(np.int64).max:
        raise IllegalAction(f"action {actions.max()} in game {actions.argmax()} is too large")
    actions = np.ascontiguousarray(actions, np.int64)
    return actions if actions.flags.carray else actions.copy()


def _described(array: Any) -> str:
    """Describe a wrong buffer, for an error message."""
    if not isinstance(array, np.ndarray):
        return shown(array)
    flaws = {
        "read-only": array.flags.writeable,
        "not aligned": array.flags.aligned,
        "strided": array.flags.c_contiguous,
    }
    return ", ".join([f"{array.dtype} of shape {array.shape}", *(flaw for flaw, fine in flaws.items() if not fine)])


def buffer(name: str, array: np.ndarray | None, shape: tuple[int, ...], dtype: Any) -> np.ndarray:
    """Return `array`, or a new array for None. Raise ValueError if `array` cannot be used as a buffer."""
    if array is None:
        return np.zeros(shape, dtype)
    if not isinstance(array, np.ndarray) or array.shape != shape or array.dtype != dtype or not array.flags.carray:
        right = f"a writeable, aligned, C-contiguous {np.dtype(dtype)} array of shape {shape}"
        raise ValueError(f"{name} must be {right}, not {_described(array)}")
    return array
