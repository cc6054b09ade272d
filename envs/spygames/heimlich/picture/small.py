"""The parts of the small forms (`portrait.py`, `compact.py`): the town with its agents, and the middle of the town."""

from collections.abc import Sequence

from spygames.core.svg.annotations import Look
from spygames.core.svg.colours import BAD, INK, PAPER, PICK
from spygames.core.svg.pen import Pen, fitting
from spygames.heimlich.board import BUILDINGS, LOOP, VALUES
from spygames.heimlich.picture.facts import Seen, minus
from spygames.heimlich.picture.frame import PATH
from spygames.heimlich.picture.houses import house
from spygames.heimlich.picture.signs import COLOURS, GOLD, LETTERS, card_sign, die, figure, safe
from spygames.heimlich.picture.stage import PARK
from spygames.heimlich.picture.town import GRASS, HEDGE
from spygames.heimlich.texts.seen import titled

Box = tuple[float, float, float, float]
"""Left, top, width, height."""
NOTES = 80
"""The height of the words below the die."""
SCORING = ("agent at the safe:", "all agents score", "their houses")
"""The rule of the safe in short lines."""


def plot(building: int, town: Box) -> Box:
    """Return the place of a building. Buildings go clockwise from the Church in the lower left corner."""
    x, y, w, h = town
    side, k = divmod(building, 3)
    column, row = ((0, 3 - k), (k, 0), (3, k), (3 - k, 3))[side]
    return x + column * w / 4, y + row * h / 4, w / 4, h / 4


def town(pen: Pen, m: Seen, look: Look, box: Box, letters: float, pick: bool) -> None:
    """Draw the buildings with their values, the safe, the agents, and where they have come from.

    Args:
        pen: the pen to draw with.
        m: the mapping.
        look: the annotations.
        box: the place of the town.
        letters: the size of the letters of agents; 0 for none.
        pick: whether a building that may be chosen is a target.
    """
    for building, name in enumerate(BUILDINGS):
        x, y, w, h = plot(building, box)
        action = next((f"{verb} {name}" for verb in ("safe", "building") if f"{verb} {name}" in look.legal), None)
        action = action if pick else None
        if action:
            pen.target(action=action, label=f"move the safe to {name}")
        edge, thick = (PICK, 3.4) if action else (HEDGE, 1.4)
        pen.box(x + 1.5, y + 1.5, w - 3, h - 3, 9, GRASS, stroke=edge, stroke_width=thick)
        pen.box(x + 4, y + h - 17, w - 8, 13, 5, PATH)
        pen.at(x + w * 0.56, y + h - 14, min((w - 14) / 92, (h - 22) / 66))
        pen.stamp(house, building)
        pen.close()
        if action:
            pen.close()
    pen.open(pointer_events="none")  # the targets are below
    if look.before and look.before["safe"] != m["safe"]:
        _safe(pen, plot(look.before["safe"], box), ghost=True)
    _safe(pen, plot(m["safe"], box))
    for agent in m["agents"]:
        if look.before and look.before["positions"][agent] != m["positions"][agent]:
            x, y, w, h = plot(look.before["positions"][agent], box)
            pen.at(x + w / 2 + 3 * list(COLOURS).index(agent), y + h - 8, 0.7)
            pen.stamp(figure, agent, True)
            pen.close()
    for building in range(LOOP):
        here = [agent for agent in m["agents"] if m["positions"][agent] == building]
        _agents(pen, m, here, plot(building, box), letters)
    for building in range(LOOP):  # over the hats
        x, y, _, _ = plot(building, box)
        value = int(VALUES[building])
        pen.dot(x + 15, y + 15, 11.5, BAD if value < 0 else PAPER, stroke=INK, stroke_width=1.2)
        pen.words(x + 15, y + 20.2, minus(value), 14.5, PAPER if value < 0 else INK, anchor="middle")
    pen.close()


def _safe(pen: Pen, place: Box, ghost: bool = False) -> None:
    x, y, w, _ = place
    pen.at(x + w - 17, y + 18, 0.68)
    if not ghost:
        pen.dot(0, 0, 24, GOLD, opacity=0.6)
    pen.stamp(safe, ghost)
    pen.close()


def _agents(pen: Pen, m: Seen, here: Sequence[str], place: Box, letters: float) -> None:
    """Draw the agents in a building, in two rows if there are many, as tokens if figures would hide the letters."""
    x, y, w, h = place
    scale = 0.84 if letters else 0.72
    step = 23.5 if letters else 18.0
    a_row = max(2, int((w + 1) / step))
    if letters and len(here) > a_row:
        for i, agent in enumerate(here):  # the upper row leaves the left corner to the value
            row, k = divmod(i, 4)
            cx, cy = x + w - 12 - 17.4 * k, y + h - 12 - 18 * row
            pen.dot(cx, cy, 7.6, PAPER, stroke=COLOURS[agent], stroke_width=2)
            pen.words(cx, cy + 0.36 * letters, LETTERS[agent], letters, INK, anchor="middle")
        return
    rows = [here[: len(here) - a_row], here[max(0, len(here) - a_row) :]] if len(here) > a_row else [here]
    for row, agents in enumerate(rows):
        foot = y + h - 6 - (18 if row < len(rows) - 1 else 0)
        for i, agent in enumerate(agents):
            pen.at(x + w / 2 + (i - (len(agents) - 1) / 2) * min(step, (w - 24) / max(1, len(agents) - 1)), foot)
            if agent in m["arrived"]:
                pen.add("ellipse", cx=0, cy=1, rx=15, ry=5, fill=GOLD, stroke=INK, stroke_width=1.2)
            pen.at(0, 0, scale)
            pen.stamp(figure, agent, False, round(letters / scale, 1))
            pen.close()
            pen.close()


def _notes(pen: Pen, m: Seen, x: float, y: float, w: float) -> None:
    """Say what the die and the safe mean."""
    roll = ("1, 2 or 3 steps,", "as you like") if isinstance(m["die"], str) else ("all steps", "must be used")
    lines = [*enumerate(roll if m["phase"] == "move" else ()), *enumerate(SCORING, 2)]
    for i, text in lines:
        top = y + 8 + 15 * i + (5 if i > 1 else 0)
        pen.words(x + w / 2, top, text, 12.5, PAPER, anchor="middle", bold=False, most=w - 4)


def middle(pen: Pen, m: Seen, box: Box) -> bool:
    """Draw the die, the points that are left, and the card that is being carried out; at the end the winners.

    Returns:
        Whether there was room for the words about the safe.
    """
    x, y, w, h = box
    pen.box(x, y, w, h, 12, PARK)
    if m["phase"] == "over":
        best = max(m["scores"].values())
        agents = [m["passports"][str(seat)] for seat in m["winners"]]
        agents = agents or [agent for agent in m["agents"] if m["scores"][agent] == best]
        for i, agent in enumerate(agents):
            pen.at(x + w / 2 + (i - (len(agents) - 1) / 2) * min(50, (w - 30) / len(agents)), y + h - 30, 1.3)
            pen.stamp(figure, agent, False, 10.8)
            pen.close()
        pen.box(x + 6, y + h - 26, w - 12, 21, 6, INK)
        pen.words(x + w / 2, y + h - 10.5, f"{best} points", 15, PAPER, anchor="middle")
        return False
    card, high = m["pending_card"], h * (0.6 if m["pending_card"] else 1)
    noted = not card and w > 140 and h >= NOTES + 56
    if noted:
        high -= NOTES
        _notes(pen, m, x, y + high, w)
    size = 0.9 * min(1.0, high / 76, w / 76) if card else min(0.9, (high - 26) / 62)
    pen.at(x + w / 2, y + high / 2 - (0 if card else 8), size)
    pen.stamp(die, m["die"])
    pen.close()
    left = 0 if card else m["points_left"]
    for i in range(left):
        pen.dot(x + w / 2 + 15 * (i - (left - 1) / 2), y + high - 14, 6, GOLD, stroke=INK, stroke_width=1.2)
    if card:
        top = y + high
        title = titled(card["card"])
        pen.box(x + 5, top, w - 10, h - high - 5, 8, PAPER, stroke=BAD, stroke_width=2)
        mid = top + (h - high - 5) / 2
        pen.at(x + 26, mid, 0.62)
        pen.stamp(card_sign, card["card"], INK, PAPER)
        pen.close()
        size = fitting(title, 14, w - 60)
        if size >= 12.2:
            pen.words(x + 46, mid + 5, title, size, INK)
        for i, agent in enumerate(card["agents"]):
            pen.at(x + w - 18 - 22 * i, top + 4, 0.84)
            pen.stamp(figure, agent, False, 14.6)
            pen.close()
    return noted
