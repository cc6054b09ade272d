"""What the environments share of drawing: the modes of `render`, and a position with the moves that led to it."""

from collections import deque
from typing import Any, Literal, get_args

import numpy as np

from spygames.core.game import Game, as_record
from spygames.core.picture import Picture, picture

RenderMode = Literal["ansi", "rgb_array", "human"]
MODES = get_args(RenderMode)
"""What `render_mode` may be, beside None: text, pixels, a window."""
FPS = 2
"""Pictures a second, `metadata["render_fps"]`: a person can follow a move in half a second."""
_KEPT = 16
"""Moves that an environment keeps for its pictures."""

Moves = deque[tuple[np.ndarray, int]]
"""The last moves of a game, the oldest first: STATE [1] before each, and the action."""


def moves_for(render_mode: str | None) -> Moves | None:
    """Where an environment keeps its last moves; None where nobody draws them, so that steps stay fast."""
    return deque(maxlen=_KEPT) if render_mode in ("rgb_array", "human") else None


def draw(game: Game, states: np.ndarray, viewer: int, moves: Moves | None, since_own: bool = False) -> Picture:
    """The picture of a position with what happened before.

    Args:
        game: the game.
        states: STATE [1].
        viewer: the seat that looks, NOBODY for everything.
        moves: the last moves; None: unknown.
        since_own: what the viewer's own last decision and all later ones changed is drawn, else the last move alone.
    """
    s = as_record(states)
    past = [(as_record(before), action) for before, action in moves or ()]
    log = [game.seen_action(before, action, int(before.to_move), viewer) for before, action in reversed(past)]
    before: dict[str, Any] | None = None
    if past:
        own = [each for each, _ in past if each.to_move == viewer]
        before = game.seen_to_dict(own[-1] if since_own and own else past[-1][0], viewer)
    return picture(game, s, viewer, before=before, legal=game_legal(game, s, viewer), log=log)


def game_legal(game: Game, s: Any, viewer: int) -> list[str]:
    """The texts of what the viewer may do now; none where another seat is to move, or nobody."""
    if viewer < 0 or s.to_move != viewer:
        return []
    mask = np.zeros(game.num_actions, np.int8)
    game.legal(s, mask)
    return [game.action_to_string(s, int(action), viewer) for action in np.flatnonzero(mask)]
