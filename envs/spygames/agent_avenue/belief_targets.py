"""What a seat of Agent Avenue may wonder: which card lies face down, and what the other hands hold."""

import numpy as np

from spygames.agent_avenue.cards import KINDS
from spygames.agent_avenue.layout import HAND, NONE, State
from spygames.agent_avenue.queries import knows_face_down, seat_at
from spygames.core.compiling.kernel import Int, kernel
from spygames.core.game.belief_targets import UNASKED, Questions


@kernel
def answer(s: State, seat: Int, out: np.ndarray) -> None:
    """Writes the agent that lies face down, and the copies of each agent in the other hands, in the view's order of
    seats."""
    out[0] = UNASKED if s.face_down == NONE or knows_face_down(s, seat) else s.face_down
    for place in range(1, 1 + (len(out) - 1) // KINDS):
        who = seat_at(s, seat, place)
        for card in range(KINDS):
            count = min(np.int64(s.hands[who, card]), HAND) if who != NONE else UNASKED
            out[1 + (place - 1) * KINDS + card] = count


def questions(teams: bool) -> Questions:
    """Returns those of two players or of teams, which have three places for other seats always."""
    return Questions((("face_down", 1, KINDS), ("hands", (3 if teams else 1) * KINDS, HAND + 1)), answer)
