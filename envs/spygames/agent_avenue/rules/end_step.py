"""The End step: a side wins, or the cards run out, or the other side's turn begins."""

from spygames.agent_avenue.board import CATCH, HOMES
from spygames.agent_avenue.cards import (
    CODEBREAKER,
    DAREDEVIL,
    KINDS,
    LEADER_OF_THE_PACK,
    MASTERPLAN,
    MASTERPLAN_NAMES,
    SECURITY_SYSTEM,
)
from spygames.agent_avenue.layout import (
    BY_LEADER_OF_THE_PACK,
    BY_MASTERPLAN,
    BY_SECURITY_SYSTEM,
    CAUGHT,
    CODEBREAKERS,
    DAREDEVILS,
    LAST_TURN,
    LEAD,
    NONE,
    OVER,
    PLAY,
    RAN_OUT,
    THREE,
    State,
)
from spygames.agent_avenue.queries import first_seat, hand_size, is_team, lead, other, owns, space_of
from spygames.agent_avenue.rules.recruiting import refill
from spygames.core.compiling.kernel import Int, kernel


@kernel
def claim(s: State, side: Int) -> Int:
    """The first reason on which `side` can claim the game, or NONE (AA-17, AA-18, AA-34)."""
    rival = other(side)
    if lead(s, side) >= CATCH:
        return CAUGHT
    if s.in_play[side, CODEBREAKER] >= THREE:
        return CODEBREAKERS
    if s.in_play[rival, DAREDEVIL] >= THREE and not owns(s, rival, LEADER_OF_THE_PACK):
        return DAREDEVILS
    return market_claim(s, side) if s.options.advanced else NONE


@kernel
def market_claim(s: State, side: Int) -> Int:
    """The first reason that an ongoing market card of `side` gives for a claim, or NONE (AA-34).

    The Security System guards the home of its owner (AA-35).
    """
    if owns(s, side, MASTERPLAN) and names_in_play(s, side) >= MASTERPLAN_NAMES:
        return BY_MASTERPLAN
    if owns(s, side, SECURITY_SYSTEM) and space_of(s, other(side)) == HOMES[side]:
        return BY_SECURITY_SYSTEM
    if owns(s, side, LEADER_OF_THE_PACK) and s.in_play[side, DAREDEVIL] >= THREE:
        return BY_LEADER_OF_THE_PACK
    return NONE


@kernel
def names_in_play(s: State, side: Int) -> Int:
    """Number of different agents that a side has in play."""
    names = 0
    for card in range(KINDS):
        names += s.in_play[side, card] > 0
    return names


@kernel
def can_play(s: State, side: Int) -> bool:
    """Whether a side can play: a player needs two cards (AA-19), in a team each member needs one (AA-45)."""
    seat = first_seat(s, side)
    if is_team(s, side):
        return bool(hand_size(s, seat) > 0 and hand_size(s, seat + 1) > 0)
    return bool(hand_size(s, seat) >= 2)


@kernel
def can_play_next(s: State, side: Int) -> bool:
    """Draw up the hands of a side if it cannot play, and return whether it can play then (AA-19, AA-45).

    In a game the hands are drawn up already, because a hand draws after it has played. Hands that were read from a
    mapping may not be.
    """
    if not can_play(s, side):
        first = first_seat(s, side)
        for seat in range(first, first + 1 + is_team(s, side)):
            refill(s, seat, hand_size(s, seat))
    return can_play(s, side)


@kernel
def end_step(s: State) -> None:
    """Decide the turn: a side has won, or the cards have run out, or the other side becomes active (AA-17 to AA-19)."""
    active, following = s.active_side, other(s.active_side)
    ours, theirs = claim(s, active), claim(s, following)
    if ours != NONE:
        finish(s, active, ours)
    elif theirs != NONE:
        finish(s, following, theirs)
    elif not can_play_next(s, following):
        finish(s, active if lead(s, active) >= 0 else following, RAN_OUT)
    else:
        if is_team(s, active) and not s.options.captain_fixed:
            s.captain[active] ^= 1
        s.turn = min(s.turn + 1, LAST_TURN)
        begin_turn(s, following)


@kernel
def begin_turn(s: State, side: Int) -> None:
    """Begin a turn: a player plays two cards, or a captain names the seat that plays face up (AA-7, AA-40, AA-41)."""
    s.active_side = side
    s.leader = NONE
    s.to_move = s.captain[side]
    s.phase = LEAD if is_team(s, side) else PLAY


@kernel
def finish(s: State, winner: Int, reason: Int) -> None:
    """End the game."""
    s.winner, s.end_reason = winner, reason
    s.phase, s.to_move = OVER, NONE
