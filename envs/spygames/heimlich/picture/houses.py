"""Drawings of the twelve buildings: the Church, ten houses that grow with their value, the Ruins."""

from spygames.core.svg.colours import BAD, PAPER
from spygames.core.svg.pen import Pen
from spygames.heimlich.picture.signs import GOLD, STONE, THIN, WOOD

_WALL, _PANE = "#f3e6cb", "#9fcbd9"
_HOUSES = (  # width, stories, roof, colors of wall and roof, special feature
    (34, 1, "gable", "#d9b98c", "#8a5a3c", ""),
    (40, 1, "gable", _WALL, "#b5533f", "chimney"),
    (46, 1, "hip", "#e8d3a6", "#5d7d5a", "chimney"),
    (54, 1, "flat", _WALL, "#8c5b6f", "awning"),
    (46, 2, "gable", "#e6c7a0", "#a34a3a", "chimney"),
    (54, 2, "hip", _WALL, "#4b6d8a", "awning"),
    (66, 2, "pediment", "#ece5d6", "#8f8471", "columns"),
    (66, 2, "mansard", "#e9cfae", "#54506e", "chimney"),
    (70, 2, "flat", "#efe0bf", "#8a4f3a", "clock"),
    (78, 2, "castle", "#d8cfbd", "#6b5a8c", "flags"),
)


def house(pen: Pen, building: int) -> None:
    """Draw a building that stands on (0, 0), up to 80 wide and 76 high."""
    pen.open(**THIN)
    if building == 0:
        _church(pen)
    elif building > len(_HOUSES):
        _ruins(pen)
    else:
        _house(pen, *_HOUSES[building - 1])
    pen.close()


def _house(pen: Pen, w: float, storeys: int, roof: str, wall: str, tiles: str, special: str) -> None:
    half, high = w / 2, 6 + 19 * storeys
    if special == "chimney":
        pen.box(half - 17, -high - 19, 8, 18, 1, WOOD)
    elif special == "clock":
        pen.box(-11, -high - 28, 22, 32, 1, wall)
        pen.path(f"M-14 {-high - 27} L0 {-high - 40} L14 {-high - 27} Z", tiles)
        pen.dot(0, -high - 16, 7, PAPER)
        pen.path(f"M0 {-high - 16} V{-high - 21} M0 {-high - 16} H4")
    elif special == "flags":
        for x in (-half + 8, half - 8):
            pen.path(f"M{x} {-high - 12} V{-high - 28}", stroke_width=1.6)
            pen.path(f"M{x} {-high - 28} l14 4 l-14 4 Z", BAD)
    pen.box(-half, -high, w, high, 1, wall)
    top = -high
    if roof == "gable":
        pen.path(f"M{-half - 5} {top} L0 {top - 21} L{half + 5} {top} Z", tiles)
    elif roof == "hip":
        pen.path(f"M{-half - 5} {top} L{-half + 9} {top - 16} H{half - 9} L{half + 5} {top} Z", tiles)
    elif roof == "mansard":
        pen.path(f"M{-half - 4} {top} Q{-half} {top - 15} {-half + 9} {top - 20} H{half - 9} Q{half} {top - 15} "
                 f"{half + 4} {top} Z", tiles)  # fmt: skip
    elif roof == "pediment":
        pen.path(f"M{-half - 4} {top} L0 {top - 18} L{half + 4} {top} Z", wall)
        pen.dot(0, top - 6, 3.5, tiles)
    elif roof == "castle":
        teeth = "".join(f" v-7 h{w / 11:.1f} v7 h{w / 11:.1f}" for _ in range(5))
        pen.path(f"M{-half} {top} v-6 h0.1{teeth} v-7 h{w / 11:.1f} v13 Z", wall)
    else:
        pen.box(-half - 3, top - 6, w + 6, 8, 2, tiles)
    if special == "columns":
        for i in range(5):
            pen.box(-half + 5 + i * (w - 17) / 4, top + 5, 7, high - 8, 1, PAPER)
        pen.box(-half - 4, -4, w + 8, 5, 1, STONE)
    for storey in range(storeys if special != "columns" else 0):
        n = max(2, int(w // 18))
        for i in range(n):
            x, y = -half + (i + 0.5) * w / n, top + 6 + 19 * storey
            if storey < storeys - 1 or abs(x) > 7:
                pen.box(x - 4.5, y, 9, 10, 1, _PANE)
    if special != "columns":
        pen.box(-5.5, -16, 11, 16, 2, WOOD)
    if special == "awning":
        for i in range(6):
            pen.path(f"M{-half + i * w / 6:.1f} -21 h{w / 6:.1f} v5 a{w / 12:.1f} 4 0 0 1 {-w / 6:.1f} 0 Z",
                     (BAD, PAPER)[i % 2], stroke_width=1)  # fmt: skip


def _church(pen: Pen) -> None:
    pen.box(-12, -27, 46, 27, 1, _WALL)
    pen.path("M-14 -27 L2 -42 H30 L38 -27 Z", "#7b4a3a")
    pen.box(-34, -42, 24, 42, 1, "#e8dcc2")
    pen.path("M-37 -42 L-22 -69 L-7 -42 Z", "#5d4a6e")
    pen.path("M-22 -69 V-78 M-25.5 -75 H-18.5", stroke=GOLD, stroke_width=2.4)
    pen.dot(-22, -30, 5, _PANE)
    pen.path("M-28 0 V-12 A6 6 0 0 1 -16 -12 V0 Z", WOOD)
    for x in (0, 15):
        pen.path(f"M{x} -6 V-15 A4.5 5 0 0 1 {x + 9} -15 V-6 Z", _PANE)


def _ruins(pen: Pen) -> None:
    pen.path("M-38 0 V-34 L-31 -40 L-28 -32 L-20 -48 L-13 -42 V-26 L-6 -20 L2 -28 L7 -14 L18 -18 V-36 L26 -44 L31 -30"
             " L37 -24 V0 Z", STONE)  # fmt: skip
    pen.path("M-29 -10 V-22 A5 6 0 0 1 -19 -22 V-10 Z", "#4d4a45")
    pen.path("M22 0 V-14 A5 6 0 0 1 32 -14 V0 Z", "#4d4a45")
    pen.path("M-12 -8 h10 M0 -14 h8 M8 -6 h9 M-36 -5 h8 M20 -26 h8", stroke="#8e8676", stroke_width=1.6)
    pen.path("M-38 -30 q6 4 3 9 q6 2 3 8 M37 -22 q-6 3 -3 8", stroke="#4f8a4a", stroke_width=3, stroke_linecap="round")
    for x, r in ((-6, 5), (3, 4), (12, 6)):
        pen.dot(x, 0, r, STONE)
