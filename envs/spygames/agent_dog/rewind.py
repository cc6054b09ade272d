"""Rewind: turns a redrawn world into that of an earlier decision, for what a decision tells of a hidden hand."""

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
    """`Game.rewind`: cards that left a hand lie open, so a hand of this round is what is left of it and these.

    Only the cards that were passed have to be guessed (`determinize`), and which card was drawn for a discard (AD-35):
    any after which the discard had to be. Hands of earlier rounds have been played, so what was done with them says
    nothing; nor does what no view shows afterwards, the second pawn of a swap and which of several meetings was held
    first. No seat sees a colour under a hat, so no decision tells of one. What comes out is right for the view of
    `seat` alone.
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
    """`Game.ways`: any copy of the kind in the hand may be the card that was passed, discarded or played.

    The exception is the card that `viewer` passed to that hand, which is the first of its kind to leave it
    (`known_card`): the others are dealt in as many ways afterwards as before. A card that is passed, openly or not, is
    one of h copies: it and the h - 1 that stay are dealt in h times as many ways as the h copies together.
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
    """AD-6: gives the card that came back, if it has come, and takes the one that was passed."""
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
    """AD-35: takes back the card that was drawn for a discarded one, if one was.

    Returns:
        Whether no card of the hand could be played before.
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
        hand[discarded] -= 1  # which is not the one that was drawn
        drawn = any_of(hand, _NONE_KEPT, rng)
        hand[discarded] += 1
    hand[drawn] -= 1
    return bool(playable <= 1)


@kernel
def take_public(s: Record, past: Record, seat: Int) -> None:
    """All that was public is as it was then, and what the other seats held, which `seat` does not see but as counts.

    The cards that were passed in this round stay as in this world."""
    copy_public(s, past)
    for who in range(SEATS):
        for card in range(KINDS):
            if who != seat:
                s.hands[who, card] = past.hands[who, card]
