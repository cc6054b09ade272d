"""`expert`: moves so that its token leads the race, as long as its record does not point to its own agent.

There is one kernel for each set of switches, as views differ.
"""

from math import exp, log

import numpy as np

from spygames.core.compiling.kernel import Int, kernel
from spygames.core.game.bots import random, uniform
from spygames.core.game.game import Bot
from spygames.heimlich.actions import ACT_DONE, BASE_ACTIONS, CARD_ACTIONS, encode_move, encode_safe
from spygames.heimlich.board import FACES, FINISH, LOOP, RELATIVE
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
    times_moved,
    worth,
)
from spygames.heimlich.bots.greedy import LATER, WON
from spygames.heimlich.bots.predictions import choose_prediction
from spygames.heimlich.bots.top_secret import choose_for_card, choose_in_round
from spygames.heimlich.layout import View

RACE = 5.0
"""A token that is ahead of another by so many points counts e times as much in the race."""
FREE = 0.3
"""The weight of a free agent's token against that of a rival's: if it is furthest ahead, nobody wins."""
HIDDEN, SHOWN = 0.4, 4.0
"""The share of the suspicion that may fall on the own agent, and the cost of all of it, in points."""
FAR = 0.2
"""The part of a building's value that it has for the safe where the own agent is more than a roll away."""
NEAR = 0.5
"""The weight of the rivals within a roll of a building, against the own agent, where the safe is placed."""
PATIENCE = 100.0
"""Who has moved agents so many times, where 9 to 24 are usual in a game, causes any scoring that it can: else no game
would end in which everybody waits because the next scoring lets another win."""


@kernel
def plan_movement_in_race(view: View, mask: np.ndarray, rng: np.ndarray) -> Int:
    """The first step of the best way to spend the points on one or two agents, whosever they are."""
    agents, own, points = len(view.score), own_id(view), points_left(view)
    places, tokens, tallies, rivals = all_places(view), all_scores(view), all_evidence(view), all_rivals(view)
    arrived, patient = False, times_moved(view) < PATIENCE
    for agent in range(agents):
        arrived = arrived or (view.moved[agent] > 0 and places[agent] == safe_of(view))
    best, best_value = -1, -np.inf
    if mask[ACT_DONE]:
        best, best_value = ACT_DONE, lead_after(view, arrived, patient, places, tokens, tallies, rivals, 0, 0, 0, 0)
    for first in range(agents):  # by ids, the order of movement
        for second in range(first, agents):
            for total in range(1 if view.one_to_three else points, points + 1):
                for n in range(total if second == first else 1, total + (second == first)):
                    one, two = np.int64(RELATIVE[own, first]), np.int64(RELATIVE[own, second])
                    action = encode_move(one, n)
                    if mask[action]:
                        value = lead_after(
                            view, arrived, patient, places, tokens, tallies, rivals, one, n, two, total - n
                        )
                        value += 0.01 * (uniform(rng, 100) / 100)
                        if value > best_value:
                            best, best_value = action, value
    return best if best >= 0 else random(view, mask, rng)


@kernel
def lead_after(
    view: View,
    arrived: bool,
    patient: bool,
    places: Places,
    tokens: Numbers,
    tallies: Numbers,
    rivals: Numbers,
    one: Int,
    points_one: Int,
    two: Int,
    points_two: Int,
) -> float:
    """The points by which the own token leads after `one`, then `two` have moved, less the cost of suspicion.

    It leads the soft maximum of the others, RACE * log(sum of weight * exp(token / RACE)): however many rivals there
    are, their weights in its slope sum to 1, and the one in front weighs most. The same agent with 0 points stands for
    nobody else. Who is no longer patient prefers a scoring to all else.
    """
    to_one, to_two = building_after(places[one], points_one), building_after(places[two], points_two)
    safe = safe_of(view)
    scores = arrived or (points_one > 0 and to_one == safe) or (points_two > 0 and to_two == safe)
    mine, best, own_weight, weights, others = 0.0, -1.0, 0.0, 0.0, 0.0
    for agent in range(len(view.score)):
        building = to_one if agent == one else (to_two if agent == two else places[agent])
        tally = tallies[agent]
        if agent == one and points_one > 0:
            tally += PER_POINT * points_one + PER_TIME
        elif agent == two and points_two > 0:
            tally += PER_POINT * points_two + PER_TIME
        gain = max(worth(building), -tokens[agent]) if scores else LATER * worth(building)
        token = tokens[agent] + gain
        if scores:
            tally += PER_GAIN * gain
        weight = exp(min(tally, 30.0))
        weights += weight
        if agent == 0:
            mine, own_weight = token, weight
        else:
            best = max(best, token)
            others += (FREE + (1.0 - FREE) * rivals[agent]) * exp(token / RACE)
    if scores and not patient:
        return 2 * WON
    if scores and max(mine, best) >= FINISH:
        return WON if mine >= best else -WON
    return mine - RACE * log(others) - SHOWN * max(own_weight / weights - HIDDEN, 0.0)


@kernel
def place_safe_in_race(view: View, mask: np.ndarray, rng: np.ndarray) -> Int:
    """A building that the own agent reaches with one roll and the rivals in front do not, the dearer the better."""
    places, tokens, rivals = all_places(view), all_scores(view), all_rivals(view)
    in_race = 0.0
    for agent in range(1, len(view.score)):
        in_race += rivals[agent] * exp(tokens[agent] / RACE)
    best, best_value = -1, -np.inf
    for building in range(LOOP):
        if mask[encode_safe(building)]:
            weight = 1.0 if 1 <= building_after(building, -places[0]) <= FACES else FAR
            for agent in range(1, len(view.score)):
                if 1 <= building_after(building, -places[agent]) <= FACES:
                    weight -= NEAR * rivals[agent] * exp(tokens[agent] / RACE) / in_race
            value = weight * worth(building) + 0.01 * (uniform(rng, 100) / 100)
            if value > best_value:
                best, best_value = encode_safe(building), value
    return best if best >= 0 else random(view, mask, rng)


@kernel
def expert_base(view: View, mask: np.ndarray, rng: np.ndarray) -> Int:
    """Weighs the gain of its agent against those of probable rivals in front, and against suspicion on its agent."""
    if view.phase[0]:
        return plan_movement_in_race(view, mask, rng)
    return place_safe_in_race(view, mask, rng)


@kernel
def expert_cards(view: View, mask: np.ndarray, rng: np.ndarray) -> Int:
    """The same with cards."""
    if view.card_phase[0]:
        return choose_in_round(view, mask, True)
    if view.card_phase[1]:
        return choose_for_card(view, mask, rng)
    return expert_base(view, mask, rng)


@kernel
def expert_predictions(view: View, mask: np.ndarray, rng: np.ndarray) -> Int:
    """The same with predictions."""
    if view.guess_phase:
        return choose_prediction(view, mask, BASE_ACTIONS, rng)
    return expert_base(view, mask, rng)


@kernel
def expert_both(view: View, mask: np.ndarray, rng: np.ndarray) -> Int:
    """The same with cards and predictions."""
    if view.guess_phase:
        return choose_prediction(view, mask, CARD_ACTIONS, rng)
    return expert_cards(view, mask, rng)


EXPERT: dict[tuple[bool, bool], Bot] = {
    (False, False): expert_base,
    (True, False): expert_cards,
    (False, True): expert_predictions,
    (True, True): expert_both,
}
"""[top_secret, secret_identities]: `expert` of a variant"""
