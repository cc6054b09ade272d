"""The park in the middle: the lead, and the subject of the present decision."""

import math

from spygames.agent_avenue.board import CATCH
from spygames.agent_avenue.picture.faces import EFFECTS, face, market_card
from spygames.agent_avenue.picture.scene import CX, CY, Scene
from spygames.agent_avenue.picture.signs import BACK_LINE, SIDE, back, disc, eye, meeple, stall, tree
from spygames.agent_avenue.picture.zones import known
from spygames.core.svg.colours import PAPER, PICK
from spygames.core.svg.pen import fitting

GRASS, GRASS_INK = "#7fae79", "#15291c"
UNLIT, MIDDLE = "#35495c", "#9fb2c3"
"""The lamps of the lead that are not lit, and the one in the middle."""
FLOWERS = (
    *((-134, -32), (-128, -22), (-141, -20), (-118, 84), (-126, 90), (-109, 91)),
    *((119, 86), (127, 92), (111, 91), (128, 2), (136, -6), (122, -7)),
)
"""The positions of the flowers, relative to the middle of the park."""


def park(c: Scene) -> None:
    """Draw the park with the subject of the present decision."""
    pen = c.pen
    pen.box(CX - 163, CY - 100, 326, 200, 20, GRASS, stroke="#8fb588", stroke_width=3)
    for at, colour in enumerate(("#f6e27a", "#f3c9d6", "#fbf4e2")):  # flowers
        pen.path("".join(disc(CX + x, CY + y, 2.2) for x, y in FLOWERS[at::3]), colour)
    trees = ((146, 72, 0.9), (-146, 70, 0.95), (-146, 4, 0.7), (144, 22, 0.75), (148, -34, 0.6))
    for x, y, s in trees if c.seen["ability"] is None else trees[:1]:
        tree(pen, CX + x, CY + y, s)
    _lead(c)
    if c.seen["winner"] is not None:
        _end(c)
    elif c.seen["face_up"] is not None:
        _offer(c)
    elif c.seen["ability"] is not None:
        _ability(c)
    elif c.seen["phase"] == "market":
        _stalls(c)
    else:
        if _buttons(c, "lead", CX, CY + 4, "face up", 236):
            return
        for x, text, word in ((CX - 106, "face up", 1), (CX + 14, "face down", 2)):
            if c.seen["phase"] != "lead":  # below the place, so that a card that is put there covers it
                pen.words(x + 46, CY + 31, text, 14, GRASS_INK, anchor="middle")
            dashes = {"stroke": GRASS_INK, "stroke_width": 1.8, "stroke_dasharray": "6 6"}
            pen.box(x, CY - 36, 92, 126, 9, "none", data_place=word, **dashes)


def _lead(c: Scene) -> None:
    """Draw the lead as a row of lamps. A side whose half is fully lit has caught the other side."""
    pen, y, step = c.pen, CY - 76, 17
    own = c.seen["progress"][c.below] - c.seen["progress"][1 - c.below]
    pen.box(CX - 7.5 * step - 3, y - 13, 15 * step + 6, 26, 13, "#20303c")
    for k in range(-CATCH, CATCH + 1):
        side = c.below if k > 0 else 1 - c.below
        lit = 0 < k <= own or own <= k < 0
        end = {"stroke": SIDE[side], "stroke_width": 2} if abs(k) == CATCH else {}
        pen.dot(CX + k * step, y, 8 if end else 5.4, SIDE[side] if lit else UNLIT if k else MIDDLE, **end)
    pen.words(CX, y + 30, c.race, 13.5, GRASS_INK, anchor="middle")


def _offer(c: Scene) -> None:
    """Draw the two offered cards; a team plays them one after the other."""
    pen, w, h = c.pen, 92, 126
    for x, key, action in ((CX - 106, "face_up", "recruit up"), (CX + 14, "face_down", "recruit down")):
        card = c.seen[key]
        pen.at(x, CY - 36)
        with c.target(action, label=f"take the {key.replace('_', '-')} card") as can:
            if can:
                pen.box(-6, -6, w + 12, h + 12, 14, "#fff3c4", stroke=PICK, stroke_width=3.4)
            if card is None:
                pen.box(0, 0, w, h, 9, "none", stroke=GRASS_INK, stroke_width=1.8, stroke_dasharray="6 6")
                pen.words(w / 2, h / 2 + 5, "face down", 14, GRASS_INK, anchor="middle")
            elif card == "?":
                back(pen, w, h)
                pen.dot(w / 2, h / 2, 19, "#1b3245", stroke=BACK_LINE, stroke_width=2)
                pen.words(w / 2, h / 2 + 10, "?", 28, PAPER, anchor="middle")
            else:
                face(pen, card, w, h, c.copies(card), secret=key == "face_down")
                if key == "face_down" and c.hider is not None and _is_known(c, c.hider, card):
                    eye(pen, w - 7, h * 0.19 + 8, 7)
        pen.close()


def _is_known(c: Scene, seat: int, card: str) -> bool:
    """Whether everybody has seen this face-down card in the hand of `seat`, which played it."""
    return [kind for kind, _ in known(c, seat)].count(card) > c.hand(seat).count(card)


def _ability(c: Scene) -> None:
    """Draw the market card that is being resolved, the agent it took, and the choices that are not cards."""
    pen, ability = c.pen, c.seen["ability"]
    pen.at(CX - 146, CY - 36)
    market_card(pen, ability["card"], 104, 126)
    pen.close()
    if ability["taken"] is not None:
        pen.at(CX - 26, CY - 16)
        face(pen, ability["taken"], 72, 94, None)
        pen.close()
        pen.words(CX - 26, CY - 24, "taken", 13, GRASS_INK)
        _buttons(c, "decline", CX + 104, CY + 24, "keep it", 96)
        return
    if not _buttons(c, "resolver", CX + 52, CY + 4, "it out", 180):
        who = "You choose" if ability["seat"] == c.look.viewer else f"player_{ability['seat']} chooses"
        text = "who carries it out?" if ability["seat"] is None else who
        pen.words(CX - 30, CY + 18, text, 15, GRASS_INK, most=184)
        effect = EFFECTS[ability["card"]]
        pen.words(CX - 30, CY + 40, effect, fitting(effect, 13, 184, False), GRASS_INK, bold=False)


def _stalls(c: Scene) -> None:
    """Draw a meeple at the market."""
    pen, seat = c.pen, c.seen["to_move"]
    stall(pen, CX + 34, CY + 22, 1.9)
    meeple(pen, c.side(seat), CX - 46, CY + 60, 1.9)
    pen.words(CX, CY + 86, "You choose" if seat == c.look.viewer else f"player_{seat} chooses", 15, GRASS_INK, "middle")


def _end(c: Scene) -> None:
    """Draw the result."""
    pen, winner = c.pen, c.seen["winner"]
    pen.box(CX - 140, CY - 34, 280, 122, 16, "#1b2a36", stroke=SIDE[winner], stroke_width=3)
    rays = (math.pi * k / 8 for k in range(16))
    d = "".join(
        f"M{CX - 92 + 40 * math.sin(a):.1f} {CY + 22 - 40 * math.cos(a):.1f}"
        f"L{CX - 92 + 50 * math.sin(a):.1f} {CY + 22 - 50 * math.cos(a):.1f}"
        for a in rays
    )
    pen.path(d, stroke=PICK, stroke_width=3.4, stroke_linecap="round")
    meeple(pen, winner, CX - 92, CY + 52, 1.6)
    lines = [c.result] if c.look.viewer >= 0 else [c.who(winner), "win" if len(c.seats[winner]) > 1 else "wins"]
    for i, text in enumerate(lines):
        size = fitting(text, 26 if c.look.viewer >= 0 else 16, 164)
        pen.words(CX - 32, CY + 18 + 24 * i, text, size, SIDE[winner])
    pen.words(CX - 32, CY + 48 + 14 * (len(lines) - 1), c.why, fitting(c.why, 14, 166, False), PAPER, bold=False)


def _buttons(c: Scene, verb: str, x: float, y: float, words: str, w: float) -> bool:
    """Draw a button around (x, y) for each legal action of a verb; return whether there is any."""
    texts = [text for text in c.look.legal if text.split()[0] == verb]
    first, other = ("play", "plays") if verb == "lead" else ("carry", "carries")
    for i, text in enumerate(texts):
        top = y - 17 + 44 * i
        whom = text.split()[-1]
        own = whom == f"player_{c.look.viewer}"
        label = words if whom == verb else f"You {first} {words}" if own else f"{whom} {other} {words}"
        with c.target(text):
            c.pen.box(x - w / 2, top, w, 36, 10, "#1b2a36", stroke=PICK, stroke_width=2.6)
            c.pen.words(x, top + 23, label, 13.5, PAPER, anchor="middle", most=w - 12)
    return bool(texts)
