"""Original drawings for Heimlich & Co.: agents, tokens, the safe, the die, and symbols of the cards."""

from typing import Any

from spygames.core.svg.colours import BAD, INK, PAPER
from spygames.core.svg.pen import Pen
from spygames.heimlich.board import AGENTS

LETTERS: dict[str, str] = dict(zip(AGENTS, "RYGBPOA", strict=True))
"""Letter of each agent; A, for ash, is grey."""
COLOURS: dict[str, str] = dict(
    zip(AGENTS, ("#d8503f", "#f0c330", "#4fa85c", "#4a8fd6", "#9a66c8", "#ec8a34", "#a3adb6"), strict=True)
)
DARK: dict[str, str] = dict(
    zip(AGENTS, ("#8a2b22", "#7d5f0a", "#22602f", "#1f4c80", "#59327f", "#8f4a10", "#4d5760"), strict=True)
)
"""Dark color of each agent, for hats and behind light text."""
GOLD, BACK, BACK_LINE = "#f4b63f", "#27455e", "#7fa8c6"
TAG = "#9fb2c3"
"""The ground of small labels in dark text."""
STONE, WOOD = "#cfc6b4", "#6b4a32"
THIN: dict[str, Any] = {"stroke": INK, "stroke_width": 1.4, "stroke_linejoin": "round"}


def figure(pen: Pen, agent: str, ghost: bool = False, letter: float = 10.8) -> None:
    """Draw an agent in cloak and hat that stands on (0, 0), 48 high. A ghost has no letter, nor one of size 0."""
    colour, dark = COLOURS[agent], DARK[agent]
    pen.open(opacity=0.4 if ghost else None, **THIN)
    pen.add("ellipse", cx=0, cy=0.5, rx=13, ry=3.6, fill="#000", opacity=0.3, stroke="none")
    pen.path("M-13 0 Q-14 -16 -6 -25 H6 Q14 -16 13 0 Q0 4 -13 0 Z", colour)
    pen.dot(0, -30, 7, "#f0d3b0")
    pen.path("M-9 -27 L0 -18 L9 -27 L7 -22 L0 -16 L-7 -22 Z", dark)
    pen.path("M-6 -31 H6", stroke_width=3)
    _hat(pen, agent, dark, colour)
    if letter and not ghost:
        pen.dot(0, -8, 7.4 * letter / 10.8, PAPER, stroke="none")
        pen.words(0, 0.36 * letter - 8, LETTERS[agent], letter, INK, anchor="middle", stroke="none")
    pen.close()


def _hat(pen: Pen, agent: str, fill: str, band: str) -> None:
    """Draw the hat that tells agents apart without colors: fedora, boater, beret, bowler, top hat, cap or hood."""
    if agent == "red":
        pen.path("M-12 -34 Q0 -31 12 -34 L8 -36.5 L6.5 -45 Q0 -41.5 -6.5 -45 L-8 -36.5 Z", fill)
        pen.path("M-7.6 -38 Q0 -36 7.6 -38", stroke=band, stroke_width=2)
    elif agent == "yellow":
        pen.box(-7.5, -45, 15, 10, 1, fill)
        pen.path("M-7 -38.6 H7", stroke=band, stroke_width=2.6)
        pen.path("M-12 -35 H12", stroke_width=4.4, stroke_linecap="round")
        pen.path("M-12 -35 H12", stroke=fill, stroke_width=1.8, stroke_linecap="round")
    elif agent == "green":
        pen.path("M1 -43 V-48", stroke_width=2.6, stroke_linecap="round")
        pen.path("M-8 -34 Q-14 -44 1 -44 Q15 -44 8 -34 Z", fill)
    elif agent == "blue":
        pen.path("M-8 -35 A8 10 0 0 1 8 -35 Z", fill)
        pen.path("M-7.6 -37.4 H7.6", stroke=band, stroke_width=2)
        pen.path("M-11.5 -35.5 Q0 -32 11.5 -35.5", stroke_width=3.4, stroke_linecap="round")
    elif agent == "purple":
        pen.path("M-6.5 -35 L-7.5 -51 H7.5 L6.5 -35 Z", fill)
        pen.path("M-6.6 -39 H6.6", stroke=band, stroke_width=2.6)
        pen.path("M-11.5 -35 H11.5", stroke_width=3.6, stroke_linecap="round")
    elif agent == "orange":
        pen.path("M-9 -34 Q-9 -43 0 -43 Q8 -43 9 -35 L16 -32.5 Q8 -31.5 -9 -34 Z", fill)
        pen.dot(0, -43, 1.4, INK)
    else:
        pen.path("M-10 -22 Q-13 -38 0 -49 Q13 -38 10 -22 Q8 -35 0 -36.5 Q-8 -35 -10 -22 Z", fill)


def token(pen: Pen, agent: str, r: float = 10, ghost: bool = False) -> None:
    """Draw a token of the score track, centered on (0, 0)."""
    if ghost:
        pen.dot(0, 0, r, "none", stroke=DARK[agent], stroke_width=2, stroke_dasharray="3 3")
        return
    pen.dot(0, 0, r, COLOURS[agent], stroke=INK, stroke_width=1.4)
    pen.dot(0, 0, r * 0.72, PAPER)
    pen.words(0, r * 0.37, LETTERS[agent], r * 1.02, INK, anchor="middle")


def safe(pen: Pen, ghost: bool = False) -> None:
    """Draw the safe, centered on (0, 0), 36 wide."""
    pen.open(opacity=0.4 if ghost else None)
    pen.path("M-12 16 V20 M12 16 V20", stroke=INK, stroke_width=5)
    pen.box(-17, -17, 34, 34, 4, "#46586a", stroke=INK, stroke_width=2)
    pen.box(-12.5, -12.5, 25, 25, 3, "#5d7287", stroke=GOLD, stroke_width=1.6)
    pen.dot(0, 0, 7.6, GOLD, stroke=INK, stroke_width=1.4)
    pen.path("M0 -5 V5 M-4.4 -2.5 L4.4 2.5 M-4.4 2.5 L4.4 -2.5", stroke=INK, stroke_width=1.5)
    pen.close()


def die(pen: Pen, face: int | str) -> None:
    """Draw a face of the die, centered on (0, 0), 62 wide."""
    pen.box(-29, -27, 62, 62, 13, "#000", opacity=0.3)
    pen.box(-31, -31, 62, 62, 13, PAPER, stroke="#b9a878", stroke_width=2)
    if isinstance(face, str):
        pen.words(0, 9, face, 26, BAD, anchor="middle")
        return
    for x, y in {1: ((0, 0),), 2: ((1, -1), (-1, 1)), 3: ((1, -1), (0, 0), (-1, 1))}.get(
        face, ((-1, -1), (1, -1), (-1, 1), (1, 1), *{5: ((0, 0),), 6: ((-1, 0), (1, 0))}.get(face, ()))
    ):
        pen.dot(17 * x, 17 * y, 6, INK)


def tree(pen: Pen) -> None:
    """Draw a tree that stands on (0, 0), 32 high."""
    pen.path("M-2 0 L-1.4 -14 H1.4 L2 0 Z", WOOD)
    pen.path("M-6 -9 A7.5 7.5 0 0 1 -9 -22 A8.5 8.5 0 0 1 8 -23 A7.5 7.5 0 0 1 6 -9 Z", "#3f7348")
    pen.dot(-3, -24, 3.6, "#5f9560")


def fountain(pen: Pen) -> None:
    """Draw a fountain that stands on (0, 0), 60 wide."""
    pen.path("M0 -36 Q-16 -42 -20 -14 M0 -36 Q16 -42 20 -14 M0 -36 Q-7 -42 -9 -14 M0 -36 Q7 -42 9 -14",
             stroke="#a9d8e8", stroke_width=2.4, stroke_linecap="round")  # fmt: skip
    pen.path("M-3 -12 L-2 -34 H2 L3 -12 Z", STONE, **THIN)
    pen.path("M-30 -13 H30 L25 2 H-25 Z", STONE, **THIN)
    pen.add("ellipse", cx=0, cy=-13, rx=29, ry=4.6, fill="#6fb3cc", stroke=INK, stroke_width=1.2)


def back(pen: Pen, w: float, h: float) -> None:
    """Draw a card's back, a keyhole, with the top left corner at (0, 0)."""
    pen.box(0, 0, w, h, w * 0.12, BACK, stroke="#0f1a24", stroke_width=1.4)
    pen.dot(w / 2, h * 0.44, w * 0.15, BACK_LINE)
    pen.path(f"M{w / 2:.1f} {h * 0.42:.1f} L{w * 0.66:.1f} {h * 0.72:.1f} H{w * 0.34:.1f} Z", BACK_LINE)


_MEEPLE = "M-7 10 Q-8 0 -3 -3 A5 5 0 1 1 3 -3 Q8 0 7 10 Z"
_ON, _OFF = "M-9 0 H7 M1 -6 L8 0 L1 6", "M9 0 H-7 M-1 -6 L-8 0 L-1 6"


def card_sign(pen: Pen, card: str, light: str = PAPER, ground: str = INK) -> None:
    """Draw the symbol of a card in `light` on `ground`, centered on (0, 0), about 44 wide."""
    line: dict[str, Any] = {"stroke": light, "stroke_width": 3, "stroke_linecap": "round", "stroke_linejoin": "round"}

    def man(x: float, y: float, scale: float = 1.0) -> None:
        pen.at(x, y, scale)
        pen.path(_MEEPLE, light)
        pen.close()

    def arrow(x: float, y: float, d: str, turn: float = 0) -> None:
        pen.at(x, y, turn=turn)
        pen.path(d, **line)
        pen.close()

    def strongbox(x: float, y: float) -> None:
        pen.box(x - 9, y - 9, 18, 18, 3, light)
        pen.dot(x, y, 4.6, ground)
        pen.dot(x, y, 1.8, light)

    match card:
        case "move_safe":
            strongbox(-9, 0)
            arrow(13, 0, _ON)
        case "score_3":
            pen.dot(-8, 4, 11, "none", stroke=light, stroke_width=3)
            pen.dot(10, -5, 11, ground, stroke=light, stroke_width=3)
            pen.path("M10 -10 V0 M5 -5 H15", **line)
        case "back_1_2":
            man(10, 0, 1.2)
            arrow(-12, -6, _OFF)
            arrow(-12, 7, _OFF)
        case "step_1":
            man(0, 0, 1.2)
            pen.path("M-13 -5 L-20 0 L-13 5 M13 -5 L20 0 L13 5", **line)
        case "two_back":
            man(13, 0)
            man(-1, 0)
            pen.path("M-12 -6 L-19 0 L-12 6", **line)
        case "two_forward":
            man(-13, 0)
            man(1, 0)
            pen.path("M12 -6 L19 0 L12 6", **line)
        case "off_safe":
            strongbox(-8, 5)
            man(12, -4)
            pen.path("M-4 -16 Q2 -20 7 -16", **line)
        case "to_ruins":
            man(-12, 0, 1.1)
            pen.path("M2 11 V-6 L7 -11 L9 -3 L14 -8 L16 2 L20 0 V11 Z", light)
        case "all_to_church":
            pen.path("M-11 15 V-2 L0 -12 L11 -2 V15 Z M-1.6 -12 V-21 H1.6 V-12 M-5 -19.5 H5 V-16.5 H-5 Z", light)
            pen.path("M-21 8 H-15 M21 8 H15 M-18 4.5 L-14.5 8 L-18 11.5 M18 4.5 L14.5 8 L18 11.5", **line)
        case "swap":
            man(-14, 2)
            man(14, 2)
            pen.path("M-6 -11 H7 L3 -15 M6 14 H-7 L-3 18", **line)
        case "join":
            man(7, 0, 1.1)
            man(16, 3, 0.8)
            arrow(-12, 2, _ON)
        case "ruins_to_church":
            pen.path(
                "M-20 12 V-4 L-15 -9 L-13 -1 L-8 -6 L-6 12 Z M6 13 V0 L13 -7 L20 0 V13 Z M12 -6 V-16 H14 V-6", light
            )
            pen.path("M-3 -12 Q1 -18 6 -12 M6 -17 V-12 H1", **{**line, "stroke_width": 2.4})
        case "forward_1_3":
            man(-11, 0, 1.2)
            for y in (-9, 0, 9):
                pen.path(f"M2 {y} H{11 + y // 2 + 4} m-4 -4 l4 4 l-4 4", **{**line, "stroke_width": 2.4})
        case "to_safe":
            man(-13, 0)
            arrow(-1, 2, "M-3 0 H4 M1 -4 L5 0 L1 4")
            strongbox(14, 2)
        case _:  # new_identity: a passport and a question mark
            pen.box(-12, -17, 24, 34, 3, light)
            pen.dot(0, -3, 7.5, ground)
            pen.path("M-3 -4 A3 3 0 1 1 0 -1 V1", stroke=light, stroke_width=2.2, stroke_linecap="round")
            pen.dot(0, 3.6, 1.4, light)
            pen.path("M-7 10 H7", stroke=ground, stroke_width=2.4)
