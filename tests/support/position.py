"""Positions for tests: actions and answers are texts."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from spygames.core.game.game import Game, as_record


class Position:
    """A state of a game that takes and returns actions as texts."""

    def __init__(self, game: Game, states: np.ndarray) -> None:
        self.game, self.states, self.s = game, states, as_record(states)

    @property
    def mask(self) -> np.ndarray:
        """The mask of the seat to move, int8 [A]."""
        mask = np.zeros(self.game.num_actions, np.int8)
        self.game.legal(self.s, mask)
        return mask

    @property
    def legal(self) -> set[str]:
        """The texts of the legal actions of the seat to move."""
        seat = int(self.s.to_move)
        return {self.game.action_to_string(self.s, int(a), seat) for a in np.flatnonzero(self.mask)}

    @property
    def mapping(self) -> dict[str, Any]:
        """The state as a mapping."""
        return self.game.state_to_dict(self.s)

    def act(self, *texts: str) -> "Position":
        """Play these actions; each must be legal."""
        for text in texts:
            assert text in self.legal, f"{text!r} is not among {sorted(self.legal)}"
            self.game.apply(self.s, self.game.string_to_action(self.s, text, int(self.s.to_move)))
        return self

    def view(self, seat: int) -> np.ndarray:
        """Return the view of `seat`, structured [1]."""
        views = self.game.new_views()
        self.game.observe(self.s, seat, as_record(views))
        return views

    def returns(self) -> list[float]:
        """Return the result of each seat."""
        out = np.zeros(self.game.num_players, np.float32)
        self.game.returns(self.s, out)
        return [round(float(x), 5) for x in out]

    def drawing(self, viewer: int) -> str:
        """Return the drawing for `viewer`."""
        return self.game.to_text(self.s, viewer)


def position_of(game: Game, mapping: Mapping[str, Any]) -> Position:
    """Return the position of a mapping."""
    states = game.new_states()
    game.state_from_dict(mapping, as_record(states))
    return Position(game, states)
