"""Read-only queries of a state of Agent Avenue: seats and sides, hands, meeples, and what a seat knows."""

import numpy as np

from spygames.agent_avenue.board import HOMES, SPACES
from spygames.agent_avenue.cards import COPIES, KINDS
from spygames.agent_avenue.layout import DISCARDS, MEMBER_DISCARDS, NONE, RECRUIT, SIDES, State
from spygames.core.compiling.kernel import Int, kernel


@kernel
def other(side: Int) -> Int:
    """The opposing side."""
    return 1 - side


@kernel
def side_of(s: State, seat: Int) -> Int:
    """The side of a seat (AA-38); with two players both have the same number."""
    return np.int64(seat) if s.options.players == 2 else np.int64(seat) >> 1


@kernel
def first_seat(s: State, side: Int) -> Int:
    """The lowest seat of a side."""
    return np.int64(side) if s.options.players == 2 else np.int64(side) << 1


@kernel
def is_team(s: State, side: Int) -> bool | np.bool:
    """Whether a side has two members (AA-38)."""
    return s.options.players > 2 and 2 * side + 1 < s.options.players


@kernel
def partner(s: State, seat: Int) -> Int:
    """The other member of a seat's team, or NONE."""
    return np.int64(seat) ^ 1 if is_team(s, side_of(s, seat)) else NONE


@kernel
def seat_at(s: State, viewer: Int, place: Int) -> Int:
    """The seat at `place` in a view: the viewer, its partner if any, its opponents by number; NONE for no seat."""
    if s.options.players == 2:
        return np.int64(viewer) ^ place
    seat = np.int64(viewer) ^ place if place < 2 else 2 * other(side_of(s, viewer)) + place - 2
    return seat if seat < s.options.players else NONE


@kernel
def discard_limit(s: State, seat: Int) -> Int:
    """How often a seat may discard in a game (AA-8, AA-42)."""
    return MEMBER_DISCARDS if is_team(s, side_of(s, seat)) else DISCARDS


@kernel
def owns(s: State, side: Int, card: Int) -> bool:
    """Whether a side owns an ongoing market card."""
    return s.market[card] == side


@kernel
def lead(s: State, side: Int) -> Int:
    """Own progress minus the other side's (AA-15)."""
    return np.int64(s.progress[side]) - np.int64(s.progress[other(side)])


@kernel
def space_of(s: State, side: Int) -> Int:
    """The space on which a meeple stands (AA-15)."""
    return (np.int64(HOMES[side]) + np.int64(s.progress[side])) % SPACES


@kernel
def hand_size(s: State, seat: Int) -> Int:
    """Number of cards in a hand."""
    size = 0
    for card in range(KINDS):
        size += np.int64(s.hands[seat, card])
    return size


@kernel
def discards_of(s: State, side: Int) -> Int:
    """Number of cards that a side has discarded (AA-8, AA-42)."""
    count = 0
    for seat in range(s.options.players):
        if side_of(s, seat) == side:
            for card in range(KINDS):
                count += np.int64(s.discarded[seat, card])
    return count


@kernel
def seen_of(s: State, seat: Int) -> Int:
    """Number of cards in a hand that everybody has seen there (AA-37)."""
    seen = 0
    for card in range(KINDS):
        seen += np.int64(s.seen[seat, card])
    return seen


@kernel
def face_down_seat(s: State) -> Int:
    """The seat that played the face-down card; NONE if no card lies face down."""
    if s.phase != RECRUIT:
        return NONE
    if is_team(s, s.active_side):
        return np.int64(s.leader) ^ 1
    return first_seat(s, s.active_side)


@kernel
def knows_face_down(s: State, seat: Int) -> bool:
    """Whether `seat` played the face-down card itself (AA-12, AA-40)."""
    return s.face_down != NONE and seat == face_down_seat(s)


@kernel
def unseen(s: State, seat: Int, card: Int, knows_down: bool) -> Int:
    """Copies of `card` that `seat` has not seen. `knows_down`: whether it played the face-down card."""
    count = np.int64(COPIES[card]) - s.hands[seat, card] - s.discarded[seat, card] - (s.face_up == card)
    for side in range(SIDES):
        count -= s.in_play[side, card]
    if knows_down:
        count -= s.face_down == card
    return count


@kernel
def names_in_hand(s: State, seat: Int) -> Int:
    """Number of different agents in a hand."""
    names = 0
    for card in range(KINDS):
        names += s.hands[seat, card] > 0
    return names
