"""Draw Agent Avenue as text, at most 80 columns wide."""

from textwrap import wrap

import numpy as np

from spygames.agent_avenue.board import CATCH, HOMES, IS_MARKET, SPACES
from spygames.agent_avenue.cards import AGENTS, ICONS, KINDS, MARKET_CARDS, MARKET_SIZE
from spygames.agent_avenue.layout import (
    ABILITY,
    AT_DISCARD,
    AT_SUPPLY,
    BY_LEADER_OF_THE_PACK,
    BY_MASTERPLAN,
    BY_SECURITY_SYSTEM,
    CAUGHT,
    CODEBREAKERS,
    DAREDEVILS,
    DOWN,
    LEAD,
    MARKET,
    NONE,
    PLAY,
    RECRUIT,
    RESOLVER,
    SIDES,
    UP,
    State,
)
from spygames.agent_avenue.queries import hand_size, is_team, knows_face_down, lead, other, side_of
from spygames.core.compiling.kernel import Int
from spygames.core.game.game import NOBODY, Game

# The loop with spaces numbered clockwise. Its corners are 2, 5, 9 and 12; `middle` takes three lines of text.
_BOARD = """\
   +-------+-------+-------+-------+-------+
   | 5     | 6     | 7 home| 8     | 9     |
   | {5:<6}| {6:<6}| {7:<6}| {8:<6}| {9:<6}|
   +-------+-------+-------+-------+-------+
   | 4     |                       | 10    |
   | {4:<6}|{middle[0]:^23}| {10:<6}|
   +-------+{middle[1]:^23}+-------+
   | 3     |{middle[2]:^23}| 11    |
   | {3:<6}|                       | {11:<6}|
   +-------+-------+-------+-------+-------+
   | 2     | 1     | 0 home| 13    | 12    |
   | {2:<6}| {1:<6}| {0:<6}| {13:<6}| {12:<6}|
   +-------+-------+-------+-------+-------+"""
_ROW = "   {:<16}{:>4} {:>4} {:>4}  {:>16} {:>16}"
_LAST_ICON = {"codebreaker": "win", "daredevil": "lose"}
_WIDTH = 80


def to_text(game: Game, s: State, viewer: int) -> str:
    """Draw the board and both play areas as `viewer` (a seat) may see them; NOBODY sees everything.

    Lines have at most 80 columns. The last one does not end with a newline.
    """
    return "\n".join([
        *_wrapped(f"Agent Avenue, turn {s.turn}: {_headline(s)}"),
        "",
        _board(s),
        "",
        *_areas(s, viewer),
        "",
        *(line for text in (*_market(s, viewer), *_cards(s, viewer)) for line in _wrapped(text)),
    ])  # fmt: skip


def _name(s: State, side: Int) -> str:
    """A side, named by its players."""
    first = side if s.options.players == 2 else 2 * side
    return f"player_{first} and player_{first + 1}" if is_team(s, side) else f"player_{first}"


def _headline(s: State) -> str:
    """The decision that is due, or the result."""
    active, seat = int(s.active_side), int(s.to_move)
    if s.phase == PLAY:
        return f"player_{seat} plays two cards, one face up and one face down"
    if s.phase == RECRUIT:
        owner = _name(s, active)
        return f"player_{seat} recruits one of {owner}'s two cards"
    if s.phase == LEAD:
        return f"player_{seat} names who of {_name(s, active)} plays face up"
    if s.phase in (UP, DOWN):
        return f"player_{seat} plays a card face {'up' if s.phase == UP else 'down'}"
    if s.phase == MARKET:
        return f"player_{seat} takes a market card"
    if s.phase == RESOLVER:
        return f"player_{seat} names who of {_name(s, int(side_of(s, seat)))} resolves {MARKET_CARDS[s.ability]}"
    if s.phase == ABILITY:
        return f"player_{seat} resolves {MARKET_CARDS[s.ability]}"
    return _result(s)


def _result(s: State) -> str:
    """The winner and the reason."""
    winner, loser = int(s.winner), other(int(s.winner))
    one, ahead = not is_team(s, winner), int(lead(s, winner))
    it, has = ("it", "has") if one else ("they", "have")
    lose_has = "have" if is_team(s, loser) else "has"
    reasons = {
        CAUGHT: f"{it} {has} caught {_name(s, loser)}, with a lead of {ahead}",
        CODEBREAKERS: f"{it} {has} three Codebreakers",
        DAREDEVILS: f"{_name(s, loser)} {lose_has} three Daredevils",
        BY_MASTERPLAN: f"{it} {has} the Masterplan and seven different agents",
        BY_SECURITY_SYSTEM: f"{it} {has} the Security System, and {_name(s, loser)} stands on the guarded home",
        BY_LEADER_OF_THE_PACK: f"{it} {has} the Leader of the Pack and three Daredevils",
    }
    leads, is_level, whose = ("leads", "is", "its own") if one else ("lead", "are", "their own")
    standing = f"{leads} by {ahead}" if ahead else f"{is_level} level with {_name(s, loser)} in a turn of {whose}"
    reason = reasons.get(int(s.end_reason), f"the cards have run out, and {it} {standing}")
    return f"{_name(s, winner)} {'wins' if one else 'win'}: {reason}"


def _board(s: State) -> str:
    """The loop of spaces with the meeples (0) and (1), and the market spaces in advanced mode."""
    spaces = [""] * SPACES
    for side in range(SIDES):
        spaces[int(HOMES[side] + s.progress[side]) % SPACES] += f"({side})"
    ahead = int(lead(s, 0))
    level = "neither meeple leads" if ahead == 0 else f"({int(ahead < 0)}) leads by {abs(ahead)}"
    board = _BOARD
    for space in range(SPACES):
        if s.options.advanced and IS_MARKET[space]:
            board = board.replace(f"| {space:<6}|", f"| {space:<2} mkt|")
    return board.format(*spaces, middle=("forward is clockwise", level, f"a lead of {CATCH} catches"))


def _areas(s: State, viewer: int) -> list[str]:
    """The cards in play beside the icons of their 1st, 2nd and further copies, and the public counts of each seat."""
    seats, teams = range(s.options.players), s.options.players > 2
    names = [f"player_{seat}{' (you)' if seat == viewer else ''}" for seat in seats]
    sides = [f"side {side}" for side in range(SIDES)] if teams else names
    lines = [_ROW.format("agent in play", "1st", "2nd", "3rd+", *sides)]
    for card, name in enumerate(AGENTS):
        icons = [f"{icon:+d}" if icon else "0" for icon in ICONS[card]]
        icons[2] = _LAST_ICON.get(name, icons[2])
        if name in ("sidekick", "mole"):
            icons[1:] = ["", ""]
        lines.append(_ROW.format(name, *icons, *(int(n) if n else "." for n in s.in_play[:, card])).rstrip())
    hands = [int(hand_size(s, seat)) for seat in seats]
    left = [int(s.discards_left[seat]) for seat in seats]
    if not teams:
        return [
            *lines,
            *(_ROW.format(w, "", "", "", *n) for w, n in (("cards in hand", hands), ("discards left", left))),
        ]
    lines.append("")
    for seat, name in enumerate(names):
        captain = ", captain" if s.captain[side_of(s, seat)] == seat else ""
        front = ", plays face up" if s.leader == seat else ""
        holds = f"{hands[seat]} cards, {left[seat]} discards left"
        lines.append(f"   {name:<16} side {side_of(s, seat)}: {holds}{captain}{front}")
    return lines


def _market(s: State, viewer: int) -> list[str]:
    """The market cards, and the hand cards that everybody has seen. Only NOBODY sees the order of the market deck."""
    if not s.options.advanced:
        return []
    lines = [f"Market supply: {_places(s, AT_SUPPLY)}"]
    lines += [f"Ongoing cards of {_name(s, side)}: {_places(s, side)}" for side in range(SIDES)]
    deck = f"{s.market_deck_size} cards"
    if viewer == NOBODY and s.market_deck_size:
        deck += ", top first: " + ", ".join(MARKET_CARDS[s.market_deck[i]] for i in reversed(range(s.market_deck_size)))
    lines += [f"Market discards: {_places(s, AT_DISCARD)}", f"Market deck: {deck}"]
    if s.pending != NONE:
        lines.append(f"After this {_name(s, int(s.pending))} may take a market card")
    if s.taken != NONE:
        lines.append(f"Taken back: {AGENTS[s.taken]}")
    for seat in range(s.options.players):
        if s.seen[seat].any():
            offered = " or face down" if s.face_down != NONE else ""
            lines.append(f"Seen in player_{seat}'s hand{offered}: {_names(s.seen[seat])}")
    return lines


def _places(s: State, place: int) -> str:
    return ", ".join(MARKET_CARDS[card] for card in range(MARKET_SIZE) if s.market[card] == place) or "none"


def _cards(s: State, viewer: int) -> list[str]:
    """The offer, the deck, and the hands and discards that the viewer knows."""
    lines = []
    if s.face_up != NONE:
        known = viewer == NOBODY or knows_face_down(s, viewer)
        down = AGENTS[s.face_down] if known and s.face_down != NONE else "a hidden card"
        offer = f"{AGENTS[s.face_up]} face up" + (f", {down} face down" if s.face_down != NONE else "")
        lines.append(f"Offered by {_name(s, int(s.active_side))}: {offer}")
    for seat in range(s.options.players):
        if viewer in (NOBODY, seat):
            whose = "Your" if viewer == seat else f"player_{seat}'s"
            lines.append(f"{whose} hand: {_names(s.hands[seat])}")
            lines.append(f"{whose} discards: {_names(s.discarded[seat])}")
    cards = f"Agent deck: {s.deck_size} cards"
    if viewer == NOBODY and s.deck_size:
        cards += ", top first: " + ", ".join(AGENTS[s.deck[i]] for i in reversed(range(s.deck_size)))
    return [*lines, cards]


def _names(counts: np.ndarray) -> str:
    """The cards, in the order of the tables."""
    return ", ".join(AGENTS[card] for card in range(KINDS) for _ in range(counts[card])) or "none"


def _wrapped(text: str) -> list[str]:
    return wrap(text, _WIDTH, subsequent_indent="   ")
