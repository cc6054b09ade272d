"""The form for phones: the town, a line for each player, the agents' scores, buttons, the viewer's own cards.

Letters have at least 12 units, and targets at least 44, on a canvas of 320 x 700 units. The scores of the agents are
below the lines of the players, so that both can be read as a table: who has moved whom by how many points. Columns of
seven agents are less than 44 units wide, so agents are chosen by buttons below the table.
"""

from collections.abc import Mapping
from typing import Any

from spygames.core.game.game import NOBODY
from spygames.core.pictures.picture import phone_headline
from spygames.core.svg.annotations import Look
from spygames.core.svg.colours import EDGE, INK, PAPER, PICK
from spygames.core.svg.pen import CANVAS, Pen, cut, width, wrapped
from spygames.heimlich.board import FINISH, MARK
from spygames.heimlich.cards import HAND
from spygames.heimlich.picture.facts import Seen, count, headline, minus, owners, seats
from spygames.heimlich.picture.frame import ROAD
from spygames.heimlich.picture.signs import BACK, BACK_LINE, COLOURS, DARK, card_sign, figure
from spygames.heimlich.picture.small import middle, town
from spygames.heimlich.picture.stage import LABELS
from spygames.heimlich.texts.seen import HIDDEN, titled

W, H = CANVAS["portrait"]
LEFT, INNER = 8, W - 16
NAMES, COLUMN = 76.0, 40.0
"""The least width of the players' names, and the largest of an agent's column."""
ROW, AGENT, BUTTON, GAP = 19, 74, 44.5, 4.5
"""The heights of a player's line, of an agent's score and of a button, and the space between buttons."""
TITLE = 14
"""The height of the heading of the players' lines."""
PASSPORT = 64.0
"""The width of the viewer's passport."""
LOW, HIGH = 50, 100
"""The height of the viewer's cards beside three rows of buttons, and otherwise."""
A_ROW = 4
"""The number of agents in a row of buttons."""
CHOICES = 3 * (BUTTON + GAP) + LOW
"""The height of the buttons and the viewer's cards together."""


def draw(pen: Pen, seen: Mapping[str, Any], look: Look) -> None:
    """Draw the mapping that `seen_to_dict` returned on the portrait canvas."""
    mine = look.viewer == seen["to_move"] and look.viewer != NOBODY
    phone_headline(pen, headline(seen, look.viewer), mine)
    actions = H - 24 - CHOICES
    agents = actions - 4 - AGENT
    table = agents - ROW * seen["players"] - 2
    top = 42
    high = min(INNER, table - TITLE - top - 6)
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
    own = LOW if end > H - 24 - HIGH or not seen["hands"] else HIGH
    hand = H - 24 - own
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


def _column(m: Seen, i: int) -> float:
    """Return the middle of an agent's column."""
    w = _wide(m)
    return LEFT + INNER - (len(m["agents"]) - i - 0.5) * w


def _wide(m: Seen) -> float:
    """Return the width of an agent's column."""
    return min(COLUMN, (INNER - NAMES) / len(m["agents"]))


def _line(pen: Pen, m: Seen, look: Look, seat: int, y: float) -> None:
    """Draw a player: its name, number of cards, and the points by which it moved each agent."""
    key, palette, base = str(seat), pen.palette, y + 13.8
    ground = palette.own_row if seat == look.viewer else palette.row
    edge = palette.pick if seat == m["to_move"] else None
    pen.box(LEFT, y + 1, INNER, ROW - 2, 6, ground, stroke=edge, stroke_width=1.6)
    end = _column(m, 0) - _wide(m) / 2
    cards = m["hands"].get(key)
    if cards is not None:
        n = cards if isinstance(cards, int) else len(cards)
        end -= 14
        pen.box(end, y + 2, 13, 15, 2.5, BACK, stroke=BACK_LINE, stroke_width=1)
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
            pen.box(cx - 15.5, y + 2, 31, ROW - 4, 5, "none", stroke=COLOURS[agent], stroke_width=2)
        points = m["notebook"]["points"][key].get(agent, 0)
        if m["notebook"]["times"][key].get(agent, 0):
            pen.box(cx - 13, y + 2.5, 26, ROW - 5, 7, DARK[agent])
            pen.words(cx, base - 0.2, minus(points), 12.5, PAPER, anchor="middle")


def _agents(pen: Pen, m: Seen, look: Look, y: float) -> None:
    """Draw the agents with their scores."""
    palette, known = pen.palette, owners(m, look.viewer)
    picks, asked = _picks(look), next((text.split()[1] for text in look.legal if text.startswith("guess ")), None)
    pen.words(LEFT + 4, y + 44, "score", 12.5, palette.soft, bold=False)
    pen.words(LEFT + 4, y + 59, f"of {FINISH}", 12.5, palette.soft, bold=False)
    for i, agent in enumerate(m["agents"]):
        cx, w, score = _column(m, i), _wide(m), m["scores"][agent]
        edge = palette.pick if agent in picks or agent == asked else palette.line
        pen.box(cx - w / 2, y, w, AGENT - 2, 8, palette.panel, stroke=edge, stroke_width=1.6)
        pen.at(cx, y + 46, 0.54)
        pen.stamp(figure, agent, False, 22.3)
        pen.close()
        pen.words(cx, y + 62.5, str(score), 14.5, anchor="middle")
        gain = score - look.before["scores"][agent] if look.before else 0
        moved = m["moved"].get(agent)
        if gain:
            pen.words(cx, y + 13, minus(gain, True), 12.5, palette.accent, anchor="middle")
        elif moved:
            pen.box(cx - 9, y + 2, 18, 14.5, 6, INK)
            pen.words(cx, y + 13.7, str(moved), 12, PAPER, anchor="middle")
        elif agent in known and known[agent] is None:
            pen.words(cx, y + 13, "free", 12, palette.soft, anchor="middle", bold=False)
        long = w - 8
        pen.box(cx - long / 2, y + 65.5, long, 5, 2.5, palette.row)
        pen.box(cx - long / 2, y + 65.5, max(2.0, long * min(score, FINISH) / FINISH), 5, 2.5, COLOURS[agent])
        mark = cx - long / 2 + long * MARK / FINISH
        pen.path(f"M{mark:.1f} {y + 64:.1f}v7", stroke=palette.strong, stroke_width=1)


def _picks(look: Look) -> dict[str, str]:
    """Return the agents that may be chosen, each with the verb of the action."""
    return {text.split()[1]: text.split()[0] for text in look.legal if text.split()[0] in ("move", "agent")}


def _buttons(pen: Pen, m: Seen, look: Look, y: float) -> float:
    """Draw the buttons: which agent, how far, whom, done, pass. Return the y below."""
    picks = _picks(look)
    points = sorted({text.split()[2] for text in look.legal if text.startswith("move ")})
    steps = sorted((text.split()[1] for text in look.legal if text.startswith("step ")), key=int)
    answers = [(_label(text), {"action": text}) for text in look.legal if text.split()[0] in LABELS]
    if picks:
        w = (INNER + GAP) / A_ROW - GAP
        for i, agent in enumerate(m["agents"]):
            x, top = LEFT + i % A_ROW * (w + GAP), y + i // A_ROW * (BUTTON + GAP)
            if agent in picks:
                _agent(pen, agent, picks[agent], x, top, w)
        x, y = LEFT + (A_ROW - 1) * (w + GAP), y + BUTTON + GAP  # at most seven agents leave room for one answer
        for label, named in answers:
            _button(pen, label, named, x, y, w)
        y, answers = y + BUTTON + GAP, []
    rows: list[list[tuple[str, dict[str, str]]]] = []
    if points:
        named = {number: count(int(number), "step") for number in points}
        rows.append([(label, {"pick": f"2:{number}", "label": label}) for number, label in named.items()])
    if steps:
        rows.append([(minus(int(number), True), {"action": f"step {number}"}) for number in steps])
    half = (len(answers) + 1) // 2 if len(answers) > 3 else len(answers)
    rows += [row for row in (answers[:half], answers[half:]) if row]
    for row in rows:
        w = min(120.0, (INNER + GAP) / len(row) - GAP)
        left = W / 2 - (len(row) * (w + GAP) - GAP) / 2
        for i, (label, named) in enumerate(row):
            _button(pen, label, named, left + i * (w + GAP), y, w)
        y += BUTTON + GAP
    return y


def _agent(pen: Pen, agent: str, verb: str, x: float, y: float, w: float) -> None:
    """Draw the button of an agent."""
    named = {"pick": f"1:{agent}"} if verb == "move" else {"action": f"{verb} {agent}"}
    pen.target(**named, label=f"{verb} {agent}")
    pen.box(x, y, w, BUTTON, 9, PAPER, stroke=pen.palette.pick, stroke_width=2.6)
    pen.at(x + 12.5, y + BUTTON - 6, 0.66)
    pen.stamp(figure, agent, False, 18.4)
    pen.close()
    pen.words(x + 24, y + BUTTON / 2 + 5, agent, 13, INK, most=w - 26)
    pen.close()


def _button(pen: Pen, label: str, named: Mapping[str, str], x: float, y: float, w: float) -> None:
    """Draw a button; a label that fills it has two lines."""
    pen.target(**named)
    pen.box(x, y, w, BUTTON, 9, PICK, stroke=INK, stroke_width=1.2)
    size = 18 if len(label) < 3 else 13.5
    lines = [label] if width(label, size) <= w - 16 else label.rsplit(" ", 1)
    for i, line in enumerate(lines):
        at = y + BUTTON / 2 + size * 0.36 + 16 * (i - (len(lines) - 1) / 2)
        pen.words(x + w / 2, at, line, size, INK, anchor="middle", most=w - 2)
    pen.close()


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
        pen.at(W / 2 - 60, y + h - 7, 0.8)
        pen.stamp(figure, agent, False, 15.2)
        pen.close()
        pen.words(W / 2 - 36, y + h / 2 + 5, f"You are {agent}", 16, INK)
        return
    w, low, middle_x = PASSPORT, h == LOW, LEFT + PASSPORT / 2
    pen.box(LEFT, y, w, h - 2, 10, PAPER, stroke=COLOURS[agent], stroke_width=3)
    if not low:
        pen.at(middle_x, y + 56, 1.0)
        pen.stamp(figure, agent, False, 12.4)
        pen.close()
    foot = y + h - 10
    pen.words(middle_x, foot - 16, agent, 14, INK, anchor="middle")
    pen.words(middle_x, foot, f"was {former}" if former else "you", 12, INK, anchor="middle", bold=False, most=w - 4)
    hand = m["hands"][str(look.viewer)]
    n = max(HAND, len(hand))
    w = (INNER - PASSPORT) / n - GAP
    for i in range(n):
        x = LEFT + PASSPORT + GAP + i * (w + GAP)
        _card(pen, hand[i] if i < len(hand) else None, look, x, y, w, h - 2)


def _card(pen: Pen, card: str | None, look: Look, x: float, y: float, w: float, h: float) -> None:
    """Draw a card of the viewer's hand, or an empty place."""
    if card is None:
        pen.box(x, y, w, h, 8, "none", stroke=pen.palette.line, stroke_width=1.2, stroke_dasharray="5 5")
        return
    can = f"card {card}" in look.legal
    if can:
        pen.target(action=f"card {card}", label=f"play {titled(card)}")
    elif look.decides:
        pen.refused(f"card {card}")
    pen.box(x, y, w, h, 8, PAPER, stroke=pen.palette.pick if can else EDGE, stroke_width=3 if can else 1.2)
    lines = wrapped(titled(card), 12, w - 4)
    room = h - 8 - 15 * len(lines)
    if h > LOW:
        r = min(27.0, w / 2 - 4, room / 2)
        pen.dot(x + w / 2, y + 4 + r, r, BACK)
        pen.at(x + w / 2, y + 4 + r, r / 29)
        pen.stamp(card_sign, card, PAPER, BACK)
        pen.close()
    for i, line in enumerate(lines):
        base = y + h - 15 * (len(lines) - i) + (7 if h > LOW else 11.5 - room / 2 - 4)
        pen.words(x + w / 2, base, line, 12, INK, anchor="middle", most=w - 2)
    if can or look.decides:
        pen.close()
