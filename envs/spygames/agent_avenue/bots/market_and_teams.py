"""Scripted players for advanced mode and for teams: `greedy` and `expert` weigh what each choice leads to.

Both judge the table after the cards that a choice brings into play: `greedy` by the lead alone, `expert` by the chance
to win. Views differ between variants, so each has a bot of its own, which hands on what the common fields lack: the
ongoing market cards of both sides as bits.
"""

from math import exp

import numpy as np

from spygames.agent_avenue.actions import (
    DECLINE,
    DISCARD_CARD,
    LEAD_OWN,
    PLAY_DOWN,
    PLAY_PAIR,
    PLAY_UP,
    RECRUIT_AGENT,
    RECRUIT_DOWN,
    RECRUIT_UP,
    RESOLVE_OWN,
    TAKE_AGENT,
    TAKE_MARKET,
)
from spygames.agent_avenue.board import CATCH, IS_MARKET, SPACES
from spygames.agent_avenue.cards import (
    BOOST,
    CODEBREAKER,
    DAREDEVIL,
    ICONS,
    KINDS,
    LEADER_OF_THE_PACK,
    MARKET_SIZE,
    MASTERPLAN,
    MIND_CONTROL,
    ONGOING,
    PLAN,
    PLUS,
    TIMES,
)
from spygames.agent_avenue.layout import NONE, THREE
from spygames.core.kernel import Int, Record, kernel

STACKS = np.array(
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
LEAD_WEIGHT = 0.3
AT_MARKET = 0.3  # log-odds that landing on a market space adds
DECIDED = 12.0  # log-odds of a game that is won
CAUTION = 0.5  # how far the worse of two outcomes counts beside their mean
PATIENCE = 0.03  # what a discard must promise beyond the best offer
MARKET_WORTH = np.array(
    # distraction, getaway, leader, masterplan, security, twin, supercomputer, watchtower;
    # double trouble, mind control, outpost, secret recruit, smoke screen, spycation, truck
    [1.0, 2.0, 4.0, 2.5, 2.0, 1.5, 3.0, 3.5, 2.0, 5.0, 3.0, 2.0, 0.5, 2.5, 1.0]
)
"""The order in which market cards are taken."""


@kernel
def copies(view: Record, side: Int, card: Int) -> Int:
    """Copies that a side (0: own, 1: the other) has in play."""
    return int(view.in_play[side, card] * 6 + 0.5)


@kernel
def unseen(view: Record, card: Int) -> Int:
    """Copies that may be anywhere hidden."""
    return int(view.unseen[card] * 6 + 0.5)


@kernel
def current_lead(view: Record) -> Int:
    """Own progress minus the rival's."""
    ahead = 0
    for i in range(2 * CATCH + 1):
        if view.lead[i]:
            ahead = i - CATCH
    return ahead


@kernel
def owned(bits: Int, card: Int) -> bool:
    """Whether an ongoing card is among those of a side."""
    return (np.int64(bits) >> np.int64(card)) & 1 == 1


@kernel
def steps(view: Record, side: Int, card: Int, bits: Int) -> Int:
    """Spaces that one more of `card` moves a side."""
    n = np.int64(ICONS[card, min(copies(view, side, card), THREE - 1)])
    boost = BOOST[card]
    return np.int64(n * TIMES[boost] + PLUS[boost]) if boost != NONE and owned(bits, boost) else n


@kernel
def stack_odds(view: Record, side: Int, gains: Int, loses: Int) -> float:
    """What the cards in play of a side are worth after it gains one and loses another (NONE: none)."""
    odds = 0.0
    for card in range(KINDS):
        odds += STACKS[card, min(copies(view, side, card) + (card == gains) - (card == loses), THREE)]
    return odds


@kernel
def has_won(view: Record, side: Int, gains: Int, loses: Int, bits: Int) -> bool:
    """Whether the cards in play of a side win for it."""
    names, pack = 0, owned(bits, LEADER_OF_THE_PACK)
    for card in range(KINDS):
        n = copies(view, side, card) + (card == gains) - (card == loses)
        names += n > 0
        if n >= THREE and (card == CODEBREAKER or (card == DAREDEVIL and pack)):
            return True
    return bool(owned(bits, MASTERPLAN) and names >= PLAN)


@kernel
def has_lost(view: Record, side: Int, gains: Int, loses: Int, bits: Int) -> bool:
    """Whether the Daredevils of a side lose the game for it."""
    n = copies(view, side, DAREDEVIL) + (gains == DAREDEVIL) - (loses == DAREDEVIL)
    return bool(n >= THREE and not owned(bits, LEADER_OF_THE_PACK))


@kernel
def judge(view: Record, mine: Int, theirs: Int, my_loss: Int, their_loss: Int, a: Int, b: Int, smart: bool) -> float:
    """The chance to win after both sides gain and lose these agents (NONE: none); `a`, `b`: ongoing cards, as bits."""
    forward = steps(view, 0, mine, a) if mine != NONE else 0
    after = current_lead(view) + forward - (steps(view, 1, theirs, b) if theirs != NONE else 0)
    won = after >= CATCH or has_won(view, 0, mine, my_loss, a) or has_lost(view, 1, theirs, their_loss, b)
    lost = -after >= CATCH or has_won(view, 1, theirs, their_loss, b) or has_lost(view, 0, mine, my_loss, a)
    if won or lost:
        odds = DECIDED if won and (view.active or not lost) else -DECIDED
    else:
        odds = LEAD_WEIGHT * after
        if smart:
            odds += stack_odds(view, 0, mine, my_loss) - stack_odds(view, 1, theirs, their_loss)
            space = (int(view.space[0] * SPACES + 0.5) + forward) % SPACES
            odds += AT_MARKET if forward and IS_MARKET[space] else 0.0
    return 1.0 / (1.0 + exp(-odds))


@kernel
def offer(view: Record, up: Int, down: Int, a: Int, b: Int, smart: bool) -> float:
    """The chance to win with an offer of these cards, of which the other side takes either."""
    if_up, if_down = judge(view, down, up, NONE, NONE, a, b, smart), judge(view, up, down, NONE, NONE, a, b, smart)
    mean = (if_up + if_down) / 2
    return CAUTION * min(if_up, if_down) + (1 - CAUTION) * mean if smart else mean


@kernel
def offer_beside_hidden(view: Record, up: Int, a: Int, b: Int, smart: bool) -> float:
    """The same where a partner will add any unseen card face down."""
    total, count = 0.0, 0
    for down in range(KINDS):
        n = unseen(view, down)
        if n > 0 and down != up:
            total += n * offer(view, up, down, a, b, smart)
            count += n
    return total / max(count, 1)


@kernel
def take_up(view: Record, a: Int, b: Int, smart: bool) -> bool:
    """Whether to take the face-up card, over all cards that may lie face down."""
    up, gain = 0, 0.0
    for card in range(KINDS):
        if view.face_up[card]:
            up = card
    for down in range(KINDS):
        known = view.face_down[down] > 0
        n = 100 if known else unseen(view, down)
        if n > 0:
            gain += n * (
                judge(view, up, down, NONE, NONE, a, b, smart) - judge(view, down, up, NONE, NONE, a, b, smart)
            )
    return gain >= 0.0


@kernel
def worth_of(view: Record, action: Int, ability: Int, a: Int, b: Int, smart: bool) -> float:
    """The promise of one action that is not a discard; comparable between the actions of one decision."""
    if action < RECRUIT_UP:
        return offer(view, (action - PLAY_PAIR) // KINDS, (action - PLAY_PAIR) % KINDS, a, b, smart)
    if action <= RECRUIT_DOWN:
        return 1.0 if (action == RECRUIT_UP) == take_up(view, a, b, smart) else 0.0
    if action < TAKE_AGENT:
        return MARKET_WORTH[action - TAKE_MARKET]
    if action < RECRUIT_AGENT:
        card = action - TAKE_AGENT
        if ability == MIND_CONTROL:
            return judge(view, NONE, NONE, NONE, card, a, b, smart)
        return max(judge(view, NONE, NONE, card, NONE, a, b, smart), judge(view, card, NONE, card, NONE, a, b, smart))
    if action < DECLINE:
        return judge(view, action - RECRUIT_AGENT, NONE, NONE, NONE, a, b, smart)
    if action == DECLINE:
        return judge(view, NONE, NONE, NONE, NONE, a, b, smart)
    if action < PLAY_UP:
        return 1.0 if action == LEAD_OWN else 0.0
    if action < PLAY_DOWN:
        return offer_beside_hidden(view, action - PLAY_UP, a, b, smart)
    if action >= RESOLVE_OWN:
        return 1.0 if action == RESOLVE_OWN else 0.0
    up = 0
    for card in range(KINDS):
        if view.face_up[card]:
            up = card
    return offer(view, up, action - PLAY_DOWN, a, b, smart)


@kernel
def decide(view: Record, mask: np.ndarray, ability: Int, a: Int, b: Int, smart: bool) -> Int:
    """The most promising action. The expert discards where the worst card stands out and no offer is any good."""
    best, promise = NONE, -1.0
    for action in range(PLAY_PAIR, len(mask)):
        if mask[action]:
            worth = worth_of(view, action, ability, a, b, smart)
            if worth > promise:
                best, promise = action, worth
    limit = 0.45 if smart else 0.01
    if promise + PATIENCE < limit:
        thrown = worst_card(view, mask, a, b, smart)
        if thrown != NONE:
            return thrown
    return best


@kernel
def worst_card(view: Record, mask: np.ndarray, a: Int, b: Int, smart: bool) -> Int:
    """The discard of the card that would serve the other side most against what it brings to the own one."""
    worst, least = NONE, np.inf
    for card in range(KINDS):
        if mask[DISCARD_CARD + card]:
            value = offer_beside_hidden(view, card, a, b, smart)
            if value < least:
                worst, least = DISCARD_CARD + card, value
    return worst


@kernel
def ongoing_bits(view: Record, side: Int) -> Int:
    """The ongoing cards of a side as bits."""
    bits = 0
    for card in range(ONGOING):
        if view.ongoing[side, card]:
            bits |= 1 << card
    return bits


@kernel
def ability_of(view: Record) -> Int:
    """The market card that is being resolved, or NONE."""
    for i in range(MARKET_SIZE - ONGOING):
        if view.ability[i]:
            return ONGOING + i
    return NONE


@kernel
def greedy_at_market(view: Record, mask: np.ndarray, rng: np.ndarray) -> Int:
    """Takes what is best at once: a win before a lead before a loss."""
    return decide(view, mask, ability_of(view), ongoing_bits(view, 0), ongoing_bits(view, 1), False)


@kernel
def expert_at_market(view: Record, mask: np.ndarray, rng: np.ndarray) -> Int:
    """Takes what promises the best chance to win."""
    return decide(view, mask, ability_of(view), ongoing_bits(view, 0), ongoing_bits(view, 1), True)


@kernel
def greedy_in_team(view: Record, mask: np.ndarray, rng: np.ndarray) -> Int:
    """Takes what is best at once: a win before a lead before a loss."""
    return decide(view, mask, NONE, 0, 0, False)


@kernel
def expert_in_team(view: Record, mask: np.ndarray, rng: np.ndarray) -> Int:
    """Takes what promises the best chance to win."""
    return decide(view, mask, NONE, 0, 0, True)
