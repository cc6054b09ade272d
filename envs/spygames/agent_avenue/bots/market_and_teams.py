"""The players `greedy` and `expert` of advanced mode and of teams.

Both rate the position that follows each action: `greedy` by the lead alone, `expert` also by the cards in play and the
market spaces (`positional`). Views differ between variants, so each variant has bots of its own. The bots of advanced
mode read two values that other views lack: the ongoing market cards of both sides and the ability in progress.
"""

from math import exp

import numpy as np

from spygames.agent_avenue.actions import (
    DECLINE,
    LEAD_OWN,
    PLAY_DOWN,
    PLAY_PAIR,
    PLAY_UP,
    RECRUIT_AGENT,
    RECRUIT_DOWN,
    RECRUIT_UP,
    RESOLVE_OWN,
    TAKE_AGENT,
    decode_down,
    decode_market,
    decode_pair,
    decode_recruit,
    decode_take,
    decode_up,
    encode_discard,
)
from spygames.agent_avenue.board import IS_MARKET, SPACES
from spygames.agent_avenue.bots.features import (
    NO_ONGOING,
    OWN,
    RIVAL,
    Ongoing,
    ability_of,
    copies_after,
    face_up,
    lead,
    lead_after,
    ongoing_of,
    steps,
    unseen,
    verdict,
)
from spygames.agent_avenue.cards import KINDS, MIND_CONTROL
from spygames.agent_avenue.layout import NONE, THREE, View
from spygames.core.compiling.kernel import Int, kernel

STACKS = np.array(
    [  # log-odds of winning for 0, 1, 2, 3 or more copies in play
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
AT_MARKET = 0.3  # log-odds for landing on a market space
WON = 12.0  # log-odds of a game that is won
CAUTION = 0.5  # weight of the worse of two outcomes against their mean
PATIENCE = 0.03  # how far below the limit the best action must be for a discard
MARKET_WORTH = np.array(
    # distraction, getaway, leader, masterplan, security, twin, supercomputer, watchtower;
    # double trouble, mind control, outpost, secret recruit, smoke screen, spycation, truck
    [1.0, 2.0, 4.0, 2.5, 2.0, 1.5, 3.0, 3.5, 2.0, 5.0, 3.0, 2.0, 0.5, 2.5, 1.0]
)
"""The value of each market card; the most valuable one is taken."""


@kernel
def stack_odds(view: View, side: Int, gained: Int, lost: Int) -> float:
    """Log-odds for the cards in play of a side after it gains one and loses another, NONE for no card."""
    odds = 0.0
    for card in range(KINDS):
        odds += STACKS[card, min(copies_after(view, side, card, gained, lost), THREE)]
    return odds


@kernel
def judge(
    view: View, mine: Int, theirs: Int, my_loss: Int, their_loss: Int, ongoing: Ongoing, positional: bool
) -> float:
    """The chance to win after both sides gain and lose these agents, NONE for no agent.

    `positional`: whether the cards in play and the market spaces count, not only the lead.
    """
    after = lead_after(view, lead(view), mine, theirs, ongoing)
    decided = verdict(view, after, mine, theirs, my_loss, their_loss, ongoing, False)
    if decided:
        odds = WON * decided
    else:
        odds = LEAD_WEIGHT * after
        if positional:
            odds += stack_odds(view, OWN, mine, my_loss) - stack_odds(view, RIVAL, theirs, their_loss)
            forward = steps(view, OWN, mine, ongoing)
            space = (int(view.space[OWN] * SPACES + 0.5) + forward) % SPACES
            odds += AT_MARKET if forward and IS_MARKET[space] else 0.0
    return 1.0 / (1.0 + exp(-odds))


@kernel
def offer(view: View, up: Int, down: Int, ongoing: Ongoing, positional: bool) -> float:
    """The chance to win with an offer of these cards, of which the rival may take either."""
    if_up = judge(view, down, up, NONE, NONE, ongoing, positional)
    if_down = judge(view, up, down, NONE, NONE, ongoing, positional)
    mean = (if_up + if_down) / 2
    return CAUTION * min(if_up, if_down) + (1 - CAUTION) * mean if positional else mean


@kernel
def offer_beside_hidden(view: View, up: Int, ongoing: Ongoing, positional: bool) -> float:
    """The chance to win with `up` face up, if the partner adds any unseen card of another name face down."""
    total, count = 0.0, 0
    for down in range(KINDS):
        n = unseen(view, down)
        if n > 0 and down != up:
            total += n * offer(view, up, down, ongoing, positional)
            count += n
    return total / max(count, 1)


@kernel
def take_up(view: View, ongoing: Ongoing, positional: bool) -> bool:
    """Whether to take the face-up card, averaged over the cards that may lie face down."""
    up, gain = face_up(view), 0.0
    for down in range(KINDS):
        known = view.face_down[down] > 0
        n = 100 if known else unseen(view, down)
        if n > 0:
            gain += n * (
                judge(view, up, down, NONE, NONE, ongoing, positional)
                - judge(view, down, up, NONE, NONE, ongoing, positional)
            )
    return gain >= 0.0


@kernel
def worth_of(view: View, action: Int, ability: Int, ongoing: Ongoing, positional: bool) -> float:
    """The value of an action that is not a discard, comparable between the actions of one decision."""
    if action < RECRUIT_UP:
        up, down = decode_pair(action)
        return offer(view, up, down, ongoing, positional)
    if action <= RECRUIT_DOWN:
        return 1.0 if (action == RECRUIT_UP) == take_up(view, ongoing, positional) else 0.0
    if action < TAKE_AGENT:
        return MARKET_WORTH[decode_market(action)]
    if action < RECRUIT_AGENT:
        card = decode_take(action)
        if ability == MIND_CONTROL:
            return judge(view, NONE, NONE, NONE, card, ongoing, positional)
        return max(
            judge(view, NONE, NONE, card, NONE, ongoing, positional),
            judge(view, card, NONE, card, NONE, ongoing, positional),
        )
    if action < DECLINE:
        return judge(view, decode_recruit(action), NONE, NONE, NONE, ongoing, positional)
    if action == DECLINE:
        return judge(view, NONE, NONE, NONE, NONE, ongoing, positional)
    if action < PLAY_UP:
        return 1.0 if action == LEAD_OWN else 0.0
    if action < PLAY_DOWN:
        return offer_beside_hidden(view, decode_up(action), ongoing, positional)
    if action >= RESOLVE_OWN:
        return 1.0 if action == RESOLVE_OWN else 0.0
    return offer(view, face_up(view), decode_down(action), ongoing, positional)


@kernel
def decide(view: View, mask: np.ndarray, ability: Int, ongoing: Ongoing, positional: bool) -> Int:
    """The action with the highest value; a discard if no other action promises a fair chance."""
    best, promise = NONE, -1.0
    for action in range(PLAY_PAIR, len(mask)):
        if mask[action]:
            worth = worth_of(view, action, ability, ongoing, positional)
            if worth > promise:
                best, promise = action, worth
    limit = 0.45 if positional else 0.01
    if promise + PATIENCE < limit:
        thrown = worst_card(view, mask, ongoing, positional)
        if thrown != NONE:
            return thrown
    return best


@kernel
def worst_card(view: View, mask: np.ndarray, ongoing: Ongoing, positional: bool) -> Int:
    """The discard of the card with the worst offers; NONE if no discard is legal."""
    worst, least = NONE, np.inf
    for card in range(KINDS):
        if mask[encode_discard(card)]:
            value = offer_beside_hidden(view, card, ongoing, positional)
            if value < least:
                worst, least = encode_discard(card), value
    return worst


@kernel
def greedy_at_market(view: View, mask: np.ndarray, rng: np.ndarray) -> Int:
    """Prefer a win to a lead, and a lead to a loss, right after the action."""
    return decide(view, mask, ability_of(view), ongoing_of(view), False)


@kernel
def expert_at_market(view: View, mask: np.ndarray, rng: np.ndarray) -> Int:
    """Take the action with the best chance to win."""
    return decide(view, mask, ability_of(view), ongoing_of(view), True)


@kernel
def greedy_in_team(view: View, mask: np.ndarray, rng: np.ndarray) -> Int:
    """Prefer a win to a lead, and a lead to a loss, right after the action."""
    return decide(view, mask, NONE, NO_ONGOING, False)


@kernel
def expert_in_team(view: View, mask: np.ndarray, rng: np.ndarray) -> Int:
    """Take the action with the best chance to win."""
    return decide(view, mask, NONE, NO_ONGOING, True)
