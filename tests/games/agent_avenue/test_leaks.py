"""No hidden card leaks: the same game is played in two worlds that differ in a card of another seat's hand."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest
from tests.games.agent_avenue.reference import AGENTS
from tests.support.position import Position, position_of
from tests.support.worlds import play_both

from spygames.agent_avenue import make_game

VARIANTS = [
    {"players": 2},
    {"players": 4},
    {"mode": "advanced", "players": 2},
    {"mode": "advanced", "players": 3},
]
SHOWING = {"mind_control", "spycation", "surveillance_truck", "secret_recruit", "double_trouble", "outpost"}
"""Market cards by which a card of a hand is shown, or that ask for one."""


def other_world(mapping: dict[str, Any], seat: int) -> dict[str, Any] | None:
    """The same start with a card of `seat` exchanged with the deck's bottom card; None if it has the latter's name."""
    hand, bottom = mapping["hands"][str(seat)], mapping["deck"][-1]
    if bottom in hand:
        return None
    changed = sorted([bottom, *hand[1:]], key=AGENTS.index)
    deck = [*mapping["deck"][:-1], hand[0]]
    return mapping | {"hands": mapping["hands"] | {str(seat): changed}, "deck": deck}


def nothing_shown(one: Mapping[str, Any], two: Mapping[str, Any]) -> bool:
    """Whether the bottom card is still in the deck and no market card has shown or required cards of a hand."""
    asked = {(one.get("ability") or {}).get("card"), *one.get("market_discard", ())}
    return bool(one["deck"]) and not SHOWING & asked


@pytest.mark.rule("AA-9", "AA-10", "AA-12", "AA-37")
@pytest.mark.parametrize("options", VARIANTS, ids=str)
def test_two_worlds_look_the_same(options: dict[str, Any]) -> None:
    game, rng = make_game(**options), np.random.default_rng(2)
    decisions = worlds = 0
    for seed in range(24):
        start = Position(game, game.start(seed)).mapping
        hider, watcher = rng.choice(game.num_players, 2, replace=False).tolist()
        changed = other_world(start, hider)
        if changed is not None:
            one, two = position_of(game, start), position_of(game, changed)
            decisions += play_both(one, two, watcher, rng, nothing_shown)
            worlds += 1
    assert worlds > 5
    assert decisions > 10 * worlds


def test_the_holder_of_the_card_sees_the_difference() -> None:
    """Shows that `play_both` detects differences between two worlds."""
    game = make_game()
    start = next(m for seed in range(20) if other_world(m := Position(game, game.start(seed)).mapping, 1))
    changed = other_world(start, 1)
    assert changed
    with pytest.raises(AssertionError):
        play_both(position_of(game, start), position_of(game, changed), 1, np.random.default_rng(0), nothing_shown)
