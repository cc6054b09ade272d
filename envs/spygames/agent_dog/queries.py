"""Queries about a state of Agent DOG. AD-n names a rule in README.md."""

import numpy as np

from spygames.agent_dog.board import GOAL, PAWNS
from spygames.agent_dog.cards import COPY, KINDS, OFFERS, POINTS
from spygames.agent_dog.layout import EXCHANGE, HAT, NONE, PLACE, STEP, SWAPPING, State
from spygames.core.compiling.kernel import Int, kernel

# ---------------------------------------------------------------- colors and places


@kernel
def seat_colour(players: Int, seat: Int) -> Int:
    """AD-1: return the color of a seat. Two players sit opposite each other."""
    return np.int64(2 * seat if players == 2 else seat)


@kernel
def colour_of(s: State, seat: Int) -> Int:
    """AD-1: return the color of a seat in this game."""
    return seat_colour(s.options.players, seat)


@kernel
def team_mate(s: State, one: Int, other: Int) -> bool:
    """AD-1: whether two colors are of one team, or the same color."""
    return one == other or (s.options.players == 4 and one == other ^ 2)


@kernel
def start_of(s: State, colour: Int) -> Int:
    """AD-1: return the start space of a color."""
    return colour * np.int64(s.options.quarter)


@kernel
def goal_of(colour: Int) -> Int:
    """Return the first goal space of a color."""
    return GOAL + PAWNS * np.int64(colour)


@kernel
def is_home(s: State, colour: Int) -> bool:
    """AD-18: whether all four pawns of a color are in its goal. A hidden pawn is not home yet."""
    goal = goal_of(colour)
    return bool(
        s.board[goal] == colour
        and s.board[goal + 1] == colour
        and s.board[goal + 2] == colour
        and s.board[goal + 3] == colour
    )


@kernel
def plays_for(s: State, seat: Int) -> Int:
    """AD-18: return the color that a seat plays: its own, or its partner's once its own four pawns are home."""
    colour = colour_of(s, seat)
    if s.options.players == 4 and is_home(s, colour):
        return colour ^ 2
    return colour


@kernel
def is_protected(s: State, place: Int) -> bool:
    """AD-13: whether a visible pawn is on the start space of its own color and can be neither jumped nor captured."""
    pawn = np.int64(s.board[place])
    return bool(0 <= pawn < HAT and place == pawn * s.options.quarter)


@kernel
def hidden_pawns(s: State) -> Int:
    """Return the number of hidden pawns on the track, counted up to two."""
    n = 0
    for place in range(s.options.track):
        n += s.board[place] >= HAT
        if n == 2:
            break
    return n


@kernel
def winning_seat(s: State, mover: Int) -> Int:
    """AD-32: return the first seat, from the mover on, of a side with all pawns home, or NONE."""
    players = np.int64(s.options.players)
    for i in range(players):
        seat = (mover + i) % players
        colour = colour_of(s, seat)
        if is_home(s, colour) and (players < 4 or is_home(s, colour ^ 2)):
            return seat
    return NONE


# ---------------------------------------------------------------- cards


@kernel
def hand_size(s: State, seat: Int) -> Int:
    """Return the number of cards in a hand."""
    size = 0
    for card in range(KINDS):
        size += np.int64(s.hands[seat, card])
    return size


@kernel
def seat_after(players: Int, seat: Int, k: Int) -> Int:
    """Return the seat `k` places, 0 to `players`, clockwise of `seat`. Avoids a division, which is slow."""
    return seat + k if seat + k < players else seat + k - players


@kernel
def taker(s: State, seat: Int) -> Int:
    """AD-6: return the seat that gets the card passed by `seat`: its partner, or without teams the next seat."""
    if s.options.players == 4:
        return seat ^ 2
    return (seat + 1) % s.options.players


@kernel
def giver(s: State, seat: Int) -> Int:
    """AD-6: return the seat that passes a card to `seat`."""
    if s.options.players == 4:
        return seat ^ 2
    return (seat + s.options.players - 1) % s.options.players


@kernel
def unseen(s: State, seat: Int, card: Int) -> Int:
    """Return the number of copies of `card` in places that `seat` cannot see."""
    count = np.int64(s.options.copies[card]) - s.hands[seat, card] - s.discarded[card] - (s.card == card)
    if s.phase == EXCHANGE:
        count -= s.passed[seat] == card
    return count


@kernel
def offers(s: State, card: Int) -> Int:
    """AD-25 to AD-28: return the functions of a card as bits. A copy has those of the last card (AD-27)."""
    if card == COPY:
        return OFFERS[np.int64(s.last_card)] if s.last_card != NONE else 0
    return OFFERS[card]


@kernel
def board_unchanged(s: State) -> bool:
    """Whether the card being played has not changed the board yet, so that the same cards are playable as before."""
    return bool(s.phase == PLACE or s.phase == SWAPPING or (s.phase == STEP and s.points == POINTS))
