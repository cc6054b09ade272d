"""Fixtures for Agent DOG: positions from mappings, and mappings built from the keys that matter."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pytest

from spygames.agent_dog import make_game
from spygames.core.game.game import Game
from tests.support.position import Position, position_of

ORDER = ["2", "3", "5", "6", "7", "8", "9", "10", "12", "1/11", "13", "swap", "copy", "companion"]
COLOURS = {2: ["red", "green"], 3: ["red", "blue", "green"], 4: ["red", "blue", "green", "yellow"]}


_games: dict[str, Game] = {}


def game_of(options: Mapping[str, Any]) -> Game:
    """The game with these options, cached."""
    return _games.setdefault(repr(sorted(options.items())), make_game(**options))


def position_at(mapping: Mapping[str, Any], **options: Any) -> Position:
    """The position of a mapping."""
    game = game_of({"players": mapping["players"], **options})
    return position_of(game, mapping)


def fresh_position(seed: int, **options: Any) -> Position:
    """The initial position for a seed."""
    game = game_of(options)
    return Position(game, game.start(seed))


def make_mapping(
    pawns: Mapping[str, Sequence[str]],
    hands: Mapping[str, Sequence[str]] | None = None,
    players: int = 4,
    discard: Sequence[str] = (),
    **changes: Any,
) -> dict[str, Any]:
    """A mapping in phase `card` of seat 0. Pawns that are not named are in their area, and cards that are not named are
    in the deck. `changes` replaces any key."""
    places = {colour: list(pawns.get(colour, ())) for colour in COLOURS[players]}
    given = {str(seat): sorted((hands or {}).get(str(seat), ()), key=ORDER.index) for seat in range(players)}
    mapping: dict[str, Any] = {
        "players": players,
        "board": "standard",
        "deck_name": "standard",
        "phase": "card",
        "to_move": 0,
        "dealer": 0,
        "round": 0,
        "turn": 0,
        "pawns": {colour: ["area"] * (4 - len(at)) + at for colour, at in places.items()},
        "hidden": [],
        "hands": given,
        "passed": dict.fromkeys(given),
        "out": [],
        "deck": [],
        "discard": list(discard),
        "last_card": None,
        "pending": None,
        "redrawn": False,
        "cards_played": 0,
        "winners": [],
        "end_reason": None,
    }
    mapping |= changes
    named = [card for cards in (*mapping["hands"].values(), mapping["deck"], mapping["discard"]) for card in cards]
    named += [mapping["pending"]["card"]] if mapping["pending"] else []
    if mapping["phase"] == "exchange":
        named += [card for card in mapping["passed"].values() if card]
    copies = {card: 6 if card == "copy" else 8 for card in ORDER}
    mapping["deck"] += [card for card in ORDER for _ in range(copies[card] - named.count(card))]
    return mapping


@pytest.fixture(scope="session")
def game() -> Game:
    """The game with its default options."""
    return game_of({})


@pytest.fixture(scope="session")
def at() -> Callable[..., Position]:
    """A builder of positions from mappings: see `position_at`."""
    return position_at


@pytest.fixture(scope="session")
def fresh() -> Callable[..., Position]:
    """A builder of initial positions: see `fresh_position`."""
    return fresh_position
