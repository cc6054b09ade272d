"""Heimlich & Co.: two to seven players move secret agents round a small town and hide which agent is their own.

| | |
|---|---|
| Import | `from spygames import heimlich_v0` |
| Registered ids | PettingZoo `spygames/heimlich-v0`, Gymnasium `spygames/Heimlich-v0` |
| Agents | `player_0` to `player_6` |
| Actions | `Discrete(55)`, masked; 96 with cards; (agents - 1) x players more with predictions |
| Observation | `{"observation": float32, "action_mask": int8}`, 211 floats for 3 players |
| Rewards | at the end: the winners share +1, the others -1; 0 for all if a free agent wins |
| Parallel API | no: one agent decides at a time |

### The game

Up to seven agents walk round twelve buildings. Each player secretly owns one of them; the others are free. In a turn
the active player rolls a die and spends all points on any agents, its own or not. If an agent ends its movement at the
safe, every agent scores the value of its building, and the player moves the safe elsewhere. Once an agent has 42 points
or more, the owner of the agent with the most points wins; if that agent is free, no player wins. With `top_secret`
there are 26 cards, which are played in a round after every movement. With `secret_identities` every player predicts
once who owns which agent.

Every rule with its ID, source and option is in `spygames/heimlich/README.md`.

### Options

| option | values | default |
|---|---|---|
| `players` | 2 to 7 | `4` |
| `top_secret` | whether to play with the 26 cards | `False` |
| `secret_identities` | whether to play with predictions of the agents' owners | `False` |
| `edition` | `"amigo"`, or `"ravensburger"`: the edition of 1984 (HC-36) | `"amigo"` |
| `first_player` | the seat that starts, or `"random"`: drawn from the seed (HC-6) | `0` |
| `card_round_opens` | the player who may play cards first, `"left"` or `"active"` (HC-25) | `"left"` |
| `new_identity` | `"swap"`, or `"none"`: without that card (HC-31) | `"swap"` |
| `tie_with_free` | the winner of a tie with a free agent, `"player"` or `"nobody"` (HC-19) | `"player"` |
| `reward` | `"win"` or `"score"` (HC-37) | `"win"` |
| `nobody_wins` | the reward of each player when no player wins, 0 or -1 | `0` |

### Actions

Numbers are relative to the viewer: its own agent is agent 0 and the others keep their order; seats count leftward from
its own. Texts are absolute. Within a kind the last word changes fastest: `move AGENT POINTS` is 6 * agent + points - 1.
The die moves agents in the order of their ids, which is the same for all players.

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

The fields of `spygames.heimlich.layout.view_dtype` one after the other, as listed in the README of the game;
`env.unwrapped.view(agent)` gives them by name. They include a public record of which player has moved and favored which
agents, so that a network without memory can infer the owners.

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
