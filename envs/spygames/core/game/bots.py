"""What scripted players of every game share."""

import numpy as np

from spygames.core.compiling.kernel import Int, Record, kernel
from spygames.core.game.rng import random_action, uniform

__all__ = ["random", "uniform"]


@kernel
def random(view: Record, mask: np.ndarray, rng: np.ndarray) -> Int:
    """Any legal action, uniformly."""
    return random_action(mask, rng)
