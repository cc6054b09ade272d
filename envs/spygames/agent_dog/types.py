"""OPTIONS, STATE and VIEW as a type checker sees them, VIEW with the fields of all variants.

Written by docs/_extensions/layout_types.py from `layout.py`, which is to be edited.
"""

import numpy as np
from numpy.typing import NDArray

from spygames.core.fields import Fields, FloatField, IntField


class Options(Fields):
    """OPTIONS: which variant is played."""

    max_turns: IntField
    """cards after which the game is cut off (AD-37)."""
    track: IntField
    """spaces of the loop."""
    quarter: IntField
    """spaces of a quadrant."""
    meeting: IntField
    """offset of the meeting point in a quadrant."""
    holes: IntField
    """holes in a quadrant."""
    hole: NDArray[np.int8]
    """[MAX_TRACK // 4] by offset: the number of the hole there, or NONE."""
    copies: NDArray[np.int8]
    """[KINDS] cards in the deck."""
    players: IntField
    first_player: IntField
    """the first dealer, or NONE: drawn from the seed (AD-7)."""
    tracked: IntField
    """1: hidden colours are known to all (AD-24)."""
    padding: NDArray[np.int8]
    """[2] 0; fills the record up to a multiple of 4 bytes."""


class State(Fields):
    """STATE: what is true."""

    rng: np.uint64
    """HIDDEN: the random stream of the game."""
    turn: IntField
    """0..LARGEST: turns ended, unused discards counted (AD-35)."""
    cards_played: IntField
    """0..max_turns, below max_turns until the end."""
    round_number: IntField
    """0..LARGEST."""
    moved: IntField
    """place of the pawn that the last step of a companion moved, or NONE."""
    first: IntField
    """first place of a swap, or NONE."""
    options: Options
    board: NDArray[np.int8]
    """[PLACES] EMPTY, a colour, or a colour + HAT; HIDDEN: the colours under hats, unless tracked."""
    area: NDArray[np.int8]
    """[4] pawns in the start area of each colour."""
    hands: NDArray[np.int8]
    """[SEATS, KINDS] HIDDEN: copies of each card."""
    lost: NDArray[np.int8]
    """[SEATS, KINDS] cards that left each hand since the exchange, up to MOST_LOST of a kind."""
    passed: NDArray[np.int8]
    """[SEATS] HIDDEN but to giver and, once all have passed, taker: the card passed, or NONE."""
    out: NDArray[np.int8]
    """[SEATS] 1: laid down or penalised in this round (AD-10, AD-23)."""
    deck: NDArray[np.int8]
    """[MAX_CARDS] HIDDEN: cards, the top one at deck_size - 1; NONE above."""
    deck_size: IntField
    discard: NDArray[np.int8]
    """[MAX_CARDS] cards, the top one at discard_size - 1; NONE above."""
    discard_size: IntField
    discarded: NDArray[np.int8]
    """[KINDS] the same as counts."""
    last_card: IntField
    """what a copy would copy, or NONE (AD-27)."""
    card: IntField
    """being played, or NONE."""
    function: IntField
    """what it is played as, index in FUNCTIONS, or NONE."""
    points: IntField
    """of a companion, to be spent."""
    meetings: IntField
    """bits of quadrants: on their meeting point stands a pawn that this card moved."""
    penalty: IntField
    """1: this card has captured a pawn of the own team (AD-23)."""
    redrawn: IntField
    """1: a card was exchanged in this turn (AD-35)."""
    phase: IntField
    """index in PHASES."""
    to_move: IntField
    """seat, NONE when over."""
    dealer: IntField
    winners: IntField
    """bits of seats."""
    end_reason: IntField
    """index in END_REASONS, or NONE."""


class View(Fields):
    """VIEW: what one seat may know; `view_dtype` says how it counts seats and sides."""

    track: NDArray[np.float32]
    """[track, 4] 1 where a visible pawn of that colour stands; tracked: hidden ones, too."""
    hats: NDArray[np.float32]
    """[track] 1 where a hidden pawn stands; -1 if a swap has named it first."""
    goals: NDArray[np.float32]
    """[4, PAWNS] 1 where a pawn is home; -1 for a hidden pawn in the goal."""
    areas: NDArray[np.float32]
    """[4] pawns in the start area, / 4."""
    holds: NDArray[np.float32]
    """[KINDS] 1 for each card in the own hand."""
    hand: NDArray[np.float32]
    """[KINDS] copies in the own hand, / 5."""
    hand_size: NDArray[np.float32]
    """[SEATS] / 5."""
    out: NDArray[np.float32]
    """[SEATS] 1: out of the round."""
    unseen: NDArray[np.float32]
    """[KINDS] copies that may be anywhere hidden, / 10."""
    discarded: NDArray[np.float32]
    """[KINDS] copies on the discard pile, / 10."""
    lost: NDArray[np.float32]
    """[SEATS - 1, KINDS] cards that left the other hands since the exchange, / 5."""
    passed: NDArray[np.float32]
    """[KINDS] the card that the viewer passed in this round, one-hot."""
    received: NDArray[np.float32]
    """[KINDS] the card that it got for it, one-hot."""
    copies: NDArray[np.float32]
    """[KINDS] the card that a copy would copy, one-hot."""
    card: NDArray[np.float32]
    """[KINDS] the card being played, one-hot."""
    function: NDArray[np.float32]
    """[len(FUNCTIONS)] what it is played as, one-hot."""
    points: NDArray[np.float32]
    """[4] companion points left, thermometer."""
    on_start: NDArray[np.float32]
    """[4] 1: the pawn that the last step moved stands on the start space of that colour."""
    meetings: NDArray[np.float32]
    """[4] 1: this card has moved a pawn to the meeting point of that quadrant."""
    penalty: FloatField
    """1: this card has captured a pawn of the mover's team."""
    redrawn: FloatField
    """1: the mover has exchanged a card in this turn."""
    phase: NDArray[np.float32]
    """[len(PHASES) - 1] one-hot; zeros when over."""
    decides: NDArray[np.float32]
    """[SEATS] one-hot: whose decision it is; zeros when over."""
    dealer: NDArray[np.float32]
    """[SEATS] one-hot."""
    deck_size: FloatField
    """/ cards in the game."""
    played: FloatField
    """cards played / max_turns."""
    teams: FloatField
    """1 with four players: colour 2 is the partner's."""
    holes: NDArray[np.float32]
    """[track // 4] by offset in a quadrant: 1 for a hole."""
    meeting: NDArray[np.float32]
    """[track // 4] by offset in a quadrant: 1 for the meeting point."""
