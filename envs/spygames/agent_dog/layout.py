"""OPTIONS, STATE and VIEW of Agent DOG and the constants of their fields. AD-n: the rule in README.md.

What stands on a place (board.py) is a colour, plus HAT for a hidden pawn.
"""

import numpy as np
from numpy import float32, int8, int16, int32, uint64

from spygames.agent_dog.board import MAX_TRACK, PAWNS, PLACES
from spygames.agent_dog.cards import DEAL, FUNCTIONS, KINDS, MAX_CARDS

SEATS = 4  # at most
HAT = 4  # added to the colour of a hidden pawn
NONE = EMPTY = -1
LARGEST = 10**9
"""The counts of turns and rounds stop here, far beyond any game."""
MOST_LOST = 2 * DEAL
"""The count of one kind that left a hand stops here: no hand loses more cards in a round (AD-6, AD-35)."""

PHASES = ("exchange", "card", "place", "step", "swap", "meeting", "redraw", "over")
EXCHANGE, CARD, PLACE, STEP, SWAPPING, MEETING, REDRAW, OVER = range(8)
END_REASONS = ("home", "truncated")
HOME, TRUNCATED = range(2)

OPTIONS = np.dtype([
    ("max_turns", int32),  # cards after which the game is cut off (AD-37)
    ("track", int16),  # spaces of the loop
    ("quarter", int8),  # spaces of a quadrant
    ("meeting", int8),  # offset of the meeting point in a quadrant
    ("holes", int8),  # holes in a quadrant
    ("hole", int8, MAX_TRACK // 4),  # by offset: the number of the hole there, or NONE
    ("copies", int8, KINDS),  # cards in the deck
    ("players", int8),
    ("first_player", int8),  # the first dealer, or NONE: drawn from the seed (AD-7)
    ("tracked", int8),  # 1: hidden colours are known to all (AD-24)
    ("padding", int8, 2),  # 0; fills the record up to a multiple of 4 bytes
], align=True)  # fmt: skip
STATE = np.dtype([  # what is true; widest field first
    ("rng", uint64),  # HIDDEN: the random stream of the game
    ("turn", int32),  # 0..LARGEST: turns ended, unused discards counted (AD-35)
    ("cards_played", int32),  # 0..max_turns, below max_turns until the end
    ("round_number", int32),  # 0..LARGEST
    ("moved", int16),  # place of the pawn that the last step of a companion moved, or NONE
    ("first", int16),  # first place of a swap, or NONE
    ("options", OPTIONS),
    ("board", int8, PLACES),  # EMPTY, a colour, or a colour + HAT; HIDDEN: the colours under hats, unless tracked
    ("area", int8, 4),  # pawns in the start area of each colour
    ("hands", int8, (SEATS, KINDS)),  # HIDDEN: copies of each card
    ("lost", int8, (SEATS, KINDS)),  # cards that left each hand since the exchange, up to MOST_LOST of a kind
    ("passed", int8, SEATS),  # HIDDEN but to giver and, once all have passed, taker: the card passed, or NONE
    ("out", int8, SEATS),  # 1: laid down or penalised in this round (AD-10, AD-23)
    ("deck", int8, MAX_CARDS),  # HIDDEN: cards, the top one at deck_size - 1; NONE above
    ("deck_size", int8),
    ("discard", int8, MAX_CARDS),  # cards, the top one at discard_size - 1; NONE above
    ("discard_size", int8),
    ("discarded", int8, KINDS),  # the same as counts
    ("last_card", int8),  # what a copy would copy, or NONE (AD-27)
    ("card", int8),  # being played, or NONE
    ("function", int8),  # what it is played as, index in FUNCTIONS, or NONE
    ("points", int8),  # of a companion, to be spent
    ("meetings", int8),  # bits of quadrants: on their meeting point stands a pawn that this card moved
    ("penalty", int8),  # 1: this card has captured a pawn of the own team (AD-23)
    ("redrawn", int8),  # 1: a card was exchanged in this turn (AD-35)
    ("phase", int8),  # index in PHASES
    ("to_move", int8),  # seat, NONE when over
    ("dealer", int8),
    ("winners", int8),  # bits of seats
    ("end_reason", int8),  # index in END_REASONS, or NONE
], align=True)  # fmt: skip


def view_dtype(track: int) -> np.dtype:
    """VIEW, what one seat may know, on a loop of `track` spaces.

    All of it is seen from the viewer: spaces count from its start space, colours, quadrants and seats clockwise
    from its own.
    """
    return np.dtype([
        ("track", float32, (track, 4)),  # 1 where a visible pawn of that colour stands; tracked: hidden ones, too
        ("hats", float32, track),  # 1 where a hidden pawn stands; -1 if a swap has named it first
        ("goals", float32, (4, PAWNS)),  # 1 where a pawn is home; -1 for a hidden pawn in the goal
        ("areas", float32, 4),  # pawns in the start area, / 4
        ("holds", float32, KINDS),  # 1 for each card in the own hand
        ("hand", float32, KINDS),  # copies in the own hand, / 5
        ("hand_size", float32, SEATS),  # / 5
        ("out", float32, SEATS),  # 1: out of the round
        ("unseen", float32, KINDS),  # copies that may be anywhere hidden, / 10
        ("discarded", float32, KINDS),  # copies on the discard pile, / 10
        ("lost", float32, (SEATS - 1, KINDS)),  # cards that left the other hands since the exchange, / 5
        ("passed", float32, KINDS),  # the card that the viewer passed in this round, one-hot
        ("received", float32, KINDS),  # the card that it got for it, one-hot
        ("copies", float32, KINDS),  # the card that a copy would copy, one-hot
        ("card", float32, KINDS),  # the card being played, one-hot
        ("function", float32, len(FUNCTIONS)),  # what it is played as, one-hot
        ("points", float32, 4),  # companion points left, thermometer
        ("on_start", float32, 4),  # 1: the pawn that the last step moved stands on the start space of that colour
        ("meetings", float32, 4),  # 1: this card has moved a pawn to the meeting point of that quadrant
        ("penalty", float32),  # 1: this card has captured a pawn of the mover's team
        ("redrawn", float32),  # 1: the mover has exchanged a card in this turn
        ("phase", float32, len(PHASES) - 1),  # one-hot; zeros when over
        ("decides", float32, SEATS),  # one-hot: whose decision it is; zeros when over
        ("dealer", float32, SEATS),  # one-hot
        ("deck_size", float32),  # / cards in the game
        ("played", float32),  # cards played / max_turns
        ("teams", float32),  # 1 with four players: colour 2 is the partner's
        ("holes", float32, track // 4),  # by offset in a quadrant: 1 for a hole
        ("meeting", float32, track // 4),  # by offset in a quadrant: 1 for the meeting point
    ], align=True)  # fmt: skip


ENTITIES = {
    "colours": ("areas", "goals", "track", "on_start", "meetings"),
    "cards": ("holds", "hand", "unseen", "discarded", "lost", "passed", "received", "copies", "card"),
}
"""Fields of VIEW with an axis for the colours (and their quadrants) or for the kinds of card."""
