"""Options of the variants of this package's games, for tests of all of them.

The main variants of a game differ from each other in rules or setup. The further ones (`FURTHER`) recombine these.
"""

from typing import Any

AGENT_AVENUE: list[dict[str, Any]] = [
    {},
    {"first_player": "random"},
    {"mode": "advanced"},
    {"players": 3},
    {"players": 4, "first_player": "random"},
    {"mode": "advanced", "players": 3, "captain": "fixed", "first_player": 2},
    {"mode": "advanced", "players": 4},
]
"""Options of all variants that the contract test plays; each differs from the others in rules or setup."""
AGENT_AVENUE_FURTHER: list[dict[str, Any]] = [
    {"history": 3},
    {"mode": "advanced", "history": 1},
    {"players": 3, "history": 2, "first_player": "random"},
    {"mode": "advanced", "players": 4, "history": 4},
]
"""Options with a history, which changes views and no rule. The contract test plays fewer games of them."""
AGENT_DOG: list[dict[str, Any]] = [
    {"max_turns": 60},
    {"hidden_colours": "tracked", "deck": "royal", "max_turns": 50},
    {"players": 3, "deck": "royal", "max_turns": 50},
    {
        "players": 2,
        "hidden_colours": "tracked",
        "max_turns": 60,
        "first_player": "random",
        "board": {"track": 56, "holes": [2, 5, 6, 9, 12], "meeting": 7},
        "deck": {"2": 5, "5": 5, "8": 5, "1/11": 10, "13": 4, "swap": 5, "copy": 5, "companion": 10},
    },
]
"""Options of the main variants that the contract test plays; each differs from the others in rules or setup. Games are
cut off early, since a whole game of random players takes one to three thousand decisions."""
AGENT_DOG_FURTHER: list[dict[str, Any]] = [
    {"players": players, "hidden_colours": hidden_colours, "deck": deck, "max_turns": 16}
    for players in (4, 3, 2)
    for hidden_colours in ("table", "tracked")
    for deck in ("standard", "royal")
]
"""Options of all combinations. The contract test plays fewer and shorter games of them."""
HEIMLICH: list[dict[str, Any]] = [
    {"players": 3},
    {"players": 2, "top_secret": True},
    {"players": 7, "secret_identities": True},
    {"players": 4, "top_secret": True, "secret_identities": True},
    {"players": 3, "edition": "ravensburger", "secret_identities": True, "first_player": "random", "reward": "score"},
]
"""Options of the main variants that the contract test plays; each differs from the others in rules or setup."""
HEIMLICH_FURTHER: list[dict[str, Any]] = [
    *({"players": players} for players in (2, 4, 5, 6, 7)),
    *({"players": players, "top_secret": True} for players in (3, 5, 7)),
    *({"players": players, "secret_identities": True} for players in (3, 5)),
    *({"players": players, "top_secret": True, "secret_identities": True} for players in (3, 5, 7)),
]
"""Options with the rules of main variants and other numbers of players. The contract test plays fewer games of them."""
VARIANTS: dict[str, tuple[list[dict[str, Any]], list[dict[str, Any]]]] = {
    "agent_avenue_v0": (AGENT_AVENUE, AGENT_AVENUE_FURTHER),
    "agent_dog_v0": (AGENT_DOG, AGENT_DOG_FURTHER),
    "heimlich_v0": (HEIMLICH, HEIMLICH_FURTHER),
}
"""The main and the further variants of each game, by its id."""
