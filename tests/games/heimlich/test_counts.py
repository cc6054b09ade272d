"""The number of action sequences from fixed positions, by the kernels and by the slow reference."""

from collections.abc import Callable
from typing import Any

import pytest
from tests.games.heimlich.reference import State, act, legal, without_chance
from tests.support.counting import of_kernels, of_reference
from tests.support.position import Position

BASE, TWO = {"players": 3}, {"players": 2}
CARDS = {"players": 3, "top_secret": True}
SECRET = {"players": 3, "secret_identities": True}
OLD = {"players": 3, "edition": "ravensburger"}
DEPTH = 6
DICE: State = {"die": 2}
"""The die of the next turn for the reference; no count gets there."""


@pytest.mark.rule("HC-9", "HC-10", "HC-11", "HC-15", "HC-25", "HC-32", "HC-33", "HC-36")
@pytest.mark.parametrize(
    ("options", "parts", "counts"),
    [
        (TWO, {"die": 4, "safe": 0}, [17, 48, 34, 5]),  # 70 splits of 4 points over 5
        (BASE, {"die": "1-3", "safe": 0}, [18, 57, 35]),
        (BASE, {"die": 2, "safe": 3}, [11, 26, 55]),
        (OLD, {"die": 2, "safe": 3}, [9, 18, 33]),
        (
            CARDS,
            {"die": 2, "moved": {"red": 2}, "phase": "cards", "hands": {"0": ["swap"], "2": ["off_safe"]}},
            [2, 7, 30, 30],
        ),
        (CARDS, {"die": "1-3", "safe": 0, "hands": {"1": ["move_safe"]}}, [19, 71, 198, 565, 528, 121]),
        (
            SECRET,
            {"phase": "guess", "guessing": [0, 1, 2], "scores": {"red": 30}},
            [3, 7, 13, 20, 20, 60],
        ),  # 5! / 3! ways to predict
    ],
)
def test_action_sequences_of_a_turn(
    at: Callable[..., Position], options: State, parts: State, counts: list[int]
) -> None:
    position = at(options, **parts)
    found = of_kernels(position, DEPTH)
    game_options: dict[str, Any] = dict(position.game.options)
    by_reference = of_reference(
        without_chance(position.mapping),
        lambda state: legal(state, game_options),
        lambda state, text: act(state, text, game_options, DICE),
        DEPTH,
    )
    assert found == by_reference
    assert found == counts
