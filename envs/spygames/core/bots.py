"""What scripted players of every game share."""

import numpy as np

from spygames.core.kernel import Int, Record, kernel
from spygames.core.rng import GAMMA, mix

__all__ = ["random", "uniform"]


@kernel
def uniform(rng: np.ndarray, n: Int) -> Int:
    """Draws 0..n-1 and advances the bot's luck, one uint64 in an array [1]."""
    rng[0] += GAMMA
    return np.int64(((mix(rng[0]) >> np.uint64(32)) * np.uint64(n)) >> np.uint64(32))


@kernel
def random(view: Record, mask: np.ndarray, rng: np.ndarray) -> Int:
    """Any legal action, uniformly."""
    left = 0
    for action in range(len(mask)):
        left += mask[action]
    left = uniform(rng, left)
    for action in range(len(mask)):
        if mask[action]:
            if left == 0:
                return action
            left -= 1
    return -1
