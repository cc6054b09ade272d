"""The rules of Agent Avenue: two players, simple mode. AA-n: the rule in README.md.

A seat is a player and a side is what owns a meeple; with two players they are the same number.
"""

import numpy as np
from numpy import float32, int8, int16, uint64

from spygames.agent_avenue.cards import (
    CARDS,
    CATCH,
    CODEBREAKER,
    COPIES,
    DAREDEVIL,
    HOMES,
    ICONS,
    KINDS,
    SPACES,
)
from spygames.core.kernel import Int, Record, kernel
from spygames.core.rng import below, shuffle

SEATS = SIDES = 2
HAND, DISCARDS = 4, 4  # cards dealt and drawn up to (AA-5, AA-11); discards a player may make (AA-8)
THREE = 3  # copies that select the last icon, win as Codebreakers, lose as Daredevils (AA-13, AA-17)
NONE = -1  # no card, no seat, no side, no reason

PHASES = ("play", "recruit", "over")
PLAY, RECRUIT, OVER = range(3)
END_REASONS = (
    "caught",
    "codebreakers",
    "daredevils",
    "masterplan",
    "security_system",
    "leader_of_the_pack",
    "ran_out",
)
CAUGHT, CODEBREAKERS, DAREDEVILS, _, _, _, RAN_OUT = range(7)

# Actions: discard card c | play c face up and d face down | recruit the face-up or the face-down card
DISCARD_CARD = 0
PLAY_PAIR = DISCARD_CARD + KINDS
RECRUIT_UP = PLAY_PAIR + KINDS * KINDS
RECRUIT_DOWN = RECRUIT_UP + 1
NUM_ACTIONS = RECRUIT_DOWN + 1

OPTIONS = np.dtype([
    ("first_player", int8),  # the seat that begins, or NONE: drawn from the seed (AA-6)
])  # fmt: skip
STATE = np.dtype([  # what is true; widest field first, no padding
    ("rng", uint64),  # HIDDEN: the game's luck
    ("turn", int16),  # 1.., goes up when the next side becomes active
    ("progress", int16, SIDES),  # spaces moved forward in all (AA-15)
    ("hands", int8, (SEATS, KINDS)),  # HIDDEN: copies of each agent
    ("discarded", int8, (SEATS, KINDS)),  # HIDDEN: copies, known to their owner only (AA-9)
    ("in_play", int8, (SIDES, KINDS)),  # copies
    ("deck", int8, CARDS),  # HIDDEN: agents, the top one at deck_size - 1; NONE above
    ("deck_size", int8),
    ("discards_left", int8, SEATS),
    ("face_up", int8),  # agent offered openly, or NONE
    ("face_down", int8),  # HIDDEN: agent offered secretly, or NONE; known to the seat that played it
    ("kept", int8),  # while two cards are offered: cards that their player held on to, before drawing (AA-10)
    ("phase", int8),  # index in PHASES
    ("to_move", int8),  # seat, NONE when over
    ("active_side", int8),
    ("winner", int8),  # side, or NONE
    ("end_reason", int8),  # index in END_REASONS, or NONE
    ("options", OPTIONS),
])  # fmt: skip
VIEW = np.dtype([  # what one seat may know; [2]: own side, other side; counts as thermometers: n ones, then zeros
    ("hand", float32, (KINDS, HAND)),  # own hand, thermometer
    ("stacks", float32, (2, KINDS, THREE)),  # cards in play, thermometer up to the last icon
    ("in_play", float32, (2, KINDS)),  # the same in full, in units of 6 copies
    ("discarded", float32, KINDS),  # own discards, in units of 4
    ("unseen", float32, KINDS),  # copies that may be anywhere hidden, in units of 6
    ("face_up", float32, KINDS),  # one-hot, zeros if none
    ("face_down", float32, KINDS),  # one-hot, zeros if none or not played by the viewer
    ("lead", float32, 2 * CATCH + 1),  # own progress - other progress, one-hot from -7 to 7, clipped
    ("space", float32, 2),  # where the meeples stand, seen from the own home, in units of 14
    ("discards_left", float32, (2, DISCARDS)),  # thermometer
    ("hand_size", float32, 2),  # in units of 4
    ("deck_size", float32),  # in units of 38
    ("phase", float32, 2),  # one-hot: play, recruit; zeros when over
    ("decides", float32),  # 1 if the viewer is to move
    ("active", float32),  # 1 if it is the turn of the viewer's side
])  # fmt: skip

_THERMOMETER = np.tril(np.ones((8, 7), float32), -1)  # row n: n ones


@kernel
def other(side: Int) -> Int:
    """The opposing side."""
    return 1 - side


@kernel
def lead(s: Record, side: Int) -> Int:
    """Own progress minus the other side's (AA-15)."""
    return np.int64(s.progress[side]) - np.int64(s.progress[other(side)])


@kernel
def hand_size(s: Record, seat: Int) -> Int:
    """Cards in a hand."""
    size = 0
    for card in range(KINDS):
        size += np.int64(s.hands[seat, card])
    return size


@kernel
def draw(s: Record, seat: Int) -> None:
    """Takes the top card of the agent deck into a hand."""
    s.deck_size -= 1
    s.hands[seat, s.deck[s.deck_size]] += 1
    s.deck[s.deck_size] = NONE


@kernel
def draw_up(s: Record, seat: Int) -> None:
    """AA-11, AA-20: draws until the hand has four cards or the deck has none."""
    for _ in range(HAND - hand_size(s, seat)):
        if s.deck_size > 0:
            draw(s, seat)


@kernel
def init(s: Record, options: Record, seed: uint64) -> None:
    """AA-5: shuffle the 38 cards, deal four each, meeples at home. AA-6: the first player."""
    s.rng = seed
    s.options.first_player = options.first_player
    for seat in range(SEATS):
        s.progress[seat] = 0
        s.discards_left[seat] = DISCARDS
        for card in range(KINDS):
            s.hands[seat, card] = s.discarded[seat, card] = s.in_play[seat, card] = 0
    n = 0
    for card in range(KINDS):
        for _ in range(COPIES[card]):
            s.deck[n] = card
            n += 1
    s.deck_size = n
    first = np.int64(s.options.first_player)
    if first == NONE:
        first = below(s, SIDES)
    shuffle(s, s.deck, n)
    for seat in range(SEATS):
        for _ in range(HAND):
            draw(s, seat)
    s.face_up = s.face_down = NONE
    s.winner = s.end_reason = NONE
    s.kept = 0
    s.turn = 1
    s.active_side = s.to_move = first
    s.phase = PLAY


@kernel
def legal(s: Record, mask: np.ndarray) -> None:
    """What the seat to move may do: AA-8, AA-10, AA-12, AA-20."""
    for action in range(NUM_ACTIONS):
        mask[action] = 0
    if s.phase == RECRUIT:
        mask[RECRUIT_UP] = mask[RECRUIT_DOWN] = 1
    elif s.phase == PLAY:
        hand = s.hands[s.to_move]
        names = 0
        for card in range(KINDS):
            names += hand[card] > 0
        may_discard = s.deck_size > 0 and s.discards_left[s.to_move] > 0
        for up in range(KINDS):
            if hand[up] > 0:
                mask[DISCARD_CARD + up] = may_discard
                for down in range(KINDS):
                    mask[PLAY_PAIR + KINDS * up + down] = hand[down] > 0 and up != down
                if names == 1 and hand[up] > 1:
                    mask[PLAY_PAIR + KINDS * up + up] = 1


@kernel
def apply(s: Record, action: Int) -> None:
    """One decision: a discard, the play of two cards, or the choice between them."""
    if action < PLAY_PAIR:
        discard(s, action - DISCARD_CARD)
    elif action < RECRUIT_UP:
        play(s, (action - PLAY_PAIR) // KINDS, (action - PLAY_PAIR) % KINDS)
    else:
        recruit_both(s, action == RECRUIT_UP)
        end_step(s)


@kernel
def discard(s: Record, card: Int) -> None:
    """AA-8, AA-9: a hand card goes face down to its owner's discards, and one is drawn."""
    seat = s.to_move
    s.hands[seat, card] -= 1
    s.discarded[seat, card] += 1
    s.discards_left[seat] -= 1
    draw(s, seat)


@kernel
def play(s: Record, up: Int, down: Int) -> None:
    """AA-10: two cards are offered. AA-11: their player draws back up to four before the other side chooses."""
    seat = s.to_move
    s.hands[seat, up] -= 1
    s.hands[seat, down] -= 1
    s.face_up, s.face_down = up, down
    size = hand_size(s, seat)
    s.kept = size
    draw_up(s, seat)
    s.phase = RECRUIT
    s.to_move = other(s.active_side)


@kernel
def recruit_both(s: Record, take_up: bool) -> None:
    """AA-12: the other side takes one of the two cards, the active side the other one."""
    up, down = s.face_up, s.face_down
    s.face_up = s.face_down = NONE
    s.kept = 0
    recruit(s, s.active_side, down if take_up else up)
    recruit(s, other(s.active_side), up if take_up else down)


@kernel
def recruit(s: Record, side: Int, card: Int) -> None:
    """AA-13, AA-14: the card joins its like in play, their number selects the icon, the meeple moves by it."""
    s.in_play[side, card] += 1
    s.progress[side] += ICONS[card, min(s.in_play[side, card], THREE) - 1]


@kernel
def claim(s: Record, side: Int) -> Int:
    """The first reason on which `side` can claim the game, or NONE (AA-17, AA-18)."""
    if lead(s, side) >= CATCH:
        return CAUGHT
    if s.in_play[side, CODEBREAKER] >= THREE:
        return CODEBREAKERS
    if s.in_play[other(side), DAREDEVIL] >= THREE:
        return DAREDEVILS
    return NONE


@kernel
def end_step(s: Record) -> None:
    """AA-17 to AA-19: somebody has won, or the cards have run out, or the other side becomes active."""
    active, following = np.int64(s.active_side), other(s.active_side)
    ours, theirs = claim(s, active), claim(s, following)
    if ours != NONE:
        finish(s, active, ours)
    elif theirs != NONE:
        finish(s, following, theirs)
    elif s.deck_size == 0 and hand_size(s, following) < 2:
        finish(s, active if lead(s, active) >= 0 else following, RAN_OUT)
    else:
        s.turn += 1
        s.active_side = s.to_move = following
        s.phase = PLAY
        if hand_size(s, following) < 2:  # only from a mapping: real hands are drawn up when they have been played from
            draw_up(s, following)


@kernel
def finish(s: Record, winner: Int, reason: Int) -> None:
    """The game is over."""
    s.winner, s.end_reason = winner, reason
    s.phase, s.to_move = OVER, NONE


@kernel
def returns(s: Record, out: np.ndarray) -> None:
    """+1 for the winner, -1 for the loser, 0 for both while the game goes on."""
    for seat in range(SEATS):
        out[seat] = 0.0 if s.winner == NONE else (1.0 if s.winner == seat else -1.0)


@kernel
def knows_face_down(s: Record, seat: Int) -> bool:
    """Whether `seat` played the face-down card itself (AA-12)."""
    return s.face_down != NONE and seat == s.active_side


@kernel
def unseen(s: Record, seat: Int, card: Int) -> Int:
    """Copies of `card` that may be anywhere hidden, as `seat` can count them."""
    count = np.int64(COPIES[card]) - s.hands[seat, card] - s.discarded[seat, card] - (s.face_up == card)
    for side in range(SIDES):
        count -= s.in_play[side, card]
    if knows_face_down(s, seat):
        count -= s.face_down == card
    return count


@kernel
def observe(s: Record, seat: Int, view: Record) -> None:
    """Writes what `seat` may know, its own side first."""
    knows_down = knows_face_down(s, seat)
    for card in range(KINDS):
        for i in range(HAND):
            view.hand[card, i] = _THERMOMETER[s.hands[seat, card], i]
        view.discarded[card] = s.discarded[seat, card] / DISCARDS
        view.unseen[card] = unseen(s, seat, card) / 6
        view.face_up[card] = s.face_up == card
        view.face_down[card] = knows_down and s.face_down == card
    for k in range(2):
        side = seat if k == 0 else other(seat)
        for card in range(KINDS):
            view.in_play[k, card] = s.in_play[side, card] / 6
            for i in range(THREE):
                view.stacks[k, card, i] = _THERMOMETER[s.in_play[side, card], i]
        for i in range(DISCARDS):
            view.discards_left[k, i] = _THERMOMETER[s.discards_left[side], i]
        view.space[k] = ((HOMES[side] - HOMES[seat] + s.progress[side]) % SPACES) / SPACES
        view.hand_size[k] = hand_size(s, side) / HAND
    ahead = min(max(lead(s, seat), -CATCH), CATCH) + CATCH
    for i in range(2 * CATCH + 1):
        view.lead[i] = i == ahead
    view.deck_size = s.deck_size / CARDS
    view.phase[0] = s.phase == PLAY
    view.phase[1] = s.phase == RECRUIT
    view.decides = s.to_move == seat
    view.active = s.phase != OVER and s.active_side == seat


@kernel
def determinize(s: Record, seat: Int, seed: uint64) -> None:
    """Deals the cards that `seat` has not seen anew to all hidden places, until AA-10 allows what was played."""
    s.rng = seed
    rival = other(seat)
    hidden_down = s.face_down != NONE and not knows_face_down(s, seat)
    held = hand_size(s, rival)
    thrown = 0
    for card in range(KINDS):
        thrown += np.int64(s.discarded[rival, card])
    # The deck serves as the pile that is dealt from: the rival's hidden cards come off its end.
    pile = 0
    for card in range(KINDS):
        for _ in range(unseen(s, seat, card)):
            s.deck[pile] = card
            pile += 1
    while True:
        shuffle(s, s.deck, pile)
        if not hidden_down:
            break
        # Two alike may be offered only by a hand of nothing else, so all that was kept is alike too.
        alike = 0
        for i in range(held):
            alike += s.deck[pile - 2 - i] == s.face_up
        if s.deck[pile - 1] != s.face_up or alike >= s.kept:
            break
    if hidden_down:
        pile -= 1
        s.face_down = s.deck[pile]
    for card in range(KINDS):
        s.hands[rival, card] = s.discarded[rival, card] = 0
    for _ in range(held):
        pile -= 1
        s.hands[rival, s.deck[pile]] += 1
    for _ in range(thrown):
        pile -= 1
        s.discarded[rival, s.deck[pile]] += 1
    for i in range(pile, CARDS):
        s.deck[i] = NONE
