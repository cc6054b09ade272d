"""Actions: their numbers, a kernel each to encode and decode a kind, and their texts in both directions.

Numbers are relative to the mover: its own agent is agent 0, and seats count leftward from its own. The base game has
the actions below ACT_DRAW, cards add those below CARD_ACTIONS. The predictions follow from `first_guess` on:
(agents - 1) x players, agent by agent; for each agent first "free", then the seats to the left. Texts are absolute.
"""

from functools import cache
from itertools import product

import numpy as np

from spygames.core.game import Game
from spygames.core.kernel import Int, kernel
from spygames.core.shown import shown
from spygames.heimlich.board import ABSOLUTE, AGENTS, BUILDINGS, FACES, LOOP, MAX_AGENTS
from spygames.heimlich.cards import CARDS, KINDS, STEPS
from spygames.heimlich.layout import State

ACT_MOVE = 0  # agent, points 1..FACES
ACT_DONE = ACT_MOVE + MAX_AGENTS * FACES
ACT_SAFE = ACT_DONE + 1  # building
ACT_DRAW = BASE_ACTIONS = ACT_SAFE + LOOP
ACT_CARD = ACT_DRAW + 1  # kind
ACT_PASS = ACT_CARD + KINDS
ACT_AGENT = ACT_PASS + 1  # agent
ACT_STEP = ACT_AGENT + MAX_AGENTS  # index in STEPS
ACT_BUILDING = ACT_STEP + len(STEPS)
CARD_ACTIONS = ACT_BUILDING + LOOP

MOVE_AGENT = np.array([action // FACES for action in range(ACT_DONE)], np.int64)
MOVE_POINTS = np.array([action % FACES + 1 for action in range(ACT_DONE)], np.int64)
"""[action below ACT_DONE]: the agent that it moves, relative, and the points."""


@kernel
def encode_move(agent: Int, points: Int) -> Int:
    """The action that moves `agent` (relative) by `points` of the die, 1..FACES."""
    return ACT_MOVE + agent * FACES + points - 1


@kernel
def decode_move(action: Int) -> tuple[Int, Int]:
    """The agent (relative) and the points of a move."""
    return MOVE_AGENT[action], MOVE_POINTS[action]


@kernel
def encode_safe(building: Int) -> Int:
    """The action that moves the safe to `building`."""
    return ACT_SAFE + building


@kernel
def decode_safe(action: Int) -> Int:
    """The building that the safe goes to."""
    return action - ACT_SAFE


@kernel
def encode_card(kind: Int) -> Int:
    """The action that plays a card."""
    return ACT_CARD + kind


@kernel
def decode_card(action: Int) -> Int:
    """The kind of the card that is played."""
    return action - ACT_CARD


@kernel
def encode_agent(agent: Int) -> Int:
    """The action that names `agent` (relative) for a card."""
    return ACT_AGENT + agent


@kernel
def decode_agent(action: Int) -> Int:
    """The agent (relative) that is named for a card."""
    return action - ACT_AGENT


@kernel
def encode_step(index: Int) -> Int:
    """The action that chooses STEPS[index] for a card."""
    return ACT_STEP + index


@kernel
def decode_step(action: Int) -> Int:
    """The index in STEPS of the step that is chosen for a card."""
    return action - ACT_STEP


@kernel
def encode_building(building: Int) -> Int:
    """The action that chooses `building` for a card."""
    return ACT_BUILDING + building


@kernel
def decode_building(action: Int) -> Int:
    """The building that is chosen for a card."""
    return action - ACT_BUILDING


@kernel
def encode_guess(first_guess: Int, players: Int, agent: Int, places: Int) -> Int:
    """The action that gives `agent` (relative, from 1) to the seat `places` to the left; 0 calls the agent free."""
    return np.int64(first_guess) + (agent - 1) * np.int64(players) + places


@kernel
def decode_guess(first_guess: Int, players: Int, action: Int) -> tuple[Int, Int]:
    """The agent (relative) of a prediction, and how many places to the left its owner sits; 0 for a free agent."""
    number = action - np.int64(first_guess)
    return number // np.int64(players) + 1, number % np.int64(players)


_SAME_FOR_ALL = {ACT_DONE: "done", ACT_DRAW: "draw", ACT_PASS: "pass"}
_SAME_FOR_ALL |= {ACT_SAFE + i: f"safe {name}" for i, name in enumerate(BUILDINGS)}
_SAME_FOR_ALL |= {ACT_CARD + i: f"card {name}" for i, name in enumerate(CARDS)}
_SAME_FOR_ALL |= {ACT_STEP + i: f"step {step}" for i, step in enumerate(STEPS)}
_SAME_FOR_ALL |= {ACT_BUILDING + i: f"building {name}" for i, name in enumerate(BUILDINGS)}


@cache
def _texts(own: int, seat: int, players: int, first_guess: int, num_actions: int) -> tuple[str, ...]:
    """The text of every action of `seat` while agent `own` is its own; predictions start at `first_guess`."""
    names = [AGENTS[agent] for agent in ABSOLUTE[own]]
    moves = zip(range(ACT_DONE), product(names, range(1, FACES + 1)), strict=True)
    texts = {action: f"move {name} {points}" for action, (name, points) in moves}
    texts |= {ACT_AGENT + i: f"agent {name}" for i, name in enumerate(names)}
    texts |= _SAME_FOR_ALL
    owners = ["free", *(f"player_{(seat + places) % players}" for places in range(1, players))]
    guesses = zip(range(first_guess, num_actions), product(names[1:], owners), strict=False)
    texts |= {action: f"guess {name} {owner}" for action, (name, owner) in guesses}
    return tuple(texts[action] for action in range(num_actions))


@cache
def _numbers(*key: int) -> dict[str, int]:
    """The inverse of `_texts`, by the same arguments."""
    return {text: action for action, text in enumerate(_texts(*key))}


def _key(game: Game, s: State, seat: int) -> tuple[int, int, int, int, int]:
    """The arguments of `_texts` for a seat; the only hidden fact among them is the seat's own agent."""
    first_guess = CARD_ACTIONS if game.options["top_secret"] else BASE_ACTIONS
    return int(s.passports[seat]), int(seat), game.num_players, first_guess, game.num_actions


def action_to_string(game: Game, s: State, action: int, seat: int) -> str:
    """As `move red 3`, `done`, `safe church`, `card swap`, `agent green`, `step -2`, `guess blue player_2`."""
    return _texts(*_key(game, s, seat))[action]


def string_to_action(game: Game, s: State, text: str, seat: int) -> int:
    """The inverse of `action_to_string`; ValueError for anything else."""
    action = _numbers(*_key(game, s, seat)).get(text) if isinstance(text, str) else None
    if action is not None:
        return action
    forms = ["'move AGENT POINTS'", "'done'", "'safe BUILDING'"]
    if game.options["top_secret"]:
        forms += ["'draw'", "'card CARD'", "'pass'", "'agent AGENT'", "'step NUMBER'", "'building BUILDING'"]
    if game.options["secret_identities"]:
        forms += ["'guess AGENT OWNER'"]
    raise ValueError(
        f"{shown(text)} is no action of this game of Heimlich & Co.: {', '.join(forms)}, "
        f"with AGENT in {', '.join(AGENTS)} and BUILDING in {', '.join(BUILDINGS)}"
    )
