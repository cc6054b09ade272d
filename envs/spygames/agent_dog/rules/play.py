"""Setup and decisions of Agent DOG. AD-n names a rule in README.md."""

import numpy as np
from numpy import uint64

from spygames.agent_dog.actions import (
    decode_discard,
    decode_meet,
    decode_pass,
    decode_play,
    decode_swap,
    encode_discard,
    encode_from_area,
    encode_meet,
    encode_pass,
    encode_play,
    encode_swap,
)
from spygames.agent_dog.board import PAWNS, PLACES
from spygames.agent_dog.cards import CHOICE_CARD, CHOICE_FUNCTION, CHOICES, COMPANION, KINDS, POINTS, START, STEPS, SWAP
from spygames.agent_dog.layout import (
    CARD,
    EMPTY,
    EXCHANGE,
    HAT,
    LARGEST,
    NONE,
    OVER,
    PLACE,
    REDRAW,
    SEATS,
    STEP,
    SWAPPING,
    TRUNCATED,
    Options,
    State,
    copy_options,
)
from spygames.agent_dog.queries import colour_of, offers, start_of, taker
from spygames.agent_dog.rules.companion import legal_steps, step
from spygames.agent_dog.rules.moves import enter, legal_moves, meet, move_number
from spygames.agent_dog.rules.piles import draw, lay_on_top, new_round, one_more, open_deck, take_from_hand
from spygames.agent_dog.rules.turns import clear_card, hold_meetings, next_player, playable_functions
from spygames.core.compiling.kernel import Int, kernel
from spygames.core.game.rng import below


@kernel
def init(s: State, options: Options, seed: uint64) -> None:
    """Set up the pawns (AD-4), shuffle the deck (AD-5) and deal the first round (AD-6)."""
    s.rng = seed
    copy_options(s, options)
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


# ---------------------------------------------------------------- decisions


@kernel
def pass_card(s: State, seat: Int, card: Int) -> None:
    """AD-6: take a card from the hand for its taker, who gets it once all have passed a card."""
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
def discard_card(s: State, seat: Int, card: Int) -> None:
    """AD-35: discard a card and draw another; if no card is playable then, the next discard ends the turn."""
    take_from_hand(s, seat, card)
    lay_on_top(s, card)
    if s.redrawn:
        s.redrawn = 0
        s.turn = one_more(s.turn, LARGEST)
        next_player(s)
        return
    s.redrawn = 1
    draw(s, seat)
    s.phase = CARD if playable_functions(s, seat) != 0 else REDRAW


@kernel
def legal(s: State, mask: np.ndarray) -> None:
    """Write the mask of the seat to move: 1 for each legal action, else 0."""
    for action in range(len(mask)):
        mask[action] = 0
    if s.phase == OVER:
        return
    seat = np.int64(s.to_move)
    if s.phase == EXCHANGE:
        for card in range(KINDS):
            mask[encode_pass(card)] = s.hands[seat, card] > 0
    elif s.phase == REDRAW:
        for card in range(KINDS):
            mask[encode_discard(card)] = s.hands[seat, card] > 0
    elif s.phase == CARD:
        found = playable_functions(s, seat)
        for i in range(len(CHOICES)):
            card, function = CHOICE_CARD[i], CHOICE_FUNCTION[i]
            mask[encode_play(i)] = s.hands[seat, card] > 0 and (found & offers(s, card)) >> function & 1
    elif s.phase == PLACE:
        if s.function == START:
            mask[encode_from_area()] = 1
        else:
            legal_moves(s, seat, STEPS[np.int64(s.function)], mask)
    elif s.phase == STEP:
        legal_steps(s, seat, mask)
    elif s.phase == SWAPPING:
        legal_swaps(s, seat, mask)
    else:
        for quadrant in range(4):
            mask[encode_meet((quadrant - colour_of(s, seat)) & 3)] = s.meetings >> quadrant & 1


@kernel
def legal_swaps(s: State, seat: Int, mask: np.ndarray) -> None:
    """AD-26: mark the hidden pawns, without the first pawn of the swap."""
    quarter, holes = np.int64(s.options.quarter), np.int64(s.options.holes)
    track = np.int64(s.options.track)
    for quadrant in range(4):
        seen = (quadrant - colour_of(s, seat)) & 3
        for offset in range(quarter):
            place = quadrant * quarter + offset
            if s.options.hole[offset] >= 0 and s.board[place] >= HAT and place != s.first:
                mask[encode_swap(seen, s.options.hole[offset], track, holes)] = 1


@kernel
def apply(s: State, action: Int) -> None:
    """Apply one decision and all chance up to the next decision."""
    seat = np.int64(s.to_move)
    if s.phase == EXCHANGE:
        pass_card(s, seat, decode_pass(action))
    elif s.phase == REDRAW:
        discard_card(s, seat, decode_discard(action))
    elif s.phase == CARD:
        card, function = decode_play(action)
        play_card(s, seat, card, function)
    elif s.phase == PLACE:
        if s.function == START:
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
        meet(s, (decode_meet(action) + colour_of(s, seat)) & 3)
        hold_meetings(s)


@kernel
def play_card(s: State, seat: Int, card: Int, function: Int) -> None:
    """Play a card as one of its functions. The next decision chooses a pawn."""
    take_from_hand(s, seat, card)
    s.card, s.function = card, function
    s.phase = PLACE
    if function == SWAP:
        s.phase = SWAPPING
    elif function == COMPANION:
        s.phase, s.points = STEP, POINTS


@kernel
def swap_place(s: State, seat: Int, action: Int) -> Int:
    """Return the place of the hole that a swap action names."""
    seen, hole = decode_swap(action, np.int64(s.options.track), np.int64(s.options.holes))
    quadrant = (seen + colour_of(s, seat)) & 3
    for offset in range(s.options.quarter):
        if s.options.hole[offset] == hole:
            return quadrant * np.int64(s.options.quarter) + offset
    return NONE


@kernel
def swap(s: State, place: Int) -> None:
    """AD-26: name the first pawn of a swap, or exchange it with the second."""
    if s.first == NONE:
        s.first = place
        return
    first = np.int64(s.first)
    pawn = s.board[first]
    s.board[first] = s.board[place]
    s.board[place] = pawn
    hold_meetings(s)


@kernel
def returns(s: State, out: np.ndarray) -> None:
    """AD-38: write the rewards: the winners share +1, the others -1; 0 until the end and if the game was cut off."""
    players = np.int64(s.options.players)
    winners = 2 if players == 4 else 1
    for seat in range(players):
        out[seat] = 0.0 if s.winners == 0 else (1.0 / winners if s.winners >> seat & 1 else -1.0 / (players - winners))


@kernel
def truncated(s: State) -> bool:
    """AD-37: whether the game was cut off."""
    return bool(s.end_reason == TRUNCATED)
