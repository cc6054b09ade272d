"""The courses of running games: their first positions and actions, from which a seat is told what it has seen.

Letters: n games.
"""

from typing import NamedTuple

import numpy as np

from spygames.core.game.played import Played

__all__ = ["Courses", "SavedCourses"]

Log = list[tuple[np.ndarray, np.ndarray]]
"""For each round of decisions its rows, int64 [k], ascending, and their actions, int64 [k]."""


class SavedCourses(NamedTuple):
    """The courses at some time, made by `Courses.save`."""

    log: Log
    length: int
    dropped: int


class Courses:
    """The course of each current game of a session. It holds hidden information, as `Played` does.

    Args:
        memory: uint8 [n, S], the bytes of the states.
    """

    def __init__(self, memory: np.ndarray):
        self._starts = memory.copy()
        self._first = np.zeros(len(memory), np.int64)  # the round with which each game begins
        self._log: Log = []
        self._dropped = 0  # number of rounds before those of the log
        # Rows, starts and firsts that have been replaced since `save`; None before the first `save`.
        self._replaced: list[tuple[np.ndarray, np.ndarray, np.ndarray]] | None = None

    def begin(self, rows: np.ndarray, memory: np.ndarray) -> None:
        """Begin the courses of `rows`, int64 [k] or bool [n], from `memory`, uint8 [n, S]."""
        if self._replaced is not None:
            self._replaced.append((rows, self._starts[rows], self._first[rows]))
        self._starts[rows], self._first[rows] = memory[rows], self._dropped + len(self._log)
        if past := int(self._first.min()) - self._dropped:  # rounds of games that are over everywhere
            self._log = self._log[past:]
            self._dropped += past

    def add(self, rows: np.ndarray, actions: np.ndarray) -> None:
        """Add one decision of each of `rows`, int64 [k] ascending; `actions`, int64 [n], is read there."""
        self._log.append((rows, actions[rows]))

    def of(self, row: int) -> Played:
        """Return the course of one game."""
        found = list[int]()
        for rows, actions in self._log[self._first[row] - self._dropped :]:
            k = int(rows.searchsorted(row))
            if k < len(rows) and rows[k] == row:
                found.append(int(actions[k]))
        return Played(self._starts[row], found)

    def save(self) -> SavedCourses:
        """Return the courses up to now, for `restore`. What was saved before can no longer be restored."""
        self._replaced = []
        return SavedCourses(self._log, len(self._log), self._dropped)

    def restore(self, saved: SavedCourses) -> None:
        """Reset to what was saved last."""
        self._log, length, self._dropped = saved
        del self._log[length:]
        for rows, starts, first in reversed(self._replaced or []):
            self._starts[rows], self._first[rows] = starts, first
        self._replaced = []
