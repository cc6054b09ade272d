"""The player `greedy` of simple mode for two."""

import numpy as np

from spygames.agent_avenue.actions import PLAY_PAIR, RECRUIT_DOWN, RECRUIT_UP, decode_pair, encode_discard
from spygames.agent_avenue.board import CATCH
from spygames.agent_avenue.bots.features import NO_ONGOING, face_up, lead, lead_after, runs_out, unseen, verdict
from spygames.agent_avenue.cards import KINDS
from spygames.agent_avenue.layout import NONE, View
from spygames.core.compiling.kernel import Int, kernel

WON = 2.0 * CATCH
"""The value of a win in spaces of lead: the distance from being caught to catching."""


@kernel
def greedy(view: View, mask: np.ndarray, rng: np.ndarray) -> Int:
    """Prefer a win to a lead, and a lead to a loss, at the end of this turn.

    A hidden card counts as the average over all cards that the player has not seen. The rival is assumed to take each
    card of an offer with the same chance. If every offer may lose at once, discard the face-up card of the worst offer.
    """
    if mask[RECRUIT_UP]:
        return RECRUIT_UP if worth_of_choice(view, True) >= worth_of_choice(view, False) else RECRUIT_DOWN
    best, best_worth, safe = -1, -np.inf, False
    worst, worst_worth = -1, np.inf
    for action in range(PLAY_PAIR, RECRUIT_UP):
        if mask[action]:
            up, down = decode_pair(action)
            if_up, if_down = worth(view, down, up), worth(view, up, down)
            safe = safe or min(if_up, if_down) > -WON
            if if_up + if_down > best_worth:
                best, best_worth = action, if_up + if_down
            if if_up + if_down < worst_worth:
                worst, worst_worth = encode_discard(up), if_up + if_down
    return best if safe or not mask[worst] else worst


@kernel
def worth(view: View, mine: Int, theirs: Int) -> float:
    """The lead in spaces after both sides have recruited these cards; WON or -WON if that ends the game."""
    after = lead_after(view, lead(view), mine, theirs, NO_ONGOING)
    decided = verdict(view, after, mine, theirs, NONE, NONE, NO_ONGOING, runs_out(view))
    return WON * decided if decided else float(after)


@kernel
def worth_of_choice(view: View, take_up: bool) -> float:
    """The value of taking the face-up or the face-down card, averaged over the cards that may lie face down."""
    up = face_up(view)
    total, count = 0.0, 0
    for down in range(KINDS):
        n = unseen(view, down)
        if n > 0:
            total += n * (worth(view, up, down) if take_up else worth(view, down, up))
            count += n
    return total / max(count, 1)
