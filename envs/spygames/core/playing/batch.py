"""Thousands of games in lockstep: the game's kernels inside one loop over rows, run by a few threads."""

import copy
import os
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from spygames.core.compiling.kernel import entry
from spygames.core.game.game import NOBODY, Game, IllegalAction
from spygames.core.game.rng import next_seed
from spygames.core.game.validation import is_whole, some_legal, whole
from spygames.core.playing.rows import Rows, blank, buffer, first_illegal, spread
from spygames.core.playing.threads import Team

__all__ = ["Batch", "spread"]

# Stand for the kernels of a game, which `Game.bind` puts in their place.
init: Any = None
legal: Any = None
apply: Any = None
returns: Any = None
observe: Any = None
answer: Any = None


def _step_rows(options, games, actions, lo, hi):  # type: ignore[no-untyped-def]
    for i in range(lo, hi):
        s = games.states[i]
        apply(s, np.int64(actions[i]))
        over = s.to_move < 0
        games.done[i] = over
        returns(s, games.rewards[i])
        if over:
            games.seeds[i] = next_seed(games.seeds[i])
            games.serial[i] += 1
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


@cache
def _step_loop(game: Game) -> Callable[..., None]:
    return game.bind(_step_rows)


@cache
def _observe_all_loop(game: Game) -> Callable[..., None]:
    return game.bind(_observe_all_rows)


@cache
def _answer_loop(game: Game) -> Callable[..., None]:
    assert game.questions is not None
    return game.bind(_answer_rows, answer=game.questions.answer)


class Batch(Rows):
    """`n` games that restart themselves; each buffer is overwritten by `step`.

    Row i plays the games that an AEC environment plays after `reset(seed=seeds[i])` and further `reset()`s.

    observation: float32 [n, F], what the seat to move may know. mask: int8 [n, A], 1 where legal.
    rewards: float32 [n, P], non-zero only where a game has just ended. done: bool [n]; where it is true,
    observation and mask belong to the next game already. serial: int64 [n], a number that changes with each game of a
    row.

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
        if threads is not None:
            whole("threads", threads, 1)
        self.threads = threads or max(1, min(os.cpu_count() or 1, n // 512 if is_whole(n) else 1))
        self._team: Team | None = None
        self._process = -1
        super().__init__(game, n, seed, observation=observation, mask=mask, rewards=rewards, done=done, compiled=True)

    def _connect(self) -> None:
        super()._connect()
        self._step_loop, self._next = _step_loop(self.game), (self.observation, self.mask, self.views)

    def __getstate__(self) -> dict[str, Any]:
        return {**super().__getstate__(), **dict.fromkeys(("_team", "_step_loop", "_next")), "_process": -1}

    def __copy__(self) -> "Batch":
        return copy.deepcopy(self)  # one that shared the games with this one would be of no use

    def compile(self) -> None:
        """Compiles the loop of `step`, else compiled at the first step."""
        self._run(self._step_loop, self.game.packed, self.arrays, np.zeros(self.n, np.int64), n=0)

    def observe_all(self, out: np.ndarray) -> None:
        """Writes what every seat may know now into `out`, float32 [n, P, F], C-contiguous: in each game the seat to
        move first, then the others in the order of the seats from there. For a critic while training: together they
        hold what the seat to move may not know."""
        out = buffer("out", out, (self.n, self.game.num_players, self.game.num_features), np.float32)
        views = out.view(self.game.view_dtype).reshape(out.shape[:2])
        self._run(_observe_all_loop(self.game), self.states, views)

    def answer(self, out: np.ndarray) -> None:
        """Writes the true answers to the game's questions to the seat to move into `out`, int8 [n, Q], C-contiguous:
        what it may not know, to be learned while training. ValueError for a game without questions."""
        if self.game.questions is None:
            raise ValueError(f"{self.game.id} has no questions about what is hidden")
        out = buffer("out", out, (self.n, len(self.game.questions.sizes)), np.int8)
        self._run(_answer_loop(self.game), self.states, out)

    def write_to(self, observation: np.ndarray, mask: np.ndarray) -> None:
        """The next `reset` or `step` writes into these buffers, which are `observation` and `mask` from then on."""
        observation = buffer("observation", observation, (self.n, self.game.num_features), np.float32)
        mask = buffer("mask", mask, (self.n, self.game.num_actions), np.int8)
        self._next = observation, mask, observation.view(self.game.view_dtype).reshape(self.n)
        self.arrays = self.arrays._replace(mask=mask, views=self._next[2])

    def begin(self, rows: np.ndarray, seeds: np.ndarray | None = None, states: np.ndarray | None = None) -> None:
        """Begin other games in some rows, see `Rows.begin`, in the buffers of the next step."""
        self.observation, self.mask, self.views = self._next
        super().begin(rows, seeds, states)

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
        states = buffer("states", states, (self.n,), self.game.state_dtype)
        seeds = buffer("seeds", seeds, (self.n,), np.uint64)
        for row in [] if checked else range(self.n):
            if not self.game.is_possible(states[row : row + 1]):
                raise ValueError(f"row {row} of states holds no position of {self.game.id}")
        if (over := states["to_move"] == NOBODY).any():
            raise ValueError(f"row {over.argmax()} of states holds a game that is over, and a batch has none")
        self.begin(self.all, seeds, states)
        self.rewards[:], self.done[:] = 0, False

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
        self.observation, self.mask, self.views = self._next
        self._run(self._step_loop, self.game.packed, self.arrays, actions)

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
