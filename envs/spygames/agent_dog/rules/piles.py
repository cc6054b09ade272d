"""Deck, hands and discard pile. AD-n names a rule in README.md."""

import numpy as np

from spygames.agent_dog.cards import DEAL, KINDS, MAX_CARDS
from spygames.agent_dog.layout import EXCHANGE, LARGEST, MOST_LOST, NONE, SEATS, State
from spygames.core.compiling.kernel import Int, kernel
from spygames.core.game.rng import shuffle


@kernel
def one_more(total: Int, most: Int) -> Int:
    """Return a count plus one, at most `most`."""
    return min(np.int64(total) + 1, np.int64(most))


@kernel
def open_deck(s: State) -> None:
    """AD-5: shuffle all cards into the deck and empty the discard pile."""
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


@kernel
def new_round(s: State) -> None:
    """AD-6: deal five cards to each seat, the dealer first, and begin the exchange."""
    s.round_number = one_more(s.round_number, LARGEST)
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
def draw(s: State, seat: Int) -> None:
    """AD-8: draw the top card of the deck. If the deck is empty, first shuffle the discard pile into a new deck."""
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
def lay_on_top(s: State, card: Int) -> None:
    """Put a card on top of the discard pile."""
    s.discard[s.discard_size] = card
    s.discard_size += 1
    s.discarded[card] += 1


@kernel
def lay_under(s: State, card: Int) -> None:
    """Put a card under the discard pile."""
    for i in range(s.discard_size, 0, -1):
        s.discard[i] = s.discard[i - 1]
    s.discard[0] = card
    s.discard_size += 1
    s.discarded[card] += 1


@kernel
def lay_down_hand(s: State, seat: Int) -> None:
    """AD-10, AD-23: put a whole hand under the discard pile; its player is out of the round."""
    for card in range(KINDS):
        while s.hands[seat, card] > 0:
            take_from_hand(s, seat, card)
            lay_under(s, card)
    s.out[seat] = 1


@kernel
def take_from_hand(s: State, seat: Int, card: Int) -> None:
    """Take a card from a hand so that all seats see it."""
    s.hands[seat, card] -= 1
    s.lost[seat, card] = one_more(s.lost[seat, card], MOST_LOST)
