"""The greedy bot looks one action ahead."""

import numpy as np

from spygames.agent_dog.bots.worth import choose
from spygames.core.kernel import Int, Record, kernel


@kernel
def greedy(view: Record, mask: np.ndarray, rng: np.ndarray) -> Int:
    """Takes the action that brings its team most spaces at once, rivals' captured ones included; passes any card."""
    return choose(view, mask, rng, False)
