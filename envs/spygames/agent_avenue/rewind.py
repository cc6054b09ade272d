"""Rewind: turns a redrawn world into that of an earlier decision, for what a decision tells of a hidden hand."""

import numpy as np

from spygames.agent_avenue.actions import (
    PLAY_PAIR,
    RECRUIT_UP,
    decode_pair,
    encode_discard,
    encode_pair,
)
from spygames.agent_avenue.cards import KINDS
from spygames.agent_avenue.layout import SIDES
from spygames.agent_avenue.queries import hand_size, knows_face_down, other
from spygames.core.kernel import Int, Record, kernel
from spygames.core.rng import uniform


@kernel
def rewind(s: Record, past: Record, seat: Int, action: Int, rng: np.ndarray) -> Int:
    """`Game.rewind` of simple mode for two players, where nothing but a seat's own decisions changes its hand.

    Cards that were drawn since may be any of the hand alike, and the card that was discarded any of the discards, as
    all cards that a seat has not seen are dealt alike (`determinize`). An offer is public but for its face-down card,
    and that, too, once it has been recruited.
    """
    hand, discarded = s.hands[seat], s.discarded[seat]
    given = 0
    if action < PLAY_PAIR:
        given = 1
    elif action < RECRUIT_UP:
        given = 2
    kept = hand_size(past, seat) - given
    while hand_size(s, seat) > kept:
        hand[any_card(hand, rng)] -= 1
    if action < PLAY_PAIR:
        card = any_card(discarded, rng)
        discarded[card] -= 1
        hand[card] += 1
        action = encode_discard(card)
    elif action < RECRUIT_UP:
        up, down = decode_pair(action)
        if knows_face_down(s, seat):
            down = np.int64(s.face_down)
        hand[up] += 1
        hand[down] += 1
        action = encode_pair(up, down)
    take_public(s, past, seat)
    return action


@kernel
def any_card(cards: np.ndarray, rng: np.ndarray) -> Int:
    """One of some cards, counted by name, each copy alike likely."""
    left = 0
    for card in range(KINDS):
        left += cards[card]
    left = uniform(rng, left)
    card = 0
    while left >= cards[card]:
        left -= cards[card]
        card += 1
    return card


@kernel
def take_public(s: Record, past: Record, seat: Int) -> None:
    """All that was public is as it was then, and what the rival of `seat` held, who rewinds and knows its own."""
    rival = other(seat)
    for card in range(KINDS):
        s.hands[rival, card] = past.hands[rival, card]
        s.discarded[rival, card] = past.discarded[rival, card]
    for side in range(SIDES):
        s.progress[side] = past.progress[side]
        s.discards_left[side] = past.discards_left[side]
        for card in range(KINDS):
            s.in_play[side, card] = past.in_play[side, card]
    s.turn, s.deck_size, s.kept = past.turn, past.deck_size, past.kept
    s.face_up, s.face_down = past.face_up, past.face_down
    s.phase, s.to_move, s.active_side = past.phase, past.to_move, past.active_side
    s.winner, s.end_reason = past.winner, past.end_reason
