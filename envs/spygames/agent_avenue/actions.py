"""Agent Avenue as text: actions, and states as mappings. Texts are absolute: seats and sides by number."""

from spygames.agent_avenue.cards import AGENTS, KINDS, MARKET_CARDS, MARKET_SIZE
from spygames.agent_avenue.layout import NONE
from spygames.agent_avenue.queries import partner
from spygames.core.game import Game
from spygames.core.kernel import Record
from spygames.core.shown import shown

# Actions of every variant: discard card c | play c face up and d face down | recruit the face-up or the face-down card
DISCARD_CARD = 0
PLAY_PAIR = DISCARD_CARD + KINDS
RECRUIT_UP = PLAY_PAIR + KINDS * KINDS
RECRUIT_DOWN = RECRUIT_UP + 1
NUM_ACTIONS = RECRUIT_DOWN + 1
# With the Black Market also: take market card m | take agent c from play | recruit agent c by an ability | decline
TAKE_MARKET = NUM_ACTIONS
TAKE_AGENT = TAKE_MARKET + MARKET_SIZE
RECRUIT_AGENT = TAKE_AGENT + KINDS
DECLINE = RECRUIT_AGENT + KINDS
NUM_MARKET_ACTIONS = DECLINE + 1
# In teams also: I or my partner plays face up | play c face up | play c face down | I or my partner resolves
LEAD_OWN = NUM_MARKET_ACTIONS
LEAD_PARTNER = LEAD_OWN + 1
PLAY_UP = LEAD_PARTNER + 1
PLAY_DOWN = PLAY_UP + KINDS
RESOLVE_OWN = PLAY_DOWN + KINDS
RESOLVE_PARTNER = RESOLVE_OWN + 1
NUM_TEAM_ACTIONS = RESOLVE_PARTNER + 1

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
_ACTIONS = {text: action for action, text in enumerate(_TEXTS) if not text.endswith((" own", " partner"))}
_FORMS = ("'discard AGENT', 'play AGENT AGENT', 'recruit up', 'recruit down'",)
_MARKET_FORMS = (*_FORMS, "'market CARD', 'take AGENT', 'recruit AGENT', 'decline'")
_TEAM_FORMS = (*_MARKET_FORMS, "'lead player_N', 'up AGENT', 'down AGENT', 'resolver player_N'")


def action_to_string(game: Game, s: Record, action: int, seat: int) -> str:
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


def string_to_action(game: Game, s: Record, text: str, seat: int) -> int:
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
