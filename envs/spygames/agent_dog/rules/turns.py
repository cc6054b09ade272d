"""How a turn begins and ends: playable cards; meetings, win, penalty, next player. AD-n: the rule in README.md."""

import numpy as np

from spygames.agent_dog.cards import COMPANION, COPY, KINDS, NUMBERS, POINTS, START, STEPS, SWAP
from spygames.agent_dog.layout import CARD, HOME, LARGEST, MEETING, NONE, OVER, REDRAW, TRUNCATED, State
from spygames.agent_dog.queries import hand_size, hidden_pawns, offers, plays_for, start_of, winning_seat
from spygames.agent_dog.rules.companion import can_spend
from spygames.agent_dog.rules.moves import meet, possible_steps
from spygames.agent_dog.rules.piles import lay_down_hand, lay_on_top, lay_under, new_round, one_more
from spygames.core.compiling.kernel import Int, kernel

# ---------------------------------------------------------------- what can be played


@kernel
def possible_functions(s: State, seat: Int, wanted: Int) -> Int:
    """AD-9: those of the `wanted` functions (bits) that can be carried out completely."""
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
    """The functions (as bits) that the hand of `seat` offers and that can be carried out completely."""
    wanted = 0
    for card in range(KINDS):
        if s.hands[seat, card] > 0:
            wanted |= offers(s, card)
    return possible_functions(s, seat, wanted)


# ---------------------------------------------------------------- the end of a turn


@kernel
def hold_meetings(s: State) -> None:
    """AD-31: the player chooses while two or more meetings are left; the last one is held by itself."""
    if s.meetings & (s.meetings - 1):
        s.phase = MEETING
        return
    for quadrant in range(4):
        if s.meetings >> quadrant & 1:
            meet(s, quadrant)
    end_turn(s)


@kernel
def end_turn(s: State) -> None:
    """AD-33: win, penalty, next player. AD-37: the game is cut off after `max_turns` cards."""
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
    """Marks that no card is being played."""
    s.card = s.function = s.first = s.moved = NONE
    s.points = s.meetings = s.penalty = s.redrawn = 0


@kernel
def finish(s: State, winner: Int) -> None:
    """The game is over; a winner's partner wins with it (AD-32), nobody where it is cut off (AD-37)."""
    s.phase, s.to_move = OVER, NONE
    s.end_reason = TRUNCATED if winner == NONE else HOME
    s.winners = 0
    if winner != NONE:
        s.winners = 1 << winner
        if s.options.players == 4:
            s.winners |= 1 << (winner ^ 2)


@kernel
def next_player(s: State) -> None:
    """AD-7: the next seat that holds cards has its turn; when none does, the next player deals.

    AD-10, AD-35: a seat without a playable card is out of the round, or with two and three players exchanges a card.
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
    # Whoever was passed over holds nothing any more, so nobody does.
    s.dealer = (s.dealer + 1) % players
    new_round(s)
