"""`rewind`: turn a redrawn world into the world of an earlier decision.

A search asks how likely the decision was in that world, and so infers identities and hands.
"""

import numpy as np

from spygames.core.compiling.kernel import Int, Record, kernel
from spygames.core.game.rewinding import TELLS_NOTHING, any_of
from spygames.heimlich.actions import (
    ACT_AGENT,
    ACT_CARD,
    ACT_DONE,
    ACT_PASS,
    ACT_STEP,
    decode_agent,
    decode_card,
    decode_move,
    encode_agent,
    encode_move,
)
from spygames.heimlich.board import MAX_AGENTS
from spygames.heimlich.cards import EFFECT, GO_TO_AGENT, KINDS, NEW_IDENTITY
from spygames.heimlich.layout import CHOICE, GUESS, NONE, ROUND, UNASKED, copy_public
from spygames.heimlich.queries import agent_of, answers, relative_of

_NONE_KEPT = np.zeros(KINDS, np.int8)


@kernel
def rewind(s: Record, past: Record, seat: Int, action: Int, rng: np.ndarray) -> Int:
    """Undo a decision of `seat` and its later decisions (`Game.rewind`).

    The result is right for the view of `seat` alone. A seat keeps its identity, except for the card that changes it,
    and its moves on the board are public. Each card of its hand is equally likely to have been drawn since. Its later
    predictions are undone. A prediction reveals nothing, because nobody else sees it (HC-33). A pass in a card round is
    taken to reveal nothing, because most seats pass most of the time.
    """
    undo_cards(s, past, seat, action, rng)
    undo_predictions(s, past, seat)
    take_public(s, past, seat)
    if past.phase == GUESS or (past.phase == ROUND and action == ACT_PASS) or is_joined(past, action):
        return TELLS_NOTHING
    if action < ACT_DONE:  # action numbers are relative to the seat's own agent
        agent, points = decode_move(action)
        return encode_move(relative_of(s, seat, agent_of(past, seat, agent)), points)
    if past.phase == CHOICE and ACT_AGENT <= action < ACT_STEP:
        return encode_agent(relative_of(s, seat, agent_of(past, seat, decode_agent(action))))
    return action


@kernel
def ways(s: Record, now: Record, viewer: Int, seat: Int, action: Int) -> float:
    """Return the number of copies in the hand that the played card may be (`Game.ways`); 1 for all other actions.

    A hand holds h of the n hidden cards of a kind in C(n, h) ways. Once one of them is played, the h - 1 others are
    dealt in C(n - 1, h - 1) ways. That is h / n times as many, and n is the same in all worlds.
    """
    return np.float64(s.hands[seat, decode_card(action)]) if ACT_CARD <= action < ACT_PASS else 1.0


@kernel
def undo_cards(s: Record, past: Record, seat: Int, action: Int, rng: np.ndarray) -> None:
    """Undo the cards that the seat has drawn since, the card that it played, and the identity that came with it."""
    hand, card = s.hands[seat], NONE
    if past.phase == ROUND and action != ACT_PASS:
        card = decode_card(action)
    size = np.int64(s.hand_sizes[seat]) + (card != NONE)
    for _ in range(size - past.hand_sizes[seat]):  # the played card is not back yet: it was not drawn since
        hand[any_of(hand, _NONE_KEPT, rng)] -= 1
    if card != NONE:
        hand[card] += 1
    if card == NEW_IDENTITY:
        s.passports[seat] = s.former


@kernel
def undo_predictions(s: Record, past: Record, seat: Int) -> None:
    """Undo the later predictions. They are for the highest ids, because agents are asked in the order of ids."""
    late = answers(s, seat) - answers(past, seat)
    for i in range(MAX_AGENTS):
        agent = MAX_AGENTS - 1 - i
        if late > 0 and s.guesses[seat, agent] != UNASKED:
            s.guesses[seat, agent] = UNASKED
            late -= 1


@kernel
def is_joined(past: Record, action: Int) -> bool:
    """Whether the action names one of several agents in the building that another agent joins.

    Nobody else sees which of them was named.
    """
    if past.phase != CHOICE or past.named[0] == NONE or EFFECT[past.pending] != GO_TO_AGENT:
        return False
    there = past.positions[agent_of(past, past.to_move, decode_agent(action))]
    count = 0
    for agent in range(past.options.agents):
        count += past.positions[agent] == there
    return count > 1


@kernel
def take_public(s: Record, past: Record, seat: Int) -> None:
    """Restore all public fields, and the predictions of the other seats, of which `seat` sees only the number."""
    copy_public(s, past)
    for who in range(s.options.players):
        for agent in range(s.options.agents):
            if who != seat:
                s.guesses[who, agent] = past.guesses[who, agent]
