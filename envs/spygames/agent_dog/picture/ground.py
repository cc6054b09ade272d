"""The board: the road with its spaces, start areas, goals and kennels, and the cards in the middle."""

import math

from spygames.agent_dog.board import COLOURS, GOAL, PAWNS, Board
from spygames.agent_dog.picture import signs
from spygames.agent_dog.picture.scene import HALF, LANE, RADIUS, STEP, Scene, X, Y
from spygames.agent_dog.picture.signs import CARD_H, CARD_W, DARK, FILL, LAWN, LIGHT, ROAD, STONE
from spygames.core.pictures.picture import heading
from spygames.core.svg.annotations import Look
from spygames.core.svg.colours import PAPER, PICK
from spygames.core.svg.pen import Pen

_PLAZA = "#345845"
_PRINTS = ((-94, 213, 130), (-74, 239, 122), (-42, 249, 126))
"""Paw prints from a start area to its start space: x, y, rotation."""
_TREES = (
    (72, 214, 0.9), (-214, 72, 0.8), (-68, -212, 0.9), (210, -74, 0.8), (-226, 218, 0.7), (226, -220, 0.7),
    (222, 222, 0.6), (-222, -222, 0.6), (-84, -98, 0.6), (86, 102, 0.6),
)  # fmt: skip


def track(scene: Scene, numbers: bool = True) -> None:
    """Draw the road with its spaces, with numbers or without, and the lawn. They stay the same throughout a game."""
    scene.pen.stamp(_track, scene.board, tuple(scene.colours.items()), scene.below, numbers)


def _track(pen: Pen, board: Board, colours: tuple[tuple[int, int], ...], below: int, numbers: bool) -> None:
    scene = Scene(pen, {}, Look(below), board, dict(colours), below, {})
    for by, r, fill, edge in ((33, 34, ROAD, "#4f6373"), (-23, -22, LAWN, "#5d8a70")):
        half = HALF + by
        pen.box(X - half, Y - half, 2 * half, 2 * half, RADIUS + r, fill, stroke=edge, stroke_width=2)
    pen.dot(X, Y, 106, _PLAZA, stroke="#5d8a70", stroke_width=2)
    for x, y, size in _TREES:
        pen.at(X + x, Y + y, size)
        pen.stamp(signs.tree)
        pen.close()
    r, every = 0.44 * scene.gap, 1 if scene.gap > 26 else 2
    spots = [scene.spot(place) for place in range(board.track)]
    for by, fill in ((2.5, "#1d2831"), (0, STONE)):
        stones = "".join(f"M{x:.1f} {y + by:.1f}h.01" for x, y in spots)
        pen.path(stones, stroke=fill, stroke_width=2 * r, stroke_linecap="round")
    signs.pits(pen, [spot for place, spot in enumerate(spots) if place % board.quarter in board.holes], r)
    for place, (x, y) in enumerate(spots):
        colour, offset = divmod(place, board.quarter)
        if offset == board.meeting or (offset == 0 and colour in scene.colours.values()):
            pen.at(x, y, r / 15, 0 if offset else 90 * (colour - scene.colours[scene.below]))
            pen.stamp(signs.meeting) if offset else pen.stamp(signs.start, colour)
            pen.close()
        if numbers and place % every == 0:
            x, y = scene.spot(place, min(0.44 * scene.gap + 11, 26) + (3 if place > 99 else 0))  # beside the pawns
            pen.words(x, y + 3.6, str(place), 10, "#c3d0db", anchor="middle", bold=False)


def homes(scene: Scene, words: bool = True) -> None:
    """Draw start areas, goals and kennels, with names and numbers or without."""
    pen = scene.pen
    for seat, colour in scene.colours.items():
        _area(scene, colour)
        for px, py, turn in _PRINTS:
            pen.at(*scene.turned(px, py, colour), 0.3, turn + 90 * (colour - scene.colours[scene.below]))
            pen.stamp(signs.paw, _PLAZA)
            pen.close()
        x, y = scene.middle(colour)
        if words:
            pen.words(x, y + 61, scene.name(seat), 14, PAPER, anchor="middle")
        for i in range(PAWNS):
            gx, gy = scene.spot(GOAL + PAWNS * colour + i)
            pen.dot(gx, gy, 14.5, LIGHT[colour], stroke=FILL[colour], stroke_width=3)
            if words and GOAL + PAWNS * colour + i not in scene.pawns:
                pen.words(gx, gy + 4.5, str(i), 12.5, DARK[colour], anchor="middle")
        kx, ky = scene.turned(0, HALF - LANE - STEP * PAWNS - 7, colour)
        pen.at(kx, ky)
        pen.stamp(signs.kennel, colour)
        if seat in scene.seen["winners"]:
            pen.at(20, -10, 0.85)
            pen.stamp(signs.rosette)
            pen.close()
        pen.close()


def _area(scene: Scene, colour: int) -> None:
    """Draw a start area. If a pawn may leave it, the area and the start space are a target.

    Otherwise the area is refused if a pawn of the seat that decides waits there.
    """
    pen, (x, y) = scene.pen, scene.middle(colour)
    enters = scene.mover >= 0 and colour == scene.own and scene.target("from area")
    waits = scene.mover >= 0 and colour == scene.own and "area" in scene.seen["pawns"][COLOURS[colour]]
    refused = waits and not enters and scene.refused(scene.mover, "from area")
    edge, thick = (PICK, 4) if enters else (FILL[colour], 2.4)
    pen.box(x - 46, y - 44, 92, 88, 20, DARK[colour], stroke=edge, stroke_width=thick)
    nests = "".join(f"M{nx - 9:.1f} {ny:.1f}h18" for nx, ny in (scene.nest(colour, i) for i in range(PAWNS)))
    pen.path(nests, stroke="#000", stroke_width=11, stroke_linecap="round", stroke_opacity=0.25)
    if enters:
        scene.landing(colour * scene.board.quarter)
    if enters or refused:
        pen.close()


def middle(scene: Scene) -> None:
    """Draw the discard pile and the card being played with its function, points and penalty."""
    pen, seen = scene.pen, scene.seen
    discard, pending, copied = seen["discard"], seen["pending"], seen["last_card"]
    scale, top = 0.72, Y - 62
    w, h = scale * CARD_W, scale * CARD_H
    for x, title, card in (
        (X - w - 8, "discards", discard[0] if discard else None),
        (X + 8, "played", (pending or {}).get("card")),
    ):
        heading(pen, x + w / 2, top - 8, title, PAPER, "middle")
        if card is None:
            pen.box(x, top, w, h, 7, signs.HEDGE, stroke="#7fa48d", stroke_width=1.3, stroke_dasharray="4 4")
            continue
        for i in reversed(range(1 if title == "played" else min(4, math.ceil(len(discard) / 12)))):
            pen.at(x + 2 * i, top + 2.5 * i, scale)
            if i:
                pen.box(0, 0, CARD_W, CARD_H, 9, PAPER, stroke="#8d7c52", stroke_width=1.2)
            else:
                pen.stamp(signs.face, card)
            pen.close()
    if seen["winners"]:
        pen.at(X + w / 2 + 8, top + h / 2 - 6, 1.7)
        pen.stamp(signs.rosette)
        pen.close()
    pen.words(X - w / 2 - 8, top + h + 24, str(len(discard)), 14, PAPER, anchor="middle")
    if pending is not None:
        if pending["points"]:
            for n, fill, size in ((4, "#1c3328", 11), (pending["points"], PICK, 8)):
                dots = "".join(f"M{X + w / 2 + 14 * i - 13:.1f} {top + h + 18:.1f}h.01" for i in range(n))
                pen.path(dots, stroke=fill, stroke_width=size, stroke_linecap="round")
        elif pending["as"] != pending["card"]:
            pen.words(X + w / 2 + 8, top + h + 22, f"as {pending['as']}", 13, PICK, anchor="middle")
        if pending["penalty"]:
            pen.box(X - 72, top - 42, 144, 20, 6, "#8f2a24", stroke="#f0b0a8", stroke_width=1)
            pen.words(X, top - 27.5, "captured its own side", 12.5, PAPER, anchor="middle")
    if copied is not None:
        pen.words(X + 12, Y + 75, "a copy is", 12.5, PAPER, anchor="end", bold=False)
        pen.at(X + 18, Y + 60.5)
        pen.stamp(signs.chip, copied)
        pen.close()
