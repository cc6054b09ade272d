"""Histories of decisions, from which a search infers hidden cards.

The loop that plays the games owns the notes, as it owns the players' memory. It adds each decision just before the
step, and clears the notes when a game begins, also from a given position. Notes hold hidden information: only a search
may read them, and only through `Game.rewind` (`DecisionBatch.notes`).
"""

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np

from spygames.core.game.game import Game, as_record
from spygames.core.game.padding import from_fields, to_fields

__all__ = ["Noted", "Notes", "new_notes"]


class Noted(NamedTuple):
    """The latest decisions of one game, oldest first. The `to_move` of a state is the seat that decided.

    Example:
        >>> from spygames import make_game
        >>> from spygames.players import Notes
        >>> noted = Notes(make_game("agent_avenue_v0"), n=1, size=8).of(row=0)
        >>> noted.states.shape, noted.actions.shape  # no decision yet
        ((0,), (0,))
    """

    states: np.ndarray
    """STATE [t], copies of the states before each decision"""
    actions: np.ndarray
    """int64 [t]"""


class Notes:
    """The latest decisions of each of n games.

    Example:
        >>> import numpy as np
        >>> from spygames import make_batch
        >>> from spygames.players import Notes
        >>> batch = make_batch("agent_avenue_v0", 2, seed=1)
        >>> notes, actions = Notes(batch.game, 2, size=8), batch.mask.argmax(1)
        >>> notes.add(batch.states, actions)  # before the step
        >>> batch.step(actions)
        >>> bool((notes.of(row=0).actions == actions[:1]).all())
        True

    Args:
        game: the game that all rows play.
        n: number of games.
        size: maximum number of decisions kept per game, at least 1; the oldest are dropped.

    Raises:
        ValueError: `size` is below 1.
    """

    def __init__(self, game: Game, n: int, size: int):
        if size < 1:
            raise ValueError(f"size must be at least 1, not {size}")
        self.game, self.size = game, size
        self.states = np.zeros((n, size), game.state_dtype)
        """STATE [n, size], a ring buffer in each row"""
        self.actions = np.zeros((n, size), np.int64)
        self.count = np.zeros(n, np.int64)
        """int64 [n], number of decisions of each game so far"""

    def add(self, states: np.ndarray, actions: np.ndarray, rows: np.ndarray | None = None) -> None:
        """Add one decision of each game in `rows`.

        Args:
            states: STATE [n], before the step.
            actions: int [n].
            rows: int64 [k]; None: all games.
        """
        rows = np.arange(len(self.count)) if rows is None else rows
        place = self.count[rows] % self.size
        self.states[rows, place] = states[rows]
        self.actions[rows, place] = actions[rows]
        self.count[rows] += 1

    def clear(self, rows: np.ndarray) -> None:
        """Clear `rows`, int [k] or bool [n], in which new games begin."""
        self.count[rows] = 0

    def of(self, row: int) -> Noted:
        """Return the latest decisions of the game in a row."""
        count = int(self.count[row])
        places = np.arange(max(0, count - self.size), count) % self.size
        return Noted(self.states[row, places], self.actions[row, places])

    def seen(self, row: int, viewer: int, since: int, effects: bool = False) -> list[str]:
        """Return what a seat has seen happen in the game of a row, as texts, oldest first (`Game.seen_action`).

        Args:
            row: the row of the game.
            viewer: the seat.
            since: number of the first decision to report, from 0. Decisions that were dropped are left out.
            effects: whether the texts include the effects that the seat saw (`Game.happened`).
        """
        count = int(self.count[row])
        tell = self.game.happened if effects else self.game.seen_action
        texts = []
        for place in (number % self.size for number in range(max(since, count - self.size), count)):
            s = as_record(self.states[row], place)
            texts.append(tell(s, int(self.actions[row, place]), int(s.to_move), viewer))
        return texts

    def load(self, arrays: Mapping[str, np.ndarray]) -> None:
        """Restore the notes from `arrays()`. Each stored position is checked, because kernels trust their states.

        Raises:
            ValueError: a value is not a decision of the game. The notes are unchanged then.
        """
        count, actions = arrays["count"], arrays["actions"]
        fields = arrays["states"].reshape(self.states.size, -1)
        states = from_fields(self.game.state_dtype, fields).reshape(self.states.shape)
        for row, number in enumerate(count.tolist()):
            for place in range(min(number, self.size)):
                known = 0 <= actions[row, place] < self.game.num_actions
                if not known or not self.game.is_possible(states[row, place : place + 1]):
                    raise ValueError(f"the notes of row {row} hold an invalid decision of {self.game.id}")
        if (count < 0).any():
            raise ValueError(f"the notes' count must be at least 0, not {count.min()}")
        self.states[...] = states
        self.actions[...], self.count[...] = actions, count

    def arrays(self) -> dict[str, np.ndarray]:
        """Return the contents as plain arrays for a file.

        Returns:
            `states`, uint8 [n, size, bytes], the fields without padding; `actions`, int64 [n, size]; `count`, int64
            [n].
        """
        n = len(self.count)
        return {
            "states": to_fields(self.states.ravel()).reshape(n, self.size, -1),
            "actions": self.actions,
            "count": self.count,
        }


def notes_size(players: Iterable[Any]) -> int:
    """Return the largest `notes_size` of `players`; 0 if no player wants notes."""
    return max((getattr(player, "notes_size", 0) for player in players), default=0)


def new_notes(game: Game, players: Iterable[Any], n: int = 1, least: int = 0) -> Notes | None:
    """Return empty `DecisionBatch.notes` for `n` games.

    Their size is the largest `notes_size` of `players`, and at least `least`. None if that is 0.
    """
    size = max(notes_size(players), least)
    return Notes(game, n, size) if size else None
