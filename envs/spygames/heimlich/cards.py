"""Tables of the 26 Top Secret cards (HC-20): the agents that each card asks for, and its effect."""

import numpy as np

NO_AGENT, ANY, BELOW, WITH_SAFE, WITHOUT_SAFE, IN_RUINS, OUT_OF_RUINS, ELSEWHERE = range(8)
"""Agents that may be named for a card: no agent, any agent, one with a token below 40, one with the safe, one without
the safe, one in the Ruins, one outside of the Ruins, one in another building than the first agent."""
STEPS = np.array([-2, -1, 1, 2, 3], np.int64)
"""Steps by which cards move agents; negative steps go backward."""
BACK_2, BACK_1, ON_1, ON_2, ON_3 = (1 << i for i in range(len(STEPS)))  # sets of steps, bit i: STEPS[i]
MOVE_SAFE, SCORE, STEP, ALL_TO_CHURCH, SWAP, GO_TO_RUINS, GO_TO_CHURCH, GO_TO_SAFE, GO_TO_AGENT, IDENTITY = range(10)
"""Effects of cards."""
CARD_LIMIT = 40  # the highest score that `score_3` can give
CARD_SCORE = 3

_CARDS = [  # id, copies, first agent, second agent, is the second optional, steps, effect
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
DEALT, HAND = 2, 4  # initial and maximum number of cards in a hand (HC-21)
