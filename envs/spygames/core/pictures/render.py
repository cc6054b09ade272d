"""What the environments share of drawing: the modes of `render`, and a position with the moves that led to it."""

from collections import deque
from collections.abc import Sequence
from copy import copy
from typing import Any, Literal, Self, get_args

import numpy as np

from spygames.core.game.game import Game, as_record
from spygames.core.game.validation import choice
from spygames.core.pictures.picture import Picture, picture
from spygames.core.pictures.raster import pixels
from spygames.core.pictures.window import Window

RenderMode = Literal["ansi", "rgb_array", "human"]
MODES: tuple[RenderMode, ...] = get_args(RenderMode)
"""What `render_mode` may be, beside None: text, pixels, a window."""
FPS = 2
"""Pictures a second, `metadata["render_fps"]`: a person can follow a move in half a second."""
PICTURED_MOVES = 16
"""Moves that an environment keeps for its pictures."""

Move = tuple[np.ndarray, int]
"""STATE [1] before it, and the action."""


class Renderer:
    """Draws the positions of one environment, and keeps its last moves where they are drawn.

    Args:
        game: what is drawn.
        mode: the environment's `render_mode`, of MODES or None; ValueError for another one.
    """

    def __init__(self, game: Game, mode: str | None):
        mode = choice("render_mode", mode, (None, *MODES))
        self.game, self.mode = game, mode
        self.moves: deque[Move] | None = None
        """The last moves, the oldest first; None where nobody draws them, so that steps stay fast."""
        if mode in ("rgb_array", "human"):
            self.moves = deque(maxlen=PICTURED_MOVES)
        self._window: Window | None = None

    def copy(self) -> Self:
        """Another one with the same moves and no window."""
        other = object.__new__(type(self))
        other.__dict__.update(self.__dict__, moves=copy(self.moves), _window=None)
        return other

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "moves": copy(self.moves), "_window": None}

    def forget(self) -> None:
        """Another position begins, of which no moves are known."""
        if self.moves is not None:
            self.moves.clear()

    def svg(self, states: np.ndarray, viewer: int, since_own: bool = False) -> Picture:
        """The picture of STATE [1] for a seat, or NOBODY for everything.

        Args:
            states: the position.
            viewer: who looks.
            since_own: what has changed since the viewer's own last decision is drawn, else the last move alone.
        """
        return draw(self.game, states, viewer, self.moves or (), since_own)

    def render(self, states: np.ndarray, viewer: int) -> str | np.ndarray | None:
        """A text, pixels, or None after the picture was shown, as the mode says."""
        if self.mode == "ansi":
            return self.game.to_text(as_record(states), viewer)
        shown = self.svg(states, viewer)
        if self.mode == "rgb_array":
            return pixels(shown)
        if self._window is None:
            self._window = Window(self.game.title, FPS)
        self._window.show(shown)
        return None

    def close(self) -> None:
        """Closes the window, where there is one."""
        if self._window is not None:
            self._window.close()


def draw(
    game: Game, states: np.ndarray, viewer: int, moves: Sequence[Move] | deque[Move] = (), since_own: bool = False
) -> Picture:
    """The picture of a position, STATE [1], after `moves`, the oldest first; the rest as in `Renderer.svg`."""
    s = as_record(states)
    past = [(as_record(before), action) for before, action in moves]
    log = [game.seen_action(before, action, int(before.to_move), viewer) for before, action in reversed(past)]
    before: dict[str, Any] | None = None
    if past:
        own = [each for each, _ in past if each.to_move == viewer]
        before = game.seen_to_dict(own[-1] if since_own and own else past[-1][0], viewer)
    return picture(game, s, viewer, before=before, legal=_legal(game, s, viewer), log=log)


def _legal(game: Game, s: Any, viewer: int) -> list[str]:
    """The texts of what the viewer may do now; none where another seat is to move, or nobody."""
    if viewer < 0 or s.to_move != viewer:
        return []
    mask = np.zeros(game.num_actions, np.int8)
    game.legal(s, mask)
    return [game.action_to_string(s, int(action), viewer) for action in np.flatnonzero(mask)]
