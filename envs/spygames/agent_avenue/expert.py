"""The player `expert`: a hand-written player that judges positions by the chance to win from them."""

from math import exp

import numpy as np

from spygames.agent_avenue.cards import COPIES, KINDS
from spygames.agent_avenue.outlook import OWN, RIVAL, copies, hand, lead, lead_after, runs_out, unseen, verdict
from spygames.agent_avenue.rules import DISCARD_CARD, PLAY_PAIR, RECRUIT_DOWN, RECRUIT_UP, THREE
from spygames.core.kernel import Int, Record, kernel

STACK = np.array(
    [  # log-odds of winning that 0, 1, 2, 3 and more copies in play add
        [0.0, 0.8, 0.0, 0.0],  # double_agent: the second moves by six
        [0.0, 0.1, 0.2, 0.2],  # enforcer
        [0.0, 0.5, 1.5, 0.0],  # codebreaker: the third wins
        [0.0, -0.1, -0.2, -0.2],  # saboteur
        [0.0, -0.3, -1.5, 0.0],  # daredevil: the third loses
        [0.0, 0.3, 0.9, 0.9],  # sentinel: the second moves by two, the third by six
        [0.0, 0.0, 0.0, 0.0],  # sidekick
        [0.0, 0.0, 0.0, 0.0],  # mole
    ]
)
LEAD = 0.3
TEMPO = 0.0
SHARPNESS = 12.0
CAUTION = 0.3
PATIENCE = 0.02


@kernel
def expert(view: Record, mask: np.ndarray, rng: np.ndarray) -> Int:
    """Takes the card, offers the pair or discards the card that promises the best chance to win."""
    if mask[RECRUIT_UP]:
        return recruit(view)
    return play(view, mask)


@kernel
def recruit(view: Record) -> Int:
    up = 0
    for card in range(KINDS):
        if view.face_up[card]:
            up = card
    now = standing(view)
    take, leave, count = 0.0, 0.0, 0
    for down in range(KINDS):
        n = unseen(view, down)
        if n > 0 and down != up:
            take += n * chance(view, now, up, down)
            leave += n * chance(view, now, down, up)
            count += n
    return RECRUIT_UP if take >= leave else RECRUIT_DOWN


@kernel
def play(view: Record, mask: np.ndarray) -> Int:
    now = standing(view)
    taken = (
        willingness(view, now, 0),
        willingness(view, now, 1),
        willingness(view, now, 2),
        willingness(view, now, 3),
        willingness(view, now, 4),
        willingness(view, now, 5),
        willingness(view, now, 6),
        willingness(view, now, 7),
    )
    best, promise = -1, -1.0
    for action in range(PLAY_PAIR, RECRUIT_UP):
        if mask[action]:
            up, down = (action - PLAY_PAIR) // KINDS, (action - PLAY_PAIR) % KINDS
            value = offer(view, now, up, down, taken[up])
            if value > promise:
                best, promise = action, value
    promise += PATIENCE
    hidden = 0
    for card in range(KINDS):
        hidden += unseen(view, card)
    for thrown in range(KINDS):
        if mask[DISCARD_CARD + thrown]:
            kept = best_offer(view, now, taken, thrown, -1)
            value = 0.0
            for drawn in range(KINDS):
                n = unseen(view, drawn)
                if n > 0:
                    value += n * max(kept, best_offer(view, now, taken, thrown, drawn))
            if value > promise * hidden:
                best, promise = DISCARD_CARD + thrown, value / hidden
    return best


@kernel
def best_offer(view: Record, now: float, taken: tuple[float, ...], thrown: Int, drawn: Int) -> float:
    """The best offer once `thrown` has left the hand: of the cards that remain, or with `drawn`."""
    best = 0.0
    for one in range(KINDS):
        if hand(view, one) - (one == thrown) > 0:
            if drawn < 0:
                for two in range(KINDS):
                    if two != one and hand(view, two) - (two == thrown) > 0:
                        best = max(best, offer(view, now, one, two, taken[one]))
            elif drawn != one:
                best = max(best, offer(view, now, one, drawn, taken[one]))
                best = max(best, offer(view, now, drawn, one, taken[drawn]))
    return best


@kernel
def offer(view: Record, now: float, up: Int, down: Int, taken: float) -> float:
    """The chance to win after offering these two cards."""
    if_up, if_down = chance(view, now, down, up), chance(view, now, up, down)
    return (1 - CAUTION) * (taken * if_up + (1 - taken) * if_down) + CAUTION * min(if_up, if_down)


@kernel
def willingness(view: Record, now: float, up: Int) -> float:
    """The chance that the rival takes `up`, when it can only guess the other card."""
    gain, count = 0.0, 0
    for down in range(KINDS):
        n = COPIES[down] - copies(view, OWN, down) - copies(view, RIVAL, down)
        if n > 0 and down != up:
            gain += n * (chance(view, now, up, down) - chance(view, now, down, up))
            count += n
    return 1 / (1 + exp(-SHARPNESS * gain / max(count, 1)))


@kernel
def chance(view: Record, now: float, mine: Int, theirs: Int) -> float:
    """The chance to win after both sides have recruited these cards."""
    after = lead_after(view, lead(view), mine, theirs)
    decided = verdict(view, after, mine, theirs, runs_out(view))
    if decided:
        return 0.5 + 0.5 * decided
    odds = now + LEAD * after + gain(view, OWN, mine) - gain(view, RIVAL, theirs)
    odds += -TEMPO if view.active else TEMPO
    return 1 / (1 + exp(-odds))


@kernel
def standing(view: Record) -> float:
    """Log-odds of winning for the cards in play, before this turn's."""
    odds = 0.0
    for card in range(KINDS):
        odds += STACK[card, min(copies(view, OWN, card), THREE)]
        odds -= STACK[card, min(copies(view, RIVAL, card), THREE)]
    return odds


@kernel
def gain(view: Record, side: Int, card: Int) -> float:
    """Log-odds that one more copy in play adds for its side."""
    n = copies(view, side, card)
    return STACK[card, min(n + 1, THREE)] - STACK[card, min(n, THREE)]
