"""What scripted players read from a view: whose pawn stands where, and what a move is worth in spaces.

Everything is seen from the viewer: its start space is 0, its colour 0, its partner's 2 where there are teams.
"""

from spygames.agent_dog.board import PAWNS
from spygames.agent_dog.cards import KINDS, LONGEST, OFFERS, STEPS
from spygames.core.kernel import Int, Record, kernel

HIDDEN = 4
NOBODY = -1
RIVAL = 0.4  # what a space of a rival's way counts against one of the own team's
CAPTURED = 8.0  # added for a pawn that needs a start card again
PUNISHED = 20.0  # for a round lost by AD-23
HOME = 12.0  # for a pawn that comes home


@kernel
def pawn_at(view: Record, place: Int) -> Int:
    """The colour of the pawn on a space, HIDDEN, or NOBODY."""
    if view.hats[place] != 0:
        return HIDDEN
    for colour in range(4):
        if view.track[place, colour] != 0:
            return colour
    return NOBODY


@kernel
def own_colour(view: Record) -> Int:
    """AD-18: 2 once the own four pawns are home."""
    if view.teams != 0 and view.goals[0, 0] + view.goals[0, 1] + view.goals[0, 2] + view.goals[0, 3] == PAWNS:
        return 2
    return 0


@kernel
def with_us(view: Record, colour: Int) -> bool:
    """Whether a colour is the viewer's or its partner's."""
    return bool(colour == 0 or (colour == 2 and view.teams != 0))


@kernel
def progress(view: Record, colour: Int, place: Int) -> Int:
    """Spaces from the start space of a colour."""
    return (place - colour * len(view.holes)) % len(view.hats)


@kernel
def hidden_of(view: Record, colour: Int) -> float:
    """How many pawns of a colour wear hats, at most."""
    seen = int(view.areas[colour] * PAWNS + 0.5)
    for i in range(PAWNS):
        seen += view.goals[colour, i] > 0
    for place in range(len(view.hats)):
        seen += view.track[place, colour] > 0 and view.hats[place] == 0
    return PAWNS - seen


@kernel
def share_with_us(view: Record) -> float:
    """The share of the hats on the track that are the own team's, as far as visible pawns tell."""
    ours, hats = hidden_of(view, 0), 0
    if view.teams != 0:
        ours += hidden_of(view, 2)
    for place in range(len(view.hats)):
        hats += view.hats[place] != 0
    return min(1.0, ours / max(hats, 1))


@kernel
def is_closed(view: Record, place: Int, steps: Int) -> bool:
    """AD-13: whether a pawn on its start space stops this move."""
    quarter = len(view.holes)
    ahead = place // quarter + 1
    colour, start = ahead & 3, (ahead & 3) * quarter
    return bool(ahead * quarter - place <= steps and view.hats[start] == 0 and view.track[start, colour] != 0)


@kernel
def captured(view: Record, place: Int, ours: float) -> float:
    """What capturing on a space is worth."""
    pawn = pawn_at(view, place)
    if pawn == NOBODY:
        return 0.0
    if pawn == HIDDEN:
        half = len(view.hats) / 2
        return (1 - ours) * RIVAL * (half + CAPTURED) - ours * (half + CAPTURED + PUNISHED)
    way = progress(view, pawn, place) + CAPTURED
    return -way - PUNISHED if with_us(view, pawn) else RIVAL * way


@kernel
def advanced(view: Record, colour: Int, place: Int, target: Int, ours: float) -> float:
    """What it is worth that a pawn gets from one space to another: its way, for or against the own team."""
    if colour == HIDDEN:
        return (target - place) % len(view.hats) * (ours - (1 - ours) * RIVAL)
    way = progress(view, colour, target) - progress(view, colour, place)
    return float(way) if with_us(view, colour) else -RIVAL * way


@kernel
def moved(view: Record, place: Int, steps: Int, ours: float, careful: bool) -> float:
    """The worth of moving the pawn on `place` round the track."""
    target = (place + steps) % len(view.hats)
    pawn = pawn_at(view, place)
    worth = advanced(view, pawn, place, target, ours) + captured(view, target, ours)
    return worth + prospects(view, pawn, place, target, ours) if careful else worth


@kernel
def entered(view: Record, place: Int, steps: Int, own: Int) -> float:
    """The worth of moving the pawn on `place` into the goal."""
    track = len(view.hats)
    left = track - progress(view, own, place)
    worth = left + HOME + 0.5 * (steps - left)
    return worth if pawn_at(view, place) != HIDDEN else 0.25 * worth


@kernel
def prospects(view: Record, pawn: Int, place: Int, target: Int, ours: float) -> float:
    """What a move leaves behind: a hat, a meeting, pursuers, a card that brings the pawn home."""
    quarter, track = len(view.holes), len(view.hats)
    worth = 0.0
    if view.holes[target % quarter] != 0 and pawn != HIDDEN:
        worth -= 3.0
    if view.meeting[target % quarter] != 0:
        for back in range(1, track):
            other = (target - back) % track
            if other != place and pawn_at(view, other) != NOBODY:
                worth += advanced(view, pawn_at(view, other), other, target - 1, ours)
                break
    if pawn != HIDDEN and with_us(view, pawn):
        for back in range(1, LONGEST + 1):
            other = pawn_at(view, (target - back) % track)
            if other != NOBODY and other != HIDDEN and not with_us(view, other):
                worth -= 0.03 * progress(view, pawn, target)
        left = track - progress(view, pawn, target)
        for card in range(KINDS):
            if view.holds[card] != 0:
                for function in range(12):
                    if OFFERS[card] >> function & 1 and 0 < STEPS[function] - left <= PAWNS:
                        worth += 4.0
    return worth
