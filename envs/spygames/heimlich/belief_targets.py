"""Belief targets of Heimlich & Co.: the agent of each other seat."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from spygames.core.compiling.kernel import Int, kernel
from spygames.core.game.belief_targets import Questions
from spygames.core.game.game import Game
from spygames.heimlich.board import ABSOLUTE
from spygames.heimlich.layout import State
from spygames.heimlich.queries import left_of, relative_of


@kernel
def answer(s: State, seat: Int, out: np.ndarray) -> None:
    """Write the relative number of the agent of each other seat, from the viewer's left on."""
    for places in range(1, len(out) + 1):
        out[places - 1] = relative_of(s, seat, s.passports[left_of(s, seat, places)])


def words(game: Game, seen: Mapping[str, Any], seat: int) -> list[tuple[str, list[str]]]:
    """Return what each target is about, and its answers; see `Questions.words`."""
    agents = list(seen["agents"])
    own = agents.index(seen["passports"][str(seat)])
    answers = [agents[k] for k in ABSOLUTE[own, : len(agents)].tolist()]
    players = game.num_players
    return [(f"player_{(seat + places) % players}'s agent", answers) for places in range(1, players)]


def questions(players: int, agents: int) -> Questions:
    """Return the belief targets of a game with this number of players and of agents in play."""
    return Questions((("identities", players - 1, agents),), answer, words)
