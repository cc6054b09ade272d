"""`greedy`: look one action ahead."""

import numpy as np

from spygames.agent_dog.bots.worth import choose
from spygames.agent_dog.layout import View
from spygames.core.compiling.kernel import Int, kernel


@kernel
def greedy(view: View, mask: np.ndarray, rng: np.ndarray) -> Int:
    """Choose the action that gains the own team most spaces at once; spaces that rivals lose count as a gain.

    The bot passes and discards random cards.
    """
    return choose(view, mask, rng, False)
