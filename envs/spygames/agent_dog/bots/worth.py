"""Value of an action to a bot, in spaces, judged from a view.

`ours` is the estimated fraction of the hidden pawns on the track that belong to the bot's team. `careful` is True for
`expert` and False for `greedy`.
"""

import numpy as np

from spygames.agent_dog.actions import (
    DISCARD,
    FROM_GOAL,
    FROM_TRACK,
    INTO_GOAL,
    PASS,
    PLAY,
    STEP_GOAL,
    STEP_INTO,
    STEP_TRACK,
    decode_discard,
    decode_from_track,
    decode_into_goal,
    decode_pass,
    decode_play,
    decode_step_goal,
    decode_step_into,
    decode_step_track,
    kind_of,
)
from spygames.agent_dog.board import PAWNS
from spygames.agent_dog.bots.features import (
    HIDDEN,
    free_goal,
    is_closed,
    is_ours,
    on_track,
    own_colour,
    own_hat_fraction,
    pawn_at,
    progress,
    start_cards,
)
from spygames.agent_dog.cards import CARDS, COMPANION, KINDS, LONGEST, NUMBERS, OFFERS, POINTS, START, STEPS
from spygames.agent_dog.layout import EMPTY, EXCHANGE, View
from spygames.core.compiling.kernel import Int, kernel
from spygames.core.game.bots import uniform

RIVAL = 0.4  # weight of a space of a rival's pawn, relative to a space of the own team
CAPTURED = 8.0  # added for a captured pawn, which needs a start card again
PUNISHED = 20.0  # cost of being out of the round (AD-23)
HOME = 12.0  # added for a pawn that comes home
KEPT = np.array([2.0, 2, 2, 2, 2, 2, 2, 2, 3, 9, 8, 1, 3, 6])
"""Value for `expert` of keeping a card, by kind."""
assert len(KEPT) == len(CARDS)


@kernel
def choose(view: View, mask: np.ndarray, rng: np.ndarray, careful: bool) -> Int:
    """Return the action of the highest value, a random one among equals."""
    own, ours = own_colour(view), own_hat_fraction(view)
    best, best_worth, ties = -1, -np.inf, 0
    for action in range(len(mask)):
        if mask[action]:
            worth = worth_of(view, action, own, ours, careful)
            if worth > best_worth:
                best, best_worth, ties = action, worth, 1
            elif worth == best_worth:
                ties += 1
                if uniform(rng, ties) == 0:
                    best = action
    return best


@kernel
def worth_of(view: View, action: Int, own: Int, ours: float, careful: bool) -> float:
    """Return the value of an action of any kind."""
    track = len(view.hats)
    kind = kind_of(action, track)
    if kind == PASS:
        return worth_of_loss(view, decode_pass(action), careful)
    if kind == DISCARD:
        return worth_of_loss(view, decode_discard(action), careful)
    if kind == PLAY:
        card, function = decode_play(action)
        kept = 0.7 * float(KEPT[card]) if careful else 0.0
        return worth_of_function(view, function, own, ours, careful) - kept
    if kind in (FROM_TRACK, INTO_GOAL, FROM_GOAL):
        return worth_of_move(view, action, kind, own, ours, careful)
    if kind == STEP_TRACK:
        return worth_on_track(view, decode_step_track(action, track), 1, ours, False)
    if kind == STEP_INTO:
        return HOME if is_ours(view, decode_step_into(action)) else -HOME
    if kind == STEP_GOAL:
        colour, _ = decode_step_goal(action)
        return 0.3 if is_ours(view, colour) else -0.3
    return 0.0  # from the start area, a meeting, a swap


@kernel
def worth_of_move(view: View, action: Int, kind: Int, own: Int, ours: float, careful: bool) -> float:
    """Return the value of moving a pawn by the number of the card being played."""
    steps = 0
    for function in range(NUMBERS):
        if view.function[function] != 0:
            steps = STEPS[function]
    if kind == FROM_TRACK:
        return worth_on_track(view, decode_from_track(action), steps, ours, careful)
    if kind == INTO_GOAL:
        _, distance = decode_into_goal(action)
        return worth_into_goal(view, (own * len(view.holes) - distance) % len(view.hats), steps, own)
    return 0.5 * steps


@kernel
def worth_of_function(view: View, function: Int, own: Int, ours: float, careful: bool) -> float:
    """Return the value of the best move of a card that is played as `function`."""
    quarter, track = len(view.holes), len(view.hats)
    start = own * quarter
    if function == START:
        return CAPTURED + 4 + worth_of_capture(view, start, ours)
    if function >= NUMBERS:
        return float(POINTS) + (2 if careful else 0) if function == COMPANION else 0.0
    steps = STEPS[function]
    hats = not (view.hats[start] == 0 and view.track[start, own] != 0)
    best = -np.inf
    for place in range(track):
        pawn = pawn_at(view, place)
        if (pawn == own or (pawn == HIDDEN and hats)) and not is_closed(view, place, steps):
            best = max(best, worth_on_track(view, place, steps, ours, careful))
            left = (start - place - 1) % track + 1
            if left < steps <= left + free_goal(view, own, 0):
                best = max(best, worth_into_goal(view, place, steps, own))
    for i in range(PAWNS - 1):
        if view.goals[own, i] > 0 and steps <= free_goal(view, own, i + 1):
            best = max(best, 0.5 * steps)
    return best


@kernel
def worth_of_loss(view: View, card: Int, careful: bool) -> float:
    """Return the value of passing or discarding a card."""
    if not careful:
        return 0.0
    is_start = OFFERS[card] >> START & 1
    if view.phase[EXCHANGE] != 0 and view.teams != 0 and is_start and on_track(view, 2) == 0 and view.areas[2] > 0:
        return 20.0 if on_track(view, 0) > 0 or start_cards(view) > 1 else 5.0
    return -KEPT[card]


@kernel
def worth_of_capture(view: View, place: Int, ours: float) -> float:
    """Return the value of capturing the pawn on a space; 0 if there is none."""
    pawn = pawn_at(view, place)
    if pawn == EMPTY:
        return 0.0
    if pawn == HIDDEN:
        half = len(view.hats) / 2
        return (1 - ours) * RIVAL * (half + CAPTURED) - ours * (half + CAPTURED + PUNISHED)
    way = progress(view, pawn, place) + CAPTURED
    return -way - PUNISHED if is_ours(view, pawn) else RIVAL * way


@kernel
def worth_of_way(view: View, colour: Int, place: Int, target: Int, ours: float) -> float:
    """Return the value of moving a pawn between two spaces: the distance, for or against the own team."""
    if colour == HIDDEN:
        return (target - place) % len(view.hats) * (ours - (1 - ours) * RIVAL)
    way = progress(view, colour, target) - progress(view, colour, place)
    return float(way) if is_ours(view, colour) else -RIVAL * way


@kernel
def worth_on_track(view: View, place: Int, steps: Int, ours: float, careful: bool) -> float:
    """Return the value of moving the pawn on `place` along the track."""
    target = (place + steps) % len(view.hats)
    pawn = pawn_at(view, place)
    worth = worth_of_way(view, pawn, place, target, ours) + worth_of_capture(view, target, ours)
    return worth + prospects(view, pawn, place, target, ours) if careful else worth


@kernel
def worth_into_goal(view: View, place: Int, steps: Int, own: Int) -> float:
    """Return the value of moving the pawn on `place` into the goal."""
    track = len(view.hats)
    left = track - progress(view, own, place)
    worth = left + HOME + 0.5 * (steps - left)
    return worth if pawn_at(view, place) != HIDDEN else 0.25 * worth


@kernel
def prospects(view: View, pawn: Int, place: Int, target: Int, ours: float) -> float:
    """Return the value of the position after a move: a hat, a meeting, pursuers, a card that brings the pawn home."""
    quarter, track = len(view.holes), len(view.hats)
    worth = 0.0
    if view.holes[target % quarter] != 0 and pawn != HIDDEN:
        worth -= 3.0
    if view.meeting[target % quarter] != 0:
        for back in range(1, track):
            other = (target - back) % track
            if other != place and pawn_at(view, other) != EMPTY:
                worth += worth_of_way(view, pawn_at(view, other), other, target - 1, ours)
                break
    if pawn != HIDDEN and is_ours(view, pawn):
        for back in range(1, LONGEST + 1):
            other = pawn_at(view, (target - back) % track)
            if other != EMPTY and other != HIDDEN and not is_ours(view, other):
                worth -= 0.03 * progress(view, pawn, target)
        left = track - progress(view, pawn, target)
        for card in range(KINDS):
            if view.holds[card] != 0:
                for function in range(NUMBERS):
                    if OFFERS[card] >> function & 1 and 0 < STEPS[function] - left <= PAWNS:
                        worth += 4.0
    return worth
