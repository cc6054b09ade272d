"""Actions of Agent Avenue: their numbers, and their texts both ways.

For each kind of action that names a card, `encode_<kind>` makes the number and `decode_<kind>` reads the card
from it. Texts are absolute: they name seats by number.
"""

import numpy as np

from spygames.agent_avenue.cards import AGENTS, KINDS, MARKET_CARDS, MARKET_SIZE
from spygames.agent_avenue.layout import NONE, State
from spygames.agent_avenue.queries import partner
from spygames.core.game import Game
from spygames.core.kernel import Int, kernel
from spygames.core.shown import shown

# The first number of each kind of action. Every variant:
DISCARD_CARD = 0  # discard agent c
PLAY_PAIR = DISCARD_CARD + KINDS  # play agent c face up and agent d face down
RECRUIT_UP = PLAY_PAIR + KINDS * KINDS  # recruit the face-up card
RECRUIT_DOWN = RECRUIT_UP + 1  # recruit the face-down card
NUM_ACTIONS = RECRUIT_DOWN + 1
# With the Black Market also:
TAKE_MARKET = NUM_ACTIONS  # take market card m
TAKE_AGENT = TAKE_MARKET + MARKET_SIZE  # take agent c from play
RECRUIT_AGENT = TAKE_AGENT + KINDS  # recruit agent c by an ability
DECLINE = RECRUIT_AGENT + KINDS  # recruit nobody by an ability
NUM_MARKET_ACTIONS = DECLINE + 1
# In teams also:
LEAD_OWN = NUM_MARKET_ACTIONS  # the captain plays face up
LEAD_PARTNER = LEAD_OWN + 1  # the captain's partner plays face up
PLAY_UP = LEAD_PARTNER + 1  # play agent c face up
PLAY_DOWN = PLAY_UP + KINDS  # play agent c face down
RESOLVE_OWN = PLAY_DOWN + KINDS  # the captain resolves the market card
RESOLVE_PARTNER = RESOLVE_OWN + 1  # the captain's partner resolves it
NUM_TEAM_ACTIONS = RESOLVE_PARTNER + 1


@kernel
def encode_discard(card: Int) -> Int:
    """Discard agent `card` (AA-8)."""
    return DISCARD_CARD + card


@kernel
def decode_discard(action: Int) -> Int:
    """The agent that a discard names."""
    return action - DISCARD_CARD


@kernel
def encode_pair(up: Int, down: Int) -> Int:
    """Play agent `up` face up and agent `down` face down (AA-10)."""
    return PLAY_PAIR + KINDS * up + down


@kernel
def decode_pair(action: Int) -> tuple[Int, Int]:
    """The agents that a pair names: face up, face down."""
    return (action - PLAY_PAIR) // KINDS, (action - PLAY_PAIR) % KINDS


@kernel
def encode_market(card: Int) -> Int:
    """Take market card `card` from the supply (AA-23)."""
    return TAKE_MARKET + card


@kernel
def decode_market(action: Int) -> Int:
    """The market card that is taken."""
    return action - TAKE_MARKET


@kernel
def encode_take(card: Int) -> Int:
    """Take agent `card` from play by an ability (AA-30)."""
    return TAKE_AGENT + card


@kernel
def decode_take(action: Int) -> Int:
    """The agent that is taken from play."""
    return action - TAKE_AGENT


@kernel
def encode_recruit(card: Int) -> Int:
    """Recruit agent `card` from the hand by an ability (AA-29)."""
    return RECRUIT_AGENT + card


@kernel
def decode_recruit(action: Int) -> Int:
    """The agent that an ability recruits."""
    return action - RECRUIT_AGENT


@kernel
def encode_up(card: Int) -> Int:
    """Play agent `card` face up, in a team (AA-40)."""
    return PLAY_UP + card


@kernel
def decode_up(action: Int) -> Int:
    """The agent that a team plays face up."""
    return action - PLAY_UP


@kernel
def encode_down(card: Int) -> Int:
    """Play agent `card` face down, in a team (AA-40)."""
    return PLAY_DOWN + card


@kernel
def decode_down(action: Int) -> Int:
    """The agent that a team plays face down."""
    return action - PLAY_DOWN


@kernel
def decode_seat(mover: Int, action: Int) -> Int:
    """The seat that a captain names, itself or its partner, to lead (AA-41) or to resolve a card (AA-44)."""
    return np.int64(mover) ^ 1 if action in (LEAD_PARTNER, RESOLVE_PARTNER) else np.int64(mover)


_TEXTS = (
    *(f"discard {a}" for a in AGENTS),
    *(f"play {up} {down}" for up in AGENTS for down in AGENTS),
    "recruit up",
    "recruit down",
    *(f"market {m}" for m in MARKET_CARDS),
    *(f"take {a}" for a in AGENTS),
    *(f"recruit {a}" for a in AGENTS),
    "decline",
    "lead own",  # these four name a seat: see `action_to_string`
    "lead partner",
    *(f"up {a}" for a in AGENTS),
    *(f"down {a}" for a in AGENTS),
    "resolver own",
    "resolver partner",
)
assert len(_TEXTS) == NUM_TEAM_ACTIONS
_ACTIONS = {text: action for action, text in enumerate(_TEXTS) if not text.endswith((" own", " partner"))}
_FORMS = ("'discard AGENT', 'play AGENT AGENT', 'recruit up', 'recruit down'",)
_MARKET_FORMS = (*_FORMS, "'market CARD', 'take AGENT', 'recruit AGENT', 'decline'")
_TEAM_FORMS = (*_MARKET_FORMS, "'lead player_N', 'up AGENT', 'down AGENT', 'resolver player_N'")


def action_to_string(game: Game, s: State, action: int, seat: int) -> str:
    """`discard sentinel`, `play enforcer mole` (face up, face down), `recruit up`, `market spycation` and so on.

    The captain names itself or its partner (`lead player_1`, `resolver player_0`); who has no partner, nobody.
    """
    text = _TEXTS[action]
    what, _, whom = text.partition(" ")
    if whom == "own":
        return f"{what} player_{seat}"
    if whom == "partner":
        mate = int(partner(s, seat))
        return f"{what} nobody" if mate == NONE else f"{what} player_{mate}"
    return text


def string_to_action(game: Game, s: State, text: str, seat: int) -> int:
    """The inverse of `action_to_string`; ValueError for anything else."""
    action = _ACTIONS.get(text, NONE)
    if action == NONE and game.num_actions > LEAD_OWN and seat != NONE:
        named = (LEAD_OWN, LEAD_PARTNER, RESOLVE_OWN, RESOLVE_PARTNER)
        action = next((a for a in named if action_to_string(game, s, a, seat) == text), NONE)
    if not 0 <= action < game.num_actions:
        teams, market = game.num_players > 2, game.options["mode"] == "advanced"
        forms = ", ".join(_TEAM_FORMS if teams else _MARKET_FORMS if market else _FORMS)
        raise ValueError(f"{shown(text)} is no action of Agent Avenue: {forms}, with AGENT in {', '.join(AGENTS)}")
    return action
