"""Set-up, Play and Recruit (AA-5 to AA-16, AA-38 to AA-43), and which decision leads to what."""

import numpy as np
from numpy import uint64

from spygames.agent_avenue.actions import (
    LEAD_OWN,
    LEAD_PARTNER,
    NUM_ACTIONS,
    NUM_MARKET_ACTIONS,
    PLAY_DOWN,
    PLAY_PAIR,
    RECRUIT_DOWN,
    RECRUIT_UP,
    RESOLVE_OWN,
    decode_discard,
    decode_down,
    decode_pair,
    decode_seat,
    decode_up,
    encode_discard,
    encode_down,
    encode_pair,
    encode_up,
)
from spygames.agent_avenue.cards import COPIES, KINDS
from spygames.agent_avenue.layout import DOWN, HAND, LEAD, NONE, PLAY, RECRUIT, SIDES, UP, Options, State, copy_options
from spygames.agent_avenue.queries import (
    discard_limit,
    face_down_seat,
    first_seat,
    hand_size,
    names_in_hand,
    other,
    side_of,
)
from spygames.agent_avenue.rules.end_step import begin_turn, end_step
from spygames.agent_avenue.rules.market import act_at_market, continue_turn, legal_at_market, no_market, set_up_market
from spygames.agent_avenue.rules.recruiting import draw, forget, recruit, refill
from spygames.core.compiling.kernel import Int, kernel
from spygames.core.game.rng import below, shuffle


@kernel
def init(s: State, options: Options, seed: uint64) -> None:
    """AA-5, AA-22, AA-38: shuffle the cards, deal four each, meeples at home. AA-6, AA-41: the first side, captains."""
    s.rng = seed
    copy_options(s, options)
    clear(s)
    n = 0
    for card in range(KINDS):
        for _ in range(COPIES[card]):
            s.deck[n] = card
            n += 1
    s.deck_size = n
    first = side_of(s, options.first_player) if options.first_player != NONE else below(s, SIDES)
    shuffle(s, s.deck, n)
    for seat in range(s.options.players):
        s.discards_left[seat] = discard_limit(s, seat)
        for _ in range(HAND):
            draw(s, seat)
    if s.options.advanced:
        set_up_market(s)
    s.turn = 1
    begin_turn(s, first)


@kernel
def clear(s: State) -> None:
    """An empty position: meeples at home, no cards anywhere, nothing decided."""
    for seat in range(s.options.players):
        for card in range(KINDS):
            s.hands[seat, card] = s.discarded[seat, card] = s.seen[seat, card] = 0
    for side in range(SIDES):
        s.progress[side] = 0
        s.captain[side] = first_seat(s, side)
        for card in range(KINDS):
            s.in_play[side, card] = 0
    no_market(s)
    s.face_up = s.face_down = NONE
    s.winner = s.end_reason = NONE
    s.pending = s.ability = s.resolver = s.taken = NONE
    s.kept = 0


@kernel
def legal(s: State, mask: np.ndarray) -> None:
    """Writes 1 for each legal action of the mover, else 0: AA-8, AA-10, AA-12, AA-20, AA-40, AA-42, and the market."""
    for action in range(NUM_ACTIONS):  # of every variant: a number that the compiler knows
        mask[action] = 0
    for action in range(NUM_ACTIONS, len(mask)):
        mask[action] = 0
    if s.phase == RECRUIT:
        mask[RECRUIT_UP] = mask[RECRUIT_DOWN] = 1
    elif s.phase == PLAY:
        legal_play(s, mask)
    elif s.phase == LEAD:
        mask[LEAD_OWN] = mask[LEAD_PARTNER] = 1
    elif s.phase == UP or s.phase == DOWN:
        legal_single(s, mask)
    else:
        legal_at_market(s, mask)


@kernel
def legal_play(s: State, mask: np.ndarray) -> None:
    """AA-10: two names, unless the hand holds but one. AA-8, AA-20: discards, as long as there is a deck."""
    hand = s.hands[s.to_move]
    alike = names_in_hand(s, s.to_move) == 1
    may_discard = s.deck_size > 0 and s.discards_left[s.to_move] > 0
    for up in range(KINDS):
        if hand[up] > 0:
            mask[encode_discard(up)] = may_discard
            for down in range(KINDS):
                mask[encode_pair(up, down)] = hand[down] > 0 and up != down
            if alike and hand[up] > 1:
                mask[encode_pair(up, up)] = 1


@kernel
def legal_single(s: State, mask: np.ndarray) -> None:
    """AA-40: any card face up; face down another name, unless the hand holds but that one. AA-42: discards."""
    alike = names_in_hand(s, s.to_move) == 1
    may_discard = s.deck_size > 0 and s.discards_left[s.to_move] > 0
    for card in range(KINDS):
        if s.hands[s.to_move, card] > 0:
            mask[encode_discard(card)] = may_discard
            if s.phase == UP:
                mask[encode_up(card)] = 1
            elif card != s.face_up or alike:
                mask[encode_down(card)] = 1


@kernel
def apply(s: State, action: Int) -> None:
    """One decision, and all chance up to the next one."""
    if action < PLAY_PAIR:
        discard(s, decode_discard(action))
    elif action < RECRUIT_UP:
        up, down = decode_pair(action)
        play(s, up, down)
    elif action <= RECRUIT_DOWN:
        recruit_both(s, action == RECRUIT_UP)
    elif action < NUM_MARKET_ACTIONS or action >= RESOLVE_OWN:
        act_at_market(s, action)
    elif action <= LEAD_PARTNER:
        name_leader(s, decode_seat(s.to_move, action))
    elif action < PLAY_DOWN:
        play_up(s, decode_up(action))
    else:
        play_down(s, decode_down(action))


@kernel
def discard(s: State, card: Int) -> None:
    """AA-8, AA-9: a hand card goes face down to its owner's discards, and one is drawn. AA-37: it could be any."""
    seat = s.to_move
    s.hands[seat, card] -= 1
    s.discarded[seat, card] += 1
    s.discards_left[seat] -= 1
    if s.options.advanced:
        for each in range(KINDS):
            forget(s, seat, each)
    draw(s, seat)


@kernel
def play(s: State, up: Int, down: Int) -> None:
    """AA-10: two cards are offered. AA-11: their player draws back up to four before the other side chooses."""
    seat = s.to_move
    s.hands[seat, up] -= 1
    s.hands[seat, down] -= 1
    s.face_up, s.face_down = up, down
    forget(s, seat, up)
    size = hand_size(s, seat)
    s.kept = size
    refill(s, seat, size)
    ask_to_recruit(s)


@kernel
def name_leader(s: State, seat: Int) -> None:
    """AA-41: the captain has named the seat that plays face up."""
    s.leader = s.to_move = seat
    s.phase = UP


@kernel
def play_up(s: State, card: Int) -> None:
    """AA-40: one member plays a card face up, and the other one is asked."""
    s.hands[s.to_move, card] -= 1
    s.face_up = card
    forget(s, s.to_move, card)
    s.to_move = np.int64(s.leader) ^ 1
    s.phase = DOWN


@kernel
def play_down(s: State, card: Int) -> None:
    """AA-40: the other member plays a card face down. AA-43: both draw up to four, the face-up player first."""
    seat = s.to_move
    s.hands[seat, card] -= 1
    s.face_down = card
    size = hand_size(s, seat)
    s.kept = size
    refill(s, s.leader, hand_size(s, s.leader))
    refill(s, seat, size)
    ask_to_recruit(s)


@kernel
def ask_to_recruit(s: State) -> None:
    """AA-12, AA-41: the other side, or its captain, chooses."""
    s.phase = RECRUIT
    s.to_move = s.captain[other(s.active_side)]


@kernel
def recruit_both(s: State, take_up: bool) -> None:
    """AA-12: the other side takes one of the two cards, the active side the other one; AA-37: the hidden one is seen.

    AA-24: if both land on market spaces, the active side takes its card first.
    """
    up, down = s.face_up, s.face_down
    active, following = s.active_side, other(s.active_side)
    forget(s, face_down_seat(s), down)
    s.face_up = s.face_down = NONE
    s.kept = 0
    landed = recruit(s, active, down if take_up else up)
    if recruit(s, following, up if take_up else down):
        s.pending = following
    if s.options.advanced:
        continue_turn(s, active, landed)
    else:
        end_step(s)


@kernel
def returns(s: State, out: np.ndarray) -> None:
    """+1 for each seat of the side that has won, -1 for each other one (AA-46); 0 for all before the end."""
    for seat in range(len(out)):
        out[seat] = 0.0 if s.winner == NONE else (1.0 if s.winner == side_of(s, seat) else -1.0)
