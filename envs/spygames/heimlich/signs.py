"""Our own drawings for Heimlich & Co.: agents, tokens, houses, the safe, the die, signs of the cards."""

from spygames.core.pen import BAD, INK, PAPER, Pen
from spygames.heimlich.board import AGENTS

LETTERS = dict(zip(AGENTS, "RYGBPOA", strict=True))
"""By agent; A, the colour of ash, is grey."""
COLOURS = dict(
    zip(AGENTS, ("#d8503f", "#f0c330", "#4fa85c", "#4a8fd6", "#9a66c8", "#ec8a34", "#a3adb6"), strict=True)
)
DARK = dict(zip(AGENTS, ("#8a2b22", "#7d5f0a", "#22602f", "#1f4c80", "#59327f", "#8f4a10", "#4d5760"), strict=True))
"""The same for hats and grounds of light texts."""
GOLD, BACK, BACK_LINE = "#f4b63f", "#27455e", "#7fa8c6"
_WALL, _STONE, _PANE, _DOOR = "#f3e6cb", "#cfc6b4", "#9fcbd9", "#6b4a32"
_THIN = {"stroke": INK, "stroke_width": 1.4, "stroke_linejoin": "round"}


def figure(pen: Pen, agent: str, ghost: bool = False) -> None:
    """An agent in cloak and hat that stands on (0, 0), 48 high; as a ghost without its letter."""
    colour, dark = COLOURS[agent], DARK[agent]
    pen.open(opacity=0.4 if ghost else None)
    pen.add("ellipse", cx=0, cy=0.5, rx=13, ry=3.6, fill="#000", opacity=0.3)
    pen.path("M-13 0 Q-14 -16 -6 -25 H6 Q14 -16 13 0 Q0 4 -13 0 Z", colour, **_THIN)
    pen.dot(0, -30, 7, "#f0d3b0", stroke=INK, stroke_width=1.4)
    pen.path("M-9 -27 L0 -18 L9 -27 L7 -22 L0 -16 L-7 -22 Z", dark, **_THIN)
    pen.path("M-6 -31 H6", stroke=INK, stroke_width=3)
    _hat(pen, agent, dark, colour)
    if not ghost:
        pen.dot(0, -8, 7.4, PAPER)
        pen.words(0, -4.1, LETTERS[agent], 10.8, INK, anchor="middle")
    pen.close()


def _hat(pen: Pen, agent: str, fill: str, band: str) -> None:
    """What tells the agents apart without colours: fedora, boater, beret, bowler, top hat, cap, hood."""
    if agent == "red":
        pen.path("M-12 -34 Q0 -31 12 -34 L8 -36.5 L6.5 -45 Q0 -41.5 -6.5 -45 L-8 -36.5 Z", fill, **_THIN)
        pen.path("M-7.6 -38 Q0 -36 7.6 -38", stroke=band, stroke_width=2)
    elif agent == "yellow":
        pen.box(-7.5, -45, 15, 10, 1, fill, **_THIN)
        pen.path("M-7 -38.6 H7", stroke=band, stroke_width=2.6)
        pen.path("M-12 -35 H12", stroke=INK, stroke_width=4.4, stroke_linecap="round")
        pen.path("M-12 -35 H12", stroke=fill, stroke_width=1.8, stroke_linecap="round")
    elif agent == "green":
        pen.path("M1 -43 V-48", stroke=INK, stroke_width=2.6, stroke_linecap="round")
        pen.path("M-8 -34 Q-14 -44 1 -44 Q15 -44 8 -34 Z", fill, **_THIN)
    elif agent == "blue":
        pen.path("M-8 -35 A8 10 0 0 1 8 -35 Z", fill, **_THIN)
        pen.path("M-7.6 -37.4 H7.6", stroke=band, stroke_width=2)
        pen.path("M-11.5 -35.5 Q0 -32 11.5 -35.5", stroke=INK, stroke_width=3.4, stroke_linecap="round")
    elif agent == "purple":
        pen.path("M-6.5 -35 L-7.5 -51 H7.5 L6.5 -35 Z", fill, **_THIN)
        pen.path("M-6.6 -39 H6.6", stroke=band, stroke_width=2.6)
        pen.path("M-11.5 -35 H11.5", stroke=INK, stroke_width=3.6, stroke_linecap="round")
    elif agent == "orange":
        pen.path("M-9 -34 Q-9 -43 0 -43 Q8 -43 9 -35 L16 -32.5 Q8 -31.5 -9 -34 Z", fill, **_THIN)
        pen.dot(0, -43, 1.8, INK)
    else:
        pen.path("M-10 -22 Q-13 -38 0 -49 Q13 -38 10 -22 Q8 -35 0 -36.5 Q-8 -35 -10 -22 Z", fill, **_THIN)


def token(pen: Pen, agent: str, r: float = 10, ghost: bool = False) -> None:
    """A token of the score track round (0, 0)."""
    if ghost:
        pen.dot(0, 0, r, "none", stroke=DARK[agent], stroke_width=2, stroke_dasharray="3 3")
        return
    pen.dot(0, 0, r, COLOURS[agent], stroke=INK, stroke_width=1.4)
    pen.dot(0, 0, r * 0.7, PAPER)
    pen.words(0, r * 0.37, LETTERS[agent], r * 1.02, INK, anchor="middle")


def safe(pen: Pen, ghost: bool = False) -> None:
    """The safe round (0, 0), 36 wide."""
    pen.open(opacity=0.4 if ghost else None)
    if not ghost:
        pen.dot(0, 0, 25, GOLD, opacity=0.55)
    pen.path("M-12 16 V20 M12 16 V20", stroke=INK, stroke_width=5)
    pen.box(-17, -17, 34, 34, 4, "#46586a", stroke=INK, stroke_width=2)
    pen.box(-12.5, -12.5, 25, 25, 3, "#5d7287", stroke=GOLD, stroke_width=1.6)
    pen.dot(0, 0, 7.6, GOLD, stroke=INK, stroke_width=1.4)
    pen.path("M0 -5 V5 M-4.4 -2.5 L4.4 2.5 M-4.4 2.5 L4.4 -2.5", stroke=INK, stroke_width=1.5)
    pen.close()


def die(pen: Pen, face: int | str) -> None:
    """A face of the die round (0, 0), 62 wide."""
    pen.box(-29, -27, 62, 62, 13, "#000", opacity=0.3)
    pen.box(-31, -31, 62, 62, 13, PAPER, stroke="#b9a878", stroke_width=2)
    if isinstance(face, str):
        pen.words(0, 9, face, 26, BAD, anchor="middle")
        return
    for x, y in {1: ((0, 0),), 2: ((1, -1), (-1, 1)), 3: ((1, -1), (0, 0), (-1, 1))}.get(
        face, ((-1, -1), (1, -1), (-1, 1), (1, 1), *{5: ((0, 0),), 6: ((-1, 0), (1, 0))}.get(face, ()))
    ):
        pen.dot(17 * x, 17 * y, 6, INK)


_HOUSES = (  # width, storeys, roof, colours of wall and roof, and what is special
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
    """A building that stands on (0, 0), up to 80 wide and 76 high: the Church, the Ruins, or a house of its size."""
    if building == 0:
        _church(pen)
    elif building > len(_HOUSES):
        _ruins(pen)
    else:
        _house(pen, *_HOUSES[building - 1])


def _house(pen: Pen, w: float, storeys: int, roof: str, wall: str, tiles: str, special: str) -> None:
    half, high = w / 2, 6 + 19 * storeys
    if special == "chimney":
        pen.box(half - 17, -high - 19, 8, 18, 1, _DOOR, **_THIN)
    elif special == "clock":
        pen.box(-11, -high - 28, 22, 32, 1, wall, **_THIN)
        pen.path(f"M-14 {-high - 27} L0 {-high - 40} L14 {-high - 27} Z", tiles, **_THIN)
        pen.dot(0, -high - 16, 7, PAPER, **_THIN)
        pen.path(f"M0 {-high - 16} V{-high - 21} M0 {-high - 16} H4", stroke=INK, stroke_width=1.4)
    elif special == "flags":
        for x in (-half + 8, half - 8):
            pen.path(f"M{x} {-high - 12} V{-high - 28}", stroke=INK, stroke_width=1.6)
            pen.path(f"M{x} {-high - 28} l14 4 l-14 4 Z", BAD, **_THIN)
    pen.box(-half, -high, w, high, 1, wall, **_THIN)
    top = -high
    if roof == "gable":
        pen.path(f"M{-half - 5} {top} L0 {top - 21} L{half + 5} {top} Z", tiles, **_THIN)
    elif roof == "hip":
        pen.path(f"M{-half - 5} {top} L{-half + 9} {top - 16} H{half - 9} L{half + 5} {top} Z", tiles, **_THIN)
    elif roof == "mansard":
        pen.path(f"M{-half - 4} {top} Q{-half} {top - 15} {-half + 9} {top - 20} H{half - 9} Q{half} {top - 15} "
                 f"{half + 4} {top} Z", tiles, **_THIN)  # fmt: skip
    elif roof == "pediment":
        pen.path(f"M{-half - 4} {top} L0 {top - 18} L{half + 4} {top} Z", wall, **_THIN)
        pen.dot(0, top - 6, 3.5, tiles)
    elif roof == "castle":
        teeth = "".join(f" v-7 h{w / 11:.1f} v7 h{w / 11:.1f}" for _ in range(5))
        pen.path(f"M{-half} {top} v-6 h0.1{teeth} v-7 h{w / 11:.1f} v13 Z", wall, **_THIN)
    else:
        pen.box(-half - 3, top - 6, w + 6, 8, 2, tiles, **_THIN)
    if special == "columns":
        for i in range(5):
            pen.box(-half + 5 + i * (w - 17) / 4, top + 5, 7, high - 8, 1, PAPER, **_THIN)
        pen.box(-half - 4, -4, w + 8, 5, 1, _STONE, **_THIN)
    for storey in range(storeys if special != "columns" else 0):
        n = max(2, int(w // 18))
        for i in range(n):
            x, y = -half + (i + 0.5) * w / n, top + 6 + 19 * storey
            if storey < storeys - 1 or abs(x) > 7:
                pen.box(x - 4.5, y, 9, 10, 1, _PANE, stroke=INK, stroke_width=1.2)
    if special != "columns":
        pen.box(-5.5, -16, 11, 16, 2, _DOOR, **_THIN)
    if special == "awning":
        for i in range(6):
            pen.path(f"M{-half + i * w / 6:.1f} -21 h{w / 6:.1f} v5 a{w / 12:.1f} 4 0 0 1 {-w / 6:.1f} 0 Z",
                     (BAD, PAPER)[i % 2], stroke=INK, stroke_width=1)  # fmt: skip


def _church(pen: Pen) -> None:
    pen.box(-12, -27, 46, 27, 1, _WALL, **_THIN)
    pen.path("M-14 -27 L2 -42 H30 L38 -27 Z", "#7b4a3a", **_THIN)
    pen.box(-34, -42, 24, 42, 1, "#e8dcc2", **_THIN)
    pen.path("M-37 -42 L-22 -69 L-7 -42 Z", "#5d4a6e", **_THIN)
    pen.path("M-22 -69 V-78 M-25.5 -75 H-18.5", stroke=GOLD, stroke_width=2.4)
    pen.dot(-22, -30, 5, _PANE, **_THIN)
    pen.path("M-28 0 V-12 A6 6 0 0 1 -16 -12 V0 Z", _DOOR, **_THIN)
    for x in (0, 15):
        pen.path(f"M{x} -6 V-15 A4.5 5 0 0 1 {x + 9} -15 V-6 Z", _PANE, stroke=INK, stroke_width=1.2)


def _ruins(pen: Pen) -> None:
    pen.path("M-38 0 V-34 L-31 -40 L-28 -32 L-20 -48 L-13 -42 V-26 L-6 -20 L2 -28 L7 -14 L18 -18 V-36 L26 -44 L31 -30"
             " L37 -24 V0 Z", _STONE, **_THIN)  # fmt: skip
    pen.path("M-29 -10 V-22 A5 6 0 0 1 -19 -22 V-10 Z", "#4d4a45", **_THIN)
    pen.path("M22 0 V-14 A5 6 0 0 1 32 -14 V0 Z", "#4d4a45", **_THIN)
    pen.path("M-12 -8 h10 M0 -14 h8 M8 -6 h9 M-36 -5 h8 M20 -26 h8", stroke="#8e8676", stroke_width=1.6)
    pen.path("M-38 -30 q6 4 3 9 q6 2 3 8 M37 -22 q-6 3 -3 8", stroke="#4f8a4a", stroke_width=3, stroke_linecap="round")
    for x, r in ((-6, 5), (3, 4), (12, 6)):
        pen.dot(x, 0, r, _STONE, **_THIN)


def back(pen: Pen, w: float, h: float) -> None:
    """A card's back with the left top corner at (0, 0): a keyhole."""
    pen.box(0, 0, w, h, w * 0.12, BACK, stroke="#0f1a24", stroke_width=1.4)
    pen.dot(w / 2, h * 0.44, w * 0.15, BACK_LINE)
    pen.path(f"M{w / 2:.1f} {h * 0.42:.1f} L{w * 0.66:.1f} {h * 0.72:.1f} H{w * 0.34:.1f} Z", BACK_LINE)


_MEEPLE = "M-7 10 Q-8 0 -3 -3 A5 5 0 1 1 3 -3 Q8 0 7 10 Z"
_ON, _OFF = "M-9 0 H7 M1 -6 L8 0 L1 6", "M9 0 H-7 M-1 -6 L-8 0 L-1 6"


def card_sign(pen: Pen, card: str, light: str = PAPER, ground: str = INK) -> None:
    """The sign of a card round (0, 0), about 44 wide, in `light` on `ground`."""
    line = {"stroke": light, "stroke_width": 3, "stroke_linecap": "round", "stroke_linejoin": "round"}

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
            pen.path("M-20 12 V-4 L-15 -9 L-13 -1 L-8 -6 L-6 12 Z M6 13 V0 L13 -7 L20 0 V13 Z M12 -6 V-16 H14 V-6", light)
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
