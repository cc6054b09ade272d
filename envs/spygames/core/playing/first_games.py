"""Play the first game of each seed in lockstep, with scripted players, and yield every decision."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from spygames.core.game.game import Game
from spygames.core.game.rng import derived_seed
from spygames.core.players.player import bot_loop
from spygames.core.playing.rows import Rows


class GameSteps(NamedTuple):
    """One decision in each of k games, or the beginning of the games."""

    games: np.ndarray
    """int64 [k], indices of seeds"""
    before: np.ndarray | None
    """STATE [k] before the decisions; None at the beginning of the games"""
    after: np.ndarray
    """STATE [k] after the decisions"""
    mask: np.ndarray
    """int8 [k, A], legal actions of the seats to move in `after`"""
    results: np.ndarray
    """float32 [k, P], results in `after`"""
    over: np.ndarray
    """bool [k], whether the games are over in `after`"""


def first_games(game: Game, seeds: np.ndarray, bot: str = "random") -> Iterator[GameSteps]:
    """Play the first game of each seed to its end. A game depends on its seed alone.

    Args:
        game: the game to play.
        seeds: uint64 [n].
        bot: the scripted player in all seats, a key of `game.bots`.

    Yields:
        The beginning of the games, then one decision of each running game, until all are over. The caller may keep
        the arrays.
    """
    n = len(seeds)
    rows, choose = Rows(game, n, seed=0), bot_loop(game, bot)
    rows.reset(seeds=seeds)
    rng = np.array([[derived_seed(seed, "players")] for seed in seeds], np.uint64).reshape(n, 1)
    actions = np.zeros(n, np.int64)
    games = np.arange(n)
    yield GameSteps(games, None, rows.states.copy(), rows.mask.copy(), np.zeros_like(rows.rewards), np.zeros(n, bool))
    while len(games):
        choose(rows.views, rows.mask, rng, games, actions, 0, len(games))
        before = rows.states[games]
        rows.advance(games, actions, rows.seats.copy())
        over = rows.done[games]
        yield GameSteps(games, before, rows.states[games], rows.mask[games], rows.rewards[games], over)
        games = games[~over]
