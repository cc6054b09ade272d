"""The form for thumbnails and notebooks: the decision, the loop, what both sides have in play, the viewer's hand."""

from collections.abc import Mapping
from typing import Any

from spygames.agent_avenue.board import CATCH
from spygames.agent_avenue.picture.park import GRASS, GRASS_INK
from spygames.agent_avenue.picture.scene import Scene
from spygames.agent_avenue.picture.signs import BACK, BACK_LINE, SIDE, SIDE_TEXT, meeple
from spygames.agent_avenue.picture.small import card, hidden, in_play, lamps, ring
from spygames.core.pictures.picture import Look
from spygames.core.svg.colours import PAPER
from spygames.core.svg.pen import CANVAS, Pen, fitting, width

W, H = CANVAS["compact"]


def draw(pen: Pen, seen: Mapping[str, Any], look: Look) -> None:
    """Draw what `seen_to_dict` returned on the compact canvas."""
    c = Scene(pen, seen, look)
    mine = seen["to_move"] == look.viewer >= 0
    if mine:
        pen.box(6, 5, W - 12, 30, 12, pen.palette.notice, stroke=pen.palette.pick, stroke_width=1.4)
    texts = [c.headline, c.headline.partition(",")[0], *([c.result] if seen["winner"] is not None else [])]
    text = next((text for text in texts if width(text, 16) <= W - 24), texts[-1])
    pen.words(W / 2, 26, text, max(13.0, fitting(text, 16, W - 24)), anchor="middle", most=W - 24)
    x, y, w, h = 10.0, 44.0, 240.0, 168.0
    ring(c, x, y, w, h, numbers=False)
    _park(c, x + w / 5 + 2, y + h / 4 + 2, 0.6 * w - 4, h / 2 - 4)
    for side, top in ((1 - c.below, 42.0), (c.below, 128.0)):
        edge = SIDE[side] if side == seen["active_side"] else pen.palette.line
        pen.box(258, top, 136, 84, 10, pen.palette.panel, stroke=edge, stroke_width=1.6)
        in_play(c, side, 260, top + 2, 33, 40, 4)
    _hands(c)


def _park(c: Scene, x: float, y: float, w: float, h: float) -> None:
    """Draw the offer, or the lead as a number."""
    pen, seen = c.pen, c.seen
    pen.box(x, y, w, h, 8, GRASS)
    lamps(c, x + w / 2, y + 12, w - 14, CATCH)
    if seen["winner"] is not None:
        meeple(pen, seen["winner"], x + 30, y + h - 8, 0.9)
        pen.words(x + 54, y + h - 22, "wins", 22, GRASS_INK)
    elif seen["face_up"] is not None:
        for i, kind in enumerate((seen["face_up"], seen["face_down"])):
            pen.at(x + w / 2 + (-46, 4)[i], y + 24)
            if kind == "?":
                hidden(pen, 42, h - 28)
            elif kind is not None:
                card(pen, kind, 42, h - 28, secret=i == 1, names=False)
            pen.close()
    else:
        own = seen["progress"][c.below] - seen["progress"][1 - c.below]
        ahead = c.below if own > 0 else 1 - c.below
        pen.words(
            x + w / 2 + (14 if own else 0),
            y + 50,
            f"{abs(own)} ahead" if own else "level",
            20,
            GRASS_INK,
            anchor="middle",
        )
        meeple(pen, ahead, x + 20, y + 70, 0.95) if own else None
        pen.words(
            x + w / 2 + (14 if own else 0), y + 71, f"{CATCH} catches", 15, GRASS_INK, anchor="middle", bold=False
        )


def _hands(c: Scene) -> None:
    """Draw the viewer's hand, or the numbers of cards if nothing is hidden."""
    pen, seen = c.pen, c.seen
    seat = c.look.viewer if c.look.viewer >= 0 else c.seats[c.below][0]
    cards = c.hand(seat)
    w = min(62.0, 250 / max(1, len(cards)) - 6)
    for i, kind in enumerate(cards):
        pen.at(10 + i * (w + 6), 222)
        card(pen, kind, w, 68, names=False)
        pen.close()
    deck = seen["deck"] if isinstance(seen["deck"], int) else len(seen["deck"])
    pen.box(266, 226, 32, 44, 4, BACK, stroke=BACK_LINE, stroke_width=1.4)
    pen.words(282, 254, str(deck), 16, PAPER, anchor="middle")
    pen.words(282, 288, "deck", 15, pen.palette.soft, anchor="middle", bold=False)
    pen.words(390, 250, f"turn {seen['turn']}", 16, anchor="end")
    others = sum(len(c.hand(each)) for side in c.seats for each in side if each != seat)
    pen.words(390, 288, f"they hold {others}", 15, SIDE_TEXT[pen.palette.theme][1 - c.below], anchor="end", bold=False)
