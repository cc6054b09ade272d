"""The printed game: buildings, agents, score track and the 26 Top Secret cards, as tables (HC-1, HC-2, HC-3, HC-20)."""

from math import comb, factorial

import numpy as np

AGENTS = ("red", "yellow", "green", "blue", "purple", "orange", "grey")
MOST = len(AGENTS)  # agents, and players, at most
IN_PLAY = {  # agents by the number of players, from 2 on
    "amigo": (5, 6, 7, 7, 7, 7),
    "ravensburger": (4, 5, 6, 7, 7, 7),
}
EDITIONS = tuple(IN_PLAY)

BUILDINGS = ("church", *(str(n) for n in range(1, 11)), "ruins")
CHURCH, RUINS = 0, 11
LOOP = len(BUILDINGS)
SAFE_START = 7
VALUES = np.array([*range(11), -3], np.int16)
FINISH = 42  # spaces to the end of the score track
MARK = 29  # the marked space

FACES = 6
ONE_TO_THREE = 0  # the face that stands for 1, 2 or 3 points

# The cards: how each asks for agents, a step, or a building, and what it then does.
NO_AGENT, ANY, BELOW, WITH_SAFE, WITHOUT_SAFE, IN_RUINS, OUT_OF_RUINS, ELSEWHERE = range(8)
"""Which agents may be named: any; with a token below 40; (not) in the safe's building; (not) in the Ruins; in another
building than the first one."""
STEPS = (-2, -1, 1, 2, 3)
BACK_2, BACK_1, ON_1, ON_2, ON_3 = (1 << i for i in range(5))  # sets of steps, bit i: STEPS[i]
MOVE_SAFE, SCORE, STEP, ALL_TO_CHURCH, SWAP, GO_TO_RUINS, GO_TO_CHURCH, GO_TO_SAFE, GO_TO_AGENT, IDENTITY = range(10)
"""What cards do."""
CARD_LIMIT = 40  # where `score_3` ends
CARD_SCORE = 3

_CARDS = [  # id, copies, first agent, second agent, is the second optional, steps, what it does
    ("move_safe", 2, NO_AGENT, NO_AGENT, 0, 0, MOVE_SAFE),
    ("score_3", 2, BELOW, BELOW, 0, 0, SCORE),
    ("back_1_2", 2, ANY, NO_AGENT, 0, BACK_1 | BACK_2, STEP),
    ("step_1", 2, ANY, NO_AGENT, 0, BACK_1 | ON_1, STEP),
    ("two_back", 2, ANY, ANY, 0, BACK_1, STEP),
    ("two_forward", 2, ANY, ANY, 0, ON_1, STEP),
    ("off_safe", 2, WITH_SAFE, NO_AGENT, 0, BACK_1 | ON_1, STEP),
    ("to_ruins", 2, OUT_OF_RUINS, NO_AGENT, 0, 0, GO_TO_RUINS),
    ("all_to_church", 1, NO_AGENT, NO_AGENT, 0, 0, ALL_TO_CHURCH),
    ("swap", 1, ANY, ELSEWHERE, 0, 0, SWAP),
    ("join", 1, ANY, ELSEWHERE, 0, 0, GO_TO_AGENT),
    ("ruins_to_church", 2, IN_RUINS, IN_RUINS, 1, 0, GO_TO_CHURCH),
    ("forward_1_3", 2, ANY, NO_AGENT, 0, ON_1 | ON_2 | ON_3, STEP),
    ("to_safe", 2, WITHOUT_SAFE, NO_AGENT, 0, 0, GO_TO_SAFE),
    ("new_identity", 1, NO_AGENT, NO_AGENT, 0, 0, IDENTITY),
]
CARDS = tuple(card[0] for card in _CARDS)
KINDS = len(CARDS)
COPIES, FIRST, SECOND, OPTIONAL, STEP_SET, EFFECT = np.array([card[1:] for card in _CARDS], np.int64).T.copy()
ALL_CARDS = int(COPIES.sum())
NEW_IDENTITY = CARDS.index("new_identity")
DEALT, HAND = 2, 4  # cards of a hand at the start and at most (HC-21)

# Whoever looks, its own agent is agent 0 and the others keep their order.
ABSOLUTE = np.array([[own, *(a for a in range(MOST) if a != own)] for own in range(MOST)], np.int8)
"""[own agent, relative number]: the agent's id"""
RELATIVE = np.argsort(ABSOLUTE, axis=1).astype(np.int8)
"""[own agent, agent's id]: its relative number"""


def _beginnings(length: int, players: int, agents: int) -> int:
    """How many ways there are to answer for `length` of `agents` agents so that `players` can all still get one."""
    named = range(max(0, length - (agents - players)), min(length, players) + 1)
    return sum(comb(length, k) * factorial(players) // factorial(players - k) for k in named)


BEGINNINGS = np.array(
    [[[_beginnings(r, u, n) if r <= n >= u else 0 for n in range(MOST)] for u in range(MOST)] for r in range(MOST)],
    np.int64,
)
"""[answers still to draw, players without an agent, agents without an answer]: in how many ways"""
