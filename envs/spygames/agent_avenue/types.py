"""OPTIONS, STATE and VIEW as a type checker sees them, VIEW with the fields of all variants.

Written by docs/_extensions/layout_types.py from `layout.py`, which is to be edited.
"""

import numpy as np
from numpy.typing import NDArray

from spygames.core.fields import Fields, FloatField, IntField


class Options(Fields):
    """OPTIONS: which variant is played."""

    first_player: IntField
    """the seat whose side begins, or NONE: drawn from the seed (AA-6)."""
    players: IntField
    """2, 3 or 4."""
    advanced: IntField
    """1: with the Black Market."""
    captain_fixed: IntField
    """1: the lower seat stays captain (AA-41)."""


class State(Fields):
    """STATE: what is true."""

    rng: np.uint64
    """HIDDEN: the game's random stream."""
    turn: IntField
    """1..LAST_TURN, goes up when the next side becomes active."""
    progress: NDArray[np.int16]
    """[SIDES] -FURTHEST..FURTHEST, spaces moved forward in all (AA-15)."""
    hands: NDArray[np.int8]
    """[SEATS, KINDS] HIDDEN: copies of each agent."""
    discarded: NDArray[np.int8]
    """[SEATS, KINDS] HIDDEN: copies, known to their owner only (AA-9)."""
    in_play: NDArray[np.int8]
    """[SIDES, KINDS] copies."""
    deck: NDArray[np.int8]
    """[CARDS] HIDDEN: agents, the top one at deck_size - 1; NONE above."""
    deck_size: IntField
    discards_left: NDArray[np.int8]
    """[SEATS]"""
    face_up: IntField
    """agent offered openly, or NONE."""
    face_down: IntField
    """HIDDEN: agent offered secretly, or NONE; known to the seat that played it."""
    kept: IntField
    """in phase recruit: cards that the hand behind face_down kept before it drew; else 0."""
    phase: IntField
    """index in PHASES."""
    to_move: IntField
    """seat, NONE when over."""
    active_side: IntField
    winner: IntField
    """side, or NONE."""
    end_reason: IntField
    """index in END_REASONS, or NONE."""
    captain: NDArray[np.int8]
    """[SIDES] the seat that decides for each side (AA-41)."""
    leader: IntField
    """teams: the seat that plays face up this turn, or NONE."""
    market: NDArray[np.int8]
    """[MARKET_SIZE] HIDDEN between deck places only: where each market card is, AT_...; NONE without."""
    market_deck: NDArray[np.int8]
    """[MARKET_SIZE] HIDDEN: its order, the top one at market_deck_size - 1; NONE above."""
    market_deck_size: IntField
    pending: IntField
    """the side that takes a market card once the other one is done (AA-24), or NONE."""
    ability: IntField
    """market card that is being resolved, or NONE."""
    resolver: IntField
    """the seat that makes its choices, or NONE."""
    taken: IntField
    """agent that Spycation has taken back, or NONE."""
    seen: NDArray[np.int8]
    """[SEATS, KINDS] copies seen entering or staying in a hand, face down included (AA-37)."""
    options: Options
    padding: NDArray[np.int8]
    """[5] 0; fills the record up to a multiple of 8 bytes."""


class View(Fields):
    """VIEW: what one seat may know; `view_dtype` says how it counts seats and sides."""

    hand: NDArray[np.float32]
    """[KINDS, HAND] own hand, thermometer."""
    stacks: NDArray[np.float32]
    """[2, KINDS, THREE] cards in play, thermometer up to the last icon."""
    in_play: NDArray[np.float32]
    """[2, KINDS] the same in full, in units of 6 copies."""
    discarded: NDArray[np.float32]
    """[KINDS] own discards, in units of 4."""
    unseen: NDArray[np.float32]
    """[KINDS] copies that may be anywhere hidden, in units of 6."""
    face_up: NDArray[np.float32]
    """[KINDS] one-hot, zeros if none."""
    face_down: NDArray[np.float32]
    """[KINDS] one-hot, zeros if none or not played by the viewer."""
    lead: NDArray[np.float32]
    """[2 * CATCH + 1] own progress - other progress, one-hot from -7 to 7, clipped."""
    space: NDArray[np.float32]
    """[2] where the meeples stand, seen from the own home, in units of 14."""
    discards_left: NDArray[np.float32]
    """[seats, DISCARDS] [P] thermometer."""
    hand_size: NDArray[np.float32]
    """[seats] [P] in units of 4."""
    deck_size: FloatField
    """in units of 38."""
    phase: NDArray[np.float32]
    """[phases] one-hot: the first of PHASES; zeros when over."""
    decides: FloatField
    """1 if the viewer is to move."""
    active: FloatField
    """1 if it is the turn of the viewer's side."""
    kept: FloatField
    """see STATE, in units of 4."""
    supply: NDArray[np.float32]
    """[MARKET_SIZE] 1 for each market card that lies face up."""
    ongoing: NDArray[np.float32]
    """[2, ONGOING] 1 for each ongoing card of a side."""
    market_discard: NDArray[np.float32]
    """[MARKET_SIZE - ONGOING] 1 for each instant card that is spent."""
    market_deck_size: FloatField
    """in units of 12."""
    pending: NDArray[np.float32]
    """[2] 1 for the side that takes a market card after the ability."""
    ability: NDArray[np.float32]
    """[MARKET_SIZE - ONGOING] one-hot: the instant card that is being resolved."""
    taken: NDArray[np.float32]
    """[KINDS] one-hot: the agent that Spycation took back."""
    seen_in_hand: NDArray[np.float32]
    """[seats, KINDS] [P] AA-37: copies certainly in a hand, in units of 4."""
    seen_or_offered: NDArray[np.float32]
    """[seats, KINDS] [P] the same with a face-down card still counted to its hand."""
    present: NDArray[np.float32]
    """[seats] [P] 1 for each seat of the variant."""
    decider: NDArray[np.float32]
    """[seats] [P] one-hot: the mover; zeros when over."""
    captain: NDArray[np.float32]
    """[seats] [P] 1 for the captain of each side."""
    leader: NDArray[np.float32]
    """[seats] [P] one-hot: the seat that plays face up this turn, once named."""
