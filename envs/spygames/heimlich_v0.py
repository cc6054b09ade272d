"""Heimlich & Co.: two to seven players move secret agents around a small town, and each hides which agent it owns.

| | |
|---|---|
| Import | `from spygames import heimlich_v0` |
| Registered ids | PettingZoo `spygames/heimlich-v0`, Gymnasium `spygames/Heimlich-v0` |
| Agents | `player_0` to `player_6` |
| Actions | `Discrete(55)`, masked; 96 with cards; with predictions (agents - 1) x players more |
| Observation | `{"observation": float32, "action_mask": int8}`, 211 floats for 3 players |
| Rewards | the winners share +1, the others -1, once, at the end; 0 for all if nobody wins |
| Parallel API | no: one agent decides at a time |

### The game

Up to seven agents walk around twelve buildings. Each player secretly owns one of them; the others are free. In a turn
the active player rolls a die and spends all points on any agents, its own or not. If an agent ends its movement at the
safe, every agent scores the value of its building. The player then moves the safe to another building. The game ends
when a token reaches 42 points. The owner of the token furthest ahead wins; if a free agent is furthest ahead, nobody
wins. `top_secret` adds 26 cards, played in a round after every movement. With `secret_identities` every player predicts
once who owns which agent.

`spygames/heimlich/README.md` lists every rule with its ID, source and option.

### Options

| option | values | default |
|---|---|---|
| `players` | 2 to 7 | `4` |
| `top_secret` | whether to play with the 26 cards | `False` |
| `secret_identities` | whether players predict who owns which agent | `False` |
| `edition` | `"amigo"`, or `"ravensburger"`: the edition of 1984 (HC-36) | `"amigo"` |
| `first_player` | the starting seat, or `"random"`: drawn from the seed (HC-6) | `0` |
| `card_round_opens` | the seat asked for cards first: `"left"` of the active player, or `"active"` (HC-25) | `"left"` |
| `new_identity` | `"swap"`, or `"none"` to leave the card `new_identity` out (HC-31) | `"swap"` |
| `tie_with_free` | who wins a tie with a free agent, `"player"` or `"nobody"` (HC-19) | `"player"` |
| `reward` | `"win"` or `"score"` (HC-37) | `"win"` |
| `nobody_wins` | the reward of each player when nobody wins, 0 or -1 | `0` |

### Actions

Numbers are relative to the viewer: its own agent is agent 0 and the others keep their order. Seats count from the
viewer to the left. Texts are absolute. Within a kind the last word changes fastest: 6 * agent + points - 1. The die
moves agents in the order of their ids, which is the same for all seats.

| number | text | when |
|---|---|---|
| 0 to 41 | `move AGENT POINTS` | movement |
| 42 | `done` | movement: leave 1 or 2 points of a `1-3`; card: no second agent for `ruins_to_church` |
| 43 to 54 | `safe BUILDING` | after a scoring: `church`, `1` to `10`, `ruins` |
| 55 | `draw` | movement, on a `1-3`: take a card instead of moving |
| 56 to 70 | `card CARD` | card round, in the order of the table |
| 71 | `pass` | card round |
| 72 to 78 | `agent AGENT` | card: an agent that it asks for |
| 79 to 83 | `step STEP` | card: the step that it asks for, -2, -1, 1, 2 or 3 |
| 84 to 95 | `building BUILDING` | card `move_safe`: where the safe goes |
| 96 on | `guess OTHER OWNER` | prediction, from 55 on without cards: owner 0 is `free`, n the n-th seat to the left |

### Observation

The observation is the fields of `spygames.heimlich.layout.view_dtype` in the order of the game's README;
`env.unwrapped.view(agent)` returns them by name. They contain the public record of which seat moved and favored which
agent, so a network without memory can infer the owners.

### Example

>>> from spygames import heimlich_v0
>>> env = heimlich_v0.env(players=3)
>>> env.reset(seed=1)
>>> for agent in env.agent_iter():
...     observation, reward, termination, truncation, info = env.last()
...     action = None if termination else env.action_space(agent).sample(info["action_mask"])
...     env.step(action)

### Version history

* v0: both editions, two to seven players, cards and predictions.
"""

from spygames.core.envs.entry_points import entry_points, vector_entry
from spygames.heimlich import make_game
from spygames.heimlich.board import AGENTS, BUILDINGS
from spygames.heimlich.cards import CARDS
from spygames.heimlich.layout import State, View

__all__ = ["AGENTS", "BUILDINGS", "CARDS", "State", "View", "env", "make_game", "raw_env", "single_env", "vector_env"]

env, raw_env, single_env = entry_points(make_game)
vector_env = vector_entry(make_game)
