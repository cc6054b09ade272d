"""The tables of Agent DOG: its options, OPTIONS, STATE (what is true) and VIEW (what a seat may know).

A field or an option has one row here; dtypes, types, ranges, copies and the README's tables follow from it. AD-n: the
rule in README.md.

What stands on a place (board.py) is a colour, plus HAT for a hidden pawn.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal

import numpy as np

from spygames.agent_dog.board import BOARDS, MAX_TRACK, MIN_TRACK, PAWNS, PLACES, Board, BoardName
from spygames.agent_dog.cards import CARDS, DEAL, DECKS, FUNCTIONS, KINDS, MAX_CARDS, POINTS, Deck, DeckName
from spygames.core.basics.text import one_line
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
from spygames.core.game.validation import choice, whole

SEATS = 4  # at most
HAT = 4  # added to the colour of a hidden pawn
EMPTY = NONE
LARGEST = 10**9
"""The counts of turns and rounds stop here, far beyond any game."""
MOST_LOST = 2 * DEAL
"""The count of one kind that left a hand stops here: no hand loses more cards in a round (AD-6, AD-35)."""

PHASES = ("exchange", "card", "place", "step", "swap", "meeting", "redraw", "over")
EXCHANGE, CARD, PLACE, STEP, SWAPPING, MEETING, REDRAW, OVER = range(8)
END_REASONS = ("home", "truncated")
HOME, TRUNCATED = range(2)

SEAT, TRACK, QUARTER = Size("players", SEATS), Size("track", MAX_TRACK), Size("quarter", MAX_TRACK // 4)
COPIES, DECK = Size("copies", MAX_CARDS), Size("deck", MAX_CARDS)
"""Numbers of a deck: the copies of the most frequent card, and all cards."""


@dataclass(frozen=True)
class Settings(GameOptions):
    """The options of `make_game`."""

    players: Annotated[int, "2, 3 or 4 (two teams)", (2, 3, 4)] = 4
    board: Annotated[
        BoardName | Board | Mapping[str, Any], '"standard", or a `Board(track, holes, meeting)` or its data (AD-3)'
    ] = "standard"
    deck: Annotated[
        DeckName | Deck | Mapping[str, int], '"standard", "royal", or a `Deck(copies)` or copies by card (AD-5)'
    ] = "standard"
    hidden_colours: Annotated[
        Literal["table", "tracked"], '"table", or "tracked": everybody sees colours under hats (AD-24)'
    ] = "table"
    max_turns: Annotated[int, "cards played after which the game is cut off (AD-37)"] = 2000
    first_player: Annotated[
        int | Literal["random"], 'the first dealer: a seat, or "random": drawn from the seed (AD-7)', seat_or_random
    ] = 0

    def __post_init__(self) -> None:
        super().__post_init__()
        deck = self.get_deck()
        if deck.total < DEAL * self.players:
            raise ValueError(
                f"a deck for {self.players} players has at least {DEAL * self.players} cards, not {deck.total}"
            )
        self._set("board", self.board_data)
        self._set("deck", next((name for name, known in DECKS.items() if known == deck), dict(deck.copies)))
        self._set("max_turns", whole("max_turns", self.max_turns, 1, LARGEST))

    @property
    def board_data(self) -> str | dict[str, Any]:
        """The name of the board, or its data as JSON-able values."""
        board = self.get_board()
        data = {"track": board.track, "holes": list(board.holes), "meeting": board.meeting}
        return next((name for name, known in BOARDS.items() if known == board), data)

    def get_board(self) -> Board:
        """The board as data."""
        board: Any = self.board
        if isinstance(board, Mapping):
            if set(board) != {"holes", "meeting", "track"}:
                given = one_line(", ".join(map(str, board)))
                raise ValueError(f"a board has the keys track, holes, meeting, not {given}")
            return Board(**board)
        return board if isinstance(board, Board) else BOARDS[choice("board", board, tuple(BOARDS))]

    def get_deck(self) -> Deck:
        """The deck as data."""
        deck: Any = self.deck
        if isinstance(deck, Mapping):
            return Deck(deck)
        return deck if isinstance(deck, Deck) else DECKS[choice("deck", deck, tuple(DECKS))]


class Options(Layout):
    """OPTIONS: the variant, as kernels read it."""

    max_turns = int32(1, LARGEST, "cards after which the game is cut off (AD-37)")
    track = int16(MIN_TRACK, MAX_TRACK, "spaces of the loop")
    quarter = int8(MIN_TRACK // 4, MAX_TRACK // 4, "spaces of a quadrant")
    meeting = int8(0, MAX_TRACK // 4 - 1, "offset of the meeting point in a quadrant")
    holes = int8(0, MAX_TRACK // 4, "holes in a quadrant")
    hole = int8(NONE, MAX_TRACK // 4 - 1, "by offset: the number of the hole there, or NONE", MAX_TRACK // 4)
    copies = int8(0, MAX_CARDS, "cards in the deck, by kind", KINDS)
    players = int8(2, SEATS, "P")
    first_player = int8(NONE, SEAT, "the first dealer; NONE: drawn from the seed (AD-7)")
    tracked = flag("hidden colours are known to all (AD-24)")
    padding = filler(2)


class State(Layout):
    """STATE: what is true. Widest field first."""

    rng = uint64("the random stream of the game")
    turn = int32(0, LARGEST, "turns ended, unused discards counted (AD-35)")
    cards_played = int32(0, LARGEST, "max_turns at most, and below it until the end")
    round_number = int32(0, LARGEST, "rounds dealt before this one")
    moved = int16(NONE, PLACES - 1, "place of the pawn that the last step of a companion moved, or NONE")
    first = int16(NONE, PLACES - 1, "first place of a swap, or NONE")
    options = nested(Options, "the variant")
    board = int8(
        EMPTY, 2 * HAT - 1, "EMPTY, a colour, or a colour + HAT; the colours under hats are hidden, unless tracked",
        PLACES,
    )  # fmt: skip
    area = int8(0, PAWNS, "pawns in the start area of each colour", 4)
    hands = int8(0, MAX_CARDS, "[seat, card]: copies", (SEAT, KINDS), hidden=True)
    lost = int8(
        0, MOST_LOST, "[seat, card]: cards that left each hand since the exchange, up to MOST_LOST of a kind",
        (SEAT, KINDS),
    )  # fmt: skip
    passed = int8(
        NONE, CARDS, "by seat: the card passed, or NONE; known to its giver and, once all have passed, its taker", SEAT,
        hidden=True,
    )  # fmt: skip
    out = int8(0, 1, "by seat: 1: laid down or penalised in this round (AD-10, AD-23)", SEAT)
    deck = int8(0, CARDS, "cards, the top one last", MAX_CARDS, filled="deck_size", hidden=True)
    deck_size = int8(0, MAX_CARDS, "cards")
    discard = int8(0, CARDS, "cards, the top one last", MAX_CARDS, filled="discard_size")
    discard_size = int8(0, MAX_CARDS, "cards")
    discarded = int8(0, MAX_CARDS, "the same as counts, by kind", KINDS)
    last_card = int8(NONE, CARDS, "what a copy would copy, or NONE (AD-27)")
    card = int8(NONE, CARDS, "being played, or NONE")
    function = int8(NONE, FUNCTIONS, "what it is played as, or NONE")
    points = int8(0, POINTS, "of a companion, to be spent")
    meetings = int8(0, 15, "bits of quadrants: on their meeting point stands a pawn that this card moved")
    penalty = flag("this card has captured a pawn of the own team (AD-23)")
    redrawn = flag("a card was exchanged in this turn (AD-35)")
    phase = int8(0, PHASES, "what is decided")
    to_move = int8(NONE, SEAT, "NONE when over")
    dealer = int8(0, SEAT, "who deals this round")
    winners = int8(0, 15, "bits of seats")
    end_reason = int8(NONE, END_REASONS, "NONE until the end")


class View(Layout):
    """VIEW, what one seat may know, seen from the viewer: spaces count from its start space, colours, quadrants and
    seats clockwise from its own."""

    track = float32('1 where a visible pawn of that colour stands; with "tracked" hidden ones, too', (TRACK, 4))
    hats = float32("1 where a hidden pawn stands; -1 if a swap has named it first", TRACK, low=-1)
    goals = float32(
        "1 where a pawn is home; -1 for a hidden pawn in the goal, while a companion is played", (4, PAWNS), low=-1
    )
    areas = float32("pawns in the start areas, / 4", 4)
    holds = float32("1 for each card in the own hand", KINDS)
    hand = float32("copies in the own hand, / 5", KINDS, high=COPIES / 5)
    hand_size = float32("cards / 5", SEATS, high=DECK / 5)
    out = float32("1: out of the round", SEATS)
    unseen = float32("copies that may be anywhere hidden, / 10", KINDS, high=COPIES / 10)
    discarded = float32("copies on the discard pile, / 10", KINDS, high=COPIES / 10)
    lost = float32("cards that left the other hands since the exchange, / 5", (SEATS - 1, KINDS), high=MOST_LOST / 5)
    passed = float32("the card that the viewer passed in this round, one-hot", KINDS)
    received = float32("the card that it got for it, one-hot", KINDS)
    copies = float32("the card that a copy would copy, one-hot", KINDS)
    card = float32("the card being played, one-hot", KINDS)
    function = float32("what it is played as, one-hot", len(FUNCTIONS))
    points = float32("companion points left, thermometer", 4)
    on_start = float32("1: the pawn that the last step moved stands on the start space of that colour", 4)
    meetings = float32("1: this card has moved a pawn to the meeting point of that quadrant", 4)
    penalty = float32("1: this card has captured a pawn of the mover's team")
    redrawn = float32("1: the mover has exchanged a card in this turn (AD-35)")
    phase = float32("one-hot: exchange, card, place, step, swap, meeting, redraw; zeros when over", len(PHASES) - 1)
    decides = float32("one-hot: whose decision it is; zeros when over", SEATS)
    dealer = float32("one-hot", SEATS)
    deck_size = float32("/ cards in the game")
    played = float32("cards played / `max_turns`")
    teams = float32("1 with four players: colour 2 is the partner's")
    holes = float32("by offset in a quadrant: 1 for a hole", QUARTER)
    meeting = float32("by offset in a quadrant: 1 for the meeting point", QUARTER)


OPTIONS, STATE = dtype(Options), dtype(State)
in_range = range_check(State)
copy_options, copy_public = options_copy(State), public_copy(State)


def view_dtype(track: int) -> np.dtype:
    """The layout of VIEW on a loop of `track` spaces."""
    return dtype(View, track=track, quarter=track // 4)


ENTITIES = {
    "colours": ("areas", "goals", "track", "on_start", "meetings"),
    "cards": ("holds", "hand", "unseen", "discarded", "lost", "passed", "received", "copies", "card"),
}
"""Fields of VIEW with an axis for the colours (and their quadrants) or for the kinds of card."""
