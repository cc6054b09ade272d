"""Actions of Agent Avenue: one table of action kinds defines the numbers, the kernels and the texts.

Agents and market cards are numbered in the order of their tables. Texts are absolute: they name seats by number.
"""

from functools import cache

import numpy as np

from spygames.agent_avenue.cards import AGENTS, KINDS, MARKET_CARDS
from spygames.agent_avenue.layout import NONE, Settings, State
from spygames.agent_avenue.queries import partner
from spygames.core.basics.text import shown
from spygames.core.compiling.kernel import Int, kernel
from spygames.core.game.action_table import ActionKind, action_codec, action_forms, action_texts, first_actions
from spygames.core.game.game import Game

SIMPLE_KINDS = (
    ActionKind("discard {agent}", (AGENTS,), "Play, before the offer (AA-8)"),
    ActionKind("play {agent} {agent}", (AGENTS, AGENTS), "Play: face up, face down (AA-10)"),
    ActionKind("recruit up", (), "Recruit, by the other side"),
    ActionKind("recruit down", (), "Recruit, by the other side"),
)
MARKET_KINDS = (
    ActionKind("market {card}", (MARKET_CARDS,), "a meeple has landed on a market space (AA-23)"),
    ActionKind("take {agent}", (AGENTS,), "Mind Control, Spycation (AA-30)"),
    ActionKind("recruit {agent}", (AGENTS,), "Double Trouble, Outpost, Secret Recruit, Spycation (AA-29)"),
    ActionKind("decline", (), "Spycation: keep the agent in the hand (AA-28)"),
)
TEAM_KINDS = (
    ActionKind("lead {member}", (2,), "the captain names who plays face up: `player_N`, itself or its partner (AA-41)"),
    ActionKind("up {agent}", (AGENTS,), "one member plays face up (AA-40)"),
    ActionKind("down {agent}", (AGENTS,), "the other member plays face down (AA-40)"),
    ActionKind("resolver {member}", (2,), "the captain names who resolves the market card, in the same way (AA-44)"),
)
KINDS_OF_ACTIONS = (*SIMPLE_KINDS, *MARKET_KINDS, *TEAM_KINDS)
(
    DISCARD_CARD, PLAY_PAIR, RECRUIT_UP, RECRUIT_DOWN,
    TAKE_MARKET, TAKE_AGENT, RECRUIT_AGENT, DECLINE,
    LEAD_OWN, PLAY_UP, PLAY_DOWN, RESOLVE_OWN,
) = first_actions(KINDS_OF_ACTIONS)  # fmt: skip
LEAD_PARTNER, RESOLVE_PARTNER = LEAD_OWN + 1, RESOLVE_OWN + 1
NUM_ACTIONS, NUM_MARKET_ACTIONS, NUM_TEAM_ACTIONS = TAKE_MARKET, LEAD_OWN, RESOLVE_PARTNER + 1

encode_discard, decode_discard = action_codec("discard", "card", "DISCARD_CARD", globals())


@kernel
def encode_pair(up: Int, down: Int) -> Int:
    """Return the action that plays agent `up` face up and agent `down` face down (AA-10)."""
    return PLAY_PAIR + KINDS * up + down


@kernel
def decode_pair(action: Int) -> tuple[Int, Int]:
    """Return the agents that the action plays: face up, face down."""
    return (action - PLAY_PAIR) // KINDS, (action - PLAY_PAIR) % KINDS


encode_market, decode_market = action_codec("market", "card", "TAKE_MARKET", globals())
encode_take, decode_take = action_codec("take", "card", "TAKE_AGENT", globals())
encode_recruit, decode_recruit = action_codec("recruit", "card", "RECRUIT_AGENT", globals())
encode_up, decode_up = action_codec("up", "card", "PLAY_UP", globals())
encode_down, decode_down = action_codec("down", "card", "PLAY_DOWN", globals())


@kernel
def decode_seat(mover: Int, action: Int) -> Int:
    """The seat that a captain names, itself or its partner, to lead (AA-41) or to resolve a card (AA-44)."""
    return np.int64(mover) ^ 1 if action in (LEAD_PARTNER, RESOLVE_PARTNER) else np.int64(mover)


@cache
def _texts(own: str, partner: str) -> tuple[str, ...]:
    """The texts of all actions of the seat `own`. A captain's choices name it and its partner."""
    return action_texts(KINDS_OF_ACTIONS, member=(own, partner))


@cache
def _numbers(own: str, partner: str) -> dict[str, int]:
    """The number of each action by its text, the inverse of `_texts`."""
    return {text: action for action, text in enumerate(_texts(own, partner))}


def _members(s: State, seat: int) -> tuple[str, str]:
    """The arguments of `_texts`: a seat and its partner, or "nobody" without one; "?" for both if `seat` is NONE."""
    if seat == NONE:
        return "?", "?"
    mate = int(partner(s, seat))
    return f"player_{seat}", "nobody" if mate == NONE else f"player_{mate}"


def action_to_string(game: Game, s: State, action: int, seat: int) -> str:
    """Return the text of an action, such as `recruit up` or `play enforcer mole` (face up, face down).

    A captain names itself or its partner (`lead player_1`, `resolver player_0`), or `nobody` without a partner.
    """
    return _texts(*_members(s, seat))[action]


def string_to_action(game: Game, s: State, text: str, seat: int) -> int:
    """Return the number of an action by its text, the inverse of `action_to_string`.

    Raises:
        ValueError: `text` is not an action of this variant.
    """
    action = _numbers(*_members(s, seat)).get(text, NONE) if isinstance(text, str) else NONE
    if not 0 <= action < game.num_actions:
        teams, market = game.num_players > 2, Settings.of(game).mode == "advanced"
        kinds = KINDS_OF_ACTIONS if teams else (*SIMPLE_KINDS, *MARKET_KINDS) if market else SIMPLE_KINDS
        raise ValueError(
            f"{shown(text)} is not an action of Agent Avenue; use {action_forms(kinds)}, "
            f"where AGENT is one of {', '.join(AGENTS)}"
        )
    return action
