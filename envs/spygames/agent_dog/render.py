"""Agent DOG as a drawing in characters, at most 80 columns wide."""

from spygames.core.game import Game
from spygames.core.kernel import Record


def to_text(game: Game, s: Record, viewer: int) -> str:
    return ""
