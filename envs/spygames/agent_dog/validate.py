"""Refuses states of Agent DOG whose parts contradict each other. AD-n: the rule in README.md."""

import numpy as np

from spygames.agent_dog.board import GOAL, PAWNS, place_to_string
from spygames.agent_dog.cards import CARDS, COMPANION, COPY, FUNCTIONS, KINDS, NUMBERS, OFFERS, POINTS, SWAP
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
    STEP,
    SWAPPING,
)
from spygames.agent_dog.queries import board_unchanged, offers, plays_for, winning_seat
from spygames.agent_dog.rules.play import legal
from spygames.agent_dog.rules.turns import playable_functions, possible_functions
from spygames.agent_dog.types import State
from spygames.core.game import Game, ImpossibleState


def check_state(game: Game, s: State) -> None:
    """Checks a state that was read from a mapping.

    Raises:
        ImpossibleState: two parts of it contradict each other.
    """
    phase = PHASES[s.phase]
    there = s.hands.sum(0) + s.discarded + np.bincount(s.deck[: s.deck_size], minlength=KINDS)
    for card in (*(s.passed.tolist() if s.phase == EXCHANGE else ()), int(s.card)):
        if card != NONE:
            there[card] += 1
    for card, (total, copies) in enumerate(zip(there.tolist(), s.options.copies.tolist(), strict=True)):
        if total != copies:
            raise ImpossibleState(
                f"there are {copies} copies of {CARDS[card]}, but hands, deck, discard and pending"
                f"{' and passed' if s.phase == EXCHANGE else ''} hold {total}"
            )
    playing = s.phase in (PLACE, STEP, SWAPPING, MEETING)
    if playing != (s.card != NONE):
        raise ImpossibleState(f"pending must {'not ' if playing else ''}be null in phase {phase}")
    if playing:
        _check_pending(s)
    _check_places(s)
    if (s.phase == OVER) != (s.end_reason != NONE):
        raise ImpossibleState("end_reason belongs to phase over, and to no other")
    if (s.winners != 0) != (s.end_reason == 0):
        raise ImpossibleState("winners are named where the end_reason is home, and nowhere else")
    if s.phase == EXCHANGE:
        _check_exchange(game, s)
    _check_out(s)
    if s.phase == OVER:
        return
    if s.cards_played >= s.options.max_turns:
        raise ImpossibleState(f"cards_played must be below max_turns, {s.options.max_turns}, while the game goes on")
    if s.phase not in (STEP, MEETING) and winning_seat(s, int(s.to_move)) != NONE:
        raise ImpossibleState("pawns: a side has all of them home, so the phase must be over")
    if s.phase in (CARD, REDRAW) and (playable_functions(s, int(s.to_move)) != 0) != (s.phase == CARD):
        raise ImpossibleState(
            f"phase is {phase}, but hands of seat {s.to_move} hold {'a' if s.phase == REDRAW else 'no'} playable card"
        )
    if (s.phase == REDRAW or s.redrawn) and game.num_players == 4:
        raise ImpossibleState("phase redraw and redrawn are for two and three players")
    _check_redrawn(s)
    mask = np.zeros(game.num_actions, np.int8)
    legal(s, mask)
    if not mask.any():
        raise ImpossibleState(f"in phase {phase} seat {s.to_move} has nothing to decide: nothing is legal")


def _check_pending(s: State) -> None:
    """The card being played fits its function and the phase."""
    card, function = int(s.card), int(s.function)
    if card != COPY and not OFFERS[card] >> function & 1:
        raise ImpossibleState(f"pending: a {CARDS[card]} cannot be played as {FUNCTIONS[function]}")
    if card == COPY and not offers(s, card) >> function & 1:
        raise ImpossibleState(f"pending: a copy of last_card cannot be played as {FUNCTIONS[function]}")
    fits = {PLACE: function < NUMBERS + 1, STEP: function == COMPANION, SWAPPING: function == SWAP, MEETING: True}
    if not fits[int(s.phase)]:
        raise ImpossibleState(f"pending is played as {FUNCTIONS[function]}, which has no phase {PHASES[s.phase]}")
    if (s.points > 0) != (s.phase == STEP):
        raise ImpossibleState("pending points are above 0 in phase step, and in no other")
    if s.moved != NONE and (s.phase != STEP or s.board[s.moved] == EMPTY):
        raise ImpossibleState("pending moved is the place of a pawn in phase step")
    if s.first != NONE and (s.phase != SWAPPING or s.board[s.first] < HAT):
        raise ImpossibleState("pending first is the place of a hidden pawn in phase swap")
    if s.phase == MEETING and not s.meetings & (s.meetings - 1):
        raise ImpossibleState("phase meeting is for two meetings or more")
    if s.phase in (PLACE, SWAPPING) and (s.meetings or s.penalty):
        raise ImpossibleState(f"pending meetings and penalty cannot be in phase {PHASES[s.phase]}")
    if s.phase in (PLACE, SWAPPING) and not possible_functions(s, int(s.to_move), 1 << function):
        raise ImpossibleState(f"pending: seat {s.to_move} can carry out nothing as {FUNCTIONS[function]} here")


def _check_out(s: State) -> None:
    """AD-10, AD-23: a seat that is out of the round has laid down its hand."""
    for seat in np.flatnonzero(s.out):
        if s.phase == EXCHANGE or s.hands[seat].any():
            why = "a round begins with all in it" if s.phase == EXCHANGE else "it holds cards"
            raise ImpossibleState(f"out names seat {seat}, but {why}")


def _check_redrawn(s: State) -> None:
    """AD-35: a seat that has discarded and drawn holds no playable card but the drawn one, until the board changes."""
    if not s.redrawn:
        return
    if s.phase in (EXCHANGE, OVER):
        raise ImpossibleState(f"redrawn belongs to a turn, so it cannot be true in phase {PHASES[s.phase]}")
    seat = int(s.to_move)
    found = int(possible_functions(s, seat, (1 << len(FUNCTIONS)) - 1))
    able = sum(int(s.hands[seat, card]) for card in range(KINDS) if found & offers(s, card))
    if s.phase == CARD and able != 1:
        raise ImpossibleState(f"redrawn: seat {seat} must hold one playable card, the one it has drawn, not {able}")
    if board_unchanged(s) and able:
        raise ImpossibleState(f"redrawn: seat {seat} plays the card it has drawn, so it can hold no other playable one")


def _check_places(s: State) -> None:
    """AD-19, AD-21: hidden pawns and no others stand on holes, and in goals only visible ones of their own colour.

    A companion under way has moved at most one pawn for each point that it has spent; hats are turned at its end.
    """
    stepping, moved = s.phase == STEP, 0
    own = int(plays_for(s, int(s.to_move))) if stepping else NONE
    hole, quarter = s.options.hole, int(s.options.quarter)
    for place, pawn in enumerate(s.board.tolist()):
        goal = (place - GOAL) // PAWNS if place >= GOAL else NONE
        if goal != NONE and pawn != EMPTY and pawn != goal and not (goal == own and pawn >= HAT):
            raise ImpossibleState(
                f"pawns: {place_to_string(place)} may hold visible pawns of its own colour, and hidden ones only in "
                "the mover's own goal while a companion is played"
            )
        if goal == NONE and pawn >= HAT and not stepping and hole[place % quarter] == NONE:
            raise ImpossibleState(f"hidden: {place} is no hole, so no hidden pawn stands there but in phase step")
        if goal == NONE and EMPTY < pawn < HAT and not stepping and hole[place % quarter] != NONE:
            raise ImpossibleState(f"pawns: {place} is a hole, so no visible pawn stands there but in phase step")
        in_hole = goal == NONE and hole[place % quarter] != NONE
        moved += pawn != EMPTY and (pawn >= HAT) != in_hole
    if stepping and moved > POINTS - s.points:
        raise ImpossibleState(
            f"{moved} pawns are still to be turned over, but of the {POINTS} pending points {s.points} are left"
        )


def _check_exchange(game: Game, s: State) -> None:
    """From the dealer clockwise, the seats before the seat to move have passed a card, the others have not."""
    before = (int(s.to_move) - int(s.dealer)) % game.num_players
    for i in range(game.num_players):
        seat = (int(s.dealer) + i) % game.num_players
        if (s.passed[seat] != NONE) != (i < before):
            raise ImpossibleState(f"passed of seat {seat} must {'name a card' if i < before else 'be null'} now")
        if i >= before and not s.hands[seat].any():
            raise ImpossibleState(f"hands of seat {seat} must hold a card, for it has yet to pass one")
