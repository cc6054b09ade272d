"""No hidden card or color leaks: the same game is played in two worlds that a seat cannot distinguish."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest

from tests.games.agent_dog.conftest import ORDER, game_of, make_mapping
from tests.support.position import Position, position_of
from tests.support.suites import slow_but
from tests.support.worlds import play_both

VARIANTS = [{"players": 2}, {"players": 3}, {"players": 4}, {"players": 4, "hidden_colours": "tracked"}]
PAWNS = {"red": ["track 7", "track 12"], "blue": ["track 21"], "green": ["track 39"], "yellow": ["track 23"]}
NUMBERS = ORDER[:9]


def other_hand(mapping: dict[str, Any], seat: int, one: str, two: str) -> dict[str, Any]:
    """The same position with card `one` of `seat` exchanged with card `two` of the deck."""
    hand = [*mapping["hands"][str(seat)]]
    hand[hand.index(one)] = two
    deck = [*mapping["deck"]]
    deck[len(deck) - 1 - deck[::-1].index(two)] = one
    hands = mapping["hands"] | {str(seat): sorted(hand, key=ORDER.index)}
    return mapping | {"hands": hands, "deck": deck}


@pytest.mark.rule("AD-6", "AD-24")
@pytest.mark.parametrize("options", slow_but(VARIANTS, 1, -1), ids=str)
def test_hands_are_hidden(options: dict[str, Any]) -> None:
    """Checked from the first exchange until the first round ends or a seat lays down its hand or redraws a card."""
    game, rng = game_of(options), np.random.default_rng(3)
    decisions = worlds = 0
    for seed in range(6):
        start = Position(game, game.start(seed)).mapping
        hider, watcher = rng.choice(game.num_players, 2, replace=False).tolist()
        held = [card for card in start["hands"][str(hider)] if card in NUMBERS]
        if not held:
            continue
        other = str(rng.choice([card for card in NUMBERS if card not in held]))
        changed = other_hand(start, hider, held[0], other)

        def goes_on(a: Mapping[str, Any], b: Mapping[str, Any]) -> bool:
            return not any(
                each["round"] or each["out"] or each["redrawn"] or each["phase"] == "redraw" for each in (a, b)
            )

        decisions += play_both(position_of(game, start), position_of(game, changed), watcher, rng, goes_on)
        worlds += 1
    assert worlds > 3
    assert decisions > 3 * worlds


def mapping_of(players: int, swapped: bool, hands: dict[str, list[str]]) -> dict[str, Any]:
    """Two pawns are hidden on holes, in one order or the other."""
    pawns = {colour: places for colour, places in PAWNS.items() if players == 4 or colour in ("red", "green")}
    if swapped:
        pawns = pawns | {"red": ["track 39", "track 12"], "green": ["track 7"]}
    return make_mapping(pawns, hands, players, hidden=[7, 23, 39] if players == 4 else [7, 39])


@pytest.mark.rule("AD-24", "AD-26")
@pytest.mark.parametrize("players", [2, 4])
def test_colors_under_hats_are_hidden(players: int) -> None:
    """Until a hat moves or a hand is laid down, nothing visible depends on the colors under hats, even after swaps."""
    game, rng = game_of({"players": players}), np.random.default_rng(4)
    decisions = 0
    hands = {str(seat): ["2", "3", "6", "swap", "companion"] for seat in range(players)}
    for _ in range(12):
        first, second = (position_of(game, mapping_of(players, swapped, hands)) for swapped in (False, True))

        def goes_on(a: Mapping[str, Any], b: Mapping[str, Any]) -> bool:
            return all(
                each["hidden"] == ([7, 23, 39] if players == 4 else [7, 39]) and not each["out"] for each in (a, b)
            )

        decisions += play_both(first, second, int(rng.integers(players)), rng, goes_on)
    assert decisions > 25


def test_tracked_colors_are_visible() -> None:
    """Shows that `play_both` detects differences: with tracked colors the worlds differ from the start."""
    game = game_of({"players": 4, "hidden_colours": "tracked"})
    worlds = [position_of(game, mapping_of(4, swapped, {"0": ["2", "3"]})) for swapped in (False, True)]
    with pytest.raises(AssertionError):
        play_both(worlds[0], worlds[1], 1, np.random.default_rng(0), lambda a, b: True)
