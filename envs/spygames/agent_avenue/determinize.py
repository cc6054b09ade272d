"""Determinize: redraw everything that a seat cannot know, uniformly among the states that its view allows."""

import numpy as np
from numpy import uint64

from spygames.agent_avenue.cards import CARDS, KINDS, MARKET_SIZE
from spygames.agent_avenue.layout import ABILITY, AT_DECK, NONE, State
from spygames.agent_avenue.queries import face_down_seat, hand_size, knows_face_down, seen_of, unseen
from spygames.agent_avenue.rules.market import is_possible
from spygames.core.compiling.kernel import Int, kernel
from spygames.core.game.rng import below, shuffle


@kernel
def determinize(s: State, seat: Int, seed: uint64) -> None:
    """Deal the cards that `seat` has not seen to all hidden places; repeat until the result is a possible state.

    Cards that were seen entering a hand stay there, or one of them lies face down if that is possible (AA-37). A hand
    draws after it has played (AA-11), so nobody has seen the cards that it drew, and none of them lies face down.
    """
    s.rng = seed
    if s.options.advanced:
        shuffle_market_deck(s)
    knows_down = knows_face_down(s, seat)
    offerer = face_down_seat(s) if s.face_down != NONE and not knows_down else NONE
    kept = kept_by(s, offerer) if offerer != NONE else 0
    drawn = hand_size(s, offerer) - kept if offerer != NONE else 0
    # Use the deck as the pile to deal from: the hidden cards of other seats come off its end.
    pile = 0
    for card in range(KINDS):
        for _ in range(unseen(s, seat, card, knows_down) - known_elsewhere(s, seat, card)):
            s.deck[pile] = card
            pile += 1
    while True:
        shuffle(s, s.deck, pile)
        left = pile
        if offerer != NONE:
            left = deal_offer(s, offerer, kept, left)
            if not is_allowed(s, offerer, kept):
                continue
            left = deal_unseen(s, offerer, drawn, left)
            left = deal_discards(s, offerer, left)
        for who in range(s.options.players):
            if who != seat and who != offerer:
                left = deal_hand(s, who, hand_size(s, who), left)
                left = deal_discards(s, who, left)
        if s.phase != ABILITY or is_possible(s):  # AA-28: the seat that makes the choices can carry the ability out
            break
    for i in range(left, CARDS):
        s.deck[i] = NONE


@kernel
def shuffle_market_deck(s: State) -> None:
    """Shuffle the market deck: everybody knows its cards, but not their order."""
    n = 0
    for card in range(MARKET_SIZE):
        if s.market[card] == AT_DECK:
            s.market_deck[n] = card
            n += 1
    shuffle(s, s.market_deck, n)


@kernel
def known_elsewhere(s: State, seat: Int, card: Int) -> Int:
    """Copies of `card` that `seat` knows to be in other hands, or to lie face down from one of them."""
    count = 0
    for who in range(s.options.players):
        if who != seat:
            count += np.int64(s.seen[who, card])
    return count


@kernel
def deal_hand(s: State, who: Int, size: Int, left: Int) -> Int:
    """Deal a hand of `size`: the cards seen in it, the others off a pile of `left`. Return the new size of the pile."""
    for card in range(KINDS):
        s.hands[who, card] = s.seen[who, card]
        size -= np.int64(s.seen[who, card])
    return deal_unseen(s, who, size, left)


@kernel
def deal_unseen(s: State, who: Int, count: Int, left: Int) -> Int:
    """Add `count` cards off a pile of `left` to a hand. Return the new size of the pile."""
    for _ in range(count):
        left -= 1
        s.hands[who, s.deck[left]] += 1
    return left


@kernel
def kept_by(s: State, who: Int) -> Int:
    """Number of cards that a hand kept when it played its card face down.

    All cards that were seen in the hand are still there, except at most one. In a position that was set up, the hand
    may have more seen cards than `kept`.
    """
    return max(np.int64(s.kept), seen_of(s, who) - 1)


@kernel
def deal_offer(s: State, who: Int, kept: Int, left: Int) -> Int:
    """Deal the face-down card and the `kept` cards of its hand. Return the new size of the pile.

    Each of these `kept + 1` cards is the face-down one with equal chance, those that were seen in the hand included.
    """
    seen = seen_of(s, who)
    if seen > 0:
        place = below(s, kept + 1)
        if place < seen:
            left = deal_hand(s, who, kept + 1, left)
            card = 0
            while place >= s.seen[who, card]:
                place -= np.int64(s.seen[who, card])
                card += 1
            s.hands[who, card] -= 1
            s.face_down = card
            return left
    left -= 1
    s.face_down = s.deck[left]
    return deal_hand(s, who, kept, left)


@kernel
def deal_discards(s: State, who: Int, left: Int) -> Int:
    """Redraw the discards of a seat off a pile of `left`. Return the new size of the pile."""
    count = 0
    for card in range(KINDS):
        count += np.int64(s.discarded[who, card])
        s.discarded[who, card] = 0
    for _ in range(count):
        left -= 1
        s.discarded[who, s.deck[left]] += 1
    return left


@kernel
def is_allowed(s: State, offerer: Int, kept: Int) -> bool:
    """Whether the offer is allowed: two cards of one name only if the hand `kept` nothing else (AA-10, AA-40)."""
    return bool(s.face_down != s.face_up or s.hands[offerer, s.face_up] == kept)
