"""The form for phones: rivals at the top, the board in the middle, the viewer's hand at the bottom.

Letters have at least 12 units, and targets at least 44, on a canvas of 320 x 700 units. The
signs of the agents in play are smaller than that, so agents to take are chosen by buttons in place of the hand.
"""

from collections.abc import Mapping
from typing import Any

from spygames.agent_avenue.board import CATCH
from spygames.agent_avenue.cards import MARKET_CARDS, ONGOING
from spygames.agent_avenue.picture.faces import EFFECTS, chip
from spygames.agent_avenue.picture.park import GRASS, GRASS_INK
from spygames.agent_avenue.picture.scene import Scene, title
from spygames.agent_avenue.picture.signs import (
    BACK,
    BACK_LINE,
    KIND,
    MARKET,
    MARKET_LIGHT,
    MARKET_LINE,
    MARKET_TEXT,
    SIDE,
    SIDE_TEXT,
    badge,
    meeple,
    sign,
)
from spygames.agent_avenue.picture.small import card, hidden, in_play, lamps, ring
from spygames.agent_avenue.picture.zones import known
from spygames.core.pictures.picture import Look, phone_headline
from spygames.core.svg.colours import INK, PAPER, PICK
from spygames.core.svg.pen import CANVAS, Pen, cut, fitting, width, wrapped

W, H = CANVAS["portrait"]
EDGE, INNER = 8, W - 16
LETTERS = 12.5
"""The least size of letters."""
LINE, PLAYED = 22, 48
"""The heights of a seat's line and of the agents in play."""
PILL, A_ROW = 22, 2
"""The height of an ongoing market card, and how many are side by side."""
TAB, GAP = 44.2, 4.0
"""The height of a button, and the space between two."""
LAMPS, RACE = 80, 98
"""The least heights of the park that has room for the lamps, and for words below them."""
HAND, FOOT = 488, 678
"""The upper and lower edge of the hand and its buttons, the same in all phases."""


def draw(pen: Pen, seen: Mapping[str, Any], look: Look) -> None:
    """Draw what `seen_to_dict` returned on the portrait canvas."""
    c = Scene(pen, seen, look)
    phone_headline(pen, c.headline, seen["to_move"] == look.viewer >= 0)
    y = 42.0
    for seat in c.seats[1 - c.below]:
        y = _line(c, seat, y)
    y = _played(c, 1 - c.below, y)
    market = 52 if seen["mode"] == "advanced" else 0
    below = HAND - 6 - PLAYED - LINE * len(c.seats[c.below]) - market - _pills_h(c, c.below)
    board = below - y - 10
    ring(c, EDGE + 3, y + 4, INNER - 6, board, numbers=True)
    cw, ch = (INNER - 6) / 5, board / 4
    _park(c, EDGE + 3 + cw + 2, y + 4 + ch + 2, 3 * cw - 4, 2 * ch - 4)
    y = below
    if market:
        _market(c, y)
        y += market
    for seat in sorted(c.seats[c.below], key=lambda each: each == look.viewer):
        y = _line(c, seat, y)
    _played(c, c.below, y)
    if any(text.startswith("market ") for text in look.legal):
        _choices(c, HAND)
    elif any(text.startswith("take ") for text in look.legal):
        _takes(c, HAND)
    else:
        _hand(c, HAND)
    _status(c)


def _line(c: Scene, seat: int, y: float) -> float:
    """Draw a seat in one line: name, number of cards and those that everybody has seen, discards that are left."""
    pen, side = c.pen, c.side(seat)
    base = y + 16
    meeple(pen, side, 18, y + 19, 0.4)
    x = 32.0
    if seat == c.seen["to_move"]:
        pen.path(f"M{x:.1f} {base - 10:.1f}l9 5l-9 5Z", pen.palette.pick)
        x += 13
    you = seat == c.look.viewer
    name = "You" if you else f"player_{seat}"
    pen.words(x, base, name, 14, SIDE_TEXT[pen.palette.theme][side])
    x += width(name, 14) + 6
    captain = len(c.seats[side]) > 1 and c.seen["captain"].get(str(side)) == seat
    lead = width("face up", 12, False) + 6 if c.seen["lead"] == seat else 0.0
    cards = [] if you else c.hand(seat)
    backs = min(len(cards) * 13 + 4, 56) if "?" in cards else 0
    marks = known(c, seat) if "?" in cards else [(kind, False) for kind in cards]
    taken = x + 24 * captain + lead + backs + 20 * len(marks)
    left = c.seen["discards_left"][str(seat)]
    right = f"{left} discard{'' if left == 1 else 's'}"
    if taken + width(f"{right} left", 12, False) <= W - 20:
        right += " left"
    pen.words(W - 12, base, right, 12, pen.palette.soft, anchor="end", bold=False)
    end = W - 18 - width(right, 12, False)
    if captain:
        badge(pen, x + 9, base - 5)
        x += 24
        if taken + width("captain", 12, False) + 6 <= end:
            pen.words(x - 3, base, "captain", 12, pen.palette.soft, bold=False)
            x += width("captain", 12, False) + 3
    if lead:
        pen.words(x, base, "face up", 12, pen.palette.pick_text, bold=False)
        x += lead
    for i in range(len(cards) if backs else 0):
        at = end - backs + i * min(13.0, (backs - 15) / max(1, len(cards) - 1))
        pen.box(at, y + 3, 12, 16, 2.5, BACK, stroke=BACK_LINE, stroke_width=1)
    end -= backs
    for kind, maybe in reversed(marks[: int((end - x) // 20)]):
        end -= 20
        chip(pen, kind, end + 8, y + 11, 8.5, maybe)
    if seat < len(c.look.names) and c.look.names[seat] and end - x > 40:
        pen.words(x, base, cut(c.look.names[seat], 12, end - x - 8, False), 12, pen.palette.soft, bold=False)
    return y + LINE


def _pills_h(c: Scene, side: int) -> int:
    """Return the height of a side's ongoing market cards."""
    return PILL * -(-len(c.seen["market_in_play"].get(str(side), ())) // A_ROW)


def _played(c: Scene, side: int, y: float) -> float:
    """Draw the agents and the ongoing market cards that a side has in play; return the y below."""
    pen = c.pen
    active = side == (c.seen["active_side"] if c.seen["winner"] is None else c.seen["winner"])
    edge = SIDE[side] if active else pen.palette.line
    pen.box(EDGE, y, INNER, PLAYED - 2, 10, pen.palette.panel, stroke=edge, stroke_width=1.6)
    in_play(c, side, EDGE + 2, y, (INNER - 4) / 8, PLAYED - 2, 8)
    y += PLAYED
    cards = c.seen["market_in_play"].get(str(side), [])
    w = (INNER + 4) / A_ROW - 4
    for i, name in enumerate(cards):
        x, top = EDGE + i % A_ROW * (w + 4), y + i // A_ROW * PILL
        pen.box(x, top, w, PILL - 2, 7, MARKET, stroke=MARKET_LINE, stroke_width=1)
        sign(pen, name, x + 12, top + 10, 0.34, MARKET, MARKET_LIGHT)
        pen.words(x + 24, top + 14.5, title(name), 12, MARKET_LIGHT, bold=False, most=w - 28)
    return y + _pills_h(c, side)


def _park(c: Scene, x: float, y: float, w: float, h: float) -> None:
    """Draw the lead and the subject of the present decision."""
    pen, seen = c.pen, c.seen
    pen.box(x, y, w, h, 10, GRASS, stroke="#8fb588", stroke_width=2)
    top, high = (y + 8, h - 16) if h < LAMPS else (y + 26, h - 31) if h < RACE else (y + 47, h - 52)
    if h >= LAMPS:
        lamps(c, x + w / 2, y + 14, w - 20, CATCH)
    if h >= RACE:
        own = seen["progress"][c.below] - seen["progress"][1 - c.below]
        texts = (c.race, c.standing, f"ahead by {abs(own)}")
        text = next(text for text in texts if width(text, LETTERS) <= w - 4)
        pen.words(x + w / 2, y + 37, text, fitting(text, 13, w - 4), GRASS_INK, anchor="middle")
        if text == texts[-1]:  # the names of a team are too long
            meeple(pen, c.below if own > 0 else 1 - c.below, x + w / 2 - width(text, 13) / 2 - 12, y + 40, 0.36)
    if seen["winner"] is not None:
        _end(c, x, top, w, high)
    elif seen["face_up"] is not None:
        _offer(c, x, top, w, high)
    elif seen["ability"] is not None:
        _ability(c, x, top, w, high)
    elif not _answers(c, "lead", x + 6, top, w - 12, high, "face up"):
        if seen["phase"] == "market":
            who = "You choose" if seen["to_move"] == c.look.viewer else f"player_{seen['to_move']} chooses"
            pen.words(x + w / 2, top + high / 2, who, 15, GRASS_INK, anchor="middle")
            pen.words(x + w / 2, top + high / 2 + 18, "from the market", 13, GRASS_INK, anchor="middle", bold=False)
            return
        for i, text in enumerate(("face up", "face down")):
            cw = (w - 20) / 2
            left = x + 7 + i * (cw + 6)
            pen.words(left + cw / 2, top + high / 2 + 5, text, LETTERS, GRASS_INK, anchor="middle")
            dashes = {"stroke": GRASS_INK, "stroke_width": 1.6, "stroke_dasharray": "6 6"}
            pen.box(left, top, cw, high, 8, "none", data_place=i + 1, **dashes)  # a card put there covers the words


def _offer(c: Scene, x: float, y: float, w: float, h: float) -> None:
    """Draw the two offered cards."""
    pen, cw = c.pen, (w - 20) / 2
    for i, (key, action) in enumerate((("face_up", "recruit up"), ("face_down", "recruit down"))):
        kind = c.seen[key]
        pen.at(x + 7 + i * (cw + 6), y)
        with c.target(action, label=f"take the {key.replace('_', '-')} card") as can:
            if can:
                pen.box(-3, -3, cw + 6, h + 6, 10, "#fff3c4", stroke=PICK, stroke_width=3)
            if kind is None:
                pen.box(0, 0, cw, h, 8, "none", stroke=GRASS_INK, stroke_width=1.6, stroke_dasharray="6 6")
                pen.words(cw / 2, h / 2 + 5, "face down", LETTERS, GRASS_INK, anchor="middle")
            elif kind == "?":
                hidden(pen, cw, h)
            else:
                card(pen, kind, cw, h, c.copies(kind), secret=i == 1)
        pen.close()


def _ability(c: Scene, x: float, y: float, w: float, h: float) -> None:
    """Draw the market card that is being resolved, and the choices that are not cards."""
    pen, ability = c.pen, c.seen["ability"]
    name = ability["card"]
    if h < TAB + 28 and _answers(c, "resolver", x + 6, y, w - 12, h, "it out"):
        return  # the headline names the card
    effect = wrapped(EFFECTS[name], LETTERS, w - 10, bold=False)
    top, room = y + 28, h - 28
    if room >= 15 * len(effect):
        pen.box(x + 6, y, w - 12, 24, 8, MARKET, stroke=MARKET_LINE, stroke_width=1.4)
        sign(pen, name, x + 20, y + 12, 0.42, MARKET, MARKET_LIGHT)
        pen.words(x + 34, y + 17, title(name), 13.5, MARKET_LIGHT, most=w - 46)
    else:
        top, room = y, h  # the headline names the card
    if ability["taken"] is not None and c.look.viewer != c.seen["to_move"]:
        pen.words(x + w / 2, top + 22, f"taken: {title(ability['taken'])}", 13.5, GRASS_INK, anchor="middle")
    elif not _answers(c, "resolver", x + 6, top, w - 12, room, "it out"):
        for i, line in enumerate(effect):
            pen.words(x + w / 2, top + 12 + 15 * i, line, LETTERS, GRASS_INK, anchor="middle", bold=False)


def _answers(c: Scene, verb: str, x: float, y: float, w: float, h: float, words: str) -> bool:
    """Draw a button for each legal action of a verb, side by side if there is no room; return whether there is any."""
    pen, texts = c.pen, [text for text in c.look.legal if text.split()[0] == verb]
    over = len(texts) * (TAB + 4) - 4 <= h
    bw, first = (w, "play") if over else ((w + 4) / max(1, len(texts)) - 4, "play")
    for i, text in enumerate(texts):
        whom = text.split()[-1]
        own = whom == f"player_{c.look.viewer}"
        first = ("play" if own else "plays") if verb == "lead" else ("carry" if own else "carries")
        label = f"{'You' if own else whom} {first} {words}"
        left, top = (x, y + i * (TAB + 4)) if over else (x + i * (bw + 4), y)
        with c.target(text):
            pen.box(left, top, bw, min(h, TAB), 10, "#1b2a36", stroke=PICK, stroke_width=2.4)
            lines = [label] if over else [label.split()[0], f"{first} it"]
            for k, line in enumerate(lines):
                at = top + min(h, TAB) / 2 + 5 + 16 * (k - (len(lines) - 1) / 2)
                pen.words(left + bw / 2, at, line, 13, PAPER, anchor="middle", most=bw - 8)
    return bool(texts)


def _end(c: Scene, x: float, y: float, w: float, h: float) -> None:
    """Draw the result."""
    pen, winner = c.pen, c.seen["winner"]
    pen.box(x + 6, y, w - 12, h, 12, "#1b2a36", stroke=SIDE[winner], stroke_width=2.4)
    meeple(pen, winner, x + 28, y + h / 2 + 22, 1.0)
    room = w - 58
    names = [c.result] if width(c.result, 13) <= room else c.result.split(" and ")
    names[:-1] = [f"{part} and" for part in names[:-1]]
    lines = wrapped(c.why, LETTERS, room, bold=False)
    if 15 * (len(names) + len(lines)) + 10 > h:
        lines = []  # the headline says it
    size = fitting(c.result, 20, room) if len(names) == 1 else 13
    at = y + h / 2 - 7.5 * (len(names) + len(lines)) + 12
    for text in names:
        pen.words(x + 50, at, text, size, SIDE[winner], most=room)
        at += 15
    for line in lines:
        pen.words(x + 50, at + 2, line, LETTERS, PAPER, bold=False)
        at += 15


def _market(c: Scene, y: float) -> None:
    """Draw the supply of the Black Market."""
    pen, cards = c.pen, c.seen["market_supply"]
    w = (INNER + 3) / 3 - 3
    if not cards:
        pen.words(W / 2, y + 28, "the Black Market is empty", 13, MARKET_TEXT[pen.palette.theme], anchor="middle")
    for i, name in enumerate(cards):
        x = EDGE + i * (w + 3)
        pen.box(x, y + 2, w, 46, 9, MARKET, stroke=MARKET_LINE)
        sign(pen, name, x + 12.5, y + 25, 0.4, MARKET, MARKET_LIGHT)
        words = ("Super-", "computer") if name == "supercomputer" else title(name).split(" ", 1)
        for k, word in enumerate(words):
            at = y + 29.5 + 16 * (k - (len(words) - 1) / 2)
            pen.words(x + 24, at, word, LETTERS, MARKET_LIGHT, bold=False, most=w - 26)


def _choices(c: Scene, y: float) -> None:
    """Draw the market cards that can be taken, with their effects, in place of the hand."""
    pen, names = c.pen, [text.split()[1] for text in c.look.legal if text.startswith("market ")]
    h = min(60.0, (FOOT - y + GAP) / len(names) - GAP)
    for i, name in enumerate(names):
        top = y + i * (h + GAP)
        with c.target(f"market {name}", label=f"take {title(name)}"):
            pen.box(EDGE, top, INNER, h, 9, MARKET, stroke=pen.palette.pick, stroke_width=3)
            sign(pen, name, EDGE + 28, top + h / 2, 0.7, MARKET, MARKET_LIGHT)
            stays = "stays" if MARKET_CARDS.index(name) < ONGOING else "at once"
            pen.words(EDGE + 58, top + h / 2 - 4, title(name), 15, MARKET_LIGHT)
            pen.words(W - 20, top + h / 2 - 4, stays, 12.5, MARKET_LIGHT, anchor="end", bold=False)
            pen.words(EDGE + 58, top + h / 2 + 14, EFFECTS[name], 13, MARKET_LIGHT, bold=False, most=INNER - 66)


def _takes(c: Scene, y: float) -> None:
    """Draw the agents in play that can be taken, in place of the hand."""
    pen, kinds = c.pen, [text.split()[1] for text in c.look.legal if text.startswith("take ")]
    w = (INNER + GAP) / 2 - GAP
    for i, kind in enumerate(kinds):
        x, top = EDGE + i % 2 * (w + GAP), y + i // 2 * (TAB + GAP)
        with c.target(f"take {kind}"):
            pen.box(x, top, w, TAB, 9, PAPER, stroke=pen.palette.pick, stroke_width=3)
            pen.dot(x + 23, top + TAB / 2, 16, KIND[kind])
            sign(pen, kind, x + 23, top + TAB / 2, 16 / 30, KIND[kind])
            pen.words(x + 46, top + TAB / 2 + 5, title(kind), 14, INK, most=w - 50)


def _hand(c: Scene, y: float) -> None:
    """Draw the viewer's hand, or that of the seat to move, with a button to discard below each card."""
    pen, legal = c.pen, c.legal
    seat = c.look.viewer if c.look.viewer >= 0 else c.seats[c.below][0]
    cards = c.hand(seat)
    n = max(4, len(cards))
    verbs = {text.split()[0] for text in c.look.legal}
    w, h = (INNER + 6) / n - 6, min(130.0, FOOT - y - (TAB + GAP) * ("discard" in verbs))
    for i, kind in enumerate(cards):
        x, top = EDGE + i * (w + 6), y
        action = next((f"{verb} {kind}" for verb in ("up", "down", "recruit") if f"{verb} {kind}" in legal), "")
        pick, label = ("", None) if action else (f"1:{kind}", f"offer {kind}")
        with c.target(action, pick, label, c.refused(seat, kind)) as can:
            if can:
                pen.box(x - 2.5, top - 2.5, w + 5, h + 5, 9, "#fff3c4", stroke=pen.palette.pick, stroke_width=2.6)
            pen.at(x, top)
            card(pen, kind, w, h, c.copies(kind))
            pen.close()
        top += h + GAP
        with c.target(f"discard {kind}") as can:
            if can:
                pen.box(x, top, w, TAB, 9, "#3a3340", stroke=pen.palette.pick, stroke_width=1.4)
                pen.words(x + w / 2, top + TAB / 2 + 5, "discard", 14 if w > 70 else 12, PAPER, anchor="middle", most=w)
    if "decline" in legal:
        top = FOOT - TAB
        with c.target("decline"):
            pen.box(EDGE, top, INNER, TAB, 10, "#1b2a36", stroke=PICK, stroke_width=2.4)
            pen.words(
                W / 2, top + 28, f"keep the {title(c.seen['ability']['taken'])} in hand", 14, PAPER, anchor="middle"
            )


def _status(c: Scene) -> None:
    """Draw the last line: the key to the triangles below the icons, the turn and what is left."""
    seen = c.seen
    parts = [f"turn {seen['turn']}"]
    for key, name in (("deck", "deck"), ("market_deck", "market")):
        if key == "deck" or seen["mode"] == "advanced":
            parts.append(f"{name} {seen[key] if isinstance(seen[key], int) else len(seen[key])}")
    right = " \N{MIDDLE DOT} ".join(parts)
    x, words = 12.0, ("next for you", "for them") if c.look.viewer >= 0 else ()
    if words and sum(24 + width(text, 12, False) for text in words) + width(right, LETTERS, False) > W - 24:
        words = "next: you", "them"
    if not words:
        c.pen.words(x, H - 8, "AGENT AVENUE", 12, c.pen.palette.accent, letter_spacing=1.2)
    for side, text in zip((c.below, 1 - c.below), words, strict=False):
        c.pen.path(f"M{x:.1f} {H - 8}l6-10l6 10Z", SIDE[side], stroke=INK, stroke_width=0.9)
        c.pen.words(x + 16, H - 8, text, 12, c.pen.palette.soft, bold=False)
        x += 24 + width(text, 12, False)
    c.pen.words(W - 12, H - 8, right, LETTERS, c.pen.palette.soft, anchor="end", bold=False)
