"""Agent Avenue as text: actions, and states as mappings. Texts are absolute: seats and sides by number."""

from typing import Any

import numpy as np

from spygames.agent_avenue.cards import AGENTS, KINDS, MARKET_CARDS, MARKET_SIZE
from spygames.agent_avenue.layout import (
    AT_DISCARD,
    AT_SUPPLY,
    END_REASONS,
    LEAD_OWN,
    LEAD_PARTNER,
    NONE,
    PHASES,
    RESOLVE_OWN,
    RESOLVE_PARTNER,
    SIDES,
)
from spygames.agent_avenue.reading import state_from_dict
from spygames.agent_avenue.table import partner, side_of
from spygames.core.game import Game
from spygames.core.kernel import Record
from spygames.core.shown import shown

__all__ = ["action_to_string", "state_from_dict", "state_to_dict", "string_to_action"]

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


def state_to_dict(game: Game, s: Record) -> dict[str, Any]:
    """The state as plain JSON values, with the keys that the rules name in section 5, `rng` and `record`."""
    seats, teams = range(game.num_players), game.num_players > 2
    return {
        "mode": game.options["mode"],
        "players": game.options["players"],
        "phase": PHASES[s.phase],
        "to_move": _or_none(s.to_move),
        "active_side": int(s.active_side),
        "turn": int(s.turn),
        "progress": [int(p) for p in s.progress],
        "hands": {str(seat): _cards(s.hands[seat]) for seat in seats},
        "in_play": {str(side): _counts(s.in_play[side]) for side in range(SIDES)},
        "discarded": {str(seat): _cards(s.discarded[seat]) for seat in seats},
        "discards_left": {str(seat): int(s.discards_left[seat]) for seat in seats},
        "deck": [AGENTS[s.deck[i]] for i in reversed(range(s.deck_size))],
        "face_up": _card(s.face_up),
        "face_down": _card(s.face_down),
        "market_supply": _market_cards(s, AT_SUPPLY),
        "market_deck": [MARKET_CARDS[s.market_deck[i]] for i in reversed(range(s.market_deck_size))],
        "market_in_play": {str(side): _market_cards(s, side) for side in range(SIDES)},
        "market_discard": _market_cards(s, AT_DISCARD),
        "pending": [] if s.pending == NONE else [{"side": int(s.pending), "do": "market"}],
        "ability": _ability(s),
        "captain": {str(side): int(s.captain[side]) for side in range(SIDES)} if teams else {},
        "lead": _or_none(s.leader),
        "seen_in_hand": {str(seat): _counts(s.seen[seat]) for seat in seats},
        "winner": _or_none(s.winner),
        "end_reason": None if s.end_reason == NONE else END_REASONS[s.end_reason],
        "rng": int(s.rng),
        "record": {"kept": int(s.kept)},
    }


def _ability(s: Record) -> dict[str, Any] | None:
    if s.ability == NONE:
        return None
    return {
        "side": int(side_of(s, s.to_move)),
        "card": MARKET_CARDS[s.ability],
        "seat": _or_none(s.resolver),
        "taken": _card(s.taken),
    }


def _cards(counts: np.ndarray) -> list[str]:
    return [AGENTS[card] for card in range(KINDS) for _ in range(counts[card])]


def _counts(counts: np.ndarray) -> dict[str, int]:
    return {AGENTS[card]: int(counts[card]) for card in range(KINDS) if counts[card]}


def _market_cards(s: Record, place: int) -> list[str]:
    return [MARKET_CARDS[card] for card in range(MARKET_SIZE) if s.market[card] == place]


def _card(card: int) -> str | None:
    return None if card == NONE else AGENTS[card]


def _or_none(number: int) -> int | None:
    return None if number == NONE else int(number)
