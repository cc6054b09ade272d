"""What the `rewind` and `ways` kernels of games have in common: special results, and how they draw."""

import numpy as np

from spygames.core.compiling.kernel import Int, Record, kernel
from spygames.core.game.rng import uniform

__all__ = ["IMPOSSIBLE", "TELLS_NOTHING"]

IMPOSSIBLE = -1
"""What `Game.rewind` returns where no such decision can have been made in this world."""
TELLS_NOTHING = -2
"""What it returns where the decision says nothing about what is hidden, because it could not be seen itself, say."""


@kernel
def any_of(counts: np.ndarray, kept: np.ndarray, rng: np.ndarray) -> Int:
    """One of some cards, counted by kind, each copy alike likely but those that are `kept`; -1 if none is left.

    Advances `rng`, uint64 [1].
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
    """`Game.ways` of a game without that kernel."""
    return 1.0
