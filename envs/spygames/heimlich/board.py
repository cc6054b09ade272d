"""Tables of the printed board: buildings, agents, score track and die (HC-1 to HC-3, HC-7, HC-8)."""

from typing import Literal

import numpy as np

AGENTS = ("red", "yellow", "green", "blue", "purple", "orange", "grey")
MIN_AGENTS, MAX_AGENTS = 4, len(AGENTS)  # in play
MAX_PLAYERS = MAX_AGENTS
Edition = Literal["amigo", "ravensburger"]
IN_PLAY: dict[Edition, tuple[int, ...]] = {  # agents in play for 2, 3, ... players
    "amigo": (5, 6, 7, 7, 7, 7),
    "ravensburger": (4, 5, 6, 7, 7, 7),
}
EDITIONS = tuple(IN_PLAY)

BUILDINGS = ("church", *(str(n) for n in range(1, 11)), "ruins")
CHURCH, RUINS = 0, 11
LOOP = len(BUILDINGS)
SAFE_START = 7
VALUES = np.array([*range(11), -3], np.int16)
FINISH = 42  # the score at the end of the score track
MARK = 29  # the marked space

FACES = 6
ONE_TO_THREE = 0  # the face that stands for 1, 2 or 3 points

# Relative numbers of a viewer: its own agent is agent 0, and the others keep their order.
ABSOLUTE = np.array([[own, *(a for a in range(MAX_AGENTS) if a != own)] for own in range(MAX_AGENTS)], np.int8)
"""Agent id, int8 [own agent, relative number]."""
RELATIVE = np.argsort(ABSOLUTE, axis=1).astype(np.int8)
"""Relative number, int8 [own agent, agent id]."""
