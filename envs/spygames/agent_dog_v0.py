"""Agent DOG: pawns race round the track and home, and those that stop in a hole hide their colour under a hat.

| | |
|---|---|
| Import | `from spygames import agent_dog_v0` |
| Registered ids | PettingZoo `spygames/agent_dog-v0`, Gymnasium `spygames/AgentDog-v0` |
| Agents | `player_0` to `player_3` (or `player_1`, `player_2`) |
| Actions | `Discrete(254)` on the standard board, masked |
| Observation | `{"observation": float32 [581], "action_mask": int8 [254]}` on the standard board |
| Rewards | winners share +1, the others -1, at the end (0.5 each with four); 0 for all in a game that is cut off |
| Parallel API | no: one agent decides at a time |

### The game

Each round five cards a player, one of which is passed to the partner. A card moves a pawn by its number, brings a new
one into play, swaps two hidden pawns, copies the last card, or splits four steps that capture all in their way. Who
has no playable card is out of the round, and so is who captures a pawn of the own team. Four players sit in two teams
and win with eight pawns home; two and three play for themselves.

Every rule with its ID and source, the actions and the observation are in `spygames/agent_dog/README.md`.

### Options

| option | values | |
|---|---|---|
| `players` | `2`, `3`, `4` | four in two teams |
| `board` | `"standard"`, `Board(...)` | spaces, holes and meeting points as data |
| `deck` | `"standard"`, `"royal"`, `Deck(...)` | copies of each card as data |
| `hidden_colours` | `"table"`, `"tracked"` | whether colours under hats can be seen |
| `max_turns` | 2000 | cards after which a game is cut off |
| `first_player` | a seat, `"random"` | the first dealer |

### Example

>>> from spygames import agent_dog_v0
>>> env = agent_dog_v0.env(players=2, max_turns=20)
>>> env.reset(seed=1)
>>> for agent in env.agent_iter():
...     observation, reward, termination, truncation, info = env.last()
...     over = termination or truncation
...     env.step(None if over else env.action_space(agent).sample(info["action_mask"]))

### Version history

* v0: two to four players.
"""

from typing import Any

from spygames.agent_dog import Board, Deck, make_game
from spygames.core.entry import entry_points

__all__ = ["FURTHER_VARIANTS", "VARIANTS", "Board", "Deck", "env", "make_game", "raw_env", "single_env"]

env, raw_env, single_env = entry_points(make_game)

VARIANTS: list[dict[str, Any]] = [
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
"""Options of the variants that the contract test plays; each differs from the others in rules or set-up. Games are
cut off early, because a whole one by random players takes one to three thousand decisions."""

FURTHER_VARIANTS: list[dict[str, Any]] = [
    {"players": players, "hidden_colours": hidden_colours, "deck": deck, "max_turns": 16}
    for players in (4, 3, 2)
    for hidden_colours in ("table", "tracked")
    for deck in ("standard", "royal")
]
"""All combinations, which the contract test plays less and shorter."""
