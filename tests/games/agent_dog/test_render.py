"""The text drawing: equal to recorded drawings, and in random play all that a seat may know and nothing else."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from spygames.core.game.game import NOBODY
from tests.games.agent_dog.conftest import Position, make_mapping, position_at

DRAWINGS = Path(__file__).parent / "drawings"
PAWNS = {
    "red": ["track 5", "track 39", "goal 3"],
    "blue": ["track 16", "track 23"],
    "green": ["track 32", "goal 1"],
    "yellow": ["track 7", "track 60"],
}
HANDS = {"0": ["2", "1/11", "companion"], "1": ["swap", "swap", "copy"], "2": ["13", "3"], "3": []}
PASSED = {"0": "13", "1": "9", "2": "companion", "3": "swap"}


def turn(**options: Any) -> Position:
    """A card is to be played; there are hats, pawns in goals, and a player who is out."""
    discard, hidden = ["8", "5", "9"], [7, 23, 39]
    start = make_mapping(PAWNS, HANDS, 4, discard, hidden=hidden, passed=PASSED, out=[3], last_card="8", turn=9)
    return position_at(start, **options)


def swap() -> Position:
    """A copied swap has named its first pawn."""
    hands = HANDS | {"0": ["2", "copy", "companion"], "1": ["swap", "swap"]}
    start = make_mapping(PAWNS, hands, hidden=[7, 23, 39], passed=PASSED, last_card="swap")
    return position_at(start).act("card copy as swap", "swap track 23")


def companion() -> Position:
    """Two points are spent, and a hidden pawn is in the goal."""
    pawns = PAWNS | {"yellow": ["track 63", "track 60"], "red": ["track 5", "track 39"]}
    start = make_mapping(pawns, HANDS, hidden=[23, 39, 63], passed=PASSED)
    return position_at(start).act("card companion", "step track 63", "step track 0 into goal")


def meetings() -> Position:
    """Two meetings are due."""
    pawns = {"red": ["track 22"], "green": ["track 38"], "blue": ["track 50"], "yellow": ["track 57"]}
    steps = ("step track 22", "step track 38", "step track 23", "step track 39")
    return position_at(make_mapping(pawns, HANDS)).act("card companion", *steps)


def redraw() -> Position:
    """Two players; the seat to move has no playable card."""
    pawns = {"red": ["track 20"], "green": ["track 40", "goal 3"]}
    return position_at(make_mapping(pawns, {"0": ["swap", "copy"], "1": ["2"]}, 2, phase="redraw"))


def end() -> Position:
    """A team has won."""
    home = [f"goal {i}" for i in range(4)]
    pawns = PAWNS | {"red": home, "green": ["track 30", *home[1:]]}
    start = make_mapping(pawns, HANDS | {"0": ["3", "2"]}, hidden=[7, 23], passed=PASSED)
    return position_at(start).act("card 3", "from track 30 into goal")


def tracked() -> Position:
    """The position of `turn` with hidden_colours="tracked"."""
    return turn(hidden_colours="tracked")


@pytest.mark.rule("AD-24")
@pytest.mark.parametrize("viewer", [0, 2, NOBODY])
@pytest.mark.parametrize("make", [turn, swap, companion, meetings, redraw, end, tracked])
def test_recorded_drawings(make: Callable[[], Position], viewer: int) -> None:
    position = make()
    if viewer >= position.game.num_players:
        viewer = 1
    who = "nobody" if viewer == NOBODY else f"player_{viewer}"
    assert position.drawing(viewer) + "\n" == (DRAWINGS / f"{make.__name__}_{who}.txt").read_text()


@pytest.mark.rule("AD-6", "AD-24")
def test_drawings_hide_what_a_seat_cannot_know(fresh: Callable[..., Position]) -> None:
    """The drawing does not depend on hidden cards and colors under hats."""
    changed = 0
    for i, position in enumerate(random_play(fresh)):
        truth, seats = position.states.copy(), range(position.game.num_players)
        shown = [position.drawing(seat) for seat in seats]
        for seat in seats:
            position.game.determinize(position.s, seat, np.uint64(i))
            assert position.drawing(seat) == shown[seat]
            changed += position.drawing(seat - 1) != shown[seat - 1]
            position.states[:] = truth
    assert changed > 300, "the redrawn cards must differ for the test to mean anything"


def test_drawings_show_what_a_seat_knows(fresh: Callable[..., Position]) -> None:
    """Drawings show the own hand, visible pawns, and the pawns in areas and goals, in at most 80 columns."""
    for position in random_play(fresh):
        mapping, text = position.mapping, ""
        for seat in range(position.game.num_players):
            lines = position.drawing(seat).splitlines()
            assert max(map(len, lines)) <= 80
            assert all(line.isascii() and line == line.rstrip() for line in lines)
            text = " ".join(position.drawing(seat).split())
            hand = text.split("Your hand: ")[1].split(" player_")[0].split(" Deck:")[0].split(";")[0].removesuffix(",")
            cards = []
            for part in hand.removesuffix(" out of the round").removesuffix(",").split(", "):
                n, _, card = part.rpartition(" x ")
                cards += [card] * int(n or 1) if card != "none" else []
            assert cards == mapping["hands"][str(seat)]
            for colour, places in mapping["pawns"].items():
                row = next(line for line in lines if line.startswith(colour) and "start area" in line)
                assert f"start area {places.count('area')} " in row
                visible = sum(place.startswith("goal") and len(place) == 6 for place in places)
                assert row.split("goal")[1].count(colour[0]) == visible
        assert f"Deck: {len(mapping['deck'])} cards" in text
        assert f"a copy would copy {mapping['last_card'] or 'nothing'}" in text


def random_play(fresh: Callable[..., Position]) -> Any:
    """Positions of random games with each number of players."""
    rng = np.random.default_rng(2)
    for players in (2, 3, 4):
        position = fresh(players, players=players)
        for number in range(240):
            if position.s.to_move < 0:
                break
            if number % 4 == 0:
                yield position
            position.act(str(rng.choice(sorted(position.legal))))
