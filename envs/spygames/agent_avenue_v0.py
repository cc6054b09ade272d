"""Agent Avenue: two neighboring spies recruit agents and move around the street to unmask each other.

| | |
|---|---|
| Import | `from spygames import agent_avenue_v0` |
| Registered ids | PettingZoo `spygames/agent_avenue-v0`, Gymnasium `spygames/AgentAvenue-v0` |
| Agents | `player_0`, `player_1`, up to `player_3` |
| Actions | `Discrete(74)`, masked; 106 in advanced mode, 126 in teams |
| Observation | `{"observation": float32 [160], "action_mask": int8 [74]}`; longer in the other variants |
| Rewards | +1 for each winner, -1 for each loser, once, at the end |
| Parallel API | no: one agent decides at a time |

### The game

There are 38 agent cards of eight kinds, hands of four cards, and one meeple per side. The meeples start on opposite
homes of a loop of 14 spaces. In a turn the active player offers two cards with different names, one face up and one
face down. The opponent takes one of them, the active player gets the other, and both are face up from then on. Each
card moves its owner's meeple by an icon that depends on how many cards of that name the owner has. An Enforcer moves
+1, then +2, then +3; a Double Agent moves -1, then +6, then -1.

A player wins at the end of a turn if its meeple has caught the other one or if it has three Codebreakers. A player with
three Daredevils loses. If both players would win at once, the active player wins. If the cards run out, the player in
the lead wins. Before offering, a player may discard a card face down and draw another one, four times in a game.

In advanced mode a meeple that lands on a corner takes a card from the Black Market. The card acts at once or for the
rest of the game. Three and four players form teams. A team shares its meeple and its cards in play, but not its hands:
one member plays a card face up, the other one a card face down.

Every rule with its ID, source and option is in `spygames/agent_avenue/README.md`.

### Options

| option | values | default |
|---|---|---|
| `mode` | `"simple"`, or `"advanced"`: with the Black Market | `"simple"` |
| `players` | 2, 3 (seats 0 and 1 against 2) or 4 (0 and 1 against 2 and 3) | `2` |
| `first_player` | the seat whose side begins, or `"random"`: the side is drawn from the seed (AA-6) | `0` |
| `captain` | teams only: `"alternate"` (the same as None), or `"fixed"`: always the lower seat (AA-41) | `None` |
| `history` | the number of earlier offers of each side that a view shows, 0 to 4 | `0` |

### Actions

| number | text | when |
|---|---|---|
| 0 to 7 | `discard AGENT` | Play, before the offer (AA-8) |
| 8 to 71 | `play AGENT AGENT` | Play: face up, face down (AA-10) |
| 72 | `recruit up` | Recruit, by the other side |
| 73 | `recruit down` | Recruit, by the other side |
| 74 to 88 | `market CARD` | a meeple has landed on a market space (AA-23) |
| 89 to 96 | `take AGENT` | Mind Control, Spycation (AA-30) |
| 97 to 104 | `recruit AGENT` | Double Trouble, Outpost, Secret Recruit, Spycation (AA-29) |
| 105 | `decline` | Spycation: keep the agent in the hand (AA-28) |
| 106 to 107 | `lead MEMBER` | the captain names who plays face up: `player_N`, itself or its partner (AA-41) |
| 108 to 115 | `up AGENT` | one member plays face up (AA-40) |
| 116 to 123 | `down AGENT` | the other member plays face down (AA-40) |
| 124 to 125 | `resolver MEMBER` | the captain names who resolves the market card, in the same way (AA-44) |

A simple game for two has actions 0 to 73, a game for two with the Black Market 0 to 105. Within a kind the
last word changes fastest: 8 + 8 * up + down.

`AGENTS` names the agents in the order of every axis of 8, so `view.hand[CODEBREAKER]` is the row of the Codebreakers.
They are numbered from 0: double_agent, enforcer, codebreaker, saboteur, daredevil, sentinel, sidekick, mole.

### Observation

The fields of `spygames.agent_avenue.layout.VIEW` in order, the viewer's own side first. `env.unwrapped.view(agent)`
returns them by name. Counts are thermometers (n ones, then zeros) or fractions.

| field | shape | |
|---|---|---|
| `hand` | 8, 4 | own hand, thermometer |
| `stacks` | 2, 8, 3 | cards in play up to the third, thermometer; own side, other side |
| `in_play` | 2, 8 | all cards in play, copies / 6; own side, other side |
| `discarded` | 8 | own discards, copies / 4 |
| `unseen` | 8 | copies that the viewer has not seen, / 6 |
| `face_up` | 8 | one-hot, zeros if nothing is offered |
| `face_down` | 8 | one-hot for the seat that played it, zeros for the others |
| `lead` | 15 | own progress minus the other's, one-hot from -7 to 7 |
| `space` | 2 | where the meeples stand, seen from the own home, / 14 |
| `discards_left` | 2, 4 | thermometer |
| `hand_size` | 2 | / 4 |
| `deck_size` | | / 38 |
| `phase` | 2 | one-hot: play, recruit |
| `decides` | | 1 if the viewer is to move |
| `active` | | 1 in the turn of the viewer's side |

The table shows simple mode for two players. The other variants have longer `discards_left`, `hand_size` and `phase`,
and further fields after these: see `spygames.agent_avenue.layout.view_dtype`. With `history=3` the view ends with the
last three offers of each side: both cards, which of them was taken, and the discards before it.

### Example

>>> from spygames import agent_avenue_v0
>>> env = agent_avenue_v0.env()
>>> env.reset(seed=1)
>>> for agent in env.agent_iter():
...     observation, reward, termination, truncation, info = env.last()
...     action = None if termination else env.action_space(agent).sample(info["action_mask"])
...     env.step(action)

### Version history

* v0: simple and advanced mode for two, three and four players.
"""

from spygames.agent_avenue import make_game
from spygames.agent_avenue.actions import RECRUIT_DOWN, RECRUIT_UP
from spygames.agent_avenue.cards import (
    AGENTS,
    CODEBREAKER,
    DAREDEVIL,
    DOUBLE_AGENT,
    ENFORCER,
    MARKET_CARDS,
    MOLE,
    SABOTEUR,
    SENTINEL,
    SIDEKICK,
)
from spygames.agent_avenue.layout import State, View
from spygames.core.envs.entry_points import entry_points, vector_entry

__all__ = [
    "AGENTS", "CODEBREAKER", "DAREDEVIL", "DOUBLE_AGENT", "ENFORCER", "MARKET_CARDS", "MOLE", "RECRUIT_DOWN",
    "RECRUIT_UP", "SABOTEUR", "SENTINEL", "SIDEKICK", "State", "View", "env", "make_game", "raw_env", "single_env",
    "vector_env",
]  # fmt: skip

env, raw_env, single_env = entry_points(make_game)
vector_env = vector_entry(make_game)
