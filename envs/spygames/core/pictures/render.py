"""Rendering for the environments: the render modes, and pictures of a position with the moves that led to it."""

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
from spygames.core.svg.colours import Theme
from spygames.core.svg.pen import Size

RenderMode = Literal["ansi", "rgb_array", "human"]
MODES: tuple[RenderMode, ...] = get_args(RenderMode)
"""The values of `render_mode` besides None: text, pixels, a window."""
FPS = 2
"""Pictures per second, `metadata["render_fps"]`. Half a second per move is slow enough to follow."""
PICTURED_MOVES = 16
"""Number of moves that an environment keeps for its pictures."""

Move = tuple[np.ndarray, int]
"""A move: STATE [1] before it, and the action."""


class Renderer:
    """The renderer of one environment. It keeps the last moves if the mode draws them.

    Args:
        game: the game.
        mode: the environment's `render_mode`: None or one of MODES.

    Raises:
        ValueError: `mode` is invalid.
    """

    def __init__(self, game: Game, mode: str | None):
        mode = choice("render_mode", mode, (None, *MODES))
        self.game, self.mode = game, mode
        self.moves: deque[Move] | None = None
        """The last moves, oldest first; None if the mode does not draw them, which keeps steps fast."""
        if mode in ("rgb_array", "human"):
            self.moves = deque(maxlen=PICTURED_MOVES)
        self._window: Window | None = None

    def copy(self) -> Self:
        """Return a copy with the same moves and no window."""
        other = object.__new__(type(self))
        other.__dict__.update(self.__dict__, moves=copy(self.moves), _window=None)
        return other

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "moves": copy(self.moves), "_window": None}

    def forget(self) -> None:
        """Forget all moves, because the environment starts from another position."""
        if self.moves is not None:
            self.moves.clear()

    def svg(self, states: np.ndarray, viewer: int, theme: Theme = "dark", size: Size = "full") -> Picture:
        """Draw a position.

        Args:
            states: the position, STATE [1].
            viewer: the seat that sees the picture, or NOBODY for a view of everything.
            theme: "dark" or "light".
            size: "full", "portrait" or "compact"; see `picture`.
        """
        return draw(self.game, states, viewer, self.moves or (), theme=theme, size=size)

    def render(self, states: np.ndarray, viewer: int) -> str | np.ndarray | None:
        """Render in the environment's mode: return a text or pixels, or show the picture and return None."""
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
        """Close the window, if there is one."""
        if self._window is not None:
            self._window.close()


def draw(
    game: Game,
    states: np.ndarray,
    viewer: int,
    moves: Sequence[Move] | deque[Move] = (),
    since_own: bool = False,
    theme: Theme = "dark",
    size: Size = "full",
) -> Picture:
    """Draw a position.

    Args:
        game: the game.
        states: the position, STATE [1].
        viewer: the seat that sees the picture, or NOBODY for a view of everything.
        moves: the moves that led to the position, oldest first.
        since_own: whether to show all changes since the viewer's own last decision, or only the last move.
        theme: "dark" or "light".
        size: "full", "portrait" or "compact"; see `picture`.
    """
    s = as_record(states)
    past = [(as_record(before), action) for before, action in moves]
    log = [game.seen_action(before, action, int(before.to_move), viewer) for before, action in reversed(past)]
    before: dict[str, Any] | None = None
    if past:
        own = [each for each, _ in past if each.to_move == viewer]
        before = game.seen_to_dict(own[-1] if since_own and own else past[-1][0], viewer)
    return picture(game, s, viewer, before=before, legal=_legal(game, s, viewer), log=log, theme=theme, size=size)


def _legal(game: Game, s: Any, viewer: int) -> list[str]:
    """Return the texts of the viewer's legal actions; none if it is not the viewer's turn."""
    if viewer < 0 or s.to_move != viewer:
        return []
    mask = np.zeros(game.num_actions, np.int8)
    game.legal(s, mask)
    return [game.action_to_string(s, int(action), viewer) for action in np.flatnonzero(mask)]
