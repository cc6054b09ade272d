"""Count the sequences of decisions in a turn: by the kernels, and by a slow reference that shares no code with them."""

import copy
from collections.abc import Callable
from typing import Any

import numpy as np

from spygames.core.game.game import NOBODY, as_record
from tests.support.position import Position

State = dict[str, Any]


def of_kernels(position: Position, depth: int = 100) -> list[int]:
    """Return the number of sequences of 1, 2, ... `depth` decisions until the turn of `position` is over."""
    game, counts, front = position.game, [], [position.states]
    mask = np.zeros(game.num_actions, np.int8)
    while front and len(counts) < depth:
        following = []
        for states in front:
            game.legal(as_record(states), mask)
            for action in np.flatnonzero(mask):
                following.append(states.copy())
                game.apply(as_record(following[-1]), int(action))
        counts.append(len(following))
        front = [after for after in following if after["turn"][0] == position.s.turn and after["to_move"][0] != NOBODY]
    return counts


def of_reference(
    start: State, legal: Callable[[State], set[str]], act: Callable[[State, str], None], depth: int = 100
) -> list[int]:
    """Return the same for a mapping; `act` changes a mapping in place."""
    counts, front = [], [start]
    while front and len(counts) < depth:
        following = []
        for state in front:
            for text in legal(state):
                following.append(copy.deepcopy(state))
                act(following[-1], text)
        counts.append(len(following))
        front = [after for after in following if after["turn"] == start["turn"] and after["to_move"] is not None]
    return counts
