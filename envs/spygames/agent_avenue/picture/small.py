"""The parts of the small forms (`portrait.py`, `compact.py`): cards, agents in play, the loop of spaces."""

from collections.abc import Sequence

from spygames.agent_avenue.board import HOMES, IS_MARKET, SPACES
from spygames.agent_avenue.cards import AGENTS
from spygames.agent_avenue.picture.faces import MINUS, STEPS, signed, step
from spygames.agent_avenue.picture.loop import MAX_TRAIL, RING, ROAD, STONE
from spygames.agent_avenue.picture.park import UNLIT
from spygames.agent_avenue.picture.scene import Scene, title
from spygames.agent_avenue.picture.signs import BACK_LINE, EMPTY, KIND, SIDE, back, house, meeple, sign, stall
from spygames.core.svg.colours import INK, PAPER
from spygames.core.svg.pen import Pen, width

__all__ = ["card", "hidden", "in_play", "lamps", "ring"]

LETTERS = 12.5
"""The smallest letters, in units."""
MIN_ICON = 19
"""The least width of an icon that is legible."""
MIN_SIGN = 20
"""The least height of a sign on a card without a name."""
TALL = 90
"""The least height of a card that may have a name in two lines."""
TWO_LINES = {
    "double_agent": ("Double", "Agent"),
    "codebreaker": ("Code-", "breaker"),
    "daredevil": ("Dare-", "devil"),
    "saboteur": ("Sabo-", "teur"),
}
"""The names that are too long for narrow cards."""


def card(
    pen: Pen,
    kind: str,
    w: float,
    h: float,
    copies: Sequence[int] | None = None,
    secret: bool = False,
    names: bool = True,
) -> None:
    """Draw an agent's card with its top left corner at (0, 0): its name if there is room, sign, and icons.

    Args:
        pen: the pen to draw with.
        kind: the agent.
        w: the width.
        h: the height.
        copies: the copies that each side has in play: a triangle of its color marks the icon that counts next for it.
        secret: whether only the viewer knows the card; it then has a dashed frame.
        names: whether cards with enough room have their names and icons.
    """
    ground, lines = KIND[kind], (title(kind),)
    if width(*lines, LETTERS) > w - 1:
        lines = TWO_LINES.get(kind, ()) if h >= TALL else ()
    if not names or any(width(line, LETTERS) > w - 1 for line in lines):
        lines = ()
    icons = STEPS[kind]
    bw = min(26.0, (w - 8) / len(icons) - 2)
    head, foot = 5.0 + 14 * len(lines), 25.0 if copies else 20.0
    printed = names and bw >= MIN_ICON and (lines or h - head - foot >= MIN_SIGN)
    foot = foot if printed else 4.0
    pen.box(0, 0, w, h, 7, PAPER, stroke="#8d7c52", stroke_width=1.2)
    pen.path(f"M0 {head}V7A7 7 0 0 1 7 0H{w - 7:.1f}A7 7 0 0 1 {w:.1f} 7V{head}Z", ground)
    for i, line in enumerate(lines):
        pen.words(w / 2, 14 + 14 * i, line, LETTERS, PAPER, anchor="middle")
    middle, r = (head + h - foot) / 2, min(w * 0.4, (h - head - foot) / 2 - 2)
    if r > 6:
        pen.dot(w / 2, middle, r, ground)
        sign(pen, kind, w / 2, middle, r / 30, ground)
    bh, y = 17.0, h - foot
    left = (w - bw * len(icons) - 2 * (len(icons) - 1)) / 2
    for i, value in enumerate(icons if printed else ()):
        x = left + i * (bw + 2)
        step(pen, x, y, bw, bh, value, "#fff", MINUS if isinstance(value, int) and value < 0 else INK)
        for side, count in enumerate(copies or ()):
            if min(count, len(icons) - 1) == i:
                at = x + bw * (0.3 if side == 0 else 0.7)
                pen.path(f"M{at:.1f} {y + bh + 0.5:.1f}l4.5 6.500h-9Z", SIDE[side], stroke=INK, stroke_width=0.8)
    if secret:
        pen.box(0, 0, w, h, 7, "none", stroke=BACK_LINE, stroke_width=2.4, stroke_dasharray="5 4")


def hidden(pen: Pen, w: float, h: float) -> None:
    """Draw a face-down card that the viewer does not know."""
    back(pen, w, h)
    pen.dot(w / 2, h / 2, min(w, h) * 0.25, "#1b3245", stroke=BACK_LINE, stroke_width=2)
    size = min(w, h) * 0.36
    pen.words(w / 2, h / 2 + size * 0.36, "?", size, PAPER, anchor="middle")


def in_play(c: Scene, side: int, x: float, y: float, w: float, h: float, a_row: int) -> None:
    """Draw the agents that a side has in play as signs with their numbers, in rows of `a_row`.

    Args:
        c: the scene.
        side: the side.
        x: the left edge.
        y: the upper edge.
        w: the width of each.
        h: the height of each.
        a_row: how many are in a row.
    """
    pen, counts = c.pen, c.seen["in_play"][str(side)]
    before = c.look.before["in_play"][str(side)] if c.look.before else counts
    for i, kind in enumerate(AGENTS):
        count, left, top = counts.get(kind, 0), x + i % a_row * w, y + i // a_row * h
        r = min(h / 2 - 3, w / 2 - 3, 16.0)
        cx, cy = left + w / 2 - (3 if w > 40 else 1), top + h / 2 - 2
        if not count:
            pen.dot(cx, cy, r - 1, "none", stroke=EMPTY[pen.palette.theme], stroke_width=1.2)
            pen.at(cx, cy, opacity=0.4)
            sign(pen, kind, 0, 0, r / 32, pen.palette.panel, pen.palette.soft)
            pen.close()
            continue
        edge = SIDE[side] if count > before.get(kind, 0) else PAPER
        pen.dot(cx, cy, r, KIND[kind], stroke=edge, stroke_width=3 if edge != PAPER else 1)
        sign(pen, kind, cx, cy, r / 30, KIND[kind])
        bx, by = cx + 0.72 * r, cy + 0.72 * r
        pen.box(bx - 9, by - 9, 18, 18, 8, SIDE[side], stroke=INK, stroke_width=1.2)
        pen.words(bx, by + 5, str(count), 14, INK, anchor="middle")


def lamps(c: Scene, x: float, y: float, w: float, catch: int) -> None:
    """Draw the lead as a row of lamps around (x, y)."""
    pen, step_x = c.pen, w / (2 * catch + 1)
    own = c.seen["progress"][c.below] - c.seen["progress"][1 - c.below]
    pen.box(x - w / 2 - 3, y - 9, w + 6, 18, 9, "#20303c")
    for k in range(-catch, catch + 1):
        side = c.below if k > 0 else 1 - c.below
        lit = 0 < k <= own or own <= k < 0
        end = {"stroke": SIDE[side], "stroke_width": 1.6} if abs(k) == catch else {}
        pen.dot(x + k * step_x, y, step_x * (0.42 if end else 0.34), SIDE[side] if lit else UNLIT, **end)


def ring(c: Scene, x: float, y: float, w: float, h: float, numbers: bool) -> None:
    """Draw the loop of spaces with homes, stalls and meeples into a box.

    Args:
        c: the scene.
        x: the left edge.
        y: the upper edge.
        w: the width.
        h: the height.
        numbers: whether the spaces have numbers.
    """
    pen, cell_w, cell_h = c.pen, w / 5, h / 4
    homes = [int(home) for home in HOMES]

    def middle(space: int) -> tuple[float, float]:
        column, row = RING[(space + homes[c.below]) % SPACES]
        return x + (column + 0.5) * cell_w, y + (row + 0.5) * cell_h

    pen.box(x - 3, y - 3, w + 6, h + 6, 16, ROAD, stroke="#4f6373", stroke_width=1.4)
    for space in range(SPACES):
        cx, cy = middle(space)
        fill = ("#f6dfae", "#cde6f1")[homes.index(space)] if space in homes else STONE
        pen.box(cx - cell_w / 2 + 2, cy - cell_h / 2 + 2, cell_w - 4, cell_h - 4, 8, fill)
        if numbers:
            pen.words(cx - cell_w / 2 + 6, cy - cell_h / 2 + 15, str(space), LETTERS, "#5f522c")
        scale = min(cell_w / 78, cell_h / 60)
        if space in homes:
            pen.at(cx + cell_w * 0.2, cy - 2, scale * 0.8)
            house(pen, homes.index(space), 0, 0)
            pen.close()
        elif IS_MARKET[space] and c.seen["mode"] == "advanced":
            stall(pen, cx + cell_w * 0.17, cy - cell_h * 0.06, scale * 0.8)
    standing: dict[int, list[int]] = {}
    moved: list[tuple[int, int, float, float]] = []
    size = min(cell_h / 62, cell_w / 56)
    for side in range(2):
        now = c.seen["progress"][side]
        start = c.look.before["progress"][side] if c.look.before else now
        if start != now and abs(start - now) <= MAX_TRAIL:
            way = 1 if now > start else -1
            points = [middle(homes[side] + k) for k in range(start, now + way, way)]
            low = cell_h * (0.2, 0.3)[side]
            d = "M" + "L".join(f"{px:.1f} {py + low:.1f}" for px, py in points)
            pen.path(d, stroke=INK, stroke_width=6, opacity=0.35, stroke_linejoin="round")
            line = {"stroke_linejoin": "round", "stroke_linecap": "round"}
            pen.path(d, stroke=SIDE[side], stroke_width=4, stroke_dasharray="1 8", **line)
            moved.append((side, start, *points[0]))
        standing.setdefault((homes[side] + now) % SPACES, []).append(side)
    for space, sides in standing.items():
        cx, cy = middle(space)
        for i, side in enumerate(sides):
            off = -0.14 if space in homes else 0.0
            at = off if len(sides) == 1 else (-0.24, 0.24)[i]
            if numbers:  # they stand beside the number, or below it
                at = off + 0.12 if len(sides) == 1 else (-0.05, 0.33)[i]
            scale = 0.75 * size if numbers and len(sides) > 1 else size
            meeple(pen, side, cx + cell_w * at, cy + cell_h * 0.4, scale)
    starts = [(homes[side] + start) % SPACES for side, start, _, _ in moved]
    for i, (side, start, px, py) in enumerate(moved):  # over the trails and the meeples
        px += max(0.0, 38 - cell_w / 2) if numbers else 0  # beside the number
        if starts[i] in standing:
            px, py = min(px + cell_w * 0.2, x + w - 13), py + cell_h * 0.2
        py += 10 - 20 * i if starts.count(starts[i]) > 1 else 0
        pen.box(px - 15, py - 9, 30, 19, 9, INK, stroke=SIDE[side], stroke_width=1.4)
        pen.words(px, py + 5, signed(c.seen["progress"][side] - start), 14, SIDE[side], anchor="middle")
