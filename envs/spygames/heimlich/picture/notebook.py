"""The notebook: the public record of each player and agent, which deduction is based on."""

from typing import Any

from spygames.core.pictures.picture import heading
from spygames.core.svg.annotations import Look
from spygames.core.svg.colours import BAD, INK, PAPER
from spygames.core.svg.pen import Pen, width
from spygames.heimlich.picture.facts import Seen, asked_agent, minus, owners, seats
from spygames.heimlich.picture.frame import BOARD_Y, SIDE_W, SIDE_X
from spygames.heimlich.picture.hand import small_hand
from spygames.heimlich.picture.signs import BACK, BACK_LINE, COLOURS, DARK, GOLD, LETTERS, TAG, figure, safe
from spygames.heimlich.texts.seen import HIDDEN

LABELS = 176  # width of a row's label


def notebook(pen: Pen, m: Seen, look: Look) -> float:
    """Draw the points moved, the number of movements and the points scored, for each player and agent.

    Returns:
        The y coordinate of the lower edge.
    """
    y, players = BOARD_Y, m["players"]
    row = min(74, 296 / players)
    height = 84 + row * players
    pen.box(SIDE_X, y - 4, SIDE_W, height, 14, pen.palette.panel, stroke=pen.palette.line, stroke_width=1.2)
    heading(pen, SIDE_X + 14, y + 18, "Notebook")
    pen.words(SIDE_X + 14, y + 35, "points moved \N{MULTIPLICATION SIGN}times", 11.5, pen.palette.soft, bold=False)
    pen.words(SIDE_X + 14, y + 50, "+score brought", 11.5, pen.palette.accent, bold=False)
    known, asked = owners(m, look.viewer), asked_agent(m, look.viewer)
    for i, agent in enumerate(m["agents"]):
        cx, w = column(m, i)
        if agent == asked:
            pen.box(cx - w / 2 + 1, y, w - 2, 76, 8, "none", stroke=pen.palette.pick, stroke_width=2)
        pen.at(cx, y + 54, 0.75)  # below the plate of a free agent
        pen.stamp(figure, agent)
        pen.close()
        pen.words(cx, y + 70, str(m["scores"][agent]), 15, anchor="middle")
        if agent in known and known[agent] is None:
            pen.box(cx - 15, y + 0, 30, 13, 6, TAG)
            pen.words(cx, y + 10, "free", 10, INK, anchor="middle")
    for x, mid in ((SIDE_X + SIDE_W - 21, y + 58), (SIDE_X + 20, y + 62)):
        pen.at(x, mid, 0.5 if x > SIDE_X + 99 else 0.34)
        pen.stamp(safe)
        pen.close()
    pen.words(SIDE_X + 32, y + 66, "scorings caused", 11.5, pen.palette.soft, bold=False)
    for k, seat in enumerate(seats(m, look.viewer)):
        _page(pen, m, look, seat, y + 78 + k * row, row)
    return y + height - 4


def column(m: Seen, i: int) -> tuple[float, float]:
    """Return the center x and the width of an agent's column."""
    w = (SIDE_W - LABELS - 34) / len(m["agents"])
    return SIDE_X + LABELS + (i + 0.5) * w, w


def _page(pen: Pen, m: Seen, look: Look, seat: int, y: float, h: float) -> None:
    """Draw the row of a player: its name, passport and cards, and its record for each agent."""
    key, book = str(seat), m["notebook"]
    pen.at(0, y + h / 2)
    moves = seat == m["to_move"]
    palette = pen.palette
    ground, edge = palette.own_row if seat == look.viewer else palette.row, palette.pick if moves else None
    pen.box(SIDE_X + 6, 1.5 - h / 2, SIDE_W - 12, h - 3, 8, ground, stroke=edge, stroke_width=2)
    pen.box(SIDE_X + 12, -12, 24, 24, 6, GOLD if seat in m["winners"] else TAG)
    pen.words(SIDE_X + 24, 5.4, key, 15, INK, anchor="middle")
    if seat == m["active"] and m["phase"] != "over":
        pen.path(f"M{SIDE_X + 5} -8 l9 8 l-9 8 Z", GOLD, stroke=INK, stroke_width=1)
    name = "You" if seat == look.viewer else f"player_{seat}"
    pen.words(SIDE_X + 42, -3, name, 13.5, most=68)
    sub = look.names[seat] if seat < len(look.names) else ""
    cards = m["hands"].get(key)
    pen.words(SIDE_X + 42, 12, sub, 11.5, palette.soft, bold=False, most=66)
    _passport(pen, m["passports"][key], SIDE_X + 122, 0, m["former"] if m["swapped"] == seat else None)
    if cards is not None:
        small_hand(pen, cards, SIDE_X + 137, -14)
        if played := book["cards_played"][seat]:
            pen.words(SIDE_X + 139, 13, f"{played} used", 10.5, palette.soft, bold=False)
    for i, agent in enumerate(m["agents"]):
        cx, w = column(m, i)
        _entry(pen, m, look, seat, agent, cx, 0, w, h)
    scorings = book["scorings"][seat]
    _fitting(pen, SIDE_X + SIDE_W - 22, 5, str(scorings), 14, 28, None if scorings else palette.soft, anchor="middle")
    pen.close()


def _entry(pen: Pen, m: Seen, look: Look, seat: int, agent: str, cx: float, cy: float, w: float, h: float) -> None:
    """Draw one cell of the notebook; its dot grows with the points. A legal prediction makes it a target."""
    points, times, gain = (m["notebook"][key][str(seat)].get(agent, 0) for key in ("points", "times", "gains"))
    action = f"guess {agent} player_{seat}"
    can = action in look.legal
    if can:
        pen.target(action=action)
        pen.box(
            cx - w / 2 + 3, cy - h / 2 + 4, w - 6, h - 8, 6, pen.palette.cell, stroke=pen.palette.pick, stroke_width=2
        )
    if m["passports"][str(seat)] == agent:
        pen.box(cx - w / 2 + 2, cy - h / 2 + 3, w - 4, h - 6, 6, "none", stroke=COLOURS[agent], stroke_width=2.4)
    x, y, right, large = cx - w * 0.19, cy - h * 0.12, cx + w / 2 - 5, 1.25 if h > 55 else 1.0
    if times:
        r = max(7.5 * large + abs(points) ** 0.5, width(minus(points), 11.5 * large) / 2 + 3)
        pen.dot(x, y, min(h / 3, w * 0.235, r), DARK[agent], stroke=COLOURS[agent], stroke_width=1.4)
        _fitting(pen, x, y + 4 * large, minus(points), 11.5 * large, w * 0.36, PAPER, anchor="middle")
        _fitting(
            pen,
            right,
            y + 4 * large,
            f"\N{MULTIPLICATION SIGN}{times}",
            9.5 * large,
            w * 0.42 - 5,
            anchor="end",
            bold=False,
        )
    if gain:
        _fitting(pen, right, cy + h / 2 - 9, minus(gain, True), 11 * large, w - 8, pen.palette.accent, anchor="end")
    if can:
        pen.close()


def _passport(pen: Pen, agent: str, x: float, y: float, former: str | None) -> None:
    """Draw a passport centered on (x, y), sealed or open, with the former agent in its corner."""
    sealed = agent == HIDDEN
    pen.box(
        x - 11,
        y - 14,
        22,
        28,
        3,
        BACK if sealed else PAPER,
        stroke=BACK_LINE if sealed else COLOURS[agent],
        stroke_width=2,
    )
    pen.words(x, y + (2 if former else 6), LETTERS.get(agent, agent), 15, PAPER if sealed else INK, anchor="middle")
    if former:
        pen.box(x - 1, y + 5, 15, 14, 3, BAD, stroke=INK, stroke_width=1)
        pen.words(x + 6.5, y + 16, LETTERS.get(former, former), 11, PAPER, anchor="middle")


def _fitting(
    pen: Pen, x: float, y: float, text: str, size: float, most: float, fill: str | None = None, **more: Any
) -> None:
    """Draw a text, scaled down if it is wider than `most`."""
    wide = width(text, size, more.get("bold", True))
    pen.words(x, y, text, size * min(1.0, most / wide), fill, **more)
