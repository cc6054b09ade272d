"""The town: twelve buildings with their values, the safe, the agents, and their latest movements."""

from typing import Any

from spygames.core.svg.annotations import Look
from spygames.core.svg.colours import BAD, INK, PAPER, PICK
from spygames.core.svg.pen import Pen
from spygames.heimlich.board import BUILDINGS, LOOP, VALUES
from spygames.heimlich.picture.facts import Seen, minus
from spygames.heimlich.picture.frame import BOARD_X, BOARD_Y, CELL, PATH, PLOT_H, PLOT_W
from spygames.heimlich.picture.houses import house
from spygames.heimlich.picture.signs import COLOURS, GOLD, figure, safe, tree

GRASS, HEDGE = "#7ba36f", "#5d8455"
HALO = "M-17 4 Q-19 -18 -12 -24 Q-19 -43 -9 -54 H9 Q19 -43 12 -24 Q19 -18 17 4 Q0 9 -17 4 Z"
"""Outline behind an agent that can be picked."""
_LARGER = (1.05, 1.35, 1.3, 1.25, 1.25, 1.2, 1.12, 1.12, 1.1, 1.02, 1.02, 1.15)  # scale of each building
_TREES = (((-48, 0.7), (50, 0.9)), ((-50, 0.85),), ((51, 0.75), (-46, 0.55)))


def town(pen: Pen, m: Seen, look: Look) -> None:
    """Draw the buildings with their values, the safe, the agents, and the movements since the viewer's last look."""
    for building, name in enumerate(BUILDINGS):
        x, y = _plot(building)
        action = next((f"{verb} {name}" for verb in ("safe", "building") if f"{verb} {name}" in look.legal), None)
        if action:
            pen.target(action=action, label=f"move the safe to {name}")
        w, h = PLOT_W - 6, PLOT_H - 6
        pen.box(
            x - w / 2, y - h / 2, w, h, 12, GRASS, stroke=PICK if action else HEDGE, stroke_width=4 if action else 2
        )
        pen.path(
            f"M{x - w / 2 + 1:.1f} {y + 22} h{w - 2:.1f} v{h / 2 - 34:.1f} q0 11 -11 11 h{24 - w:.1f} q-11 0 -11 -11 Z",
            PATH,
        )
        for dx, scale in _TREES[building % 3]:
            pen.at(x + dx, y + 24, scale)
            pen.stamp(tree)
            pen.close()
        pen.at(x + 3, y + 26, _LARGER[building])
        pen.stamp(house, building)
        pen.close()
        if action:
            pen.close()
    if look.before:
        for agent in m["agents"]:
            _trail(pen, agent, look.before["positions"][agent], m["positions"][agent])
    pen.open(pointer_events="none")  # the targets are below
    for building in range(LOOP):
        _value(pen, building)
    if look.before and look.before["safe"] != m["safe"]:
        _safe_at(pen, look.before["safe"], ghost=True)
    _safe_at(pen, m["safe"])
    pen.close()
    feet = {agent: _foot(m, agent) for agent in m["agents"]}
    picks = {text.split()[1]: text.split()[0] for text in look.legal if text.split()[0] in ("move", "agent")}
    refused = {"move": "move {} 1", "agent": "agent {}"}.get(next(iter(picks.values()), ""), "")
    for agent in picks:  # before any agent is drawn: agents overlap
        pen.at(*feet[agent])
        pen.path(HALO, PICK, stroke=INK)
        pen.close()
    for agent in m["agents"]:
        _agent(pen, m, agent, feet[agent], picks.get(agent), refused.format(agent) if look.decides else "")


def _plot(building: int) -> tuple[float, float]:
    """Return the center of a building's plot. Buildings go clockwise from the Church in the lower left corner."""
    side, k = divmod(building, 3)
    column, row = ((0, 3 - k), (k, 0), (3, k), (3 - k, 3))[side]
    return BOARD_X + CELL + (column + 0.5) * PLOT_W, BOARD_Y + CELL + (row + 0.5) * PLOT_H


def _value(pen: Pen, building: int) -> None:
    """Draw the plate with the value of a building."""
    x, y = _plot(building)
    x, y, value = x - PLOT_W / 2 + 20, y - PLOT_H / 2 + 20, int(VALUES[building])
    pen.dot(x, y, 13, BAD if value < 0 else PAPER, stroke=INK, stroke_width=1.6)
    pen.words(x, y + 5.4, minus(value), 15, PAPER if value < 0 else INK, anchor="middle")


def _safe_at(pen: Pen, building: int, ghost: bool = False) -> None:
    x, y = _plot(building)
    pen.at(x + PLOT_W / 2 - 28, y - PLOT_H / 2 + 32)
    if not ghost:
        pen.dot(0, 0, 25, GOLD, opacity=0.55)
    pen.stamp(safe, ghost)
    pen.close()


def _foot(m: Seen, agent: str) -> tuple[float, float, float]:
    """Return the position (x, y) and the scale of an agent. Many agents in one building are smaller and closer."""
    here = [each for each in m["agents"] if m["positions"][each] == m["positions"][agent]]
    n, (x, y) = len(here), _plot(m["positions"][agent])
    scale = (1.0, 0.9, 0.8)[max(0, min(2, n - 4))]
    return x + (here.index(agent) - (n - 1) / 2) * min(30, 101 / max(1, n - 1)), y + PLOT_H / 2 - 8, scale


def _agent(pen: Pen, m: Seen, agent: str, foot: tuple[float, float, float], verb: str | None, refused: str) -> None:
    """Draw an agent in the town with the points it was moved by in this turn.

    `verb` is the verb of a legal action that names the agent, or None. Without one, `refused` is the action that a tap
    on the agent means; if it is empty, a tap reaches the building below.
    """
    if verb:
        named = {"pick": f"1:{agent}"} if verb == "move" else {"action": f"{verb} {agent}"}
        pen.target(**named, label=f"{verb} {agent}")
    elif refused:
        pen.refused(refused)
    pen.at(*foot, pointer_events=None if verb or refused else "none")
    if agent in m["arrived"]:
        pen.add("ellipse", cx=0, cy=1, rx=17, ry=6, fill=GOLD, stroke=INK, stroke_width=1.4)
    pen.stamp(figure, agent)
    asks = m["pending_card"] and agent in m["pending_card"]["agents"]
    points = m["moved"].get(agent)
    if points or asks:
        pen.dot(11, -44, 9, INK if points else BAD, stroke=PAPER, stroke_width=1.4)
        pen.words(11, -40, f"+{points}" if points else "!", 10.5, PAPER, anchor="middle")
    pen.close()
    if verb or refused:
        pen.close()


def _lane(building: int, inset: float) -> tuple[float, float]:
    """Return a point near the inner edge of a plot, for trails."""
    x, y = _plot(building)
    side, k = divmod(building, 3)
    right, down = (
        (1, -1 if k == 0 else 0),
        (1 if k == 0 else 0, 1),
        (-1, 1 if k == 0 else 0),
        (-1 if k == 0 else 0, -1),
    )[side]
    return x + right * (PLOT_W / 2 - inset), y + down * (PLOT_H / 2 - inset)


def _trail(pen: Pen, agent: str, old: int, new: int) -> None:
    """Draw where an agent has come from: along the street up to six forward or two back, else a straight line."""
    if old == new:
        return
    on = (new - old) % LOOP
    stops = range(on + 1) if on <= 6 else range(0, on - LOOP - 1, -1) if on >= LOOP - 2 else (0, on)
    inset = 8 + 3.6 * list(COLOURS).index(agent)
    (x, y), (x2, y2) = ((px, py + PLOT_H / 2 - 8) for px, py in (_plot(old), _plot(new)))
    points = [(x, y - 4), *(_lane((old + k) % LOOP, inset) for k in stops), (x2, y2 - 4)]
    d = "M" + " L".join(f"{px:.1f} {py:.1f}" for px, py in points)
    line: dict[str, Any] = {"stroke_linejoin": "round", "stroke_linecap": "round"}
    pen.path(d, stroke=INK, stroke_width=3, opacity=0.45, **line)
    pen.path(d, stroke=COLOURS[agent], stroke_width=5.6, stroke_dasharray="0.1 9", **line)
    pen.at(x, y)
    pen.stamp(figure, agent, True)
    pen.close()
