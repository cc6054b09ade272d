"""The spaces of the environments: observations within their ranges, and actions, whose draws from a mask cost no more
than a step."""

import ctypes
from collections.abc import Callable
from typing import Any

import numpy as np
from gymnasium.spaces import Box, Discrete

from spygames.core.game import Game

_INT8 = np.dtype(np.int8)
_NEXT = ctypes.PYFUNCTYPE(ctypes.c_uint32, ctypes.c_void_p)
"""A bit generator's function for 32 random bits, called without letting go of the interpreter's lock."""


def feature_box(game: Game) -> Box:
    """The space of observations, float32 [F], within the ranges of the game's VIEW."""
    low, high = game.feature_ranges()
    return Box(low, high, dtype=np.float32)


class Actions(Discrete):  # without a parameter, which Gymnasium 1.1 does not have
    """Gymnasium's `Discrete` with a quick `sample(mask)`: for the same seed and calls the same actions, the same
    errors, and the same random stream afterwards. The two kinds are equal (`==`) where n, start and dtype are.

    `Generator.choice` draws an index below the number of legal actions by Lemire's method from 32 random bits
    ("Fast random integer generation in an interval", ACM Trans. Model. Comput. Simul. 29, 2019); so does this, without
    what NumPy does around it.
    """

    _quick: tuple[np.random.Generator, Callable[[Any], int], Any, tuple[int], tuple[np.int64, ...]] | None = None
    """A generator, its function for 32 random bits and what that takes, the shape of a mask, and the elements."""

    def sample(self, mask: np.ndarray | None = None, probability: np.ndarray | None = None) -> np.int64:
        """Any element, or any that is 1 in `mask`, int8 [n], uniformly; or one by its `probability`, float64 [n].

        Where the mask is all zeros: `start`. AssertionError for a mask or probability of another form.
        """
        if type(mask) is not np.ndarray or probability is not None or mask.dtype is not _INT8:
            return super().sample(mask, probability)
        quick = self._quick
        if quick is None or quick[0] is not self._np_random:
            quick = self._bind()
        _, draw, address, shape, elements = quick
        legal = mask.tobytes()
        count = legal.count(1)
        if mask.shape != shape or count + legal.count(0) != len(legal) or not count:
            return super().sample(mask, probability)
        index = 0
        if count > 1:
            product = draw(address) * count
            if product & 0xFFFFFFFF < count:
                refused = (0x1_0000_0000 - count) % count
                while product & 0xFFFFFFFF < refused:
                    product = draw(address) * count
            index = product >> 32
        return elements[-1 - len(legal.split(b"\1", index + 1)[-1])]  # the last part is what follows the chosen 1

    def _bind(self) -> tuple[np.random.Generator, Callable[[Any], int], Any, tuple[int], tuple[np.int64, ...]]:
        """Keeps at hand what `sample` takes, of the generator as it is now."""
        interface, size = self.np_random.bit_generator.ctypes, int(self.n)
        draw = _NEXT(ctypes.cast(interface.next_uint32, ctypes.c_void_p).value or 0)
        elements = tuple(self.start + np.arange(size, dtype=self.dtype))
        self._quick = self.np_random, draw, ctypes.c_void_p(interface.state_address), (size,), elements
        return self._quick

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name != "_quick"}
