"""Heimlich & Co.: two to seven players push secret agents round a small town; nobody says which agent is whose.

| | |
|---|---|
| Import | `from spygames import heimlich_v0` |
| Registered ids | PettingZoo `spygames/heimlich-v0`, Gymnasium `spygames/Heimlich-v0` |
| Agents | `player_0` to `player_6` |
| Actions | `Discrete(55)`, masked; 96 with cards; (agents - 1) x players more with predictions |
| Observation | `{"observation": float32, "action_mask": int8}`, 211 floats for 3 players |
| Rewards | the winners share +1, the others -1, once, at the end; 0 for all if a free agent wins |
| Parallel API | no: one agent decides at a time |

### The game

Up to seven agents walk round twelve buildings. Each player owns one of them secretly; the others are free. In a turn
the active player rolls a die and spends all points on any agents, its own or not. If an agent ends its movement with
the safe, every agent scores the value of its building, and the player moves the safe elsewhere. Whose token is furthest
ahead when one has made 42 points wins; if that token belongs to a free agent, nobody does. With `top_secret` there
are 26 cards, played in a round after every movement; with `secret_identities` everybody predicts once who owns which
agent.

Every rule with its ID, source and option is in `spygames/heimlich/README.md`.

### Options

| option | values | default |
|---|---|---|
| `players` | 2 to 7 | `4` |
| `top_secret` | whether to play with the 26 cards | `False` |
| `secret_identities` | whether to play with predictions of who is who | `False` |
| `edition` | `"amigo"`, or `"ravensburger"`: of 1984 (HC-36) | `"amigo"` |
| `first_player` | the seat that starts, or `"random"`: drawn from the seed (HC-6) | `0` |
| `card_round_opens` | who is asked for cards first, `"left"` or `"active"` (HC-25) | `"left"` |
| `new_identity` | `"swap"`, or `"none"`: without that card (HC-31) | `"swap"` |
| `tie_with_free` | who wins level with a free agent, `"player"` or `"nobody"` (HC-19) | `"player"` |
| `reward` | `"win"` or `"score"` (HC-37) | `"win"` |
| `nobody_wins` | the reward of each player when nobody wins, 0 or -1 | `0` |

### Actions

Relative to the viewer: its own agent is agent 0 and the others keep their order; seats count leftward from its own.
Texts are absolute. Within a kind the last word changes fastest: 6 * agent + points - 1. The die moves agents in the
order of their ids, which is the same for everybody.

| number | text | when |
|---|---|---|
| 0 to 41 | `move AGENT POINTS` | movement |
| 42 | `done` | movement, card: leave 1 or 2 points of a `1-3`; no second agent for `ruins_to_church` |
| 43 to 54 | `safe BUILDING` | after a scoring: `church`, `1` to `10`, `ruins` |
| 55 | `draw` | `1-3`, with cards: a card instead of moving |
| 56 to 70 | `card CARD` | card round, in the order of the table |
| 71 | `pass` | card round |
| 72 to 78 | `agent AGENT` | what a card asks for |
| 79 to 83 | `step STEP` | what a card asks for: -2, -1, 1, 2, 3 |
| 84 to 95 | `building BUILDING` | `move_safe` |
| 96 on | `guess OTHER OWNER` | predictions, without cards from 55 on: owner 0 is `free`, n the n-th seat to the left |

### Observation

The fields of `spygames.heimlich.layout.view_dtype` one after the other, as the README of the game lists them;
`env.unwrapped.view(agent)` gives them by name. They hold the public record of who moved and favoured whom, so
that a network without memory can deduce who is who.

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
from spygames.heimlich.layout import State, View

__all__ = ["State", "View", "env", "make_game", "raw_env", "single_env", "vector_env"]

env, raw_env, single_env = entry_points(make_game)
vector_env = vector_entry(make_game)
