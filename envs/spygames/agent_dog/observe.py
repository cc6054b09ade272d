"""`observe`: write what a seat may know into its VIEW. AD-n names a rule in README.md."""

import numpy as np
from numpy import float32

from spygames.agent_dog.board import PAWNS
from spygames.agent_dog.cards import FUNCTIONS, KINDS
from spygames.agent_dog.layout import EMPTY, EXCHANGE, HAT, NONE, OVER, PHASES, SEATS, State, View
from spygames.agent_dog.queries import colour_of, giver, goal_of, hand_size, seat_after, unseen
from spygames.core.compiling.kernel import Int, kernel

_FIVE, _TEN = float32(5), float32(10)  # division by float32 is faster than by integers, with the same results


@kernel
def observe(s: State, seat: Int, view: View) -> None:
    """Write what `seat` may know, relative to its start space, its color and its seat."""
    observe_board(s, seat, view)
    observe_cards(s, seat, view)
    observe_turn(s, seat, view)


@kernel(noalias=True)
def observe_board(s: State, seat: Int, view: View) -> None:
    """Write pawns, holes and meeting points. Colors under hats are written only if they are tracked (AD-24)."""
    own, track = colour_of(s, seat), np.int64(s.options.track)
    # The loops over spaces have no branches, so that the compiler can vectorize them. It must also know that no index
    # is negative, because a negative index counts from the end; `& 127` shows it.
    quarter = np.int64(s.options.quarter) & 127
    known = ~HAT if s.options.tracked else ~0  # bits of a pawn that the seat may know; EMPTY stays below the colors
    for k in range(4):
        start = ((own + k) & 3) * quarter
        for offset in range(quarter):
            pawn = np.int64(s.board[start + offset]) & known
            for colour in range(4):
                view.track[k * quarter + offset, colour] = pawn == (own + colour) & 3
        for offset in range(quarter):
            view.hats[k * quarter + offset] = s.board[start + offset] >= HAT
    if s.first != NONE:
        view.hats[(s.first + track - own * quarter) % track] = -1
    for k in range(4):
        colour = (own + k) & 3
        view.areas[k] = s.area[colour] / PAWNS
        for i in range(PAWNS):
            pawn = s.board[goal_of(colour) + i]
            view.goals[k, i] = 0 if pawn == EMPTY else (1 if pawn < HAT else -1)
        view.on_start[k] = s.moved == colour * quarter
        view.meetings[k] = s.meetings >> colour & 1
    for offset in range(quarter):
        view.holes[offset] = s.options.hole[offset] >= 0
        view.meeting[offset] = offset == s.options.meeting


@kernel(noalias=True)
def observe_cards(s: State, seat: Int, view: View) -> None:
    """Write cards in hands, on piles and being played."""
    players = np.int64(s.options.players)
    came = np.int64(s.passed[giver(s, seat)]) if s.phase != EXCHANGE else NONE
    for card in range(KINDS):
        view.holds[card] = s.hands[seat, card] > 0
        view.hand[card] = float32(s.hands[seat, card]) / _FIVE
        view.unseen[card] = float32(unseen(s, seat, card)) / _TEN
        view.discarded[card] = float32(s.discarded[card]) / _TEN
        view.passed[card] = s.passed[seat] == card
        view.received[card] = came == card
        view.copies[card] = s.last_card == card
        view.card[card] = s.card == card
    for k in range(SEATS):
        other = seat_after(players, seat, k)
        view.hand_size[k] = float32(hand_size(s, other)) / _FIVE if k < players else 0
        view.out[k] = s.out[other] if k < players else 0
        if k > 0:
            for card in range(KINDS):
                view.lost[k - 1, card] = float32(s.lost[other, card]) / _FIVE if k < players else 0
    size = 0
    for card in range(KINDS):
        size += np.int64(s.options.copies[card])
    view.deck_size = s.deck_size / size


@kernel(noalias=True)
def observe_turn(s: State, seat: Int, view: View) -> None:
    """Write the seat to decide, the kind of decision, and the progress of the game."""
    players = np.int64(s.options.players)
    for function in range(len(FUNCTIONS)):
        view.function[function] = s.function == function
    for i in range(4):
        view.points[i] = i < s.points
    view.penalty = s.penalty
    view.redrawn = s.redrawn
    for phase in range(len(PHASES) - 1):
        view.phase[phase] = s.phase == phase
    for k in range(SEATS):
        other = seat_after(players, seat, k)
        view.decides[k] = k < players and s.phase != OVER and s.to_move == other
        view.dealer[k] = k < players and s.dealer == other
    view.played = s.cards_played / s.options.max_turns
    view.teams = players == 4
