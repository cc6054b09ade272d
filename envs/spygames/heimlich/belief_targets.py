"""What a seat of Heimlich & Co. wonders: whose agent is whose."""

import numpy as np

from spygames.core.compiling.kernel import Int, kernel
from spygames.core.game.belief_targets import Questions
from spygames.heimlich.layout import State
from spygames.heimlich.queries import left_of, relative_of


@kernel
def answer(s: State, seat: Int, out: np.ndarray) -> None:
    """Writes the agent of each other seat, leftward, by the number that the viewer's view gives it."""
    for places in range(1, len(out) + 1):
        out[places - 1] = relative_of(s, seat, s.passports[left_of(s, seat, places)])


def questions(players: int, agents: int) -> Questions:
    """Returns those of a game with so many players and agents in play."""
    return Questions((("identities", players - 1, agents),), answer)
