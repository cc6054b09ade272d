"""Belief targets: hidden information that a network learns to predict, as questions with few possible answers."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from spygames.core.compiling.kernel import Int, Record

if TYPE_CHECKING:
    from spygames.core.game.game import Game

__all__ = ["UNASKED", "Questions"]

UNASKED = -1
"""The value of a target without an answer: the seat already knows it, or it does not apply in this position."""


@dataclass(frozen=True)
class Questions:
    """The belief targets of a game, Q in all."""

    groups: tuple[tuple[str, int, int], ...]
    """(name, targets, answers) of each group, in the order in which `answer` writes. A group has `targets` targets
    about one kind of thing, each with `answers` possible answers."""
    answer: Callable[[Record, Int, np.ndarray], None]
    """(state, seat, out int8 [Q]), a kernel: write the true answer of each target, 0 to `answers` - 1, or UNASKED.
    Which targets are UNASKED must depend only on what the seat may know."""
    words: Callable[["Game", Mapping[str, Any], int], Sequence[tuple[str, Sequence[str]]]] | None = None
    """(game, seen, seat): return for each target, Q in all, what it is about, such as "player_1's agent", and a text
    for each possible answer. Both differ within a position. `seen` is the result of `seen_to_dict` for the seat, so
    that they can reveal nothing else. None: targets and answers have the names of the groups and numbers."""

    @property
    def sizes(self) -> np.ndarray:
        """The number of possible answers of each target, int64 [Q]."""
        return sizes_of(self.groups)


def sizes_of(groups: Sequence[tuple[str, int, int]]) -> np.ndarray:
    """Return `Questions.sizes` for these groups, int64 [Q]."""
    return np.repeat([answers for *_, answers in groups], [count for _, count, _ in groups]).astype(np.int64)
