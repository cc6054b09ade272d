"""The rules of Agent DOG: rounds, turns and their ends. How pawns move is in moves.py and companion.py, what a seat may
know in knowledge.py. AD-n: the rule in README.md.
"""

import numpy as np
from numpy import uint64

from spygames.agent_dog.board import PAWNS
from spygames.agent_dog.cards import (
    CHOICE_CARD,
    CHOICE_FUNCTION,
    CHOICES,
    COMPANION,
    COPY,
    DEAL,
    KINDS,
    MAX_CARDS,
    NUMBERS,
    OFFERS,
    POINTS,
    START,
    STEPS,
    SWAP,
)
from spygames.agent_dog.companion import can_spend, legal_steps, step
from spygames.agent_dog.layout import (
    CARD,
    DISCARD_CARD,
    EMPTY,
    EXCHANGE,
    FROM_AREA,
    FROM_TRACK,
    HAT,
    HOME,
    MEET,
    MEETING,
    NONE,
    OVER,
    PASS_CARD,
    PLACE,
    PLACES,
    PLAY_CARD,
    REDRAW,
    SEATS,
    STEP,
    SWAPPING,
    TRUNCATED,
    colour_of,
    hand_size,
    is_home,
    plays_for,
    start_of,
    taker,
)
from spygames.agent_dog.moves import enter, legal_moves, meet, move_number, possible_steps
from spygames.core.kernel import Int, Record, kernel
from spygames.core.rng import below, shuffle


@kernel
def init(s: Record, options: Record, seed: uint64) -> None:
    """AD-4: of each colour three pawns in the start area, one on its start space. AD-5: the deck is shuffled."""
    s.rng = seed
    take_options(s, options)
    for place in range(PLACES):
        s.board[place] = EMPTY
    for colour in range(4):
        s.area[colour] = 0
    for seat in range(options.players):
        colour = colour_of(s, seat)
        s.board[start_of(s, colour)] = colour
        s.area[colour] = PAWNS - 1
    for seat in range(SEATS):
        for card in range(KINDS):
            s.hands[seat, card] = 0
    s.turn = s.cards_played = 0
    s.winners, s.end_reason = 0, NONE
    first = np.int64(options.first_player)
    s.dealer = below(s, options.players) if first == NONE else first
    open_deck(s)
    clear_card(s)
    s.round_number = -1
    new_round(s)


@kernel
def take_options(s: Record, options: Record) -> None:
    """The options become part of the state."""
    s.options.max_turns, s.options.track, s.options.quarter = options.max_turns, options.track, options.quarter
    s.options.meeting, s.options.holes = options.meeting, options.holes
    for offset in range(len(options.hole)):
        s.options.hole[offset] = options.hole[offset]
    for card in range(KINDS):
        s.options.copies[card] = options.copies[card]
    s.options.players, s.options.first_player, s.options.tracked = (
        options.players,
        options.first_player,
        options.tracked,
    )


@kernel
def open_deck(s: Record) -> None:
    """AD-5: all cards, shuffled; nothing is discarded yet."""
    n = 0
    for card in range(KINDS):
        s.discarded[card] = 0
        for _ in range(s.options.copies[card]):
            s.deck[n] = card
            n += 1
    for i in range(n, MAX_CARDS):
        s.deck[i] = NONE
    for i in range(MAX_CARDS):
        s.discard[i] = NONE
    s.deck_size, s.discard_size = n, 0
    shuffle(s, s.deck, n)


# ---------------------------------------------------------------- cards


@kernel
def new_round(s: Record) -> None:
    """AD-6: the dealer gives five cards to each, beginning with itself; then all choose what they pass."""
    s.round_number += 1
    s.last_card = NONE
    for seat in range(SEATS):
        s.passed[seat] = NONE
        s.out[seat] = 0
        for card in range(KINDS):
            s.lost[seat, card] = 0
    for i in range(s.options.players):
        seat = (s.dealer + i) % s.options.players
        for _ in range(DEAL):
            draw(s, seat)
    s.phase, s.to_move = EXCHANGE, s.dealer


@kernel
def draw(s: Record, seat: Int) -> None:
    """AD-8: the top card of the deck; if there is none, the discard pile is shuffled into a new deck first."""
    if s.deck_size == 0:
        for i in range(s.discard_size):
            s.deck[i] = s.discard[i]
            s.discard[i] = NONE
        for card in range(KINDS):
            s.discarded[card] = 0
        s.deck_size, s.discard_size = s.discard_size, 0
        shuffle(s, s.deck, s.deck_size)
    s.deck_size -= 1
    s.hands[seat, s.deck[s.deck_size]] += 1
    s.deck[s.deck_size] = NONE


@kernel
def lay_on_top(s: Record, card: Int) -> None:
    """A card goes on the discard pile."""
    s.discard[s.discard_size] = card
    s.discard_size += 1
    s.discarded[card] += 1


@kernel
def lay_under(s: Record, card: Int) -> None:
    """A card goes under the discard pile."""
    for i in range(s.discard_size, 0, -1):
        s.discard[i] = s.discard[i - 1]
    s.discard[0] = card
    s.discard_size += 1
    s.discarded[card] += 1


@kernel
def lay_down_hand(s: Record, seat: Int) -> None:
    """AD-10, AD-23: a whole hand goes under the discard pile; its player is out of the round."""
    for card in range(KINDS):
        while s.hands[seat, card] > 0:
            take_from_hand(s, seat, card)
            lay_under(s, card)
    s.out[seat] = 1


@kernel
def take_from_hand(s: Record, seat: Int, card: Int) -> None:
    """A card leaves a hand for all to see."""
    s.hands[seat, card] -= 1
    s.lost[seat, card] += 1


@kernel
def pass_card(s: Record, seat: Int, card: Int) -> None:
    """AD-6: a card leaves the hand for its taker, who gets it once all have passed one."""
    s.hands[seat, card] -= 1
    s.passed[seat] = card
    players = np.int64(s.options.players)
    following = (seat + 1) % players
    if following != s.dealer:
        s.to_move = following
        return
    for giver in range(players):
        if s.passed[giver] != NONE:
            s.hands[taker(s, giver), s.passed[giver]] += 1
    s.to_move = (s.dealer + players - 1) % players
    next_player(s)


@kernel
def discard_card(s: Record, seat: Int, card: Int) -> None:
    """AD-35: with no playable card one is discarded and one drawn; if that does not help, one is discarded unused."""
    take_from_hand(s, seat, card)
    lay_on_top(s, card)
    if s.redrawn:
        s.redrawn = 0
        s.turn += 1
        next_player(s)
        return
    s.redrawn = 1
    draw(s, seat)
    s.phase = CARD if playable(s, seat) != 0 else REDRAW


# ---------------------------------------------------------------- what can be played


@kernel
def offers(s: Record, card: Int) -> Int:
    """AD-25 to AD-28: the functions of a card, as bits; those of a copy are the last card's (AD-27)."""
    if card == COPY:
        return OFFERS[np.int64(s.last_card)] if s.last_card != NONE else 0
    return OFFERS[card]


@kernel
def hidden_pawns(s: Record) -> Int:
    """Hidden pawns on the track, no more than two counted."""
    n = 0
    for place in range(s.options.track):
        n += s.board[place] >= HAT
        if n == 2:
            break
    return n


@kernel
def possible(s: Record, seat: Int, wanted: Int) -> Int:
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
def playable(s: Record, seat: Int) -> Int:
    """The functions (bits) that the hand of `seat` offers and that can be carried out."""
    wanted = 0
    for card in range(KINDS):
        if s.hands[seat, card] > 0:
            wanted |= offers(s, card)
    return possible(s, seat, wanted)


# ---------------------------------------------------------------- decisions


@kernel
def legal(s: Record, mask: np.ndarray) -> None:
    """What the seat to move may do."""
    for action in range(len(mask)):
        mask[action] = 0
    if s.phase == OVER:
        return
    seat = np.int64(s.to_move)
    if s.phase == EXCHANGE or s.phase == REDRAW:
        base = PASS_CARD if s.phase == EXCHANGE else DISCARD_CARD
        for card in range(KINDS):
            mask[base + card] = s.hands[seat, card] > 0
    elif s.phase == CARD:
        found = playable(s, seat)
        for i in range(len(CHOICES)):
            card, function = CHOICE_CARD[i], CHOICE_FUNCTION[i]
            mask[PLAY_CARD + i] = s.hands[seat, card] > 0 and (found & offers(s, card)) >> function & 1
    elif s.phase == PLACE:
        if s.function == START:
            mask[FROM_AREA] = 1
        else:
            legal_moves(s, seat, STEPS[np.int64(s.function)], mask)
    elif s.phase == STEP:
        legal_steps(s, seat, mask)
    elif s.phase == SWAPPING:
        legal_swaps(s, seat, mask)
    else:
        for quadrant in range(4):
            mask[MEET + ((quadrant - colour_of(s, seat)) & 3)] = s.meetings >> quadrant & 1


@kernel
def legal_swaps(s: Record, seat: Int, mask: np.ndarray) -> None:
    """AD-26: hidden pawns, the second another one than the first."""
    quarter, holes = np.int64(s.options.quarter), np.int64(s.options.holes)
    base = FROM_TRACK + 2 * np.int64(s.options.track)
    for quadrant in range(4):
        seen = (quadrant - colour_of(s, seat)) & 3
        for offset in range(quarter):
            place = quadrant * quarter + offset
            if s.options.hole[offset] >= 0 and s.board[place] >= HAT and place != s.first:
                mask[base + holes * seen + s.options.hole[offset]] = 1


@kernel
def apply(s: Record, action: Int) -> None:
    """One decision, and all that follows of itself."""
    seat = np.int64(s.to_move)
    if action < DISCARD_CARD:
        pass_card(s, seat, action - PASS_CARD)
    elif action < PLAY_CARD:
        discard_card(s, seat, action - DISCARD_CARD)
    elif action < FROM_AREA:
        play_card(s, seat, CHOICE_CARD[action - PLAY_CARD], CHOICE_FUNCTION[action - PLAY_CARD])
    elif s.phase == PLACE:
        if action == FROM_AREA:
            enter(s, seat)
        else:
            move_number(s, seat, action, STEPS[np.int64(s.function)])
        hold_meetings(s)
    elif s.phase == STEP:
        step(s, seat, action)
        if s.points == 0:
            hold_meetings(s)
    elif s.phase == SWAPPING:
        swap(s, swap_place(s, seat, action))
    else:
        meet(s, (action - MEET + colour_of(s, seat)) & 3)
        hold_meetings(s)


@kernel
def play_card(s: Record, seat: Int, card: Int, function: Int) -> None:
    """A card is played as one of its functions; where comes next."""
    take_from_hand(s, seat, card)
    s.card, s.function = card, function
    s.phase = PLACE
    if function == SWAP:
        s.phase = SWAPPING
    elif function == COMPANION:
        s.phase, s.points = STEP, POINTS


@kernel
def swap_place(s: Record, seat: Int, action: Int) -> Int:
    """The place that a swap names."""
    hole = action - FROM_TRACK - 2 * np.int64(s.options.track)
    quadrant = (hole // s.options.holes + colour_of(s, seat)) & 3
    for offset in range(s.options.quarter):
        if s.options.hole[offset] == hole % s.options.holes:
            return quadrant * np.int64(s.options.quarter) + offset
    return NONE


@kernel
def swap(s: Record, place: Int) -> None:
    """AD-26: two hidden pawns change places, unseen."""
    if s.first == NONE:
        s.first = place
        return
    first = np.int64(s.first)
    pawn = s.board[first]
    s.board[first] = s.board[place]
    s.board[place] = pawn
    hold_meetings(s)


# ---------------------------------------------------------------- the end of a turn


@kernel
def hold_meetings(s: Record) -> None:
    """AD-31: the player chooses while two or more meetings are left; the last one is held by itself."""
    if s.meetings & (s.meetings - 1):
        s.phase = MEETING
        return
    for quadrant in range(4):
        if s.meetings >> quadrant & 1:
            meet(s, quadrant)
    end_turn(s)


@kernel
def end_turn(s: Record) -> None:
    """AD-33: win, penalty, next player. AD-37: the game is cut off after so many cards."""
    seat, card = np.int64(s.to_move), np.int64(s.card)
    s.turn += 1
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
def clear_card(s: Record) -> None:
    """Nothing is being played."""
    s.card = s.function = s.first = s.moved = NONE
    s.points = s.meetings = s.penalty = s.redrawn = 0


@kernel
def winning_seat(s: Record, mover: Int) -> Int:
    """AD-32: the first seat from the mover on whose side has all its pawns home, or NONE."""
    players = np.int64(s.options.players)
    for i in range(players):
        seat = (mover + i) % players
        colour = colour_of(s, seat)
        if is_home(s, colour) and (players < 4 or is_home(s, colour ^ 2)):
            return seat
    return NONE


@kernel
def finish(s: Record, winner: Int) -> None:
    """The game is over; a winner's partner wins with it (AD-32), nobody where it is cut off (AD-37)."""
    s.phase, s.to_move = OVER, NONE
    s.end_reason = TRUNCATED if winner == NONE else HOME
    s.winners = 0
    if winner != NONE:
        s.winners = 1 << winner
        if s.options.players == 4:
            s.winners |= 1 << (winner ^ 2)


@kernel
def next_player(s: Record) -> None:
    """AD-7: the next seat that holds cards has its turn; when nobody does, the next player deals.

    AD-10, AD-35: whoever can play no card is out of the round, or with two and three players exchanges one.
    """
    players = np.int64(s.options.players)
    seat = np.int64(s.to_move)
    for _ in range(players):
        seat = (seat + 1) % players
        if hand_size(s, seat) > 0:
            s.to_move = seat
            if playable(s, seat) != 0:
                s.phase = CARD
                return
            if players < 4:
                s.phase = REDRAW
                return
            lay_down_hand(s, seat)
    # Whoever was passed over holds nothing any more, so nobody does.
    s.dealer = (s.dealer + 1) % players
    new_round(s)


@kernel
def returns(s: Record, out: np.ndarray) -> None:
    """AD-38: +1 for each winner, -1 for the others; 0 while the game goes on or if it was cut off."""
    for seat in range(s.options.players):
        out[seat] = 0.0 if s.winners == 0 else (1.0 if s.winners >> seat & 1 else -1.0)


@kernel
def truncated(s: Record) -> bool:
    """AD-37: whether the game was cut off."""
    return bool(s.end_reason == TRUNCATED)
