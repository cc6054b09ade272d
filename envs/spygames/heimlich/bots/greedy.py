"""`greedy`: choose the action with the best immediate result for the bot's own agent.

There is one kernel for each set of switches, because their views differ.
"""

import numpy as np

from spygames.core.compiling.kernel import Int, kernel
from spygames.core.game.bots import random, uniform
from spygames.core.game.game import Bot
from spygames.heimlich.actions import ACT_DONE, BASE_ACTIONS, CARD_ACTIONS, encode_move, encode_safe
from spygames.heimlich.board import FACES, LOOP
from spygames.heimlich.bots.features import (
    building_after,
    own_id,
    points_left,
    position,
    rival_chance,
    safe_of,
    verdict,
    worth,
)
from spygames.heimlich.bots.predictions import choose_prediction
from spygames.heimlich.bots.top_secret import choose_for_card, choose_in_round
from spygames.heimlich.layout import View

WON = 40.0
"""Value of winning at once, in points of the own token; losing at once has the negative of it."""
LATER = 0.3
"""Weight of a building's value if there is no scoring."""
FOE = 0.6
"""Weight of a point for an agent that certainly belongs to a rival, relative to a point for the own agent."""


@kernel
def plan_movement(view: View, mask: np.ndarray, rng: np.ndarray) -> Int:
    """Return the first step of the best way to spend the points on the own agent and one other agent."""
    own, points, safe, home = own_id(view), points_left(view), safe_of(view), position(view, 0)
    best, best_value = -1, -np.inf
    arrived = view.moved[0] > 0 and home == safe
    for agent in range(1, len(view.score)):
        arrived = arrived or (view.moved[agent] > 0 and position(view, agent) == safe)
    if mask[ACT_DONE]:
        best, best_value = ACT_DONE, position_value(view, arrived, home, 1, position(view, 1))
    for agent in range(1, len(view.score)):
        there = position(view, agent)
        before = agent - 1 < own  # before the own agent in the order of movement
        for total in range(1 if view.one_to_three else points, points + 1):
            for mine in range(total + 1):
                first = (
                    encode_move(agent, total - mine) if (before and mine < total) or mine == 0 else encode_move(0, mine)
                )
                if mask[first] == 0 or (0 < mine < total and not before and own == len(view.score) - 1):
                    continue
                if 0 < mine < total and before and view.moved[0] > 0:
                    continue
                house, goal = building_after(home, mine), building_after(there, total - mine)
                scores = arrived or (mine > 0 and house == safe) or (mine < total and goal == safe)
                value = position_value(view, scores, house, agent, goal) + 0.01 * (uniform(rng, 100) / 100)
                if value > best_value:
                    best, best_value = first, value
    return best if best >= 0 else random(view, mask, rng)


@kernel
def position_value(view: View, scores: bool, own: Int, agent: Int, there: Int) -> float:
    """Return the value of a position with the own agent in `own` and `agent` in `there`.

    `scores` tells whether the movement causes a scoring.
    """
    return worth(own) + WON * verdict(view, own, agent, there) if scores else LATER * worth(own)


@kernel
def place_safe(view: View, mask: np.ndarray, careful: bool, rng: np.ndarray) -> Int:
    """Return the best building for the safe: one of high value that the own agent reaches with one roll.

    Args:
        view: The view of the seat to move.
        mask: Its legal actions, int8 [A].
        careful: Whether to avoid buildings that rivals reach.
        rng: Random stream, uint64 [1].
    """
    home = position(view, 0)
    best, best_value = -1, -np.inf
    for building in range(LOOP):
        if mask[encode_safe(building)]:
            near = 1 <= building_after(building, -home) <= FACES
            value = worth(building) * (1.0 if near else 0.2)
            if careful:
                for agent in range(1, len(view.score)):
                    if 1 <= building_after(building, -position(view, agent)) <= FACES:
                        value -= FOE * rival_chance(view, agent) * worth(building) * 0.3
            value += 0.01 * (uniform(rng, 100) / 100)
            if value > best_value:
                best, best_value = encode_safe(building), value
    return best if best >= 0 else random(view, mask, rng)


@kernel
def greedy_base(view: View, mask: np.ndarray, rng: np.ndarray) -> Int:
    """Choose the action with the best immediate result for the own agent. The bot hides nothing."""
    if view.phase[0]:
        return plan_movement(view, mask, rng)
    return place_safe(view, mask, False, rng)


@kernel
def greedy_cards(view: View, mask: np.ndarray, rng: np.ndarray) -> Int:
    """`greedy_base` with cards."""
    if view.card_phase[0]:
        return choose_in_round(view, mask, False)
    if view.card_phase[1]:
        return choose_for_card(view, mask, rng)
    return greedy_base(view, mask, rng)


@kernel
def greedy_predictions(view: View, mask: np.ndarray, rng: np.ndarray) -> Int:
    """`greedy_base` with predictions."""
    if view.guess_phase:
        return choose_prediction(view, mask, BASE_ACTIONS, rng)
    return greedy_base(view, mask, rng)


@kernel
def greedy_both(view: View, mask: np.ndarray, rng: np.ndarray) -> Int:
    """`greedy_base` with cards and predictions."""
    if view.guess_phase:
        return choose_prediction(view, mask, CARD_ACTIONS, rng)
    return greedy_cards(view, mask, rng)


GREEDY: dict[tuple[bool, bool], Bot] = {
    (False, False): greedy_base,
    (True, False): greedy_cards,
    (False, True): greedy_predictions,
    (True, True): greedy_both,
}
"""`greedy` of a variant by (top_secret, secret_identities)."""
