"""`splits`: a random player for which each way to split a roll is equally likely."""

from math import comb

import numpy as np

from spygames.core.compiling.kernel import Int, kernel
from spygames.core.game.bots import random, uniform
from spygames.heimlich.actions import ACT_DONE, encode_move
from spygames.heimlich.board import FACES, MAX_AGENTS, RELATIVE
from spygames.heimlich.bots.features import own_id, points_left
from spygames.heimlich.layout import View

_WAYS = np.array(
    [
        [[comb(r + k - 1, r) if k else int(r == 0), comb(r + k, r)] for k in range(MAX_AGENTS + 1)]
        for r in range(FACES + 1)
    ],
    np.int64,
)
"""Number of ways to split points over agents, int64 [points, agents, 0: all points, 1: or fewer]."""


@kernel
def splits(view: View, mask: np.ndarray, rng: np.ndarray) -> Int:
    """Choose like `random`, except that each way to split a roll over the agents is equally likely."""
    if not view.phase[0] or not view.decides:
        return random(view, mask, rng)
    agents, own, points = len(view.score), own_id(view), points_left(view)
    fewer = 1 if view.one_to_three else 0
    total = 0
    for turn in range(2):  # first pass: count; second pass: draw
        left = uniform(rng, total) if turn else 0
        for agent in range(agents):
            for n in range(1, points + 1):
                action = encode_move(np.int64(RELATIVE[own, agent]), n)
                if mask[action]:
                    ways = _WAYS[points - n, agents - 1 - agent, fewer]
                    total += 0 if turn else ways
                    left -= ways if turn else 0
                    if turn and left < 0:
                        return action
        for action in range(ACT_DONE, len(mask)):  # `done`, or a card instead of moving
            if mask[action]:
                total += 0 if turn else 1
                left -= turn
                if turn and left < 0:
                    return action
    return -1
