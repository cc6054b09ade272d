"""What scripted players read from a view: counts as whole numbers, and what recruiting two cards would decide.

Everything is seen from the viewer: side 0 is its own, `mine` and `theirs` are the agents that its side and
the other side recruit in the turn that is looked at.
"""

from spygames.agent_avenue.board import CATCH
from spygames.agent_avenue.cards import CODEBREAKER, DAREDEVIL, ICONS, KINDS
from spygames.agent_avenue.layout import HAND, NONE, THREE
from spygames.core.kernel import Int, Record, kernel

OWN, RIVAL = 0, 1


@kernel
def copies(view: Record, side: Int, card: Int) -> Int:
    """Copies that a side has in play."""
    return int(view.in_play[side, card] * 6 + 0.5)


@kernel
def hand(view: Record, card: Int) -> Int:
    """Copies in the own hand."""
    return int(view.hand[card, 0] + view.hand[card, 1] + view.hand[card, 2] + view.hand[card, 3])


@kernel
def unseen(view: Record, card: Int) -> Int:
    """Copies that may be anywhere hidden: in the deck, in the rival's hand or discards, face down."""
    return int(view.unseen[card] * 6 + 0.5)


@kernel
def face_up(view: Record) -> Int:
    """The agent offered openly."""
    for card in range(KINDS):
        if view.face_up[card]:
            return card
    return NONE


@kernel
def lead(view: Record) -> Int:
    """Own progress minus the rival's (AA-15); within -6..6 while the game goes on."""
    for i in range(2 * CATCH + 1):
        if view.lead[i]:
            return i - CATCH
    return 0


@kernel
def icon(view: Record, side: Int, card: Int) -> Int:
    """Spaces that a side moves if it recruits one more of `card` (AA-13)."""
    return int(ICONS[card, min(copies(view, side, card), THREE - 1)])


@kernel
def lead_after(view: Record, ahead: Int, mine: Int, theirs: Int) -> Int:
    """The lead after both have recruited, from a lead of `ahead` before."""
    return ahead + icon(view, OWN, mine) - icon(view, RIVAL, theirs)


@kernel
def has_three(view: Record, side: Int, card: Int, recruited: Int) -> bool:
    """Whether a side has three of `card` once it has recruited `recruited`."""
    return bool(copies(view, side, card) + (card == recruited) >= THREE)


@kernel
def verdict(view: Record, after: Int, mine: Int, theirs: Int, last: bool) -> Int:
    """How the End step decides after both have recruited, with a lead of `after` (AA-17 to AA-19).

    +1: the viewer has won, -1: it has lost, 0: the game goes on. `last`: the cards run out with this turn.
    """
    won = after >= CATCH or has_three(view, OWN, CODEBREAKER, mine) or has_three(view, RIVAL, DAREDEVIL, theirs)
    lost = -after >= CATCH or has_three(view, RIVAL, CODEBREAKER, theirs) or has_three(view, OWN, DAREDEVIL, mine)
    if won and lost:
        return 1 if view.active else -1
    if won or lost:
        return 1 if won else -1
    if last:
        return 1 if after > 0 or (after == 0 and view.active) else -1
    return 0


@kernel
def runs_out(view: Record) -> bool:
    """Whether the cards run out with this turn unless it is decided before (AA-19).

    Whoever holds fewer than two cards found the deck empty when it last drew, so what the active side draws in
    this turn does not matter.
    """
    side = RIVAL if view.active else OWN
    return view.deck_size == 0 and int(view.hand_size[side] * HAND + 0.5) < 2
