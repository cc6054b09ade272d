"""Heimlich & Co. as text: actions, and states as mappings. Texts are absolute: agents and buildings by name."""

from collections.abc import Iterator
from functools import cache
from typing import Any

import numpy as np

from spygames.core.game import Game
from spygames.core.kernel import Record
from spygames.core.shown import shown
from spygames.heimlich.board import (
    ABSOLUTE,
    AGENTS,
    BUILDINGS,
    CARDS,
    FACES,
    KINDS,
    MOST,
    ONE_TO_THREE,
    STEPS,
)
from spygames.heimlich.identities import FIRST_OWNER, FREE, UNASKED, still_to_predict
from spygames.heimlich.reading import state_from_dict
from spygames.heimlich.state import (
    ACT_AGENT,
    ACT_BUILDING,
    ACT_CARD,
    ACT_DONE,
    ACT_DRAW,
    ACT_MOVE,
    ACT_PASS,
    ACT_SAFE,
    ACT_STEP,
    BASE_ACTIONS,
    CARD_ACTIONS,
    END_REASONS,
    GUESS,
    NONE,
    PHASES,
    left_of,
)

__all__ = ["action_to_string", "state_from_dict", "state_to_dict", "string_to_action"]

_FIXED = {ACT_DONE: "done", ACT_DRAW: "draw", ACT_PASS: "pass"}
_FIXED |= {ACT_SAFE + i: f"safe {name}" for i, name in enumerate(BUILDINGS)}
_FIXED |= {ACT_CARD + i: f"card {name}" for i, name in enumerate(CARDS)}
_FIXED |= {ACT_STEP + i: f"step {step}" for i, step in enumerate(STEPS)}
_FIXED |= {ACT_BUILDING + i: f"building {name}" for i, name in enumerate(BUILDINGS)}


@cache
def _texts(own: int, seat: int, players: int, first_guess: int, num_actions: int) -> tuple[str, ...]:
    """The text of every action of `seat` while agent `own` is its own; predictions are those from `first_guess` on."""
    names = [AGENTS[agent] for agent in ABSOLUTE[own]]
    texts = {
        ACT_MOVE + FACES * i + points: f"move {name} {points + 1}"
        for i, name in enumerate(names)
        for points in range(FACES)
    }
    texts |= {ACT_AGENT + i: f"agent {name}" for i, name in enumerate(names)}
    texts |= _FIXED
    for action in range(first_guess, num_actions):
        agent, places = divmod(action - first_guess, players)
        owner = "free" if places == 0 else f"player_{(seat + places) % players}"
        texts[action] = f"guess {names[agent + 1]} {owner}"
    return tuple(texts[action] for action in range(num_actions))


@cache
def _numbers(*variant: int) -> dict[str, int]:
    return {text: action for action, text in enumerate(_texts(*variant))}


def _key(game: Game, s: Record, seat: int) -> tuple[int, int, int, int, int]:
    """What the texts of a seat depend on, as `_texts` takes it: of all that is hidden its own agent alone."""
    first_guess = CARD_ACTIONS if game.options["top_secret"] else BASE_ACTIONS
    return int(s["passports"][seat]), int(seat), game.num_players, first_guess, game.num_actions


def action_to_string(game: Game, s: Record, action: int, seat: int) -> str:
    """As `move red 3`, `done`, `safe church`, `card swap`, `agent green`, `step -2`, `guess blue player_2`."""
    return _texts(*_key(game, s, seat))[action]


def string_to_action(game: Game, s: Record, text: str, seat: int) -> int:
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


def state_to_dict(game: Game, s: Record) -> dict[str, Any]:
    """The state as plain JSON values, with the keys that the README names, `rng` and `record`."""
    players, agents = game.num_players, AGENTS[: s.options.agents]
    seats = range(players)
    asked = still_to_predict(s) if s.phase == GUESS else 0
    return {
        "edition": game.options["edition"],
        "players": players,
        "agents": list(agents),
        "phase": PHASES[s.phase],
        "to_move": _or_none(s.to_move),
        "active": int(s.active),
        "turn": int(s.turn),
        "die": "1-3" if s.die == ONE_TO_THREE else int(s.die),
        "points_left": int(s.points_left),
        "moved": {name: int(s.moved[a]) for a, name in enumerate(agents) if s.moved[a]},
        "positions": {name: int(s.positions[a]) for a, name in enumerate(agents)},
        "safe": int(s.safe),
        "scores": {name: int(s.scores[a]) for a, name in enumerate(agents)},
        "passports": {str(seat): AGENTS[s.passports[seat]] for seat in seats},
        "hands": {str(seat): _cards(s.hands[seat]) for seat in seats} if s.options.top_secret else {},
        "deck": [CARDS[s.deck[i]] for i in reversed(range(s.deck_size))],
        "used": [CARDS[s.used[i]] for i in range(s.used_size)],
        "arrived": [name for a, name in enumerate(agents) if s.arrived_by[a] != NONE],
        "passes": int(s.passes),
        "pending_card": None
        if s.pending == NONE
        else {"card": CARDS[s.pending], "agents": [AGENTS[a] for a in s.named if a != NONE]},
        "card_turn": _or_none(s.card_turn),
        "guesses": {str(seat): dict(_guesses(s.guesses[seat])) for seat in seats}
        if s.options.secret_identities
        else {},
        "guessed": bool(s.guessed),
        "guessing": [int(left_of(s, int(s.to_move), i)) for i in range(asked)],
        "winners": [seat for seat in seats if s.winners >> seat & 1],
        "end_reason": None if s.end_reason == NONE else END_REASONS[s.end_reason],
        "rng": int(s.rng),
        "record": _record(s),
    }


def _record(s: Record) -> dict[str, Any]:
    """What the rules of play do not need, or nobody but the players remembers."""
    tables = {"points": s.points, "times": s.times, "gains": s.gains}
    seats = range(int(s.options.players))
    return {
        **{
            key: {str(seat): {AGENTS[a]: int(n) for a, n in enumerate(table[:, seat]) if n} for seat in seats}
            for key, table in tables.items()
        },
        "scorings": [int(s.scorings[seat]) for seat in seats],
        "cards_played": [int(s.cards_played[seat]) for seat in seats],
        "arrived_by": {AGENTS[a]: int(seat) for a, seat in enumerate(s.arrived_by) if seat != NONE},
        "swapped": _or_none(s.swapped),
        "former": None if s.former == NONE else AGENTS[s.former],
        "swapped_late": bool(s.swapped_late),
    }


def _cards(counts: np.ndarray) -> list[str]:
    return [CARDS[kind] for kind in range(KINDS) for _ in range(counts[kind])]


def _guesses(guesses: np.ndarray) -> Iterator[tuple[str, str]]:
    for agent in range(MOST):
        if guesses[agent] != UNASKED:
            owner = "free" if guesses[agent] == FREE else f"player_{int(guesses[agent]) - FIRST_OWNER}"
            yield AGENTS[agent], owner


def _or_none(number: int) -> int | None:
    return None if number == NONE else int(number)
