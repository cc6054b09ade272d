"""The spaces of the environments: observations within their ranges, and actions with a quick draw from a mask."""

from typing import Any

import numpy as np
from gymnasium.spaces import Box, Discrete

from spygames.core.game.game import Game

_INT8 = np.dtype(np.int8)


def feature_box(game: Game) -> Box:
    """The space of observations, float32 [F], within the ranges of the game's VIEW."""
    low, high = game.feature_ranges()
    return Box(low, high, dtype=np.float32)


class Actions(Discrete):  # without a parameter, which Gymnasium 1.1 does not have
    """Gymnasium's `Discrete` with a `sample(mask)` that takes 1 microsecond instead of 11. It draws from the same
    generator, but other actions. The two kinds are equal (`==`) where n, start and dtype are."""

    def __init__(self, *args: Any, **kwargs: Any):
        super().__init__(*args, **kwargs)
        self._elements = tuple(self.start + np.arange(int(self.n), dtype=self.dtype))

    def sample(self, mask: np.ndarray | None = None, probability: np.ndarray | None = None) -> np.int64:
        """Any element, or any that is 1 in `mask`, int8 [n], uniformly; or one by its `probability`, float64 [n].

        If the mask is all zeros: `start`. AssertionError for a mask or probability of another form.
        """
        if type(mask) is np.ndarray and probability is None and mask.dtype is _INT8 and mask.ndim == 1:
            values = mask.tobytes()
            count = values.count(1)
            if count and count + values.count(0) == len(values) == len(self._elements):
                index = int((self._np_random or self.np_random).random() * count)
                return self._elements[-1 - len(values.split(b"\1", index + 1)[-1])]  # what follows the chosen 1
        return super().sample(mask, probability)
