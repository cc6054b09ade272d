"""Fixtures for Heimlich & Co.: positions from mappings, and mappings built from the keys that matter."""

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

import pytest
from tests.support.position import Position, position_of

from spygames.core.game.game import Game
from spygames.heimlich import make_game

COPIES = {
    "move_safe": 2, "score_3": 2, "back_1_2": 2, "step_1": 2, "two_back": 2, "two_forward": 2, "off_safe": 2,
    "to_ruins": 2, "all_to_church": 1, "swap": 1, "join": 1, "ruins_to_church": 2, "forward_1_3": 2, "to_safe": 2,
    "new_identity": 1,
}  # fmt: skip
AGENTS = ("red", "yellow", "green", "blue", "purple", "orange", "grey")
IN_PLAY = {"amigo": {2: 5, 3: 6, 4: 7, 5: 7, 6: 7, 7: 7}, "ravensburger": {2: 4, 3: 5, 4: 6, 5: 7, 6: 7, 7: 7}}
HERE = (1, 2, 3, 4, 5, 6, 8)  # buildings of the agents unless a test names others


@cache
def game_of(**options: Any) -> Game:
    """The game with these options, cached."""
    return make_game(**options)


def cards_left(hands: Mapping[str, list[str]], used: list[str], new_identity: bool) -> list[str]:
    """The cards of the game that are neither in a hand nor used, in the order of the README."""
    gone = [*used, *(card for cards in hands.values() for card in cards)]
    copies = COPIES | {"new_identity": int(new_identity)}
    return [card for card, n in copies.items() for _ in range(n - gone.count(card))]


def make_mapping(options: Mapping[str, Any], **parts: Any) -> dict[str, Any]:
    """A mapping with default values: each agent in a building of its own, tokens on Start, seat 0 moves a 4.

    `positions`, `scores` and `passports` need only the entries that differ. Cards that are not named are in the deck,
    below those of `deck`.
    """
    players, edition = options.get("players", 4), options.get("edition", "amigo")
    agents = AGENTS[: IN_PLAY[edition][players]]
    seats = [str(seat) for seat in range(players)]
    active = parts.get("active", 0)
    die = parts.get("die", 4)
    phase = parts.get("phase", "move")
    roll = 3 if die == "1-3" else die
    moved = parts.get("moved", {})
    mapping: dict[str, Any] = {
        "edition": edition, "players": players, "agents": list(agents), "phase": phase,
        "to_move": None if phase == "over" else active, "active": active, "turn": 9, "die": die,
        "points_left": roll - sum(moved.values()) if phase == "move" else 0, "moved": {}, "safe": 10, "used": [],
        "arrived": [], "passes": 0, "pending_card": None, "card_turn": None, "guessed": False, "guessing": [],
        "winners": [], "end_reason": None, "hands": {}, "deck": [], "guesses": {}, "rng": 1,
    }  # fmt: skip
    mapping |= parts
    mapping["positions"] = dict(zip(agents, HERE, strict=False)) | parts.get("positions", {})
    mapping["scores"] = dict.fromkeys(agents, 0) | parts.get("scores", {})
    mapping["passports"] = dict(zip(seats, agents, strict=False)) | parts.get("passports", {})
    if options.get("top_secret"):
        mapping["hands"] = {key: [] for key in seats} | parts.get("hands", {})
        on_top = [] if parts.get("deck") == "none" else parts.get("deck", [])
        there = options.get("new_identity", "swap") == "swap" and players < len(agents)
        mapping["deck"] = [*on_top, *cards_left(mapping["hands"], [*mapping["used"], *on_top], there)]
        if parts.get("deck") == "none":  # all cards outside hands are used
            mapping["deck"] = []
            mapping["used"] = [*mapping["used"], *cards_left(mapping["hands"], mapping["used"], there)]
    if options.get("secret_identities"):
        mapping["guesses"] = {key: {} for key in seats} | parts.get("guesses", {})
    return mapping


def place(options: Mapping[str, Any], **parts: Any) -> Position:
    """The position of `make_mapping` with these parts."""
    game = game_of(**options)
    return position_of(game, make_mapping(options, **parts))


@pytest.fixture(scope="session")
def at() -> Callable[..., Position]:
    """A builder of positions: see `place`."""
    return place


@pytest.fixture(scope="session")
def fresh() -> Callable[..., Position]:
    """The initial position for a seed."""

    def start(seed: int, **options: Any) -> Position:
        game = game_of(**options)
        return Position(game, game.start(seed))

    return start
