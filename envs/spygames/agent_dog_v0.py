"""Agent DOG."""

from typing import Any

from spygames.agent_dog import Board, Deck, make_game
from spygames.core.entry import entry_points

__all__ = ["VARIANTS", "Board", "Deck", "env", "make_game", "raw_env", "single_env"]

env, raw_env, single_env = entry_points(make_game)

VARIANTS: list[dict[str, Any]] = [
    {"max_turns": 60},
    {"hidden_colours": "tracked", "deck": "royal", "max_turns": 50, "first_player": "random"},
    {"players": 2, "max_turns": 50},
    {
        "players": 2,
        "hidden_colours": "tracked",
        "max_turns": 60,
        "board": {"track": 56, "holes": [2, 5, 6, 9, 12], "meeting": 7},
        "deck": {"2": 5, "5": 5, "8": 5, "1/11": 10, "13": 4, "swap": 5, "copy": 5, "companion": 10},
    },
    {"players": 3, "max_turns": 50, "deck": "royal"},
    {"players": 3, "hidden_colours": "tracked", "max_turns": 40},
]
"""Options of every variant that the contract test plays; each differs from the others in rules or set-up. Games are
cut off early, because a whole one by random players takes some 3,000 decisions."""
