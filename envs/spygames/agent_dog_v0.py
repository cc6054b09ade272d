"""Agent DOG: pawns race around the track and home, and pawns that stop in a hole hide their color under a hat.

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

In each round a player gets five cards and passes one of them, with four players to its partner. A card moves a pawn by
its number, brings a new pawn into play, swaps two hidden pawns, or copies the last card. Another card splits four steps
that capture all pawns in their way. A player that captures a pawn of its own side is out of the round.

Four players play in two teams, and a team wins with eight pawns home. A player without a playable card is out of the
round. Two and three players play for themselves and win with four pawns home. A player without a playable card then
discards one and draws another.

`spygames/agent_dog/README.md` lists every rule with its ID and source, the actions and the observation.

### Options

| option | values | default |
|---|---|---|
| `players` | 2, 3 or 4 (two teams) | `4` |
| `board` | `"standard"`, a `Board(track, holes, meeting)`, or its data (AD-3) | `"standard"` |
| `deck` | `"standard"`, `"royal"`, a `Deck(copies)`, or copies by card (AD-5) | `"standard"` |
| `hidden_colours` | `"table"`, or `"tracked"`: everybody sees the colors under hats (AD-24) | `"table"` |
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
from spygames.agent_dog.board import COLOURS
from spygames.agent_dog.cards import CARDS
from spygames.agent_dog.layout import State, View
from spygames.core.envs.entry_points import entry_points, vector_entry

__all__ = [
    "CARDS",
    "COLOURS",
    "Board",
    "Deck",
    "State",
    "View",
    "env",
    "make_game",
    "raw_env",
    "single_env",
    "vector_env",
]

env, raw_env, single_env = entry_points(make_game)
vector_env = vector_entry(make_game)
