"""Setup, Play and Recruit (AA-5 to AA-16, AA-38 to AA-43), and the kernel that applies any decision."""

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
    """Set up a game (AA-5, AA-22, AA-38): shuffle and deal, choose the first side (AA-6) and the captains (AA-41)."""
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
    """Write an empty position: meeples at home, no cards anywhere, nothing decided."""
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
    """Write 1 for each legal action of the mover, else 0 (AA-8, AA-10, AA-12, AA-20, AA-40, AA-42, and the market)."""
    for action in range(NUM_ACTIONS):  # in every variant; the compiler knows this bound
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
    """Allow pairs of two names, or of one if the hand has no other (AA-10), and discards (AA-8, AA-20)."""
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
    """Allow the cards that a team member may play (AA-40), and discards (AA-42).

    Any card may be played face up. A card played face down must have another name, unless the hand has no other name.
    """
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
    """Apply one decision, and all chance up to the next one."""
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
    """Discard a hand card face down and draw one (AA-8, AA-9). The discard could be any card of the hand (AA-37)."""
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
    """Offer two cards (AA-10). Their player draws up to four before the other side chooses (AA-11)."""
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
    """Let the seat that the captain named play face up (AA-41)."""
    s.leader = s.to_move = seat
    s.phase = UP


@kernel
def play_up(s: State, card: Int) -> None:
    """Play a card face up; the other member of the team is next (AA-40)."""
    s.hands[s.to_move, card] -= 1
    s.face_up = card
    forget(s, s.to_move, card)
    s.to_move = np.int64(s.leader) ^ 1
    s.phase = DOWN


@kernel
def play_down(s: State, card: Int) -> None:
    """Play the other member's card face down (AA-40). Both draw up to four, the face-up player first (AA-43)."""
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
    """Let the other side, or its captain, choose (AA-12, AA-41)."""
    s.phase = RECRUIT
    s.to_move = s.captain[other(s.active_side)]


@kernel
def recruit_both(s: State, take_up: bool) -> None:
    """Recruit one card for the other side and the other card for the active side (AA-12).

    The hidden card is now open. If copies of its name were seen in the hand that played it, the card counts as one of
    them (AA-37). If both meeples land on market spaces, the active side takes its market card first (AA-24).
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
    """Write +1 for each seat of the winning side, -1 for each other seat (AA-46), or 0 for all before the end."""
    for seat in range(len(out)):
        out[seat] = 0.0 if s.winner == NONE else (1.0 if s.winner == side_of(s, seat) else -1.0)
