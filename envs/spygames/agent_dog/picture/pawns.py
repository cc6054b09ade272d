"""Pawns, their legal moves, and their latest movements."""

from collections.abc import Collection, Mapping, Sequence

from spygames.agent_dog.board import COLOURS, GOAL, PAWNS, place_to_string
from spygames.agent_dog.cards import FUNCTIONS, STEPS
from spygames.agent_dog.picture import signs
from spygames.agent_dog.picture.scene import Pawn, Point, Scene
from spygames.agent_dog.picture.signs import FILL
from spygames.core.svg.colours import INK, PAPER, PICK
from spygames.core.svg.pen import Pen

_VERBS = {"place": "from", "step": "step", "swap": "swap"}
"""First word of an action that chooses a pawn, by phase."""
_REFUSED = ("card", "place", "step")
"""Phases in which a tap on a pawn of one's own means to move it."""
_AREA = -1


def pawns(scene: Scene) -> None:
    """Draw all pawns, from back to front. Pawns that may be chosen are targets with the places where they would end."""
    standing: list[tuple[float, float, int, Pawn]] = []
    for place, pawn in scene.pawns.items():
        x, y = scene.spot(place)
        standing.append((y, x, place, pawn))
    for name, places in scene.seen["pawns"].items():
        colour = COLOURS.index(name)
        for i in range(places.count("area")):
            x, y = scene.nest(colour, i)
            standing.append((y, x, _AREA, (colour, False)))
    for y, x, place, pawn in sorted(standing, key=lambda each: each[:3]):
        if place == _AREA:
            _stand(scene, x, y, 0.9, pawn)
        else:
            _pawn(scene, place, x, y)


def _pawn(scene: Scene, place: int, x: float, y: float) -> None:
    """Draw the pawn on a place: a target if it may be chosen, ringed if this card has moved or lifted it."""
    pen, pending = scene.pen, scene.seen["pending"]
    pawn = scene.pawns[place]
    name, verb = place_to_string(place, scene.colours.get(scene.mover)), _VERBS.get(scene.seen["phase"])
    chosen = scene.target(f"{verb} {name}")
    lifted = bool(pending) and pending["first"] == place_to_string(place)
    size, r = (scene.size, 0.5 * scene.gap) if place < GOAL else (0.9, 17)
    if lifted or (pending and name in pending["moved"]):
        pen.dot(x, y, r + 3.4, "none", stroke=PAPER, stroke_width=2.2, stroke_dasharray="3 4")
    if chosen:
        pen.dot(x, y, r, PICK, fill_opacity=0.85, stroke=PICK, stroke_width=4)
    down = 2 * size if place < GOAL and not pawn[1] else 0
    _stand(scene, x, y + down - (10 if lifted else 0), size, pawn, -16 if lifted else 0, None if chosen else "none")
    own = scene.mover >= 0 and pawn == (scene.own, False) and place < GOAL
    if (
        own
        and scene.seen["phase"] in _REFUSED
        and not chosen
        and scene.refused(scene.mover, f"{verb or 'from'} {name}")
    ):
        pen.dot(x, y, r, "none", pointer_events="all")  # and not the pawn, which may cover a target
        pen.close()
    if chosen:
        if verb != "swap":
            steps = 1 if verb == "step" else int(STEPS[FUNCTIONS.index(pending["as"])])
            scene.landing(place + steps if place >= GOAL else (place + steps) % scene.board.track)
        pen.close()


def _stand(
    scene: Scene, x: float, y: float, size: float, pawn: Pawn, turn: float = 0, events: str | None = "none"
) -> None:
    """Draw a pawn in the center of its place. With `events` "none", clicks reach the target below it."""
    colour, hidden = pawn
    scene.pen.at(x, y + (9 if hidden else 14) * size, size, turn, pointer_events=events)
    scene.pen.stamp(signs.hat, colour) if colour is None or hidden else scene.pen.stamp(signs.pawn, colour)
    scene.pen.close()


def marks(scene: Scene) -> None:
    """Draw targets other than pawns: goals that can be entered, and meetings that are due."""
    pen, board, pending = scene.pen, scene.board, scene.seen["pending"]
    for action in scene.look.legal:
        verb, *words = action.split()
        if pending and words[-2:] == ["into", "goal"] and scene.target(action):
            place = int(words[1])
            if verb == "step":
                colour = scene.pawns[place][0]
                colour = scene.own if colour is None or scene.pawns[place][1] else colour
                to = GOAL + PAWNS * colour
            else:
                steps = int(STEPS[FUNCTIONS.index(pending["as"])])
                to = GOAL + PAWNS * scene.own + steps - (scene.own * board.quarter - place) % board.track - 1
            scene.landing(to)
            x, y = scene.spot(to)
            pen.path(
                f"M{x - 6:.1f} {y - 4:.1f}L{x:.1f} {y + 5:.1f}L{x + 6:.1f} {y - 4:.1f}", stroke=INK, stroke_width=3
            )
            pen.close()
    for place in pending["meetings"] if pending else ():
        x, y = scene.spot(place)
        opened = scene.target(f"meet {place}")
        fill, events, dashes = (PICK, None, None) if opened else ("none", "none", "4 4")
        pen.dot(x, y, 0.54 * scene.gap, fill, fill_opacity=0.25, stroke=PICK, stroke_width=3, stroke_dasharray=dashes,
                pointer_events=events)  # fmt: skip
        if opened:
            pen.close()


def trails(scene: Scene, before: Scene) -> None:
    """Draw where pawns have come from, as far as it follows from two views of the board."""
    gone = {place: each for place, each in before.pawns.items() if scene.pawns.get(place) != each}
    came = {place: each for place, each in scene.pawns.items() if before.pawns.get(place) != each}
    turned = {place for place in gone if place in came and _may_match(gone[place], came[place])}
    for place in turned:  # pawns that were apparently turned over in place
        del gone[place], came[place]
    moved = _paired(scene, gone, came)
    turned |= {place for place, (_, hidden) in scene.pawns.items() if hidden}
    moved |= _unseen(scene, before, [a for a in gone if a not in moved and a not in scene.pawns], turned)
    for a, way in moved.items():
        one, hidden = before.pawns[a]
        points = [scene.spot(place) for place in (way if len(way) <= 15 else (a, way[-1]))]
        _trail(scene.pen, points, scene.pawns[way[-1]][0] if one is None else one)
        _ghost(scene, a, one, hidden)
    ends = {way[-1] for way in moved.values()}
    for colour in scene.colours.values():
        name, start = COLOURS[colour], colour * scene.board.quarter
        more = scene.seen["pawns"][name].count("area") - before.seen["pawns"][name].count("area")
        if more < 0 and start in came and start not in ends:
            _trail(scene.pen, [scene.middle(colour), scene.spot(start)], colour)
        captured = [a for a, (one, _) in before.pawns.items() if one in (None, colour) and a not in moved]
        for a in [a for a in captured if a in gone or a in ends][: max(0, more)]:
            _trail(scene.pen, [scene.spot(a), scene.middle(colour)], colour)
            if a not in scene.pawns:
                _ghost(scene, a, *before.pawns[a])


def _unseen(scene: Scene, before: Scene, gone: Sequence[int], onto: Collection[int]) -> dict[int, list[int]]:
    """Return the paths of pawns that have captured a hidden pawn, whose place may look unchanged."""
    pending = before.seen["pending"]
    steps = int(STEPS[FUNCTIONS.index(pending["as"])]) if pending else 0
    steps = 1 if before.seen["phase"] == "step" else steps
    ways = (_route(scene, a, (a + steps) % scene.board.track) for a in gone if a < GOAL and steps)
    return {way[0]: way for way in ways if way[-1] in onto}


def _may_match(one: Pawn, other: Pawn) -> bool:
    """Whether these may be the same pawn."""
    return one[0] is None or other[0] is None or one[0] == other[0]


def _paired(scene: Scene, gone: Mapping[int, Pawn], came: Mapping[int, Pawn]) -> dict[int, list[int]]:
    """Return the path of each moved pawn by its old place. Known colors are matched first, then the shortest paths."""
    ways = [_route(scene, a, b) for a in gone for b in came if _may_match(gone[a], came[b])]
    found: dict[int, list[int]] = {}
    ends: set[int] = set()
    for way in sorted(filter(None, ways), key=lambda way: (gone[way[0]][0] != came[way[-1]][0], len(way), way)):
        if way[0] not in found and way[-1] not in ends:
            found[way[0]] = way
            ends.add(way[-1])
    return found


def _ghost(scene: Scene, place: int, colour: int | None, hidden: bool) -> None:
    """Draw a faint pawn on its old place."""
    x, y = scene.spot(place)
    scene.pen.at(x, y + 16 * scene.size, scene.size, opacity=0.4, pointer_events="none")
    scene.pen.stamp(signs.hat, colour) if colour is None or hidden else scene.pen.stamp(signs.pawn, colour)
    scene.pen.close()


def _route(scene: Scene, a: int, b: int) -> list[int]:
    """Return the places from `a` forward to `b`, both included; [] if there is no path."""
    track = scene.board.track
    if b < GOAL:
        return [(a + k) % track for k in range((b - a) % track + 1)] if a < GOAL and a != b else []
    colour, i = divmod(b - GOAL, PAWNS)
    goals = [GOAL + PAWNS * colour + k for k in range(i + 1)]
    if a >= GOAL:
        return [place for place in goals if place >= a] if a in goals[:-1] else []
    distance = (colour * scene.board.quarter - a) % track
    return [(a + k) % track for k in range(distance + 1)] + goals


def _trail(pen: Pen, points: Sequence[Point], colour: int | None) -> None:
    """Draw a dotted line through points."""
    d = "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in points)
    pen.open(pointer_events="none")
    pen.path(d, stroke=INK, stroke_width=9.5, stroke_linejoin="round", stroke_linecap="round", opacity=0.55)
    pen.path(d, stroke=signs.GREY if colour is None else FILL[colour], stroke_width=6, stroke_linejoin="round",
             stroke_linecap="round", stroke_dasharray="1 9")  # fmt: skip
    pen.close()
