"""Belief targets of Agent Avenue: the face-down card and the contents of the other hands."""

import numpy as np

from spygames.agent_avenue.cards import KINDS
from spygames.agent_avenue.layout import HAND, NONE, State
from spygames.agent_avenue.queries import knows_face_down, seat_at
from spygames.core.compiling.kernel import Int, kernel
from spygames.core.game.belief_targets import UNASKED, Questions


@kernel
def answer(s: State, seat: Int, out: np.ndarray) -> None:
    """Write the face-down agent, then the copies of each agent in each other hand, up to 4, seats as in the view.

    UNASKED stands for a face-down agent that does not exist or that `seat` knows, and for a seat that does not exist.
    """
    out[0] = UNASKED if s.face_down == NONE or knows_face_down(s, seat) else s.face_down
    for place in range(1, 1 + (len(out) - 1) // KINDS):
        who = seat_at(s, seat, place)
        for card in range(KINDS):
            count = min(np.int64(s.hands[who, card]), HAND) if who != NONE else UNASKED
            out[1 + (place - 1) * KINDS + card] = count


def questions(teams: bool) -> Questions:
    """Return the questions for two players, or for teams, which always have places for three other seats."""
    return Questions((("face_down", 1, KINDS), ("hands", (3 if teams else 1) * KINDS, HAND + 1)), answer)
