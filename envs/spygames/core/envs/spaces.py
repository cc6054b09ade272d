"""The spaces of the environments: observations within their ranges, and actions with a fast masked sample."""

from typing import Any

import numpy as np
from gymnasium.spaces import Box, Discrete

from spygames.core.game.game import Game

_INT8 = np.dtype(np.int8)


def feature_box(game: Game) -> Box:
    """Return the space of observations, float32 [F], with the ranges of the game's VIEW."""
    low, high = game.feature_ranges()
    return Box(low, high, dtype=np.float32)


class Actions(Discrete):  # without a parameter, which Gymnasium 1.1 does not have
    """Gymnasium's `Discrete` with a faster `sample(mask)`: 1 microsecond instead of 11.

    It uses the same generator as `Discrete`, but draws different actions. Spaces of both classes are equal (`==`) if
    their n, start and dtype are.
    """

    def __init__(self, *args: Any, **kwargs: Any):
        super().__init__(*args, **kwargs)
        self._elements = tuple(self.start + np.arange(int(self.n), dtype=self.dtype))

    def sample(self, mask: np.ndarray | None = None, probability: np.ndarray | None = None) -> np.int64:
        """Draw an element.

        Args:
            mask: int8 [n]; draw uniformly from the elements with a 1. If it is all zeros, the result is `start`.
            probability: float64 [n], the probability of each element. Without both arguments the draw is uniform.

        Raises:
            AssertionError: `mask` or `probability` has a wrong shape, type or value.
        """
        if type(mask) is np.ndarray and probability is None and mask.dtype is _INT8 and mask.ndim == 1:
            values = mask.tobytes()
            count = values.count(1)
            if count and count + values.count(0) == len(values) == len(self._elements):
                index = int((self._np_random or self.np_random).random() * count)
                return self._elements[-1 - len(values.split(b"\1", index + 1)[-1])]  # the bytes after the chosen 1
        return super().sample(mask, probability)
