"""The columns beside the board: deck and cards by kind, a legend, and buttons for actions that are not on the board."""

import math

from spygames.agent_dog.picture import signs
from spygames.agent_dog.picture.scene import COLUMN, RIGHT, Scene
from spygames.agent_dog.picture.signs import CARD_H, CARD_W, CHIP_W
from spygames.core.pictures.picture import heading
from spygames.core.svg.colours import INK, themed
from spygames.core.svg.pen import width

_GONE = themed("#4a6076", "#b3c2cf")
MAX_DOTS = 12
"""The largest number of copies that are drawn as dots; more are a number."""
_SIGNS = (
    ("hole", "a pawn here puts on a hat"),
    ("hidden pawn", "anybody may move it"),
    ("meeting point", "pulls the next one into a hole"),
    ("start space", "closed while its pawn is there"),
)


def count(scene: Scene, x: float, y: float) -> None:
    """Draw the deck, and for each card the copies that are unseen, in the viewer's hand, and discarded."""
    pen, seen, palette = scene.pen, scene.seen, scene.pen.palette
    deck = seen["deck"]
    n = deck if isinstance(deck, int) else len(deck)
    heading(pen, x, y, "deck")
    scale = 0.62
    if n:
        for i in reversed(range(min(5, 1 + n // 24))):
            pen.at(x + 2.5 * i, y + 12 + 2.5 * i, scale)
            pen.stamp(signs.back)
            pen.close()
    else:
        line = {"stroke": palette.line, "stroke_width": 1.5, "stroke_dasharray": "5 5"}
        pen.box(x, y + 12, scale * CARD_W, scale * CARD_H, 6, "none", **line)
    pen.words(x + 84, y + 50, str(n), 30)
    pen.words(x + 84, y + 70, "cards to be dealt" if n != 1 else "card to be dealt", 12.5, palette.soft, bold=False)
    open_cards = [*seen["discard"], *([seen["pending"]["card"]] if seen["pending"] else [])]
    own = [] if scene.look.viewer < 0 else [card for card in seen["hands"][str(scene.look.viewer)] if card != "?"]
    if scene.look.viewer >= 0 and seen["phase"] == "exchange" and seen["passed"][str(scene.look.viewer)]:
        own.append(seen["passed"][str(scene.look.viewer)])  # nobody has it yet
    top, fills = y + 128, (palette.soft, palette.pick, _GONE[palette.theme])
    heading(pen, x, top, "where the cards are")
    for i, (card, copies) in enumerate(seen["copies"].items()):
        cx, cy = x + 122 * (i % 2), top + 14 + 33 * (i // 2)
        pen.at(cx, cy)
        pen.stamp(signs.chip, card)
        pen.close()
        gone, mine = open_cards.count(card), own.count(card)
        if copies > MAX_DOTS:
            left = f"{copies - gone - mine} of {copies}"
            pen.words(cx + CHIP_W + 8, cy + 14.5, left, 12.5, palette.soft, bold=False)
            continue
        step = min(8.4, 66 / copies)
        first = 0
        for n, fill in zip((copies - gone - mine, mine, gone), fills, strict=True):
            dots = "".join(f"M{cx + CHIP_W + 9 + step * (first + k):.1f} {cy + 10:.1f}h.01" for k in range(n))
            first += n
            if n:
                pen.path(dots, stroke=fill, stroke_width=0.78 * step, stroke_linecap="round")
    cy = top + 14 + 33 * ((len(seen["copies"]) + 1) // 2) + 14
    unseen = "unseen" if scene.look.viewer >= 0 else "in hands and deck"
    if max(seen["copies"].values()) > MAX_DOTS:
        pen.words(x, cy, f"numbers: {unseen}, of all", 11.5, palette.soft, bold=False)
        cy += 19
    if min(seen["copies"].values()) > MAX_DOTS:
        return
    for text, fill in zip((unseen, "your own", "discarded"), fills, strict=True):
        if text != "your own" or scene.look.viewer >= 0:
            pen.dot(x + 4, cy - 4, 4, fill)
            pen.words(x + 13, cy, text, 11.5, palette.soft, bold=False)
            x += width(text, 11.5, False) + 28


def legend(scene: Scene, x: float, y: float) -> None:
    """Draw the legend of the symbols on the board."""
    pen = scene.pen
    heading(pen, x, y, "on the board")
    pictures = (
        lambda: signs.pits(pen, [(0, 0)]),
        lambda: pen.stamp(signs.hat, None),
        lambda: pen.stamp(signs.meeting),
        lambda: pen.stamp(signs.start, scene.colours[scene.below]),
    )
    for i, (one, two) in enumerate(_SIGNS):
        top = y + 36 + 46 * i
        pen.at(x + 18, top + (6 if one == "hidden pawn" else 0))
        pictures[i]()
        pen.close()
        pen.words(x + 46, top - 2, one, 13, bold=False)
        pen.words(x + 46, top + 14, two, 12.5, pen.palette.soft, bold=False)


def buttons(scene: Scene) -> None:
    """Draw buttons for legal actions that are nowhere else in the picture."""
    left = [action for action in scene.look.legal if action in scene.left]
    columns = 1 if len(left) <= 4 else 2
    w = (COLUMN - 8 * (columns - 1)) / columns
    rows = math.ceil(len(left) / columns)
    for i, action in enumerate(left):
        x, y = RIGHT + (w + 8) * (i // rows), 700 - 31 * (rows - i % rows)
        scene.target(action)
        scene.pen.box(x, y, w, 27, 7, "#fff3c4", stroke=scene.pen.palette.pick, stroke_width=2.4)
        scene.pen.words(x + w / 2, y + 18.5, action, 13, INK, anchor="middle", most=w - 12)
        scene.pen.close()
