"""`rewind`: turn a redrawn world into the world of an earlier decision.

A search asks how likely the decision was in that world, and so infers hidden hands.
"""

import numpy as np

from spygames.agent_dog.actions import (
    DISCARD,
    PASS,
    PLAY,
    decode_discard,
    decode_pass,
    decode_play,
    encode_pass,
    kind_of,
)
from spygames.agent_dog.cards import KINDS
from spygames.agent_dog.layout import EXCHANGE, MEETING, NONE, REDRAW, SEATS, SWAPPING, copy_public
from spygames.agent_dog.queries import giver, hand_size, offers
from spygames.agent_dog.rules.turns import possible_functions
from spygames.core.compiling.kernel import Int, Record, kernel
from spygames.core.game.rewinding import IMPOSSIBLE, TELLS_NOTHING, any_of

_NONE_KEPT = np.zeros(KINDS, np.int8)


@kernel
def rewind(s: Record, past: Record, seat: Int, action: Int, rng: np.ndarray) -> Int:
    """Undo a decision of `seat` and its later decisions (`Game.rewind`).

    The result is right for the view of `seat` alone. Cards that left a hand are public, so an earlier hand of this
    round is the present hand plus these cards. Only two facts are guessed: the cards that were passed (see
    `determinize`), and the card drawn after a discard (AD-35). The drawn card may be any card without which the hand
    has no playable card.

    These decisions reveal nothing:

    - decisions of earlier rounds, because their hands have been played
    - the second pawn of a swap and the order of meetings, because no view shows them afterwards

    No seat sees a color under a hat, so no decision reveals one.
    """
    if past.round_number != s.round_number:
        return TELLS_NOTHING
    exchanged = s.phase != EXCHANGE
    received = np.int64(s.passed[giver(s, seat)]) if exchanged else NONE
    for card in range(KINDS):
        s.hands[seat, card] += s.lost[seat, card] - past.lost[seat, card]
    take_public(s, past, seat)
    if past.phase == EXCHANGE:
        return undo_exchange(s, seat, received)
    if past.phase == REDRAW and not undo_draw(s, past, seat, decode_discard(action), rng):
        return IMPOSSIBLE
    return TELLS_NOTHING if past.phase == MEETING or (past.phase == SWAPPING and past.first != NONE) else action


@kernel
def ways(s: Record, now: Record, viewer: Int, seat: Int, action: Int) -> float:
    """Return the number of copies in the hand that the card passed, discarded or played may be (`Game.ways`).

    A card that leaves the hand is one of its h copies. The card and the h - 1 that stay are dealt in h times as many
    ways as the h copies together. The exception is the card that `viewer` passed to the hand. It is the first of its
    kind to leave the hand (see `known_card`), and the other cards are dealt in as many ways afterwards as before.
    """
    kind = kind_of(action, np.int64(s.options.track))
    if kind > PLAY:
        return 1.0
    card = action
    if kind == PLAY:
        card, _ = decode_play(action)
    elif kind == DISCARD:
        card = decode_discard(action)
    else:
        card = decode_pass(action)
    known = kind != PASS and giver(s, seat) == viewer and s.passed[viewer] == card and s.lost[seat, card] == 0
    return 1.0 if known else np.float64(s.hands[seat, card])


@kernel
def undo_exchange(s: Record, seat: Int, received: Int) -> Int:
    """AD-6: undo the exchange of a seat: take back the passed card, and give back the received one if there is one.

    Returns:
        The action that passed the card, or IMPOSSIBLE if the hand lacks the received card.
    """
    hand, card = s.hands[seat], np.int64(s.passed[seat])
    hand[card] += 1
    s.passed[seat] = NONE
    if received != NONE:
        if hand[received] == 0:
            return IMPOSSIBLE
        hand[received] -= 1
    return encode_pass(card)


@kernel
def undo_draw(s: Record, past: Record, seat: Int, discarded: Int, rng: np.ndarray) -> bool:
    """AD-35: take back the card that was drawn after a discard, if one was drawn.

    Returns:
        Whether the hand before the draw had no playable card.
    """
    every = 0
    for card in range(KINDS):
        every |= offers(s, card)
    found = possible_functions(s, seat, every)
    hand, playable, drawn = s.hands[seat], 0, NONE
    for card in range(KINDS):
        if hand[card] > 0 and found & offers(s, card) != 0:
            playable += np.int64(hand[card])
            drawn = card
    if hand_size(s, seat) == hand_size(past, seat):
        return bool(playable == 0)
    if playable == 0:
        hand[discarded] -= 1  # the discarded card is not the drawn card
        drawn = any_of(hand, _NONE_KEPT, rng)
        hand[discarded] += 1
    hand[drawn] -= 1
    return bool(playable <= 1)


@kernel
def take_public(s: Record, past: Record, seat: Int) -> None:
    """Restore all public fields, and the hands of the other seats, of which `seat` sees only the sizes.

    The cards that were passed in this round stay as they are in this world.
    """
    copy_public(s, past)
    for who in range(SEATS):
        for card in range(KINDS):
            if who != seat:
                s.hands[who, card] = past.hands[who, card]
