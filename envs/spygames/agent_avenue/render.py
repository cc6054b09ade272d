"""Agent Avenue as a drawing in characters."""

from spygames.core.game import Game
from spygames.core.kernel import Record


def to_text(game: Game, s: Record, viewer: int) -> str:
    """The board and both areas as `viewer` may see them; NOBODY sees everything."""
    return ""
