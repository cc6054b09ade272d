"""The number of action sequences from fixed positions, by the kernels and by the slow reference."""

from collections.abc import Callable
from typing import Any

import pytest
from tests.games.agent_avenue.reference import Slow
from tests.support.counting import State, of_kernels, of_reference
from tests.support.position import Position

from spygames.agent_avenue import make_game

MIXED = {
    "0": ["double_agent", "enforcer", "sentinel", "mole"],
    "1": ["enforcer", "enforcer", "codebreaker", "saboteur"],
}
ALIKE = {"0": ["saboteur"] * 3 + ["mole"], "1": ["enforcer"] * 4}
SPENT = {"discarded": {"0": ["daredevil", "daredevil"]}}
"""Two discards are left: with four a turn goes in millions of ways."""
NONE_LEFT = {"discarded": {"0": ["daredevil"] * 4}}


def reference_counts(start: State, depth: int = 100) -> list[int]:
    return of_reference(start, lambda state: Slow(state).legal(), lambda state, text: Slow(state).act(text), depth)


def without_chance(mapping: State) -> State:
    return {key: value for key, value in mapping.items() if key not in ("rng", "record")}


@pytest.mark.rule("AA-8", "AA-10", "AA-12")
@pytest.mark.parametrize(
    ("parts", "counts"),
    [
        (NONE_LEFT | {"hands": MIXED}, [12, 24]),
        (NONE_LEFT | {"hands": ALIKE}, [2, 4]),
        (SPENT | {"hands": MIXED, "deck": ["enforcer", "daredevil"]}, [16, 67, 180, 240]),
        (NONE_LEFT | {"hands": MIXED, "active": 1, "face_up": "daredevil", "face_down": "sidekick"}, [2]),
    ],
)
def test_action_sequences_of_a_turn(
    at: Callable[..., Position], make_mapping: Callable[..., State], parts: State, counts: list[int]
) -> None:
    position = at(make_mapping(**parts))
    found = of_kernels(position)
    assert found == reference_counts(without_chance(position.mapping))
    assert found == counts


@pytest.mark.rule("AA-40", "AA-41", "AA-42")
@pytest.mark.parametrize(
    ("options", "counts"),
    [({"players": 3}, [2, 14, 94]), ({"mode": "advanced", "players": 4}, [2, 10, 54])],
)
def test_action_sequences_of_the_first_decisions(options: dict[str, Any], counts: list[int]) -> None:
    game = make_game(**options)
    position = Position(game, game.start(options["players"] - 2))
    assert of_kernels(position, 3) == reference_counts(without_chance(position.mapping), 3) == counts
