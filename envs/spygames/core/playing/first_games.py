"""The first game of each seed, many in lockstep: every decision of scripted players, as it is made."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from spygames.core.game.game import Game
from spygames.core.game.rng import GAMMA
from spygames.core.players.player import bot_loop
from spygames.core.playing.rows import Rows


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
    rows, choose = Rows(game, n, seed=0), bot_loop(game, bot)
    rows.reset(seeds=seeds)
    rng, actions = (seeds * GAMMA + np.uint64(1)).reshape(n, 1), np.zeros(n, np.int64)
    games = np.arange(n)
    yield GameSteps(games, None, rows.states.copy(), rows.mask.copy(), np.zeros_like(rows.rewards), np.zeros(n, bool))
    while len(games):
        choose(rows.views, rows.mask, rng, games, actions, 0, len(games))
        before = rows.states[games]
        rows.advance(games, actions, rows.seats.copy())
        over = rows.done[games]
        yield GameSteps(games, before, rows.states[games], rows.mask[games], rows.rewards[games], over)
        games = games[~over]
