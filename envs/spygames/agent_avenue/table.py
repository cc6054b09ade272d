"""Agent Avenue's table: who sits where, hands and the deck, what is seen of them, recruiting and moving."""

import numpy as np

from spygames.agent_avenue.cards import (
    BOOST,
    GETAWAY,
    GETAWAY_CAR,
    HOMES,
    ICONS,
    IS_HOME,
    IS_MARKET,
    KINDS,
    PLUS,
    SPACES,
    TIMES,
)
from spygames.agent_avenue.layout import DISCARDS, FURTHEST, HAND, MEMBER_DISCARDS, NONE, RECRUIT, THREE
from spygames.core.kernel import Int, Record, kernel


@kernel
def other(side: Int) -> Int:
    """The opposing side."""
    return 1 - side


@kernel
def side_of(s: Record, seat: Int) -> Int:
    """The side of a seat: AA-38; with two players the same number."""
    return np.int64(seat) if s.options.players == 2 else np.int64(seat) >> 1


@kernel
def first_seat(s: Record, side: Int) -> Int:
    """The lowest seat of a side."""
    return np.int64(side) if s.options.players == 2 else np.int64(side) << 1


@kernel
def is_team(s: Record, side: Int) -> bool:
    """Whether a side has two members (AA-38)."""
    return s.options.players > 2 and 2 * side + 1 < s.options.players


@kernel
def partner(s: Record, seat: Int) -> Int:
    """The other member of a seat's team, or NONE."""
    return np.int64(seat) ^ 1 if is_team(s, side_of(s, seat)) else NONE


@kernel
def seat_at(s: Record, viewer: Int, place: Int) -> Int:
    """Whom a viewer's view shows at `place`: itself, its partner, its opponents by number; NONE if nobody."""
    if s.options.players == 2:
        return np.int64(viewer) ^ place
    seat = np.int64(viewer) ^ place if place < 2 else 2 * other(side_of(s, viewer)) + place - 2
    return seat if seat < s.options.players else NONE


@kernel
def discards_of(s: Record, seat: Int) -> Int:
    """How often a seat may discard in a game (AA-8, AA-42)."""
    return MEMBER_DISCARDS if is_team(s, side_of(s, seat)) else DISCARDS


@kernel
def owns(s: Record, side: Int, card: Int) -> bool:
    """Whether an ongoing market card lies in front of a side."""
    return s.market[card] == side


@kernel
def lead(s: Record, side: Int) -> Int:
    """Own progress minus the other side's (AA-15)."""
    return np.int64(s.progress[side]) - np.int64(s.progress[other(side)])


@kernel
def space_of(s: Record, side: Int) -> Int:
    """Where a meeple stands (AA-15)."""
    return (np.int64(HOMES[side]) + np.int64(s.progress[side])) % SPACES


@kernel
def hand_size(s: Record, seat: Int) -> Int:
    """Cards in a hand."""
    size = 0
    for card in range(KINDS):
        size += np.int64(s.hands[seat, card])
    return size


@kernel
def draw(s: Record, seat: Int) -> None:
    """Takes the top card of the agent deck into a hand."""
    s.deck_size -= 1
    s.hands[seat, s.deck[s.deck_size]] += 1
    s.deck[s.deck_size] = NONE


@kernel
def refill(s: Record, seat: Int, size: Int) -> None:
    """AA-11, AA-21: a hand of `size` draws up to four, as long as there is a deck."""
    while size < HAND and s.deck_size > 0:
        draw(s, seat)
        size += 1


@kernel
def forget(s: Record, seat: Int, card: Int) -> None:
    """AA-37: a copy has left a hand, and it may have been one that was seen there."""
    if s.options.advanced:
        s.seen[seat, card] = max(s.seen[seat, card] - 1, 0)


@kernel
def face_down_seat(s: Record) -> Int:
    """Who played the face-down card, or NONE where there is none."""
    if s.phase != RECRUIT:
        return NONE
    if is_team(s, s.active_side):
        return np.int64(s.leader) ^ 1
    return first_seat(s, s.active_side)


@kernel
def recruit(s: Record, side: Int, card: Int) -> bool:
    """AA-13, AA-14: the card joins its like in play, their number selects the icon, the meeple moves by it.

    AA-32: an ongoing card may change the number. True if the meeple lands on a market space.
    """
    s.in_play[side, card] += 1
    steps = np.int64(ICONS[card, min(s.in_play[side, card], THREE) - 1])
    if s.options.advanced:
        boost = BOOST[card]
        if boost != NONE and owns(s, side, boost):
            steps = np.int64(steps * TIMES[boost] + PLUS[boost])
    return move(s, side, steps)


@kernel
def move(s: Record, side: Int, steps: Int) -> bool:
    """Moves a meeple; true if it lands on a market space (AA-23). AA-33: the Getaway Car drives on from a home."""
    if steps == 0:
        return False
    go_forward(s, side, steps)
    if not s.options.advanced:
        return False
    if owns(s, side, GETAWAY_CAR) and IS_HOME[space_of(s, side)]:
        go_forward(s, side, GETAWAY)
    return bool(IS_MARKET[space_of(s, side)])


@kernel
def go_forward(s: Record, side: Int, steps: Int) -> None:
    """AA-15: spaces forward, or back; the count stays within its bounds."""
    s.progress[side] = min(max(np.int64(s.progress[side]) + steps, -FURTHEST), FURTHEST)
