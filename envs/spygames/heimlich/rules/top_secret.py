"""The Top Secret cards (HC-20 to HC-32): legal cards and choices, and their effects."""

import numpy as np

from spygames.core.compiling.kernel import Int, kernel
from spygames.core.game.rng import below
from spygames.heimlich.actions import (
    ACT_DONE,
    ACT_PASS,
    encode_agent,
    encode_building,
    encode_card,
    encode_step,
)
from spygames.heimlich.board import CHURCH, LOOP, RUINS
from spygames.heimlich.cards import (
    ALL_TO_CHURCH,
    ANY,
    BELOW,
    CARD_LIMIT,
    CARD_SCORE,
    EFFECT,
    ELSEWHERE,
    FIRST,
    GO_TO_AGENT,
    GO_TO_CHURCH,
    GO_TO_RUINS,
    GO_TO_SAFE,
    HAND,
    IDENTITY,
    IN_RUINS,
    KINDS,
    MOVE_SAFE,
    NO_AGENT,
    OPTIONAL,
    OUT_OF_RUINS,
    SCORE,
    SECOND,
    STEP,
    STEP_SET,
    STEPS,
    SWAP,
    WITH_SAFE,
    WITHOUT_SAFE,
)
from spygames.heimlich.layout import NONE, State
from spygames.heimlich.queries import add_bounded, copies_of, relative_of


@kernel
def may_draw(s: State, seat: Int) -> bool | np.bool:
    """HC-21, HC-24: whether the deck has a card and the hand has room for it."""
    return s.hand_sizes[seat] < HAND and s.deck_size > 0


@kernel
def draw(s: State, seat: Int) -> None:
    """Move the top card of the deck to a hand."""
    s.deck_size -= 1
    s.hands[seat, s.deck[s.deck_size]] += 1
    s.hand_sizes[seat] += 1
    s.deck[s.deck_size] = NONE


@kernel
def fits(s: State, which: Int, agent: Int) -> bool:
    """Whether an agent may be named where a card asks for `which`, such as ANY or IN_RUINS."""
    if which == ANY:
        return True
    if which == BELOW:
        return s.scores[agent] < CARD_LIMIT
    if which == WITH_SAFE:
        return s.positions[agent] == s.safe
    if which == WITHOUT_SAFE:
        return s.positions[agent] != s.safe
    if which == IN_RUINS:
        return s.positions[agent] == RUINS
    if which == OUT_OF_RUINS:
        return s.positions[agent] != RUINS
    return which == ELSEWHERE and s.positions[agent] != s.positions[s.named[0]]


@kernel
def playable(s: State, kind: Int) -> bool:
    """HC-20: whether every agent that the card asks for can be named."""
    if FIRST[kind] == NO_AGENT:
        return True
    found, apart = 0, False
    for agent in range(s.options.agents):
        found += fits(s, FIRST[kind], agent)
        apart |= s.positions[agent] != s.positions[0]
    if SECOND[kind] == ELSEWHERE:
        return apart
    return found >= (2 if SECOND[kind] != NO_AGENT and not OPTIONAL[kind] else 1)


@kernel
def legal_in_round(s: State, mask: np.ndarray) -> None:
    """HC-25: mark the playable cards of the hand, and `pass`."""
    mask[ACT_PASS] = 1
    for kind in range(KINDS):
        mask[encode_card(kind)] = s.hands[s.to_move, kind] > 0 and playable(s, kind)


@kernel
def legal_choice(s: State, mask: np.ndarray) -> None:
    """HC-32: mark the choices of the pending card: a building, an agent, a second agent, or a step."""
    kind = s.pending
    if EFFECT[kind] == MOVE_SAFE:
        for building in range(LOOP):
            mask[encode_building(building)] = building != s.safe
        return
    which = next_agent_asked(s)
    if which == NO_AGENT:
        for i in range(len(STEPS)):
            mask[encode_step(i)] = (STEP_SET[kind] >> i) & 1
        return
    for agent in range(s.options.agents):
        if agent != s.named[0] and fits(s, which, agent):
            mask[encode_agent(relative_of(s, s.to_move, agent))] = 1
    mask[ACT_DONE] = s.named[0] != NONE and OPTIONAL[kind] == 1


@kernel
def next_agent_asked(s: State) -> Int:
    """Return which agents the pending card asks for now; NO_AGENT if all are named."""
    if s.named[0] == NONE:
        return FIRST[s.pending]
    if s.named[1] == NONE:
        return SECOND[s.pending]
    return NO_AGENT


@kernel
def use_card(s: State, kind: Int) -> None:
    """HC-29: play a card face up; it leaves the game. Most cards then ask for choices."""
    seat = s.to_move
    s.hands[seat, kind] -= 1
    s.hand_sizes[seat] -= 1
    s.cards_played[seat] += 1
    s.used[s.used_size] = kind
    s.used_size += 1
    s.passes = 0
    s.pending = kind
    if FIRST[kind] == NO_AGENT and EFFECT[kind] != MOVE_SAFE:
        carry_out(s, 0)


@kernel
def name_agent(s: State, agent: Int) -> None:
    """HC-32: name the first or second agent of the pending card. The card is carried out if no choice is left."""
    kind = s.pending
    if s.named[0] == NONE:
        s.named[0] = agent
    else:
        s.named[1] = agent
    if next_agent_asked(s) != NO_AGENT:
        return
    steps = STEP_SET[kind]
    if steps == 0:
        carry_out(s, 0)
    elif steps & (steps - 1) == 0:  # the card has a single step, so there is no choice
        for i in range(len(STEPS)):
            if steps >> i == 1:
                carry_out(s, STEPS[i])


@kernel
def carry_out(s: State, number: Int) -> None:
    """Carry out the pending card. `number` is the chosen step or building, 0 if the card has neither."""
    effect = EFFECT[s.pending]
    one, two = np.int64(s.named[0]), np.int64(s.named[1])
    if effect == MOVE_SAFE:
        move_safe(s, number)
    elif effect == ALL_TO_CHURCH:
        for agent in range(s.options.agents):
            put(s, agent, CHURCH)
    elif effect == IDENTITY:
        change_identity(s)
    elif effect == SWAP:
        first, second = np.int64(s.positions[one]), np.int64(s.positions[two])
        put(s, one, second)
        put(s, two, first)
    elif effect == GO_TO_AGENT:
        put(s, one, s.positions[two])
    else:
        carry_out_for(s, effect, one, number)
        if two != NONE:
            carry_out_for(s, effect, two, number)
    s.pending = s.named[0] = s.named[1] = NONE


@kernel
def carry_out_for(s: State, effect: Int, agent: Int, step: Int) -> None:
    """Apply the effect of a card to one of the named agents."""
    if effect == STEP:
        s.points[agent, s.to_move] = add_bounded(s.points[agent, s.to_move], step)
        put(s, agent, (np.int64(s.positions[agent]) + step + LOOP) % LOOP)  # HC-28: the Ruins are behind the Church
    elif effect == SCORE:
        more = min(CARD_SCORE, CARD_LIMIT - np.int64(s.scores[agent]))
        s.scores[agent] += more
        s.gains[agent, s.to_move] = add_bounded(s.gains[agent, s.to_move], more)
    elif effect == GO_TO_RUINS:
        put(s, agent, RUINS)
    elif effect == GO_TO_CHURCH:
        put(s, agent, CHURCH)
    elif effect == GO_TO_SAFE:
        put(s, agent, s.safe)


@kernel
def put(s: State, agent: Int, building: Int) -> None:
    """HC-26: move an agent to a building by a card. An agent that is already there is not moved."""
    if s.positions[agent] != building:
        s.positions[agent] = building
        s.arrived_by[agent] = s.to_move if building == s.safe else NONE
        s.times[agent, s.to_move] = add_bounded(s.times[agent, s.to_move], 1)


@kernel
def move_safe(s: State, building: Int) -> None:
    """HC-15, HC-20: move the safe. Agents that had arrived at it no longer cause a scoring."""
    s.safe = building
    for agent in range(s.options.agents):
        s.arrived_by[agent] = NONE


@kernel
def change_identity(s: State) -> None:
    """HC-31: exchange the passport of the seat to move for that of a random free agent."""
    seat = np.int64(s.to_move)
    skip = below(s, np.int64(s.options.agents) - np.int64(s.options.players))
    former = np.int64(s.passports[seat])
    for agent in range(s.options.agents):
        if s.owner[agent] == NONE:
            if skip == 0:
                s.owner[agent] = seat
                s.passports[seat] = agent
            skip -= 1
    s.owner[former] = NONE
    s.swapped, s.former, s.swapped_late = seat, former, s.guessed


@kernel
def fill_deck(s: State) -> Int:
    """HC-20, HC-31: fill the deck with the cards of this game in the order of `CARDS`, and return their number."""
    n = 0
    for kind in range(KINDS):
        for _ in range(copies_of(s, kind)):
            s.deck[n] = kind
            n += 1
    return n
