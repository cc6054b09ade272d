"""The view of a seat: what it may know. AD-n: the rule in README.md."""

import numpy as np

from spygames.agent_dog.board import PAWNS
from spygames.agent_dog.cards import FUNCTIONS, KINDS
from spygames.agent_dog.layout import EMPTY, EXCHANGE, HAT, NONE, OVER, PHASES, SEATS
from spygames.agent_dog.queries import colour_of, giver, goal_of, hand_size, unseen
from spygames.agent_dog.types import State, View
from spygames.core.kernel import Int, kernel


@kernel
def observe(s: State, seat: Int, view: View) -> None:
    """Writes what `seat` may know, seen from its start space, its colour and its place at the board."""
    observe_board(s, seat, view)
    observe_cards(s, seat, view)
    observe_turn(s, seat, view)


@kernel
def observe_board(s: State, seat: Int, view: View) -> None:
    """Pawns, holes and meeting points. AD-24: colours under hats only where they are tracked."""
    own, track, quarter = colour_of(s, seat), np.int64(s.options.track), np.int64(s.options.quarter)
    place = own * quarter
    for space in range(track):
        pawn = np.int64(s.board[place])
        for colour in range(4):
            view.track[space, colour] = 0
        view.hats[space] = 0
        if pawn >= HAT:
            view.hats[space] = -1 if place == s.first else 1
        if pawn != EMPTY and (pawn < HAT or s.options.tracked):
            view.track[space, (pawn - own) & 3] = 1
        place = place + 1 if place + 1 < track else 0
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


@kernel
def observe_cards(s: State, seat: Int, view: View) -> None:
    """Cards in hands, on piles and being played."""
    players = np.int64(s.options.players)
    came = np.int64(s.passed[giver(s, seat)]) if s.phase != EXCHANGE else NONE
    for card in range(KINDS):
        view.holds[card] = s.hands[seat, card] > 0
        view.hand[card] = s.hands[seat, card] / 5
        view.unseen[card] = unseen(s, seat, card) / 10
        view.discarded[card] = s.discarded[card] / 10
        view.passed[card] = s.passed[seat] == card
        view.received[card] = came == card
        view.copies[card] = s.last_card == card
        view.card[card] = s.card == card
    for k in range(SEATS):
        other = (seat + k) % players
        view.hand_size[k] = hand_size(s, other) / 5 if k < players else 0
        view.out[k] = s.out[other] if k < players else 0
        if k > 0:
            for card in range(KINDS):
                view.lost[k - 1, card] = s.lost[other, card] / 5 if k < players else 0
    size = 0
    for card in range(KINDS):
        size += np.int64(s.options.copies[card])
    view.deck_size = s.deck_size / size


@kernel
def observe_turn(s: State, seat: Int, view: View) -> None:
    """Whose decision it is, of which kind, and how far the game is."""
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
        other = (seat + k) % players
        view.decides[k] = k < players and s.phase != OVER and s.to_move == other
        view.dealer[k] = k < players and s.dealer == other
    view.played = s.cards_played / s.options.max_turns
    view.teams = players == 4
