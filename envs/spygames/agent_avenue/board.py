"""The printed board as tables (AA-2, AA-3)."""

import numpy as np

SPACES = 14
HOMES = np.array([0, 7], np.int8)
"""Home space of each side. Forward is clockwise, toward higher numbers."""
CATCH = 7
"""The lead at which a side has caught the other: the distance between the homes."""

IS_HOME = np.array([space in (0, 7) for space in range(SPACES)])
IS_MARKET = np.array([space in (2, 5, 9, 12) for space in range(SPACES)])
"""Whether a space is a market space: the corners of the board in advanced mode."""
