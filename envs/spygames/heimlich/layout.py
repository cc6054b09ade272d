"""Layouts of Heimlich & Co.: the options of `make_game`, and the records OPTIONS, STATE and VIEW.

STATE holds the whole position, VIEW what one seat may know of it. Each option and field has one row here, from which
dtypes, types, range checks, copies and the tables of the README follow.
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

# NONE means no seat, no agent, no card or no reason; as an owner it means a free agent.
PHASES = ("move", "cards", "card_choice", "safe", "guess", "over")
MOVE, ROUND, CHOICE, SAFE, GUESS, OVER = range(6)
END_REASONS = ("finish",)
FINISHED = 0
UNASKED, FREE, FIRST_OWNER = range(3)
"""Values of `guesses`. FIRST_OWNER + seat means that the agent belongs to that seat."""

LOWEST, LARGEST = -1_000, 30_000
"""Range of the counts in the public record, which are clipped to it."""
LAST_TURN = 2**31 - 1
"""Maximum of the turn counter."""
HIGHEST_SCORE = 200
"""Upper bound of a score at the end, bonuses included."""
POINTS, TIMES, GAINS = range(3)  # indices of the last axis of the view's `record`
POINTS_UNIT, TIMES_UNIT, GAINS_UNIT = 20, 10, 20
"""Counts that the view's `record` shows as 1."""

AGENT, SEAT = Size("agents", MAX_AGENTS, AGENTS), Size("players", MAX_PLAYERS)
CARDS_ON, PREDICTIONS_ON = "top_secret", "secret_identities"


@dataclass(frozen=True)
class Settings(GameOptions):
    """The options of `make_game`."""

    players: Annotated[int, "2 to 7", range(2, MAX_PLAYERS + 1)] = 4
    top_secret: Annotated[bool, "whether to play with the 26 cards"] = False
    secret_identities: Annotated[bool, "whether players predict who owns which agent"] = False
    edition: Annotated[Edition, '"amigo", or "ravensburger": the edition of 1984 (HC-36)'] = "amigo"
    first_player: Annotated[
        int | Literal["random"], 'the starting seat, or "random": drawn from the seed (HC-6)', seat_or_random
    ] = 0
    card_round_opens: Annotated[
        Literal["left", "active"],
        'the seat asked for cards first: "left" of the active player, or "active" (HC-25)',
    ] = "left"
    new_identity: Annotated[
        Literal["swap", "none"], '"swap", or "none" to leave the card `new_identity` out (HC-31)'
    ] = "swap"
    tie_with_free: Annotated[
        Literal["player", "nobody"], 'who wins a tie with a free agent, "player" or "nobody" (HC-19)'
    ] = "player"
    reward: Annotated[Literal["win", "score"], '"win" or "score" (HC-37)'] = "win"
    nobody_wins: Annotated[Literal[0, -1], "the reward of each player when nobody wins, 0 or -1"] = 0

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.top_secret and self.edition == "ravensburger":
            raise ValueError("top_secret=True needs edition='amigo': the edition 'ravensburger' has no cards")


class Options(Layout):
    """OPTIONS: the options of a variant in the form that kernels read."""

    players = int8(2, MAX_PLAYERS, "P")
    agents = int8(4, MAX_AGENTS, "A, agents in play (HC-3)")
    top_secret = flag("with cards")
    secret_identities = flag("with predictions")
    plain_die = flag("the edition of 1984 (HC-36)")
    first_player = int8(NONE, SEAT, "the seat that starts; NONE: drawn from the seed (HC-6)")
    active_opens = flag("the active player is asked for cards first (HC-25)")
    new_identity = flag("with the card `new_identity` (HC-31)")
    tie_to_player = flag("an owned token wins a tie with a free one (HC-19)")
    by_score = flag('reward="score" (HC-37)')
    nobody_wins = int8(-1, 0, "reward of each player if nobody wins")
    first_guess = int8(0, 127, "number of the first prediction action")


class State(Layout):
    """STATE: the whole position. Agents and seats have their absolute numbers; the widest fields come first."""

    rng = uint64("the random stream of the game")
    turn = int32(0, LAST_TURN, "turns so far")
    points = int16(LOWEST, LARGEST, "[agent, seat]: points by which the seat moved the agent", (AGENT, SEAT))
    times = int16(0, LARGEST, "[agent, seat]: how often the seat moved the agent", (AGENT, SEAT))
    gains = int16(LOWEST, LARGEST, "[agent, seat]: points that the agent scored through the seat", (AGENT, SEAT))
    scorings = int16(0, LARGEST, "[seat]: scorings that the seat caused", SEAT)
    scores = int16(0, HIGHEST_SCORE, "[agent]: score of its token; below the finish until the end", AGENT)
    positions = int8(0, LOOP - 1, "[agent]: building", AGENT)
    moved = int8(0, FACES, "[agent]: points of the die spent on it in this turn", AGENT)
    arrived_by = int8(NONE, SEAT, "[agent]: seat that moved it to the safe; NONE: it causes no scoring", AGENT)
    owner = int8(NONE, SEAT, "[agent]: seat; NONE: free, or not in play", AGENT, hidden=True)
    passports = int8(NONE, AGENT, "[seat]: agent, known to the seat; NONE: no such seat", SEAT, hidden=True)
    hands = int8(0, HAND, "[seat, kind]: copies, known to the seat", (SEAT, KINDS), hidden=True, when=CARDS_ON)
    hand_sizes = int8(0, HAND, "[seat]: cards in the hand", SEAT, when=CARDS_ON)
    cards_played = int8(0, ALL_CARDS, "[seat]: cards played; their sum is at most used_size", SEAT)
    deck = int8(0, CARDS, "kinds, the top card last", ALL_CARDS, filled="deck_size", hidden=True)
    used = int8(0, CARDS, "kinds, oldest first", ALL_CARDS, filled="used_size")
    guesses = int8(
        UNASKED, FREE + MAX_PLAYERS, "[seat, agent]: UNASKED, FREE or FIRST_OWNER + seat; public at the end",
        (SEAT, AGENT), hidden=True,
        when=PREDICTIONS_ON,
    )  # fmt: skip
    deck_size = int8(0, ALL_CARDS, "cards", when=CARDS_ON)
    used_size = int8(0, ALL_CARDS, "cards", when=CARDS_ON)
    safe = int8(0, LOOP - 1, "building")
    die = int8(ONE_TO_THREE, FACES, "1 to 6, or ONE_TO_THREE")
    points_left = int8(0, FACES, "points of the die still to be spent")
    next_agent = int8(0, MAX_AGENTS, "lowest agent id that the die may still move: one above the last agent moved")
    phase = int8(0, PHASES, "kind of decision")
    to_move = int8(NONE, SEAT, "seat to decide; NONE when over")
    active = int8(0, SEAT, "seat whose turn it is")
    passes = int8(0, SEAT, "consecutive passes; 0 outside of card rounds", when=CARDS_ON)
    pending = int8(NONE, CARDS, "kind of the card whose choices are being made, or NONE")
    named = int8(NONE, AGENT, "agents named for the pending card, or NONE", 2)
    card_turn = int8(
        NONE,
        SEAT,
        "seat whose card caused the predictions, while they are made; else NONE",
        when=(CARDS_ON, PREDICTIONS_ON),
    )
    guessed = flag("everybody has predicted", when=PREDICTIONS_ON)
    swapped = int8(NONE, SEAT, "seat that played `new_identity`, or NONE")
    former = int8(NONE, AGENT, "agent that this seat put back, or NONE; known to the seat", hidden=True)
    swapped_late = flag("`new_identity` was played after the predictions")
    winners = int8(0, 127, "set of seats as bits")
    end_reason = int8(NONE, END_REASONS, "NONE until the end")
    options = nested(Options, "the variant")
    padding = filler(3)


class View(Layout):
    """VIEW: what one seat may know. Agents start with the seat's own, seats with the viewer and continue to its left.

    The board comes last: Numba would take a view with further fields at its end for the smaller view, and warn.
    """

    card_phase = float32("one-hot: cards, card_choice", 2, when=CARDS_ON)
    hand = float32("copies in the viewer's hand / 2", KINDS, high=HAND / 2, when=CARDS_ON, part="private")
    hand_sizes = float32("cards in each hand / 4", SEAT, when=CARDS_ON)
    deck_size = float32("cards in the deck / 26", when=CARDS_ON)
    used = float32("used copies / 2", KINDS, when=CARDS_ON)
    cards_played = float32("cards that the seat has played / 4", SEAT, high=ALL_CARDS / HAND, when=CARDS_ON)
    card_mover = float32("the seat to decide on cards, one-hot", SEAT, when=CARDS_ON)
    passes = float32("consecutive passes / players", when=CARDS_ON)
    pending = float32("the card whose choices are being made, one-hot", KINDS, when=CARDS_ON)
    named = float32("1: named for that card", AGENT, when=CARDS_ON, part="mixed")
    arrived = float32("1: would cause a scoring now", AGENT, when=CARDS_ON, part="mixed")
    swapped = float32("the seat that has changed its identity, one-hot", SEAT, when=CARDS_ON)
    former = float32("the viewer's former agent, one-hot", AGENT, when=CARDS_ON, part="private")

    guess_phase = float32("1: predictions are being made", when=PREDICTIONS_ON)
    guess_mover = float32("the seat to predict, one-hot", SEAT, when=PREDICTIONS_ON)
    guessed = float32("1: everybody has predicted", when=PREDICTIONS_ON)
    card_turn = float32(
        "the seat whose card caused the predictions, while they are made, one-hot", SEAT, when=PREDICTIONS_ON
    )
    swapped_late = float32("1: an identity was changed after the predictions", when=PREDICTIONS_ON)
    guesses_made = float32("the seat's answers / (agents - 1)", SEAT, when=PREDICTIONS_ON)
    asked = float32("the agent that the viewer is asked about, one-hot", AGENT, when=PREDICTIONS_ON)
    guesses = float32(
        "the viewer's predictions, at the end everybody's: -1 free, (1 + the owner's relative seat) / 7, 0 none",
        (SEAT, AGENT), low=-1, when=PREDICTIONS_ON, part="mixed",
    )  # fmt: skip

    own = float32(
        "the id of the viewer's agent, one-hot: the die moves agents in the order of their ids", AGENT, part="private"
    )
    position = float32("the agent's building, one-hot", (AGENT, LOOP), part="mixed")
    to_safe = float32("the points, 1 to 6, that bring the agent to the safe, one-hot", (AGENT, FACES), part="mixed")
    score = float32("score of the agent's token / 42", AGENT, high=HIGHEST_SCORE / FINISH, part="mixed")
    moved = float32("points of the die spent on the agent in this turn / 6", AGENT, part="mixed")
    safe = float32("the safe's building, one-hot", LOOP)
    points_left = float32("points of the die to be spent, one-hot; zeros: the movement is over", FACES)
    one_to_three = float32('1: the die shows "1-3"')
    phase = float32("one-hot: move, safe", 2)
    decides = float32("1: the viewer is to move")
    active = float32("the seat whose turn it is, one-hot", SEAT)
    record = float32(
        "points moved / 20, times moved / 10, points scored through that seat / 20", (AGENT, SEAT, 3),
        low=LOWEST / min(POINTS_UNIT, GAINS_UNIT), high=LARGEST / TIMES_UNIT, part="mixed",
    )  # fmt: skip
    scorings = float32("scorings that the seat caused / 10", SEAT, high=LARGEST / TIMES_UNIT)
    revealed = float32("0 until the end, then the seat's agent (relative) / 7", SEAT)


OPTIONS, STATE = dtype(Options), dtype(State)
in_range = range_check(State)
copy_options, copy_public = options_copy(State), public_copy(State)
ENTITIES = {
    "agents": ("score", "position", "to_safe", "moved", "own", "record", "named", "arrived", "former", "asked"),
    "cards": ("hand", "used", "pending"),
}
"""Fields of VIEW with an axis of agents or of card kinds. A variant lacks the fields of switches that are off."""


def view_dtype(players: int, agents: int, top_secret: bool, secret_identities: bool) -> np.dtype:
    """Return the dtype of VIEW in a variant. The arguments are fields of OPTIONS."""
    return dtype(View, players=players, agents=agents, top_secret=top_secret, secret_identities=secret_identities)
