"""The number of action sequences from fixed positions, by the kernels and by the slow reference."""

import pytest

from tests.games.agent_dog import reference
from tests.games.agent_dog.conftest import make_mapping, position_at
from tests.support.counting import of_kernels, of_reference

LARGEST = 200
"""As many positions does the slow reference look at."""
HOME = [f"goal {i}" for i in range(4)]
OPEN = {"red": ["track 5", "track 60"], "blue": ["track 20"], "green": ["track 44"], "yellow": ["track 52"]}
FULL = {
    "red": ["track 62", "track 0", "goal 1", "goal 3"],
    "blue": ["track 16", "track 23", "goal 0"],
    "green": ["track 31", "track 39", "goal 2"],
    "yellow": ["track 63", "track 15", "track 22"],
}
CARDS = ["1/11", "13", "companion", "swap", "3"]


@pytest.mark.rule("AD-9", "AD-11", "AD-14", "AD-25", "AD-26", "AD-27", "AD-28")
@pytest.mark.parametrize(
    ("players", "pawns", "hidden", "counts"),
    [
        (4, OPEN, [], [7, 13, 9, 27, 81]),
        (4, FULL, [15, 23, 31, 39, 63], [6, 18, 67, 308, 1993, 552]),
        (4, OPEN | {"red": HOME}, [], [7, 9, 9, 27, 81]),
        (2, {"red": FULL["red"], "green": FULL["green"]}, [31, 39], [6, 14, 35, 170, 842]),
        (
            3,
            {"red": FULL["red"], "blue": FULL["blue"], "green": FULL["green"]},
            [23, 31, 39],
            [6, 18, 84, 656, 5392, 1104],
        ),
    ],
)
def test_action_sequences_of_a_turn(
    players: int, pawns: dict[str, list[str]], hidden: list[int], counts: list[int]
) -> None:
    hands = {"0": CARDS, "1": ["2", "5"], "2": ["3"]}
    position = position_at(
        make_mapping(pawns, {s: h for s, h in hands.items() if int(s) < players}, players, hidden=hidden)
    )
    assert of_kernels(position) == counts
    bare = {key: value for key, value in position.mapping.items() if key not in ("rng", "record")}
    depth = next((n for n in range(len(counts)) if sum(counts[: n + 1]) > LARGEST), len(counts))
    assert of_reference(bare | {"max_turns": 2000}, reference.legal, reference.act, depth) == counts[:depth]
