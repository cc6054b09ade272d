"""Scripted players of Heimlich & Co. A bot sees a view and a mask, never the state.

Each is put together for the switches of a variant: the base game, then cards, then predictions.
"""

from math import comb

import numpy as np

from spygames.core.bots import random, uniform
from spygames.core.game import Bot
from spygames.core.kernel import Int, Record, kernel
from spygames.heimlich.board import FACES, LOOP, MOST, RELATIVE
from spygames.heimlich.card_play import choose_for_card, choose_in_round
from spygames.heimlich.hiding import FOE, LATER, WON, plan_hidden
from spygames.heimlich.outlook import (
    is_a_rivals,
    likeliest_owner,
    on,
    own_id,
    points_left,
    position,
    safe_of,
    verdict,
    worth,
)
from spygames.heimlich.state import ACT_DONE, ACT_MOVE, ACT_SAFE, BASE_ACTIONS, CARD_ACTIONS

_WAYS = np.array(
    [[[comb(r + k - 1, r) if k else int(r == 0), comb(r + k, r)] for k in range(MOST + 1)] for r in range(FACES + 1)],
    np.int64,
)
"""[points, agents, 0: all points | 1: or fewer]: in how many ways they can be split"""


@kernel
def splits(view: Record, mask: np.ndarray, rng: np.ndarray) -> Int:
    """Like `random`, but of the ways to split a roll over the agents each is as likely as any other."""
    if not view.phase[0] or not view.decides:
        return random(view, mask, rng)
    agents, own, points = len(view.score), own_id(view), points_left(view)
    fewer = 1 if view.one_to_three else 0
    total = 0
    for turn in range(2):  # counts, then draws
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


@kernel
def plan(view: Record, mask: np.ndarray, rng: np.ndarray) -> Int:
    """The first step of the best way to spend the points on the own agent and one other."""
    own, points, safe, home = own_id(view), points_left(view), safe_of(view), position(view, 0)
    best, best_value = -1, -np.inf
    arrived = view.moved[0] > 0 and home == safe
    for agent in range(1, len(view.score)):
        arrived = arrived or (view.moved[agent] > 0 and position(view, agent) == safe)
    if mask[ACT_DONE]:
        best, best_value = ACT_DONE, judged(view, arrived, home, 1, position(view, 1))
    for agent in range(1, len(view.score)):
        there = position(view, agent)
        before = agent - 1 < own  # whether it moves before the own one
        for total in range(1 if view.one_to_three else points, points + 1):
            for mine in range(total + 1):
                first = action_of(agent, total - mine) if (before and mine < total) or mine == 0 else action_of(0, mine)
                if mask[first] == 0 or (0 < mine < total and not before and own == len(view.score) - 1):
                    continue
                if 0 < mine < total and before and view.moved[0] > 0:
                    continue
                house, goal = on(home, mine), on(there, total - mine)
                scores = arrived or (mine > 0 and house == safe) or (mine < total and goal == safe)
                value = judged(view, scores, house, agent, goal) + 0.01 * (uniform(rng, 100) / 100)
                if value > best_value:
                    best, best_value = first, value
    return best if best >= 0 else random(view, mask, rng)


@kernel
def action_of(agent: Int, points: Int) -> Int:
    """The action that moves an agent so far."""
    return ACT_MOVE + agent * FACES + points - 1


@kernel
def judged(view: Record, scores: bool, own: Int, agent: Int, there: Int) -> float:
    """What it is worth that the own agent stands in `own` and another one in `there`, with a scoring or without."""
    return worth(own) + WON * verdict(view, own, agent, there) if scores else LATER * worth(own)


@kernel
def place_safe(view: Record, mask: np.ndarray, careful: bool, rng: np.ndarray) -> Int:
    """A building that the own agent reaches with one roll, the dearer the better; `careful`: and that rivals do not."""
    home = position(view, 0)
    best, best_value = -1, -np.inf
    for building in range(LOOP):
        if mask[ACT_SAFE + building]:
            near = 1 <= on(building, -home) <= FACES
            value = worth(building) * (1.0 if near else 0.2)
            if careful:
                for agent in range(1, len(view.score)):
                    if 1 <= on(building, -position(view, agent)) <= FACES:
                        value -= FOE * is_a_rivals(view, agent) * worth(building) * 0.3
            value += 0.01 * (uniform(rng, 100) / 100)
            if value > best_value:
                best, best_value = ACT_SAFE + building, value
    return best if best >= 0 else random(view, mask, rng)


@kernel
def board(view: Record, mask: np.ndarray, careful: bool, rng: np.ndarray) -> Int:
    """Moves agents or the safe; `careful`: as `expert`."""
    if not view.phase[0]:
        return place_safe(view, mask, careful, rng)
    return plan_hidden(view, mask, rng) if careful else plan(view, mask, rng)


@kernel
def cards(view: Record, mask: np.ndarray, careful: bool, rng: np.ndarray) -> Int:
    """The same with cards."""
    if view.card_phase[0]:
        return choose_in_round(view, mask, careful)
    if view.card_phase[1]:
        return choose_for_card(view, mask, rng)
    return board(view, mask, careful, rng)


@kernel
def prediction(view: Record, mask: np.ndarray, first: Int, rng: np.ndarray) -> Int:
    """Who owns the agent that is asked about; `first` is the first action that is a prediction."""
    for agent in range(1, len(view.score)):
        if view.asked[agent]:
            free = first + (agent - 1) * len(view.active)
            owner = likeliest_owner(view, agent, free, mask)
            if owner >= 0:
                return free + owner
    return random(view, mask, rng)


@kernel
def greedy_base(view: Record, mask: np.ndarray, rng: np.ndarray) -> Int:
    """What brings its own agent most at once; it hides nothing."""
    return board(view, mask, False, rng)


@kernel
def greedy_cards(view: Record, mask: np.ndarray, rng: np.ndarray) -> Int:
    """The same with cards."""
    return cards(view, mask, False, rng)


@kernel
def greedy_predictions(view: Record, mask: np.ndarray, rng: np.ndarray) -> Int:
    """The same with predictions."""
    if view.guess_phase:
        return prediction(view, mask, BASE_ACTIONS, rng)
    return board(view, mask, False, rng)


@kernel
def greedy_all(view: Record, mask: np.ndarray, rng: np.ndarray) -> Int:
    """The same with both."""
    if view.guess_phase:
        return prediction(view, mask, CARD_ACTIONS, rng)
    return cards(view, mask, False, rng)


@kernel
def expert_base(view: Record, mask: np.ndarray, rng: np.ndarray) -> Int:
    """Weighs what its agent gains against what rivals gain, as far as it knows them, and against what it betrays."""
    return board(view, mask, True, rng)


@kernel
def expert_cards(view: Record, mask: np.ndarray, rng: np.ndarray) -> Int:
    """The same with cards."""
    return cards(view, mask, True, rng)


@kernel
def expert_predictions(view: Record, mask: np.ndarray, rng: np.ndarray) -> Int:
    """The same with predictions."""
    if view.guess_phase:
        return prediction(view, mask, BASE_ACTIONS, rng)
    return board(view, mask, True, rng)


@kernel
def expert_all(view: Record, mask: np.ndarray, rng: np.ndarray) -> Int:
    """The same with both."""
    if view.guess_phase:
        return prediction(view, mask, CARD_ACTIONS, rng)
    return cards(view, mask, True, rng)


GREEDY: dict[tuple[bool, bool], Bot] = {
    (False, False): greedy_base,
    (True, False): greedy_cards,
    (False, True): greedy_predictions,
    (True, True): greedy_all,
}
EXPERT: dict[tuple[bool, bool], Bot] = {
    (False, False): expert_base,
    (True, False): expert_cards,
    (False, True): expert_predictions,
    (True, True): expert_all,
}


def bots_of(top_secret: bool, secret_identities: bool) -> dict[str, Bot]:
    """The players of a variant by name."""
    switches = top_secret, secret_identities
    return {"random": random, "splits": splits, "greedy": GREEDY[switches], "expert": EXPERT[switches]}
