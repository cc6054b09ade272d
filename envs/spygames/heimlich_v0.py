"""Heimlich & Co.
"""

from typing import Any

from spygames.core.entry import entry_points
from spygames.heimlich import make_game

__all__ = ["VARIANTS", "env", "make_game", "raw_env", "single_env"]

env, raw_env, single_env = entry_points(make_game)

_SWITCHES: list[dict[str, Any]] = [
    {"top_secret": True},
    {"secret_identities": True},
    {"top_secret": True, "secret_identities": True},
]
VARIANTS: list[dict[str, Any]] = [
    *({"players": n} for n in range(2, 8)),
    *({"players": n, **switches} for n in (3, 5, 7) for switches in _SWITCHES),
    {"players": 3, "edition": "ravensburger", "secret_identities": True, "first_player": "random", "reward": "score"},
]
"""Options of every variant that the contract test plays; each differs from the others in rules or set-up."""
