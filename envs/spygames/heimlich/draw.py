"""Heimlich & Co. as a picture, drawn from what a viewer may know: town and score track, stage, notebook, own things.

The agents stand in the order of their ids wherever there is an order: the viewer-relative order would mark the mover's.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from spygames.core.game import NOBODY
from spygames.core.pen import BAD, EDGE, GOOD, INK, LINE, PANEL, PAPER, PICK, SOFT, TABLE, WIDTH, Pen
from spygames.core.picture import Look, advice_panel, heading, log_panel, title_bar
from spygames.heimlich.board import BUILDINGS, CHURCH, FINISH, LOOP, MARK, VALUES
from spygames.heimlich.cards import CARDS, COPIES, HAND
from spygames.heimlich.seen import HIDDEN, titled
from spygames.heimlich.signs import (
    BACK,
    BACK_LINE,
    COLOURS,
    DARK,
    GOLD,
    LETTERS,
    back,
    card_sign,
    die,
    figure,
    house,
    safe,
    token,
)

Seen = Mapping[str, Any]

BOARD_X, BOARD_Y, CELL = 16, 54, 53  # the score track: 12 x 11 cells around the town
PLOT_W, PLOT_H = 10 * CELL / 4, 9 * CELL / 4
STAGE_X, STAGE_Y, STAGE_W, STAGE_H = BOARD_X + CELL + PLOT_W, BOARD_Y + CELL + PLOT_H, 2 * PLOT_W, 2 * PLOT_H
SIDE_X, SIDE_W = 668, 516  # notebook and panels
OWN_Y, OWN_H = 648, 238  # what lies before the viewer
BOTTOM = OWN_Y + OWN_H
LABELS = 176  # the width of a row's head in the notebook
GRASS, PATH, ROAD = "#7ba36f", "#e4d8ba", "#3a4a58"


def draw(pen: Pen, seen: Seen, look: Look) -> None:
    """Draws what `seen_to_dict` returned."""
    edition = " · 1984" if seen["edition"] == "ravensburger" else ""
    title_bar(pen, "Heimlich & Co.", _headline(seen, look.viewer), f"turn {seen['turn']}{edition}")
    _track(pen, seen, look)
    _town(pen, seen, look)
    _stage(pen, seen, look)
    y = _notebook(pen, seen, look)
    if seen["guesses"]:
        y = _predictions(pen, seen, look, y)
    _panels(pen, seen, look, y + 30)
    _own(pen, seen, look)


# ---------------------------------------------------------------- what is asked, and names


def _headline(m: Seen, viewer: int) -> str:
    """The decision that is due, or who has won."""
    if m["phase"] == "over":
        winners = [_who(seat, viewer) for seat in m["winners"]]
        if not winners:
            return "Nobody wins: a free agent is furthest ahead"
        return f"{' and '.join(winners)} {'win' if len(winners) > 1 or winners == ['You'] else 'wins'}"
    doing = {
        "move": f"move agents, {_count(m['points_left'], 'point')} left",
        "cards": "play a card or pass",
        "card_choice": f"choose for {titled(m['pending_card']['card'])}" if m["pending_card"] else "",
        "safe": "move the safe",
        "guess": f"who owns {asked}?" if (asked := _asked(m, viewer)) else "predict who is who",
    }[m["phase"]]
    return f"{_who(m['to_move'], viewer)}: {doing}"


def _who(seat: int, viewer: int) -> str:
    return "You" if seat == viewer else f"player_{seat}"


def _count(number: int, thing: str) -> str:
    return f"{number} {thing}{'' if number == 1 else 's'}"


def _asked(m: Seen, viewer: int) -> str | None:
    """The agent that a prediction is about now, as far as the viewer knows it."""
    if m["phase"] != "guess" or viewer not in (NOBODY, m["to_move"]):
        return None
    mover = str(m["to_move"])
    made = m["guesses"][mover]
    return next((a for a in m["agents"] if a not in made and a != m["passports"][mover]), None)


def _owners(m: Seen, viewer: int) -> dict[str, int | None]:
    """What is known of who owns an agent: its seat, or None for a free one."""
    owners: dict[str, int | None] = {a: int(seat) for seat, a in m["passports"].items() if a != HIDDEN}
    if len(owners) == m["players"]:
        return {a: owners.get(a) for a in m["agents"]}
    return {m["former"]: None} | owners if m["former"] not in (None, HIDDEN) else owners


# ---------------------------------------------------------------- the score track


def _cell(space: int) -> tuple[float, float]:
    """The middle of a space of the track; Start and Finish are one, at the lower left corner."""
    space %= FINISH
    legs = ((0, 10, 0, -1, 0), (0, 0, 1, 0, 10), (11, 0, 0, 1, 21), (11, 10, -1, 0, 31))
    column, row, dx, dy, first = next(leg for leg in reversed(legs) if space >= leg[4])
    return (BOARD_X + (column + dx * (space - first) + 0.5) * CELL, BOARD_Y + (row + dy * (space - first) + 0.5) * CELL)


def _space_of(score: int) -> int:
    return min(score, FINISH)


def _track(pen: Pen, m: Seen, look: Look) -> None:
    """The spaces from Start to Finish and the tokens on them."""
    pen.box(BOARD_X - 4, BOARD_Y - 4, 12 * CELL + 8, 11 * CELL + 8, 16, ROAD)
    for space in range(FINISH):
        x, y = _cell(space)
        marked = space == MARK
        fill = GOLD if marked else PATH if space % 2 else EDGE
        pen.box(x - 24.5, y - 24.5, 49, 49, 8, PAPER if space == 0 else fill, stroke=INK if marked else None)
        if space == 0:
            for i in range(12):
                pen.box(x - 23 + 8 * (i % 6), y + 7 + 8 * (i // 6), 6 + 0, 7, 1, INK if (i + i // 6) % 2 else SOFT)
        elif marked or space % 5 == 0:
            pen.words(x - 21, y - 12, str(space), 12, INK)
    here: dict[int, list[str]] = {}
    for agent, score in m["scores"].items():
        here.setdefault(_space_of(score) % FINISH, []).append(agent)
        if look.before and (old := _space_of(look.before["scores"][agent])) != _space_of(score):
            x, y = _cell(old)
            pen.at(x, y)
            token(pen, agent, 12, ghost=True)
            pen.close()
    for space, agents in here.items():
        x, y = _cell(space)
        for agent, (dx, dy, r) in zip(agents, _spread(len(agents)), strict=True):
            pen.at(x + dx, y + dy)
            token(pen, agent, r)
            pen.close()


def _spread(n: int) -> Sequence[tuple[float, float, float]]:
    """Where n tokens lie on one space, and their radius."""
    if n <= 2:
        return ((0, 2, 14),) if n == 1 else ((-10.5, 4, 11), (10.5, 4, 11))
    rows = (n - n // 2, n // 2)
    return [
        (13.2 * (i - (k - 1) / 2) * (1.5 if k < 3 else 1), (-5, 12)[row], 8.6) for row, k in enumerate(rows) for i in range(k)
    ]


# ---------------------------------------------------------------- the town


def _plot(building: int) -> tuple[float, float]:
    """The middle of a building's plot; clockwise from the Church at the lower left corner."""
    side, k = divmod(building, 3)
    column, row = ((0, 3 - k), (k, 0), (3, k), (3 - k, 3))[side]
    return BOARD_X + CELL + (column + 0.5) * PLOT_W, BOARD_Y + CELL + (row + 0.5) * PLOT_H


def _town(pen: Pen, m: Seen, look: Look) -> None:
    """Buildings with their values, the safe, the agents, and what has moved since the viewer's last look."""
    for building, name in enumerate(BUILDINGS):
        x, y = _plot(building)
        action = next((f"{verb} {name}" for verb in ("safe", "building") if f"{verb} {name}" in look.legal), None)
        if action:
            pen.target(action=action, label=f"move the safe to {name}")
        w, h = PLOT_W - 6, PLOT_H - 6
        pen.box(x - w / 2, y - h / 2, w, h, 12, GRASS, stroke=PICK if action else "#5d8455", stroke_width=4 if action else 2)
        pen.path(f"M{x - w / 2 + 1:.1f} {y + 22} h{w - 2:.1f} v{h / 2 - 34:.1f} q0 11 -11 11 h{24 - w:.1f} q-11 0 -11 -11 Z", PATH)
        pen.at(x, y + 26)
        house(pen, building)
        pen.close()
        value = int(VALUES[building])
        pen.dot(x - w / 2 + 17, y - h / 2 + 17, 13, BAD if value < 0 else PAPER, stroke=INK, stroke_width=1.6)
        text = str(value).replace("-", "−")
        pen.words(x - w / 2 + 17, y - h / 2 + 22.4, text, 15, PAPER if value < 0 else INK, anchor="middle")
        if action:
            pen.close()
    if look.before and look.before["safe"] != m["safe"]:
        _safe_at(pen, look.before["safe"], ghost=True)
    _safe_at(pen, m["safe"])
    if look.before:
        for agent in m["agents"]:
            _trail(pen, agent, look.before["positions"][agent], m["positions"][agent])
    standing = [[a for a in m["agents"] if m["positions"][a] == building] for building in range(LOOP)]
    for building, agents in enumerate(standing):
        for i, agent in sorted(enumerate(agents), key=lambda each: _foot(building, each[0], len(agents))[1]):
            _agent(pen, m, look, agent, *_foot(building, i, len(agents)))


def _safe_at(pen: Pen, building: int, ghost: bool = False) -> None:
    x, y = _plot(building)
    pen.at(x + PLOT_W / 2 - 28, y - PLOT_H / 2 + 32)
    safe(pen, ghost)
    pen.close()


def _foot(building: int, i: int, n: int) -> tuple[float, float]:
    """Where the i-th of n agents in a building stands: from five on in two rows."""
    x, y = _plot(building)
    in_back = n // 2 if n > 4 else 0
    row, k, of = (0, i, in_back) if i < in_back else (1, i - in_back, n - in_back)
    return x + (k - (of - 1) / 2) * 30, y + PLOT_H / 2 - (30, 10)[row] + (2 if not in_back else 0)


def _agent(pen: Pen, m: Seen, look: Look, agent: str, x: float, y: float) -> None:
    """An agent in the town, with what it was moved by in this turn; whether it can be picked."""
    at = next((verb for verb in ("move", "agent") if any(t.split()[:2] == [verb, agent] for t in look.legal)), None)
    if at:
        pen.target(pick=f"1:{agent}", action=f"agent {agent}" if at == "agent" else None, label=f"{at} {agent}")
    pen.at(x, y)
    if at:
        pen.path("M-16 2 Q-17 -20 -13 -46 Q0 -60 13 -46 Q17 -20 16 2 Q0 8 -16 2 Z", PICK, opacity=0.9)
    if agent in m["arrived"]:
        pen.add("ellipse", cx=0, cy=1, rx=17, ry=6, fill=GOLD, stroke=INK, stroke_width=1.4)
    figure(pen, agent)
    named = m["pending_card"] and agent in m["pending_card"]["agents"]
    points = m["moved"].get(agent)
    if points or named:
        pen.dot(11, -44, 9, INK if points else BAD, stroke=PAPER, stroke_width=1.4)
        pen.words(11, -40, f"+{points}" if points else "!", 10.5, PAPER, anchor="middle")
    pen.close()
    if at:
        pen.close()


def _trail(pen: Pen, agent: str, old: int, new: int) -> None:
    """Where an agent has come from: along the street up to six on or two back, else straight."""
    if old == new:
        return
    on = (new - old) % LOOP
    stops = range(on + 1) if on <= 6 else range(0, on - LOOP - 1, -1) if on >= LOOP - 2 else (0, on)
    dy = PLOT_H / 2 - 34 + 5 * list(COLOURS).index(agent)
    points = [_plot((old + k) % LOOP) for k in stops]
    d = "M" + " L".join(f"{x:.1f} {y + dy:.1f}" for x, y in points)
    pen.path(d, stroke=INK, stroke_width=6, stroke_linejoin="round", stroke_linecap="round", opacity=0.45)
    pen.path(d, stroke=COLOURS[agent], stroke_width=4.4, stroke_linejoin="round", stroke_linecap="round", stroke_dasharray="1 9")
    pen.at(points[0][0], points[0][1] + PLOT_H / 2 - 8)
    figure(pen, agent, ghost=True)
    pen.close()


# ---------------------------------------------------------------- the middle of the town: what is to be done


def _stage(pen: Pen, m: Seen, look: Look) -> None:
    """The die, the card that asks, and buttons for what is picked nowhere else."""
    x, y = STAGE_X + 4, STAGE_Y + 4
    w, h = STAGE_W - 8, STAGE_H - 8
    pen.box(x, y, w, h, 14, PANEL, stroke=PICK if look.legal else LINE, stroke_width=2)
    pen.at(x + 46, y + 46)
    die(pen, m["die"])
    pen.close()
    over = m["phase"] == "over"
    pen.words(x + 90, y + 32, "End of the game" if over else f"Turn of {_who(m['active'], look.viewer)}", 15.5, PAPER, most=w - 100)
    left = m["points_left"]
    for i in range(left):
        pen.dot(x + 97 + 18 * i, y + 52, 6.4, GOLD, stroke=INK, stroke_width=1.2)
    note = f"{_count(left, 'point')} left" if left else "" if over else "all points spent"
    if m["phase"] == "cards":
        note = f"card round: {m['passes']} of {m['players']} passed"
    elif m["card_turn"] is not None:
        note = f"because of a card of {_who(m['card_turn'], look.viewer)}"
    pen.words(x + 90, y + (76 if left else 56), note, 13, SOFT, bold=False, most=w - 100)
    if card := m["pending_card"]:
        _pending(pen, card, x + 12, y + 90)
    _buttons(pen, m, look, x + 12, y + (150 if card else 96), w - 24)


def _pending(pen: Pen, card: Mapping[str, Any], x: float, y: float) -> None:
    """The card that asks for choices, and the agents named for it."""
    pen.box(x, y, 150, 48, 8, PAPER, stroke=BAD, stroke_width=2)
    pen.at(x + 26, y + 24, 0.8)
    card_sign(pen, card["card"], INK, PAPER)
    pen.close()
    pen.words(x + 54, y + 29, titled(card["card"]), 13, INK, most=92)
    for i, agent in enumerate(card["agents"]):
        pen.at(x + 176 + 36 * i, y + 48, 0.92)
        figure(pen, agent)
        pen.close()


def _buttons(pen: Pen, m: Seen, look: Look, x: float, y: float, w: float) -> None:
    """A button for each number that can be chosen, and for each action that belongs to nothing on the board."""
    small: list[tuple[str, str]] = []  # what the button says and picks
    large: list[tuple[str, str]] = []
    for text in look.legal:
        verb, *words = text.split()
        if verb == "move" and (words[1], f"2:{words[1]}") not in small:
            small.append((words[1], f"2:{words[1]}"))
        elif verb == "step":
            small.append((f"{int(words[0]):+d}".replace("-", "−"), text))
        elif verb == "guess":
            large.append(("nobody: free" if words[1] == "free" else words[1], text))
        elif verb in ("done", "draw", "pass"):
            label = {"done": "Done", "draw": "Take a card", "pass": "Pass"}[verb]
            large.append((label, text))
    hints = {"move": "Pick an agent and how far", "step": "Pick how far", "agent": "Pick an agent in the town"}
    hints |= {"safe": "Pick a building", "building": "Pick a building", "card": "Pick a card of your hand"}
    hint = next((hints[v] for v in hints for text in look.legal if text.split()[0] == v), "")
    if hint:
        pen.words(x, y + 12, hint, 13.5, PICK)
        y += 22
    step = min(40, (w + 4) / max(1, len(small)))
    for i, (label, choice) in enumerate(sorted(small, key=lambda each: int(each[0].replace("−", "-")))):
        pen.target(**({"pick": choice} if choice[1] == ":" else {"action": choice}))
        pen.box(x + i * step, y, step - 5, 36, 8, PICK, stroke=INK, stroke_width=1.4)
        pen.words(x + i * step + (step - 5) / 2, y + 25, label, 18, INK, anchor="middle")
        pen.close()
    y += 44 if small else 0
    columns = 2 if len(large) > 1 else 1
    for i, (label, choice) in enumerate(large):
        bw = (w + 8) / columns - 8
        bx, by = x + i % columns * (bw + 8), y + i // columns * 36
        pen.target(action=choice)
        pen.box(bx, by, bw, 30, 8, PICK, stroke=INK, stroke_width=1.4)
        pen.words(bx + bw / 2, by + 20, label, 14, INK, anchor="middle", most=bw - 8)
        pen.close()


# ---------------------------------------------------------------- the notebook


def _seats(m: Seen, viewer: int) -> list[int]:
    """The seats from the viewer's left on, its own last."""
    first = 0 if viewer == NOBODY else viewer + 1
    return [(first + i) % m["players"] for i in range(m["players"])]


def _column(m: Seen, i: int) -> tuple[float, float]:
    """The middle of an agent's column, and how wide it is."""
    w = (SIDE_W - LABELS - 34) / len(m["agents"])
    return SIDE_X + LABELS + (i + 0.5) * w, w


def _notebook(pen: Pen, m: Seen, look: Look) -> float:
    """What deduction rests on: for each player and agent the points moved, how often, the score brought.

    Returns the lower edge.
    """
    y, players = BOARD_Y, m["players"]
    row = min(58, 296 / players)
    height = 84 + row * players
    pen.box(SIDE_X, y - 4, SIDE_W, height, 14, PANEL, stroke=LINE, stroke_width=1.2)
    heading(pen, SIDE_X + 14, y + 18, "Notebook")
    pen.words(SIDE_X + 14, y + 36, "points moved ×times", 11.5, SOFT, bold=False)
    pen.words(SIDE_X + 14, y + 51, "+score brought", 11.5, GOLD, bold=False)
    owners, asked = _owners(m, look.viewer), _asked(m, look.viewer)
    for i, agent in enumerate(m["agents"]):
        cx, w = _column(m, i)
        if agent == asked:
            pen.box(cx - w / 2 + 1, y, w - 2, height - 8, 8, "none", stroke=PICK, stroke_width=2)
        pen.at(cx, y + 50, 0.9)
        figure(pen, agent)
        pen.close()
        pen.words(cx, y + 70, str(m["scores"][agent]), 15, PAPER, anchor="middle")
        if agent in owners and owners[agent] is None:
            pen.box(cx - 15, y + 0, 30, 13, 6, SOFT)
            pen.words(cx, y + 10, "free", 10, INK, anchor="middle")
    pen.words(SIDE_X + SIDE_W - 21, y + 40, "scor-", 10.5, SOFT, anchor="middle", bold=False)
    pen.words(SIDE_X + SIDE_W - 21, y + 52, "ings", 10.5, SOFT, anchor="middle", bold=False)
    for k, seat in enumerate(_seats(m, look.viewer)):
        _page(pen, m, look, seat, y + 78 + k * row, row)
    return y + height - 4


def _page(pen: Pen, m: Seen, look: Look, seat: int, y: float, h: float) -> None:
    """The row of a player: its name, passport and cards, and what it has moved and scored."""
    key, book, mid = str(seat), m["notebook"], y + h / 2
    moves = seat == m["to_move"]
    ground = "#2c4257" if seat == look.viewer else "#263a4c"
    pen.box(SIDE_X + 6, y + 1.5, SIDE_W - 12, h - 3, 8, ground, stroke=PICK if moves else None, stroke_width=2)
    pen.box(SIDE_X + 12, mid - 12, 24, 24, 6, GOLD if seat in m["winners"] else SOFT)
    pen.words(SIDE_X + 24, mid + 5.4, key, 15, INK, anchor="middle")
    if seat == m["active"] and m["phase"] != "over":
        pen.path(f"M{SIDE_X + 5} {mid - 8:.1f} l9 8 l-9 8 Z", GOLD, stroke=INK, stroke_width=1)
    name = "You" if seat == look.viewer else f"player_{seat}"
    pen.words(SIDE_X + 42, mid - 3, name, 13.5, PAPER, most=68)
    sub = look.names[seat] if seat < len(look.names) else ""
    cards = m["hands"].get(key)
    pen.words(SIDE_X + 42, mid + 12, sub, 11.5, SOFT, bold=False, most=66)
    _passport(pen, m["passports"][key], SIDE_X + 122, mid, m["swapped"] == seat)
    if cards is not None:
        _small_hand(pen, cards, SIDE_X + 139, mid - 14)
        if played := book["cards_played"][seat]:
            pen.words(SIDE_X + 139, mid + 13, f"{played} used", 10.5, SOFT, bold=False)
    for i, agent in enumerate(m["agents"]):
        cx, w = _column(m, i)
        _entry(pen, m, look, seat, agent, cx, mid, w, h)
    scorings = book["scorings"][seat]
    pen.words(SIDE_X + SIDE_W - 21, mid + 5, str(scorings), 14, PAPER if scorings else SOFT, anchor="middle")


def _entry(pen: Pen, m: Seen, look: Look, seat: int, agent: str, cx: float, cy: float, w: float, h: float) -> None:
    """One cell of the notebook; a dot grows with the points. It can be picked as a prediction."""
    points, times, gain = (m["notebook"][key][str(seat)].get(agent, 0) for key in ("points", "times", "gains"))
    action = f"guess {agent} player_{seat}"
    can = action in look.legal
    if can:
        pen.target(action=action)
        pen.box(cx - w / 2 + 3, cy - h / 2 + 4, w - 6, h - 8, 6, INK, stroke=PICK, stroke_width=2)
    if m["passports"][str(seat)] == agent:
        pen.box(cx - w / 2 + 2, cy - h / 2 + 3, w - 4, h - 6, 6, "none", stroke=COLOURS[agent], stroke_width=2.4)
    if times:
        r = min(14.0, h / 3.0, 6.5 + abs(points) ** 0.5)
        pen.dot(cx - 8, cy - 5, r, DARK[agent], stroke=COLOURS[agent], stroke_width=1.4)
        pen.words(cx - 8, cy - 1, f"{points}".replace("-", "−"), 11.5, PAPER, anchor="middle")
        pen.words(cx + w / 2 - 3, cy - 1, f"×{times}", 9.5, PAPER, anchor="end", bold=False)
    else:
        pen.dot(cx - 8, cy - 5, 2, LINE)
    if gain:
        pen.words(cx + w / 2 - 3, cy + h / 2 - 5, f"{gain:+d}".replace("-", "−"), 11, GOLD, anchor="end")
    if can:
        pen.close()


def _passport(pen: Pen, agent: str, x: float, y: float, swapped: bool) -> None:
    """A passport, sealed or open round (x, y); a seat that has changed its identity has a second one behind."""
    if swapped:
        pen.box(x - 6, y - 18, 22, 30, 3, BAD, stroke=INK, stroke_width=1)
    if agent == HIDDEN:
        pen.box(x - 11, y - 14, 22, 28, 3, BACK, stroke=BACK_LINE, stroke_width=1.2)
        pen.words(x, y + 6, "?", 16, PAPER, anchor="middle")
        return
    pen.box(x - 11, y - 14, 22, 28, 3, PAPER, stroke=COLOURS[agent], stroke_width=2)
    pen.words(x, y + 6, LETTERS[agent], 15, INK, anchor="middle")


def _small_hand(pen: Pen, cards: int | Sequence[str], x: float, y: float) -> None:
    """The cards of a hand beside a name: backs, or small signs where they are known."""
    count = cards if isinstance(cards, int) else len(cards)
    for i in range(count):
        pen.at(x + 10.5 * i, y)
        back(pen, 9.5, 15) if isinstance(cards, int) else _chip(pen, cards[i], 9.5, 15)
        pen.close()


def _chip(pen: Pen, card: str, w: float, h: float) -> None:
    """A small card with the left top corner at (0, 0)."""
    pen.box(0, 0, w, h, 2, PAPER, stroke=INK, stroke_width=0.8)
    pen.at(w / 2, h / 2, w / 50)
    card_sign(pen, card, INK, PAPER)
    pen.close()


# ---------------------------------------------------------------- predictions, panels, the viewer's own things


def _predictions(pen: Pen, m: Seen, look: Look, y: float) -> float:
    """What each player has predicted, as far as it is known; at the end with what was right. Returns the lower edge."""
    over, asked, row = m["phase"] == "over", _asked(m, look.viewer), 22
    y += 26
    status = "" if over else "all made" if m["guessed"] else "asked now" if m["phase"] == "guess" else f"asked at {MARK}"
    heading(pen, SIDE_X + 14, y, "Predictions")
    pen.words(SIDE_X + LABELS - 4, y, status, 11.5, SOFT, anchor="end", bold=False)
    if not (over or m["guessed"] or m["guessing"]):
        return y
    truth = _owners(m, look.viewer) if over else {}
    for k, seat in enumerate(_seats(m, look.viewer)):
        mid = y + 8 + (k + 0.5) * row
        made = m["guesses"][str(seat)]
        due = seat in m["guessing"]
        pen.box(SIDE_X + 6, mid - 10, SIDE_W - 12, 20, 6, "#263a4c", stroke=PICK if seat == m["to_move"] and due else None)
        pen.words(SIDE_X + 24, mid + 4.5, str(seat), 12, SOFT, anchor="middle")
        count = made if isinstance(made, int) else len(made)
        text = "You" if seat == look.viewer else f"player_{seat}"
        pen.words(SIDE_X + 42, mid + 4.5, f"{text} · {count} made" if count else text, 12, PAPER, bold=False)
        right = 0
        for i, agent in enumerate(m["agents"]):
            cx, w = _column(m, i)
            if isinstance(made, int) or agent not in made:
                continue
            owner = made[agent]
            label = "free" if owner == "free" else owner.removeprefix("player_")
            hit = over and owner == ("free" if truth[agent] is None else f"player_{truth[agent]}") and truth[agent] != seat
            right += hit
            pen.box(cx - 16, mid - 8, 32, 16, 5, GOOD if hit else INK, stroke=None if hit else LINE)
            pen.words(cx, mid + 4.4, label, 12, "#fff" if hit else PAPER, anchor="middle")
        if over:
            pen.words(SIDE_X + SIDE_W - 21, mid + 4.5, f"+{5 * right}", 13, PAPER, anchor="middle")
    return y + 8 + row * m["players"]


def _panels(pen: Pen, m: Seen, look: Look, y: float) -> None:
    """The race of the tokens, advice, and what happened, as far as there is room."""
    x, w, advice = SIDE_X + 14, SIDE_W - 28, look.advice if m["phase"] != "over" else None
    log = look.log if m["hands"] else ()
    race = 30 + 22 * len(m["agents"])
    need = (150 if log else 0) if advice is None else 250
    if BOTTOM - y >= race + need:
        y = _race(pen, m, look, x, y, w)
    if advice is not None:
        lines = max(2, min(8, int((BOTTOM - y - 80) // 32)))
        split = (w - 20) * 0.46 if log else 0
        advice_panel(pen, x + split + (20 if log else 0), y, w - split - (20 if log else 0), look, (GOLD, SOFT), lines)
        w = split
    if log:
        log_panel(pen, x, y, w, look, int((BOTTOM - y - 12) // 22))


def _race(pen: Pen, m: Seen, look: Look, x: float, y: float, w: float) -> float:
    """The scores as bars. Returns where the next panel may begin."""
    heading(pen, x, y, "Scores")
    long = w - 70
    for i, agent in enumerate(m["agents"]):
        mid, score = y + 22 + 22 * i, m["scores"][agent]
        pen.at(x + 9, mid)
        token(pen, agent, 9)
        pen.close()
        pen.box(x + 26, mid - 7, long, 14, 4, "#263a4c")
        pen.box(x + 26, mid - 7, max(3.0, long * min(score, FINISH) / FINISH), 14, 4, COLOURS[agent])
        pen.words(x + w, mid + 5, str(score), 14, PAPER, anchor="end")
    mark = x + 26 + long * MARK / FINISH
    pen.path(f"M{mark:.1f} {y + 10} v{22 * len(m['agents'])}", stroke=PAPER, stroke_width=1.4, stroke_dasharray="3 4")
    return y + 44 + 22 * len(m["agents"])


def _own(pen: Pen, m: Seen, look: Look) -> None:
    """The viewer's passport and hand, or for NOBODY the deck; the used cards, or what happened."""
    x, y, w = BOARD_X - 4, OWN_Y, 12 * CELL + 8
    pen.box(x, y, w, OWN_H, 14, PANEL, stroke=PICK if look.viewer == m["to_move"] else LINE, stroke_width=1.6)
    left = x + 16
    if look.viewer != NOBODY:
        _identity(pen, m["passports"][str(look.viewer)], m["former"], left, y + 16)
        left += 154
    if not m["hands"]:
        log_panel(pen, left, y + 30, x + w - left - 16, look, 8)
        return
    deck = m["deck"] if isinstance(m["deck"], int) else len(m["deck"])
    heading(pen, left, y + 28, "Deck, top first" if look.viewer == NOBODY else "Your hand")
    pen.words(x + w - 16, y + 28, f"{_count(deck, 'card')} in the deck", 12.5, SOFT, anchor="end", bold=False)
    if look.viewer == NOBODY:
        for i, card in enumerate(m["deck"]):
            pen.at(left + 46 * (i % 13), y + 40 + 56 * (i // 13))
            _chip(pen, card, 40, 50)
            pen.close()
    else:
        hand = m["hands"][str(look.viewer)]
        for i in range(HAND):
            _hand_card(pen, hand[i] if i < len(hand) else None, left + 114 * i, y + 40, look)
    _used(pen, m["used"], left, y + 182, x + w - 16 - left)


def _identity(pen: Pen, agent: str, former: str | None, x: float, y: float) -> None:
    """The own passport, open."""
    pen.box(x + 3, y + 4, 136, 200, 12, "#000", opacity=0.3)
    pen.box(x, y, 136, 200, 12, PAPER, stroke=COLOURS[agent], stroke_width=4)
    pen.words(x + 68, y + 26, "PASSPORT", 13, INK, anchor="middle", letter_spacing=2)
    pen.dot(x + 68, y + 94, 52, COLOURS[agent], opacity=0.35)
    pen.at(x + 68, y + 136, 1.9)
    figure(pen, agent)
    pen.close()
    pen.words(x + 68, y + 168, f"You are {agent}", 15, INK, anchor="middle")
    if former:
        pen.words(x + 68, y + 187, f"before: {former}", 12, INK, anchor="middle", bold=False)


def _hand_card(pen: Pen, card: str | None, x: float, y: float, look: Look) -> None:
    """A card of the viewer's hand, or an empty place."""
    w, h = 106, 126
    if card is None:
        pen.box(x, y, w, h, 9, "none", stroke=LINE, stroke_width=1.4, stroke_dasharray="5 5")
        return
    can = f"card {card}" in look.legal
    if can:
        pen.target(action=f"card {card}", label=f"play {titled(card)}")
    pen.box(x, y, w, h, 9, PAPER, stroke=PICK if can else EDGE, stroke_width=4 if can else 1.4)
    pen.dot(x + w / 2, y + 52, 38, BACK)
    pen.at(x + w / 2, y + 52, 1.4)
    card_sign(pen, card, PAPER, BACK)
    pen.close()
    pen.words(x + w / 2, y + h - 13, titled(card), 13, INK, anchor="middle", most=w - 8)
    if can:
        pen.close()


def _used(pen: Pen, used: Sequence[str], x: float, y: float, w: float) -> None:
    """The used cards by kind: a dot for each copy, filled when it is used."""
    heading(pen, x, y, "Used cards")
    step = w / len(CARDS)
    for i, card in enumerate(CARDS):
        cx, gone = x + (i + 0.5) * step, used.count(card)
        pen.at(cx, y + 24, 0.54, opacity=None if gone else 0.45)
        card_sign(pen, card, PAPER if gone else SOFT, PANEL)
        pen.close()
        for k in range(int(COPIES[i])):
            pen.dot(cx + 9 * (k - (COPIES[i] - 1) / 2), y + 44, 3, GOLD if k < gone else "none", stroke=SOFT, stroke_width=1)
