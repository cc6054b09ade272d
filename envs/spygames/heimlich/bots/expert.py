"""`expert`: move to lead the race, unless the record would reveal the bot's own agent.

There is one kernel for each set of switches, because their views differ.
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
"""A token ahead of another by this many points weighs e times as much in the race."""
FREE = 0.3
"""Weight of a free agent's token relative to a rival's. If a free agent is furthest ahead, nobody wins."""
HIDDEN, SHOWN = 0.4, 4.0
"""Share of the suspicion that the own agent may draw without a cost; the cost in points per unit of
share above it."""
FAR = 0.2
"""Factor on the value of a building for the safe if the own agent is more than one roll away."""
NEAR = 0.5
"""Weight of the rivals within one roll of a building, relative to the own agent, when the safe is placed."""
PATIENCE = 100.0
"""After this many movements of agents the bot causes any scoring that it can; 9 to 24 movements are usual in a game.
Without this limit a game would not end if everybody avoids the next scoring because it would let another player win."""


@kernel
def plan_movement_in_race(view: View, mask: np.ndarray, rng: np.ndarray) -> Int:
    """Return the first step of the best way to spend the points on any one or two agents."""
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
    """Return the lead of the own token after moving `one`, then `two`, minus the cost of suspicion.

    The lead is the own token minus the soft maximum of the other tokens, RACE * log(sum of weight * exp(token / RACE)).
    For any number of rivals, their weights in its slope sum to 1, and the rival in front weighs most. A single agent is
    moved if `two` equals `one` and `points_two` is 0. Without patience, a scoring is preferred to everything else.
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
    """Return the best building for the safe.

    It has a high value, and the own agent reaches it with one roll, but the rivals in front do not.
    """
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
    """Choose an action in the base game.

    The bot weighs the gain of its agent against the gains of probable rivals in front, and against suspicion.
    """
    if view.phase[0]:
        return plan_movement_in_race(view, mask, rng)
    return place_safe_in_race(view, mask, rng)


@kernel
def expert_cards(view: View, mask: np.ndarray, rng: np.ndarray) -> Int:
    """`expert_base` with cards."""
    if view.card_phase[0]:
        return choose_in_round(view, mask, True)
    if view.card_phase[1]:
        return choose_for_card(view, mask, rng)
    return expert_base(view, mask, rng)


@kernel
def expert_predictions(view: View, mask: np.ndarray, rng: np.ndarray) -> Int:
    """`expert_base` with predictions."""
    if view.guess_phase:
        return choose_prediction(view, mask, BASE_ACTIONS, rng)
    return expert_base(view, mask, rng)


@kernel
def expert_both(view: View, mask: np.ndarray, rng: np.ndarray) -> Int:
    """`expert_base` with cards and predictions."""
    if view.guess_phase:
        return choose_prediction(view, mask, CARD_ACTIONS, rng)
    return expert_cards(view, mask, rng)


EXPERT: dict[tuple[bool, bool], Bot] = {
    (False, False): expert_base,
    (True, False): expert_cards,
    (False, True): expert_predictions,
    (True, True): expert_both,
}
"""`expert` of a variant by (top_secret, secret_identities)."""
