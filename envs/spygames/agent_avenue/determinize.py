"""Determinize: draws all that a seat cannot know anew, uniformly among the states that its view allows."""

import numpy as np
from numpy import uint64

from spygames.agent_avenue.cards import CARDS, KINDS, MARKET_SIZE
from spygames.agent_avenue.layout import ABILITY, AT_DECK, NONE
from spygames.agent_avenue.queries import face_down_seat, hand_size, knows_face_down, unseen
from spygames.agent_avenue.rules.market import is_possible
from spygames.agent_avenue.types import State
from spygames.core.kernel import Int, kernel
from spygames.core.rng import below, shuffle


@kernel
def determinize(s: State, seat: Int, seed: uint64) -> None:
    """Deals the cards that `seat` has not seen to all hidden places, again until the result is a possible state.

    Cards that were seen entering a hand stay there, or one of them lies face down if that is possible (AA-37).
    """
    s.rng = seed
    if s.options.advanced:
        shuffle_market_deck(s)
    knows_down = knows_face_down(s, seat)
    offerer = face_down_seat(s) if s.face_down != NONE and not knows_down else NONE
    # The deck serves as the pile that is dealt from: the hidden cards of other seats come off its end.
    pile = 0
    for card in range(KINDS):
        for _ in range(unseen(s, seat, card, knows_down) - known_elsewhere(s, seat, card)):
            s.deck[pile] = card
            pile += 1
    while True:
        shuffle(s, s.deck, pile)
        left = pile
        if offerer != NONE:
            left = deal_offer(s, offerer, left)
            left = deal_discards(s, offerer, left)
        for who in range(s.options.players):
            if who != seat and who != offerer:
                left = deal_hand(s, who, hand_size(s, who), left)
                left = deal_discards(s, who, left)
        if is_allowed(s, offerer):
            break
    for i in range(left, CARDS):
        s.deck[i] = NONE


@kernel
def shuffle_market_deck(s: State) -> None:
    """Which cards are in the market deck is known, their order is not."""
    n = 0
    for card in range(MARKET_SIZE):
        if s.market[card] == AT_DECK:
            s.market_deck[n] = card
            n += 1
    shuffle(s, s.market_deck, n)


@kernel
def known_elsewhere(s: State, seat: Int, card: Int) -> Int:
    """Copies that `seat` knows to be in other hands, or face down from there."""
    count = 0
    for who in range(s.options.players):
        if who != seat:
            count += np.int64(s.seen[who, card])
    return count


@kernel
def deal_hand(s: State, who: Int, size: Int, left: Int) -> Int:
    """Deals a hand of `size`: cards seen in it, others off a pile of `left`. Returns the new size of the pile."""
    for card in range(KINDS):
        s.hands[who, card] = s.seen[who, card]
        size -= np.int64(s.seen[who, card])
    for _ in range(size):
        left -= 1
        s.hands[who, s.deck[left]] += 1
    return left


@kernel
def deal_offer(s: State, who: Int, left: Int) -> Int:
    """Deals a face-down card and the hand that it came from; either may hold the cards seen there. Returns as above."""
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
def deal_discards(s: State, who: Int, left: Int) -> Int:
    """Deals as many discards as there were, off the pile. Returns as above."""
    count = 0
    for card in range(KINDS):
        count += np.int64(s.discarded[who, card])
        s.discarded[who, card] = 0
    for _ in range(count):
        left -= 1
        s.discarded[who, s.deck[left]] += 1
    return left


@kernel
def is_allowed(s: State, offerer: Int) -> bool:
    """AA-10, AA-40: two alike are offered only by a hand of nothing else, so all cards that it kept are alike too.

    AA-28: the seat that makes the choices of an ability can carry it out.
    """
    if offerer != NONE and s.face_down == s.face_up and s.hands[offerer, s.face_up] < s.kept:
        return False
    return s.phase != ABILITY or is_possible(s)
