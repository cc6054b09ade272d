"""Many positions of a game for the leak test of the contract (`spygames.testing.hidden`)."""

from collections.abc import Iterable

import numpy as np

from spygames.core.game.game import Game
from spygames.testing.hidden import differences
from spygames.testing.trial import determinized

PAIRS, LONG_PAIRS = 120, 2_000
"""Pairs of a position and a viewer that a test of a variant compares, and a slow one."""
PICTURES = 23
"""One pair in so many has its pictures drawn, which take longer than all else together: of each viewer in turn, as no
game has so many."""


def leaks(
    game: Game, positions: Iterable[np.ndarray], pairs: int = PAIRS, pictures: int = PICTURES
) -> tuple[int, set[str]]:
    """Compares each position for each of its viewers with a world that the viewer cannot tell from it.

    Args:
        game: what is played.
        positions: STATE [1] each.
        pairs: how many pairs of a position and a viewer are compared.
        pictures: of one pair in so many the pictures are drawn, too.

    Returns:
        How many pairs were compared, fewer where there were fewer positions, and the channels that leak.
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
