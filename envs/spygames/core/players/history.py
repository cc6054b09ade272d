"""The decisions of a game so far, for players who ask what those of the others tell of what is hidden.

Notes belong to the loop that plays, as players' memory does: it writes down each decision just before it is made, and
begins empty notes where a game begins, also one that begins from a given position. They hold what was true, so only a
search may read them, and only through `Game.rewind` (`DecisionBatch.notes`).
"""

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np

from spygames.core.game.game import Game, as_record
from spygames.core.game.padding import from_fields, to_fields

__all__ = ["Noted", "Notes", "new_notes"]


class Noted(NamedTuple):
    """The latest decisions of one game, oldest first; who made each is its state's `to_move`."""

    states: np.ndarray
    """STATE [t], in which they were made, copies."""
    actions: np.ndarray
    """int64 [t]"""


class Notes:
    """The latest decisions of each of n games.

    Args:
        game: what is played.
        n: number of games.
        size: how many decisions of a game are kept, at least 1; older ones go.
    """

    def __init__(self, game: Game, n: int, size: int):
        self.game, self.size = game, size
        self.states = np.zeros((n, size), game.state_dtype)
        """STATE [n, size], a ring in each row."""
        self.actions = np.zeros((n, size), np.int64)
        self.count = np.zeros(n, np.int64)
        """How many decisions each game has had."""

    def add(self, states: np.ndarray, actions: np.ndarray, rows: np.ndarray | None = None) -> None:
        """Writes down a decision of each game, or of `rows`, int64 [k].

        Args:
            states: STATE [n], in which they are made: before the step.
            actions: int [n].
            rows: the games in which one is made; None: all.
        """
        rows = np.arange(len(self.count)) if rows is None else rows
        place = self.count[rows] % self.size
        self.states[rows, place] = states[rows]
        self.actions[rows, place] = actions[rows]
        self.count[rows] += 1

    def clear(self, rows: np.ndarray) -> None:
        """Forgets games, int [k] or bool [n]: others begin there."""
        self.count[rows] = 0

    def of(self, row: int) -> Noted:
        """What is known of the game in a row."""
        count = int(self.count[row])
        places = np.arange(max(0, count - self.size), count) % self.size
        return Noted(self.states[row, places], self.actions[row, places])

    def seen(self, row: int, viewer: int, since: int) -> list[str]:
        """The texts of what a seat has seen happen in the game of a row, from decision number `since` on, oldest first
        (`Game.seen_action`)."""
        count = int(self.count[row])
        texts = []
        for place in (number % self.size for number in range(max(since, count - self.size), count)):
            s = as_record(self.states[row], place)
            texts.append(self.game.seen_action(s, int(self.actions[row, place]), int(s.to_move), viewer))
        return texts

    def load(self, arrays: Mapping[str, np.ndarray]) -> None:
        """Goes on from what `arrays` gave, which may come from a file: each position that counts is looked at, because
        kernels trust their states.

        Raises:
            ValueError: something is no decision of the game; the notes are as they were.
        """
        count, actions = arrays["count"], arrays["actions"]
        fields = arrays["states"].reshape(self.states.size, -1)
        states = from_fields(self.game.state_dtype, fields).reshape(self.states.shape)
        for row, number in enumerate(count.tolist()):
            for place in range(min(number, self.size)):
                known = 0 <= actions[row, place] < self.game.num_actions
                if not known or not self.game.is_possible(states[row, place : place + 1]):
                    raise ValueError(f"the notes of row {row} hold no decision of {self.game.id}")
        if (count < 0).any():
            raise ValueError("notes count a negative number of decisions")
        self.states[...] = states
        self.actions[...], self.count[...] = actions, count

    def arrays(self) -> dict[str, np.ndarray]:
        """All that they are, in types that files know: `states` uint8 [n, size, bytes], their fields without padding,
        `actions` and `count`."""
        n = len(self.count)
        return {
            "states": to_fields(self.states.ravel()).reshape(n, self.size, -1),
            "actions": self.actions,
            "count": self.count,
        }


def notes_size(players: Iterable[Any]) -> int:
    """How many decisions of a game the player of `players` wants who wants the most; 0: nobody wants any."""
    return max((getattr(player, "notes_size", 0) for player in players), default=0)


def new_notes(game: Game, players: Iterable[Any], n: int = 1, least: int = 0) -> Notes | None:
    """Empty `DecisionBatch.notes` of `n` games that begin, of at least `least` decisions; None where that is 0 and no
    player has a `notes_size`."""
    size = max(notes_size(players), least)
    return Notes(game, n, size) if size else None
