"""The layouts of Agent Avenue: OPTIONS, STATE (what is true) and VIEW (what a seat may know), with their constants.

One STATE serves all variants. A VIEW has only the fields that its variant needs, because a network reads all of it. A
field that two variants share has the same name and meaning in both.
"""

from typing import Any

import numpy as np
from numpy import float32, int8, int16, uint64

from spygames.agent_avenue.board import CATCH
from spygames.agent_avenue.cards import AGENTS, CARDS, KINDS, MARKET_SIZE, ONGOING, SUPPLY

SEATS, SIDES = 4, 2  # a seat is a player, a side is what owns a meeple; with two players they are the same number
HAND, DISCARDS, MEMBER_DISCARDS = 4, 4, 2  # cards drawn up to (AA-11), discards of a player, of a member (AA-8, AA-42)
THREE = 3  # copies that select the last icon, win as Codebreakers, lose as Daredevils (AA-13, AA-17)
NONE = -1  # no card, no seat, no side, no reason
LAST_TURN, FURTHEST = 30_000, 10_000
"""Where the count of turns and the progress of a side stop, far beyond any game."""

PHASES = ("play", "recruit", "market", "ability", "lead", "up", "down", "resolver", "over")
PLAY, RECRUIT, MARKET, ABILITY, LEAD, UP, DOWN, RESOLVER, OVER = range(9)
END_REASONS = (
    "caught",
    "codebreakers",
    "daredevils",
    "masterplan",
    "security_system",
    "leader_of_the_pack",
    "ran_out",
)
CAUGHT, CODEBREAKERS, DAREDEVILS, BY_MASTERPLAN, BY_SECURITY_SYSTEM, BY_LEADER_OF_THE_PACK, RAN_OUT = range(7)

# Where a market card is, in STATE.market; 0 and 1: in play of that side
AT_SUPPLY, AT_DECK, AT_DISCARD, AT_ABILITY = range(2, 6)

OPTIONS = np.dtype([
    ("first_player", int8),  # the seat whose side begins, or NONE: drawn from the seed (AA-6)
    ("players", int8),  # 2, 3 or 4
    ("advanced", int8),  # 1: with the Black Market
    ("captain_fixed", int8),  # 1: the lower seat stays captain (AA-41)
], align=True)  # fmt: skip
STATE = np.dtype([  # widest field first; a field that the variant does not use is 0 or NONE
    ("rng", uint64),  # HIDDEN: the game's random stream
    ("turn", int16),  # 1..LAST_TURN, goes up when the next side becomes active
    ("progress", int16, SIDES),  # -FURTHEST..FURTHEST, spaces moved forward in all (AA-15)
    ("hands", int8, (SEATS, KINDS)),  # HIDDEN: copies of each agent
    ("discarded", int8, (SEATS, KINDS)),  # HIDDEN: copies, known to their owner only (AA-9)
    ("in_play", int8, (SIDES, KINDS)),  # copies
    ("deck", int8, CARDS),  # HIDDEN: agents, the top one at deck_size - 1; NONE above
    ("deck_size", int8),
    ("discards_left", int8, SEATS),
    ("face_up", int8),  # agent offered openly, or NONE
    ("face_down", int8),  # HIDDEN: agent offered secretly, or NONE; known to the seat that played it
    ("kept", int8),  # in phase recruit: cards that the hand behind face_down kept before it drew; else 0
    ("phase", int8),  # index in PHASES
    ("to_move", int8),  # seat, NONE when over
    ("active_side", int8),
    ("winner", int8),  # side, or NONE
    ("end_reason", int8),  # index in END_REASONS, or NONE
    ("captain", int8, SIDES),  # the seat that decides for each side (AA-41)
    ("leader", int8),  # teams: the seat that plays face up this turn, or NONE
    ("market", int8, MARKET_SIZE),  # HIDDEN between deck places only: where each market card is, AT_...; NONE without
    ("market_deck", int8, MARKET_SIZE),  # HIDDEN: its order, the top one at market_deck_size - 1; NONE above
    ("market_deck_size", int8),
    ("pending", int8),  # the side that takes a market card once the other one is done (AA-24), or NONE
    ("ability", int8),  # market card that is being resolved, or NONE
    ("resolver", int8),  # the seat that makes its choices, or NONE
    ("taken", int8),  # agent that Spycation has taken back, or NONE
    ("seen", int8, (SEATS, KINDS)),  # copies seen entering or staying in a hand, face down included (AA-37)
    ("options", OPTIONS),
    ("padding", int8, 5),  # 0; fills the record up to a multiple of 8 bytes
], align=True)  # fmt: skip


def view_dtype(advanced: bool, teams: bool) -> np.dtype:
    """Return VIEW, what one seat may know, for a mode and for two players or teams.

    [2] is the own side, then the other one. [P] is one entry a seat: the viewer and its rival for two players; for
    teams the viewer, its partner and the two opponents by number, zeros for a seat that the variant does not have. A
    thermometer shows n as n ones before zeros.
    """
    seats = SEATS if teams else SIDES
    phases = RESOLVER + 1 if teams else ABILITY + 1 if advanced else RECRUIT + 1
    common: list[Any] = [
        ("hand", float32, (KINDS, HAND)),  # own hand, thermometer
        ("stacks", float32, (2, KINDS, THREE)),  # cards in play, thermometer up to the last icon
        ("in_play", float32, (2, KINDS)),  # the same in full, in units of 6 copies
        ("discarded", float32, KINDS),  # own discards, in units of 4
        ("unseen", float32, KINDS),  # copies that may be anywhere hidden, in units of 6
        ("face_up", float32, KINDS),  # one-hot, zeros if none
        ("face_down", float32, KINDS),  # one-hot, zeros if none or not played by the viewer
        ("lead", float32, 2 * CATCH + 1),  # own progress - other progress, one-hot from -7 to 7, clipped
        ("space", float32, 2),  # where the meeples stand, seen from the own home, in units of 14
        ("discards_left", float32, (seats, DISCARDS)),  # [P] thermometer
        ("hand_size", float32, seats),  # [P] in units of 4
        ("deck_size", float32),  # in units of 38
        ("phase", float32, phases),  # one-hot: the first of PHASES; zeros when over
        ("decides", float32),  # 1 if the viewer is to move
        ("active", float32),  # 1 if it is the turn of the viewer's side
    ]
    if advanced or teams:
        common += [("kept", float32)]  # see STATE, in units of 4
    market: list[Any] = [
        ("supply", float32, MARKET_SIZE),  # 1 for each market card that lies face up
        ("ongoing", float32, (2, ONGOING)),  # 1 for each ongoing card of a side
        ("market_discard", float32, MARKET_SIZE - ONGOING),  # 1 for each instant card that is spent
        ("market_deck_size", float32),  # in units of 12
        ("pending", float32, 2),  # 1 for the side that takes a market card after the ability
        ("ability", float32, MARKET_SIZE - ONGOING),  # one-hot: the instant card that is being resolved
        ("taken", float32, KINDS),  # one-hot: the agent that Spycation took back
        ("seen_in_hand", float32, (seats, KINDS)),  # [P] AA-37: copies certainly in a hand, in units of 4
        ("seen_or_offered", float32, (seats, KINDS)),  # [P] the same with a face-down card still counted to its hand
    ]
    team: list[Any] = [
        ("present", float32, seats),  # [P] 1 for each seat of the variant
        ("decider", float32, seats),  # [P] one-hot: the mover; zeros when over
        ("captain", float32, seats),  # [P] 1 for the captain of each side
        ("leader", float32, seats),  # [P] one-hot: the seat that plays face up this turn, once named
    ]
    return np.dtype(common + market * advanced + team * teams, align=True)


ENTITIES = {
    "agents": (
        "hand", "stacks", "in_play", "discarded", "unseen", "face_up", "face_down", "taken", "seen_in_hand",
        "seen_or_offered",
    ),
}  # fmt: skip
"""Fields of VIEW with an axis for the kinds of agent card; a variant may lack some of them."""
VIEW = view_dtype(advanced=False, teams=False)
assert VIEW.itemsize == 4 * 160, "released policies read it"
SUPPLY_AND_DECK = MARKET_SIZE - SUPPLY  # unit of market_deck_size
assert len(AGENTS) == KINDS
