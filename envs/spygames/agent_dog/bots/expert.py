"""`expert`: look one action ahead, and value the position after it."""

import numpy as np

from spygames.agent_dog.bots.worth import choose
from spygames.agent_dog.layout import View
from spygames.core.compiling.kernel import Int, kernel


@kernel
def expert(view: View, mask: np.ndarray, rng: np.ndarray) -> Int:
    """Choose an action like `greedy`, but also value the position after it and the card that it costs.

    The bot passes its partner a start card if the partner needs one.
    """
    return choose(view, mask, rng, True)
