"""Consistency checks of a STATE. AD-n names a rule in README.md.

Kernels find the first fault as a number. For a state that was read from a mapping, `check_state` turns it into an
ImpossibleState. For a state of arbitrary bytes, `is_known` turns it into a bool.
"""

import numpy as np

from spygames.agent_dog.board import GOAL, PAWNS, PLACES, place_to_string
from spygames.agent_dog.cards import (
    CARDS,
    COMPANION,
    COPY,
    FUNCTIONS,
    KINDS,
    MAX_CARDS,
    NUMBERS,
    OFFERS,
    POINTS,
    SWAP,
)
from spygames.agent_dog.layout import (
    CARD,
    EMPTY,
    EXCHANGE,
    HAT,
    MEETING,
    NONE,
    OVER,
    PHASES,
    PLACE,
    REDRAW,
    SEATS,
    STEP,
    SWAPPING,
    Options,
    State,
    in_range,
)
from spygames.agent_dog.queries import (
    board_unchanged,
    colour_of,
    hand_size,
    offers,
    plays_for,
    taker,
    winning_seat,
)
from spygames.agent_dog.rules.play import legal
from spygames.agent_dog.rules.turns import playable_functions, possible_functions
from spygames.core.compiling.kernel import Int, kernel
from spygames.core.game.game import Game, ImpossibleState

NO_FAULT = 0
ALL_FUNCTIONS = (1 << len(FUNCTIONS)) - 1


def check_state(game: Game, s: State) -> None:
    """Check a state that was read from a mapping.

    Raises:
        ImpossibleState: Two parts of the state contradict each other.
    """
    phase = PHASES[s.phase]
    if (card := miscounted(s)) != NONE:
        raise ImpossibleState(
            f"hands, deck, discard{', passed' if s.phase == EXCHANGE else ''} and pending must hold "
            f"{s.options.copies[card]} copies of {CARDS[card]}, not {copies_held(s, card)}"
        )
    if is_playing(s) != (s.card != NONE):
        raise ImpossibleState(f"pending must {'not ' if is_playing(s) else ''}be null in phase {phase}")
    if is_playing(s):
        _check_pending(s)
    _check_places(s)
    if (s.phase == OVER) != (s.end_reason != NONE):
        raise ImpossibleState("end_reason must be given in phase over, and null in any other phase")
    if (s.winners != 0) != (s.end_reason == 0):
        raise ImpossibleState("winners must name seats if end_reason is home, and be [] otherwise")
    if s.phase == EXCHANGE:
        _check_exchange(s)
    if (seat := out_with_cards(s)) != NONE:
        why = "in phase exchange all seats are in the round" if s.phase == EXCHANGE else "it holds cards"
        raise ImpossibleState(f"out must not name seat {seat}: {why}")
    if s.phase != OVER:
        _check_turn(game, s)


@kernel
def agrees(s: State) -> bool:
    """Whether fields that depend on each other agree as `state_from_dict` requires. Each field must be in its range."""
    fine = (s.to_move == NONE) == (s.phase == OVER) and s.cards_played <= s.options.max_turns
    fine = fine and s.winners < 1 << np.int64(s.options.players)
    return bool(fine and _pawns_agree(s) and _cards_agree(s) and _pending_agrees(s))


@kernel
def _is_place(s: State, place: Int) -> bool:
    """Whether `place` is on the loop or in a goal."""
    return bool(0 <= place < s.options.track or GOAL <= place < PLACES)


@kernel
def _plays(s: State, colour: Int) -> bool:
    """AD-1: whether a seat has the color."""
    found = False
    for seat in range(s.options.players):
        found = found or colour_of(s, seat) == colour
    return found


@kernel
def _pawns_agree(s: State) -> bool:
    """Whether there are four pawns of each seat's color, and no others."""
    for place in range(PLACES):
        pawn = np.int64(s.board[place])
        if pawn != EMPTY and not (_is_place(s, place) and _plays(s, pawn % HAT)):
            return False
    for colour in range(HAT):
        pawns = np.int64(s.area[colour])
        for place in range(PLACES):
            pawns += s.board[place] != EMPTY and s.board[place] % HAT == colour
        if pawns != (PAWNS if _plays(s, colour) else 0):
            return False
    return True


@kernel
def _cards_agree(s: State) -> bool:
    """Whether the counts of the discard pile are right, and the card to copy is not a copy."""
    fine = s.last_card != COPY
    for card in range(KINDS):
        there = 0
        for i in range(MAX_CARDS):
            there += s.discard[i] == card
        fine = fine and s.discarded[card] == there
    return bool(fine)


@kernel
def _pending_agrees(s: State) -> bool:
    """Whether the fields of the card being played agree; without a card they must be as `clear_card` leaves them."""
    if s.card == NONE:
        blank = s.function == NONE and s.first == NONE and s.moved == NONE
        return bool(blank and s.points == 0 and s.meetings == 0 and s.penalty == 0)
    fine = s.function != NONE and s.phase != OVER
    fine = fine and (s.moved == NONE or _is_place(s, s.moved)) and (s.first == NONE or _is_place(s, s.first))
    for quadrant in range(4):
        point = quadrant * np.int64(s.options.quarter) + s.options.meeting
        fine = fine and (s.meetings >> quadrant & 1 == 0 or s.board[point] != EMPTY)
    return bool(fine)


@kernel
def is_known(s: State, options: Options, mask: np.ndarray) -> bool:
    """Whether the position is valid in the variant of these options: its mapping reads back as the same bytes.

    `s` may be arbitrary bytes. The ranges are those of `state_from_dict`. Overwrites `mask`, int8 [A].
    """
    if not in_range(s, options) or not agrees(s) or lost_without_trace(s) != NONE:
        return False
    if miscounted(s) != NONE or is_playing(s) != (s.card != NONE) or (is_playing(s) and pending_fault(s)):
        return False
    if wrong_place(s) != NONE or turned_too_many(s):
        return False
    if (s.phase == OVER) != (s.end_reason != NONE) or (s.winners != 0) != (s.end_reason == 0):
        return False
    if (s.phase == EXCHANGE and exchange_fault(s) != NONE) or out_with_cards(s) != NONE:
        return False
    return s.phase == OVER or turn_fault(s, mask) == NO_FAULT


# ---------------------------------------------------------------- cards


@kernel
def lost_without_trace(s: State) -> Int:
    """Return the first seat that passed a card which its taker neither holds nor has lost, or NONE."""
    for seat in range(s.options.players):
        card, to = np.int64(s.passed[seat]), taker(s, seat)
        if s.phase != EXCHANGE and card != NONE and s.hands[to, card] == 0 and s.lost[to, card] == 0:
            return seat
    return NONE


@kernel
def copies_held(s: State, card: Int) -> Int:
    """Return the number of copies of a card in all places."""
    total, deck = np.int64(s.discarded[card]) + (s.card == card), s.deck
    for seat in range(SEATS):
        total += s.hands[seat, card]
        total += s.phase == EXCHANGE and s.passed[seat] == card
    for i in range(s.deck_size):
        total += deck[i] == card
    return total


@kernel
def miscounted(s: State) -> Int:
    """Return the first card whose number of copies differs from that of the deck, or NONE."""
    for card in range(KINDS):
        if copies_held(s, card) != s.options.copies[card]:
            return card
    return NONE


@kernel
def out_with_cards(s: State) -> Int:
    """AD-10, AD-23: return the first seat that is out of the round but has not laid down its hand, or NONE."""
    for seat in range(SEATS):
        if s.out[seat] and (s.phase == EXCHANGE or hand_size(s, seat) > 0):
            return seat
    return NONE


# ---------------------------------------------------------------- the card being played

NOT_OF_CARD, NOT_OF_COPY, NOT_OF_PHASE, WRONG_POINTS, WRONG_MOVED, WRONG_FIRST, ONE_MEETING, TOO_EARLY, CANNOT = range(
    1, 10
)


@kernel
def is_playing(s: State) -> bool:
    """Whether a card is being played in this phase."""
    return s.phase in (PLACE, STEP, SWAPPING, MEETING)


@kernel
def pending_fault(s: State) -> Int:
    """Return the first fault of the card being played, by its function and the phase, or NO_FAULT."""
    card, function, phase = np.int64(s.card), np.int64(s.function), s.phase
    if card != COPY and not OFFERS[card] >> function & 1:
        return NOT_OF_CARD
    if card == COPY and not offers(s, card) >> function & 1:
        return NOT_OF_COPY
    number = phase == PLACE and function <= NUMBERS
    if not (number or phase == MEETING or (phase == STEP and function == COMPANION)) and not (
        phase == SWAPPING and function == SWAP
    ):
        return NOT_OF_PHASE
    if (s.points > 0) != (phase == STEP):
        return WRONG_POINTS
    if s.moved != NONE and (phase != STEP or s.board[s.moved] == EMPTY):
        return WRONG_MOVED
    if s.first != NONE and (phase != SWAPPING or s.board[s.first] < HAT):
        return WRONG_FIRST
    if phase == MEETING and not s.meetings & (s.meetings - 1):
        return ONE_MEETING
    if phase in (PLACE, SWAPPING) and (s.meetings or s.penalty):
        return TOO_EARLY
    if phase in (PLACE, SWAPPING) and not possible_functions(s, np.int64(s.to_move), 1 << function):
        return CANNOT
    return NO_FAULT


def _check_pending(s: State) -> None:
    """Check that the card being played fits its function and the phase."""
    fault, phase, card, function = pending_fault(s), PHASES[s.phase], CARDS[s.card], FUNCTIONS[s.function]
    if fault == NOT_OF_CARD:
        raise ImpossibleState(f"pending as must be a function of card {card}: it cannot be played as {function}")
    if fault == NOT_OF_COPY:
        raise ImpossibleState(f"pending as must be a function of last_card: a copy cannot be played as {function}")
    if fault == NOT_OF_PHASE:
        raise ImpossibleState(f"pending as must be a function with a phase {phase}, not {function}")
    if fault == WRONG_POINTS:
        raise ImpossibleState("pending points must be above 0 in phase step, and 0 in any other phase")
    if fault == WRONG_MOVED:
        raise ImpossibleState("pending moved must be [], or in phase step the place of a pawn")
    if fault == WRONG_FIRST:
        raise ImpossibleState("pending first must be null, or in phase swap the place of a hidden pawn")
    if fault == ONE_MEETING:
        raise ImpossibleState("pending meetings must name at least two meeting points in phase meeting")
    if fault == TOO_EARLY:
        raise ImpossibleState(f"pending meetings must be [] and penalty false in phase {phase}")
    if fault == CANNOT:
        raise ImpossibleState(f"pending as must be playable in this position: seat {s.to_move} cannot play {function}")


# ---------------------------------------------------------------- places


@kernel
def in_hole(s: State, place: Int) -> bool:
    """Whether a place of the loop is a hole."""
    return bool(place < GOAL and s.options.hole[place % s.options.quarter] != NONE)


@kernel
def wrong_place(s: State) -> Int:
    """Return the first place with a pawn that cannot be there, or NONE.

    AD-19, AD-21: exactly the pawns on holes are hidden, and in goals there are only visible pawns of the goal's color.
    While a companion is under way, pawns have not been turned over yet.
    """
    stepping, board = s.phase == STEP, s.board
    own = plays_for(s, np.int64(s.to_move)) if stepping else NONE
    for place in range(PLACES):
        pawn = np.int64(board[place])
        if pawn == EMPTY:
            continue
        if place >= GOAL:
            goal = (place - GOAL) // PAWNS
            if pawn != goal and not (goal == own and pawn >= HAT):
                return place
        elif not stepping and (pawn >= HAT) != in_hole(s, place):
            return place
    return NONE


@kernel
def to_be_turned(s: State) -> Int:
    """Return the number of pawns that will be turned over at the end of the companion under way."""
    pawns, board = 0, s.board
    for place in range(PLACES):
        pawns += board[place] != EMPTY and (board[place] >= HAT) != in_hole(s, place)
    return pawns


@kernel
def turned_too_many(s: State) -> bool:
    """Whether a companion has moved more pawns than it has spent points."""
    return bool(s.phase == STEP and to_be_turned(s) > POINTS - s.points)


def _check_places(s: State) -> None:
    """Check that each pawn can be where it is."""
    place = int(wrong_place(s))
    if place >= GOAL:
        raise ImpossibleState(
            f"pawns on {place_to_string(place)} must be visible and of the goal's color; a hidden pawn can only be in "
            "the mover's own goal in phase step"
        )
    if place != NONE and s.board[place] >= HAT:
        raise ImpossibleState(f"hidden must name holes except in phase step, and {place} is not a hole")
    if place != NONE:
        raise ImpossibleState(f"hidden must name each pawn on a hole except in phase step, and {place} is a hole")
    if turned_too_many(s):
        raise ImpossibleState(
            f"{to_be_turned(s)} pawns are to be turned over, but there can be at most {POINTS - s.points}, "
            "one for each point spent"
        )


# ---------------------------------------------------------------- the exchange


@kernel
def has_passed(s: State, seat: Int) -> bool:
    """Whether a seat comes before the seat to move, clockwise from the dealer."""
    players = np.int64(s.options.players)
    return bool((seat - s.dealer) % players < (np.int64(s.to_move) - s.dealer) % players)


@kernel
def exchange_fault(s: State) -> Int:
    """Return the first seat, from the dealer, that has passed too early or too late or has no card to pass, or NONE."""
    players = np.int64(s.options.players)
    for i in range(players):
        seat = (s.dealer + i) % players
        if (s.passed[seat] != NONE) != has_passed(s, seat):
            return seat
        if not has_passed(s, seat) and hand_size(s, seat) == 0:
            return seat
    return NONE


def _check_exchange(s: State) -> None:
    """Check that, clockwise from the dealer, exactly the seats before the seat to move have passed a card."""
    seat = exchange_fault(s)
    if seat == NONE:
        return
    if (s.passed[seat] != NONE) != has_passed(s, seat):
        should = "name a card" if has_passed(s, seat) else "be null"
        raise ImpossibleState(f"passed of seat {seat} must {should} now")
    raise ImpossibleState(f"hands of seat {seat} must hold a card, because it has yet to pass one")


# ---------------------------------------------------------------- the turn

TOO_LONG, HOME_ALREADY, NOT_PLAYABLE, NOT_FOR_FOUR, REDRAWN_PHASE, REDRAWN_CARDS, REDRAWN_OTHERS, NOTHING = range(1, 9)


@kernel
def turn_fault(s: State, mask: np.ndarray) -> Int:
    """Return the first fault of a game that is not over, or NO_FAULT. Overwrites `mask`, int8 [A]."""
    seat = np.int64(s.to_move)
    if s.cards_played >= s.options.max_turns:
        return TOO_LONG
    if s.phase not in (STEP, MEETING) and winning_seat(s, seat) != NONE:
        return HOME_ALREADY
    if s.phase in (CARD, REDRAW) and (playable_functions(s, seat) != 0) != (s.phase == CARD):
        return NOT_PLAYABLE
    if (s.phase == REDRAW or s.redrawn) and s.options.players == 4:
        return NOT_FOR_FOUR
    if s.redrawn and s.phase == EXCHANGE:
        return REDRAWN_PHASE
    if s.redrawn and s.phase == CARD and playable_cards(s) != 1:
        return REDRAWN_CARDS
    if s.redrawn and board_unchanged(s) and playable_cards(s) != 0:
        return REDRAWN_OTHERS
    legal(s, mask)
    for action in range(len(mask)):
        if mask[action]:
            return NO_FAULT
    return NOTHING


@kernel
def playable_cards(s: State) -> Int:
    """Return the number of playable cards in the hand of the seat to move."""
    found, cards = possible_functions(s, np.int64(s.to_move), ALL_FUNCTIONS), np.int64(0)
    for card in range(KINDS):
        if found & offers(s, card):
            cards += s.hands[s.to_move, card]
    return cards


def _check_turn(game: Game, s: State) -> None:
    """Check that the game is not over and that the seat to move has a legal decision.

    AD-35: until the board changes, a seat that has discarded and drawn has no playable card except the drawn card.
    """
    phase, seat = PHASES[s.phase], s.to_move
    fault = turn_fault(s, np.zeros(game.num_actions, np.int8))
    if fault == TOO_LONG:
        raise ImpossibleState(f"cards_played must be below max_turns, {s.options.max_turns}, unless phase is over")
    if fault == HOME_ALREADY:
        raise ImpossibleState("phase must be over, because all pawns of a side are home")
    if fault == NOT_PLAYABLE:
        raise ImpossibleState(
            f"hands of seat {seat} must hold {'no' if s.phase == REDRAW else 'a'} playable card in phase {phase}"
        )
    if fault == NOT_FOR_FOUR:
        raise ImpossibleState("phase must not be redraw, and redrawn must be false, with four players")
    if fault == REDRAWN_PHASE:
        raise ImpossibleState(f"redrawn must be false in phase {phase}")
    if fault == REDRAWN_CARDS:
        raise ImpossibleState(
            f"redrawn needs one playable card in the hand of seat {seat}, the drawn card, not {playable_cards(s)}"
        )
    if fault == REDRAWN_OTHERS:
        raise ImpossibleState(
            f"redrawn needs no playable card in the hand of seat {seat}, which is playing the drawn card"
        )
    if fault == NOTHING:
        raise ImpossibleState(f"seat {seat} must have a legal action, but has none in phase {phase}")
