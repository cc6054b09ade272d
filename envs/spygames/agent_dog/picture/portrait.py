"""The form for phones: rivals at the top, the board in the middle, the viewer's hand or the choices at the bottom.

Letters have at least 12 units, and targets at least 44, on a canvas of 320 x 700 units. Spaces are smaller than
that, so each pawn that can be chosen has a letter, and a button with this letter below the board.
"""

from collections.abc import Mapping
from typing import Any

from spygames.agent_dog.picture import signs
from spygames.agent_dog.picture.draw import headline
from spygames.agent_dog.picture.scene import Scene, scene_of
from spygames.agent_dog.picture.signs import TEXT
from spygames.agent_dog.picture.small import board, chip_width, chips, face, letter, options
from spygames.core.pictures.picture import phone_headline
from spygames.core.svg.annotations import Look
from spygames.core.svg.colours import INK, PAPER, PICK
from spygames.core.svg.pen import CANVAS, Pen, cut, fitting, width

W, H = CANVAS["portrait"]
EDGE, INNER = 8, W - 16
LINE, BUTTON, GAP = 20, 44.2, 4.8
"""The heights of a player's line and of a button, and the space between buttons."""
TIGHT = 5
"""The least distance of the backs of cards that overlap."""
A_ROW, MAX_ROWS = 3, 5
"""The number of buttons in a row, and the number of rows; with more buttons than that, rows have more."""
KEY = 84
"""The height of the key to the signs."""
KEYS = (
    "hole: a pawn puts on a hat",
    "hat: anybody may move it",
    "meeting: pulls the next in",
    "start: blocked if taken",
)
HAND, FOOT = 428, 678
"""The upper and lower edge of the hand, the same for any number of players."""


def draw(pen: Pen, seen: Mapping[str, Any], look: Look) -> None:
    """Draw the mapping that `seen_to_dict` returned on the portrait canvas."""
    scene = scene_of(pen, seen, look)
    phone_headline(pen, headline(seen, look.viewer), scene.mover == look.viewer >= 0)
    y, others = 39.0, [seat for seat in scene.colours if seat != scene.below]
    others.sort(key=lambda seat: (scene.colours[seat] - scene.colours[scene.below]) % 4)
    for seat in others:
        _line(scene, seat, y)
        y += LINE
    room = HAND - LINE - 8 - y
    side = min(INNER, room)
    board(scene, (W - side) / 2, y + 2 + (room - side) / 2, side, letters=13)
    _line(scene, scene.below, HAND - LINE - 4)
    choices = [*options(scene)]
    if choices:
        _choices(scene, [action for action, _, _ in choices])
    else:
        _hand(scene)
    deck = seen["deck"] if isinstance(seen["deck"], int) else len(seen["deck"])
    status = [f"round {seen['round'] + 1}", f"turn {seen['turn'] + 1}", f"deck {deck}"]
    status.append(f"discards {len(seen['discard'])}")
    pen.words(W - 12, H - 8, " \N{MIDDLE DOT} ".join(status), 12, pen.palette.soft, anchor="end", bold=False)


def _line(scene: Scene, seat: int, y: float) -> None:
    """Draw a seat in one line: name, role, hand, the card passed to its partner or neighbor."""
    pen, seen, palette, colour = scene.pen, scene.seen, scene.pen.palette, scene.colours[seat]
    base = y + 14.5
    if seat == scene.mover:
        pen.box(EDGE, y, INNER, LINE - 1, 6, palette.own_row, stroke=palette.pick, stroke_width=1.2)
    pen.at(20, y + 17, 0.44)
    pen.stamp(signs.pawn, colour)
    pen.close()
    x = 32.0
    pen.words(x, base, scene.name(seat), 14, TEXT[palette.theme][colour])
    x += width(scene.name(seat), 14) + 6
    about = ["partner"] if scene.look.viewer >= 0 and seen["players"] == 4 and seat == scene.look.viewer ^ 2 else []
    about += ["dealer"] if seat == seen["dealer"] else []
    about += ["out"] if seat in seen["out"] else []
    about += ["wins"] if seat in seen["winners"] else []
    passed = seen["passed"][str(seat)]
    passed = None if passed == "?" else passed
    cards = [] if seat == scene.look.viewer else sorted(seen["hands"][str(seat)], key=lambda card: card == "?")
    if scene.look.viewer < 0:
        passed = None  # the hands are open
    backs, gave = cards.count("?"), 0 if passed is None else 42 + chip_width(passed)
    shown = gave + sum(chip_width(card) + 3 for card in cards[: len(cards) - backs])
    words = sum(width(word, 12, False) + 6 for word in about)
    while about and W - 24 - x - words - shown < TIGHT * backs:
        words -= width(about.pop(0), 12, False) + 6
    step = min(14.0, (W - 24 - x - words - shown) / max(1, backs))  # backs overlap if there is little room
    left = W - 9 - shown - step * backs
    named = scene.look.names[seat] if seat < len(scene.look.names) else ""
    room = left - x - words
    for word in ([cut(named, 12, room - 6, False)] if named and room > 34 else []) + about:
        pen.words(x, base, word, 12, palette.accent if word == "wins" else palette.soft, bold=False)
        x += width(word, 12, False) + 6
    if passed is not None:
        pen.words(left, base, "gave", 12, palette.soft, bold=False)
        chips(pen, [passed], left + 30, y + 0.5)
    chips(pen, cards, left + gave, y + 0.5, step)


def _choices(scene: Scene, actions: list[str]) -> None:
    """Draw a button for each pawn that can be chosen, and the hand as small cards."""
    pen, seen = scene.pen, scene.seen
    hand = [card for card in seen["hands"][str(scene.below)] if scene.look.viewer >= 0]
    columns = max(A_ROW, -(-len(actions) // MAX_ROWS))
    w, rows = (INNER + GAP) / columns - GAP, -(-len(actions) // columns)
    if rows < MAX_ROWS and hand:
        pen.words(EDGE + 4, FOOT - 6, "in hand", 12.5, pen.palette.soft, bold=False)
        x = EDGE + 54.0
        for card in hand:
            refused = scene.refused(scene.below, scene.played(card))
            chips(pen, [card], x, FOOT - 21)
            x += chip_width(card) + 3
            if refused:
                pen.close()
    if HAND + rows * (BUTTON + GAP) <= FOOT - KEY - 22:
        _key(scene, FOOT - KEY - 22)
    for i, action in enumerate(actions):
        x, y = EDGE + i % columns * (w + GAP), HAND + 4 + i // columns * (BUTTON + GAP)
        scene.target(action)
        pen.box(x, y, w, BUTTON, 9, "#fff3c4", stroke=pen.palette.pick, stroke_width=2)
        pen.dot(x + 15, y + BUTTON / 2, 10.5, PICK, stroke=INK, stroke_width=1.2)
        pen.words(x + 15, y + BUTTON / 2 + 5, letter(i), 14, INK, anchor="middle")
        label = action.removeprefix("from ").removeprefix("step ").removeprefix("swap ").removeprefix("meet ")
        label = label.removeprefix("track ")
        into = label.endswith(" into goal")
        lines = [label.removesuffix(" into goal"), "into goal"] if into else [label]
        if lines[0].isdigit():
            lines[0] = f"from {lines[0]}" if action.split()[0] in ("from", "step") else f"on {lines[0]}"
        size = 13 if columns == A_ROW else 12
        if max(width(line, size) for line in lines) > w - 29:
            lines = " ".join(lines).rsplit(" ", 1) if into else " ".join(lines).split(" ", 1)
        for k, line in enumerate(lines):
            at = y + BUTTON / 2 + 5 + 16 * (k - (len(lines) - 1) / 2)
            pen.words(x + 28, at, line, size, INK, most=w - 29)
        pen.close()


def _key(scene: Scene, y: float) -> None:
    """Draw what the signs on the board mean."""
    pen = scene.pen
    pictures = (
        lambda: signs.pits(pen, [(0, 0)]),
        lambda: pen.stamp(signs.hat, None),
        lambda: pen.stamp(signs.meeting),
        lambda: pen.stamp(signs.start, scene.colours[scene.below]),
    )
    for i, words in enumerate(KEYS):
        x, at = EDGE + 60, y + 10 + 21 * i
        pen.at(x, at + (5 if i == 1 else 0), 0.62)
        pictures[i]()
        pen.close()
        pen.words(x + 15, at + 4.5, words, 12.5, pen.palette.soft, bold=False)


def _hand(scene: Scene) -> None:
    """Draw the hand; in the frame of a card with several functions a button for each."""
    pen, seen, seat = scene.pen, scene.seen, scene.below
    hand = seen["hands"][str(seat)]
    if not hand:
        words = "out of the round" if seat in seen["out"] else "no cards left in this round"
        pen.words(W / 2, HAND + 60, words, 15, pen.palette.soft, anchor="middle", bold=False)
    verb = scene.verb
    w = min(86.0, (INNER + 6) / max(1, len(hand)) - 6)
    left, lowest = W / 2 - (len(hand) * (w + 6) - 6) / 2, HAND
    for i, card in enumerate(hand):
        x, y = left + i * (w + 6), HAND + 4.0
        names = signs.functions_of(card, seen["last_card"]) if verb == "card" else ()
        mine = seat == scene.mover
        legal = [name for name in names if mine and f"card {card} as {name}" in scene.look.legal]
        only = f"card {card} as {legal[0]}" if len(legal) == 1 else f"{verb} {card}"
        legal = legal if len(legal) > 1 else []
        h = min(112.0, FOOT - y - (BUTTON + GAP) * len(legal))
        opened = mine and scene.target(only, f"{verb} {card}" if verb != "card" else only.replace("card", "play", 1))
        refused = not (opened or legal) and scene.refused(seat, scene.played(card))
        if opened or legal:
            high = h + 5 + (BUTTON + GAP) * len(legal)
            pen.box(x - 2.5, y - 2.5, w + 5, high, 8, "#fff3c4", stroke=pen.palette.pick, stroke_width=2.4)
        lowest = max(lowest, y + h + (BUTTON + GAP) * len(legal))
        pen.at(x, y)
        face(pen, card, w, h, 12.0)
        pen.close()
        if opened or refused:
            pen.close()
        y += h + GAP
        for name in legal:
            scene.target(f"card {card} as {name}", f"play {card} as {name}")
            pen.box(x, y, w, BUTTON, 9, "#27455e", stroke=pen.palette.pick, stroke_width=1.6)
            lines = [f"as {name}"] if width(f"as {name}", 14) <= w - 4 else ["as", name]
            for k, line in enumerate(lines):
                at = y + BUTTON / 2 + 5 + 16 * (k - (len(lines) - 1) / 2)
                size = fitting(line, 14, w - 3)
                pen.words(x + w / 2, at, line, size, PAPER, anchor="middle")
            pen.close()
            y += BUTTON + GAP
    if lowest <= FOOT - KEY - 26:
        _key(scene, FOOT - KEY - 22)
    lost = seen["lost"][str(seat)]
    if lost and not scene.look.legal:
        pen.words(EDGE + 4, FOOT - 6, "spent", 12.5, pen.palette.soft, bold=False)
        chips(pen, lost, EDGE + 54, FOOT - 21)
