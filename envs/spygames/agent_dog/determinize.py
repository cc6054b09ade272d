"""`determinize`: redraw everything that a seat cannot know. AD-n names a rule in README.md."""

import numpy as np
from numpy import uint64

from spygames.agent_dog.board import PLACES
from spygames.agent_dog.cards import KINDS, MAX_CARDS
from spygames.agent_dog.layout import CARD, EXCHANGE, HAT, NONE, REDRAW, State
from spygames.agent_dog.queries import board_unchanged, hand_size, offers, taker, unseen
from spygames.agent_dog.rules.turns import possible_functions
from spygames.core.compiling.kernel import Int, kernel
from spygames.core.game.rng import below, shuffle


@kernel
def determinize(s: State, seat: Int, seed: uint64) -> None:
    """Redeal the cards that `seat` has not seen to all hidden places, and shuffle the colors under hats (AD-24).

    `seat` knows this about the cards of others:

    - The card that it passed is in its taker's hand until a card of that kind has left that hand.
    - A seat that is to play a card has a playable card (AD-9).
    - A seat that must discard has no playable card (AD-35).
    - A seat that has discarded and drawn has no playable card except the drawn card (AD-35).
    """
    s.rng = seed
    pile = 0
    for card in range(KINDS):
        for _ in range(unseen(s, seat, card)):
            s.deck[pile] = card
            pile += 1
    known = known_card(s, seat)
    if known != NONE:
        at = 0
        while s.deck[at] != known:
            at += 1
        pile -= 1
        s.deck[at] = s.deck[pile]
        s.deck[pile] = NONE
    asked = np.int64(s.to_move)
    bound = asked != seat and (s.phase == CARD or s.phase == REDRAW or (s.redrawn == 1 and board_unchanged(s)))
    if bound:
        pile = deal_bound(s, asked, known if taker(s, seat) == asked else NONE, pile)
    shuffle(s, s.deck, pile)
    for other in range(s.options.players):
        if other != seat:
            if s.phase == EXCHANGE and s.passed[other] != NONE:
                pile -= 1
                s.passed[other] = s.deck[pile]
            if not (bound and other == asked):
                pile = deal_hand(s, other, known if taker(s, seat) == other else NONE, pile)
    for i in range(pile, MAX_CARDS):
        s.deck[i] = NONE
    guess_passed(s, seat)
    if not s.options.tracked:
        shuffle_hats(s)


@kernel
def known_card(s: State, seat: Int) -> Int:
    """Return the card that `seat` passed if its taker certainly still holds it, else NONE."""
    card = np.int64(s.passed[seat])
    if s.phase == EXCHANGE or card == NONE or s.lost[taker(s, seat), card] > 0:
        return NONE
    return card


@kernel
def deal_hand(s: State, seat: Int, known: Int, pile: Int) -> Int:
    """Deal `seat` a new hand of the same size from the end of the pile, with the `known` card if it is not NONE.

    Returns:
        The number of cards that are left in the pile.
    """
    size = hand_size(s, seat)
    for card in range(KINDS):
        s.hands[seat, card] = 0
    if known != NONE:
        s.hands[seat, known] = 1
        size -= 1
    for _ in range(size):
        pile -= 1
        s.hands[seat, s.deck[pile]] += 1
    return pile


@kernel
def deal_bound(s: State, seat: Int, known: Int, pile: Int) -> Int:
    """Deal `seat`, the seat to move, a hand that fits its decision, from the end of the pile.

    The hand has a playable card if a card is to be played. It has none if a card must be discarded, and none except the
    drawn card after that (AD-35).

    Returns:
        The number of cards that are left in the pile.
    """
    every = 0
    for card in range(KINDS):
        every |= offers(s, card)
    found = possible_functions(s, seat, every)
    size = hand_size(s, seat) - (known != NONE)
    known_fits = known != NONE and found & offers(s, known) != 0
    free = s.phase == CARD and s.redrawn == 0
    drawn = s.phase == CARD and s.redrawn == 1 and not known_fits
    while True:
        good = not free or known_fits
        for i in range(size):  # a shuffle from the end: draw the next card among those not dealt yet
            last = pile - 1 - i
            while True:
                j = below(s, last + 1)
                can = found & offers(s, s.deck[j]) != 0
                if free or can == (drawn and i == 0):
                    break
            s.deck[j], s.deck[last] = s.deck[last], s.deck[j]
            good = good or can
        if good:
            break
    return deal_hand(s, seat, known, pile)


@kernel
def guess_passed(s: State, seat: Int) -> None:
    """Draw the cards that others passed to each other: any card that the taker holds or has lost since."""
    if s.phase == EXCHANGE:
        return
    for other in range(s.options.players):
        to = taker(s, other)
        if other != seat and to != seat and s.passed[other] != NONE:
            left = hand_size(s, to)
            for card in range(KINDS):
                left += np.int64(s.lost[to, card])
            left = below(s, left)
            card = 0
            while card < KINDS - 1 and left >= np.int64(s.hands[to, card]) + s.lost[to, card]:
                left -= np.int64(s.hands[to, card]) + s.lost[to, card]
                card += 1
            s.passed[other] = card


@kernel
def shuffle_hats(s: State) -> None:
    """Shuffle the colors under hats. The number of each color follows from the visible pawns (AD-24)."""
    counts = 0  # hidden pawns of each color, eight bits for each color
    left = 0
    for place in range(PLACES):
        if s.board[place] >= HAT:
            counts += 1 << 8 * (np.int64(s.board[place]) - HAT)
            left += 1
    for place in range(PLACES):
        if s.board[place] >= HAT:
            pick = below(s, left)
            left -= 1
            colour = 0
            while pick >= (counts >> 8 * colour & 255):
                pick -= counts >> 8 * colour & 255
                colour += 1
            counts -= 1 << 8 * colour
            s.board[place] = colour + HAT
