"""Fixtures for Agent Avenue: positions from mappings, and mappings built from the keys that matter."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any

import numpy as np
import pytest
from tests.support.position import Position, position_of

from spygames.agent_avenue import Mode, make_game
from spygames.agent_avenue.cards import AGENTS, COPIES
from spygames.core.game.game import Game

Cards = Mapping[str, Sequence[str]]
Counts = Mapping[str, Mapping[str, int]]


VARIANTS = [
    {"mode": "advanced"},
    {"players": 3},
    {"players": 4},
    {"mode": "advanced", "players": 3},
    {"mode": "advanced", "players": 4},
]
"""The variants with the Black Market and with teams, with default options else."""


@pytest.fixture(scope="session")
def game() -> Game:
    """The game with its default options."""
    return make_game()


@cache
def _variant(mode: Mode, players: int) -> Game:
    return make_game(mode, players)


def _game_of(mapping: Mapping[str, Any]) -> Game:
    team_or_market = isinstance(mapping, Mapping) and ("market_supply" in mapping or "2" in mapping.get("hands", ()))
    return _variant(mapping["mode"], mapping["players"]) if team_or_market else _variant("simple", 2)


@pytest.fixture(scope="session")
def at() -> Callable[..., Position]:
    """The position of a mapping, in the game that the mapping names; simple mode for two players by default."""

    def position(mapping: Mapping[str, Any], options: Mapping[str, Any] | None = None) -> Position:
        game = _game_of(mapping) if options is None else make_game(**options)
        return position_of(game, mapping)

    return position


@pytest.fixture(scope="session")
def fresh(game: Game) -> Callable[[int], Position]:
    """The initial position for a seed."""
    return lambda seed: Position(game, game.start(seed))


@pytest.fixture(scope="session")
def random_play(game: Game) -> Callable[..., Iterator[Position]]:
    """Every position of `games` games of random play, including first and last positions."""

    def positions(games: int, seed: int = 0) -> Iterator[Position]:
        rng = np.random.default_rng(seed)
        for _ in range(games):
            position = Position(game, game.start(int(rng.integers(2**63))))
            yield position
            while position.s.to_move >= 0:
                game.apply(position.s, int(rng.choice(np.flatnonzero(position.mask))))
                yield position

    return positions


def _make_mapping(
    hands: Cards,
    in_play: Counts | None = None,
    discarded: Cards | None = None,
    deck: Sequence[str] = (),
    rest: str = "deck",
    active: int = 0,
    face_up: str | None = None,
    face_down: str | None = None,
    **changes: Any,
) -> dict[str, Any]:
    """A mapping of the named cards, with all others at the bottom of the deck.

    With rest="in_play" the other cards are in play, at most two Codebreakers and two Daredevils a side, and the
    remaining ones are discarded. The phase is `recruit` if cards are offered, else `play`. `changes` replaces any key.
    """
    mapping: dict[str, Any] = {
        "mode": "simple",
        "players": 2,
        "phase": "recruit" if face_up else "play",
        "to_move": 1 - active if face_up else active,
        "active_side": active,
        "turn": 9,
        "progress": [0, 0],
        "hands": {seat: list(hands.get(seat, ())) for seat in "01"},
        "in_play": {side: dict((in_play or {}).get(side, {})) for side in "01"},
        "discarded": {seat: list((discarded or {}).get(seat, ())) for seat in "01"},
        "deck": list(deck),
        "face_up": face_up,
        "face_down": face_down,
        "winner": None,
        "end_reason": None,
    }
    named = [c for cards in (*mapping["hands"].values(), *mapping["discarded"].values(), deck) for c in cards]
    named += [c for c in (face_up, face_down) if c]
    named += [c for counts in mapping["in_play"].values() for c, n in counts.items() for _ in range(n)]
    left = [a for a, n in zip(AGENTS, COPIES, strict=True) for _ in range(int(n) - named.count(a))]
    for card in left:
        if rest == "deck":
            mapping["deck"].append(card)
            continue
        sides = sorted(mapping["in_play"].values(), key=lambda counts: counts.get(card, 0))
        if card in ("codebreaker", "daredevil") and sides[0].get(card, 0) == 2:
            min(mapping["discarded"].values(), key=len).append(card)
        else:
            sides[0][card] = sides[0].get(card, 0) + 1
    for place in ("hands", "discarded"):
        mapping[place] = {seat: sorted(cards, key=AGENTS.index) for seat, cards in mapping[place].items()}
    mapping["discards_left"] = {seat: 4 - len(cards) for seat, cards in mapping["discarded"].items()}
    return mapping | changes


@pytest.fixture(scope="session")
def make_mapping() -> Callable[..., dict[str, Any]]:
    """A builder of mappings: see `_make_mapping`."""
    return _make_mapping
