"""The panel of the viewer: its passport and its cards, or the deck for NOBODY, and the used cards or the scores."""

from collections.abc import Sequence

from spygames.core.game.game import NOBODY
from spygames.core.pictures.picture import heading
from spygames.core.svg.annotations import Look
from spygames.core.svg.colours import EDGE, INK, PAPER
from spygames.core.svg.pen import Pen, fitting
from spygames.heimlich.cards import ALL_CARDS, CARDS, COPIES, HAND, NEW_IDENTITY
from spygames.heimlich.picture.facts import Seen, count
from spygames.heimlich.picture.frame import BOARD_X, CELL, OWN_H, OWN_Y
from spygames.heimlich.picture.signs import BACK, COLOURS, GOLD, back, card_sign, figure
from spygames.heimlich.picture.track import race
from spygames.heimlich.texts.seen import HIDDEN, titled

SHORT = {
    "move_safe": "without a scoring",
    "score_3": "for two tokens",
    "back_1_2": "one agent",
    "step_1": "one, on or back",
    "two_back": "two agents by 1",
    "two_forward": "two agents by 1",
    "off_safe": "one, on or back",
    "to_ruins": "one agent",
    "all_to_church": "every agent",
    "swap": "two change places",
    "join": "one to another",
    "ruins_to_church": "one or two",
    "forward_1_3": "one agent",
    "to_safe": "one agent",
    "new_identity": "with a free agent",
}
"""Short description of each card."""


def own_things(pen: Pen, m: Seen, look: Look) -> None:
    """Draw the viewer's passport and hand, or the deck for NOBODY, and the used cards; without cards, the scores."""
    x, y, w = BOARD_X - 4, OWN_Y, 12 * CELL + 8
    edge = pen.palette.pick if look.viewer == m["to_move"] else pen.palette.line
    pen.box(x, y, w, OWN_H, 14, pen.palette.panel, stroke=edge, stroke_width=1.6)
    left = x + 16
    if look.viewer != NOBODY:
        _identity(pen, m["passports"][str(look.viewer)], m["former"], left, y + 16)
        left += 154
    if not m["hands"]:
        race(pen, m, left, y + 28, x + w - left - 16, min(30, 190 / len(m["agents"])))
        return
    deck: Sequence[str] = () if isinstance(m["deck"], int) else m["deck"]
    size = m["deck"] if isinstance(m["deck"], int) else len(deck)
    heading(pen, left, y + 28, "Deck, top first" if look.viewer == NOBODY else "Your hand")
    soft = pen.palette.soft
    pen.words(x + w - 16, y + 28, f"{count(size, 'card')} in the deck", 12.5, soft, anchor="end", bold=False)
    if look.viewer == NOBODY:
        for i, card in enumerate(deck):
            pen.at(left + 46 * (i % 13), y + 40 + 56 * (i // 13))
            chip(pen, card, 40, 50)
            pen.close()
    else:
        hand = m["hands"][str(look.viewer)]
        if not hand:
            pen.words((left + x + w - 16) / 2, y + 108, "no cards", 14, soft, anchor="middle", bold=False)
        for i in range(HAND if hand else 0):
            _hand_card(pen, hand[i] if i < len(hand) else None, left + 114 * i, y + 40, look)
    hands = sum(cards if isinstance(cards, int) else len(cards) for cards in m["hands"].values())
    _used(pen, m["used"], size + hands + len(m["used"]) == ALL_CARDS, left, y + 182, x + w - 16 - left)


def _identity(pen: Pen, agent: str, former: str | None, x: float, y: float) -> None:
    """Draw the viewer's passport, open."""
    pen.box(x + 3, y + 4, 136, 200, 12, "#000", opacity=0.3)
    pen.box(x, y, 136, 200, 12, PAPER, stroke=COLOURS[agent], stroke_width=4)
    pen.words(x + 68, y + 26, "PASSPORT", 13, INK, anchor="middle", letter_spacing=2)
    pen.dot(x + 68, y + 94, 52, COLOURS[agent], opacity=0.35)
    pen.at(x + 68, y + 136, 1.9)
    pen.stamp(figure, agent)
    pen.close()
    pen.words(x + 68, y + 168, f"You are {agent}", 15, INK, anchor="middle")
    if former not in (None, HIDDEN):
        pen.words(x + 68, y + 187, f"before: {former}", 12, INK, anchor="middle", bold=False)


def _hand_card(pen: Pen, card: str | None, x: float, y: float, look: Look) -> None:
    """Draw a card of the viewer's hand, or an empty place."""
    w, h = 106, 126
    if card is None:
        pen.box(x, y, w, h, 9, "none", stroke=pen.palette.line, stroke_width=1.4, stroke_dasharray="5 5")
        return
    can = f"card {card}" in look.legal
    if can:
        pen.target(action=f"card {card}", label=f"play {titled(card)}")
    elif look.decides:
        pen.refused(f"card {card}")
    pen.box(x, y, w, h, 9, PAPER, stroke=pen.palette.pick if can else EDGE, stroke_width=4 if can else 1.4)
    pen.dot(x + w / 2, y + 44, 36, BACK)
    pen.at(x + w / 2, y + 44, 1.35)
    pen.stamp(card_sign, card, PAPER, BACK)
    pen.close()
    title = titled(card)
    pen.words(x + w / 2, y + 99, title, fitting(title, 14, w - 8), INK, anchor="middle")
    pen.words(x + w / 2, y + 115, SHORT[card], 11, INK, anchor="middle", bold=False)
    if can or look.decides:
        pen.close()


def _used(pen: Pen, used: Sequence[str], all_kinds: bool, x: float, y: float, w: float) -> None:
    """Draw the used cards by kind: a dot for each copy, filled if it is used.

    `all_kinds` tells whether the game has every kind; otherwise `new_identity` is left out.
    """
    heading(pen, x, y, "Used cards")
    palette = pen.palette
    cards = [card for card in CARDS if all_kinds or card in used or card != CARDS[NEW_IDENTITY]]
    step = w / len(cards)
    for i, card in enumerate(cards):
        cx, gone = x + (i + 0.5) * step, used.count(card)
        if used and used[-1] == card:
            pen.box(cx - step / 2 + 0.5, y + 9, step - 1, 42, 6, "none", stroke=palette.accent, stroke_width=1.4)
        pen.at(cx, y + 24, 0.54, opacity=None if gone else 0.45)
        pen.stamp(card_sign, card, palette.strong if gone else palette.soft, palette.panel)
        pen.close()
        for k in range(int(COPIES[i])):
            fill = GOLD if k < gone else "none"
            pen.dot(cx + 9 * (k - (COPIES[i] - 1) / 2), y + 44, 3, fill, stroke=palette.soft, stroke_width=1)


def small_hand(pen: Pen, cards: int | Sequence[str], x: float, y: float) -> None:
    """Draw a hand beside a name: card backs, or small cards if they are known."""
    count = cards if isinstance(cards, int) else len(cards)
    for i in range(count):
        pen.at(x + 9.6 * i, y)
        pen.stamp(back, 9, 15) if isinstance(cards, int) else chip(pen, cards[i], 9, 15)
        pen.close()


def chip(pen: Pen, card: str, w: float, h: float) -> None:
    """Draw a small card with the top left corner at (0, 0)."""
    pen.box(0, 0, w, h, 2, PAPER, stroke=INK, stroke_width=0.8)
    pen.at(w / 2, h / 2, w / 50)
    pen.stamp(card_sign, card, INK, PAPER)
    pen.close()
