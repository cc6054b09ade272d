"""The expert bot looks one action ahead and at what that leaves behind."""

import numpy as np

from spygames.agent_dog.bots.worth import choose
from spygames.agent_dog.layout import View
from spygames.core.compiling.kernel import Int, kernel


@kernel
def expert(view: View, mask: np.ndarray, rng: np.ndarray) -> Int:
    """Looks also at what a move leaves behind, keeps good cards and passes its partner the start card that it needs."""
    return choose(view, mask, rng, True)
