"""The companion: four points in single steps, each legal only if the remaining points can be spent (AD-28, AD-29)."""

from collections.abc import Callable
from typing import Any

import numpy as np

from spygames.agent_dog.actions import (
    STEP_INTO,
    STEP_TRACK,
    decode_step_goal,
    decode_step_into,
    decode_step_track,
    encode_step_goal,
    encode_step_into,
    encode_step_track,
    kind_of,
)
from spygames.agent_dog.board import GOAL, PAWNS, PLACES
from spygames.agent_dog.cards import POINTS
from spygames.agent_dog.layout import EMPTY, HAT, NONE, State
from spygames.agent_dog.queries import colour_of, goal_of, is_home, is_protected, plays_for, start_of
from spygames.agent_dog.rules.moves import capture, settle
from spygames.core.compiling.kernel import Int, bind, kernel

ALL_COLOURS = 15


@kernel
def movable_colours(s: State, seat: Int) -> Int:
    """AD-28: return the colors (as bits) whose visible pawns may step.

    With four players these are the two colors of the team, or all colors once one of the two is home. With two and
    three players they are always all colors (AD-34).
    """
    colour = colour_of(s, seat)
    if s.options.players != 4 or is_home(s, colour) or is_home(s, colour ^ 2):
        return ALL_COLOURS
    return 1 << colour | 1 << (colour ^ 2)


@kernel
def step_from(s: State, place: Int, into: bool, own: Int, colours: Int) -> Int:
    """AD-29: return the place to which the pawn on `place` steps, or NONE if it may not.

    The pawn steps along the track or a goal. With `into` it enters a goal. For that it must be on the start space and
    have come there in the same move (AD-15).
    """
    pawn = np.int64(s.board[place])
    if pawn == EMPTY or (pawn < HAT and not colours >> pawn & 1):
        return NONE
    if place >= GOAL:
        last = place % PAWNS == PAWNS - 1
        return NONE if into or last or s.board[place + 1] != EMPTY else place + 1
    if into:
        colour = pawn if pawn < HAT else own
        fits = place == start_of(s, colour) and place == s.moved and s.board[goal_of(colour)] == EMPTY
        return goal_of(colour) if fits else NONE
    target = place + 1 if place + 1 < s.options.track else 0
    return NONE if is_protected(s, target) else target


@kernel
def can_run(s: State, place: Int, steps: Int) -> bool:
    """Whether a movable pawn can move by `steps` along the track, where only a protected pawn can stop it."""
    quarter = np.int64(s.options.quarter)
    ahead = place // quarter + 1
    return bool(ahead * quarter - place > steps or s.board[(ahead & 3) * quarter] != ahead & 3)


@kernel
def nothing_left(s: State, seat: Int, points: Int) -> bool:
    """Return True: with no point left, all points are spent."""
    return True


deeper: Any = nothing_left  # placeholder for the search with one point less, which `bind` inserts


def _can_spend(s: State, seat: Int, points: Int) -> bool:
    """AD-29: whether all points can be spent from this position. Stops at the first way found."""
    if points == 0:
        return True
    colours = movable_colours(s, seat)
    for place in range(s.options.track):
        pawn = np.int64(s.board[place])
        if pawn != EMPTY and (pawn >= HAT or colours >> pawn & 1) and can_run(s, place, points):
            return True
    own = plays_for(s, seat)
    for choice in range(2 * PLACES):
        place = choice >> 1
        target = step_from(s, place, choice & 1 == 1, own, colours)
        if target != NONE:
            pawn, captured, moved = s.board[place], s.board[target], s.moved
            s.board[place], s.board[target], s.moved = EMPTY, pawn, target
            found = deeper(s, seat, points - 1)
            s.board[place], s.board[target], s.moved = pawn, captured, moved
            if found:
                return True
    return False


def _searches(points: int) -> Callable[[State, Int, Int], bool]:
    """Return the search of this depth: one kernel for each point, because Numba cannot cache recursive kernels."""
    return bind(_can_spend, f"{points}", deeper=_searches(points - 1)) if points else nothing_left


can_spend = _searches(POINTS)


@kernel
def can_spend_after(s: State, seat: Int, points: Int, place: Int, target: Int) -> bool:
    """Whether the points can be spent after a step. The state is restored."""
    pawn, captured, moved = s.board[place], s.board[target], s.moved
    s.board[place], s.board[target], s.moved = EMPTY, pawn, target
    found = can_spend(s, seat, points)
    s.board[place], s.board[target], s.moved = pawn, captured, moved
    return found


@kernel
def legal_steps(s: State, seat: Int, mask: np.ndarray) -> None:
    """Mark each step after which the other points can be spent."""
    colour, own, colours = colour_of(s, seat), plays_for(s, seat), movable_colours(s, seat)
    track, quarter, left = np.int64(s.options.track), np.int64(s.options.quarter), np.int64(s.points) - 1
    for place in range(PLACES):
        if s.board[place] == EMPTY:
            continue
        target = step_from(s, place, False, own, colours)
        if target != NONE and place >= GOAL:
            if can_spend_after(s, seat, left, place, target):
                seen = ((place - GOAL) // PAWNS - colour) & 3
                mask[encode_step_goal(seen, place % PAWNS)] = 1
        elif target != NONE and (can_run(s, target, left) or can_spend_after(s, seat, left, place, target)):
            mask[encode_step_track((place - colour * quarter) % track, track)] = 1
        target = step_from(s, place, True, own, colours)
        if target != NONE and can_spend_after(s, seat, left, place, target):
            mask[encode_step_into((place // quarter - colour) & 3)] = 1


@kernel
def step(s: State, seat: Int, action: Int) -> None:
    """AD-29: spend one point. AD-28: a pawn on the target is captured; hats and meetings wait for the last point."""
    colour = colour_of(s, seat)
    track, quarter = np.int64(s.options.track), np.int64(s.options.quarter)
    kind = kind_of(action, track)
    if kind == STEP_TRACK:
        place = (decode_step_track(action, track) + colour * quarter) % track
        target = (place + 1) % track
    elif kind == STEP_INTO:
        place = ((decode_step_into(action) + colour) & 3) * quarter
        pawn = np.int64(s.board[place])
        target = goal_of(pawn if pawn < HAT else plays_for(s, seat))
    else:
        seen, index = decode_step_goal(action)
        place = goal_of((seen + colour) & 3) + index
        target = place + 1
    pawn = s.board[place]
    s.board[place] = EMPTY
    capture(s, target)
    s.board[target] = pawn
    note_meetings(s, place, target)
    s.points -= 1
    s.moved = target
    if s.points == 0:
        s.moved = NONE
        settle_all(s)


@kernel
def note_meetings(s: State, place: Int, target: Int) -> None:
    """AD-31: update the meetings due: only pawns that this card moved and that end on a meeting point count."""
    quarter = np.int64(s.options.quarter)
    if place < GOAL and place % quarter == s.options.meeting:
        s.meetings &= ~(1 << (place // quarter))
    if target < GOAL and target % quarter == s.options.meeting:
        s.meetings |= 1 << (target // quarter)


@kernel
def settle_all(s: State) -> None:
    """AD-28: once all points are spent, settle hats and hidden pawns in goals."""
    meetings = s.meetings
    for place in range(GOAL, PLACES):
        if s.board[place] != EMPTY:
            settle(s, place)
    for place in range(s.options.track):
        if s.board[place] != EMPTY:
            settle(s, place)
    s.meetings = meetings
