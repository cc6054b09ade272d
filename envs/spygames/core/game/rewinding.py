"""Shared parts of the `rewind` and `ways` kernels of games: special results, and a random draw of a card."""

import numpy as np

from spygames.core.compiling.kernel import Int, Record, kernel
from spygames.core.game.rng import uniform

__all__ = ["IMPOSSIBLE", "TELLS_NOTHING"]

IMPOSSIBLE = -1
"""The result of `Game.rewind` if the decision cannot have been made in this world."""
TELLS_NOTHING = -2
"""The result of `Game.rewind` if the decision reveals nothing about hidden information, for example because it was
itself hidden."""


@kernel
def any_of(counts: np.ndarray, kept: np.ndarray, rng: np.ndarray) -> Int:
    """Draw the kind of a random card; -1 if no card can be drawn. Advances `rng`, uint64 [1].

    Args:
        counts: the number of cards of each kind.
        kept: the number of cards of each kind that cannot be drawn. All other copies are equally likely.
        rng: the random stream.
    """
    left = 0
    for kind in range(len(counts)):
        left += max(np.int64(counts[kind]) - kept[kind], 0)
    if left == 0:
        return -1
    left = uniform(rng, left)
    for kind in range(len(counts)):
        left -= max(np.int64(counts[kind]) - kept[kind], 0)
        if left < 0:
            return kind
    return -1


@kernel
def one_way(s: Record, now: Record, viewer: Int, seat: Int, action: Int) -> float:
    """The default of `Game.ways`: always 1."""
    return 1.0
