"""Leak test of the contract (`spygames.testing.hidden`) on many positions of a game."""

from collections.abc import Iterable

import numpy as np

from spygames.core.game.game import Game
from spygames.testing.hidden import differences
from spygames.testing.trial import determinized

PAIRS, LONG_PAIRS = 120, 2_000
"""Pairs of a position and a viewer that the test of a variant compares, and that a slow test compares."""
PICTURES = 23
"""One pair in this many has its pictures drawn, which takes longer than everything else. It is prime and above the
number of viewers of any game, so that each viewer gets a turn."""


def leaks(
    game: Game, positions: Iterable[np.ndarray], pairs: int = PAIRS, pictures: int = PICTURES
) -> tuple[int, set[str]]:
    """Compare each position, for each viewer, with a world that the viewer cannot tell from it.

    Args:
        game: the game.
        positions: STATE [1] each.
        pairs: maximum number of pairs of a position and a viewer.
        pictures: one pair in this many has its pictures drawn, too.

    Returns:
        The number of pairs compared, and the channels that leak.
    """
    compared, found = 0, set[str]()
    for states in positions:
        for viewer in range(game.num_players):
            if compared == pairs:
                return compared, found
            world = determinized(game, states, viewer, compared)
            found |= {
                name
                for name, _ in differences(
                    game, states, world, viewer, compared % pictures == 0, moves=game.num_actions
                )
            }
            compared += 1
    return compared, found
