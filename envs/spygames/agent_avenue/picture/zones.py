"""The zones of the two sides: players, hands, agents in play, ongoing market cards."""

from collections import Counter
from collections.abc import Sequence

from spygames.agent_avenue.cards import AGENTS
from spygames.agent_avenue.picture.faces import agent_back, back_with_sign, chip, face, pill, small_card, stack
from spygames.agent_avenue.picture.scene import Scene
from spygames.agent_avenue.picture.signs import SIDE, SIDE_TEXT, badge, eye, meeple
from spygames.core.pictures.picture import heading
from spygames.core.svg.colours import INK, PAPER
from spygames.core.svg.pen import WIDTH, fitting, width

HAND_W = 446
"""The width of a zone's space for hands."""


def top_zone(c: Scene, side: int, y: float) -> None:
    """Draw the zone of the upper side, the one without the viewer."""
    seats = c.seats[side]
    meeple(c.pen, side, 42, y + 43, 0.74)
    if len(seats) == 1:
        _name(c, seats[0], 62, y + 29)
        _about(c, seats[0], 62, y + 50, 160, below=True)
        _fan(c, seats[0], 340, y + 40, 56, 236)
    else:
        for i, seat in enumerate(seats):
            x = 62 + 198 * i
            _name(c, seat, x, y + 26)
            _about(c, seat, x, y + 45, 70)
            _fan(c, seat, x + 90, y + 62, 48, 176)
    heading(c.pen, 462, y + 21, "in play")
    _pills(c, side, 530, y + 7, 644)
    _stacks(c, side, 462, y + 34, 90, 80, 106)


def own_zone(c: Scene, side: int, y: float) -> None:
    """Draw the zone of the lower side: the viewer's hand large, the partner beside the name."""
    pen, seats, viewer = c.pen, c.seats[side], c.look.viewer
    meeple(pen, side, 42, y + 43, 0.74)
    if viewer >= 0:
        x = _name(c, viewer, 62, y + 28)
        _about(c, viewer, max(x + 10, 250), y + 28, 100)
        for seat in seats:
            if seat != viewer:
                end = _name(c, seat, 62, y + 51, 13)
                _fan(c, seat, max(end + 50, 195), y + 37, 14, 76)
                _about(c, seat, 290, y + 51, 92)
        _hand(c, viewer, 30, y + (64 if len(seats) > 1 else 58), 104 if len(seats) == 1 else 100)
    elif len(seats) == 1:
        x = _name(c, seats[0], 62, y + 28)
        _about(c, seats[0], max(x + 10, 250), y + 28, 90)
        _hand(c, seats[0], 30, y + 58, 104)
    else:
        for i, seat in enumerate(seats):
            x = _name(c, seat, 62, y + 27 + 118 * i)
            _about(c, seat, max(x + 10, 250), y + 27 + 118 * i, 90)
            _hand(c, seat, 66, y + 37 + 118 * i, 67)
    heading(pen, 496, y + 30, "in play")
    _legend(c, WIDTH - 28, y + 30)
    advanced = c.seen["mode"] == "advanced"
    _stacks(c, side, 496, y + (46 if advanced else 56), 85, 79, 142 if advanced else 156)
    _pills(c, side, 496, y + 210, 678, 26)


def _name(c: Scene, seat: int, x: float, y: float, size: float = 17) -> float:
    """Draw a seat's name, with marks if it is to move, is captain or plays face up. Return the x of the end."""
    pen, colour = c.pen, SIDE_TEXT[c.pen.palette.theme][c.side(seat)]
    if seat == c.seen["to_move"]:
        pen.path(f"M{x:.1f} {y - 11:.1f}l10 5.500l-10 5.500Z", pen.palette.pick)
        x += 15
    label = "You" if seat == c.look.viewer else f"player_{seat}"
    pen.words(x, y, label, size, colour)
    x += width(label, size) + 7
    if seat == c.look.viewer:
        pen.words(x, y, f"player_{seat}", 12.5, pen.palette.soft, bold=False)
        x += width(f"player_{seat}", 12.5, False) + 8
    if len(c.seats[c.side(seat)]) > 1 and c.seen["captain"].get(str(c.side(seat))) == seat:
        badge(pen, x + 9, y - 5)
        x += 24
    if c.seen["lead"] == seat:
        pen.box(x, y - 13, 50, 17, 8, pen.palette.line)
        pen.words(x + 25, y - 0.5, "face up", 11.5, anchor="middle", bold=False)
        x += 56
    return x


def _about(c: Scene, seat: int, x: float, y: float, most: float, below: bool = False) -> None:
    """Draw the player's name, and beside it or below it the discards: made and left."""
    pen = c.pen
    if seat < len(c.look.names):
        pen.words(x, y, c.look.names[seat], 12.5, pen.palette.soft, bold=False, most=most)
        if below:
            y += 23
        else:
            x += min(most, width(c.look.names[seat], 12.5, False)) + 12
    made, left = c.hand(seat, "discarded"), c.seen["discards_left"][str(seat)]
    pen.words(x, y, "discards", 11.5, pen.palette.soft, bold=False)
    x += width("discards", 11.5, False) + 6
    for card in made:
        pen.at(x, y - 12)
        small_card(pen, card)
        pen.close()
        x += 15
    for _ in range(left):
        pen.box(x, y - 11.5, 11, 14.5, 2.5, "none", stroke=pen.palette.soft, stroke_width=1.1, stroke_dasharray="2.4 2")
        x += 14
    if not made and not left:
        pen.words(x, y, "none", 11.5, pen.palette.soft, bold=False)


def _fan(c: Scene, seat: int, x: float, y: float, w: float, most: float) -> None:
    """Draw a hand of another seat, centered on x, as a fan of backs, or the cards if they are open.

    Backs have the signs of cards that everybody has seen (AA-37).
    """
    pen, cards = c.pen, c.hand(seat)
    n, seen = len(cards), known(c, seat)
    if "?" not in cards:
        w = min(w, (most - 5 * (n - 1)) / max(1, n))
    step = min(w * 0.78 if "?" in cards else w + 5, (most - w) / max(1, n - 1))
    marks = [] if "?" not in cards else [*seen]
    shown = marks_of(cards, seen)
    for i, card in enumerate(cards):
        turn = (i - (n - 1) / 2) * min(7.0, 36 / n) if card == "?" and w > 30 else 0.0
        pen.at(x + (i - (n - 1) / 2) * step - w / 2, y + abs(turn) * 0.8, 1.0, turn)
        if card != "?":
            face(pen, card, w, w * 1.43, None)
            eye(pen, w - 5, 6, 5) if shown[i] else None
        elif i < len(marks):
            back_with_sign(pen, w, *marks[i])
        else:
            agent_back(pen, w)
        pen.close()
    for i, (kind, maybe) in enumerate(marks[n:]):
        chip(pen, kind, x + (n + 1) / 2 * step + 20 * i + 8, y + w * 0.7, 9, maybe)


def known(c: Scene, seat: int) -> list[tuple[str, bool]]:
    """The cards that everybody has seen in a hand, each with whether it may be the face-down card instead."""
    counts, hidden = c.seen["seen_in_hand"].get(str(seat), {}), seat == c.hider
    return [(kind, hidden and i == n - 1) for kind, n in counts.items() for i in range(n)]


def marks_of(cards: Sequence[str], known: Sequence[tuple[str, bool]]) -> list[bool]:
    """Whether everybody has seen each of the open cards."""
    left = Counter(kind for kind, _ in known)
    marks = []
    for card in cards:
        marks.append(left[card] > 0)
        left[card] -= 1
    return marks


def _hand(c: Scene, seat: int, x: float, y: float, most: float) -> None:
    """Draw an open hand with the legal actions of each card."""
    pen, cards = c.pen, c.hand(seat)
    w = min(most, (HAND_W - 10 * (len(cards) - 1)) / max(1, len(cards)))
    h = w * 1.27
    marks = marks_of(cards, known(c, seat))
    for i, card in enumerate(cards):
        left = x + i * (w + 10)
        actions = [f"{verb} {card}" for verb in ("up", "down", "recruit")]
        action = next((text for text in actions if text in c.legal), "")
        pick = "" if action else f"1:{card}"
        with c.target(action, pick, f"{card} face up" if pick else None, c.refused(seat, card)) as can:
            if can:
                pen.box(left - 4, y - 4, w + 8, h + 8, 13, "#fff3c4", stroke=pen.palette.pick, stroke_width=3)
            pen.at(left, y)
            face(pen, card, w, h, c.copies(card))
            eye(pen, w - 7, h * 0.19 + 8, min(7, w * 0.09)) if marks[i] else None
            pen.close()
        top = y + h + 8
        for pick, action, words in ((f"2:{card}", "", "face down"), ("", f"discard {card}", "discard")):
            with c.target(action, pick, f"{card} {words}" if pick else None) as can:
                if can:
                    pen.box(
                        left, top, w, 19, 7, "#27455e" if pick else "#3a3340", stroke=pen.palette.pick, stroke_width=1.2
                    )
                    pen.words(left + w / 2, top + 14, words, fitting(words, 12.5, w - 6), PAPER, anchor="middle")
                    top += 22


def _stacks(c: Scene, side: int, x: float, y: float, step: float, w: float, h: float) -> None:
    """Draw the agents that a side has in play, each at its place."""
    counts = c.seen["in_play"][str(side)]
    before = c.look.before["in_play"][str(side)] if c.look.before else counts
    owners = {"mind_control": 1 - side, "spycation": side}
    taker = owners.get((c.seen["ability"] or {}).get("card", ""))
    for i, kind in enumerate(AGENTS):
        count = counts.get(kind, 0)
        with c.target(f"take {kind}" if taker == c.below else "") as can:
            c.pen.at(x + i * step, y)
            if can and count:
                c.pen.box(-4, -4, w + 8, h + 8, 11, "#fff3c4", stroke=c.pen.palette.pick, stroke_width=3)
            stack(c.pen, kind, count, count - before.get(kind, 0), side, w, h)
            c.pen.close()


def _pills(c: Scene, side: int, x: float, y: float, most: float, h: float = 22) -> None:
    """Draw the ongoing market cards of a side."""
    cards = c.seen["market_in_play"].get(str(side), [])
    w = min(146.0, (most + 6) / max(1, len(cards)) - 6)
    for i, card in enumerate(cards):
        pill(c.pen, card, x + i * (w + 6), y, w, h)


def _legend(c: Scene, x: float, y: float) -> None:
    """Draw the legend of the triangles under the icons."""
    for side in (1, 0):
        x -= width(c.name_of(side), 12, False)
        c.pen.words(x, y, c.name_of(side), 12, SIDE_TEXT[c.pen.palette.theme][side], bold=False)
        c.pen.path(f"M{x - 16:.1f} {y:.1f}l6-10l6 10Z", SIDE[side], stroke=INK, stroke_width=0.9)
        x -= 28
    c.pen.words(x + 4, y, "the icon that counts next for", 12, c.pen.palette.soft, anchor="end", bold=False)
