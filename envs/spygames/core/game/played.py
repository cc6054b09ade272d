"""The course of one game: its first position and its actions, from which `Played` tells a seat what it has seen."""

from typing import Self

import numpy as np

from spygames.core.game.game import Game, as_record
from spygames.core.game.seen import Event

__all__ = ["Played"]


class Played:
    """The position in which a game began, and its actions since then.

    States contain future chance, so playing the actions again gives the same game. This holds hidden information;
    `events` returns only what one seat has seen.
    """

    __slots__ = ("actions", "start")

    def __init__(self, raw: np.ndarray | None = None, actions: list[int] | None = None):
        self.start = b"" if raw is None else raw.tobytes()
        """The bytes of the STATE before the first action."""
        self.actions: list[int] = [] if actions is None else actions

    def copy(self) -> Self:
        """Return an independent copy."""
        other = type(self)()
        other.start, other.actions = self.start, self.actions.copy()
        return other

    def events(self, game: Game, viewer: int, since_own: bool = False) -> list[Event]:
        """Return what a seat has seen, oldest first.

        Args:
            game: the game.
            viewer: the seat.
            since_own: only the events since the last decision of the seat, its own decision included; all events if
                the seat has not decided yet.
        """
        if not self.actions:
            return []
        states = np.frombuffer(self.start * (len(self.actions) + 1), np.uint8).copy().view(game.state_dtype)
        first = 0
        for k, action in enumerate(self.actions):
            states[k + 1] = states[k]
            if states["to_move"][k] == viewer and since_own:
                first = k
            game.apply(as_record(states, k + 1), action)
        return [
            game.event(
                as_record(states, k), self.actions[k], int(states["to_move"][k]), viewer, as_record(states, k + 1)
            )
            for k in range(first, len(self.actions))
        ]
