"""The drawings of Agent Avenue, all original: signs of the cards, meeples, houses, stalls, lamps, trees, card backs."""

import math
from collections.abc import Mapping

from spygames.core.svg.colours import BAD, INK, PAPER, Theme, themed
from spygames.core.svg.pen import Pen

GOLD, SKY = 0, 1
SIDE = ("#f4b63f", "#57b7e3")
"""The colors of the sides, which also differ by their hats, a fedora and a bowler."""
SIDE_DARK = ("#a8741a", "#22779f")
_SIDE_TEXT = tuple(map(themed, SIDE, ("#7a4a04", "#175a7d")))
SIDE_TEXT: Mapping[Theme, tuple[str, ...]] = {
    theme: tuple(each[theme] for each in _SIDE_TEXT) for theme in _SIDE_TEXT[0]
}
"""The colors of the sides as text on the table."""
KIND = {
    "double_agent": "#6d4a9c",
    "enforcer": "#b1472f",
    "codebreaker": "#1c7c79",
    "saboteur": "#434958",
    "daredevil": "#c03a6d",
    "sentinel": "#3b4da6",
    "sidekick": "#3d7a2f",
    "mole": "#7b5b3c",
}
BACK, BACK_LINE = "#27455e", "#7fa8c6"
MARKET, MARKET_LINE, MARKET_LIGHT = "#3a2b4d", "#a889c9", "#efe4fb"
EMPTY = themed("#43586b", "#a3b4c2")
"""The outline of an empty place."""
MARKET_TEXT = themed("#c9b3e2", "#65428f")
"""The color of the Black Market as text on the table."""
HEDGE = "#55805a"


def disc(x: float, y: float, rx: float, ry: float = 0) -> str:
    """The outline of a circle or an ellipse around (x, y)."""
    ry = ry or rx
    return f"M{x - rx:g} {y:g}a{rx:g} {ry:g} 0 1 0 {2 * rx:g} 0a{rx:g} {ry:g} 0 1 0 {-2 * rx:g} 0Z"


def slab(x: float, y: float, w: float, h: float, r: float) -> str:
    """The outline of a rectangle with corners of radius r."""
    a = f"a{r:g} {r:g} 0 0 1"
    return (
        f"M{x + r:g} {y:g}h{w - 2 * r:g}{a} {r:g} {r:g}v{h - 2 * r:g}{a} {-r:g} {r:g}"
        f"h{2 * r - w:g}{a} {-r:g} {-r:g}v{2 * r - h:g}{a} {r:g} {-r:g}Z"
    )


# A sign is about 40 x 40 around (0, 0): paths, each with its style. "light" and "ground" are filled, "line" and "cut"
# are lines in these two colors, "over" is light with an outline of the ground, "behind" is light and faint.
SIGNS: dict[str, tuple[tuple[str, str], ...]] = {
    "double_agent": (  # two faces under one hat
        ("light", "M0 -8V19A15 15 0 0 1-15-4V-8Z"),
        ("line", "M0 -8V19A15 15 0 0 0 15-4V-8Z"),
        ("ground", disc(-7, 1, 3, 2.2)),
        ("light", disc(7, 1, 3, 2.2)),
        ("cut", "M-10 9Q-5 13 0 12"),
        ("line", "M10 12Q5 8 0 12"),
        ("light", "M-21 -9H21V-4H-21ZM-12 -8L-10 -20Q0 -15 10 -20L12 -8Z"),
    ),
    "enforcer": (  # a fist
        ("over", "".join(slab(-17.5 + 8.6 * i, -14 if i in (0, 3) else -16, 9.4, 18, 4.5) for i in range(4))),
        ("light", slab(-17.5, -3, 35, 20, 6) + "M-11 16V21H12V16Z"),
        ("over", slab(-20, -3, 24, 10.5, 5.2)),
    ),
    "codebreaker": (  # a padlock
        ("thick", "M-9 -2V-8A9 9 0 0 1 9 -8V-2"),
        ("light", slab(-15, -3, 30, 22, 5)),
        ("ground", disc(0, 5.5, 3.6) + "M-1.9 6H1.9L3 14H-3Z"),
    ),
    "saboteur": (  # a bomb
        ("light", disc(-3, 5, 15) + "M4 -13L14 -4L9 1L-1 -8Z"),
        ("line", "M9 -9Q12 -19 19 -13M19 -22V-17M24 -19L21 -15.5M26 -12H21.5M14 -20L17 -16"),
        ("cut", "M-12 4A10 10 0 0 1-4 -5"),
    ),
    "daredevil": (  # a crash helmet with a bolt
        ("light", "M-18 8A18 20 0 0 1 18 4V12Q18 15 14 15H-6L-10 18H-16Q-19 14-18 8Z"),
        ("ground", "M2 0H18V8H4Q0 4 2 0ZM-4 -13L-12 0H-6L-9 10L2 -3H-4L0 -13Z"),
    ),
    "sentinel": (  # an eye that sees everything
        ("light", "M-21 1Q0 -20 21 1Q0 21-21 1Z"),
        ("ground", disc(0, 0.5, 8.6)),
        ("light", disc(0, 0.5, 3.6)),
        ("line", "M0 -16V-21M-11 -12.5L-14 -17M11 -12.5L14 -17"),
    ),
    "sidekick": (  # one behind the other
        ("behind", disc(7, -9, 7) + "M-4 17Q-3 -1 7 -1Q18 -1 19 17Z"),
        ("over", disc(-6, -3, 6.4) + "M-17 18Q-16 3.5-6 3.5Q4 3.5 5 18Z"),
        ("light", "M-14 -6H5V-3.5H-14ZM-12 -6Q-6 -15 0 -6Z"),
    ),
    "mole": (  # a mole with dark glasses
        ("light", "M-13 15V2A13 15 0 0 1 13 2V15Z"),
        ("ground", slab(-13.5, -4, 12, 8.5, 3) + slab(1.5, -4, 12, 8.5, 3) + disc(0, 8.5, 4.2, 3)),
        ("cut", "M-3 -1H3"),
        ("over", "M-22 19Q-17 10-8 15Q0 11 8 15Q17 10 22 19Z"),
    ),
    "distraction_device": (  # a bell that rings
        ("light", "M-14 10Q-9 6-9 -3A9 11 0 0 1 9 -3Q9 6 14 10Z" + disc(0, 14, 4)),
        ("line", "M0 -14V-18M-15 -12Q-19 -6-18 1M15 -12Q19 -6 18 1"),
    ),
    "getaway_car": (
        ("light", "M-20 9V1Q-19 -2-13 -3L-8 -11Q-7 -12-5 -12H6Q8 -12 9 -11L14 -3Q20 -2 20 2V9Z"),
        ("ground", "M-8 -3L-5 -8H-1V-3ZM2 -3V-8H6L9 -3Z"),
        ("over", disc(-11, 9, 5.5) + disc(11, 9, 5.5)),
    ),
    "leader_of_the_pack": (  # a crown
        ("light", "M-17 12L-20 -9L-9 0L0 -15L9 0L20 -9L17 12ZM-17 14H17V18H-17Z"),
        ("ground", disc(0, 5, 3) + disc(-9, 7, 2.2) + disc(9, 7, 2.2)),
    ),
    "masterplan": (  # a map with a marked place
        ("light", "M-19 -13L-7 -17L7 -12L19 -16V13L7 17L-7 12L-19 16Z"),
        ("cut", "M-14 9L-9 5M-6 2L-2 4M1 3L4 -1M7 -9L14 -3M14 -9L7 -3"),
    ),
    "security_system": (  # a camera on a wall
        ("light", "M-19 -12L13 -5L10 8L-22 1ZM13 -2L20 -3L18 7L12 6Z"),
        ("line", "M-6 5V15H-18M-18 10V20"),
        ("ground", disc(4, 0, 2.6)),
    ),
    "sinister_twin": (  # a mask behind a mask
        ("behind", "M-10 -16Q4 -20 19 -16Q21 -2 12 0Q5 -1 4 -6Q2 -1-5 0Q-11 -3-10 -16Z"),
        ("over", "M-20 -4Q-5 -8 10 -4Q12 12 2 14Q-4 13-5 8Q-6 13-12 14Q-22 11-20 -4Z"),
        ("ground", disc(-12, 4, 3.6, 2.6) + disc(2, 4, 3.6, 2.6)),
    ),
    "supercomputer": (  # a chip
        ("line", "M-6 -19V19M0 -19V19M6 -19V19M-19 -6H19M-19 0H19M-19 6H19"),
        ("over", slab(-13, -13, 26, 26, 4)),
        ("cut", "M-7 5V-5H5M1 0H7V7H-2"),
    ),
    "watchtower": (
        ("light", "M-13 -9H13V1H-13ZM-16 -11L0 -20L16 -11Z"),
        ("ground", slab(-9, -7, 7, 6, 1) + slab(2, -7, 7, 6, 1)),
        ("line", "M-9 2L-13 19M9 2L13 19M-10 8L12 16M10 8L-12 16"),
    ),
    "double_trouble": (  # two equal cards
        ("over", "M-19 -12L-3 -17L5 11L-11 16Z"),
        ("over", "M-1 -15H17V15H-1Z"),
        ("cut", "M4 -3H12M4 4H12"),
    ),
    "mind_control": (  # a spiral
        ("thick", "M1 1A4 4 0 0 1-5 -3A8 8 0 0 1 9 -3A11 11 0 0 1-10 6A14 14 0 0 1 6 -16A17 17 0 0 1 15 11"),
    ),
    "outpost": (  # a tent with a flag
        ("light", "M0 -9L19 16H-19Z"),
        ("ground", "M0 2L7 16H-7Z"),
        ("line", "M0 -9V-20"),
        ("light", "M0 -20L12 -16L0 -12Z"),
    ),
    "secret_recruit": (  # a sealed letter
        ("light", slab(-19, -13, 38, 27, 3)),
        ("cut", "M-18 -11L0 3L18 -11"),
        ("over", disc(0, 5, 6)),
    ),
    "smoke_screen": (("light", disc(-9, 3, 10) + disc(9, 4, 9) + disc(0, -6, 10)), ("line", "M-17 17H5M10 17H17")),
    "spycation": (  # a palm on its island
        ("thick", "M-1 12Q3 1 0 -7"),
        ("light", "M0 -7Q-9 -18-19 -7Q-9 -10 0 -7ZM0 -7Q9 -19 20 -8Q9 -11 0 -7ZM0 -7Q-13 -5-13 5Q-8 -3 0 -7Z"),
        ("light", "M0 -7Q13 -5 14 5Q8 -3 0 -7ZM-17 17Q0 5 17 17Z"),
    ),
    "surveillance_truck": (  # a van with a dish
        ("light", "M-20 -4H7V12H-20ZM8 1H15L20 7V12H8Z"),
        ("over", disc(-11, 12, 5) + disc(11, 12, 5)),
        ("line", "M-6 -5V-10M-14 -18A9 9 0 0 0 2 -12M-7 -12L-1 -18"),
    ),
}


def sign(pen: Pen, kind: str, x: float, y: float, scale: float, ground: str, light: str = PAPER) -> None:
    """Draw the sign of an agent or a market card around (x, y), about 40 units wide, in `light` on `ground`."""
    pen.at(x, y, scale, stroke_width=2.4, stroke_linecap="round", stroke_linejoin="round")
    for style, d in SIGNS[kind]:
        if style in ("line", "thick"):
            pen.path(d, stroke=light, stroke_width=5 if style == "thick" else None)
        elif style == "cut":
            pen.path(d, stroke=ground)
        elif style == "over":
            pen.path(d, light, stroke=ground, stroke_width=1.8)
        else:
            pen.path(d, ground if style == "ground" else light, opacity=0.6 if style == "behind" else None)
    pen.close()


def meeple(pen: Pen, side: int, x: float, y: float, scale: float, ghost: bool = False) -> None:
    """Draw a spy standing on (x, y), 44 units high."""
    fill, dark = SIDE[side], SIDE_DARK[side]
    pen.at(x, y, scale, opacity=0.34 if ghost else None, stroke=INK, stroke_width=2, stroke_linejoin="round")
    pen.add("ellipse", cx=0, cy=1, rx=16, ry=5, fill="#000", opacity=0.28, stroke="none")
    pen.path("M-14 0Q-15 -17-5 -21H5Q15 -17 14 0Q0 4-14 0Z", fill)
    pen.path("M-5 -21L0 -9L5 -21Z", PAPER, stroke_width=1.4)
    pen.path("M0 -15L2 -6L0 -2L-2 -6Z", dark, stroke="none")
    pen.dot(0, -28, 8, "#f3d9b8")
    if side == GOLD:  # a fedora with a ribbon
        pen.path("M-13 -30Q0 -27 13 -30L9 -32L7 -42Q0 -38-7 -42L-9 -32Z", dark)
        pen.path("M-8.6 -34Q0 -31.6 8.6 -34", stroke=fill, stroke_width=2.6)
    else:  # a bowler, and stripes
        pen.path("M-9 -31A9 11 0 0 1 9 -31Z", dark)
        pen.path("M-13 -31Q0 -27 13 -31", stroke_width=4.6, stroke_linecap="round")
        pen.path("M-13 -31Q0 -27 13 -31M-10.5 -3L-9 -14M10.5 -3L9 -14", stroke=dark, stroke_linecap="round")
    pen.close()


def house(pen: Pen, side: int, x: float, y: float) -> None:
    """Draw a home around (x, y), 64 units wide."""
    fill, dark = SIDE[side], SIDE_DARK[side]
    pen.at(x, y, stroke=INK, stroke_width=2, stroke_linejoin="round")
    pen.box(15, -30, 8, 16, 1, "#8a6a55")
    pen.box(-24, -8, 48, 30, 2, "#f7ecd6")
    pen.path("M-32 -6L0 -31L32 -6Z", fill)
    pen.path("M-20 -8.5L0 -24L20 -8.5", stroke=dark, opacity=0.7)
    pen.box(-5, 4, 11, 18, 2, dark)
    pen.path("M-19 1h9v9h-9ZM11 1h9v9h-9Z", "#bfe0ea", stroke_width=1.4)
    pen.close()


def stall(pen: Pen, x: float, y: float, scale: float = 0.9) -> None:
    """Draw a market stall around (x, y), 54 units wide."""
    pen.at(x, y, scale, stroke=INK, stroke_width=1.6)
    pen.path("M-22 -4V20M22 -4V20", stroke_width=2.4)
    pen.box(-22, 9, 44, 12, 2, "#9a7048")
    for colour, first in ((BAD, 0), (PAPER, 1)):
        pen.path("".join(f"M{9 * i - 26} -20h7l1 14a4.5 5 0 0 1-9 0Z" for i in range(first, 6, 2)), colour)
    for at, colour in ((-13, "#e0a33a"), (-2, "#7a4f9a"), (10, "#4d8a3a")):
        pen.dot(at, 5, 5, colour)
    pen.close()


def lamp(pen: Pen, x: float, y: float) -> None:
    """Draw a street lamp around (x, y)."""
    pen.at(x, y, 0.9, stroke="#4a5560", stroke_linejoin="round", stroke_linecap="round")
    pen.dot(0, -18, 15, "#ffe39a", opacity=0.55, stroke="none")
    pen.path("M0 22V-8", stroke_width=4)
    pen.path("M-8 23H8", stroke_width=5)
    pen.path("M-8 -12H8L5 -24H-5Z", "#fff2c2", stroke_width=2.4)
    pen.path("M-7 -25L0 -31L7 -25Z", "#4a5560")
    pen.close()


def tree(pen: Pen, x: float, y: float, scale: float) -> None:
    """Draw a tree from above around (x, y)."""
    pen.at(x, y, scale)
    pen.add("ellipse", cx=3, cy=5, rx=17, ry=12, fill="#000", opacity=0.14)
    pen.path(disc(-7, 0, 11) + disc(7, -1, 11) + disc(0, -8, 12), HEDGE)
    pen.dot(-3, -9, 5, "#7fae78")
    pen.close()


def _fingerprint() -> str:
    d = ""
    for r, gap in ((6, 0), (13, 34), (20, 22), (27, 40), (34, 28)):
        a, b = math.radians(100 + gap), math.radians(440 - gap * 0.6)
        x1, y1, x2, y2 = r * math.cos(a), 1.25 * r * math.sin(a), r * math.cos(b), 1.25 * r * math.sin(b)
        d += f"M{x1:.0f} {y1:.0f}A{r} {1.25 * r:.0f} 0 1 1 {x2:.0f} {y2:.0f}"
    return d


_FINGERPRINT = _fingerprint()


def back(pen: Pen, w: float, h: float, market: bool = False) -> None:
    """Draw a card's back with its top left corner at (0, 0): a fingerprint, or a market's awning."""
    ground, line, r = (MARKET, MARKET_LINE, w * 0.09) if market else (BACK, BACK_LINE, w * 0.09)
    pen.box(2, 3, w, h, r, "#000", opacity=0.28)
    pen.box(0, 0, w, h, r, ground, stroke="#0f1a24", stroke_width=1.4)
    pen.box(w * 0.06, w * 0.06, w * 0.88, h - w * 0.12, w * 0.06, "none", stroke=line, stroke_width=1.2, opacity=0.7)
    pen.at(w / 2, h / 2, w / 100, stroke=line, stroke_width=2.6, stroke_linecap="round", opacity=0.75)
    if market:
        pen.path("".join(f"M{17 * i - 34} -34l-4 22a8.500 8.500 0 0 0 17 0l2-22ZM-26 4V34H26V4" for i in range(4)))
    else:
        pen.path(_FINGERPRINT)
    pen.close()


def eye(pen: Pen, x: float, y: float, w: float = 9) -> None:
    """Draw the mark of a card that everybody has seen, around (x, y)."""
    pen.dot(x, y, w * 1.35, "#20242e", stroke="#ffe9a8", stroke_width=1.4)
    pen.path(f"M{x - w:.1f} {y:.1f}q{w:.1f}{-w:.1f} {2 * w:.1f} 0q{-w:.1f} {w:.1f}{-2 * w:.1f} 0Z", "#ffe9a8")
    pen.dot(x, y, w * 0.36, "#20242e")


def badge(pen: Pen, x: float, y: float) -> None:
    """Draw the captain's badge around (x, y): a star on a shield."""
    pen.path(f"M{x - 9:.1f} {y - 9:.1f}h18v9q0 7-9 11q-9-4-9-11Z", "#ffd85e", stroke=INK, stroke_width=1.4)
    pen.path(star(x, y - 0.5, 6), INK)


def star(x: float, y: float, r: float) -> str:
    """The outline of a five-pointed star around (x, y)."""
    points = ((r * (1, 0.42)[i % 2], math.pi * i / 5) for i in range(10))
    return "M" + "L".join(f"{x + k * math.sin(a):.1f} {y - k * math.cos(a):.1f}" for k, a in points) + "Z"
