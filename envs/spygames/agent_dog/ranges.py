"""Which values can be: whether those of a state of Agent DOG, of any bytes, can, and the ranges of a view."""

from collections.abc import Sequence

import numpy as np

from spygames.agent_dog.board import GOAL, PAWNS, PLACES
from spygames.agent_dog.cards import COPY, FUNCTIONS, KINDS, MAX_CARDS, POINTS
from spygames.agent_dog.layout import (
    EMPTY,
    END_REASONS,
    HAT,
    LARGEST,
    MOST_LOST,
    NONE,
    OVER,
    PHASES,
    SEATS,
)
from spygames.agent_dog.queries import colour_of
from spygames.agent_dog.types import Options, State
from spygames.core.kernel import Int, kernel
from spygames.core.padding import is_zero

COLOURS = 4
_PHASES, _REASONS, _FUNCTIONS = len(PHASES), len(END_REASONS), len(FUNCTIONS)
_OFFSETS = GOAL // 4


def view_ranges(copies: Sequence[int]) -> dict[str, tuple[float, float]]:
    """Fields of VIEW that are not from 0 to 1, with `copies` of each card in the deck."""
    most, cards = max(copies), sum(copies)
    return {
        "hats": (-1, 1),
        "goals": (-1, 1),
        "hand": (0, most / 5),
        "hand_size": (0, cards / 5),
        "unseen": (0, most / 10),
        "discarded": (0, most / 10),
        "lost": (0, MOST_LOST / 5),
    }


@kernel
def in_range(s: State, options: Options) -> bool:
    """Whether `s`, any bytes, is of the variant of these options, its values in the ranges of `state_from_dict`."""
    fine = _is_of_variant(s, options) and _course_in_range(s) and _pawns_in_range(s)
    return bool(fine and _cards_in_range(s) and _pending_in_range(s))


@kernel
def _is_of_variant(s: State, options: Options) -> bool:
    one = s.options
    same = one.max_turns == options.max_turns and one.track == options.track and one.quarter == options.quarter
    same = same and one.meeting == options.meeting and one.holes == options.holes and one.players == options.players
    same = same and one.first_player == options.first_player and one.tracked == options.tracked
    for offset in range(_OFFSETS):
        same = same and one.hole[offset] == options.hole[offset]
    for card in range(KINDS):
        same = same and one.copies[card] == options.copies[card]
    return bool(same and is_zero(one.padding))


@kernel
def _course_in_range(s: State) -> bool:
    """Counts, phase, seats and result."""
    players = np.int64(s.options.players)
    fine = 0 <= s.turn <= LARGEST and 0 <= s.round_number <= LARGEST and 0 <= s.cards_played <= s.options.max_turns
    fine = fine and 0 <= s.phase < _PHASES and 0 <= s.dealer < players and NONE <= s.to_move < players
    fine = fine and (s.to_move == NONE) == (s.phase == OVER) and NONE <= s.end_reason < _REASONS
    fine = fine and 0 <= s.redrawn <= 1 and 0 <= s.winners < 1 << players
    for seat in range(SEATS):
        fine = fine and 0 <= s.out[seat] <= (1 if seat < players else 0)
    return bool(fine)


@kernel
def _is_place(s: State, place: Int) -> bool:
    """Whether a pawn can stand there: on the loop or in a goal."""
    return bool(0 <= place < s.options.track or GOAL <= place < PLACES)


@kernel
def _plays(s: State, colour: Int) -> bool:
    """AD-1: whether a seat has the colour."""
    found = False
    for seat in range(s.options.players):
        found = found or colour_of(s, seat) == colour
    return found


@kernel
def _pawns_in_range(s: State) -> bool:
    """Each seat's four pawns, and no others."""
    for place in range(PLACES):
        pawn = np.int64(s.board[place])
        if pawn != EMPTY and not (0 <= pawn < 2 * HAT and _is_place(s, place) and _plays(s, pawn % HAT)):
            return False
    for colour in range(COLOURS):
        pawns = np.int64(s.area[colour])
        if pawns < 0 or (pawns > 0 and not _plays(s, colour)):
            return False
        for place in range(PLACES):
            pawns += s.board[place] != EMPTY and s.board[place] % HAT == colour
        if _plays(s, colour) and pawns != PAWNS:
            return False
    return True


@kernel
def _cards_in_range(s: State) -> bool:
    """Cards, wherever they are, and what hands have lost."""
    players = s.options.players
    fine = 0 <= s.deck_size <= MAX_CARDS and 0 <= s.discard_size <= MAX_CARDS
    fine = fine and NONE <= s.last_card < KINDS and s.last_card != COPY
    for seat in range(SEATS):
        fine = fine and NONE <= s.passed[seat] < (KINDS if seat < players else 0)
        for card in range(KINDS):
            fine = fine and 0 <= s.hands[seat, card] <= (s.options.copies[card] if seat < players else 0)
            fine = fine and 0 <= s.lost[seat, card] <= (MOST_LOST if seat < players else 0)
    for i in range(MAX_CARDS):
        fine = fine and (0 <= s.deck[i] < KINDS if i < s.deck_size else s.deck[i] == NONE)
        fine = fine and (0 <= s.discard[i] < KINDS if i < s.discard_size else s.discard[i] == NONE)
    for card in range(KINDS):
        there = 0
        for i in range(MAX_CARDS):
            there += s.discard[i] == card
        fine = fine and s.discarded[card] == there
    return bool(fine)


@kernel
def _pending_in_range(s: State) -> bool:
    """The card being played; without one, all of it is as `clear_card` leaves it."""
    if s.card == NONE:
        blank = s.function == NONE and s.first == NONE and s.moved == NONE
        return bool(blank and s.points == 0 and s.meetings == 0 and s.penalty == 0)
    fine = 0 <= s.card < KINDS and 0 <= s.function < _FUNCTIONS and s.phase != OVER
    fine = fine and 0 <= s.points <= POINTS and 0 <= s.penalty <= 1 and 0 <= s.meetings < 16
    fine = fine and (s.moved == NONE or _is_place(s, s.moved)) and (s.first == NONE or _is_place(s, s.first))
    for quadrant in range(4):
        point = quadrant * np.int64(s.options.quarter) + s.options.meeting
        fine = fine and (s.meetings >> quadrant & 1 == 0 or s.board[point] != EMPTY)
    return bool(fine)
