"""The form for phones: the town, a line for each player, the agents to choose, buttons, the viewer's own cards.

Letters have at least 12 units, and targets at least 44, on a canvas of 390 x 720 units. Each agent's column stands
below the lines of the players, so that both can be read as a table: who has moved whom by how many points.
"""

from collections.abc import Mapping
from typing import Any

from spygames.core.game.game import NOBODY
from spygames.core.svg.annotations import Look
from spygames.core.svg.colours import EDGE, INK, PAPER, PICK
from spygames.core.svg.pen import CANVAS, Pen, cut, width
from spygames.heimlich.board import FINISH, MARK
from spygames.heimlich.cards import HAND
from spygames.heimlich.picture.facts import Seen, headline, minus, owners, seats
from spygames.heimlich.picture.frame import ROAD
from spygames.heimlich.picture.signs import BACK, BACK_LINE, COLOURS, DARK, card_sign, figure
from spygames.heimlich.picture.small import middle, town
from spygames.heimlich.picture.stage import LABELS
from spygames.heimlich.texts.seen import HIDDEN, titled

W, H = CANVAS["portrait"]
LEFT, INNER = 8, W - 16
COLUMN = 44.0
"""The width of an agent's column."""
ROW, AGENT, BUTTON, GAP = 20, 56, 54, 5
"""The heights of a player's line, of the agents and of a button, and the space between buttons."""
TITLE = 14
"""The height of the heading of the players' lines."""
STEPS = 62
"""The width of the words beside the numbers of steps."""


def draw(pen: Pen, seen: Mapping[str, Any], look: Look) -> None:
    """Draw the mapping that `seen_to_dict` returned on the portrait canvas."""
    _head(pen, seen, look)
    own = 100 if seen["hands"] else 46
    hand = H - 24 - own
    actions = hand - 6 - 2 * (BUTTON + GAP)
    agents = actions - 4 - AGENT
    table = agents - ROW * seen["players"] - 4
    top = 42
    high = min(352, table - TITLE - top - 6)
    top += (table - TITLE - top - 6 - high) / 2
    pen.box(LEFT - 2, top - 2, INNER + 4, high + 4, 12, ROAD)
    town(pen, seen, look, (LEFT, top, INNER, high), letters=12.4, pick=True)
    noted = middle(pen, seen, (LEFT + INNER / 4 + 3, top + high / 4 + 3, INNER / 2 - 6, high / 2 - 6))
    middle_of = (_column(seen, 0) + _column(seen, len(seen["agents"]) - 1)) / 2
    pen.words(middle_of, table - 4, "who has moved whom, in steps", 12, pen.palette.soft, anchor="middle", bold=False)
    for i, seat in enumerate(seats(seen, look.viewer)):
        _line(pen, seen, look, seat, table + ROW * i)
    _agents(pen, seen, look, agents)
    end = _buttons(pen, seen, look, actions)
    if not noted and look.legal and end < hand - 20:
        words = "an agent at the safe: all agents score their houses"
        pen.words(W / 2, end + 18, words, 12.5, pen.palette.soft, anchor="middle", bold=False)
    _own(pen, seen, look, hand, own)
    left = [f"turn {seen['turn'] + 1}"]
    if seen["hands"]:
        left.append(f"deck {seen['deck'] if isinstance(seen['deck'], int) else len(seen['deck'])}")
        left.append(f"used {len(seen['used'])}")
    pen.words(12, H - 8, "HEIMLICH & CO.", 12, pen.palette.accent, letter_spacing=1.2)
    pen.words(W - 12, H - 8, " \N{MIDDLE DOT} ".join(left), 12.5, pen.palette.soft, anchor="end", bold=False)


def _head(pen: Pen, m: Seen, look: Look) -> None:
    """Draw the decision that is due."""
    text = headline(m, look.viewer)
    if look.viewer == m["to_move"] and look.viewer != NOBODY:
        pen.box(LEFT, 6, INNER, 30, 12, pen.palette.notice, stroke=pen.palette.pick, stroke_width=1.4)
    size = min(16.0, 16 * (INNER - 16) / width(text, 16))
    pen.words(W / 2, 26, text, max(12.5, size), anchor="middle", most=INNER - 12)


def _column(m: Seen, i: int) -> float:
    """Return the middle of an agent's column."""
    w = _wide(m)
    return LEFT + INNER - (len(m["agents"]) - i - 0.5) * w


def _wide(m: Seen) -> float:
    """Return the width of an agent's column."""
    return min(52.0, max(COLUMN, (INNER - 110) / len(m["agents"])))


def _line(pen: Pen, m: Seen, look: Look, seat: int, y: float) -> None:
    """Draw a player: its name, number of cards, and the points by which it moved each agent."""
    key, palette, base = str(seat), pen.palette, y + 14.5
    ground = palette.own_row if seat == look.viewer else palette.row
    edge = palette.pick if seat == m["to_move"] else None
    pen.box(LEFT, y + 1, INNER, ROW - 2, 6, ground, stroke=edge, stroke_width=1.6)
    end = _column(m, 0) - _wide(m) / 2
    cards = m["hands"].get(key)
    if cards is not None:
        n = cards if isinstance(cards, int) else len(cards)
        end -= 14
        pen.box(end, y + 2.5, 13, 15, 2.5, BACK, stroke=BACK_LINE, stroke_width=1)
        pen.words(end + 6.5, base - 0.2, str(n), 12, PAPER, anchor="middle")
    name, bold = "You" if seat == look.viewer else f"player_{seat}", cards is None
    x = LEFT + 3
    fill = palette.accent if seat in m["winners"] else None
    pen.words(x, base, name, 12, fill, bold=bold, most=end - x)
    x += min(end - x, width(name, 12, bold)) + 6
    if seat < len(look.names) and look.names[seat] and end - x > 30:
        pen.words(x, base, cut(look.names[seat], 12, end - x - 4, False), 12, palette.soft, bold=False)
    known = m["passports"][key]
    for i, agent in enumerate(m["agents"]):
        cx = _column(m, i)
        if known == agent:
            pen.box(cx - 20, y + 2, 40, ROW - 4, 5, "none", stroke=COLOURS[agent], stroke_width=2)
        points = m["notebook"]["points"][key].get(agent, 0)
        if m["notebook"]["times"][key].get(agent, 0):
            pen.box(cx - 13, y + 2.5, 26, ROW - 5, 7, DARK[agent])
            pen.words(cx, base - 0.2, minus(points), 12.5, PAPER, anchor="middle")


def _agents(pen: Pen, m: Seen, look: Look, y: float) -> None:
    """Draw the agents with their scores. An agent that may be chosen is a target."""
    palette, known = pen.palette, owners(m, look.viewer)
    picks = {text.split()[1]: text.split()[0] for text in look.legal if text.split()[0] in ("move", "agent")}
    asked = next((text.split()[1] for text in look.legal if text.startswith("guess ")), None)
    pen.words(LEFT + 4, y + 32, "score", 12.5, palette.soft, bold=False)
    pen.words(LEFT + 4, y + 47, f"of {FINISH}", 12.5, palette.soft, bold=False)
    if "move" in picks.values():
        pen.words(LEFT + 4, y + 14, "1. agent", 13, palette.pick_text)
    for i, agent in enumerate(m["agents"]):
        cx, w = _column(m, i), _wide(m)
        verb, score = picks.get(agent), m["scores"][agent]
        if verb:
            named = {"pick": f"1:{agent}"} if verb == "move" else {"action": f"{verb} {agent}"}
            pen.target(**named, label=f"{verb} {agent}")
        edge = palette.pick if verb or agent == asked else palette.line
        pen.box(cx - w / 2, y, w, AGENT - 2, 9, palette.panel, stroke=edge, stroke_width=2.6 if verb else 1.2)
        pen.at(cx - 11, y + 37, 0.66)
        pen.stamp(figure, agent, False, 18.4)
        pen.close()
        pen.words(cx + w / 2 - 3, y + 35, str(score), 15.5, anchor="end")
        gain = score - look.before["scores"][agent] if look.before else 0
        moved = m["moved"].get(agent)
        if gain:
            pen.words(cx + w / 2 - 4, y + 17, minus(gain, True), 12.5, palette.accent, anchor="end")
        elif moved:
            pen.box(cx + w / 2 - 21, y + 4, 18, 16, 7, INK)
            pen.words(cx + w / 2 - 12, y + 16.5, str(moved), 12, PAPER, anchor="middle")
        elif agent in known and known[agent] is None:
            pen.words(cx + w / 2 - 3, y + 16, "free", 12, palette.soft, anchor="end", bold=False)
        long = w - 10
        pen.box(cx - long / 2, y + 43, long, 6, 3, palette.row)
        pen.box(cx - long / 2, y + 43, max(2.0, long * min(score, FINISH) / FINISH), 6, 3, COLOURS[agent])
        mark = cx - long / 2 + long * MARK / FINISH
        pen.path(f"M{mark:.1f} {y + 42:.1f}v8", stroke=palette.strong, stroke_width=1)
        if verb:
            pen.close()


def _buttons(pen: Pen, m: Seen, look: Look, y: float) -> float:
    """Draw the buttons: how far, whom, done, pass. Return the y below."""
    points = sorted({text.split()[2] for text in look.legal if text.startswith("move ")})
    steps = sorted((text.split()[1] for text in look.legal if text.startswith("step ")), key=int)
    rows: list[list[tuple[str, dict[str, str]]]] = []
    if points:
        rows.append([(number, {"pick": f"2:{number}", "label": f"{number} steps"}) for number in points])
    if steps:
        rows.append([(minus(int(number), True), {"action": f"step {number}"}) for number in steps])
    answers = [(_label(text), {"action": text}) for text in look.legal if text.split()[0] in LABELS]
    half = (len(answers) + 1) // 2 if len(answers) > 3 else len(answers)
    rows += [row for row in (answers[:half], answers[half:]) if row]
    for k, row in enumerate(rows):
        label = STEPS if points and not k else 0
        w = min(120.0, (INNER - label + GAP) / len(row) - GAP)
        left = label / 2 + W / 2 - (len(row) * (w + GAP) - GAP) / 2
        if label:
            pen.words(LEFT + 4, y + BUTTON / 2 + 5, "2. steps", 13, pen.palette.pick_text)
        for i, (label, named) in enumerate(row):
            x, top = left + i * (w + GAP), y + k * (BUTTON + GAP)
            pen.target(**named)
            pen.box(x, top, w, BUTTON, 9, PICK, stroke=INK, stroke_width=1.2)
            size = 18 if len(label) < 3 else 14
            pen.words(x + w / 2, top + BUTTON / 2 + size * 0.36, label, size, INK, anchor="middle", most=w - 6)
            pen.close()
    return y + len(rows) * (BUTTON + GAP)


def _label(text: str) -> str:
    """Return the label of an action's button; for a prediction, the owner."""
    verb, *words = text.split()
    return LABELS[verb] or ("nobody" if words[1] == "free" else words[1])


def _own(pen: Pen, m: Seen, look: Look, y: float, h: float) -> None:
    """Draw the viewer's passport and hand."""
    palette = pen.palette
    if look.viewer == NOBODY:
        pen.words(W / 2, y + h / 2 + 5, "Everything is open", 14, palette.soft, anchor="middle", bold=False)
        return
    agent = m["passports"][str(look.viewer)]
    former = m["former"] if m["former"] not in (None, HIDDEN) else None
    if not m["hands"]:
        pen.box(LEFT, y, INNER, h - 2, 10, PAPER, stroke=COLOURS[agent], stroke_width=3)
        pen.at(W / 2 - 60, y + h - 6, 0.8)
        pen.stamp(figure, agent, False, 15.2)
        pen.close()
        pen.words(W / 2 - 36, y + h / 2 + 5, f"You are {agent}", 16, INK)
        return
    pen.box(LEFT, y, 70, h - 2, 10, PAPER, stroke=COLOURS[agent], stroke_width=3)
    pen.at(LEFT + 35, y + 56, 1.0)
    pen.stamp(figure, agent, False, 12.4)
    pen.close()
    pen.words(LEFT + 35, y + 74, f"{agent}", 14, INK, anchor="middle")
    pen.words(LEFT + 35, y + 90, f"was {former}" if former else "you", 12, INK, anchor="middle", bold=False, most=66)
    hand = m["hands"][str(look.viewer)]
    n = max(HAND, len(hand))
    w = (INNER - 74 + GAP) / n - GAP
    for i in range(n):
        _card(pen, hand[i] if i < len(hand) else None, look, LEFT + 75 + i * (w + GAP), y, w, h - 2)


def _card(pen: Pen, card: str | None, look: Look, x: float, y: float, w: float, h: float) -> None:
    """Draw a card of the viewer's hand, or an empty place."""
    if card is None:
        pen.box(x, y, w, h, 8, "none", stroke=pen.palette.line, stroke_width=1.2, stroke_dasharray="5 5")
        return
    can = f"card {card}" in look.legal
    if can:
        pen.target(action=f"card {card}", label=f"play {titled(card)}")
    pen.box(x, y, w, h, 8, PAPER, stroke=pen.palette.pick if can else EDGE, stroke_width=3 if can else 1.2)
    pen.dot(x + w / 2, y + 32, min(27, w / 2 - 4), BACK)
    pen.at(x + w / 2, y + 32, min(1.0, w / 70))
    pen.stamp(card_sign, card, PAPER, BACK)
    pen.close()
    words, lines = titled(card).split(), [""]
    for word in words:
        if lines[-1] and width(f"{lines[-1]} {word}", 12.5) > w - 4:
            lines.append("")
        lines[-1] = f"{lines[-1]} {word}".strip()
    for i, line in enumerate(lines[:2]):
        pen.words(x + w / 2, y + 75 + 15 * i, line, 12.5, INK, anchor="middle", most=w - 2)
    if can:
        pen.close()
