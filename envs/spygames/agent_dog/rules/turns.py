"""Beginning and end of a turn: playable cards; meetings, win, penalty, next player. AD-n names a rule in README.md."""

import numpy as np

from spygames.agent_dog.cards import COMPANION, COPY, KINDS, NUMBERS, POINTS, START, STEPS, SWAP
from spygames.agent_dog.layout import CARD, HOME, LARGEST, MEETING, NONE, OVER, REDRAW, TRUNCATED, State
from spygames.agent_dog.queries import hand_size, hidden_pawns, offers, plays_for, start_of, winning_seat
from spygames.agent_dog.rules.companion import can_spend
from spygames.agent_dog.rules.moves import meet, possible_steps
from spygames.agent_dog.rules.piles import lay_down_hand, lay_on_top, lay_under, new_round, one_more
from spygames.core.compiling.kernel import Int, kernel

# ---------------------------------------------------------------- playable cards


@kernel
def possible_functions(s: State, seat: Int, wanted: Int) -> Int:
    """AD-9: return the `wanted` functions (bits) that can be carried out completely."""
    found = 0
    if wanted & ((1 << NUMBERS) - 1):
        steps = possible_steps(s, seat)
        for function in range(NUMBERS):
            if steps >> STEPS[function] & 1:
                found |= 1 << function
    if wanted >> START & 1:
        own = plays_for(s, seat)
        if s.area[own] > 0 and s.board[start_of(s, own)] != own:
            found |= 1 << START
    if wanted >> SWAP & 1 and hidden_pawns(s) >= 2:
        found |= 1 << SWAP
    if wanted >> COMPANION & 1 and can_spend(s, seat, POINTS):
        found |= 1 << COMPANION
    return found & wanted


@kernel
def playable_functions(s: State, seat: Int) -> Int:
    """Return the functions (as bits) of the hand of `seat` that can be carried out completely."""
    wanted = 0
    for card in range(KINDS):
        if s.hands[seat, card] > 0:
            wanted |= offers(s, card)
    return possible_functions(s, seat, wanted)


# ---------------------------------------------------------------- the end of a turn


@kernel
def hold_meetings(s: State) -> None:
    """AD-31: ask for the next meeting while two or more are due, else hold the last one and end the turn."""
    if s.meetings & (s.meetings - 1):
        s.phase = MEETING
        return
    for quadrant in range(4):
        if s.meetings >> quadrant & 1:
            meet(s, quadrant)
    end_turn(s)


@kernel
def end_turn(s: State) -> None:
    """End the turn: win, penalty, next player (AD-33). Cut the game off after `max_turns` cards (AD-37)."""
    seat, card = np.int64(s.to_move), np.int64(s.card)
    s.turn = one_more(s.turn, LARGEST)
    s.cards_played += 1
    winner = winning_seat(s, seat)
    over = winner != NONE or s.cards_played >= s.options.max_turns
    if s.penalty and not over:
        lay_under(s, card)
        lay_down_hand(s, seat)
    else:
        lay_on_top(s, card)
        if card != COPY:
            s.last_card = card
    clear_card(s)
    if over:
        finish(s, winner)
    else:
        next_player(s)


@kernel
def clear_card(s: State) -> None:
    """Clear all fields of the card being played."""
    s.card = s.function = s.first = s.moved = NONE
    s.points = s.meetings = s.penalty = s.redrawn = 0


@kernel
def finish(s: State, winner: Int) -> None:
    """End the game. A winner's partner also wins (AD-32); nobody wins a game that is cut off (AD-37)."""
    s.phase, s.to_move = OVER, NONE
    s.end_reason = TRUNCATED if winner == NONE else HOME
    s.winners = 0
    if winner != NONE:
        s.winners = 1 << winner
        if s.options.players == 4:
            s.winners |= 1 << (winner ^ 2)


@kernel
def next_player(s: State) -> None:
    """AD-7: pass the turn to the next seat that holds cards. If no seat does, the next player deals.

    A seat without a playable card is out of the round (AD-10), or with two and three players discards and draws a card
    (AD-35).
    """
    players = np.int64(s.options.players)
    seat = np.int64(s.to_move)
    for _ in range(players):
        seat = (seat + 1) % players
        if hand_size(s, seat) > 0:
            s.to_move = seat
            if playable_functions(s, seat) != 0:
                s.phase = CARD
                return
            if players < 4:
                s.phase = REDRAW
                return
            lay_down_hand(s, seat)
    # All skipped seats have empty hands now, so the round is over.
    s.dealer = (s.dealer + 1) % players
    new_round(s)
