"""How many ways a turn can go from fixed positions, counted by the kernels; a change of rules changes these."""

import numpy as np
import pytest

from spygames.core.game import record
from tests.agent_dog.conftest import Table, make_position, table_at

HOME = [f"goal {i}" for i in range(4)]
OPEN = {"red": ["track 5", "track 60"], "blue": ["track 20"], "green": ["track 44"], "yellow": ["track 52"]}
FULL = {
    "red": ["track 62", "track 0", "goal 1", "goal 3"],
    "blue": ["track 16", "track 23", "goal 0"],
    "green": ["track 31", "track 39", "goal 2"],
    "yellow": ["track 63", "track 15", "track 22"],
}
CARDS = ["1/11", "13", "companion", "swap", "3"]


def turn_ways(table: Table) -> list[int]:
    """Sequences of 1, 2, ... decisions of the mover until its card is carried out."""
    counts, front = [], [table.states]
    while front:
        following = []
        for states in front:
            s = record(states)
            mask = np.zeros(table.game.num_actions, np.int8)
            table.game.legal(s, mask)
            for action in np.flatnonzero(mask):
                after = states.copy()
                table.game.apply(record(after), int(action))
                following.append(after)
        counts.append(len(following))
        front = [after for after in following if after["turn"][0] == table.s.turn and after["to_move"][0] >= 0]
    return counts


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
def test_ways_of_a_turn(players: int, pawns: dict[str, list[str]], hidden: list[int], counts: list[int]) -> None:
    hands = {"0": CARDS, "1": ["2", "5"], "2": ["3"]}
    table = table_at(make_position(pawns, {s: h for s, h in hands.items() if int(s) < players}, players, hidden=hidden))
    assert turn_ways(table) == counts
