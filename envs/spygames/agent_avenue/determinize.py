"""Determinize: draws all that a seat cannot know anew, uniformly among the states that its view allows."""

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
    """Deals the cards that `seat` has not seen to all hidden places, again until the result is a possible state.

    Cards that were seen entering a hand stay there, or one of them lies face down if that is possible (AA-37). A hand
    drew after it had played (AA-11), so the cards that it drew were neither seen nor can one of them lie face down.
    """
    s.rng = seed
    if s.options.advanced:
        shuffle_market_deck(s)
    knows_down = knows_face_down(s, seat)
    offerer = face_down_seat(s) if s.face_down != NONE and not knows_down else NONE
    kept = kept_by(s, offerer) if offerer != NONE else 0
    drawn = hand_size(s, offerer) - kept if offerer != NONE else 0
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
    return deal_unseen(s, who, size, left)


@kernel
def deal_unseen(s: State, who: Int, count: Int, left: Int) -> Int:
    """Adds `count` cards off the pile to a hand. Returns as above."""
    for _ in range(count):
        left -= 1
        s.hands[who, s.deck[left]] += 1
    return left


@kernel
def kept_by(s: State, who: Int) -> Int:
    """Cards that the hand behind a face-down card kept: at least all but one of those that were seen there, of which a
    position that was set up may have more."""
    return max(np.int64(s.kept), seen_of(s, who) - 1)


@kernel
def deal_offer(s: State, who: Int, kept: Int, left: Int) -> Int:
    """Deals a face-down card and the `kept` cards of its hand; each of them may be any of the cards that were seen
    there. Returns as above."""
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
def is_allowed(s: State, offerer: Int, kept: Int) -> bool:
    """AA-10, AA-40: two alike are offered only by a hand of nothing else; before it draws it holds what it `kept`."""
    return bool(s.face_down != s.face_up or s.hands[offerer, s.face_up] == kept)
