"""Scripted players of Heimlich & Co. A bot sees a view and a mask, never the state."""

from math import comb

import numpy as np

from spygames.core.bots import random, uniform
from spygames.core.game import Bot
from spygames.core.kernel import Int, Record, kernel
from spygames.heimlich.board import FACES, MOST, RELATIVE
from spygames.heimlich.state import ACT_DONE, ACT_MOVE

_WAYS = np.array(
    [
        [[comb(r + k - 1, r) if k else r == 0, comb(r + k, r)] for k in range(MOST + 1)]
        for r in range(FACES + 1)
    ],
    np.int64,
)
"""[points, agents, 0: all points | 1: or fewer]: in how many ways they can be split"""


@kernel
def splits(view: Record, mask: np.ndarray, rng: np.ndarray) -> Int:
    """Like `random`, but of the ways to split a roll over the agents each is as likely as any other."""
    if not view.phase[0] or not view.decides:
        return random(view, mask, rng)
    agents = len(view.score)
    own, points = 0, 0
    for i in range(agents):
        if view.own[i]:
            own = i
    for i in range(FACES):
        if view.points_left[i]:
            points = i + 1
    fewer = 1 if view.one_to_three else 0
    total = 0
    for turn in range(2):
        left = uniform(rng, total) if turn else 0
        for agent in range(agents):
            for n in range(1, points + 1):
                action = ACT_MOVE + np.int64(RELATIVE[own, agent]) * FACES + n - 1
                if mask[action]:
                    ways = _WAYS[points - n, agents - 1 - agent, fewer]
                    total += 0 if turn else ways
                    left -= ways if turn else 0
                    if turn and left < 0:
                        return action
        for action in range(ACT_DONE, len(mask)):  # `done`, or a card drawn instead
            if mask[action]:
                total += 0 if turn else 1
                left -= turn
                if turn and left < 0:
                    return action
    return -1


def bots_of(top_secret: bool, secret_identities: bool) -> dict[str, Bot]:
    """The players of a variant by name."""
    return {"random": random, "splits": splits}
