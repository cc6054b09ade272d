"""The player `expert` of simple mode for two. It rates each action by the chance to win in the position after it.

How it decides:

- *Position*: log-odds of winning by the tables below. They use public facts (cards in play, lead, side that is active
  next) and the threats in the own hand. An immediate decision by the End step is computed exactly.
- *Recruiting*: each unseen card may be the hidden one, weighted by its copies. A card is less likely the more it would
  spoil the offer for the rival that made it.
- *Offering*: the rival is assumed to choose by the same tables, without knowing the hidden card. This may be wrong, so
  a part of each offer's value (`CAUTION`) is the worse of its two outcomes.
- *Discarding*: one card of lookahead. The player discards if the best offer after the draw is clearly better on
  average.

How the tables were found: logistic regression of the winner on the position at the start of each turn. The data were
725,000 turns of games between two such players, whose tables were set by judgment and which made one decision in ten at
random. The active side and the waiting side have columns of their own. The hand's weights come from the same regression
over 580,000 turns with the first fitted tables, with the hand as further columns, and were rounded. `LEADS` is the fit
stretched by a tenth. `OVERLAP` and the four numbers below it were chosen by play: a few dozen settings, 8,000 or more
games each against `random`, `greedy` and the previous version. Tables blended with a fit over games against `greedy`
made a worse player.
"""

from math import exp

import numpy as np

from spygames.agent_avenue.actions import RECRUIT_DOWN, RECRUIT_UP, encode_discard, encode_pair
from spygames.agent_avenue.board import CATCH
from spygames.agent_avenue.bots.features import (
    NO_ONGOING,
    OWN,
    RIVAL,
    copies,
    face_up,
    hand,
    lead,
    lead_after,
    runs_out,
    unseen,
    verdict,
)
from spygames.agent_avenue.cards import CODEBREAKER, COPIES, DAREDEVIL, DOUBLE_AGENT, KINDS, MOLE, SENTINEL, SIDEKICK
from spygames.agent_avenue.layout import NONE, THREE, View
from spygames.core.compiling.kernel import Int, kernel

Eight = tuple[float, float, float, float, float, float, float, float]
"""One value for each agent. A tuple, because a kernel must not allocate an array."""
BITS = 4  # bits of a packed hand for each agent: up to 15 copies
NOTHING = 0  # an empty packed hand: what the rival knows about the viewer's hand

NEXT, WAITS = 0, 1  # rows of the tables: the side that is active in the next turn, and the other side

STACKS = np.array(
    [  # log-odds of winning for 0, 1, 2, 3 or more copies in play
        [  # of the side that is active next
            [0.0, 0.61, -0.15, -0.32],  # double_agent: the second moves by six, and is then spent
            [0.0, 0.16, 0.24, 0.18],  # enforcer
            [0.0, 0.19, 1.48, 0.0],  # codebreaker: the third wins
            [0.0, -0.34, -0.76, -0.93],  # saboteur
            [0.0, -0.40, -1.57, 0.0],  # daredevil: the third loses
            [0.0, 0.42, 0.88, 0.93],  # sentinel: the second moves by two, every later one by six
            [0.0, 0.01, 0.0, 0.0],  # sidekick
            [0.0, -0.41, 0.0, 0.0],  # mole
        ],
        [  # of the side that waits
            [0.0, 0.46, -0.16, -0.26],
            [0.0, 0.10, 0.18, 0.25],
            [0.0, 0.19, 0.98, 0.0],
            [0.0, -0.30, -0.67, -0.63],
            [0.0, -0.47, -1.85, 0.0],
            [0.0, 0.30, 0.76, 0.87],
            [0.0, 0.16, 0.0, 0.0],
            [0.0, -0.35, 0.0, 0.0],
        ],
    ]
)
LEADS = np.array([-1.71, -1.40, -1.26, -1.00, -0.64, -0.32, 0.01, 0.40, 0.61, 1.31, 1.62, 2.22, 3.28])
"""Log-odds for the side that is active next, by its lead from -6 to 6. This side makes the offer, so a lead helps
it more than the same deficit hurts."""
HELD = np.array(
    [  # log-odds for a card in the own hand that threatens something now (`threats`)
        # double_agent, -, codebreaker, -, daredevil, sentinel, sidekick, mole
        [0.4, 0.0, 1.5, 0.0, 1.3, 0.7, 0.4, 0.45],  # when active next
        [0.2, 0.0, 0.8, 0.0, 0.6, 0.4, 0.4, 0.45],  # when waiting
    ]
)
OVERLAP = -0.8
"""Log-odds added for holding a codebreaker and a daredevil that both threaten something. Negative, because the rival
answers both threats with one choice when the two cards are offered together."""
SUSPICION = 5.0
"""How fast the likelihood of a hidden card falls with the viewer's chance to win: exp(-SUSPICION * chance)."""
SHARPNESS = 7.0
"""How reliably the rival is assumed to take the better card: log-odds per unit of difference in the chance to win."""
CAUTION = 0.2
"""The share of an offer's value that is its worse outcome, whatever the rival is assumed to do."""
PATIENCE = 0.035
"""The minimum gain in the chance to win for a discard: the price of having one fewer left."""


@kernel
def expert(view: View, mask: np.ndarray, rng: np.ndarray) -> Int:
    """Take the action with the best chance to win."""
    if mask[RECRUIT_UP]:
        return choose(view)
    return offer_or_discard(view, mask)


@kernel
def choose(view: View) -> Int:
    """Choose the face-up or the hidden card, averaged over possible hidden cards except those of the face-up name."""
    up, now, held = face_up(view), standing(view), in_hand(view)
    taking, leaving = 0.0, 0.0
    for down in range(KINDS):
        if unseen(view, down) > 0 and down != up:
            if_taken, if_left = outcomes(view, held, now, up, down)
            likely = unseen(view, down) * exp(-SUSPICION * max(if_taken, if_left))
            taking += likely * if_taken
            leaving += likely * if_left
    return RECRUIT_UP if taking >= leaving else RECRUIT_DOWN


@kernel
def offer_or_discard(view: View, mask: np.ndarray) -> Int:
    """The best pair to offer, or the discard that promises a better one."""
    now, held = standing(view), in_hand(view)
    appeals = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    for card in range(KINDS):
        appeals = put(appeals, card, appeal(view, now, card))
    best, promise = best_offer(view, held, now, appeals, NONE)
    for discarded in range(KINDS):
        if mask[encode_discard(discarded)]:
            value = after_discard(view, held, now, appeals, discarded) - PATIENCE
            if value > promise:
                best, promise = encode_discard(discarded), value
    return best


@kernel
def after_discard(view: View, held: Int, now: float, appeals: Eight, discarded: Int) -> float:
    """The chance to win with the best offer after discarding a card, averaged over the card drawn for it."""
    without, total, count = 0.0, 0.0, 0
    for drawn in range(NONE, KINDS):  # first offers of the remaining cards, then offers with the drawn one
        n = unseen(view, drawn) if drawn != NONE else 0
        if drawn == NONE or n > 0:
            _, value = best_offer(view, exchange(held, discarded, drawn), now, appeals, drawn)
            without = value if drawn == NONE else without
            total += n * max(value, without)
            count += n
    return total / max(count, 1)


@kernel
def best_offer(view: View, held: Int, now: float, appeals: Eight, among: Int) -> tuple[Int, float]:
    """The best pair to offer from a hand: its action and value. `among`: a card of the pair, or NONE for any pair."""
    best, promise = -1, -1.0
    for up in range(KINDS):
        for down in range(KINDS):
            if may_offer(held, up, down) and among in (NONE, up, down):
                value = offer(view, held, now, up, down, appeals[up])
                if value > promise:
                    best, promise = encode_pair(up, down), value
    return best, promise


@kernel
def may_offer(held: Int, up: Int, down: Int) -> bool:
    """Whether the pair is legal: two names, or one name from a hand of nothing else (AA-10)."""
    if up == down:
        return bool(copies_in(held, up) > 1 and held == copies_in(held, up) << (BITS * up))
    return bool(copies_in(held, up) > 0 and copies_in(held, down) > 0)


@kernel
def offer(view: View, held: Int, now: float, up: Int, down: Int, appeal_up: float) -> float:
    """The chance to win after offering these two cards: the rival's assumed choice, mixed with the worse outcome."""
    if_down, if_up = outcomes(view, held, now, up, down)
    expected = appeal_up * if_up + (1 - appeal_up) * if_down
    return (1 - CAUTION) * expected + CAUTION * min(if_up, if_down)


@kernel
def appeal(view: View, now: float, up: Int) -> float:
    """The chance that the rival takes `up`. It can only guess the other card: any that is not in play."""
    gain, count = 0.0, 0
    for down in range(KINDS):
        n = COPIES[down] - copies(view, OWN, down) - copies(view, RIVAL, down)
        if n > 0 and down != up:
            if_left, if_taken = outcomes(view, NOTHING, now, up, down)
            gain += n * (if_left - if_taken)
            count += n
    return 1 / (1 + exp(-SHARPNESS * gain / max(count, 1)))


@kernel
def outcomes(view: View, held: Int, now: float, one: Int, two: Int) -> tuple[float, float]:
    """The chances to win if the own side recruits `one` and the rival `two`, and the other way round."""
    return win_chance(view, held, now, one, two), win_chance(view, held, now, two, one)


@kernel
def win_chance(view: View, held: Int, now: float, mine: Int, theirs: Int) -> float:
    """The chance to win after both sides have recruited these cards.

    `held`: the own hand before the offer. `now`: `standing(view)`, which does not depend on the two cards.
    """
    after = lead_after(view, lead(view), mine, theirs, NO_ONGOING)
    decided = verdict(view, after, mine, theirs, NONE, NONE, NO_ONGOING, runs_out(view))
    if decided:
        return 0.5 + 0.5 * decided
    odds = now + gained(view, OWN, mine) - gained(view, RIVAL, theirs) + threats(view, held, mine, theirs)
    odds += -LEADS[CATCH - 1 - after] if view.active else LEADS[CATCH - 1 + after]
    return 1 / (1 + exp(-odds))


@kernel
def next_turn(view: View, side: Int) -> Int:
    """The row of the tables for a side, NEXT or WAITS: the opposite of its role in this turn."""
    return WAITS if (side == OWN) == (view.active > 0) else NEXT


@kernel
def standing(view: View) -> float:
    """Log-odds of winning for the cards in play, before this turn's two cards."""
    odds = 0.0
    for card in range(KINDS):
        odds += STACKS[next_turn(view, OWN), card, min(copies(view, OWN, card), THREE)]
        odds -= STACKS[next_turn(view, RIVAL), card, min(copies(view, RIVAL, card), THREE)]
    return odds


@kernel
def gained(view: View, side: Int, card: Int) -> float:
    """Log-odds that one more copy in play adds for a side."""
    row, n = next_turn(view, side), copies(view, side, card)
    return STACKS[row, card, min(n + 1, THREE)] - STACKS[row, card, min(n, THREE)]


@kernel
def threats(view: View, held: Int, mine: Int, theirs: Int) -> float:
    """Log-odds for cards that remain in the own hand after recruiting and threaten something in a later offer.

    A codebreaker beside two in play, a daredevil if the rival has two in play, a third sentinel, a second double agent,
    and always a sidekick or a mole.
    """
    own, rival = copies(view, OWN, CODEBREAKER), copies(view, RIVAL, DAREDEVIL)
    codebreaker = own + (mine == CODEBREAKER) == THREE - 1 and left(view, held, CODEBREAKER, mine, theirs) > 0
    daredevil = rival + (theirs == DAREDEVIL) == THREE - 1 and left(view, held, DAREDEVIL, mine, theirs) > 0
    sentinel = copies(view, OWN, SENTINEL) + (mine == SENTINEL) >= 2 and left(view, held, SENTINEL, mine, theirs) > 0
    agents = copies(view, OWN, DOUBLE_AGENT) + (mine == DOUBLE_AGENT)
    double_agent = agents == 1 and left(view, held, DOUBLE_AGENT, mine, theirs) > 0
    odds = OVERLAP if codebreaker and daredevil else 0.0
    odds += weight(view, CODEBREAKER, codebreaker) + weight(view, DAREDEVIL, daredevil)
    odds += weight(view, SENTINEL, sentinel) + weight(view, DOUBLE_AGENT, double_agent)
    odds += weight(view, SIDEKICK, left(view, held, SIDEKICK, mine, theirs) > 0)
    return odds + weight(view, MOLE, left(view, held, MOLE, mine, theirs) > 0)


@kernel
def weight(view: View, card: Int, threatens: bool | np.bool_) -> float:
    """Log-odds for holding a card that threatens something; 0 if it does not."""
    return HELD[next_turn(view, OWN), card] if threatens else 0.0


@kernel
def left(view: View, held: Int, card: Int, mine: Int, theirs: Int) -> Int:
    """Copies of `card` in the own hand after the two cards are recruited; both come from the active side's hand."""
    offered = (mine == card) + (theirs == card)
    return copies_in(held, card) - (offered if view.active else 0)


@kernel
def in_hand(view: View) -> Int:
    """The own hand packed into one number: BITS bits for the copies of each agent."""
    held = 0
    for card in range(KINDS):
        held += hand(view, card) << (BITS * card)
    return held


@kernel
def copies_in(held: Int, card: Int) -> Int:
    """Copies of a card in a packed hand."""
    return (held >> (BITS * card)) & ((1 << BITS) - 1)


@kernel
def exchange(held: Int, discarded: Int, drawn: Int) -> Int:
    """The packed hand without `discarded` and with `drawn`; NONE for no card."""
    if discarded != NONE:
        held -= 1 << (BITS * discarded)
    if drawn != NONE:
        held += 1 << (BITS * drawn)
    return held


@kernel
def put(values: Eight, index: Int, value: float) -> Eight:
    """The values with one of them replaced."""
    return (
        value if index == 0 else values[0],
        value if index == 1 else values[1],
        value if index == 2 else values[2],
        value if index == 3 else values[3],
        value if index == 4 else values[4],
        value if index == 5 else values[5],
        value if index == 6 else values[6],
        value if index == 7 else values[7],
    )
