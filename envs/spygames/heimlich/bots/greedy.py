"""`greedy`: chooses the best action for its own agent at once. One kernel for each set of switches, as views differ."""

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
"""The value of winning at once, in points of the own token; losing at once has the same below 0."""
LATER = 0.3
"""The weight of a building's value as long as nobody scores."""
FOE = 0.6
"""The weight of a point of an agent that is surely a rival's, against an own point."""


@kernel
def plan_movement(view: View, mask: np.ndarray, rng: np.ndarray) -> Int:
    """The first step of the best way to spend the points on the own agent and one other."""
    own, points, safe, home = own_id(view), points_left(view), safe_of(view), position(view, 0)
    best, best_value = -1, -np.inf
    arrived = view.moved[0] > 0 and home == safe
    for agent in range(1, len(view.score)):
        arrived = arrived or (view.moved[agent] > 0 and position(view, agent) == safe)
    if mask[ACT_DONE]:
        best, best_value = ACT_DONE, position_value(view, arrived, home, 1, position(view, 1))
    for agent in range(1, len(view.score)):
        there = position(view, agent)
        before = agent - 1 < own  # before the own one in the order of movement
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
    """The value of a position: the own agent in `own`, another one in `there`; `scores`: with a scoring."""
    return worth(own) + WON * verdict(view, own, agent, there) if scores else LATER * worth(own)


@kernel
def place_safe(view: View, mask: np.ndarray, careful: bool, rng: np.ndarray) -> Int:
    """A building that the own agent reaches with one roll, the dearer the better.

    Args:
        view, mask, rng: as of every bot.
        careful: whether to avoid buildings that rivals reach.
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
    """Chooses the best action for its own agent at once; it hides nothing."""
    if view.phase[0]:
        return plan_movement(view, mask, rng)
    return place_safe(view, mask, False, rng)


@kernel
def greedy_cards(view: View, mask: np.ndarray, rng: np.ndarray) -> Int:
    """The same with cards."""
    if view.card_phase[0]:
        return choose_in_round(view, mask, False)
    if view.card_phase[1]:
        return choose_for_card(view, mask, rng)
    return greedy_base(view, mask, rng)


@kernel
def greedy_predictions(view: View, mask: np.ndarray, rng: np.ndarray) -> Int:
    """The same with predictions."""
    if view.guess_phase:
        return choose_prediction(view, mask, BASE_ACTIONS, rng)
    return greedy_base(view, mask, rng)


@kernel
def greedy_both(view: View, mask: np.ndarray, rng: np.ndarray) -> Int:
    """The same with cards and predictions."""
    if view.guess_phase:
        return choose_prediction(view, mask, CARD_ACTIONS, rng)
    return greedy_cards(view, mask, rng)


GREEDY: dict[tuple[bool, bool], Bot] = {
    (False, False): greedy_base,
    (True, False): greedy_cards,
    (False, True): greedy_predictions,
    (True, True): greedy_both,
}
"""[top_secret, secret_identities]: `greedy` of a variant"""
