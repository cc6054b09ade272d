"""Thousands of games in lockstep: the game's kernels inside one loop over rows, run by a few threads."""

import copy
import os
from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from spygames.core.checks import is_whole, some_legal, whole
from spygames.core.game import NOBODY, Game, IllegalAction
from spygames.core.kernel import entry, kernel
from spygames.core.notes import Notes
from spygames.core.player import DecisionBatch, first_illegal
from spygames.core.rng import GAMMA, as_seed, mix, next_seed
from spygames.core.shown import shown
from spygames.core.team import Team

__all__ = ["Batch"]

# Stand for the kernels of a game, which `Game.bind` puts in their place.
init: Any = None
legal: Any = None
apply: Any = None
returns: Any = None
observe: Any = None
answer: Any = None


@kernel
def blank(memory: np.ndarray) -> None:
    """Zeroes the bytes of one state, uint8 [itemsize], as `init` is promised."""
    for i in range(len(memory)):
        memory[i] = 0


class BatchArrays(NamedTuple):
    """The arrays of a batch of n games, all of which its loops write."""

    states: np.ndarray
    """STATE [n]"""
    memory: np.ndarray
    """uint8 [n, itemsize], the bytes of `states`"""
    seeds: np.ndarray
    """uint64 [n], what each row's game started from"""
    allowed: np.ndarray
    """int8 [n, A], what is legal, out of reach of the buffers' owner: kernels trust that actions are legal"""
    views: np.ndarray
    """VIEW [n], of the seat to move: the memory of `Batch.observation`"""
    mask: np.ndarray
    """int8 [n, A], a copy of `allowed` for the buffers' owner"""
    rewards: np.ndarray
    """float32 [n, P]"""
    done: np.ndarray
    """bool [n]"""


def _init_rows(options, games, lo, hi):  # type: ignore[no-untyped-def]
    for i in range(lo, hi):
        blank(games.memory[i])
        init(games.states[i], options[0], games.seeds[i])


def _show_rows(games, lo, hi):  # type: ignore[no-untyped-def]
    for i in range(lo, hi):
        s = games.states[i]
        legal(s, games.allowed[i])
        for a in range(games.mask.shape[1]):
            games.mask[i, a] = games.allowed[i, a]
        observe(s, np.int64(s.to_move), games.views[i])


def _step_rows(options, games, actions, lo, hi):  # type: ignore[no-untyped-def]
    for i in range(lo, hi):
        s = games.states[i]
        apply(s, np.int64(actions[i]))
        over = s.to_move < 0
        games.done[i] = over
        returns(s, games.rewards[i])
        if over:
            games.seeds[i] = next_seed(games.seeds[i])
            blank(games.memory[i])
            init(s, options[0], games.seeds[i])
        legal(s, games.allowed[i])
        for a in range(games.mask.shape[1]):
            games.mask[i, a] = games.allowed[i, a]
        observe(s, np.int64(s.to_move), games.views[i])


def _observe_all_rows(states, views, lo, hi):  # type: ignore[no-untyped-def]
    seats = views.shape[1]
    for i in range(lo, hi):
        s = states[i]
        seat = np.int64(s.to_move)
        for k in range(seats):
            observe(s, seat, views[i, k])
            seat = 0 if seat + 1 == seats else seat + 1


def _answer_rows(states, out, lo, hi):  # type: ignore[no-untyped-def]
    for i in range(lo, hi):
        answer(states[i], np.int64(states[i].to_move), out[i])


class Loops(NamedTuple):
    """The compiled loops of one game."""

    init: Callable[..., None]
    show: Callable[..., None]
    step: Callable[..., None]


@cache
def _loops(game: Game) -> Loops:
    return Loops(*(game.bind(loop) for loop in (_init_rows, _show_rows, _step_rows)))


@cache
def _observe_all_loop(game: Game) -> Callable[..., None]:
    return game.bind(_observe_all_rows)


@cache
def _answer_loop(game: Game) -> Callable[..., None]:
    assert game.questions is not None
    return game.bind(_answer_rows, answer=game.questions.answer)


class Batch:
    """`n` games that restart themselves; each buffer is overwritten by `step`.

    Row i plays the games that an AEC environment plays after `reset(seed=seeds[i])` and further `reset()`s.

    observation: float32 [n, F], what the seat to move may know. mask: int8 [n, A], 1 where legal.
    rewards: float32 [n, P], non-zero only where a game has just ended. done: bool [n]; where it is true,
    observation and mask belong to the next game already.

    Args:
        game: what is played.
        n: number of games.
        seed: 0..2^64-1; row i starts from a seed derived from it. None: from the system's entropy.
        threads: how many share the rows; results do not depend on it. None: one a core, fewer for small batches.
        observation, mask, rewards, done: buffers to use, C-contiguous, aligned, and of the shapes and types above.
    """

    def __init__(
        self,
        game: Game,
        n: int,
        seed: int | None = None,
        *,
        threads: int | None = None,
        observation: np.ndarray | None = None,
        mask: np.ndarray | None = None,
        rewards: np.ndarray | None = None,
        done: np.ndarray | None = None,
    ):
        if not is_whole(n) or n < 1:
            raise ValueError(f"a batch has a whole number of games, at least one, not {shown(n)}")
        if threads is not None:
            whole("threads", threads, 1)
        self.game, self.n = game, n
        self.states = game.new_states(n)
        self.seeds: np.ndarray = np.zeros(n, np.uint64)
        self._allowed = np.zeros((n, game.num_actions), np.int8)
        self.rewards = _buffer("rewards", rewards, (n, game.num_players), np.float32)
        self.done = _buffer("done", done, (n,), np.bool_)
        self.write_to(
            np.zeros((n, game.num_features), np.float32) if observation is None else observation,
            np.zeros((n, game.num_actions), np.int8) if mask is None else mask,
        )
        self.threads = threads or max(1, min(os.cpu_count() or 1, n // 512))
        self._loops = _loops(game)
        self._team: Team | None = None
        self._process = -1
        self.reset(int(as_seed(seed)))

    def __getstate__(self) -> dict[str, Any]:
        parts = ("_loops", "_team", "_out", "arrays", "views")  # made again, or views that a copy would tear apart
        return {**self.__dict__, **dict.fromkeys(parts), "_process": -1}

    def __setstate__(self, values: dict[str, Any]) -> None:
        self.__dict__.update(values)
        self._loops = _loops(self.game)
        self.write_to(self.observation, self.mask)
        self.views = self._out[2]

    def __repr__(self) -> str:
        return f"Batch({self.game.title}; n={self.n})"

    def __copy__(self) -> "Batch":
        return copy.deepcopy(self)  # one that shared the games with this one would be of no use

    @property
    def seats(self) -> np.ndarray:
        """The seat to move in each game, int8 [n]; a view of the states."""
        return self.states["to_move"]

    def compile(self) -> None:
        """Compiles the loop of `step`, else compiled at the first step."""
        self._run(self._loops.step, self.game.packed, self.arrays, np.zeros(self.n, np.int64), n=0)

    def observe_all(self, out: np.ndarray) -> None:
        """Writes what every seat may know now into `out`, float32 [n, P, F], C-contiguous: in each game the seat to
        move first, then the others in the order of the seats from there. For a critic while training: together they
        hold what the seat to move may not know."""
        out = _buffer("out", out, (self.n, self.game.num_players, self.game.num_features), np.float32)
        views = out.view(self.game.view_dtype).reshape(out.shape[:2])
        self._run(_observe_all_loop(self.game), self.states, views)

    def answer(self, out: np.ndarray) -> None:
        """Writes the true answers to the game's questions to the seat to move into `out`, int8 [n, Q], C-contiguous:
        what it may not know, to be learned while training. ValueError for a game without questions."""
        if self.game.questions is None:
            raise ValueError(f"{self.game.id} has no questions about what is hidden")
        out = _buffer("out", out, (self.n, len(self.game.questions.sizes)), np.int8)
        self._run(_answer_loop(self.game), self.states, out)

    def write_to(self, observation: np.ndarray, mask: np.ndarray) -> None:
        """The next `reset` or `step` writes into these buffers, which are `observation` and `mask` from then on."""
        observation = _buffer("observation", observation, (self.n, self.game.num_features), np.float32)
        mask = _buffer("mask", mask, (self.n, self.game.num_actions), np.int8)
        self._out = observation, mask, observation.view(self.game.view_dtype).reshape(self.n)
        self._gather()

    def _gather(self) -> None:
        """Brings `arrays` up to date."""
        self.arrays = BatchArrays(
            states=self.states,
            memory=self.states.view(np.uint8).reshape(self.n, -1),
            seeds=self.seeds,
            allowed=self._allowed,
            views=self._out[2],
            mask=self._out[1],
            rewards=self.rewards,
            done=self.done,
        )
        """What a loop over the games reads and writes next, for a subclass with another loop than `step`'s. Such a loop
        starts a game that ends over, as `step` does, and leaves `allowed`, `mask` and `views` of the next decision."""

    def reset(self, seed: int | None = None, *, seeds: np.ndarray | None = None) -> None:
        """Begins all games anew: from one seed, from `seeds`, uint64 [n], one a game, or, without either, each row from
        the seed that follows its last game's, as an environment does. ValueError for seeds that are none."""
        if seeds is not None:
            if seed is not None:
                raise ValueError("give seed or seeds, not both")
            seeds = np.array([as_seed(s) for s in np.asarray(seeds).ravel().tolist()], np.uint64).reshape(
                np.shape(seeds)
            )
            self.seeds = _buffer("seeds", seeds, (self.n,), np.uint64)
        elif seed is not None:
            self.seeds = spread(as_seed(seed), self.n)
        else:
            self.seeds = np.array([next_seed(s) for s in self.seeds], np.uint64)
        self._gather()
        self._run(self._loops.init, self.game.packed, self.arrays)
        self._show()

    def resume(self, states: np.ndarray, seeds: np.ndarray, *, checked: bool = False) -> None:
        """Goes on with games that were going on.

        Args:
            states: STATE [n], copied: what `self.states` was.
            seeds: uint64 [n], copied: what `self.seeds` was.
            checked: the caller knows that a batch of this game wrote these bytes: they never left this process, say.
                Else each row is looked at as `GameEnv.restore` does (0.6 to 0.8 ms a game), because kernels trust their
                states.

        Raises:
            ValueError: names the first row that is no position of this game, or whose game is over. The batch is then
                as it was.
        """
        states = _buffer("states", states, (self.n,), self.game.state_dtype)
        seeds = _buffer("seeds", seeds, (self.n,), np.uint64)
        for row in [] if checked else range(self.n):
            if not self.game.is_possible(states[row : row + 1]):
                raise ValueError(f"row {row} of states holds no position of {self.game.id}")
        if (over := states["to_move"] == NOBODY).any():
            raise ValueError(f"row {over.argmax()} of states holds a game that is over, and a batch has none")
        self.states.view(np.uint8)[:] = states.view(np.uint8)
        self.seeds = seeds.copy()
        self._gather()
        self._show()

    def _show(self) -> None:
        """Fills the buffers from the states."""
        self.rewards[:], self.done[:] = 0, False
        self.observation, self.mask, self.views = self._out
        self._run(self._loops.show, self.arrays)

    def step(self, actions: np.ndarray) -> None:
        """Applies one action in each game, int [n]. If one is not legal, IllegalAction and no game has moved."""
        actions = np.asarray(actions)
        if actions.shape != (self.n,) or actions.dtype.kind not in "iu":
            raise IllegalAction(
                f"actions must be whole numbers of shape ({self.n},), not {actions.dtype} of shape {actions.shape}"
            )
        actions = np.ascontiguousarray(actions, np.int64)
        if not actions.flags.carray:
            actions = actions.copy()
        bad = first_illegal(actions, self._allowed)
        if bad >= 0:
            legal = some_legal(self._allowed[bad])
            raise IllegalAction(
                f"action {actions[bad]} is not legal for seat {self.seats[bad]} in game {bad}; legal are {legal}"
            )
        self.observation, self.mask, self.views = self._out
        self._run(self._loops.step, self.game.packed, self.arrays, actions)

    def decisions(
        self, rng: np.ndarray, rows: np.ndarray, memory: np.ndarray | None = None, notes: Notes | None = None
    ) -> DecisionBatch:
        """What a player is asked that decides in some of the games.

        Args:
            rng: uint64 [n, 1], the players' random streams, one a game.
            rows: int64 [k], the games.
            memory: float32 [n, P, M], what players keep (`new_memory`); None: nothing.
            notes: the decisions so far (`new_notes`); None: nobody wants them.

        Returns:
            The decisions, which share this batch's arrays: ask before the next step.

        Raises:
            ValueError: `rng` is another array than that.
        """
        rng = _buffer("rng", rng, (self.n, 1), np.uint64)
        return DecisionBatch(
            self.game,
            self.states,
            self.views,
            self.observation,
            self.mask,
            rng,
            np.asarray(rows, np.int64),
            memory,
            notes,
        )

    def _run(self, loop: Callable[..., None], *args: Any, n: int | None = None) -> None:
        """Runs `loop`, whose arguments have the same types each time, over all rows or the first `n`, shared by the
        threads."""
        n = self.n if n is None else n
        if self.threads == 1:
            entry(loop, *args, 0, n)(*args, 0, n)
            return
        if self._team is None or self._process != os.getpid():  # a forked process has none of its parent's threads
            self._team, self._process = Team(self.threads), os.getpid()
        self._team.run(loop, args, n)


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


def _buffer(name: str, array: np.ndarray | None, shape: tuple[int, ...], dtype: Any) -> np.ndarray:
    """`array` if it can be written in place as it is, a new one for None; ValueError otherwise."""
    if array is None:
        return np.zeros(shape, dtype)
    if not isinstance(array, np.ndarray) or array.shape != shape or array.dtype != dtype or not array.flags.carray:
        right = f"a writeable, aligned, C-contiguous {np.dtype(dtype)} array of shape {shape}"
        raise ValueError(f"{name} must be {right}, not {_described(array)}")
    return array
