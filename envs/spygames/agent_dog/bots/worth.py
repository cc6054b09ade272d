"""Scripted players of Agent DOG. A bot sees a view and a mask, never the state."""

import numpy as np

from spygames.agent_dog.board import PAWNS
from spygames.agent_dog.cards import (
    CARDS,
    CHOICE_CARD,
    CHOICE_FUNCTION,
    COMPANION,
    KINDS,
    NUMBERS,
    OFFERS,
    POINTS,
    START,
    STEPS,
)
from spygames.agent_dog.layout import (
    FROM_AREA,
    FROM_TRACK,
    INTO_GOAL,
    MEET,
    PLAY_CARD,
    STEP_GOAL,
    STEP_INTO,
)
from spygames.agent_dog.outlook import (
    CAPTURED,
    HIDDEN,
    HOME,
    captured,
    entered,
    is_closed,
    moved,
    own_colour,
    pawn_at,
    share_with_us,
    with_us,
)
from spygames.core.bots import random, uniform
from spygames.core.kernel import Int, Record, kernel

KEPT = np.array([2.0, 2, 2, 2, 2, 2, 2, 2, 3, 9, 8, 1, 3, 6])
"""How gladly `expert` keeps a card, by kind."""
assert len(KEPT) == len(CARDS)


@kernel
def greedy(view: Record, mask: np.ndarray, rng: np.ndarray) -> Int:
    """Takes what brings its team most spaces at once, the rivals' captured ones included; passes any card."""
    return choose(view, mask, rng, False)


@kernel
def expert(view: Record, mask: np.ndarray, rng: np.ndarray) -> Int:
    """Looks also at what a move leaves behind, keeps good cards, and passes its partner what it needs."""
    return choose(view, mask, rng, True)


@kernel
def choose(view: Record, mask: np.ndarray, rng: np.ndarray, careful: bool) -> Int:
    """The action of the highest worth, a random one among equals."""
    own, ours = own_colour(view), share_with_us(view)
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
def worth_of(view: Record, action: Int, own: Int, ours: float, careful: bool) -> float:
    """What an action is worth, in spaces."""
    track = len(view.hats)
    if action < PLAY_CARD:
        return worth_without(view, action % KINDS, careful)
    if action < FROM_AREA:
        card, function = CHOICE_CARD[action - PLAY_CARD], CHOICE_FUNCTION[action - PLAY_CARD]
        kept = 0.7 * float(KEPT[card]) if careful else 0.0
        return worth_of_function(view, function, own, ours, careful) - kept
    if action == FROM_AREA:
        return 0.0
    if action < STEP_GOAL:
        return worth_of_move(view, action, own, ours, careful)
    if action >= FROM_TRACK + track:
        place = action - FROM_TRACK - track
        return moved(view, place, 1, ours, False) if place < track else 0.0
    if action >= FROM_TRACK:
        return worth_of_move(view, action, own, ours, careful)
    if action >= MEET:
        return 0.0
    if action >= STEP_INTO:
        return HOME if with_us(view, action - STEP_INTO) else -HOME
    return 0.3 if with_us(view, (action - STEP_GOAL) // 3) else -0.3


@kernel
def worth_of_move(view: Record, action: Int, own: Int, ours: float, careful: bool) -> float:
    """Of a pawn that goes by the number of the card that is being played."""
    steps = 0
    for function in range(NUMBERS):
        if view.function[function] != 0:
            steps = STEPS[function]
    if action >= FROM_TRACK:
        return moved(view, action - FROM_TRACK, steps, ours, careful)
    if action >= INTO_GOAL:
        distance = (action - INTO_GOAL) % 12 + 1
        return entered(view, (own * len(view.holes) - distance) % len(view.hats), steps, own)
    return 0.5 * steps


@kernel
def worth_of_function(view: Record, function: Int, own: Int, ours: float, careful: bool) -> float:
    """The best that a card can do as this function."""
    quarter, track = len(view.holes), len(view.hats)
    start = own * quarter
    if function == START:
        return CAPTURED + 4 + captured(view, start, ours)
    if function >= NUMBERS:
        return float(POINTS) + (2 if careful else 0) if function == COMPANION else 0.0
    steps = STEPS[function]
    hats = not (view.hats[start] == 0 and view.track[start, own] != 0)
    best = -np.inf
    for place in range(track):
        pawn = pawn_at(view, place)
        if (pawn == own or (pawn == HIDDEN and hats)) and not is_closed(view, place, steps):
            best = max(best, moved(view, place, steps, ours, careful))
            left = (start - place - 1) % track + 1
            if left < steps <= left + free_goal(view, own, 0):
                best = max(best, entered(view, place, steps, own))
    for i in range(PAWNS - 1):
        if view.goals[own, i] > 0 and steps <= free_goal(view, own, i + 1):
            best = max(best, 0.5 * steps)
    return best


@kernel
def free_goal(view: Record, colour: Int, first: Int) -> Int:
    """Free goal spaces in a row from number `first` on."""
    n = 0
    while first + n < PAWNS and view.goals[colour, first + n] == 0:
        n += 1
    return n


@kernel
def worth_without(view: Record, card: Int, careful: bool) -> float:
    """Of passing or discarding a card."""
    if not careful:
        return 0.0
    is_start = OFFERS[card] >> START & 1
    if view.phase[0] != 0 and view.teams != 0 and is_start and on_track(view, 2) == 0 and view.areas[2] > 0:
        return 20.0 if on_track(view, 0) > 0 or view.hand[9] + view.hand[10] > 0.3 else 5.0
    return -KEPT[card]


@kernel
def on_track(view: Record, colour: Int) -> Int:
    """Visible pawns of a colour on the track."""
    n = 0
    for place in range(len(view.hats)):
        n += view.track[place, colour] != 0
    return n


BOTS = {"random": random, "greedy": greedy, "expert": expert}
