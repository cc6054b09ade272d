"""Positions of Agent DOG for tests: a game at a mapping, and mappings that need only say what matters."""

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
    """The game with these options, the same object each time."""
    return _games.setdefault(repr(sorted(options.items())), make_game(**options))


def position_at(mapping: Mapping[str, Any], **options: Any) -> Position:
    """The position of a mapping."""
    game = game_of({"players": mapping["players"], **options})
    return position_of(game, mapping)


def fresh_position(seed: int, **options: Any) -> Position:
    """The start of the game of a seed."""
    game = game_of(options)
    return Position(game, game.start(seed))


def make_mapping(
    pawns: Mapping[str, Sequence[str]],
    hands: Mapping[str, Sequence[str]] | None = None,
    players: int = 4,
    discard: Sequence[str] = (),
    **changes: Any,
) -> dict[str, Any]:
    """A mapping in phase `card` of seat 0 in which pawns that are not named stand in their area, and all cards that
    are not named lie in the deck; `changes` replaces any key."""
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
    """The position of a mapping: `position_at`."""
    return position_at


@pytest.fixture(scope="session")
def fresh() -> Callable[..., Position]:
    """The start of a game: `fresh_position`."""
    return fresh_position
