"""Layouts of Agent DOG: the options of `make_game`, and the records OPTIONS, STATE and VIEW.

STATE holds the whole position, VIEW what one seat may know of it. Each option and field has one row here, from which
dtypes, types, range checks, copies and the tables of the README follow. AD-n names a rule in README.md.

The pawn on a place (see `board.py`) is stored as its color, plus HAT for a hidden pawn.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal

import numpy as np

from spygames.agent_dog.board import BOARDS, MAX_TRACK, MIN_TRACK, PAWNS, PLACES, Board, BoardName
from spygames.agent_dog.cards import CARDS, DEAL, DECKS, FUNCTIONS, KINDS, MAX_CARDS, POINTS, Deck, DeckName
from spygames.core.basics.text import one_line
from spygames.core.basics.whole_numbers import whole
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
from spygames.core.game.validation import choice

SEATS = 4  # maximum
HAT = 4  # added to the color of a hidden pawn
EMPTY = NONE
LARGEST = 10**9
"""Maximum of the counters of turns and rounds, far beyond any game."""
MOST_LOST = 2 * DEAL
"""Maximum count of one kind that left a hand. No hand loses more cards in a round (AD-6, AD-35)."""

PHASES = ("exchange", "card", "place", "step", "swap", "meeting", "redraw", "over")
EXCHANGE, CARD, PLACE, STEP, SWAPPING, MEETING, REDRAW, OVER = range(8)
END_REASONS = ("home", "truncated")
HOME, TRUNCATED = range(2)

SEAT, TRACK, QUARTER = Size("players", SEATS), Size("track", MAX_TRACK), Size("quarter", MAX_TRACK // 4)
COPIES, DECK = Size("copies", MAX_CARDS), Size("deck", MAX_CARDS)
"""Sizes of a deck: the copies of its most frequent card, and all cards."""


@dataclass(frozen=True)
class Settings(GameOptions):
    """The options of `make_game`."""

    players: Annotated[int, "2, 3 or 4 (two teams)", (2, 3, 4)] = 4
    board: Annotated[
        BoardName | Board | Mapping[str, Any], '"standard", a `Board(track, holes, meeting)`, or its data (AD-3)'
    ] = "standard"
    deck: Annotated[
        DeckName | Deck | Mapping[str, int], '"standard", "royal", a `Deck(copies)`, or copies by card (AD-5)'
    ] = "standard"
    hidden_colours: Annotated[
        Literal["table", "tracked"], '"table", or "tracked": everybody sees the colors under hats (AD-24)'
    ] = "table"
    max_turns: Annotated[int, "number of cards played after which the game is cut off (AD-37)"] = 2000
    first_player: Annotated[
        int | Literal["random"], 'the first dealer: a seat, or "random": drawn from the seed (AD-7)', seat_or_random
    ] = 0

    def __post_init__(self) -> None:
        super().__post_init__()
        deck = self.get_deck()
        if deck.total < DEAL * self.players:
            raise ValueError(
                f"deck must have at least {DEAL * self.players} cards for {self.players} players, not {deck.total}"
            )
        self._set("board", self.board_data)
        self._set("deck", next((name for name, known in DECKS.items() if known == deck), dict(deck.copies)))
        self._set("max_turns", whole("max_turns", self.max_turns, 1, LARGEST))

    @property
    def board_data(self) -> str | dict[str, Any]:
        """The name of the board, or its data as JSON-compatible values."""
        board = self.get_board()
        data = {"track": board.track, "holes": list(board.holes), "meeting": board.meeting}
        return next((name for name, known in BOARDS.items() if known == board), data)

    def get_board(self) -> Board:
        """Return the board."""
        board: Any = self.board
        if isinstance(board, Mapping):
            if set(board) != {"holes", "meeting", "track"}:
                given = one_line(", ".join(map(str, board)))
                raise ValueError(f"board must have the keys track, holes, meeting, not {given}")
            return Board(**board)
        return board if isinstance(board, Board) else BOARDS[choice("board", board, tuple(BOARDS))]

    def get_deck(self) -> Deck:
        """Return the deck."""
        deck: Any = self.deck
        if isinstance(deck, Mapping):
            return Deck(deck)
        return deck if isinstance(deck, Deck) else DECKS[choice("deck", deck, tuple(DECKS))]


class Options(Layout):
    """OPTIONS: the options of a variant in the form that kernels read."""

    max_turns = int32(1, LARGEST, "number of cards played after which the game is cut off (AD-37)")
    track = int16(MIN_TRACK, MAX_TRACK, "spaces of the loop")
    quarter = int8(MIN_TRACK // 4, MAX_TRACK // 4, "spaces of a quadrant")
    meeting = int8(0, MAX_TRACK // 4 - 1, "offset of the meeting point in a quadrant")
    holes = int8(0, MAX_TRACK // 4, "holes in a quadrant")
    hole = int8(NONE, MAX_TRACK // 4 - 1, "[offset]: number of the hole there, or NONE", MAX_TRACK // 4)
    copies = int8(0, MAX_CARDS, "[card]: copies in the deck", KINDS)
    players = int8(2, SEATS, "P")
    first_player = int8(NONE, SEAT, "the first dealer; NONE: drawn from the seed (AD-7)")
    tracked = flag("hidden colors are known to all (AD-24)")
    padding = filler(2)


class State(Layout):
    """STATE: the whole position. The widest fields come first."""

    rng = uint64("the random stream of the game")
    turn = int32(0, LARGEST, "turns ended, those with an unused discard included (AD-35)")
    cards_played = int32(0, LARGEST, "cards played; at most max_turns, and below it until the end")
    round_number = int32(0, LARGEST, "rounds dealt before this one")
    moved = int16(NONE, PLACES - 1, "place of the pawn moved by the last step of a companion, or NONE")
    first = int16(NONE, PLACES - 1, "first place of a swap, or NONE")
    options = nested(Options, "the variant")
    board = int8(
        EMPTY, 2 * HAT - 1, "EMPTY, a color, or a color + HAT; the colors under hats are hidden, unless tracked",
        PLACES,
    )  # fmt: skip
    area = int8(0, PAWNS, "[color]: pawns in its start area", 4)
    hands = int8(0, MAX_CARDS, "[seat, card]: copies", (SEAT, KINDS), hidden=True)
    lost = int8(
        0, MOST_LOST, "[seat, card]: copies that left the hand since the exchange, up to MOST_LOST",
        (SEAT, KINDS),
    )  # fmt: skip
    passed = int8(
        NONE, CARDS, "[seat]: the card passed, or NONE; known to its giver and, once all have passed, its taker", SEAT,
        hidden=True,
    )  # fmt: skip
    out = int8(0, 1, "[seat]: 1: out of this round (AD-10, AD-23)", SEAT)
    deck = int8(0, CARDS, "cards, the top card last", MAX_CARDS, filled="deck_size", hidden=True)
    deck_size = int8(0, MAX_CARDS, "cards")
    discard = int8(0, CARDS, "cards, the top card last", MAX_CARDS, filled="discard_size")
    discard_size = int8(0, MAX_CARDS, "cards")
    discarded = int8(0, MAX_CARDS, "[card]: copies in `discard`", KINDS)
    last_card = int8(NONE, CARDS, "the card that a copy would copy, or NONE (AD-27)")
    card = int8(NONE, CARDS, "the card being played, or NONE")
    function = int8(NONE, FUNCTIONS, "the function it is played as, or NONE")
    points = int8(0, POINTS, "points of a companion still to be spent")
    meetings = int8(0, 15, "quadrants as bits: a pawn that this card moved is on their meeting point")
    penalty = flag("this card has captured a pawn of the mover's team (AD-23)")
    redrawn = flag("the mover has discarded and drawn in this turn (AD-35)")
    phase = int8(0, PHASES, "kind of decision")
    to_move = int8(NONE, SEAT, "seat to decide; NONE when over")
    dealer = int8(0, SEAT, "seat that dealt this round")
    winners = int8(0, 15, "set of seats as bits")
    end_reason = int8(NONE, END_REASONS, "NONE until the end")


class View(Layout):
    """VIEW: what one seat may know.

    Spaces count from the viewer's start space; colors, quadrants and seats count clockwise from the viewer's own.
    """

    track = float32('1: a visible pawn of that color is on the space; with "tracked" also a hidden one', (TRACK, 4))
    hats = float32("1: a hidden pawn is on the space; -1: it is the first pawn of a swap under way", TRACK, low=-1)
    goals = float32(
        "1: a pawn is home; -1: a hidden pawn is in the goal while a companion is played", (4, PAWNS), low=-1
    )
    areas = float32("pawns in the start areas / 4", 4)
    holds = float32("1: the card is in the viewer's hand", KINDS, part="private")
    hand = float32("copies in the viewer's hand / 5", KINDS, high=COPIES / 5, part="private")
    hand_size = float32("cards in each hand / 5", SEATS, high=DECK / 5)
    out = float32("1: out of the round", SEATS)
    unseen = float32("copies in places that the viewer cannot see / 10", KINDS, high=COPIES / 10, part="private")
    discarded = float32("copies on the discard pile / 10", KINDS, high=COPIES / 10)
    lost = float32("copies that left the other hands since the exchange / 5", (SEATS - 1, KINDS), high=MOST_LOST / 5)
    passed = float32("the card that the viewer passed in this round, one-hot", KINDS, part="private")
    received = float32("the card that the viewer received in return, one-hot", KINDS, part="private")
    copies = float32("the card that a copy would copy, one-hot", KINDS)
    card = float32("the card being played, one-hot", KINDS)
    function = float32("the function it is played as, one-hot", len(FUNCTIONS))
    points = float32("companion points left, thermometer", 4)
    on_start = float32("1: the pawn moved by the last step is on the start space of that color", 4)
    meetings = float32("1: this card has moved a pawn to the meeting point of that quadrant", 4)
    penalty = float32("1: this card has captured a pawn of the mover's team")
    redrawn = float32("1: the mover has discarded and drawn in this turn (AD-35)")
    phase = float32("one-hot: exchange, card, place, step, swap, meeting, redraw; zeros when over", len(PHASES) - 1)
    decides = float32("the seat to decide, one-hot; zeros when over", SEATS)
    dealer = float32("the dealer, one-hot", SEATS)
    deck_size = float32("cards in the deck / cards in the game")
    played = float32("cards played / `max_turns`")
    teams = float32("1: four players, so color 2 is the partner's")
    holes = float32("1: a hole is at that offset in a quadrant", QUARTER)
    meeting = float32("1: the meeting point is at that offset in a quadrant", QUARTER)


OPTIONS, STATE = dtype(Options), dtype(State)
in_range = range_check(State)
copy_options, copy_public = options_copy(State), public_copy(State)


def view_dtype(track: int) -> np.dtype:
    """Return the dtype of VIEW on a loop of `track` spaces."""
    return dtype(View, track=track, quarter=track // 4)


ENTITIES = {
    "colours": ("areas", "goals", "track", "on_start", "meetings"),
    "cards": ("holds", "hand", "unseen", "discarded", "lost", "passed", "received", "copies", "card"),
}
"""Fields of VIEW with an axis of colors (and their quadrants) or of card kinds."""
