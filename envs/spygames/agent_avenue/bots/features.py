"""Features that bots read from a view: integer counts, and what recruiting two cards would decide.

All sides are relative to the viewer, whose side is OWN. `mine` and `theirs` are the agents that its side and the rival
recruit, NONE for no agent. `ongoing` has the ongoing market cards of both sides as bits, or NO_ONGOING in simple mode.
"""

import numpy as np

from spygames.agent_avenue.board import CATCH
from spygames.agent_avenue.cards import (
    BOOST,
    CODEBREAKER,
    DAREDEVIL,
    ICONS,
    KINDS,
    LEADER_OF_THE_PACK,
    MASTERPLAN,
    MASTERPLAN_NAMES,
    ONGOING,
    PLUS,
    TIMES,
)
from spygames.agent_avenue.layout import HAND, NONE, THREE, View
from spygames.core.compiling.kernel import Int, kernel

OWN, RIVAL = 0, 1
Ongoing = tuple[Int, Int]
"""The ongoing market cards of the own side and of the rival: bit i for card i."""
NO_ONGOING = (0, 0)


@kernel
def copies(view: View, side: Int, card: Int) -> Int:
    """Copies that a side has in play."""
    return int(view.in_play[side, card] * 6 + 0.5)


@kernel
def copies_after(view: View, side: Int, card: Int, gained: Int, lost: Int) -> Int:
    """Copies that a side has in play after it gains the agent `gained` and loses the agent `lost`."""
    return copies(view, side, card) + (card == gained) - (card == lost)


@kernel
def hand(view: View, card: Int) -> Int:
    """Copies in the own hand."""
    return int(view.hand[card, 0] + view.hand[card, 1] + view.hand[card, 2] + view.hand[card, 3])


@kernel
def unseen(view: View, card: Int) -> Int:
    """Copies that the viewer has not seen: in the deck, in the other hands or discards, or face down."""
    return int(view.unseen[card] * 6 + 0.5)


@kernel
def face_up(view: View) -> Int:
    """The agent offered openly."""
    for card in range(KINDS):
        if view.face_up[card]:
            return card
    return NONE


@kernel
def lead(view: View) -> Int:
    """Own progress minus the rival's (AA-15), from -7 to 7."""
    for i in range(2 * CATCH + 1):
        if view.lead[i]:
            return i - CATCH
    return 0


@kernel
def ongoing_of(view: View) -> Ongoing:
    """The ongoing market cards of both sides; advanced mode only."""
    own, rival = 0, 0
    for card in range(ONGOING):
        own |= int(view.ongoing[OWN, card]) << card
        rival |= int(view.ongoing[RIVAL, card]) << card
    return own, rival


@kernel
def ability_of(view: View) -> Int:
    """The market card that is being resolved, or NONE; advanced mode only."""
    for i in range(len(view.ability)):
        if view.ability[i]:
            return ONGOING + i
    return NONE


@kernel
def owns(ongoing: Ongoing, side: Int, card: Int) -> bool:
    """Whether a side has an ongoing market card."""
    return (np.int64(ongoing[side]) >> np.int64(card)) & 1 == 1


@kernel
def steps(view: View, side: Int, card: Int, ongoing: Ongoing) -> Int:
    """Spaces that a side moves if it recruits one more of `card` (AA-13, AA-32); 0 for NONE."""
    if card == NONE:
        return 0
    spaces, boost = int(ICONS[card, min(copies(view, side, card), THREE - 1)]), BOOST[card]
    return spaces * int(TIMES[boost]) + int(PLUS[boost]) if boost != NONE and owns(ongoing, side, boost) else spaces


@kernel
def lead_after(view: View, ahead: Int, mine: Int, theirs: Int, ongoing: Ongoing) -> Int:
    """The lead after both sides have recruited, from a lead of `ahead` before."""
    return ahead + steps(view, OWN, mine, ongoing) - steps(view, RIVAL, theirs, ongoing)


@kernel
def wins(view: View, side: Int, gained: Int, lost: Int, ongoing: Ongoing) -> bool:
    """Whether a side's cards in play win for it (AA-17, AA-34)."""
    if copies_after(view, side, CODEBREAKER, gained, lost) >= THREE:
        return True
    pack = owns(ongoing, side, LEADER_OF_THE_PACK)
    if pack and copies_after(view, side, DAREDEVIL, gained, lost) >= THREE:
        return True
    if not owns(ongoing, side, MASTERPLAN):
        return False
    names = 0
    for card in range(KINDS):
        names += copies_after(view, side, card, gained, lost) > 0
    return bool(names >= MASTERPLAN_NAMES)


@kernel
def loses(view: View, side: Int, gained: Int, lost: Int, ongoing: Ongoing) -> bool:
    """Whether a side's Daredevils lose the game for it (AA-17, AA-34)."""
    threes = copies_after(view, side, DAREDEVIL, gained, lost) >= THREE
    return bool(threes and not owns(ongoing, side, LEADER_OF_THE_PACK))


@kernel
def verdict(
    view: View, after: Int, mine: Int, theirs: Int, my_loss: Int, their_loss: Int, ongoing: Ongoing, last: bool
) -> Int:
    """Decide the End step with a lead of `after`, after both sides have gained and lost agents (AA-17 to AA-19).

    The Security System is left out.

    Args:
        my_loss: the agent that leaves play on the own side, or NONE. `their_loss` is that of the rival.
        last: the cards run out with this turn.

    Returns:
        1 if the viewer has won, -1 if it has lost, 0 if the game continues.
    """
    won = after >= CATCH or wins(view, OWN, mine, my_loss, ongoing) or loses(view, RIVAL, theirs, their_loss, ongoing)
    lost = -after >= CATCH or wins(view, RIVAL, theirs, their_loss, ongoing) or loses(view, OWN, mine, my_loss, ongoing)
    if won and lost:
        return 1 if view.active else -1
    if won or lost:
        return 1 if won else -1
    if last:
        return 1 if after > 0 or (after == 0 and view.active) else -1
    return 0


@kernel
def runs_out(view: View) -> bool:
    """Whether the cards run out with this turn unless the End step decides the game (AA-19).

    The side that plays next holds fewer than two cards only if the deck was empty when it last drew. So it does not
    matter that the active side still draws in this turn.
    """
    side = RIVAL if view.active else OWN
    return view.deck_size == 0 and int(view.hand_size[side] * HAND + 0.5) < 2
