"""The columns beside the board: the decks, the state of the race, the Black Market."""

from spygames.agent_avenue.cards import MASTERPLAN_NAMES
from spygames.agent_avenue.picture.faces import STEPS, chip, letters, market_row, race_row, signed, step
from spygames.agent_avenue.picture.scene import Scene
from spygames.agent_avenue.picture.signs import (
    BACK_LINE,
    MARKET,
    MARKET_LIGHT,
    MARKET_LINE,
    MARKET_TEXT,
    SIDE,
    SIDE_TEXT,
    back,
    badge,
    eye,
    sign,
)
from spygames.core.pictures.picture import heading
from spygames.core.svg.colours import INK, themed
from spygames.core.svg.pen import fitting

LEFT, RIGHT, TOP, COLUMN = 26, 892, 232, 282
"""The left edges of the columns, their first baseline and their width."""


def piles(c: Scene) -> float:
    """Draw the decks and the spent market cards; return the baseline below. The order of open decks is shown."""
    pen, deck = c.pen, c.seen["deck"]
    _pile(c, LEFT, "deck", deck if isinstance(deck, int) else len(deck))
    y = TOP + 140
    if isinstance(deck, list) and deck:
        heading(pen, LEFT, y - 2, "deck, top first")
        letters(pen, deck, LEFT, y + 6, 10, 28)
        y += 28 + 21 * ((len(deck) + 9) // 10)
    if c.seen["mode"] == "simple":
        return y
    market = c.seen["market_deck"]
    _pile(c, LEFT + 100, "market deck", market if isinstance(market, int) else len(market), market=True)
    if c.seen["market_discard"]:
        heading(pen, LEFT + 216, TOP, "spent", MARKET_TEXT[pen.palette.theme])
    for i, card in enumerate(c.seen["market_discard"]):
        x, top = LEFT + 228 + 28 * (i % 3), TOP + 26 + 33 * (i // 3)
        pen.dot(x, top, 13, MARKET, stroke=MARKET_LINE, stroke_width=1.2)
        sign(pen, card, x, top, 0.46, MARKET, MARKET_LIGHT)
    if isinstance(market, list) and market:
        heading(pen, LEFT, y - 2, "market deck", MARKET_TEXT[pen.palette.theme])
        letters(pen, market, LEFT, y + 6, 12, 23.6)
        y += 49
    return y


def _pile(c: Scene, x: float, name: str, n: int, market: bool = False) -> None:
    pen, y = c.pen, TOP + 12
    heading(pen, x, TOP, name, MARKET_TEXT[pen.palette.theme] if market else None)
    if not n:
        pen.box(x, y, 76, 104, 8, "none", stroke=pen.palette.line, stroke_width=1.5, stroke_dasharray="5 5")
        pen.words(x + 38, y + 57, "empty", 13, pen.palette.soft, anchor="middle", bold=False)
        return
    for i in reversed(range(min(4, 1 + n // 8))):
        pen.at(x + 2.5 * i, y + 2.5 * i)
        back(pen, 76, 104, market)
        pen.close()
    pen.dot(x + 38, y + 52, 20, pen.palette.table, stroke=MARKET_LINE if market else BACK_LINE, stroke_width=2)
    pen.words(x + 38, y + 59, str(n), 20, anchor="middle")


def race(c: Scene, x: float, y: float, h: float) -> float:
    """Draw how close each side is to an end of the game, in rows of height h; return the y where they end."""
    pen, gap = c.pen, 5 if h > 40 else 2
    palette, side_text = pen.palette, SIDE_TEXT[pen.palette.theme]
    heading(pen, x, y, "how it stands")
    for side in range(2):
        name = _short(c, side).removeprefix("the ").removesuffix(" team")
        pen.words(x + COLUMN - 101 + 64 * side, y, name, 12, side_text[side], anchor="middle")
    top = y + 12
    scale = h / 50
    if h > 40:
        pen.box(x, top, COLUMN, h, 10, palette.panel, stroke=palette.line, stroke_width=1.2)
    cx = x + 28 * scale
    path = f"M{cx - 15 * scale:.1f} {top + h / 2:.1f}h{22 * scale:.1f}m{-8 * scale:.1f} {-9 * scale:.1f}"
    path += f"l{12 * scale:.1f} {9 * scale:.1f}l{-12 * scale:.1f} {9 * scale:.1f}"
    pen.path(path, stroke=palette.text, stroke_width=4.5 * scale, stroke_linecap="round", stroke_linejoin="round")
    pen.words(x + 36 + 20 * scale, top + h / 2 + 4.5, "spaces moved", 13.5, palette.text, bold=False)
    for side in range(2):
        at = x + COLUMN - 101 + 64 * side
        pen.words(at, top + h / 2 + 5.5, signed(c.seen["progress"][side]), 16, side_text[side], anchor="middle")
    top += h + gap
    owner = [c.owns(side, "leader_of_the_pack") for side in range(2)]
    race_row(pen, "codebreaker", x, top, COLUMN, h, "three win", c.copies("codebreaker"), (True, True))
    words = "three lose" if not any(owner) else "red lose, green win"
    race_row(pen, "daredevil", x, top + h + gap, COLUMN, h, words, c.copies("daredevil"), owner)
    top += 2 * (h + gap)
    for side in range(2):
        if c.owns(side, "masterplan"):
            ground, ink = themed(MARKET, MARKET_LIGHT), themed(MARKET_LIGHT, MARKET)
            sign(pen, "masterplan", cx, top + h / 2, 0.72 * scale, ground[palette.theme], ink[palette.theme])
            words = f"{MASTERPLAN_NAMES} agents win"
            pen.words(x + 36 + 20 * scale, top + h / 2 + 4.5, words, 13.5, palette.text, bold=False)
            names = f"{len(c.seen['in_play'][str(side)])} of {MASTERPLAN_NAMES}"
            at = x + COLUMN - 101 + 64 * side
            pen.words(at, top + h / 2 + 4.5, names, 13.5, side_text[side], anchor="middle")
            top += h + gap
    return top


def _short(c: Scene, side: int) -> str:
    """Return the name of a side; two teams whose seats would be named are numbered."""
    name = c.name_of(side)
    return f"team {side + 1}" if " and " in name else name


def market(c: Scene) -> None:
    """Draw the supply of the Black Market, and the side that takes a card after the present decision (AA-24)."""
    pen = c.pen
    heading(pen, RIGHT, TOP, "Black Market", MARKET_TEXT[pen.palette.theme])
    for entry in c.seen["pending"]:
        side = entry["side"]
        name = _short(c, side)
        text = f"then {name} {'take' if name == 'you' else 'takes'} a card"
        pen.box(RIGHT + COLUMN - 164, TOP - 14, 164, 19, 9, SIDE[side])
        pen.words(RIGHT + COLUMN - 82, TOP - 0.5, text, fitting(text, 12, 156), INK, anchor="middle")
    for i, card in enumerate(c.seen["market_supply"]):
        with c.target(f"market {card}", label=f"take {card.replace('_', ' ')}") as can:
            market_row(pen, card, RIGHT, TOP + 12 + 55 * i, COLUMN, pen.palette.pick if can else None)
    if not c.seen["market_supply"]:
        pen.words(RIGHT, TOP + 36, "nothing is left", 13, pen.palette.soft, bold=False)


def key(c: Scene, y: float) -> None:
    """Draw the key to the small signs of the variant."""
    pen, x = c.pen, RIGHT
    heading(pen, x, y, "signs")
    rows = ["spaces for the 1st, 2nd, 3rd copy", "three of them win, three lose"]
    rows += ["captain: decides for the team"] if c.seen["players"] > 2 else []
    rows += ["seen by everybody", "in this hand, or lies face down"] if c.seen["mode"] == "advanced" else []
    for i, words in enumerate(rows):
        top = y + 14 + 29 * i
        middle = top + 11
        if words.startswith("spaces"):
            for k, value in enumerate(STEPS["enforcer"]):
                step(pen, x + 25 * k, top + 1, 22, 19, value, "#fff", INK)
        elif words.startswith("three"):
            step(pen, x + 12, top + 1, 22, 19, STEPS["codebreaker"][-1], "#fff", INK)
            step(pen, x + 37, top + 1, 22, 19, STEPS["daredevil"][-1], "#fff", INK)
        elif words.startswith("captain"):
            badge(pen, x + 36, middle)
        elif words.startswith("seen"):
            eye(pen, x + 36, middle, 7)
        else:
            chip(pen, "sentinel", x + 36, middle, 11, maybe=True)
        pen.words(x + 86, middle + 4.5, words, 12.5, pen.palette.soft, bold=False)
