"""Predictions of `greedy` and `expert`, based on the public record."""

import numpy as np

from spygames.core.compiling.kernel import Int, kernel
from spygames.core.game.bots import random
from spygames.heimlich.actions import encode_guess
from spygames.heimlich.bots.features import likeliest_owner
from spygames.heimlich.layout import View


@kernel
def choose_prediction(view: View, mask: np.ndarray, first_guess: Int, rng: np.ndarray) -> Int:
    """Predict the most probable owner of the agent in question. `first_guess` is the first prediction action."""
    for agent in range(1, len(view.score)):
        if view.asked[agent]:
            owner = likeliest_owner(view, agent, first_guess, mask)
            if owner >= 0:
                return encode_guess(first_guess, len(view.active), agent, owner)
    return random(view, mask, rng)
