"""The option `history`: a state remembers the last offers of each side. It changes no rule.

These kernels call those of `play.py`, so the variants without a history have exactly the kernels of the rules.
"""

from numpy import uint64

from spygames.agent_avenue.actions import RECRUIT_DOWN, RECRUIT_UP
from spygames.agent_avenue.layout import MAX_HISTORY, NONE, SIDES, Options, StateWithOffers
from spygames.agent_avenue.queries import discards_of
from spygames.agent_avenue.rules.play import apply, init
from spygames.core.compiling.kernel import Int, kernel


@kernel
def init_with_history(s: StateWithOffers, options: Options, seed: uint64) -> None:
    """Set up a game, as `init` does, without earlier offers."""
    init(s, options, seed)
    clear_offers(s)


@kernel
def apply_with_history(s: StateWithOffers, action: Int) -> None:
    """Apply one decision, as `apply` does. A recruit opens the hidden card (AA-12), so the offer is public then."""
    if RECRUIT_UP <= action <= RECRUIT_DOWN:
        remember_offer(s, action == RECRUIT_UP)
    apply(s, action)


@kernel
def clear_offers(s: StateWithOffers) -> None:
    """Write that nobody has offered cards yet."""
    for side in range(SIDES):
        for k in range(MAX_HISTORY):
            s.offered_up[side, k] = s.offered_down[side, k] = s.took_up[side, k] = s.led_by[side, k] = NONE
            s.discards_before[side, k] = 0


@kernel
def remember_offer(s: StateWithOffers, take_up: bool) -> None:
    """Write the offer that is being recruited as the latest one of the active side; the oldest one is forgotten.

    If both cards have one name, nobody but the mover knows which of them it took.
    """
    side = s.active_side
    for k in range(MAX_HISTORY - 1, 0, -1):
        s.offered_up[side, k] = s.offered_up[side, k - 1]
        s.offered_down[side, k] = s.offered_down[side, k - 1]
        s.took_up[side, k] = s.took_up[side, k - 1]
        s.discards_before[side, k] = s.discards_before[side, k - 1]
        s.led_by[side, k] = s.led_by[side, k - 1]
    s.offered_up[side, 0], s.offered_down[side, 0] = s.face_up, s.face_down
    s.took_up[side, 0] = NONE if s.face_up == s.face_down else take_up
    s.discards_before[side, 0] = discards_of(s, side)
    s.led_by[side, 0] = s.leader
