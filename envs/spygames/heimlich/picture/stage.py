"""The middle of the town: the die, the pending card, buttons for actions that are not on the board, and the result."""

from collections.abc import Mapping
from typing import Any

from spygames.core.svg.annotations import Look
from spygames.core.svg.colours import BAD, INK, PAPER, PICK
from spygames.core.svg.pen import Pen, fitting
from spygames.heimlich.board import FINISH, MARK
from spygames.heimlich.picture.facts import Seen, count, minus, turn_of, who
from spygames.heimlich.picture.frame import PATH, ROAD, STAGE_H, STAGE_W, STAGE_X, STAGE_Y
from spygames.heimlich.picture.signs import GOLD, card_sign, die, figure, fountain, tree
from spygames.heimlich.texts.seen import titled

PARK = "#4d7a52"
HINTS = {
    "move": "Choose an agent, then its steps",
    "step": "Choose the steps",
    "agent": "Choose an agent in the town",
    "safe": "Choose a building",
    "building": "Choose a building",
    "card": "Choose a card of your hand",
}
LABELS = {"done": "Done", "draw": "Take a card", "pass": "Pass", "guess": ""}
"""Button labels by the verb of the action. The button of a prediction shows the owner instead."""


def stage(pen: Pen, m: Seen, look: Look) -> None:
    """Draw the die, the pending card, and buttons for actions that are not on the board."""
    x, y = STAGE_X + 4, STAGE_Y + 4
    w, h = STAGE_W - 8, STAGE_H - 8
    palette = pen.palette
    pen.box(x, y, w, h, 14, palette.panel, stroke=palette.pick if look.legal else palette.line, stroke_width=2)
    pen.at(x + 46, y + 46)
    pen.stamp(die, m["die"])
    pen.close()
    pen.words(x + 90, y + 32, turn_of(m, look.viewer), 15.5, most=w - 100)
    left = m["points_left"]
    for i in range(left):
        pen.dot(x + 97 + 18 * i, y + 52, 6.4, GOLD, stroke=INK, stroke_width=1.2)
    pen.words(x + 90, y + (76 if left else 54), _note(m, look.viewer), 13, palette.soft, bold=False, most=w - 100)
    if m["arrived"]:
        pen.words(x + 90, y + (92 if left else 72), "a scoring is due", 13, palette.accent, bold=False)
    card, top, foot = m["pending_card"], y + 100, y + h - 10
    if m["phase"] == "over":
        _result(pen, m, look, x + 10, y + 90, w - 20, foot - y - 90)
        return
    if card:
        _pending(pen, card, x + 12, y + 94)
        top += 52
    top = _buttons(pen, look, x + 12, top, w - 24) if look.legal else top
    if foot - top > 50:
        _park(pen, x + 10, top + 4, w - 20, foot - top - 4)


def _note(m: Seen, viewer: int) -> str:
    """Return the status of the turn."""
    if m["card_turn"] is not None:
        return f"because of a card of {who(m['card_turn'], viewer)}"
    return {
        "move": f"{count(m['points_left'], 'step')} left",
        "cards": f"card round: {m['passes']} of {m['players']} passed",
        "card_choice": "card round: a card asks",
        "safe": "scored: the safe moves",
        "guess": f"a token has reached {MARK}",
        "over": f"a token has reached {FINISH}",
    }[m["phase"]]


def _park(pen: Pen, x: float, y: float, w: float, h: float) -> None:
    """Draw a park where the middle of the town is empty."""
    pen.box(x, y, w, h, 12, PARK)
    pen.path(
        f"M{x + 4:.1f} {y + h - 14:.1f} Q{x + w / 2:.1f} {y + h - 44:.1f} {x + w - 4:.1f} {y + h - 14:.1f}",
        stroke=PATH,
        stroke_width=12,
        opacity=0.5,
    )
    for dx, scale in ((0.12, 1.3), (0.27, 1.0), (0.74, 1.05), (0.89, 1.35)):
        pen.at(x + w * dx, y + h - 26, scale * min(1.0, h / 90))
        pen.stamp(tree)
        pen.close()
    pen.at(x + w / 2, y + h - 18, min(1.3, h / 84))
    pen.stamp(fountain)
    pen.close()


def _result(pen: Pen, m: Seen, look: Look, x: float, y: float, w: float, h: float) -> None:
    """Draw the agents of the winners, or the agents furthest ahead if nobody wins."""
    best = max(m["scores"].values())
    agents = [m["passports"][str(seat)] for seat in m["winners"]] or [a for a in m["agents"] if m["scores"][a] == best]
    pen.box(x, y, w, h, 12, PARK if m["winners"] else ROAD)
    scale = 1.9 if len(agents) <= 3 else 1.3
    for i, agent in enumerate(agents):
        cx = x + w / 2 + (i - (len(agents) - 1) / 2) * min(76, (w - 20) / len(agents))
        pen.at(cx, y + h - 32, scale)
        pen.stamp(figure, agent)
        pen.close()
    pen.box(x + 8, y + h - 26, w - 16, 20, 6, INK)
    text = f"{', '.join(agents)}: {best} points"
    pen.words(x + w / 2, y + h - 11.5, text, 13, PAPER, anchor="middle", most=w - 24)


def _pending(pen: Pen, card: Mapping[str, Any], x: float, y: float) -> None:
    """Draw the pending card and the agents named for it."""
    pen.box(x, y, 150, 48, 8, PAPER, stroke=BAD, stroke_width=2)
    pen.at(x + 26, y + 24, 0.8)
    pen.stamp(card_sign, card["card"], INK, PAPER)
    pen.close()
    title = titled(card["card"])
    pen.words(x + 52, y + 29, title, fitting(title, 13.5, 94), INK)
    for i, agent in enumerate(card["agents"]):
        pen.at(x + 176 + 36 * i, y + 48, 0.92)
        pen.stamp(figure, agent)
        pen.close()


def _buttons(pen: Pen, look: Look, x: float, y: float, w: float) -> float:
    """Draw a button for each number that can be picked, and for each action that is not on the board.

    Returns:
        The y coordinate of the lower edge.
    """
    verbs = {text.split()[0] for text in look.legal}
    if hint := next((HINTS[verb] for verb in HINTS if verb in verbs), ""):
        pen.words(x, y + 12, hint, 13.5, pen.palette.pick_text)
        y += 22
    points = sorted({text.split()[2] for text in look.legal if text.startswith("move ")})
    steps = sorted((text.split()[1] for text in look.legal if text.startswith("step ")), key=int)
    for i, number in enumerate(points or steps):
        pen.target(
            **({"pick": f"2:{number}"} if points else {"action": f"step {number}"}),
            label=f"{number} steps" if points else None,
        )
        _button(pen, number if points else minus(int(number), True), x + 41 * i, y, 36, 36, 18)
        pen.close()
    y += 44 if points or steps else 0
    answers = [(_label(text), text) for text in look.legal if text.split()[0] in LABELS]
    columns = 2 if len(answers) > 1 else 1
    for i, (label, text) in enumerate(answers):
        bw = (w + 8) / columns - 8
        pen.target(action=text)
        _button(pen, label, x + i % columns * (bw + 8), y + i // columns * 36, bw, 30, 14)
        pen.close()
    return y - (-len(answers) // columns) * 36


def _label(text: str) -> str:
    """Return the label of an action's button; for a prediction, the owner."""
    verb, *words = text.split()
    return LABELS[verb] or ("nobody" if words[1] == "free" else words[1])


def _button(pen: Pen, label: str, x: float, y: float, w: float, h: float, size: float) -> None:
    pen.box(x, y, w, h, 8, PICK, stroke=INK, stroke_width=1.4)
    pen.words(x + w / 2, y + h / 2 + size * 0.36, label, size, INK, anchor="middle", most=w - 6)
