"""Blocks of deals: the unit in which two players are played against each other, in a ladder and in a comparison.

What comes of a block depends on the game, the two players, the seed, the number of the block and its length, and on
nothing else: it is played by itself, whole, and torch computes with one thread.

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
from spygames_training.networks.device import one_thread
from spygames_training.parallel.executor import Progress

DEALS = 256
"""Deals of a block of a ladder."""


@dataclass(frozen=True)
class Block:
    """How two players did in a block."""

    wins: np.ndarray
    """uint8 [D, K, 2]: how many sides of the first player (0 or 1) and of the second (0 to K - 1) won the game of a
    deal in which the first one had that side. Where a player plays itself, [D, 1, 2] with all sides in the second
    place."""
    forfeits: dict[int, Forfeit]
    """By the number of the game, deal by deal and side by side; such a game counts as won by the other player."""


def deal_seeds(seed: int, number: int, deals: int = DEALS) -> np.ndarray:
    """The seeds of a block's deals, uint64 [D]: no two blocks of a seed share one."""
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
    """Plays a block: `first` on each side of each deal, `second` on all others.

    Args:
        game: what is played.
        first: a player.
        second: another one; the same one plays itself, once a deal.
        seed: 0..2^64-1, of all blocks.
        number: of the block, from 0.
        deals: D.
        referee: see `play_games`; a new one.
        progress: see `Progress`.

    Raises:
        IllegalAction: without a referee, where a player answered what is not legal; whatever a player raises.
    """
    sides, alone = game.num_sides, first is second
    side_of = np.array(game.side_of)
    places = np.ones((1, len(side_of)), np.int64) if alone else (np.arange(sides)[:, None] != side_of).astype(np.int64)
    seating = np.tile(places, (deals, 1))
    seeds = deal_seeds(seed, number, deals)
    streams = int(next_seed(seeds[0]))  # of the players, alike for all that meet in this block
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
    """What the first player won of each deal, 0 to 1, float64 [D], from `Block.wins`: as `Result.win_share`."""
    own = wins[..., 0].astype(np.float64)
    if wins.shape[1] == 2:
        own = 0.5 + 0.5 * (own - wins[..., 1])
    return own.mean(axis=1)
