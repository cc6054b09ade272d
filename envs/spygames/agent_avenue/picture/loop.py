"""The loop of spaces with the meeples and the trails of their last moves."""

from spygames.agent_avenue.board import HOMES, IS_MARKET, SPACES
from spygames.agent_avenue.picture.faces import signed
from spygames.agent_avenue.picture.scene import CX, CY, Scene
from spygames.agent_avenue.picture.signs import SIDE, house, lamp, meeple, slab, stall
from spygames.core.svg.colours import INK, PAPER

CELL_W, CELL_H = 108, 99
RING = (
    *((2, 3), (1, 3), (0, 3), (0, 2), (0, 1), (0, 0), (1, 0)),
    *((2, 0), (3, 0), (4, 0), (4, 1), (4, 2), (4, 3), (3, 3)),
)
"""The column and row of each space, counted from the home at the bottom."""
ROAD, STONE = "#33424f", "#e9dfc6"
MAX_TRAIL = 2 * SPACES


def _middle(place: int) -> tuple[float, float]:
    """The middle of the space that is `place` spaces from the home at the bottom."""
    column, row = RING[place % SPACES]
    return CX + (column - 2) * CELL_W, CY + (row - 1.5) * CELL_H


def _ways() -> str:
    """The path of the arrowheads from each space to the next one."""
    d = ""
    for place in range(SPACES):
        (x, y), (x2, y2) = _middle(place), _middle(place + 1)
        ux, uy, mx, my = (x2 > x) - (x2 < x), (y2 > y) - (y2 < y), (x + x2) / 2, (y + y2) / 2
        points = [(-3.5, -7), (4, 0), (-3.5, 7)]
        d += "M" + "L".join(f"{mx + a * ux - b * uy:.1f} {my + a * uy + b * ux:.1f}" for a, b in points)
    return d


_WAYS = _ways()
_GROUND = tuple(
    "".join(slab(x + left, y + top, w, h, r) for x, y in map(_middle, range(SPACES)))
    for left, top, w, h, r in ((-49, -43, 98, 90, 12), (-49, -45, 98, 89, 12), (-43, -39, 86, 77, 9))
)
"""The paths of the stones' shadows, the stones, and a line on each stone."""
_SEAMS = "".join(
    f"M{x - 43} {y - 13}h86m-86 26h86m-58 -26v26m30 -52v26m0 26v25" for x, y in map(_middle, range(SPACES))
)
"""The path of the seams in the stones."""


def _place(c: Scene, space: int) -> tuple[float, float]:
    """The middle of a space, with the home of the lower side at the bottom."""
    return _middle(space + int(HOMES[c.below]))


def loop(c: Scene) -> None:
    """Draw the spaces, both homes, the stalls or lamps at the corners, and the meeples."""
    pen, w, h = c.pen, 5 * CELL_W + 10, 4 * CELL_H + 10
    pen.box(CX - w / 2 + 3, CY - h / 2 + 5, w, h, 40, "#000", opacity=0.3)
    pen.box(CX - w / 2, CY - h / 2, w, h, 40, ROAD)
    pen.box(CX - w / 2 + 2.5, CY - h / 2 + 2.5, w - 5, h - 5, 38, "none", stroke="#4f6373", stroke_width=2)
    pen.path(_GROUND[0], "#b8ab8c")
    pen.path(_GROUND[1], STONE)
    pen.path(_SEAMS, stroke="#dccfae", stroke_width=1.4)
    pen.path(_GROUND[2], stroke="#fffaf0", stroke_width=1.6, opacity=0.7)
    pen.path(_WAYS, stroke=PAPER, stroke_width=2.6, stroke_linecap="round", stroke_linejoin="round", opacity=0.85)
    homes = [int(home) for home in HOMES]
    for space in range(SPACES):
        x, y = _place(c, space)
        side = homes.index(space) if space in homes else None
        if side is not None:
            pen.box(x - 43, y - 39, 86, 77, 9, ("#f6dfae", "#cde6f1")[side], stroke="#fffaf0", stroke_width=1.6)
        pen.words(x - 41, y - 27, str(space), 12.5, "#5f522c")
        if side is not None:
            house(pen, side, x + 14, y - 6)
        elif IS_MARKET[space]:
            stall(pen, x + 14, y - 12) if c.seen["mode"] == "advanced" else lamp(pen, x + 32, y - 8)
    standing: dict[int, list[int]] = {}
    starts: dict[int, int] = {}
    for side in range(2):
        now = c.seen["progress"][side]
        start = c.look.before["progress"][side] if c.look.before else now
        if start != now and abs(start - now) <= MAX_TRAIL:
            starts[side] = start
            _trail(c, side, start, now)
        standing.setdefault((homes[side] + now) % SPACES, []).append(side)
    for side, start in starts.items():
        space = (homes[side] + start) % SPACES
        x, y = _place(c, space)
        meeple(pen, side, x + _beside(space), y + 36, 1.1, ghost=True)
    for space, sides in standing.items():
        x, y = _place(c, space)
        for i, side in enumerate(sides):
            meeple(pen, side, x + (_beside(space) if len(sides) == 1 else (-22, 22)[i]), y + 36, 1.28)
    for side, start in starts.items():  # over the trails and the meeples
        space = (homes[side] + start) % SPACES
        x, y = _place(c, space)
        x += 31 if space in standing else _beside(space)
        y += (4, 26)[side]
        pen.box(x - 18, y - 13, 36, 19, 9, INK, stroke=SIDE[side], stroke_width=1.4)
        pen.words(x, y + 1.5, signed(c.seen["progress"][side] - start), 13.5, SIDE[side], anchor="middle")


def _beside(space: int) -> int:
    """The horizontal offset of a meeple from the middle of a space; on a home it stands beside the house."""
    return -24 if space in HOMES else 0


def _trail(c: Scene, side: int, start: int, end: int) -> None:
    """Draw the trail of a meeple's last move."""
    step = 1 if end > start else -1
    spaces = [(int(HOMES[side]) + k) % SPACES for k in range(start, end + step, step)]
    places = [_place(c, space) for space in spaces]
    (x, y), first = places[0], _beside(spaces[0])
    low = (26, 32)[side]
    d = f"M{x + first:.1f} {y + low:.1f}" + "".join(f"L{x:.1f} {y + low:.1f}" for x, y in places[1:-1])
    (end_x, end_y), last = places[-1], _beside(spaces[-1])
    d += f"L{end_x + last:.1f} {end_y + low:.1f}"
    line = {"stroke_linejoin": "round", "stroke_linecap": "round"}
    c.pen.path(d, stroke=INK, stroke_width=8, opacity=0.35, **line)
    c.pen.path(d, stroke=SIDE[side], stroke_width=5, stroke_dasharray="1 10", **line)
