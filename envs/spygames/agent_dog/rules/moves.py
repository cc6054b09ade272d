"""Moves by a number, and their effects: captures, hats, goals, meetings. AD-n names a rule in README.md."""

import numpy as np

from spygames.agent_dog.actions import (
    FROM_TRACK,
    INTO_GOAL,
    decode_from_goal,
    decode_from_track,
    decode_into_goal,
    encode_from_goal,
    encode_from_track,
    encode_into_goal,
    kind_of,
)
from spygames.agent_dog.board import GOAL, PAWNS
from spygames.agent_dog.cards import LONGEST
from spygames.agent_dog.layout import EMPTY, HAT, State
from spygames.agent_dog.queries import colour_of, goal_of, plays_for, start_of, team_mate
from spygames.core.compiling.kernel import Int, kernel

ALL_STEPS = (1 << LONGEST + 1) - 1
"""Bits for all numbers, 1 to 13."""


@kernel
def may_move_hidden(s: State, own: Int) -> bool:
    """AD-20: whether hidden pawns may be moved: not while a visible pawn of color `own` is on its start space."""
    return bool(s.board[start_of(s, own)] != own)


@kernel
def free_goal(s: State, colour: Int, first: Int) -> Int:
    """AD-15: return the number of consecutive free goal spaces from index `first` on."""
    goal = goal_of(colour)
    n = 0
    while first + n < PAWNS and s.board[goal + first + n] == EMPTY:
        n += 1
    return n


@kernel
def possible_steps(s: State, seat: Int) -> Int:
    """Return the numbers (as bits) by which some pawn can be moved (AD-11 to AD-15, AD-19, AD-20).

    No number is longer than a quadrant, so only the next start space can be in the way. If it is open, the pawn can
    move along the track by any number.
    """
    own = plays_for(s, seat)
    hidden = may_move_hidden(s, own)
    quarter = np.int64(s.options.quarter)
    bits = 0
    for quadrant in range(4):
        ahead = (quadrant + 1) & 3
        closed = s.board[ahead * quarter] == ahead
        for offset in range(quarter):
            pawn = s.board[quadrant * quarter + offset]
            if pawn == own or (pawn >= HAT and hidden):
                if not closed or quarter - offset > LONGEST:
                    return ALL_STEPS
                bits |= (1 << (quarter - offset)) - 1
    for i in range(PAWNS - 1):
        if s.board[goal_of(own) + i] == own:
            bits |= (1 << (free_goal(s, own, i + 1) + 1)) - 1
    return bits


@kernel
def legal_moves(s: State, seat: Int, steps: Int, mask: np.ndarray) -> None:
    """Mark each pawn that can move by `steps` along the track or into the goal (AD-11 to AD-16, AD-19, AD-20)."""
    colour, own = colour_of(s, seat), plays_for(s, seat)
    partner = 1 if own != colour else 0
    hidden = may_move_hidden(s, own)
    free = free_goal(s, own, 0)
    quarter = np.int64(s.options.quarter)
    for quadrant in range(4):
        ahead = (quadrant + 1) & 3
        closed = s.board[ahead * quarter] == ahead
        seen = ((quadrant - colour) & 3) * quarter
        for offset in range(quarter):
            pawn = s.board[quadrant * quarter + offset]
            if pawn == own or (pawn >= HAT and hidden):
                distance = quarter - offset
                if steps < distance or not closed:
                    mask[encode_from_track(seen + offset)] = 1
                if ahead == own and not closed and distance < steps <= distance + free:
                    mask[encode_into_goal(partner, distance)] = 1
    for i in range(PAWNS - 1):
        if s.board[goal_of(own) + i] == own and steps <= free_goal(s, own, i + 1):
            mask[encode_from_goal(partner, i)] = 1


@kernel
def move_number(s: State, seat: Int, action: Int, steps: Int) -> None:
    """AD-11: move one pawn forward by exactly the number."""
    own = plays_for(s, seat)
    track = np.int64(s.options.track)
    kind = kind_of(action, track)
    if kind == FROM_TRACK:
        place = (decode_from_track(action) + start_of(s, colour_of(s, seat))) % track
        target = (place + steps) % track
    elif kind == INTO_GOAL:
        _, distance = decode_into_goal(action)
        place = (start_of(s, own) - distance) % track
        target = goal_of(own) + steps - distance - 1
    else:
        _, index = decode_from_goal(action)
        place = goal_of(own) + index
        target = place + steps
    move(s, place, target)
    settle(s, target)


@kernel
def move(s: State, place: Int, target: Int) -> None:
    """AD-12: move a pawn to its target and capture the pawn there."""
    pawn = s.board[place]
    s.board[place] = EMPTY
    capture(s, target)
    s.board[target] = pawn


@kernel
def capture(s: State, place: Int) -> None:
    """AD-12: move the pawn on a place, if any, back to its start area. AD-23: note a capture in the mover's team."""
    if s.board[place] != EMPTY:
        colour = s.board[place] & 3
        s.board[place] = EMPTY
        s.area[colour] += 1
        if team_mate(s, colour, colour_of(s, s.to_move)):
            s.penalty = 1


@kernel
def enter(s: State, seat: Int) -> None:
    """AD-14: put a pawn from the start area on the start space, and capture a foreign pawn there."""
    own = plays_for(s, seat)
    capture(s, start_of(s, own))
    s.area[own] -= 1
    s.board[start_of(s, own)] = own


@kernel
def settle(s: State, place: Int) -> None:
    """Complete a move that ends on `place`: hats (AD-19, AD-21), a hidden pawn in a goal (AD-22), a meeting (AD-30)."""
    if place >= GOAL:
        if s.board[place] >= HAT:
            turn_in_goal(s, place)
        return
    quadrant, offset = place // s.options.quarter, place % s.options.quarter
    s.board[place] = (s.board[place] & 3) + (HAT if s.options.hole[offset] >= 0 else 0)
    if offset == s.options.meeting:
        s.meetings |= 1 << quadrant


@kernel
def turn_in_goal(s: State, place: Int) -> None:
    """AD-22: turn over a hidden pawn in a goal.

    A pawn of the goal's color stays, a partner's goes to its start area, an opponent's to the back of its own goal.
    """
    colour, own = s.board[place] & 3, (place - GOAL) // PAWNS
    s.board[place] = EMPTY
    if colour == own:
        s.board[place] = colour
    elif team_mate(s, colour, own):
        s.area[colour] += 1
    else:
        back = goal_of(colour) + PAWNS - 1
        while s.board[back] != EMPTY:
            back -= 1
        s.board[back] = colour


@kernel
def meet(s: State, quadrant: Int) -> None:
    """AD-30: move the nearest pawn behind the meeting point to the hole directly behind the point, and hide it.

    AD-31: if the pawn was on another meeting point, that meeting is dropped.
    """
    s.meetings &= ~(1 << quadrant)
    track, quarter = np.int64(s.options.track), np.int64(s.options.quarter)
    point = quadrant * quarter + s.options.meeting
    for distance in range(1, track):
        place = (point - distance) % track
        if s.board[place] != EMPTY:
            pawn = s.board[place]
            s.board[place] = EMPTY
            s.board[point - 1] = (pawn & 3) + HAT
            if place % quarter == s.options.meeting:
                s.meetings &= ~(1 << (place // quarter))
            return
