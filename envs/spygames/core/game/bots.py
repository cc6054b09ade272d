"""Helpers for scripted players, shared by all games."""

import numpy as np

from spygames.core.compiling.kernel import Int, Record, kernel
from spygames.core.game.rng import random_action, uniform

__all__ = ["random", "uniform"]


@kernel
def random(view: Record, mask: np.ndarray, rng: np.ndarray) -> Int:
    """Choose a legal action uniformly at random."""
    return random_action(mask, rng)
