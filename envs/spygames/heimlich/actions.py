"""Action numbers and texts of Heimlich & Co., derived from one table of action kinds.

Numbers are relative to the mover: its own agent is agent 0, and seats count from the mover to its left. Texts are
absolute. The base game has the actions below ACT_DRAW; cards add those below CARD_ACTIONS. Predictions follow from
`first_guess` on: (agents - 1) x players, agent by agent, and for each agent first "free", then the seats to the left.
"""

from functools import cache
from typing import Any

import numpy as np

from spygames.core.basics.text import shown
from spygames.core.compiling.kernel import Int, kernel
from spygames.core.game.action_table import ActionKind, action_codec, action_forms, action_texts, first_actions
from spygames.core.game.game import Game
from spygames.core.game.layout import Size
from spygames.heimlich.board import ABSOLUTE, AGENTS, BUILDINGS, FACES, MAX_AGENTS, MAX_PLAYERS
from spygames.heimlich.cards import CARDS, STEPS
from spygames.heimlich.layout import Settings, State

AGENT, OTHER = len(AGENTS), Size("others", MAX_AGENTS - 1)
BASE_KINDS = (
    ActionKind("move {agent} {points}", (AGENT, tuple(str(n + 1) for n in range(FACES))), "movement"),
    ActionKind("done", (), "movement: leave 1 or 2 points of a `1-3`; card: no second agent for `ruins_to_church`"),
    ActionKind("safe {building}", (BUILDINGS,), "after a scoring: `church`, `1` to `10`, `ruins`"),
)
CARD_KINDS = (
    ActionKind("draw", (), "movement, on a `1-3`: take a card instead of moving"),
    ActionKind("card {card}", (CARDS,), "card round, in the order of the table"),
    ActionKind("pass", (), "card round"),
    ActionKind("agent {agent}", (AGENT,), "card: an agent that it asks for"),
    ActionKind("step {step}", (tuple(map(str, STEPS)),), "card: the step that it asks for, -2, -1, 1, 2 or 3"),
    ActionKind("building {building}", (BUILDINGS,), "card `move_safe`: where the safe goes"),
)
PREDICTION_KINDS = (
    ActionKind(
        "guess {other} {owner}", (OTHER, Size("players", MAX_PLAYERS)),
        "prediction, from 55 on without cards: owner 0 is `free`, n the n-th seat to the left",
    ),
)  # fmt: skip
KINDS_OF_ACTIONS = (*BASE_KINDS, *CARD_KINDS, *PREDICTION_KINDS)
(
    ACT_MOVE, ACT_DONE, ACT_SAFE, ACT_DRAW, ACT_CARD, ACT_PASS, ACT_AGENT, ACT_STEP, ACT_BUILDING, CARD_ACTIONS,
) = first_actions(KINDS_OF_ACTIONS)  # fmt: skip
BASE_ACTIONS = ACT_DRAW

MOVE_AGENT = np.array([action // FACES for action in range(ACT_DONE)], np.int64)
MOVE_POINTS = np.array([action % FACES + 1 for action in range(ACT_DONE)], np.int64)
"""Relative agent and points of each move, int64 [ACT_DONE]."""


@kernel
def encode_move(agent: Int, points: Int) -> Int:
    """Return the action that moves `agent` (relative) by `points` of the die, 1 to FACES."""
    return ACT_MOVE + agent * FACES + points - 1


@kernel
def decode_move(action: Int) -> tuple[Int, Int]:
    """Return the agent (relative) and the points of a move."""
    return MOVE_AGENT[action], MOVE_POINTS[action]


encode_safe, decode_safe = action_codec("safe", "building", "ACT_SAFE", globals())
encode_card, decode_card = action_codec("card", "kind", "ACT_CARD", globals())
encode_agent, decode_agent = action_codec("agent", "agent", "ACT_AGENT", globals())
encode_step, decode_step = action_codec("step", "index", "ACT_STEP", globals())
encode_building, decode_building = action_codec("building", "building", "ACT_BUILDING", globals())


@kernel
def encode_guess(first_guess: Int, players: Int, agent: Int, places: Int) -> Int:
    """Return the action that predicts the owner of `agent` (relative, from 1).

    The predicted owner is the seat `places` to the left; `places` 0 predicts a free agent.
    """
    return np.int64(first_guess) + (agent - 1) * np.int64(players) + places


@kernel
def decode_guess(first_guess: Int, players: Int, action: Int) -> tuple[Int, Int]:
    """Return the agent (relative) of a prediction and the predicted owner, as in `encode_guess`."""
    number = action - np.int64(first_guess)
    return number // np.int64(players) + 1, number % np.int64(players)


def kinds_of(game: Game) -> tuple[ActionKind, ...]:
    """Return the action kinds of a variant."""
    o = Settings.of(game)
    return (*BASE_KINDS, *(CARD_KINDS if o.top_secret else ()), *(PREDICTION_KINDS if o.secret_identities else ()))


@cache
def _texts(kinds: tuple[ActionKind, ...], own: int, seat: int, players: int, agents: int) -> tuple[str, ...]:
    """Return the text of each action of `seat`, which owns agent `own`, with `agents` agents in play."""
    names = [AGENTS[agent] for agent in ABSOLUTE[own]]
    owners = ["free", *(f"player_{(seat + places) % players}" for places in range(1, players))]
    return action_texts(kinds, agent=names, other=names[1:agents], owner=owners)


@cache
def _numbers(*key: Any) -> dict[str, int]:
    """Return the inverse of `_texts` for the same arguments."""
    return {text: action for action, text in enumerate(_texts(*key))}


def _key(game: Game, s: State, seat: int) -> tuple[Any, ...]:
    """Return the arguments of `_texts` for a seat. The only hidden fact among them is the seat's own agent."""
    return kinds_of(game), int(s.passports[seat]), int(seat), game.num_players, int(s.options.agents)


def action_to_string(game: Game, s: State, action: int, seat: int) -> str:
    """Return the text of an action, such as `move red 3`, `safe church`, `step -2` or `guess blue player_2`."""
    return _texts(*_key(game, s, seat))[action]


def string_to_action(game: Game, s: State, text: str, seat: int) -> int:
    """Return the action with this text.

    Raises:
        ValueError: `text` is not the text of an action of this variant.
    """
    action = _numbers(*_key(game, s, seat)).get(text) if isinstance(text, str) else None
    if action is not None:
        return action
    raise ValueError(
        f"action of this game of Heimlich & Co. must be one of {action_forms(kinds_of(game))}, "
        f"with AGENT one of {', '.join(AGENTS)} and BUILDING one of {', '.join(BUILDINGS)}, not {shown(text)}"
    )
