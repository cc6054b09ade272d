"""Thousands of games in lockstep: one compiled loop over rows, shared by a few threads."""

import copy
import os
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from spygames.core.basics.whole_numbers import is_whole, whole
from spygames.core.compiling.kernel import entry
from spygames.core.game.game import NOBODY, Game, IllegalAction, as_record
from spygames.core.game.rng import next_seed
from spygames.core.game.validation import because, some_legal
from spygames.core.playing.rows import Rows, as_actions, blank, buffer, first_illegal, never, spread
from spygames.core.playing.threads import Team

__all__ = ["Batch", "spread"]

# Placeholders for the kernels of a game: `Game.bind` replaces them.
init: Any = None
legal: Any = None
apply: Any = None
returns: Any = None
observe: Any = None
answer: Any = None
truncated: Any = None


def _step_rows(options, games, actions, cut_off, lo, hi):  # type: ignore[no-untyped-def]
    for i in range(lo, hi):
        s = games.states[i]
        apply(s, np.int64(actions[i]))
        over = s.to_move < 0
        games.done[i] = over
        returns(s, games.rewards[i])
        cut_off[i] = over and truncated(s)
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
    return game.bind(_step_rows, truncated=game.truncated or never)


@cache
def _observe_all_loop(game: Game) -> Callable[..., None]:
    return game.bind(_observe_all_rows)


@cache
def _answer_loop(game: Game) -> Callable[..., None]:
    assert game.questions is not None
    return game.bind(_answer_rows, answer=game.questions.answer)


def true_answers(game: Game, states: np.ndarray) -> np.ndarray:
    """Return the true values of the belief targets of the seat to move in each state, int8 [n, Q].

    The game must have belief targets (`Game.questions`). `states` is STATE [n].
    """
    assert game.questions is not None
    out = np.zeros((len(states), len(game.questions.sizes)), np.int8)
    loop, arguments = _answer_loop(game), (states, out, 0, len(states))
    entry(loop, *arguments)(*arguments)
    return out


class Batch(Rows):
    """`n` games in lockstep that restart automatically.

    Row i plays the same games as an AEC environment after `reset(seed=seeds[i])` and further calls of `reset()`. Each
    `step` overwrites these arrays:

    - `observation`: float32 [n, F], what the seat to move may know
    - `mask`: int8 [n, A], 1 where an action is legal
    - `rewards`: float32 [n, P], non-zero only where a game has just ended
    - `done`: bool [n], whether a game has just ended; its `observation` and `mask` are those of the next game
    - `cut_off`: bool [n], whether it ended without a result (`Game.truncated`)
    - `serial`: int64 [n], a number that changes with each game of a row

    Example:
        >>> import numpy as np
        >>> from spygames import make_batch
        >>> batch = make_batch("agent_avenue_v0", 64, seed=1)
        >>> finished = 0
        >>> for _ in range(200):
        ...     batch.step(batch.mask.argmax(1))  # the first legal action of each game
        ...     finished += int(batch.done.sum())
        >>> batch.observation.shape, finished > 64
        ((64, 160), True)

    Args:
        game: the game that all rows play.
        n: number of games.
        seed: 0..2^64-1; row i starts from a seed derived from it. None: from the system's entropy.
        threads: number of threads that share the rows; results do not depend on it. None: one per core, fewer for
            small batches.
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
        threads = None if threads is None else whole("threads", threads, 1)
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
        return copy.deepcopy(self)  # a shallow copy would share the games

    def compile(self) -> None:
        """Compile the loop of `step` now instead of at the first step."""
        self._run(self._step_loop, self.game.packed, self.arrays, np.zeros(self.n, np.int64), self.cut_off, n=0)

    def observe_all(self, out: np.ndarray) -> None:
        """Write the views of all seats into `out`, for a critic during training.

        The views come in seat order, beginning with the seat to move. Together they reveal information that is hidden
        from this seat.

        Args:
            out: float32 [n, P, F], C-contiguous.
        """
        out = buffer("out", out, (self.n, self.game.num_players, self.game.num_features), np.float32)
        views = out.view(self.game.view_dtype).reshape(out.shape[:2])
        self._run(_observe_all_loop(self.game), self.states, views)

    def answer(self, out: np.ndarray) -> None:
        """Write the true values of the game's belief targets into `out`, for training.

        Belief targets are questions about information hidden from the seat to move (`Game.questions`).

        Args:
            out: int8 [n, Q], C-contiguous.

        Raises:
            ValueError: the game has no belief targets.
        """
        if self.game.questions is None:
            raise ValueError(f"{self.game.id} has no questions about hidden information (Game.questions)")
        out = buffer("out", out, (self.n, len(self.game.questions.sizes)), np.int8)
        self._run(_answer_loop(self.game), self.states, out)

    def write_to(self, observation: np.ndarray, mask: np.ndarray) -> None:
        """Make the next step or other change of games write into these buffers, which then replace `observation` and
        `mask`."""
        observation = buffer("observation", observation, (self.n, self.game.num_features), np.float32)
        mask = buffer("mask", mask, (self.n, self.game.num_actions), np.int8)
        self._next = observation, mask, observation.view(self.game.view_dtype).reshape(self.n)
        self.arrays = self.arrays._replace(mask=mask, views=self._next[2])

    def begin(self, rows: np.ndarray, seeds: np.ndarray | None = None, states: np.ndarray | None = None) -> None:
        """Begin new games in some rows (see `Rows.begin`). Writes into the buffers passed to `write_to`, if any.

        Raises:
            ValueError: also for positions that are over. No game has changed then.
        """
        if isinstance(states, np.ndarray) and states.dtype == self.game.state_dtype:
            self._require_running(states)
        self._take_buffers()
        super().begin(rows, seeds, states)

    def advance_legal(self, rows: np.ndarray, actions: np.ndarray, viewers: np.ndarray) -> None:
        """Apply decisions in some rows (see `Rows.advance_legal`). Writes into the buffers passed to `write_to`."""
        self._take_buffers()
        super().advance_legal(rows, actions, viewers)

    def look(self, rows: np.ndarray, viewers: np.ndarray) -> None:
        """Update some rows (see `Rows.look`). Writes into the buffers passed to `write_to`, if any."""
        self._take_buffers()
        super().look(rows, viewers)

    def _take_buffers(self) -> None:
        """Replace `observation` and `mask` by the buffers passed to `write_to`, with the same values."""
        if self._next[0] is not self.observation or self._next[1] is not self.mask:
            self._next[0][...], self._next[1][...] = self.observation, self.mask
            self.observation, self.mask, self.views = self._next

    def resume(self, states: np.ndarray, seeds: np.ndarray, *, checked: bool = False) -> None:
        """Resume saved games.

        Args:
            states: STATE [n], a copy of the earlier `self.states`.
            seeds: uint64 [n], a copy of the earlier `self.seeds`.
            checked: True if a batch of this game is known to have written these bytes, for example in this process.
                Otherwise each row is checked as in `GameEnv.restore` (0.6 to 0.8 ms per game), because kernels trust
                their states.

        Raises:
            ValueError: a row is not a position of this game, or its game is over. The batch is unchanged then.
        """
        states = buffer("states", states, (self.n,), self.game.state_dtype)
        seeds = buffer("seeds", seeds, (self.n,), np.uint64)
        for row in [] if checked else range(self.n):
            if not self.game.is_possible(states[row : row + 1]):
                raise ValueError(f"row {row} of states must be a position of {self.game.id}")
        self._require_running(states)
        self.begin(self.all, seeds, states)
        self.rewards[:], self.done[:], self.cut_off[:] = 0, False, False

    def _require_running(self, states: np.ndarray) -> None:
        """Raise ValueError if a position of `states`, STATE [k], is over: no action is legal there."""
        if (over := states["to_move"] == NOBODY).any():
            raise ValueError(f"row {over.argmax()} of states must be a running game, not one that is over")

    def step(self, actions: np.ndarray) -> None:
        """Apply one action in each game.

        Args:
            actions: int [n].

        Raises:
            IllegalAction: an action is not legal. No game has changed then.
        """
        actions = as_actions(actions, self.n)
        bad = first_illegal(actions, self._allowed)
        if bad >= 0:
            seat, legal = int(self.seats[bad]), some_legal(self._allowed[bad])
            why = ""
            if seat != NOBODY and 0 <= actions[bad] < self.game.num_actions:
                why = because(self.game, as_record(self.states, bad), int(actions[bad]), seat)
            raise IllegalAction(
                f"action {actions[bad]} is not legal for seat {seat} in game {bad}{why}; legal are {legal}"
            )
        self.observation, self.mask, self.views = self._next
        self._run(self._step_loop, self.game.packed, self.arrays, actions, self.cut_off)

    def _run(self, loop: Callable[..., None], *args: Any, n: int | None = None) -> None:
        """Run `loop` over all rows, or the first `n`, shared by the threads.

        The arguments of a loop must have the same types in each call.
        """
        n = self.n if n is None else n
        if self.threads == 1:
            entry(loop, *args, 0, n)(*args, 0, n)
            return
        if self._team is None or self._process != os.getpid():  # a forked process does not have its parent's threads
            self._team, self._process = Team(self.threads), os.getpid()
        self._team.run(loop, args, n)
