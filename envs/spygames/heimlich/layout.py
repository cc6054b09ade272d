"""The tables of Heimlich & Co.: its options, OPTIONS, STATE (what is true) and VIEW (what a seat may know).

A field or an option has one row here; dtypes, types, ranges, copies and the README's tables follow from it.
"""

from dataclasses import dataclass
from typing import Annotated, Literal

import numpy as np

from spygames.core.game.layout import NONE as NONE
from spygames.core.game.layout import (
    Layout,
    Size,
    dtype,
    filler,
    flag,
    float32,
    int8,
    int16,
    int32,
    nested,
    options_copy,
    public_copy,
    range_check,
    uint64,
)
from spygames.core.game.options import GameOptions, seat_or_random
from spygames.heimlich.board import AGENTS, FACES, FINISH, LOOP, MAX_AGENTS, MAX_PLAYERS, ONE_TO_THREE, Edition
from spygames.heimlich.cards import ALL_CARDS, CARDS, HAND, KINDS

# NONE: no seat, no agent, no card, no reason; as an owner: a free agent
PHASES = ("move", "cards", "card_choice", "safe", "guess", "over")
MOVE, ROUND, CHOICE, SAFE, GUESS, OVER = range(6)
END_REASONS = ("finish",)
FINISHED = 0
UNASKED, FREE, FIRST_OWNER = range(3)
"""Values of `guesses`; FIRST_OWNER + seat stands for that seat."""

LOWEST, LARGEST = -1_000, 30_000
"""The range of the counts in the public record; they are clipped to it."""
LAST_TURN = 2**31 - 1
"""The count of turns stops here."""
HIGHEST_SCORE = 200
"""What no token can exceed at the end, after bonuses."""
POINTS, TIMES, GAINS = range(3)  # the last axis of the view's `record`
POINTS_UNIT, TIMES_UNIT, GAINS_UNIT = 20, 10, 20
"""The counts for which the view's `record` has 1."""

AGENT, SEAT = Size("agents", MAX_AGENTS, AGENTS), Size("players", MAX_PLAYERS)
CARDS_ON, PREDICTIONS_ON = "top_secret", "secret_identities"


@dataclass(frozen=True)
class Settings(GameOptions):
    """The options of `make_game`."""

    players: Annotated[int, "2 to 7", range(2, MAX_PLAYERS + 1)] = 4
    top_secret: Annotated[bool, "whether to play with the 26 cards"] = False
    secret_identities: Annotated[bool, "whether to play with predictions of who is who"] = False
    edition: Annotated[Edition, '"amigo", or "ravensburger": of 1984 (HC-36)'] = "amigo"
    first_player: Annotated[
        int | Literal["random"], 'the seat that starts, or "random": drawn from the seed (HC-6)', seat_or_random
    ] = 0
    card_round_opens: Annotated[
        Literal["left", "active"], 'who is asked for cards first, "left" or "active" (HC-25)'
    ] = "left"
    new_identity: Annotated[Literal["swap", "none"], '"swap", or "none": without that card (HC-31)'] = "swap"
    tie_with_free: Annotated[
        Literal["player", "nobody"], 'who wins level with a free agent, "player" or "nobody" (HC-19)'
    ] = "player"
    reward: Annotated[Literal["win", "score"], '"win" or "score" (HC-37)'] = "win"
    nobody_wins: Annotated[Literal[0, -1], "the reward of each player when nobody wins, 0 or -1"] = 0

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.top_secret and self.edition == "ravensburger":
            raise ValueError("top_secret=True needs edition='amigo': the edition of 1984 ('ravensburger') has no cards")


class Options(Layout):
    """OPTIONS: the variant, as kernels read it."""

    players = int8(2, MAX_PLAYERS, "P")
    agents = int8(4, MAX_AGENTS, "A, those in play (HC-3)")
    top_secret = flag("with cards")
    secret_identities = flag("with predictions")
    plain_die = flag("the edition of 1984 (HC-36)")
    first_player = int8(NONE, SEAT, "the seat that starts; NONE: drawn from the seed (HC-6)")
    active_opens = flag("the active player opens card rounds (HC-25)")
    new_identity = flag("with that card (HC-31)")
    tie_to_player = flag("owned tokens win level with free ones (HC-19)")
    by_score = flag('reward="score" (HC-37)')
    nobody_wins = int8(-1, 0, "reward of each if nobody wins")
    first_guess = int8(0, 127, "the first action that is a prediction")


class State(Layout):
    """STATE: what is true. Widest field first; agents and seats by their absolute numbers."""

    rng = uint64("the random stream of the game")
    turn = int32(0, LAST_TURN, "turns so far")
    points = int16(LOWEST, LARGEST, "[agent, seat]: points that it moved the agent", (AGENT, SEAT))
    times = int16(0, LARGEST, "[agent, seat]: how often it moved the agent", (AGENT, SEAT))
    gains = int16(LOWEST, LARGEST, "[agent, seat]: score of the agent through it", (AGENT, SEAT))
    scorings = int16(0, LARGEST, "by seat: scorings that it caused", SEAT)
    scores = int16(0, HIGHEST_SCORE, "of the tokens, by agent; below the finish until the end", AGENT)
    positions = int8(0, LOOP - 1, "building, by agent", AGENT)
    moved = int8(0, FACES, "points by the die in this turn, by agent", AGENT)
    arrived_by = int8(NONE, SEAT, "by agent: who moved it to the safe; NONE: no reason to score", AGENT)
    owner = int8(NONE, SEAT, "by agent; NONE: free, or not in play", AGENT, hidden=True)
    passports = int8(NONE, AGENT, "agent by seat, known to the seat; NONE: no such seat", SEAT, hidden=True)
    hands = int8(0, HAND, "[seat, kind]: copies, known to the seat", (SEAT, KINDS), hidden=True, when=CARDS_ON)
    hand_sizes = int8(0, HAND, "by seat", SEAT, when=CARDS_ON)
    cards_played = int8(0, ALL_CARDS, "by seat, used_size in all at most", SEAT)
    deck = int8(0, CARDS, "kinds, the top one last", ALL_CARDS, filled="deck_size", hidden=True)
    used = int8(0, CARDS, "kinds, oldest first", ALL_CARDS, filled="used_size")
    guesses = int8(
        UNASKED, FREE + MAX_PLAYERS, "[seat, agent]: see FREE; open at the end", (SEAT, AGENT), hidden=True,
        when=PREDICTIONS_ON,
    )  # fmt: skip
    deck_size = int8(0, ALL_CARDS, "cards", when=CARDS_ON)
    used_size = int8(0, ALL_CARDS, "cards", when=CARDS_ON)
    safe = int8(0, LOOP - 1, "building")
    die = int8(ONE_TO_THREE, FACES, "1 to 6, or ONE_TO_THREE")
    points_left = int8(0, FACES, "of the die, to be spent")
    next_agent = int8(0, MAX_AGENTS, "the lowest id that the die may still move: one beyond the last moved one")
    phase = int8(0, PHASES, "what is decided")
    to_move = int8(NONE, SEAT, "NONE when over")
    active = int8(0, SEAT, "whose turn it is")
    passes = int8(0, SEAT, "in a row, 0 outside of card rounds", when=CARDS_ON)
    pending = int8(NONE, CARDS, "kind of the card that asks, or NONE")
    named = int8(NONE, AGENT, "agents that were named for it, or NONE", 2)
    card_turn = int8(
        NONE, SEAT, "whose card made everybody predict, while they do; else NONE", when=(CARDS_ON, PREDICTIONS_ON)
    )
    guessed = flag("everybody has predicted", when=PREDICTIONS_ON)
    swapped = int8(NONE, SEAT, "who played `new_identity`, or NONE")
    former = int8(NONE, AGENT, "the agent that it put back, or NONE; known to that seat", hidden=True)
    swapped_late = flag("it had predicted before")
    winners = int8(0, 127, "set of seats, bit by bit")
    end_reason = int8(NONE, END_REASONS, "NONE until the end")
    options = nested(Options, "the variant")
    padding = filler(3)


class View(Layout):
    """VIEW, what one seat may know: agents from the own one on, seats from the own one leftward.

    The board comes last: Numba would take a view that only has more fields at its end for the smaller one, and warn.
    """

    card_phase = float32("one-hot: cards, card_choice", 2, when=CARDS_ON)
    hand = float32("own copies / 2", KINDS, high=HAND / 2, when=CARDS_ON)
    hand_sizes = float32("/ 4", SEAT, when=CARDS_ON)
    deck_size = float32("/ 26", when=CARDS_ON)
    used = float32("copies / 2", KINDS, when=CARDS_ON)
    cards_played = float32("/ 4", SEAT, high=ALL_CARDS / HAND, when=CARDS_ON)
    card_mover = float32("whose decision it is, one-hot", SEAT, when=CARDS_ON)
    passes = float32("in a row, / players", when=CARDS_ON)
    pending = float32("the card that asks, one-hot", KINDS, when=CARDS_ON)
    named = float32("1: named for it", AGENT, when=CARDS_ON)
    arrived = float32("1: would cause a scoring now", AGENT, when=CARDS_ON)
    swapped = float32("who has changed its identity, one-hot", SEAT, when=CARDS_ON)
    former = float32("the viewer's former agent, one-hot", AGENT, when=CARDS_ON)

    guess_phase = float32("1: predictions are asked", when=PREDICTIONS_ON)
    guess_mover = float32("from whom, one-hot", SEAT, when=PREDICTIONS_ON)
    guessed = float32("1: everybody has predicted", when=PREDICTIONS_ON)
    card_turn = float32("the seat whose card caused them, while they are asked, one-hot", SEAT, when=PREDICTIONS_ON)
    swapped_late = float32("1: an identity was changed after the predictions", when=PREDICTIONS_ON)
    guesses_made = float32("answers / (agents - 1)", SEAT, when=PREDICTIONS_ON)
    asked = float32("the agent that the viewer is asked about, one-hot", AGENT, when=PREDICTIONS_ON)
    guesses = float32(
        "own, at the end all: -1: free, (1 + the owner's relative seat) / 7, 0: none", (SEAT, AGENT), low=-1,
        when=PREDICTIONS_ON,
    )  # fmt: skip

    own = float32("the id of the own agent, one-hot: the die moves agents in the order of their ids", AGENT)
    position = float32("building, one-hot", (AGENT, LOOP))
    to_safe = float32("1 to 6 points bring the agent to the safe, one-hot", (AGENT, FACES))
    score = float32("of the token, / 42", AGENT, high=HIGHEST_SCORE / FINISH)
    moved = float32("points by the die in this turn, / 6", AGENT)
    safe = float32("building, one-hot", LOOP)
    points_left = float32("one-hot, zeros: the movement is over", FACES)
    one_to_three = float32('1: the die shows "1-3"')
    phase = float32("one-hot: move, safe", 2)
    decides = float32("1 if the viewer is to move")
    active = float32("whose turn it is, one-hot", SEAT)
    record = float32(
        "points moved / 20, times moved / 10, score through that seat / 20", (AGENT, SEAT, 3),
        low=LOWEST / min(POINTS_UNIT, GAINS_UNIT), high=LARGEST / TIMES_UNIT,
    )  # fmt: skip
    scorings = float32("that the seat caused, / 10", SEAT, high=LARGEST / TIMES_UNIT)
    revealed = float32("0 until the end, then the seat's agent (relative) / 7", SEAT)


OPTIONS, STATE = dtype(Options), dtype(State)
in_range = range_check(State)
copy_options, copy_public = options_copy(State), public_copy(State)
ENTITIES = {
    "agents": ("score", "position", "to_safe", "moved", "own", "record", "named", "arrived", "former", "asked"),
    "cards": ("hand", "used", "pending"),
}
"""Fields of VIEW with an axis for agents or kinds of card; a variant has some of them."""


def view_dtype(players: int, agents: int, top_secret: bool, secret_identities: bool) -> np.dtype:
    """The layout of VIEW in a variant, by the fields of OPTIONS."""
    return dtype(View, players=players, agents=agents, top_secret=top_secret, secret_identities=secret_identities)
