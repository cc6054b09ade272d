"""The greedy bot looks one action ahead."""

import numpy as np

from spygames.agent_dog.bots.worth import choose
from spygames.agent_dog.layout import View
from spygames.core.compiling.kernel import Int, kernel


@kernel
def greedy(view: View, mask: np.ndarray, rng: np.ndarray) -> Int:
    """Takes the action that brings its team most spaces at once, rivals' captured ones included; passes any card."""
    return choose(view, mask, rng, False)
