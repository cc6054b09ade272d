"""`expert-1`: the first version of `expert`, kept unchanged so that results against it stay comparable.

It moves for its own agent and against those of rivals, unless the record would reveal its own. Each rival weighs FOE,
so with many rivals the bot mainly keeps everybody from scoring. There is one kernel for each set of switches, because
their views differ.
"""

from math import exp

import numpy as np

from spygames.core.compiling.kernel import Int, kernel
from spygames.core.game.bots import random, uniform
from spygames.core.game.game import Bot
from spygames.heimlich.actions import ACT_DONE, BASE_ACTIONS, CARD_ACTIONS, encode_move
from spygames.heimlich.board import FINISH, RELATIVE
from spygames.heimlich.bots.features import (
    PER_GAIN,
    PER_POINT,
    PER_TIME,
    Numbers,
    Places,
    all_evidence,
    all_places,
    all_rivals,
    all_scores,
    building_after,
    own_id,
    points_left,
    safe_of,
    worth,
)
from spygames.heimlich.bots.greedy import FOE, LATER, WON, place_safe
from spygames.heimlich.bots.predictions import choose_prediction
from spygames.heimlich.bots.top_secret import choose_for_card, choose_in_round
from spygames.heimlich.layout import View

HIDDEN, SHOWN = 0.45, 20.0
"""Share of the suspicion that the own agent may draw without a cost; the cost in points per unit of
share above it."""


@kernel
def plan_hidden_movement(view: View, mask: np.ndarray, rng: np.ndarray) -> Int:
    """Return the first step of the best way to spend the points on any one or two agents."""
    agents, own, points = len(view.score), own_id(view), points_left(view)
    places, tokens, tallies, rivals = all_places(view), all_scores(view), all_evidence(view), all_rivals(view)
    arrived = False
    for agent in range(agents):
        arrived = arrived or (view.moved[agent] > 0 and places[agent] == safe_of(view))
    best, best_value = -1, -np.inf
    if mask[ACT_DONE]:
        best, best_value = ACT_DONE, move_value(view, arrived, places, tokens, tallies, rivals, 0, 0, 0, 0)
    for first in range(agents):  # by ids, the order of movement
        for second in range(first, agents):
            for total in range(1 if view.one_to_three else points, points + 1):
                for n in range(total if second == first else 1, total + (second == first)):
                    one, two = np.int64(RELATIVE[own, first]), np.int64(RELATIVE[own, second])
                    action = encode_move(one, n)
                    if mask[action]:
                        value = move_value(view, arrived, places, tokens, tallies, rivals, one, n, two, total - n)
                        value += 0.01 * (uniform(rng, 100) / 100)
                        if value > best_value:
                            best, best_value = action, value
    return best if best >= 0 else random(view, mask, rng)


@kernel
def move_value(
    view: View,
    arrived: bool,
    places: Places,
    tokens: Numbers,
    tallies: Numbers,
    rivals: Numbers,
    one: Int,
    points_one: Int,
    two: Int,
    points_two: Int,
) -> float:
    """Return the value of moving agent `one`, then `two`. A single agent is moved if `two` is `one` with 0 points."""
    to_one, to_two = building_after(places[one], points_one), building_after(places[two], points_two)
    safe = safe_of(view)
    scores = arrived or (points_one > 0 and to_one == safe) or (points_two > 0 and to_two == safe)
    value, mine, best, own_weight, weights = 0.0, 0.0, -1.0, 0.0, 0.0
    for agent in range(len(view.score)):
        building = to_one if agent == one else (to_two if agent == two else places[agent])
        tally = tallies[agent]
        if agent == one and points_one > 0:
            tally += PER_POINT * points_one + PER_TIME
        elif agent == two and points_two > 0:
            tally += PER_POINT * points_two + PER_TIME
        gain = max(worth(building), -tokens[agent]) if scores else LATER * worth(building)
        value += gain if agent == 0 else -FOE * rivals[agent] * gain
        if scores:
            tally += PER_GAIN * gain
            if agent == 0:
                mine = tokens[agent] + gain
            else:
                best = max(best, tokens[agent] + gain)
        weight = exp(min(tally, 30.0))
        weights += weight
        own_weight += weight if agent == 0 else 0.0
    if scores and max(mine, best) >= FINISH:
        return WON if mine >= best else -WON
    return value - SHOWN * max(own_weight / weights - HIDDEN, 0.0)


@kernel
def expert_1_base(view: View, mask: np.ndarray, rng: np.ndarray) -> Int:
    """Choose an action in the base game.

    The bot weighs the gain of its agent against the gains of probable rivals, and against suspicion.
    """
    if view.phase[0]:
        return plan_hidden_movement(view, mask, rng)
    return place_safe(view, mask, True, rng)


@kernel
def expert_1_cards(view: View, mask: np.ndarray, rng: np.ndarray) -> Int:
    """`expert_1_base` with cards."""
    if view.card_phase[0]:
        return choose_in_round(view, mask, True)
    if view.card_phase[1]:
        return choose_for_card(view, mask, rng)
    return expert_1_base(view, mask, rng)


@kernel
def expert_1_predictions(view: View, mask: np.ndarray, rng: np.ndarray) -> Int:
    """`expert_1_base` with predictions."""
    if view.guess_phase:
        return choose_prediction(view, mask, BASE_ACTIONS, rng)
    return expert_1_base(view, mask, rng)


@kernel
def expert_1_both(view: View, mask: np.ndarray, rng: np.ndarray) -> Int:
    """`expert_1_base` with cards and predictions."""
    if view.guess_phase:
        return choose_prediction(view, mask, CARD_ACTIONS, rng)
    return expert_1_cards(view, mask, rng)


EXPERT_1: dict[tuple[bool, bool], Bot] = {
    (False, False): expert_1_base,
    (True, False): expert_1_cards,
    (False, True): expert_1_predictions,
    (True, True): expert_1_both,
}
"""`expert-1` of a variant by (top_secret, secret_identities)."""
