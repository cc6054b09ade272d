"""What a seat of Agent Avenue may know: its view, and redrawing all the rest."""

import numpy as np
from numpy import float32, uint64

from spygames.agent_avenue.cards import CARDS, CATCH, COPIES, HOMES, KINDS, MARKET_SIZE, ONGOING, SPACES
from spygames.agent_avenue.layout import (
    ABILITY,
    AT_ABILITY,
    AT_DECK,
    AT_DISCARD,
    AT_SUPPLY,
    DISCARDS,
    HAND,
    NONE,
    OVER,
    SIDES,
    SUPPLY_AND_DECK,
    THREE,
)
from spygames.agent_avenue.market import is_possible
from spygames.agent_avenue.table import face_down_seat, hand_size, lead, other, seat_at, side_of
from spygames.core.kernel import Int, Record, kernel
from spygames.core.rng import below, shuffle

_THERMOMETER = np.tril(np.ones((8, 7), float32), -1)  # row n: n ones


@kernel
def knows_face_down(s: Record, seat: Int) -> bool:
    """Whether `seat` played the face-down card itself (AA-12, AA-40)."""
    return s.face_down != NONE and seat == face_down_seat(s)


@kernel
def unseen(s: Record, seat: Int, card: Int, knows_down: bool) -> Int:
    """Copies of `card` that may be anywhere hidden, as `seat` can count them; `knows_down`: it played face down."""
    count = np.int64(COPIES[card]) - s.hands[seat, card] - s.discarded[seat, card] - (s.face_up == card)
    for side in range(SIDES):
        count -= s.in_play[side, card]
    if knows_down:
        count -= s.face_down == card
    return count


@kernel
def observe(s: Record, seat: Int, view: Record) -> None:
    """Writes what `seat` may know, its own side first: what every variant shows."""
    own = side_of(s, seat)
    knows_down = knows_face_down(s, seat)
    for card in range(KINDS):
        for i in range(HAND):
            view.hand[card, i] = _THERMOMETER[s.hands[seat, card], i]
        view.discarded[card] = s.discarded[seat, card] / DISCARDS
        view.unseen[card] = unseen(s, seat, card, knows_down) / 6
        view.face_up[card] = s.face_up == card
        view.face_down[card] = knows_down and s.face_down == card
    for k in range(2):
        side = own ^ k
        for card in range(KINDS):
            view.in_play[k, card] = s.in_play[side, card] / 6
            for i in range(THREE):
                view.stacks[k, card, i] = _THERMOMETER[s.in_play[side, card], i]
        view.space[k] = ((HOMES[side] - HOMES[own] + s.progress[side]) % SPACES) / SPACES
    for k in range(len(view.hand_size)):
        who = seat_at(s, seat, k)
        for i in range(DISCARDS):
            view.discards_left[k, i] = _THERMOMETER[s.discards_left[who], i] if who != NONE else 0.0
        view.hand_size[k] = hand_size(s, who) / HAND if who != NONE else 0.0
    ahead = min(max(lead(s, own), -CATCH), CATCH) + CATCH
    for i in range(2 * CATCH + 1):
        view.lead[i] = i == ahead
    view.deck_size = s.deck_size / CARDS
    for i in range(len(view.phase)):
        view.phase[i] = s.phase == i
    view.decides = s.to_move == seat
    view.active = s.phase != OVER and s.active_side == own


@kernel
def observe_with_market(s: Record, seat: Int, view: Record) -> None:
    """The view of two players in advanced mode."""
    observe(s, seat, view)
    view.kept = s.kept / HAND
    observe_market(s, seat, view)


@kernel
def observe_with_teams(s: Record, seat: Int, view: Record) -> None:
    """The view of three and four players in simple mode."""
    observe(s, seat, view)
    view.kept = s.kept / HAND
    observe_teams(s, seat, view)


@kernel
def observe_all(s: Record, seat: Int, view: Record) -> None:
    """The view of three and four players in advanced mode."""
    observe(s, seat, view)
    view.kept = s.kept / HAND
    observe_market(s, seat, view)
    observe_teams(s, seat, view)


@kernel
def observe_market(s: Record, seat: Int, view: Record) -> None:
    """What lies at the market and in front of whom, and which hand cards everybody has seen."""
    own = side_of(s, seat)
    for card in range(MARKET_SIZE):
        view.supply[card] = s.market[card] == AT_SUPPLY
    for card in range(ONGOING):
        view.ongoing[0, card] = s.market[card] == own
        view.ongoing[1, card] = s.market[card] == other(own)
    for i in range(MARKET_SIZE - ONGOING):
        view.market_discard[i] = s.market[ONGOING + i] == AT_DISCARD
        view.ability[i] = s.market[ONGOING + i] == AT_ABILITY
    view.market_deck_size = s.market_deck_size / SUPPLY_AND_DECK
    view.pending[0] = s.pending == own
    view.pending[1] = s.pending == other(own)
    for card in range(KINDS):
        view.taken[card] = s.taken == card
    for k in range(len(view.seen_in_hand)):
        observe_seen(s, seat_at(s, seat, k), k, view)


@kernel
def observe_seen(s: Record, who: Int, place: Int, view: Record) -> None:
    """AA-37: while a face-down card of a hand is hidden, it may be any of those seen in it."""
    hidden = who != NONE and who == face_down_seat(s)
    for card in range(KINDS):
        n = np.int64(s.seen[who, card]) if who != NONE else 0
        view.seen_or_offered[place, card] = n / HAND
        view.seen_in_hand[place, card] = max(n - 1, 0) / HAND if hidden else n / HAND


@kernel
def observe_teams(s: Record, seat: Int, view: Record) -> None:
    """Who there is, who decides now, and who leads."""
    for k in range(len(view.present)):
        who = seat_at(s, seat, k)
        there = who != NONE
        view.present[k] = there
        view.decider[k] = there and s.to_move == who
        view.captain[k] = there and s.captain[side_of(s, max(who, 0))] == who
        view.leader[k] = there and s.leader == who


@kernel
def determinize(s: Record, seat: Int, seed: uint64) -> None:
    """Deals the cards that `seat` has not seen anew to all hidden places, until what is known to be possible is.

    Cards that were seen entering a hand stay there, or lie face down if that may be one of them (AA-37).
    """
    s.rng = seed
    if s.options.advanced:
        shuffle_market_deck(s)
    knows_down = knows_face_down(s, seat)
    hider = face_down_seat(s) if s.face_down != NONE and not knows_down else NONE
    # The deck serves as the pile that is dealt from: the hidden cards of other seats come off its end.
    pile = 0
    for card in range(KINDS):
        for _ in range(unseen(s, seat, card, knows_down) - known_elsewhere(s, seat, card)):
            s.deck[pile] = card
            pile += 1
    while True:
        shuffle(s, s.deck, pile)
        left = pile
        if hider != NONE:
            left = deal_offer(s, hider, left)
            left = deal_discards(s, hider, left)
        for who in range(s.options.players):
            if who != seat and who != hider:
                left = deal_hand(s, who, hand_size(s, who), left)
                left = deal_discards(s, who, left)
        if is_allowed(s, hider):
            break
    for i in range(left, CARDS):
        s.deck[i] = NONE


@kernel
def shuffle_market_deck(s: Record) -> None:
    """Which cards are in the market deck is known, their order is not."""
    n = 0
    for card in range(MARKET_SIZE):
        if s.market[card] == AT_DECK:
            s.market_deck[n] = card
            n += 1
    shuffle(s, s.market_deck, n)


@kernel
def known_elsewhere(s: Record, seat: Int, card: Int) -> Int:
    """Copies that `seat` knows to be in other hands, or face down from there."""
    count = 0
    for who in range(s.options.players):
        if who != seat:
            count += np.int64(s.seen[who, card])
    return count


@kernel
def deal_hand(s: Record, who: Int, size: Int, left: Int) -> Int:
    """A hand of `size`: what was seen in it, and the rest off the pile. Returns what is left of the pile."""
    for card in range(KINDS):
        s.hands[who, card] = s.seen[who, card]
        size -= np.int64(s.seen[who, card])
    for _ in range(size):
        left -= 1
        s.hands[who, s.deck[left]] += 1
    return left


@kernel
def deal_offer(s: Record, who: Int, left: Int) -> Int:
    """A face-down card and the hand that it came from: any of both may be what was seen there."""
    size, seen = hand_size(s, who), 0
    for card in range(KINDS):
        seen += np.int64(s.seen[who, card])
    if seen > 0:
        drawn = below(s, size + 1)
        if drawn < seen:
            left = deal_hand(s, who, size + 1, left)
            card = 0
            while drawn >= s.seen[who, card]:
                drawn -= np.int64(s.seen[who, card])
                card += 1
            s.hands[who, card] -= 1
            s.face_down = card
            return left
    left -= 1
    s.face_down = s.deck[left]
    return deal_hand(s, who, size, left)


@kernel
def deal_discards(s: Record, who: Int, left: Int) -> Int:
    """As many discards as there were, off the pile."""
    thrown = 0
    for card in range(KINDS):
        thrown += np.int64(s.discarded[who, card])
        s.discarded[who, card] = 0
    for _ in range(thrown):
        left -= 1
        s.discarded[who, s.deck[left]] += 1
    return left


@kernel
def is_allowed(s: Record, hider: Int) -> bool:
    """AA-10, AA-40: two alike are offered only by a hand of nothing else, so all that was kept of it is alike too.

    AA-28: who is asked for the choices of an ability can carry it out.
    """
    if hider != NONE and s.face_down == s.face_up and s.hands[hider, s.face_up] < s.kept:
        return False
    return s.phase != ABILITY or is_possible(s)
