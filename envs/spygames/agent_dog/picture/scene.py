"""Data and geometry that all parts of a picture of Agent DOG share."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from spygames.agent_dog.board import BOARDS, COLOURS, GOAL, PAWNS, Board, string_to_place
from spygames.agent_dog.cards import FUNCTIONS
from spygames.agent_dog.picture.signs import functions_of
from spygames.core.svg.annotations import Look
from spygames.core.svg.colours import PICK
from spygames.core.svg.pen import Pen

X, Y = 600, 378
"""Center of the board."""
HALF, RADIUS = 296, 104
"""Half the side, and the corner radius, of the rounded square of the track."""
LANE, STEP = 37, 33
"""Distance from the start space to the first goal space, and between goal spaces."""
LEFT, RIGHT, COLUMN = 16, 944, 240
"""Left edges of the two columns beside the board, and their width."""
_STRAIGHT = HALF - RADIUS
_QUARTER = 2 * _STRAIGHT + math.pi * RADIUS / 2
Point = tuple[float, float]
Pawn = tuple[int | None, bool]
"""Color of a pawn, None if unknown, and whether the pawn is hidden."""


@dataclass
class Scene:
    """The position, the viewer and the geometry of a picture."""

    pen: Pen
    seen: Mapping[str, Any]
    look: Look
    board: Board
    colours: Mapping[int, int]
    """Color of each seat."""
    below: int
    """Seat at the bottom."""
    pawns: Mapping[int, Pawn]
    """Pawn on each occupied place."""
    left: set[str] = field(default_factory=set)
    """Legal actions that have not been drawn yet."""

    @property
    def mover(self) -> int:
        """Seat to move; -1 when over."""
        return -1 if self.seen["to_move"] is None else self.seen["to_move"]

    @property
    def own(self) -> int:
        """AD-18: color that the mover plays."""
        colour = self.colours[self.mover]
        home = sum(self.pawns.get(GOAL + PAWNS * colour + i) == (colour, False) for i in range(PAWNS))
        return colour ^ 2 if home == PAWNS and self.seen["players"] == 4 else colour

    def taker(self, seat: int) -> int:
        """AD-6: return the seat that gets the card passed by `seat`."""
        players = self.seen["players"]
        return seat ^ 2 if players == 4 else (seat + 1) % players

    def sits(self, quadrants: int) -> bool:
        """Whether a player sits this number of quadrants clockwise from the bottom."""
        return (self.colours[self.below] + quadrants) % 4 in self.colours.values()

    def name(self, seat: int) -> str:
        """Return the name of a seat, or "You"."""
        return "You" if seat == self.look.viewer else f"player_{seat}"

    def turned(self, x: float, y: float, colour: int) -> Point:
        """Rotate a point, relative to the center, from the bottom quadrant to the quadrant of a color."""
        for _ in range((colour - self.colours[self.below]) % 4):
            x, y = -y, x
        return X + x, Y + y

    @property
    def gap(self) -> float:
        """Distance between neighboring spaces."""
        return 4 * _QUARTER / self.board.track

    def spot(self, place: int, out: float = 0) -> Point:
        """Return the center of a place, or a point `out` units from it toward the rim."""
        if place >= GOAL:
            colour, i = divmod(place - GOAL, PAWNS)
            return self.turned(0, HALF - LANE - STEP * i, colour)
        colour, offset = divmod(place, self.board.quarter)
        d = offset * self.gap
        if d < _STRAIGHT:
            return self.turned(-d, HALF + out, colour)
        a = (d - _STRAIGHT) / RADIUS
        if a < math.pi / 2:
            r = RADIUS + out
            return self.turned(-_STRAIGHT - r * math.sin(a), _STRAIGHT + r * math.cos(a), colour)
        return self.turned(-HALF - out, _QUARTER - d, colour)

    @property
    def size(self) -> float:
        """Scale of the pawns on the track."""
        return min(0.82, max(0.58, self.gap / 41.5))

    def middle(self, colour: int) -> Point:
        """Return the center of a start area."""
        return self.turned(-152, 150, colour)

    def nest(self, colour: int, i: int) -> Point:
        """Return the position of the i-th pawn of a color in its start area."""
        x, y = self.middle(colour)
        return x + (-20, 20, -20, 20)[i], y + (-14, -14, 25, 25)[i]

    def target(self, action: str, label: str | None = None) -> bool:
        """Open a target if the action is legal. Returns whether it is."""
        if action not in self.look.legal:
            return False
        self.left.discard(action)
        self.pen.target(action=action, label=label)
        return True

    def refused(self, seat: int, action: str) -> bool:
        """Open a group of a seat that looks like a target, for a seat that decides. Returns whether it is open."""
        if not self.look.decides or seat != self.look.viewer:
            return False
        self.pen.refused(action)
        return True

    @property
    def verb(self) -> str:
        """The first word of the actions with a card of a hand."""
        return {"exchange": "pass", "redraw": "discard"}.get(self.seen["phase"], "card")

    def played(self, card: str) -> str:
        """Return the action that a tap on a card means if the card cannot be chosen: its first function."""
        names = [*functions_of(card, self.seen["last_card"]), *(FUNCTIONS if card == "copy" else ())]
        return f"{self.verb} {card}{f' as {names[0]}' if names and self.verb == 'card' else ''}"

    def landing(self, place: int) -> None:
        """Draw the place where a pawn would end."""
        x, y = self.spot(place)
        r = 15.5 if place >= GOAL else 0.46 * self.gap
        self.pen.dot(x, y, r, PICK, fill_opacity=0.75, stroke="#8a6100", stroke_width=2.4, stroke_dasharray="5 3")


def scene_of(pen: Pen, seen: Mapping[str, Any], look: Look) -> Scene:
    """Return the scene of a mapping of `seen_to_dict`."""
    board = BOARDS[seen["board"]] if isinstance(seen["board"], str) else Board(**seen["board"])
    # AD-1: two players sit opposite each other.
    colours = {seat: 2 * seat if seen["players"] == 2 else seat for seat in range(seen["players"])}
    hidden = {string_to_place(p if isinstance(p, str) else f"track {p}", "hidden", board.track) for p in seen["hidden"]}
    pawns: dict[int, Pawn] = dict.fromkeys(hidden, (None, True))
    for name, places in seen["pawns"].items():
        colour = COLOURS.index(name)
        for text in places:
            if text not in ("area", "?"):
                place = string_to_place(text, "pawns", board.track, colour)
                pawns[place] = colour, place in hidden
    return Scene(pen, seen, look, board, colours, max(0, look.viewer), pawns, set(look.legal))
