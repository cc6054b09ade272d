"""What is hidden from a seat, as questions with a few possible answers: what a network learns to believe."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from spygames.core.compiling.kernel import Int, Record

__all__ = ["UNASKED", "Questions"]

UNASKED = -1
"""In the place of an answer: the seat knows it, or there is nothing to ask."""


@dataclass(frozen=True)
class Questions:
    """The questions of a game, Q in all."""

    groups: tuple[tuple[str, int, int], ...]
    """(name, questions, answers) of each group of questions about one thing that have as many possible answers each, in
    the order in which `answer` writes."""
    answer: Callable[[Record, Int, np.ndarray], None]
    """(state, seat, out int8 [Q]), a kernel: writes the true answers, 0 to `answers` - 1, or UNASKED. Which questions
    are asked follows from what the seat may know; the answers do not."""

    @property
    def sizes(self) -> np.ndarray:
        """The number of possible answers to each question, int64 [Q]."""
        return sizes_of(self.groups)


def sizes_of(groups: Sequence[tuple[str, int, int]]) -> np.ndarray:
    """`Questions.sizes` of these groups, int64 [Q]."""
    return np.repeat([answers for *_, answers in groups], [count for _, count, _ in groups]).astype(np.int64)
