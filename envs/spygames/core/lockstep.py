"""The first game of each seed, many in lockstep: every decision of scripted players, as it is made."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from spygames.core.batch import Batch
from spygames.core.game import Game, as_record
from spygames.core.player import bot_loop
from spygames.core.rng import GAMMA


class GameSteps(NamedTuple):
    """One decision in each of k games, or how they begin."""

    games: np.ndarray
    """int64 [k], indices of seeds."""
    before: np.ndarray | None
    """STATE [k], in which they were made; None where the games begin."""
    after: np.ndarray
    """STATE [k], what they led to."""
    mask: np.ndarray
    """int8 [k, A], of the seats to move in `after`."""
    results: np.ndarray
    """float32 [k, P], of `after`."""
    over: np.ndarray
    """bool [k], whether that is the end."""


def first_games(game: Game, seeds: np.ndarray, bot: str = "random") -> Iterator[GameSteps]:
    """Plays the first game of each seed to its end; a game depends on its seed alone.

    Args:
        game: what is played.
        seeds: uint64 [n].
        bot: the scripted player in every seat, a key of `game.bots`.

    Yields:
        How the games begin, and then one decision of each game that goes on, until none does. The arrays may be kept.
    """
    n = len(seeds)
    batch, choose = Batch(game, n, seed=0, threads=1), bot_loop(game, bot)
    batch.reset(seeds=seeds.copy())
    rng, actions = (seeds * GAMMA + np.uint64(1)).reshape(n, 1), np.zeros(n, np.int64)
    games = np.arange(n)
    yield GameSteps(
        games, None, batch.states.copy(), batch.mask.copy(), np.zeros_like(batch.rewards), np.zeros(n, bool)
    )
    while len(games):
        choose(batch.views, batch.mask, rng, np.arange(n), actions, 0, n)
        before = batch.states[games]
        batch.step(actions)
        after, mask, over = batch.states[games], batch.mask[games], batch.done[games]
        for k in np.flatnonzero(over).tolist():  # the batch has begun another game there: its last state once more
            after[k] = before[k]
            game.apply(as_record(after, k), int(actions[games[k]]))
            game.legal(as_record(after, k), mask[k])
        yield GameSteps(games, before, after, mask, batch.rewards[games], over)
        games = games[~over]  # in the other rows the batch plays on, and nobody looks
