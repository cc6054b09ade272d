"""The printed game: agent cards and board, as tables (AA-1, AA-2)."""

import numpy as np

AGENTS = ("double_agent", "enforcer", "codebreaker", "saboteur", "daredevil", "sentinel", "sidekick", "mole")
DOUBLE_AGENT, ENFORCER, CODEBREAKER, SABOTEUR, DAREDEVIL, SENTINEL, SIDEKICK, MOLE = range(8)
KINDS = len(AGENTS)

COPIES = np.array([6, 6, 6, 6, 6, 6, 1, 1], np.int8)
"""Copies of each agent in the deck; 38 cards."""
CARDS = 38

ICONS = np.array(
    [  # 1st, 2nd, 3rd icon: spaces moved by the 1st, 2nd and every later copy that a side recruits
        [-1, +6, -1],  # double_agent
        [+1, +2, +3],  # enforcer
        [0, 0, 0],  # codebreaker: no number on the 3rd icon, three of them win
        [-1, -1, -2],  # saboteur
        [+2, +3, 0],  # daredevil: no number on the 3rd icon, three of them lose
        [0, +2, +6],  # sentinel
        [+4, 0, 0],  # sidekick: one copy, one icon
        [-3, 0, 0],  # mole: one copy, one icon
    ],
    np.int8,
)

SPACES = 14
HOMES = np.array([0, 7], np.int8)
"""Home space of each side; forward is clockwise, which is upward in these numbers."""
CATCH = 7
"""The lead with which a side has caught the other: the homes are that far apart."""
