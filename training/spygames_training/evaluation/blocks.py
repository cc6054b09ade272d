"""Blocks of deals: the unit in which ladders and comparisons play two players against each other.

The result of a block depends only on the game, the two players, the seed, the block's number and its length. Therefore
each block is played separately, as a whole, with torch on one thread.

Letters: D deals, K sides.
"""

from dataclasses import dataclass

import numpy as np

from spygames.core.game.game import Game
from spygames.core.game.rng import GAMMA, mix, next_seed
from spygames.core.players.names import Player
from spygames.core.playing.batch import spread
from spygames_training.evaluation.forfeits import Forfeit, Referee
from spygames_training.evaluation.play_games import play_games
from spygames_training.parallel.executor import Progress
from spygames_training.system.threads import one_thread

DEALS = 256
"""Number of deals in a block of a ladder."""


@dataclass(frozen=True)
class Block:
    """The result of two players in a block."""

    wins: np.ndarray
    """uint8 [D, K, 2], by deal and by the first player's side: the number of winning sides of each player. The first
    player has 0 or 1, the second 0 to K - 1. If a player plays itself: [D, 1, 2], all sides in the second column."""
    forfeits: dict[int, Forfeit]
    """Forfeits by the game's number, which counts the sides of the first deal, then those of the next one, and so on.
    A forfeited game counts as won by the other player."""


def deal_seeds(seed: int, number: int, deals: int = DEALS) -> np.ndarray:
    """Return the seeds of a block's deals, uint64 [D]. Blocks with the same seed share no deal."""
    with np.errstate(over="ignore"):
        return spread(mix(np.uint64(seed) + GAMMA * np.uint64(number + 1)), deals)


def play_block(
    game: Game,
    first: Player,
    second: Player,
    seed: int,
    number: int,
    deals: int = DEALS,
    referee: Referee | None = None,
    progress: Progress | None = None,
) -> Block:
    """Play a block: each deal once for each side, `first` on that side and `second` on all others.

    Args:
        game: the game to play.
        first: a player.
        second: another player, or `first` itself, which then plays all sides, once a deal.
        seed: 0..2^64-1, the same for all blocks of a ladder or comparison.
        number: the block's number, from 0.
        deals: D.
        referee: a new referee, which handles players that fail (`play_games`). None: errors are raised.
        progress: see `Progress`.

    Raises:
        PlayerFailed: without a referee, a player chose an illegal action.
        Exception: without a referee, any other error of a player.
    """
    sides, alone = game.num_sides, first is second
    side_of = np.array(game.side_of)
    places = np.ones((1, len(side_of)), np.int64) if alone else (np.arange(sides)[:, None] != side_of).astype(np.int64)
    seating = np.tile(places, (deals, 1))
    seeds = deal_seeds(seed, number, deals)
    streams = int(next_seed(seeds[0]))  # of the players; the same for all pairs in this block
    with one_thread():
        returns = play_games(
            game, (first, second), seating, np.repeat(seeds, len(places)), streams, progress, referee=referee
        )
    leaders = [game.side_of.index(side) for side in range(sides)]
    who, won = seating[:, leaders], returns[:, leaders] > 0
    forfeits = {} if referee is None else referee.forfeits
    for row, forfeit in forfeits.items():
        won[row] = who[row] != seating[row, forfeit.seat]
    wins = np.stack([(won & (who == player)).sum(axis=1) for player in (0, 1)], axis=1)
    return Block(wins.astype(np.uint8).reshape(deals, len(places), 2), forfeits)


def scores(wins: np.ndarray) -> np.ndarray:
    """Return the first player's share of each deal, 0 to 1, float64 [D], from `Block.wins`; see `Result.win_share`."""
    own = wins[..., 0].astype(np.float64)
    if wins.shape[1] == 2:
        own = 0.5 + 0.5 * (own - wins[..., 1])
    return own.mean(axis=1)
