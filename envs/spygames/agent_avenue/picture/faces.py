"""Drawings of the cards: faces, backs, copies in play, market cards. The top left corner is at (0, 0)."""

from collections.abc import Sequence

from spygames.agent_avenue.cards import AGENTS, COPIES, ICONS, MARKET_CARDS, MASTERPLAN_NAMES, ONGOING
from spygames.agent_avenue.layout import THREE
from spygames.agent_avenue.picture.scene import title
from spygames.agent_avenue.picture.signs import (
    BACK,
    BACK_LINE,
    EMPTY,
    KIND,
    MARKET,
    MARKET_LIGHT,
    MARKET_LINE,
    SIDE,
    back,
    sign,
    star,
)
from spygames.core.svg.colours import BAD, GOOD, INK, PAPER
from spygames.core.svg.pen import Pen, fitting

WIN, LOSE = "win", "lose"
MINUS = "#a82a24"
LAST = {"codebreaker": WIN, "daredevil": LOSE}


def _icons(card: int) -> tuple[int | str, ...]:
    """The printed icons of an agent: spaces, or the effect of three copies; one icon if there is only one copy."""
    values = [int(value) for value in ICONS[card]]
    return (*values[:2], LAST.get(AGENTS[card], values[2])) if COPIES[card] >= THREE else (values[0],)


STEPS = {kind: _icons(card) for card, kind in enumerate(AGENTS)}
INITIALS: dict[str, str] = dict(zip(AGENTS, ("DA", "EN", "CO", "SA", "DD", "SE", "SK", "MO"), strict=True))
MARKET_INITIALS = dict(
    zip(
        MARKET_CARDS,
        ("DI", "GC", "LP", "MA", "SY", "ST", "SU", "WA", "DT", "MC", "OP", "SR", "SM", "SP", "TR"),
        strict=True,
    )
)
EFFECTS = {
    "distraction_device": "Saboteurs move you +1 +1 +2",
    "getaway_car": "ending on a home: +3 more",
    "leader_of_the_pack": "three Daredevils win for you",
    "masterplan": f"{MASTERPLAN_NAMES} different agents win for you",
    "security_system": "they end on your home: you win",
    "sinister_twin": "Double Agents move you twice as far",
    "supercomputer": "Codebreakers move you +3",
    "watchtower": "Enforcers move you 2 further",
    "double_trouble": "recruit one of two alike in hand",
    "mind_control": "take an agent of the other side",
    "outpost": "recruit a Sentinel from your hand",
    "secret_recruit": "recruit a new name from your hand",
    "smoke_screen": "recruit the top card of the deck",
    "spycation": "take an agent back, recruit it?",
    "surveillance_truck": "move +1",
}
"""The effect of each market card in a few words."""


def face(pen: Pen, kind: str, w: float, h: float, copies: Sequence[int] | None, secret: bool = False) -> None:
    """Draw an agent's card.

    Args:
        pen: the pen to draw with.
        kind: the agent.
        w: the width; below 64 the card has no name, because it would be illegible.
        h: the height.
        copies: the copies that each side has in play: a triangle of its color marks the icon that counts next for it.
        secret: whether only the viewer knows the card; it then has a dashed frame.
    """
    ground, r, head = KIND[kind], w * 0.09, h * (0.18 if w >= 64 else 0.09)
    pen.box(2, 3, w, h, r, "#000", opacity=0.28)
    pen.box(0, 0, w, h, r, PAPER, stroke="#8d7c52", stroke_width=1.2)
    pen.path(
        f"M0 {head:.1f}V{r:.1f}A{r:.1f} {r:.1f} 0 0 1 {r:.1f} 0H{w - r:.1f}A{r:.1f} {r:.1f} 0 0 1 {w:.1f} {r:.1f}"
        f"V{head:.1f}Z",
        ground,
    )
    if w >= 64:
        name = kind.replace("_", " ").upper()
        size = fitting(name, h * 0.098, w - 10)
        pen.words(w / 2, head / 2 + size * 0.36, name, size, PAPER, anchor="middle")
    middle = h * 0.47
    pen.dot(w / 2, middle, w * 0.33, ground)
    pen.dot(w / 2, middle, w * 0.365, "none", stroke=ground, stroke_width=1)
    sign(pen, kind, w / 2, middle, w * 0.0112, ground)
    steps, bh, bw = STEPS[kind], h * 0.14, w * 0.28
    left = (w - bw * len(steps) - w * 0.03 * (len(steps) - 1)) / 2
    for i, value in enumerate(steps):
        x, y = left + i * bw * 1.107, h * 0.765
        step(pen, x, y, bw, bh, value, "#fff", MINUS if isinstance(value, int) and value < 0 else INK)
        for each, count in enumerate(copies or ()):
            if min(count, len(steps) - 1) == i:
                cx = x + bw * (0.3 if each == 0 else 0.7)
                d = f"M{cx:.1f} {y + bh + h * 0.015:.1f}l{w * 0.055:.1f} {h * 0.055:.1f}h{-w * 0.11:.1f}Z"
                pen.path(d, SIDE[each], stroke=INK, stroke_width=0.9, stroke_linejoin="round")
    if secret:
        pen.box(0, 0, w, h, r, "none", stroke=BACK, stroke_width=6)
        pen.box(0, 0, w, h, r, "none", stroke=BACK_LINE, stroke_width=2, stroke_dasharray="5 4")


def step(pen: Pen, x: float, y: float, w: float, h: float, value: int | str, fill: str, ink: str) -> None:
    """Draw one printed icon: a number of spaces, a win or a loss."""
    pen.box(x, y, w, h, h * 0.28, fill, stroke="#b9a878" if h > 12 else "#e3d9bd", stroke_width=0.8)
    cx, cy = x + w / 2, y + h / 2
    if value == WIN:
        pen.path(star(cx, cy, h * 0.44), GOOD)
    elif value == LOSE:
        d = h * 0.24
        cross = f"M{cx - d:.1f} {cy - d:.1f}l{2 * d:.1f} {2 * d:.1f}m0 {-2 * d:.1f}l{-2 * d:.1f} {2 * d:.1f}"
        pen.path(cross, stroke=BAD, stroke_width=h * 0.19, stroke_linecap="round")
    else:
        pen.words(cx, cy + h * 0.28, signed(int(value)), h * 0.74, ink, anchor="middle")


def signed(number: int) -> str:
    """Format a number with its sign; zero has none."""
    return f"{number:+d}".replace("-", "\u2212") if number else "0"


def stack(pen: Pen, kind: str, count: int, new: int, side: int, w: float, h: float) -> None:
    """Draw the copies of an agent in play, `new` of them since the position before; without copies an empty place."""
    ground = KIND[kind]
    if not count:
        edge = EMPTY[pen.palette.theme]
        pen.box(0.5, 0.5, w - 1, h - 1, 7, "none", stroke=edge, stroke_width=1.3, stroke_dasharray="4 4")
        pen.at(0, 0, opacity=0.38)
        sign(pen, kind, w / 2, h * 0.43, w * 0.0072, pen.palette.panel, pen.palette.soft)
        pen.close()
        name = kind.replace("_", " ")
        size = fitting(name, 11.5, w - 8, False)
        pen.words(w / 2, h - 10, name, size, pen.palette.soft, anchor="middle", bold=False)
        if new < 0:
            pen.words(w / 2, 22, f"{signed(new)} now", 12.5, pen.palette.pick_text, anchor="middle")
        return
    for i in reversed(range(min(count, 4))):
        pen.box(2.6 * i, -2.6 * i, w, h, 7, PAPER if i == 0 else "#eadfc2", stroke="#8d7c52", stroke_width=1.1)
    if new > 0:
        pen.box(-1.5, -1.5, w + 3, h + 3, 8, "none", stroke=SIDE[side], stroke_width=3.4)
    pen.path(f"M0 20V7A7 7 0 0 1 7 0H{w - 7}A7 7 0 0 1 {w} 7V20Z", ground)
    name = kind.replace("_", " ").upper()
    size = fitting(name, 11, w - 8)
    pen.words(w / 2, 10 + size * 0.38, name, size, PAPER, anchor="middle")
    middle, r = (h - 2) / 2, min(w * 0.38, (h - 52) / 2)
    pen.dot(w / 2, middle, r, ground)
    sign(pen, kind, w / 2, middle, r / 31, ground)
    steps, bw, bh = STEPS[kind], w * 0.275, 20
    left = (w - bw * len(steps) - 3 * (len(steps) - 1)) / 2
    for i, value in enumerate(steps):
        done = i < count
        ink = MINUS if isinstance(value, int) and value < 0 and not done else INK
        step(pen, left + i * (bw + 3), h - 25, bw, bh, value, SIDE[side] if done else "#fff", ink)
    pen.dot(w - 11, 33, 12, SIDE[side], stroke=INK, stroke_width=1.6)
    pen.words(w - 11, 38, str(count), 14, INK, anchor="middle")
    if new:
        pen.box(4, 24, 28, 18, 9, INK, stroke=SIDE[side], stroke_width=1.4)
        pen.words(18, 37.5, signed(new), 13, SIDE[side], anchor="middle")


def chip(pen: Pen, kind: str, x: float, y: float, r: float, maybe: bool = False) -> None:
    """Draw a small round sign of an agent; `maybe`: it is uncertain whether the card is there."""
    pen.dot(x, y, r, KIND[kind], stroke=PAPER, stroke_width=r * 0.16, stroke_dasharray="3 2.500" if maybe else None)
    sign(pen, kind, x, y, r / 29, KIND[kind])


def agent_back(pen: Pen, w: float) -> None:
    """Draw the back of a card in a hand."""
    if w >= 30:
        back(pen, w, w * 1.43)
    else:
        pen.box(0, 0, w, w * 1.43, 2.5, BACK, stroke=BACK_LINE, stroke_width=1.1)


def back_with_sign(pen: Pen, w: float, kind: str, maybe: bool) -> None:
    """Draw the back of a card that everybody has seen; dashed if it may be the face-down card instead."""
    agent_back(pen, w)
    chip(pen, kind, w * 0.385, w * 0.71, w * 0.33, maybe)


def small_card(pen: Pen, kind: str) -> None:
    """Draw a discarded card, 12 wide; "?" is a back."""
    pen.box(0, 0, 12, 16, 2.5, BACK if kind == "?" else KIND[kind], stroke=BACK_LINE, stroke_width=1.1)
    if kind != "?":
        sign(pen, kind, 6, 8, 0.24, KIND[kind])


def letters(pen: Pen, kinds: Sequence[str], x: float, y: float, a_row: int, step_x: float) -> None:
    """Draw cards in order as small plates with two letters, in rows."""
    for i, kind in enumerate(kinds):
        left, top = x + i % a_row * step_x, y + i // a_row * 21
        pen.box(left, top, step_x - 2, 18, 4, KIND.get(kind, MARKET))
        pen.words(
            left + step_x / 2 - 1, top + 13.2, INITIALS.get(kind) or MARKET_INITIALS[kind], 11.5, PAPER, anchor="middle"
        )


def market_card(pen: Pen, card: str, w: float, h: float) -> None:
    """Draw a large market card."""
    pen.box(2, 3, w, h, 9, "#000", opacity=0.28)
    pen.box(0, 0, w, h, 9, MARKET, stroke=MARKET_LINE, stroke_width=2)
    pen.dot(w / 2, h * 0.37, w * 0.29, "#56407a")
    sign(pen, card, w / 2, h * 0.37, w * 0.0105, "#56407a", MARKET_LIGHT)
    words = title(card).split(" ", 1)
    for i, word in enumerate(words):
        size = fitting(word, 14, w - 10)
        pen.words(w / 2, h * (0.81 if len(words) > 1 else 0.86) + 17 * i, word, size, MARKET_LIGHT, anchor="middle")


def market_row(pen: Pen, card: str, x: float, y: float, w: float, frame: str | None) -> None:
    """Draw a card of the supply with its effect, 50 high."""
    edge = {"stroke": frame or "#7c5f9c", "stroke_width": 3 if frame else 1.4}
    pen.box(x, y, w, 50, 10, MARKET, **edge)
    pen.dot(x + 28, y + 25, 19, "#56407a")
    sign(pen, card, x + 28, y + 25, 0.72, "#56407a", MARKET_LIGHT)
    pen.words(x + 56, y + 21, title(card), 14.5, MARKET_LIGHT)
    kind = "stays" if MARKET_CARDS.index(card) < ONGOING else "at once"
    pen.words(x + w - 10, y + 21, kind, 11.5, "#c9b3e2", anchor="end", bold=False)
    pen.words(x + 56, y + 40, EFFECTS[card], 12.5, "#d9c8ee", bold=False, most=w - 62)


def pill(pen: Pen, card: str, x: float, y: float, w: float, h: float) -> None:
    """Draw an ongoing market card in front of its owner."""
    pen.box(x, y, w, h, h / 3, MARKET, stroke=MARKET_LINE, stroke_width=1.2)
    sign(pen, card, x + h * 0.58, y + h / 2, h / 58, MARKET, MARKET_LIGHT)
    name = title(card)
    size = fitting(name, 12, w - h * 1.12 - 8, False)
    if size > 8:
        pen.words(x + h * 1.12, y + h / 2 + 4.2, name, size, MARKET_LIGHT, bold=False)


def race_row(
    pen: Pen, kind: str, x: float, y: float, w: float, h: float, words: str, counts: Sequence[int], good: Sequence[bool]
) -> None:
    """Draw how many of three copies each side has: pips, green if three win for it, red if three lose."""
    scale = h / 50
    if h > 40:
        pen.box(x, y, w, h, 10, pen.palette.panel, stroke=pen.palette.line, stroke_width=1.2)
    cx, cy = x + 28 * scale, y + h / 2
    pen.dot(cx, cy, 19 * scale, KIND[kind])
    sign(pen, kind, cx, cy, 0.72 * scale, KIND[kind])
    left = 36 + 20 * scale
    size = fitting(words, 13.5, w - 118 - 12 - left, False)
    pen.words(x + left, cy + 4.5, words, size, pen.palette.text, bold=False)
    for side, count in enumerate(counts):
        for i in range(THREE):
            colour = ("#46b07a" if good[side] else "#ef6a62") if i < count else "none"
            at = x + w - 118 + 64 * side + 17 * i
            pen.dot(at, cy, 6, colour, stroke=SIDE[side], stroke_width=1.8)
