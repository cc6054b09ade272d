"""The players: panels beside the board, and the large hand at the bottom."""

from spygames.agent_dog.picture import signs
from spygames.agent_dog.picture.scene import COLUMN, LEFT, RIGHT, Scene
from spygames.agent_dog.picture.signs import CARD_H, CARD_W, CHIP_H, CHIP_W, FILL, TEXT
from spygames.core.svg.colours import INK, PAPER
from spygames.core.svg.pen import width

SLOTS = {1: (LEFT, 52), 2: (RIGHT, 52), 3: (RIGHT, 202)}
"""Position (x, y) of the panel of another player, by its number of quadrants clockwise from the bottom."""


def panel(scene: Scene, seat: int, x: float, y: float) -> None:
    """Draw the panel of a seat: name, hand, and the cards spent in this round (played, laid down or discarded)."""
    pen, seen = scene.pen, scene.seen
    _frame(scene, seat, x, y, COLUMN, 138)
    _name(scene, seat, x, y)
    hand = seen["hands"][str(seat)]
    scale = 0.33 * min(1.0, 5 / max(1, len(hand)))
    for i, card in enumerate(hand):
        pen.at(x + 14 + i * 102 * scale, y + 57, scale)
        _card(scene, seat, card)
        pen.close()
    if seat in seen["out"]:
        pen.words(x + 14, y + 84, "out of the round", 13, pen.palette.soft, bold=False)
    passed = seen["passed"][str(seat)]
    if passed is not None:
        pen.words(x + COLUMN - 12, y + 72, "passed", 11.5, pen.palette.soft, anchor="end", bold=False)
        pen.at(x + COLUMN - 12 - CHIP_W, y + 79)
        pen.stamp(signs.chip, passed)
        pen.close()
    if seen["lost"][str(seat)]:
        pen.words(x + 14, y + 124, "spent", 11.5, pen.palette.soft, bold=False)
        _spent(scene, seat, x + 56, y + 110, COLUMN - 60)


def _frame(scene: Scene, seat: int, x: float, y: float, w: float, h: float) -> None:
    """Draw the frame of a panel, brighter while the seat is to move."""
    active, won, palette = scene.mover == seat, seat in scene.seen["winners"], scene.pen.palette
    edge = palette.pick if won else FILL[scene.colours[seat]] if active else palette.line
    scene.pen.box(x, y, w, h, 14, palette.panel, stroke=edge, stroke_width=3.4 if active or won else 1.3)


def _name(scene: Scene, seat: int, x: float, y: float) -> None:
    """Draw the name of a seat, with its pawn and its role."""
    pen, seen, colour = scene.pen, scene.seen, scene.colours[seat]
    pen.at(x + 25, y + 44, 0.92)
    pen.stamp(signs.pawn, colour)
    pen.close()
    pen.words(x + 46, y + 25, scene.name(seat), 17, TEXT[pen.palette.theme][colour])
    about = [f"player_{seat}"] if seat == scene.look.viewer else []
    if scene.look.viewer >= 0 and seen["players"] == 4 and seat == scene.look.viewer ^ 2:
        about.append("your partner")
    if seat < len(scene.look.names) and scene.look.names[seat]:
        about.append(scene.look.names[seat])
    pen.words(x + 46, y + 43, ", ".join(about), 12.5, pen.palette.soft, bold=False, most=176)
    at = x + COLUMN - 24
    if seat == seen["dealer"]:
        pen.box(at - 36, y + 11, 50, 20, 10, PAPER)
        pen.words(at - 11, y + 25, "dealer", 12, INK, anchor="middle")
        at -= 56
    if seat in seen["winners"]:
        pen.at(at, y + 15, 0.62)  # above the second line
        pen.stamp(signs.rosette)
        pen.close()
        at -= 30
    if seat == scene.mover and seen["redrawn"]:
        pen.words(x + COLUMN - 12, y + 58, "1 exchanged", 11.5, pen.palette.pick_text, anchor="end", bold=False)


def _spent(scene: Scene, seat: int, x: float, y: float, w: float) -> None:
    """Draw the cards that left a hand since the exchange."""
    lost = scene.seen["lost"][str(seat)]
    scale = min(1.0, w / ((CHIP_W + 4) * max(1, len(lost))))
    for i, card in enumerate(lost):
        scene.pen.at(x + i * (CHIP_W + 4) * scale, y + (1 - scale) * CHIP_H / 2, scale)
        scene.pen.stamp(signs.chip, card)
        scene.pen.close()


def bottom(scene: Scene) -> None:
    """Draw the seat at the bottom. Its hand is large, and its legal cards are targets."""
    pen, seen, seat, y = scene.pen, scene.seen, scene.below, 718
    _frame(scene, seat, 16, y, 788, 168)
    _name(scene, seat, 18, y + 2)
    hand = seen["hands"][str(seat)]
    scale = min(1.0, 532 / max(1, len(hand) * (CARD_W + 14)))
    for i, card in enumerate(hand):
        pen.at(267 + i * (CARD_W + 14) * scale, y + 21, scale)
        _card(scene, seat, card)
        pen.close()
    if seat in seen["out"]:
        pen.words(272, y + 90, "out of the round", 17, pen.palette.soft, bold=False)
    elif not hand:
        pen.words(272, y + 90, "no cards left in this round", 17, pen.palette.soft, bold=False)
    rows = []
    giver = next(other for other in scene.colours if scene.taker(other) == seat)
    if seen["passed"][str(seat)] is not None:
        rows.append((f"passed to player_{scene.taker(seat)}", seen["passed"][str(seat)]))
    if seen["passed"][str(giver)] is not None and seen["phase"] != "exchange":
        rows.append((f"received from player_{giver}", seen["passed"][str(giver)]))
    for i, (text, card) in enumerate(rows):
        pen.words(30, y + 77 + 26 * i, text, 12.5, pen.palette.soft, bold=False)
        pen.at(196, y + 62.5 + 26 * i)
        pen.stamp(signs.chip, card)
        pen.close()
    if seen["lost"][str(seat)]:
        pen.words(30, y + 127, "spent in this round", 12.5, pen.palette.soft, bold=False)
        _spent(scene, seat, 30, y + 134, 220)


def _card(scene: Scene, seat: int, card: str) -> None:
    """Draw a card in a hand. A legal card is a target; in the large hand, so is each legal function."""
    pen, seen = scene.pen, scene.seen
    if card == "?":
        pen.stamp(signs.back)
        return
    verb = scene.verb
    names = signs.functions_of(card, seen["last_card"]) if seat == scene.below else ()
    legal = {name for name in names if verb == "card" and f"card {card} as {name}" in scene.look.legal}
    opened = seat == scene.mover and scene.target(f"{verb} {card}")
    refused = not (opened or legal) and scene.refused(seat, scene.played(card))
    if opened or (legal and seat == scene.mover):
        pen.box(-5, -5, CARD_W + 10, CARD_H + 10, 13, "#fff3c4", stroke=pen.palette.pick, stroke_width=3.4)
    pen.stamp(signs.face, card)
    widths = [width(name, 12) + 9 for name in names]
    x = (CARD_W - sum(widths) - 3 * (len(widths) - 1)) / 2
    for name, w in zip(names, widths, strict=True):
        chosen = seat == scene.mover and scene.target(f"card {card} as {name}", f"play {card} as {name}")
        why = verb == "card" and not chosen and scene.refused(seat, f"card {card} as {name}")
        signs.function(pen, name, x, w, chosen)
        if chosen or why:
            pen.close()
        x += w + 3
    if opened or refused:
        pen.close()
