"""Choices of `greedy` and `expert` about Top Secret cards: play a card if the own agent gains points by it now."""

import numpy as np

from spygames.core.compiling.kernel import Int, kernel
from spygames.core.game.bots import random
from spygames.heimlich.actions import ACT_PASS, encode_agent, encode_building, encode_card, encode_step
from spygames.heimlich.board import CHURCH, FACES, LOOP
from spygames.heimlich.bots.features import building_after, exposure, position, safe_of, worth
from spygames.heimlich.cards import (
    CARD_SCORE,
    EFFECT,
    FIRST,
    GO_TO_AGENT,
    GO_TO_CHURCH,
    GO_TO_SAFE,
    IDENTITY,
    KINDS,
    MOVE_SAFE,
    SCORE,
    STEP,
    STEP_SET,
    STEPS,
    SWAP,
    WITH_SAFE,
)
from spygames.heimlich.layout import View

NEEDED = 2.0
"""A card is played only if its value, in points, is above this."""
EXPOSED = 0.5
"""`expert` takes a new identity if its exposure is above this."""


@kernel
def value_in(view: View, own: Int) -> float:
    """Return the value, in points, of a card round that ends with the own agent in building `own`.

    Without a scoring, a building is worth 0.3 of its points.
    """
    scores = own == safe_of(view) and own != position(view, 0)
    for agent in range(len(view.score)):
        scores = scores or (view.arrived[agent] > 0 and (agent > 0 or own == position(view, 0)))
    return worth(own) if scores else 0.3 * worth(own)


@kernel
def best_landing(view: View, kind: Int) -> float:
    """Return the highest `value_in` that a card can reach by moving the own agent; -inf if no move is possible."""
    home = position(view, 0)
    best = -np.inf
    if EFFECT[kind] == STEP and (FIRST[kind] != WITH_SAFE or home == safe_of(view)):
        for i in range(len(STEPS)):
            if (STEP_SET[kind] >> i) & 1:
                best = max(best, value_in(view, building_after(home, STEPS[i])))
    elif EFFECT[kind] == SWAP or EFFECT[kind] == GO_TO_AGENT:
        for agent in range(1, len(view.score)):
            if position(view, agent) != home:
                best = max(best, value_in(view, position(view, agent)))
    elif EFFECT[kind] == GO_TO_SAFE and home != safe_of(view):
        best = value_in(view, safe_of(view))
    elif EFFECT[kind] == GO_TO_CHURCH and worth(home) < 0:
        best = value_in(view, CHURCH)
    return best


@kernel
def choose_in_round(view: View, mask: np.ndarray, careful: bool) -> Int:
    """Return the card that gains the own agent most, or `pass`."""
    now = value_in(view, position(view, 0))
    best, best_value = ACT_PASS, NEEDED
    for kind in range(KINDS):
        if mask[encode_card(kind)]:
            value = best_landing(view, kind) - now
            if EFFECT[kind] == SCORE:
                value = float(CARD_SCORE)
            elif EFFECT[kind] == MOVE_SAFE:
                value = -now  # the card cancels the scoring
            elif EFFECT[kind] == IDENTITY and careful:
                value = 10.0 if exposure(view) > EXPOSED else 0.0
            if value > best_value:
                best, best_value = encode_card(kind), value
    return best


@kernel
def choose_for_card(view: View, mask: np.ndarray, rng: np.ndarray) -> Int:
    """Name the own agent if that is legal, else choose the best step, agent or building for it."""
    if mask[encode_agent(0)]:
        return encode_agent(0)
    best, best_value = -1, -np.inf
    for kind in range(KINDS):
        if view.pending[kind] and (EFFECT[kind] == SWAP or EFFECT[kind] == GO_TO_AGENT):
            for agent in range(1, len(view.score)):
                value = value_in(view, position(view, agent))
                if mask[encode_agent(agent)] and value > best_value:
                    best, best_value = encode_agent(agent), value
    if view.named[0]:
        for i in range(len(STEPS)):
            value = value_in(view, building_after(position(view, 0), STEPS[i]))
            if mask[encode_step(i)] and value > best_value:
                best, best_value = encode_step(i), value
    for building in range(LOOP):
        value = worth(building) if 1 <= building_after(building, -position(view, 0)) <= FACES else 0.0
        if mask[encode_building(building)] and value > best_value:
            best, best_value = encode_building(building), value
    return best if best >= 0 else random(view, mask, rng)
