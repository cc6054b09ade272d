"""Features that bots compute from a view: the places of pawns, and what blocks their way.

All values are relative to the viewer: its start space is 0, its color is 0, and in teams its partner's color is 2.
"""

import numpy as np

from spygames.agent_dog.board import PAWNS
from spygames.agent_dog.cards import DEAL, KINDS, OFFERS, START
from spygames.agent_dog.layout import EMPTY, View
from spygames.core.compiling.kernel import Int, kernel

HIDDEN = 4


@kernel
def pawn_at(view: View, place: Int) -> Int:
    """Return the color of the pawn on a space, HIDDEN, or EMPTY."""
    if view.hats[place] != 0:
        return HIDDEN
    for colour in range(4):
        if view.track[place, colour] != 0:
            return colour
    return EMPTY


@kernel
def own_colour(view: View) -> Int:
    """AD-18: return the color that the viewer plays: 0, or in teams 2 once its own four pawns are home."""
    if view.teams != 0 and view.goals[0, 0] + view.goals[0, 1] + view.goals[0, 2] + view.goals[0, 3] == PAWNS:
        return 2
    return 0


@kernel
def is_ours(view: View, colour: Int) -> bool:
    """Whether a color is the viewer's or its partner's."""
    return bool(colour == 0 or (colour == 2 and view.teams != 0))


@kernel
def progress(view: View, colour: Int, place: Int) -> Int:
    """Return the number of spaces from the start space of a color."""
    return (place - colour * len(view.holes)) % len(view.hats)


@kernel
def most_hidden(view: View, colour: Int) -> float:
    """Return the maximum number of pawns of a color that may be hidden."""
    seen = int(view.areas[colour] * PAWNS + 0.5)
    for i in range(PAWNS):
        seen += view.goals[colour, i] > 0
    for place in range(len(view.hats)):
        seen += view.track[place, colour] > 0 and view.hats[place] == 0
    return PAWNS - seen


@kernel
def own_hat_fraction(view: View) -> float:
    """Return the estimated fraction of the hidden pawns on the track that belong to the viewer's team.

    The estimate uses the visible pawns only.
    """
    ours, hats = most_hidden(view, 0), 0
    if view.teams != 0:
        ours += most_hidden(view, 2)
    for place in range(len(view.hats)):
        hats += view.hats[place] != 0
    return min(1.0, ours / max(hats, 1))


@kernel
def is_closed(view: View, place: Int, steps: Int) -> bool:
    """AD-13: whether a pawn on its own start space blocks this move."""
    quarter = len(view.holes)
    ahead = place // quarter + 1
    colour, start = ahead & 3, (ahead & 3) * quarter
    return bool(ahead * quarter - place <= steps and view.hats[start] == 0 and view.track[start, colour] != 0)


@kernel
def free_goal(view: View, colour: Int, first: Int) -> Int:
    """Return the number of consecutive free goal spaces from index `first` on."""
    n = 0
    while first + n < PAWNS and view.goals[colour, first + n] == 0:
        n += 1
    return n


@kernel
def on_track(view: View, colour: Int) -> Int:
    """Return the number of visible pawns of a color on the track."""
    n = 0
    for place in range(len(view.hats)):
        n += view.track[place, colour] != 0
    return n


@kernel
def start_cards(view: View) -> Int:
    """Return the number of start cards in the viewer's hand."""
    n = 0.0
    for card in range(KINDS):
        if OFFERS[card] >> START & 1:
            n += view.hand[card]
    return np.int64(DEAL * n + 0.5)
