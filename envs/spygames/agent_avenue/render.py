"""Agent Avenue as a drawing in characters, at most 80 columns wide."""

from textwrap import wrap

import numpy as np

from spygames.agent_avenue.cards import AGENTS, CATCH, HOMES, ICONS, KINDS, SPACES
from spygames.agent_avenue.rules import (
    CAUGHT,
    CODEBREAKERS,
    DAREDEVILS,
    NONE,
    PLAY,
    RECRUIT,
    SEATS,
    SIDES,
    hand_size,
    knows_face_down,
    lead,
    other,
)
from spygames.core.game import NOBODY, Game
from spygames.core.kernel import Record

# The loop, clockwise upward in numbers: its corners are 2, 5, 9 and 12, and `middle` is free for two lines of text.
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


def to_text(game: Game, s: Record, viewer: int) -> str:
    """The board and both play areas as `viewer` (a seat) may see them; NOBODY sees everything.

    Lines of at most 80 columns without an end of line after the last one.
    """
    return "\n".join([
        *_wrapped(f"Agent Avenue, turn {s.turn}: {_headline(s)}"),
        "",
        _board(s),
        "",
        *_areas(s, viewer),
        "",
        *(line for text in _cards(s, viewer) for line in _wrapped(text)),
    ])  # fmt: skip


def _headline(s: Record) -> str:
    """What happens now, or how it ended."""
    active = int(s.active_side)
    if s.phase == PLAY:
        return f"player_{active} plays two cards, one face up and one face down"
    if s.phase == RECRUIT:
        return f"player_{other(active)} recruits one of player_{active}'s two cards"
    winner, loser = int(s.winner), other(int(s.winner))
    ahead = int(lead(s, winner))
    reasons = {
        CAUGHT: f"it has caught player_{loser}, with a lead of {ahead}",
        CODEBREAKERS: "it has three Codebreakers",
        DAREDEVILS: f"player_{loser} has three Daredevils",
    }
    standing = f"leads by {ahead}" if ahead else f"is level with player_{loser} in a turn of its own"
    reason = reasons.get(int(s.end_reason), f"the cards have run out, and it {standing}")
    return f"player_{winner} wins: {reason}"


def _board(s: Record) -> str:
    """The loop of spaces with the meeples (0) and (1)."""
    spaces = [""] * SPACES
    for side in range(SIDES):
        spaces[int(HOMES[side] + s.progress[side]) % SPACES] += f"({side})"
    ahead = int(lead(s, 0))
    level = "neither meeple leads" if ahead == 0 else f"({int(ahead < 0)}) leads by {abs(ahead)}"
    return _BOARD.format(*spaces, middle=("forward is clockwise", level, f"a lead of {CATCH} catches"))


def _areas(s: Record, viewer: int) -> list[str]:
    """The cards in play beside the icons of their 1st, 2nd and further copies, and what else can be counted."""
    names = [f"player_{seat}{' (you)' if seat == viewer else ''}" for seat in range(SEATS)]
    lines = [_ROW.format("agent in play", "1st", "2nd", "3rd+", *names)]
    for card, name in enumerate(AGENTS):
        icons = [f"{icon:+d}" if icon else "0" for icon in ICONS[card]]
        icons[2] = _LAST_ICON.get(name, icons[2])
        if name in ("sidekick", "mole"):
            icons[1:] = ["", ""]
        lines.append(_ROW.format(name, *icons, *(int(n) if n else "." for n in s.in_play[:, card])).rstrip())
    for what, numbers in (
        ("cards in hand", [int(hand_size(s, seat)) for seat in range(SEATS)]),
        ("discards left", [int(n) for n in s.discards_left]),
    ):
        lines.append(_ROW.format(what, "", "", "", *numbers))
    return lines


def _cards(s: Record, viewer: int) -> list[str]:
    """The offer, the deck, and the hands and discards that the viewer knows."""
    lines = []
    if s.face_up != NONE:
        known = viewer == NOBODY or knows_face_down(s, viewer)
        down = AGENTS[s.face_down] if known else "a hidden card"
        lines.append(f"Offered by player_{s.active_side}: {AGENTS[s.face_up]} face up, {down} face down")
    for seat in range(SEATS):
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
