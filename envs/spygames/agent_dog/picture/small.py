"""The parts of the small forms (`portrait.py`, `compact.py`): the board, cards, and the pawns that can be chosen."""

import math
from collections.abc import Iterator
from dataclasses import replace

from spygames.agent_dog.board import GOAL, PAWNS, place_to_string
from spygames.agent_dog.cards import FUNCTIONS, STEPS
from spygames.agent_dog.picture import signs
from spygames.agent_dog.picture.ground import homes, track
from spygames.agent_dog.picture.pawns import marks, pawns, trails
from spygames.agent_dog.picture.scene import HALF, Point, Scene, X, Y, scene_of
from spygames.agent_dog.picture.signs import EDGE
from spygames.core.svg.colours import INK, PAPER, PICK
from spygames.core.svg.pen import Pen, fitting, width

__all__ = ["board", "chip_width", "chips", "face", "letter", "options"]

BOARD = 2 * (HALF + 35)
"""The side of the board in units of `Scene`."""
CHIP = 19.0
"""The height of a card as a small plate."""
NAMED, HYPHENATED = ("swap", "copy", "companion"), ("com-", "panion")
"""The cards with a sign, and the longest of their names on a narrow card."""
EVERY = 8
"""One in this number of spaces has its number."""


def board(scene: Scene, x: float, y: float, side: float, letters: float) -> None:
    """Draw the board into a square, with a letter beside each pawn that can be chosen.

    Args:
        scene: the scene.
        x: the left edge.
        y: the upper edge.
        side: the side of the square.
        letters: the size of letters and numbers after scaling; 0 for none.
    """
    pen, k = scene.pen, side / BOARD
    look = replace(scene.look, legal=())  # the targets are buttons, which are larger than pawns
    quiet = scene_of(pen, scene.seen, look)
    chosen = [*options(scene)] if letters else []
    pen.at(x + side / 2 - k * X, y + side / 2 - k * Y, k)
    track(quiet, numbers=False)
    homes(quiet, words=False)
    if look.before is not None:
        trails(quiet, scene_of(pen, look.before, look))
    size = letters / k
    for place in range(0, scene.board.track if letters else 0, EVERY):
        if not any(near(scene, place, at) for _, at, _ in chosen):
            px, py = scene.spot(place, -0.5 * scene.gap - 15)
            if place % scene.board.quarter:  # the goals begin at the start spaces
                w = width(str(place), size, False)
                pen.box(px - w / 2 - 2, py + 7 - 0.8 * size, w + 4, size, 6, signs.LAWN)  # trails may cross it
                pen.words(px, py + 7, str(place), size, PAPER, anchor="middle", bold=False)
    for _, _, to in chosen:
        if to is not None:
            quiet.landing(to)
    pawns(quiet)
    marks(quiet)
    _middle(quiet, letters / k)
    placed: list[Point] = []
    for i, (_, place, _) in enumerate(chosen):
        spots = (_beside(scene, place, again) for again in range(9))
        free = (spot for spot in spots if all(math.dist(spot, each) > 1.4 * letters / k for each in placed))
        px, py = next(free, _beside(scene, place, 0))
        placed.append((px, py))
        pen.dot(px, py, 0.66 * letters / k, PICK, stroke=INK, stroke_width=2)
        pen.words(px, py + 0.36 * letters / k, letter(i), letters / k, INK, anchor="middle")
    pen.close()


def near(scene: Scene, one: int, other: int | None) -> bool:
    """Whether two spaces of the track are so close that a number and a letter would touch."""
    if other is None or other >= GOAL:
        return False
    apart = abs(one - other)
    return min(apart, scene.board.track - apart) <= 60 / scene.gap


def letter(i: int) -> str:
    """Return the letter of the i-th option; after Z come small letters."""
    return "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"[i % 52]


def _beside(scene: Scene, place: int | None, again: int) -> Point:
    """Return the place of a letter beside a pawn; each `again` is a place further from it."""
    if place is None:
        x, y = scene.middle(scene.own)
        return x, y - 4 + 32 * again
    if place >= GOAL:
        x, y = scene.spot(place)
        cx, cy = scene.turned(26 + 32 * again, 0, (place - GOAL) // PAWNS)
        return x + cx - X, y + cy - Y
    return scene.spot(place, -0.5 * scene.gap - 15 - 32 * again)


def options(scene: Scene) -> Iterator[tuple[str, int | None, int | None]]:
    """Yield each legal action that chooses a pawn or a meeting: its text, the place (None: the area), where it ends."""
    pending, quarter = scene.seen["pending"], scene.board.quarter
    named = {place_to_string(place, scene.colours.get(scene.mover)): place for place in scene.pawns}
    for action in scene.look.legal:
        verb, _, words = action.partition(" ")
        if action == "from area":
            yield action, None, scene.own * quarter
        elif verb == "meet":
            yield action, int(words), None
        elif verb in ("from", "step", "swap"):
            into = words.endswith(" into goal")
            place = int(words.split()[1]) if into else named[words]
            steps = 1 if verb == "step" else int(STEPS[FUNCTIONS.index(pending["as"])])
            if verb == "swap":
                to = None
            elif into:
                colour, hidden = scene.pawns[place]
                home = scene.own if verb == "from" or colour is None or hidden else colour
                to = GOAL + PAWNS * home + steps - (home * quarter - place) % scene.board.track - 1
            else:
                to = place + steps if place >= GOAL else (place + steps) % scene.board.track
            yield action, place, to


def _middle(scene: Scene, size: float) -> None:
    """Draw the top of the discard pile and the card being played."""
    pen, seen, pending = scene.pen, scene.seen, scene.seen["pending"]
    w, h, top = 86.0, 112.0, Y - 64
    for x, card in ((X - w - 6, seen["discard"][0] if seen["discard"] else None), (X + 6, (pending or {}).get("card"))):
        if card is None:
            pen.box(x, top, w, h, 9, signs.HEDGE, stroke="#7fa48d", stroke_width=1.6, stroke_dasharray="5 5")
            continue
        if size:
            pen.words(x + w / 2, top - 8, "last" if x < X else "now", size, PAPER, anchor="middle", bold=False)
        pen.at(x, top, w / 40)
        face(pen, card, 40, h * 40 / w, 0)
        pen.close()
    if seen["winners"]:
        pen.at(X + w / 2 + 6, top + h / 2 - 6, 2.2)
        pen.stamp(signs.rosette)
        pen.close()
    if pending is not None and size:
        points, played = pending["points"], pending["as"]
        text = f"{points} left" if points else f"as {played}" if played != pending["card"] else ""
        text = "own captured" if pending["penalty"] else text
        if text:
            pen.words(X, top + h + size * 1.1, text, size, PAPER, anchor="middle")


def face(pen: Pen, card: str, w: float, h: float, name: float) -> None:
    """Draw a card with its top left corner at (0, 0): a number or a sign, and the name of a sign in size `name`."""
    pen.box(0, 0, w, h, 6, PAPER, stroke="#8d7c52", stroke_width=1)
    if card == "?":
        pen.box(0, 0, w, h, 6, signs.BACK, stroke="#5f87a6", stroke_width=1)
        return
    ground = signs.ground_of(card)
    pen.box(2.5, 2.5, w - 5, h - 5, 4, "none", stroke=ground, stroke_width=1)
    if card not in NAMED:
        size = fitting(card, min(h * 0.56, 30.0 if name else 24.0), w - 8)
        pen.words(w / 2, h / 2 + size * 0.36, card, size, ground, anchor="middle")
        return
    lines = [card] if width(card, name) <= w - 8 else HYPHENATED
    r = min(w / 2 - 5, (h - 8 - name * len(lines)) / 2 - 1)
    pen.dot(w / 2, 5 + r, r, ground)
    pen.at(w / 2, 5 + r, r / 33)
    signs.sign(pen, card, PAPER, ground)
    pen.close()
    for i, line in enumerate(lines if name else ()):
        pen.words(w / 2, h - 6 - name * (len(lines) - 1 - i), line, name, ground, anchor="middle")


def chip_width(card: str) -> float:
    """Return the width of a plate of `chips`."""
    return 12.0 if card == "?" else max(19.0, width(card, 13) + 6 if card not in NAMED else 0)


def chips(pen: Pen, cards: list[str], x: float, y: float, step: float = 14.0) -> None:
    """Draw cards as small plates, unknown ones as backs with a distance of `step`."""
    for card in cards:
        if card == "?":
            pen.box(x, y + 1, 11, CHIP - 2, 2.5, signs.BACK, stroke="#5f87a6", stroke_width=1)
            x += step
        else:
            pen.at(x, y)
            pen.stamp(_plate, card)
            pen.close()
            x += chip_width(card) + 3


def _plate(pen: Pen, card: str) -> None:
    """Draw a card as a small plate with its top left corner at (0, 0)."""
    w, ground = chip_width(card), signs.ground_of(card)
    pen.box(0, 0, w, CHIP, 4, ground, stroke=EDGE, stroke_width=0.8)
    if card in NAMED:
        pen.at(w / 2, CHIP / 2, 0.36)
        signs.sign(pen, card, PAPER, ground)
        pen.close()
    else:
        pen.words(w / 2, CHIP / 2 + 4.7, card, 13, PAPER, anchor="middle")
