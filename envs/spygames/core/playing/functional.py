"""Games as functions: each call returns new arrays and leaves its arguments alone. `spygames.jax` is made of it."""

from typing import Any, NamedTuple

import numpy as np

from spygames.core.compiling.kernel import entry
from spygames.core.game.game import Game
from spygames.core.game.rng import next_seed
from spygames.core.playing.rows import blank, never

__all__ = ["FunctionalGame", "FunctionalRows"]

# Placeholders for the kernels of a game: `Game.bind` replaces them.
init: Any = None
legal: Any = None
apply: Any = None
returns: Any = None
observe: Any = None
truncated: Any = None


class FunctionalRows(NamedTuple):
    """The arrays of n games."""

    memory: np.ndarray
    """uint8 [n, itemsize], the bytes of the states"""
    seeds: np.ndarray
    """uint64 [n], the seed of each game"""
    seats: np.ndarray
    """int32 [n], the seat that observes: the one to move, or the one that moved last where the game is over"""
    observation: np.ndarray
    """float32 [n, F], what that seat may know"""
    mask: np.ndarray
    """bool [n, A], its legal actions; all True where the game is over"""
    rewards: np.ndarray
    """float32 [n, P], of the last step"""
    terminated: np.ndarray
    """bool [n], whether the game is over, by its rules or by an illegal action"""
    truncated: np.ndarray
    """bool [n], whether it was cut off without a result"""


def _begin_rows(options, states, games, lo, hi):  # type: ignore[no-untyped-def]
    for i in range(lo, hi):
        s = states[i]
        blank(games.memory[i])
        init(s, options[0], games.seeds[i])
        games.seats[i] = s.to_move


def _step_rows(options, states, games, actions, allowed, restarts, penalty, lo, hi):  # type: ignore[no-untyped-def]
    for i in range(lo, hi):
        s = states[i]
        for k in range(games.rewards.shape[1]):
            games.rewards[i, k] = 0
        if not restarts and (games.terminated[i] or games.truncated[i]):
            continue
        legal(s, allowed)
        action = actions[i]
        over, cut_off = True, False
        if action >= 0 and action < len(allowed) and allowed[action] != 0:
            apply(s, np.int64(action))
            over = s.to_move < 0
            if over:
                returns(s, games.rewards[i])
                cut_off = truncated(s)
        elif s.to_move >= 0:
            games.rewards[i, s.to_move] = penalty
        games.terminated[i] = over and not cut_off
        games.truncated[i] = cut_off
        if over and restarts:
            games.seeds[i] = next_seed(games.seeds[i])
            blank(games.memory[i])
            init(s, options[0], games.seeds[i])
        if s.to_move >= 0:
            games.seats[i] = s.to_move


def _look_rows(states, games, mask, views, restarts, lo, hi):  # type: ignore[no-untyped-def]
    for i in range(lo, hi):
        if not restarts and (games.terminated[i] or games.truncated[i]):
            for a in range(mask.shape[1]):
                mask[i, a] = 1
        else:
            legal(states[i], mask[i])
        observe(states[i], np.int64(games.seats[i]), views[i])


class FunctionalGame:
    """Pure functions that begin and step games.

    Args:
        game: the game.
        restarts: whether a game that ends begins anew in the same step, with the seed that follows its seed, as in a
            `Batch`. Its row then has the result of the old game, and everything else of the new one.
    """

    def __init__(self, game: Game, restarts: bool):
        self.game, self.restarts = game, restarts
        self._begin, self._step, self._look = (
            game.bind(_begin_rows),
            game.bind(_step_rows, truncated=game.truncated or never),
            game.bind(_look_rows),
        )

    def compile(self) -> None:
        """Compile the loops now instead of at the first game."""
        first = self.begin(np.zeros(1, np.uint64))
        self.step(first.memory, first.seeds, first.seats, first.terminated, first.truncated, np.zeros(1, np.int64))

    def begin(self, seeds: np.ndarray) -> FunctionalRows:
        """Begin a game for each seed, uint64 [n]."""
        game, n = self.game, len(seeds)
        states = game.new_states(n)
        rows = FunctionalRows(
            memory=states.view(np.uint8).reshape(n, game.state_dtype.itemsize),
            seeds=seeds.copy(),
            seats=np.empty(n, np.int32),
            observation=np.empty((n, game.num_features), np.float32),
            mask=np.empty((n, game.num_actions), np.bool_),
            rewards=np.zeros((n, game.num_players), np.float32),
            terminated=np.zeros(n, np.bool_),
            truncated=np.zeros(n, np.bool_),
        )
        args = (game.packed, states, rows)
        entry(self._begin, *args, 0, n)(*args, 0, n)
        return self._seen(states, rows)

    def step(
        self,
        memory: np.ndarray,
        seeds: np.ndarray,
        seats: np.ndarray,
        terminated: np.ndarray,
        truncated: np.ndarray,
        actions: np.ndarray,
    ) -> FunctionalRows:
        """Apply one action in each game; arrays as in `FunctionalRows`, which come from `begin` or `step`.

        An action that is not legal ends the game: its seat gets `Game.lowest_return`, the others get 0, and the
        state keeps its bytes. A game that is over does not change, and its rewards are 0.

        Args:
            memory, seeds, seats, terminated, truncated: the games.
            actions: int64 [n].
        """
        game, n = self.game, len(memory)
        states = game.new_states(n)
        rows = FunctionalRows(
            memory=states.view(np.uint8).reshape(n, game.state_dtype.itemsize),
            seeds=seeds.copy(),
            seats=seats.copy(),
            observation=np.empty((n, game.num_features), np.float32),
            mask=np.empty((n, game.num_actions), np.bool_),
            rewards=np.empty((n, game.num_players), np.float32),
            terminated=terminated.copy(),
            truncated=truncated.copy(),
        )
        rows.memory[...] = memory
        allowed = np.empty(game.num_actions, np.int8)
        args = (game.packed, states, rows, actions.copy(), allowed, self.restarts, np.float32(game.lowest_return))
        entry(self._step, *args, 0, n)(*args, 0, n)
        return self._seen(states, rows)

    def _seen(self, states: np.ndarray, rows: FunctionalRows) -> FunctionalRows:
        """Write observations and masks."""
        n = len(states)
        views = rows.observation.view(self.game.view_dtype).reshape(n)
        args = (states, rows, rows.mask.view(np.int8), views, self.restarts)
        entry(self._look, *args, 0, n)(*args, 0, n)
        return rows
