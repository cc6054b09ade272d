"""Drawing, recruiting and moving: what Play, Recruit and the Black Market have in common."""

import numpy as np

from spygames.agent_avenue.board import IS_HOME, IS_MARKET
from spygames.agent_avenue.cards import BOOST, GETAWAY_CAR, GETAWAY_SPACES, ICONS, PLUS, TIMES
from spygames.agent_avenue.layout import FURTHEST, HAND, NONE, THREE, State
from spygames.agent_avenue.queries import owns, space_of
from spygames.core.compiling.kernel import Int, kernel


@kernel
def draw(s: State, seat: Int) -> None:
    """Draw the top card of the agent deck into a hand."""
    s.deck_size -= 1
    s.hands[seat, s.deck[s.deck_size]] += 1
    s.deck[s.deck_size] = NONE


@kernel
def refill(s: State, seat: Int, size: Int) -> None:
    """Draw until a hand of `size` cards holds four or the deck is empty (AA-11, AA-21)."""
    while size < HAND and s.deck_size > 0:
        draw(s, seat)
        size += 1


@kernel
def forget(s: State, seat: Int, card: Int) -> None:
    """Count one seen copy less, because the copy that left the hand may have been a seen one (AA-37)."""
    if s.options.advanced:
        s.seen[seat, card] = max(s.seen[seat, card] - 1, 0)


@kernel
def recruit(s: State, side: Int, card: Int) -> bool:
    """Put a card into play and move the meeple by the icon that the number of its copies selects (AA-13, AA-14).

    An ongoing card may change the number of spaces (AA-32). Return True if the meeple lands on a market space.
    """
    s.in_play[side, card] += 1
    steps = np.int64(ICONS[card, min(s.in_play[side, card], THREE) - 1])
    if s.options.advanced:
        boost = BOOST[card]
        if boost != NONE and owns(s, side, boost):
            steps = np.int64(steps * TIMES[boost] + PLUS[boost])
    return move(s, side, steps)


@kernel
def move(s: State, side: Int, steps: Int) -> bool:
    """Move a meeple. Return True if it lands on a market space (AA-23).

    The Getaway Car drives on from a home (AA-33).
    """
    if steps == 0:
        return False
    change_progress(s, side, steps)
    if not s.options.advanced:
        return False
    if owns(s, side, GETAWAY_CAR) and IS_HOME[space_of(s, side)]:
        change_progress(s, side, GETAWAY_SPACES)
    return bool(IS_MARKET[space_of(s, side)])


@kernel
def change_progress(s: State, side: Int, steps: Int) -> None:
    """Move a side by `steps`, backward if negative; the count stays within its bounds (AA-15)."""
    s.progress[side] = min(max(np.int64(s.progress[side]) + steps, -FURTHEST), FURTHEST)
