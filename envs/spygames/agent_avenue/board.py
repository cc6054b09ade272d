"""The printed board as tables (AA-2, AA-3)."""

import numpy as np

SPACES = 14
HOMES = np.array([0, 7], np.int8)
"""Home space of each side; forward is clockwise, which is upward in these numbers."""
CATCH = 7
"""The lead with which a side has caught the other: the homes are that far apart."""

IS_HOME = np.array([space in (0, 7) for space in range(SPACES)])
IS_MARKET = np.array([space in (2, 5, 9, 12) for space in range(SPACES)])
"""The corners of the advanced board."""
