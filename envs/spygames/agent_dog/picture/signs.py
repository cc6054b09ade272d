"""Original drawings for Agent DOG: agents, hats, kennels, pits, meeting points, trees, cards. Most center on (0, 0)."""

import math
from collections.abc import Collection, Mapping, Sequence

from spygames.agent_dog.cards import CARDS, OFFERED
from spygames.core.svg.colours import BAD, EDGE, INK, PAPER, PICK, Theme, themed
from spygames.core.svg.pen import Pen

FILL = ("#e2574c", "#4f9be0", "#58b368", "#f2c53d")
"""Colors of seats: red with a dot, blue with a bar, green with a cross, yellow with a ring."""
DARK = ("#9e2f28", "#1f5c96", "#256338", "#755806")
LIGHT = ("#f6c9c2", "#c7dff5", "#cdebd0", "#fbeab4")
_TEXT = tuple(map(themed, ("#ff8f80", "#7fbdf5", "#7fd08c", "#f4cf5a"), DARK))
TEXT: Mapping[Theme, tuple[str, ...]] = {theme: tuple(each[theme] for each in _TEXT) for theme in _TEXT[0]}
"""The colors of the seats as text on the table."""
ROAD, LAWN, HEDGE, STONE = "#33424f", "#3d6650", "#2f5341", "#e9dfc6"
BLUE_CARD, RED_CARD, BACK = "#2f6496", "#a93c35", "#27455e"
GREY, GREY_DARK = "#8d99a5", "#56626d"
CARD_W, CARD_H = 92, 128
CHIP_W, CHIP_H = 32, 20
_PAW = (
    "M0 -4C9 -4 15 5 13 12C11 18 5 15 0 15C-5 15 -11 18 -13 12C-15 5 -9 -4 0 -4Z"
    "M-19 -2a4.4 6.4 0 0 1 8.8 0a4.4 6.4 0 0 1 -8.8 0ZM10.2 -2a4.4 6.4 0 0 1 8.8 0a4.4 6.4 0 0 1 -8.8 0Z"
    "M-10 -12a4.4 6.4 0 0 1 8.8 0a4.4 6.4 0 0 1 -8.8 0ZM1.2 -12a4.4 6.4 0 0 1 8.8 0a4.4 6.4 0 0 1 -8.8 0Z"
)


def pattern(pen: Pen, colour: int, size: float, fill: str = PAPER) -> None:
    """Draw the mark that identifies a color without color vision."""
    if colour == 0:
        pen.dot(0, 0, 0.62 * size, fill)
    elif colour == 1:
        pen.box(-size, -0.38 * size, 2 * size, 0.76 * size, 1, fill)
    elif colour == 2:
        d = 0.75 * size
        pen.path(f"M{-d:.1f} 0H{d:.1f}M0 {-d:.1f}V{d:.1f}", stroke=fill, stroke_width=0.62 * size)
    else:
        pen.dot(0, 0, 0.68 * size, "none", stroke=fill, stroke_width=0.5 * size)


def pawn(pen: Pen, colour: int) -> None:
    """Draw an agent in a trench coat with a hat. It stands on (0, 0) and is 40 high."""
    fill, dark = FILL[colour], DARK[colour]
    pen.path("M-14 1a14 4.6 0 0 0 28 0a14 4.6 0 0 0 -28 0Z", "#000", fill_opacity=0.3)
    pen.path("M-12 0Q-14 -15 -5 -19H5Q14 -15 12 0Q0 3.4 -12 0Z", fill, stroke=INK, stroke_width=1.8)
    pen.path("M-5 -19L0 -13L5 -19Z", PAPER, stroke=INK, stroke_width=1.1, stroke_linejoin="round")
    pen.dot(0, -24, 6.6, "#f3d9b8", stroke=INK, stroke_width=1.6)
    pen.path(
        "M-12 -26.5Q0 -22.5 12 -26.5L7.8 -29L6.4 -38Q0 -34.6 -6.4 -38L-7.8 -29Z",
        dark,
        stroke=INK,
        stroke_width=1.6,
        stroke_linejoin="round",
    )
    pen.path("M-7.4 -29.6Q0 -27 7.4 -29.6", stroke=fill, stroke_width=2.8)
    pen.at(0, -7)
    pattern(pen, colour, 5.2, INK if colour == 3 else PAPER)
    pen.close()


def hat(pen: Pen, colour: int | None) -> None:
    """Draw a gray hat over a pair of eyes. A known color is shown by the ribbon and a mark."""
    pen.path("M-13 1a13 6 0 0 0 26 0a13 6 0 0 0 -26 0Z", "#0d141b")
    pen.dot(-4, -2, 2.6, "#fff")
    pen.dot(4, -2, 2.6, "#fff")
    pen.dot(-3.6, -1.6, 1.2, INK)
    pen.dot(4.4, -1.6, 1.2, INK)
    pen.path(
        "M-17 -6Q0 0.5 17 -6L10.5 -9.6L8.6 -24Q0 -18.6 -8.6 -24L-10.5 -9.6Z",
        GREY,
        stroke=INK,
        stroke_width=1.8,
        stroke_linejoin="round",
    )
    ribbon = GREY_DARK if colour is None else FILL[colour]
    pen.path("M-10.2 -10.2Q0 -6.2 10.2 -10.2", stroke=ribbon, stroke_width=3.8)
    if colour is not None:
        pen.dot(0, -15.2, 5.4, FILL[colour], stroke=INK, stroke_width=1)
        pen.at(0, -15.2)
        pattern(pen, colour, 3.4, INK if colour == 3 else PAPER)
        pen.close()


def pits(pen: Pen, points: Sequence[tuple[float, float]], r: float = 15) -> None:
    """Draw all holes, with ladders, at once."""
    for width, dy, fill in ((2 * r, 0, "#7d8994"), (1.68 * r, 0.8, "#0d141b")):
        d = "".join(f"M{x:.1f} {y + dy:.1f}h.01" for x, y in points)
        pen.path(d, stroke=fill, stroke_width=width, stroke_linecap="round")
    k = r / 15
    ladder = (
        f"v{13 * k:.1f}m{9 * k:.1f} 0v{-13 * k:.1f}m{-9 * k:.1f} {4 * k:.1f}h{9 * k:.1f}m0 {5.4 * k:.1f}h{-9 * k:.1f}"
    )
    d = "".join(f"M{x - 4.5 * k:.1f} {y - 11 * k:.1f}{ladder}" for x, y in points)
    pen.path(d, stroke="#6b7783", stroke_width=1.8 * k)


def meeting(pen: Pen) -> None:
    """Draw a meeting point, two heads together, 30 wide."""
    pen.dot(0, 0, 15, "#6d4a9c", stroke="#d9c8f0", stroke_width=2)
    pen.path("M-8.2 -4a3.2 3.2 0 0 1 6.4 0a3.2 3.2 0 0 1 -6.4 0ZM1.8 -4a3.2 3.2 0 0 1 6.4 0a3.2 3.2 0 0 1 -6.4 0Z"
             "M-10.4 8.4Q-10 .6 -5 .6Q-0.4 .6 -.4 8.4ZM.4 8.4Q.4 .6 5 .6Q10 .6 10.4 8.4Z", PAPER)  # fmt: skip


def start(pen: Pen, colour: int) -> None:
    """Draw a start space, 32 wide. Its arrow points left, which is forward at the bottom of the board."""
    pen.dot(0, 0, 15.6, LIGHT[colour], stroke=FILL[colour], stroke_width=4)
    pen.path("M3 -6L-4 0L3 6", stroke=DARK[colour], stroke_width=3.4, stroke_linecap="round", stroke_linejoin="round")


def kennel(pen: Pen, colour: int) -> None:
    """Draw a kennel in a color, 40 wide."""
    pen.box(-15, -8, 30, 22, 2, "#f7ecd6", stroke=INK, stroke_width=1.8)
    pen.path("M-20 -6L0 -22L20 -6Z", FILL[colour], stroke=INK, stroke_width=1.8, stroke_linejoin="round")
    pen.path("M-6.5 14V3A6.5 7 0 0 1 6.5 3V14Z", DARK[colour], stroke=INK, stroke_width=1.4)
    pen.at(0, -11)
    pattern(pen, colour, 3.6, INK if colour == 3 else PAPER)
    pen.close()


def tree(pen: Pen) -> None:
    """Draw a tree seen from above."""
    pen.path("M-15 6a18 12 0 0 0 36 0a18 12 0 0 0 -36 0Z", "#000", fill_opacity=0.16)
    for x, y, r in ((-8, 0, 12), (8, -1, 12), (0, -9, 13)):
        pen.dot(x, y, r, HEDGE)
    pen.dot(-4, -10, 5.5, "#477a60")


def paw(pen: Pen, fill: str) -> None:
    """Draw a paw print, 38 wide."""
    pen.path(_PAW, fill)


def rosette(pen: Pen) -> None:
    """Draw the rosette of a winner, 30 wide."""
    pen.path("M-8 8L-11 24L-4 19L0 25L4 19L11 24L8 8Z", BAD, stroke=INK, stroke_width=1.2, stroke_linejoin="round")
    points = "L".join(
        f"{r * math.sin(math.pi * i / 12):.1f} {-r * math.cos(math.pi * i / 12):.1f}"
        for i in range(24)
        for r in ((15, 12)[i % 2],)
    )
    pen.path(f"M{points}Z", PICK, stroke=INK, stroke_width=1.2)
    pen.at(0, -1, 0.36)
    paw(pen, INK)
    pen.close()


# ---------------------------------------------------------------- cards


def sign(pen: Pen, card: str, fill: str, ground: str) -> None:
    """Draw the symbol of a card without a number, about 44 wide."""
    if card == "swap":  # two hats change places
        for x, y in ((-12, 1), (12, 1)):
            pen.path(f"M{x - 12} {y}Q{x} {y + 5} {x + 12} {y}L{x + 7} {y - 3}L{x + 6} {y - 13}"
                     f"Q{x} {y - 9} {x - 6} {y - 13}L{x - 7} {y - 3}Z", fill)  # fmt: skip
        pen.path("M-13 -17Q0 -27 13 -17M13 12Q0 22 -13 12", stroke=fill, stroke_width=3)
        pen.path("M18 -12L7.5 -15.5L15.5 -23ZM-18 7L-7.5 10.5L-15.5 18Z", fill)
    elif card == "copy":  # a card and its double
        pen.box(-17, -21, 22, 30, 4, "none", stroke=fill, stroke_width=3)
        pen.box(-6, -11, 23, 31, 4, fill, stroke=ground, stroke_width=2.4)
        pen.path("M0 0H11M0 6H11M0 12H7", stroke=ground, stroke_width=2.4)
    else:  # two agents side by side
        for x, y in ((-10, -1), (10, 3)):
            pen.dot(x, y - 10, 6, fill)
            pen.path(f"M{x - 9} {y + 17}Q{x - 10} {y - 3} {x} {y - 3}Q{x + 10} {y - 3} {x + 9} {y + 17}Z", fill)
            pen.path(f"M{x - 10} {y - 11}Q{x} {y - 8} {x + 10} {y - 11}L{x + 5} {y - 13}L{x + 4} {y - 20}"
                     f"H{x - 4}L{x - 5} {y - 13}Z", fill, stroke=ground, stroke_width=1)  # fmt: skip


def ground_of(card: str) -> str:
    """Return the color of a card: blue if a number is its only function, else red (AD-5)."""
    return BLUE_CARD if OFFERED[CARDS.index(card)] == (card,) and card.isdigit() else RED_CARD


def back(pen: Pen) -> None:
    """Draw a card's back, CARD_W x CARD_H, with the top left corner at (0, 0)."""
    pen.box(0, 0, CARD_W, CARD_H, 9, BACK, stroke="#0f1a24", stroke_width=1.4)
    pen.box(6, 6, CARD_W - 12, CARD_H - 12, 6, "none", stroke="#5f87a6", stroke_width=1.2)
    pen.at(CARD_W / 2, CARD_H / 2, 1.2)
    paw(pen, "#7fa8c6")
    pen.close()


def face(pen: Pen, card: str) -> None:
    """Draw a card's face, CARD_W x CARD_H, with the top left corner at (0, 0)."""
    ground = ground_of(card)
    pen.box(2, 3, CARD_W, CARD_H, 9, "#000", fill_opacity=0.28)
    pen.box(0, 0, CARD_W, CARD_H, 9, PAPER, stroke="#8d7c52", stroke_width=1.2)
    pen.box(5, 5, CARD_W - 10, CARD_H - 10, 6, "none", stroke=ground, stroke_width=1.4)
    if card in ("swap", "copy", "companion"):
        pen.dot(CARD_W / 2, 47, 31, ground)
        pen.at(CARD_W / 2, 48, 0.96)
        sign(pen, card, PAPER, ground)
        pen.close()
        pen.words(CARD_W / 2, 94, card.upper(), 11.5, ground, anchor="middle")
        if card == "companion":
            for i in range(4):
                pen.at(25 + 14 * i, 109, 0.3)
                paw(pen, ground)
                pen.close()
        return
    size = 56 if len(card) < 3 else 34
    pen.words(CARD_W / 2, 70 if len(card) < 3 else 64, card, size, ground, anchor="middle")
    if ground == BLUE_CARD:  # as many dots as steps
        n = int(card)
        rows = [n] if n < 7 else [(n + 1) // 2, n // 2]
        dots = [
            f"M{CARD_W / 2 + 10 * (i - (each - 1) / 2):.0f} {104 if len(rows) == 1 else 97 + 13 * row}h.01"
            for row, each in enumerate(rows)
            for i in range(each)
        ]
        pen.path("".join(dots), stroke=ground, stroke_width=6, stroke_linecap="round")


def chip(pen: Pen, card: str) -> None:
    """Draw a small card, CHIP_W x CHIP_H, with the top left corner at (0, 0)."""
    if card == "?":
        pen.box(0, 0, CHIP_W, CHIP_H, 4, BACK, stroke="#5f87a6", stroke_width=1)
        pen.at(CHIP_W / 2, CHIP_H / 2, 0.34)
        paw(pen, "#7fa8c6")
        pen.close()
        return
    ground = ground_of(card)
    pen.box(0, 0, CHIP_W, CHIP_H, 4, ground, stroke=EDGE, stroke_width=0.8)
    if card in ("swap", "copy", "companion"):
        pen.at(CHIP_W / 2, CHIP_H / 2, 0.4)
        sign(pen, card, PAPER, ground)
        pen.close()
    else:
        pen.words(CHIP_W / 2, CHIP_H / 2 + 4.7, card, 13, PAPER, anchor="middle")


def function(pen: Pen, name: str, x: float, w: float, on: bool) -> None:
    """Draw the small button of a function in the last line of a card."""
    pen.box(x, 98, w, 24, 6, "#ffe9a0" if on else "#e6dcc2", stroke="#b8860b" if on else "#b9a878", stroke_width=1.6)
    pen.words(x + w / 2, 114.4, name, 12, INK, anchor="middle")


def functions_of(card: str, last_card: str | None) -> Collection[str]:
    """Return the functions to choose from: none if a card has only one; for a copy, those of the last card."""
    if card == "copy":
        return OFFERED[CARDS.index(last_card)] if last_card else ()
    offered = OFFERED[CARDS.index(card)]
    return offered if len(offered) > 1 else ()
