"""Agent DOG: pawns race round the track and home, and pawns that stop in a hole hide their color under a hat.

| | |
|---|---|
| Import | `from spygames import agent_dog_v0` |
| Registered ids | PettingZoo `spygames/agent_dog-v0`, Gymnasium `spygames/AgentDog-v0` |
| Agents | `player_0` to `player_3` (or `player_1`, `player_2`) |
| Actions | `Discrete(254)` on the standard board, masked |
| Observation | `{"observation": float32 [581], "action_mask": int8 [254]}` on the standard board |
| Rewards | at the end: winners share +1, the others -1 (0.5 each with four); 0 for all in a game that is cut off |
| Parallel API | no: one agent decides at a time |

### The game

In each round every player gets five cards and passes one of them to the partner. A card moves a pawn by its number,
brings a new pawn into play, swaps two hidden pawns, copies the last card, or splits four steps that capture all pawns
in their way. A player who has no playable card, or captures a pawn of the own team, is out of the round. Four players
form two teams and win with eight pawns home; two and three players play for themselves.

Every rule with its ID and source, the actions and the observation are in `spygames/agent_dog/README.md`.

### Options

| option | values | default |
|---|---|---|
| `players` | 2, 3 or 4 (two teams) | `4` |
| `board` | `"standard"`, or a `Board(track, holes, meeting)` or its data (AD-3) | `"standard"` |
| `deck` | `"standard"`, `"royal"`, or a `Deck(copies)` or copies by card (AD-5) | `"standard"` |
| `hidden_colours` | `"table"`, or `"tracked"`: all players see the colors under hats (AD-24) | `"table"` |
| `max_turns` | number of cards played after which the game is cut off (AD-37) | `2000` |
| `first_player` | the first dealer: a seat, or `"random"`: drawn from the seed (AD-7) | `0` |

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

from spygames.agent_dog import Board, Deck, make_game
from spygames.agent_dog.layout import State, View
from spygames.core.envs.entry_points import entry_points, vector_entry

__all__ = ["Board", "Deck", "State", "View", "env", "make_game", "raw_env", "single_env", "vector_env"]

env, raw_env, single_env = entry_points(make_game)
vector_env = vector_entry(make_game)
