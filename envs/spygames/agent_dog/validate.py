"""Refuses states of Agent DOG whose parts contradict each other. AD-n: the rule in README.md.

Kernels find what is wrong; `check_state` says it in words, of a state that was read from a mapping. `is_known` judges
the bytes of a state, where nobody waits for words.
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
    """Checks a state that was read from a mapping.

    Raises:
        ImpossibleState: two parts of it contradict each other.
    """
    phase = PHASES[s.phase]
    if (card := miscounted(s)) != NONE:
        raise ImpossibleState(
            f"there are {s.options.copies[card]} copies of {CARDS[card]}, but hands, deck, discard and pending"
            f"{' and passed' if s.phase == EXCHANGE else ''} hold {copies_held(s, card)}"
        )
    if is_playing(s) != (s.card != NONE):
        raise ImpossibleState(f"pending must {'not ' if is_playing(s) else ''}be null in phase {phase}")
    if is_playing(s):
        _check_pending(s)
    _check_places(s)
    if (s.phase == OVER) != (s.end_reason != NONE):
        raise ImpossibleState("end_reason belongs to phase over, and to no other")
    if (s.winners != 0) != (s.end_reason == 0):
        raise ImpossibleState("winners are named where the end_reason is home, and nowhere else")
    if s.phase == EXCHANGE:
        _check_exchange(s)
    if (seat := out_with_cards(s)) != NONE:
        why = "a round begins with all in it" if s.phase == EXCHANGE else "it holds cards"
        raise ImpossibleState(f"out names seat {seat}, but {why}")
    if s.phase != OVER:
        _check_turn(game, s)


@kernel
def agrees(s: State) -> bool:
    """Whether fields that depend on each other, each in its range, agree as `state_from_dict` demands."""
    fine = (s.to_move == NONE) == (s.phase == OVER) and s.cards_played <= s.options.max_turns
    fine = fine and s.winners < 1 << np.int64(s.options.players)
    return bool(fine and _pawns_agree(s) and _cards_agree(s) and _pending_agrees(s))


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
def _pawns_agree(s: State) -> bool:
    """Each seat's four pawns, and no others."""
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
    """The discard pile is counted, and a copy copies another card."""
    fine = s.last_card != COPY
    for card in range(KINDS):
        there = 0
        for i in range(MAX_CARDS):
            there += s.discard[i] == card
        fine = fine and s.discarded[card] == there
    return bool(fine)


@kernel
def _pending_agrees(s: State) -> bool:
    """The card being played; without one, all of it is as `clear_card` leaves it."""
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
    """Whether the variant of these options knows the position: its mapping reads back as the same bytes.

    `s` may be any bytes. The ranges are those of `state_from_dict`. `mask`, int8 [A], is written.
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
    """The first seat whose passed card is gone though its taker has lost none, or NONE."""
    for seat in range(s.options.players):
        card, to = np.int64(s.passed[seat]), taker(s, seat)
        if s.phase != EXCHANGE and card != NONE and s.hands[to, card] == 0 and s.lost[to, card] == 0:
            return seat
    return NONE


@kernel
def copies_held(s: State, card: Int) -> Int:
    """Copies of a card, wherever they are."""
    total, deck = np.int64(s.discarded[card]) + (s.card == card), s.deck
    for seat in range(SEATS):
        total += s.hands[seat, card]
        total += s.phase == EXCHANGE and s.passed[seat] == card
    for i in range(s.deck_size):
        total += deck[i] == card
    return total


@kernel
def miscounted(s: State) -> Int:
    """The first card of which there are not as many as the deck has, or NONE."""
    for card in range(KINDS):
        if copies_held(s, card) != s.options.copies[card]:
            return card
    return NONE


@kernel
def out_with_cards(s: State) -> Int:
    """AD-10, AD-23: the first seat that is out of the round and has not laid down its hand, or NONE."""
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
    """What of the card being played does not fit its function and the phase; NO_FAULT if all does."""
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
    """The card being played fits its function and the phase."""
    fault, phase, card, function = pending_fault(s), PHASES[s.phase], CARDS[s.card], FUNCTIONS[s.function]
    if fault == NOT_OF_CARD:
        raise ImpossibleState(f"pending: a {card} cannot be played as {function}")
    if fault == NOT_OF_COPY:
        raise ImpossibleState(f"pending: a copy of last_card cannot be played as {function}")
    if fault == NOT_OF_PHASE:
        raise ImpossibleState(f"pending is played as {function}, which has no phase {phase}")
    if fault == WRONG_POINTS:
        raise ImpossibleState("pending points are above 0 in phase step, and in no other")
    if fault == WRONG_MOVED:
        raise ImpossibleState("pending moved is the place of a pawn in phase step")
    if fault == WRONG_FIRST:
        raise ImpossibleState("pending first is the place of a hidden pawn in phase swap")
    if fault == ONE_MEETING:
        raise ImpossibleState("phase meeting is for two meetings or more")
    if fault == TOO_EARLY:
        raise ImpossibleState(f"pending meetings and penalty cannot be in phase {phase}")
    if fault == CANNOT:
        raise ImpossibleState(f"pending: seat {s.to_move} can carry out nothing as {function} here")


# ---------------------------------------------------------------- places


@kernel
def in_hole(s: State, place: Int) -> bool:
    """Whether a place of the loop is a hole."""
    return bool(place < GOAL and s.options.hole[place % s.options.quarter] != NONE)


@kernel
def wrong_place(s: State) -> Int:
    """The first place of a pawn that cannot stand there, or NONE.

    AD-19, AD-21: hidden pawns and no others stand on holes, and in goals only visible ones of their own colour. While a
    companion is under way hats are not turned yet.
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
    """Pawns that a companion under way has yet to turn over: hats are turned at its end."""
    pawns, board = 0, s.board
    for place in range(PLACES):
        pawns += board[place] != EMPTY and (board[place] >= HAT) != in_hole(s, place)
    return pawns


@kernel
def turned_too_many(s: State) -> bool:
    """Whether a companion has moved more pawns than it has spent points."""
    return bool(s.phase == STEP and to_be_turned(s) > POINTS - s.points)


def _check_places(s: State) -> None:
    """Each pawn can stand where it stands."""
    place = int(wrong_place(s))
    if place >= GOAL:
        raise ImpossibleState(
            f"pawns: {place_to_string(place)} may hold visible pawns of its own colour, and hidden ones only in "
            "the mover's own goal while a companion is played"
        )
    if place != NONE and s.board[place] >= HAT:
        raise ImpossibleState(f"hidden: {place} is no hole, so no hidden pawn stands there but in phase step")
    if place != NONE:
        raise ImpossibleState(f"pawns: {place} is a hole, so no visible pawn stands there but in phase step")
    if turned_too_many(s):
        raise ImpossibleState(
            f"{to_be_turned(s)} pawns are still to be turned over, but of the {POINTS} pending points {s.points} are "
            "left"
        )


# ---------------------------------------------------------------- the exchange


@kernel
def has_passed(s: State, seat: Int) -> bool:
    """Whether a seat comes before the seat to move, from the dealer clockwise."""
    players = np.int64(s.options.players)
    return bool((seat - s.dealer) % players < (np.int64(s.to_move) - s.dealer) % players)


@kernel
def exchange_fault(s: State) -> Int:
    """The first seat from the dealer that has passed a card too early, or not yet, or has none to pass; or NONE."""
    players = np.int64(s.options.players)
    for i in range(players):
        seat = (s.dealer + i) % players
        if (s.passed[seat] != NONE) != has_passed(s, seat):
            return seat
        if not has_passed(s, seat) and hand_size(s, seat) == 0:
            return seat
    return NONE


def _check_exchange(s: State) -> None:
    """From the dealer clockwise, the seats before the seat to move have passed a card, the others have not."""
    seat = exchange_fault(s)
    if seat == NONE:
        return
    if (s.passed[seat] != NONE) != has_passed(s, seat):
        should = "name a card" if has_passed(s, seat) else "be null"
        raise ImpossibleState(f"passed of seat {seat} must {should} now")
    raise ImpossibleState(f"hands of seat {seat} must hold a card, for it has yet to pass one")


# ---------------------------------------------------------------- the turn

TOO_LONG, HOME_ALREADY, NOT_PLAYABLE, NOT_FOR_FOUR, REDRAWN_PHASE, REDRAWN_CARDS, REDRAWN_OTHERS, NOTHING = range(1, 9)


@kernel
def turn_fault(s: State, mask: np.ndarray) -> Int:
    """What does not fit a game that goes on; NO_FAULT if all does. `mask`, int8 [A], is written."""
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
    """Cards in the hand of the seat to move that it can play."""
    found, cards = possible_functions(s, np.int64(s.to_move), ALL_FUNCTIONS), np.int64(0)
    for card in range(KINDS):
        if found & offers(s, card):
            cards += s.hands[s.to_move, card]
    return cards


def _check_turn(game: Game, s: State) -> None:
    """The game goes on, and the seat to move has something to decide.

    AD-35: a seat that has discarded and drawn holds no playable card but the drawn one, until the board changes.
    """
    phase, seat = PHASES[s.phase], s.to_move
    fault = turn_fault(s, np.zeros(game.num_actions, np.int8))
    if fault == TOO_LONG:
        raise ImpossibleState(f"cards_played must be below max_turns, {s.options.max_turns}, while the game goes on")
    if fault == HOME_ALREADY:
        raise ImpossibleState("pawns: a side has all of them home, so the phase must be over")
    if fault == NOT_PLAYABLE:
        raise ImpossibleState(
            f"phase is {phase}, but hands of seat {seat} hold {'a' if s.phase == REDRAW else 'no'} playable card"
        )
    if fault == NOT_FOR_FOUR:
        raise ImpossibleState("phase redraw and redrawn are for two and three players")
    if fault == REDRAWN_PHASE:
        raise ImpossibleState(f"redrawn belongs to a turn, so it cannot be true in phase {phase}")
    if fault == REDRAWN_CARDS:
        raise ImpossibleState(
            f"redrawn: seat {seat} must hold one playable card, the one it has drawn, not {playable_cards(s)}"
        )
    if fault == REDRAWN_OTHERS:
        raise ImpossibleState(f"redrawn: seat {seat} plays the card it has drawn, so it can hold no other playable one")
    if fault == NOTHING:
        raise ImpossibleState(f"in phase {phase} seat {seat} has nothing to decide: nothing is legal")
