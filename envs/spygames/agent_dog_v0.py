"""Agent DOG."""

from typing import Any

from spygames.agent_dog import Board, Deck, make_game
from spygames.core.entry import entry_points

__all__ = ["VARIANTS", "Board", "Deck", "env", "make_game", "raw_env", "single_env"]

env, raw_env, single_env = entry_points(make_game)

VARIANTS: list[dict[str, Any]] = [{}]
