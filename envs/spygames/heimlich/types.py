"""OPTIONS, STATE and VIEW as a type checker sees them, VIEW with the fields of all variants.

Written by docs/_extensions/layout_types.py from `layout.py`, which is to be edited.
"""

import numpy as np
from numpy.typing import NDArray

from spygames.core.fields import Fields, FloatField, IntField


class Options(Fields):
    """OPTIONS: which variant is played."""

    players: IntField
    agents: IntField
    top_secret: IntField
    """1: with cards."""
    secret_identities: IntField
    """1: with predictions."""
    plain_die: IntField
    """1: the edition of 1984 (HC-36)."""
    first_player: IntField
    """the seat that starts, or NONE: drawn from the seed (HC-6)."""
    active_opens: IntField
    """1: the active player opens card rounds (HC-25)."""
    new_identity: IntField
    """copies of that card: 1 or 0 (HC-31)."""
    tie_to_player: IntField
    """1: owned tokens win level with free ones (HC-19)."""
    by_score: IntField
    """1: reward="score" (HC-37)."""
    nobody_wins: IntField
    """reward of each if nobody wins: 0 or -1."""
    first_guess: IntField
    """the first action that is a prediction."""


class State(Fields):
    """STATE: what is true."""

    rng: np.uint64
    """HIDDEN: the random stream of the game."""
    turn: IntField
    """0..LAST_TURN."""
    points: NDArray[np.int16]
    """[MAX_AGENTS, MAX_PLAYERS] [agent, seat]: points that it moved the agent, LOWEST..LARGEST."""
    times: NDArray[np.int16]
    """[MAX_AGENTS, MAX_PLAYERS] [agent, seat]: how often it moved the agent, 0..LARGEST."""
    gains: NDArray[np.int16]
    """[MAX_AGENTS, MAX_PLAYERS] [agent, seat]: score of the agent through it, LOWEST..LARGEST."""
    scorings: NDArray[np.int16]
    """[MAX_PLAYERS] by seat: scorings that it caused, 0..LARGEST."""
    scores: NDArray[np.int16]
    """[MAX_AGENTS] of the tokens, by agent."""
    positions: NDArray[np.int8]
    """[MAX_AGENTS] building, by agent."""
    moved: NDArray[np.int8]
    """[MAX_AGENTS] points by the die in this turn, by agent."""
    arrived_by: NDArray[np.int8]
    """[MAX_AGENTS] the seat that moved it to the safe, NONE if that is no reason to score."""
    owner: NDArray[np.int8]
    """[MAX_AGENTS] HIDDEN: seat by agent, NONE: free, or not in play."""
    passports: NDArray[np.int8]
    """[MAX_PLAYERS] HIDDEN: agent by seat, known to the seat; NONE: no such seat."""
    hands: NDArray[np.int8]
    """[MAX_PLAYERS, KINDS] HIDDEN: copies, known to the seat."""
    hand_sizes: NDArray[np.int8]
    """[MAX_PLAYERS]"""
    cards_played: NDArray[np.int8]
    """[MAX_PLAYERS] by seat, used_size in all at most."""
    deck: NDArray[np.int8]
    """[ALL_CARDS] HIDDEN: kinds, the top one at deck_size - 1; NONE above."""
    used: NDArray[np.int8]
    """[ALL_CARDS] kinds, oldest first, then NONE."""
    guesses: NDArray[np.int8]
    """[MAX_PLAYERS, MAX_AGENTS] HIDDEN until the end: [seat, agent], see FREE."""
    deck_size: IntField
    used_size: IntField
    safe: IntField
    """building."""
    die: IntField
    """1..6, ONE_TO_THREE."""
    points_left: IntField
    next_agent: IntField
    """the lowest id that the die may still move: one beyond the last moved one."""
    phase: IntField
    """index in PHASES."""
    to_move: IntField
    """seat, NONE when over."""
    active: IntField
    """seat whose turn it is."""
    passes: IntField
    """in a row, 0 outside of card rounds."""
    pending: IntField
    """kind of the card that asks, or NONE."""
    named: NDArray[np.int8]
    """[2] agents that were named for it, or NONE."""
    card_turn: IntField
    """the seat whose card made everybody predict, while they do; else NONE."""
    guessed: IntField
    """1 once everybody has predicted."""
    swapped: IntField
    """the seat that played `new_identity`, or NONE."""
    former: IntField
    """HIDDEN: the agent that it put back, or NONE; known to that seat."""
    swapped_late: IntField
    """1: it had predicted before."""
    winners: IntField
    """set of seats, bit by bit."""
    end_reason: IntField
    """index in END_REASONS, or NONE."""
    options: Options
    padding: NDArray[np.int8]
    """[3] 0; fills the record up to a multiple of 8 bytes."""


class View(Fields):
    """VIEW: what one seat may know; `view_dtype` says how it counts seats and sides."""

    own: NDArray[np.float32]
    """[a] the id of the own agent, one-hot: the die moves agents in the order of their ids."""
    position: NDArray[np.float32]
    """[a, LOOP] building, one-hot."""
    to_safe: NDArray[np.float32]
    """[a, FACES] 1 to 6 points bring the agent to the safe, one-hot."""
    score: NDArray[np.float32]
    """[a] of the token, / 42."""
    moved: NDArray[np.float32]
    """[a] points by the die in this turn, / 6."""
    safe: NDArray[np.float32]
    """[LOOP] building, one-hot."""
    points_left: NDArray[np.float32]
    """[FACES] one-hot, zeros: the movement is over."""
    one_to_three: FloatField
    """1: the die shows "1-3"."""
    phase: NDArray[np.float32]
    """[2] one-hot: move, safe."""
    decides: FloatField
    """1 if the viewer is to move."""
    active: NDArray[np.float32]
    """[p] whose turn it is, one-hot."""
    record: NDArray[np.float32]
    """[a, p, 3] points moved / 20, times moved / 10, score through that seat / 20."""
    scorings: NDArray[np.float32]
    """[p] that the seat caused, / 10."""
    revealed: NDArray[np.float32]
    """[p] 0 until the end, then the seat's agent (relative) / 7."""
    card_phase: NDArray[np.float32]
    """[2] one-hot: cards, card_choice."""
    hand: NDArray[np.float32]
    """[KINDS] own copies / 2."""
    hand_sizes: NDArray[np.float32]
    """[p] / 4."""
    deck_size: FloatField
    """/ 26."""
    used: NDArray[np.float32]
    """[KINDS] copies / 2."""
    cards_played: NDArray[np.float32]
    """[p] / 4."""
    card_mover: NDArray[np.float32]
    """[p] whose decision it is, one-hot."""
    passes: FloatField
    """in a row, / players."""
    pending: NDArray[np.float32]
    """[KINDS] the card that asks, one-hot."""
    named: NDArray[np.float32]
    """[a] 1: named for it."""
    arrived: NDArray[np.float32]
    """[a] 1: would cause a scoring now."""
    swapped: NDArray[np.float32]
    """[p] who has changed its identity, one-hot."""
    former: NDArray[np.float32]
    """[a] the viewer's former agent, one-hot."""
    guess_phase: FloatField
    """1: predictions are asked."""
    guess_mover: NDArray[np.float32]
    """[p] from whom, one-hot."""
    guessed: FloatField
    """1: everybody has predicted."""
    card_turn: NDArray[np.float32]
    """[p] the seat whose card caused them, while they are asked, one-hot."""
    swapped_late: FloatField
    """1: an identity was changed after the predictions."""
    guesses_made: NDArray[np.float32]
    """[p] answers / (agents - 1)."""
    asked: NDArray[np.float32]
    """[a] the agent that the viewer is asked about, one-hot."""
    guesses: NDArray[np.float32]
    """[p, a] own, at the end all: -1: free, (1 + the owner's relative seat) / 7, 0: none."""
