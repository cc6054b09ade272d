"""Random games break no invariant, and each invariant detects states that violate it."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from spygames.agent_dog.board import GOAL
from spygames.agent_dog.layout import EXCHANGE, HAT, MEETING, STEP, SWAPPING
from tests.games.agent_dog import invariants
from tests.games.agent_dog.conftest import Position, fresh_position, game_of, make_mapping, position_at
from tests.support.games import some_quick
from tests.support.random_games import broken_by, broken_in, play_games

PAWNS = {"red": ["track 5", "track 11"], "blue": ["track 19"], "green": ["track 50"], "yellow": ["track 57"]}
HANDS = {str(seat): ["2", "3", "5", "6", "companion"] for seat in range(4)}
PASSED = dict.fromkeys(HANDS, "2")


@pytest.mark.rule("AD-2", "AD-5", "AD-7", "AD-19", "AD-21", "AD-32", "AD-37", "AD-38")
@pytest.mark.parametrize("games", [8, pytest.param(300, marks=pytest.mark.slow)])
@pytest.mark.parametrize("options", some_quick(invariants.VARIANTS, (1, 3)))
def test_random_games_break_no_invariant(options: dict[str, Any], games: int) -> None:
    played = play_games(game_of(options), range(games))
    assert {name: rows.tolist() for name, rows in played.broken.items() if len(rows)} == {}
    assert played.decisions.sum() > 170 * games
    assert set(played.phases) >= set(range(6)) - {MEETING}
    assert (played.states["end_reason"] >= 0).all()


def answers(s: np.ndarray, before: np.ndarray | None = None) -> dict[str, np.ndarray]:
    """Whether each invariant holds, bool [n] by name."""
    broken = broken_in(invariants, s) | ({} if before is None else broken_by(invariants, before, s))
    return {name: ~wrong for name, wrong in broken.items()}


def position() -> Position:
    """A position in which a card is to be played and two pawns wear hats."""
    return position_at(make_mapping(PAWNS, HANDS, hidden=[11, 19], passed=PASSED))


def companion() -> Position:
    return position().act("card companion", "step track 5")


def swapping() -> Position:
    hands = HANDS | {"0": ["2", "3", "5", "6", "swap"]}
    return position_at(make_mapping(PAWNS, hands, hidden=[11, 19], passed=PASSED)).act("card swap")


def exchange() -> Position:
    return fresh_position(3)


def over() -> Position:
    home = [f"goal {i}" for i in range(4)]
    pawns = {"red": home, "green": ["track 31", *home[1:]], "blue": ["track 40"], "yellow": ["track 57"]}
    hands = HANDS | {"0": ["2", "3", "5", "6", "companion"]}
    return position_at(make_mapping(pawns, hands, passed=PASSED, hidden=[31])).act("card 2", "from track 31 into goal")


def put(name: str, *index: Any) -> Callable[[np.ndarray], None]:
    """A change of a field or one of its entries: `put("area", 0, 2)` sets area[0] = 2."""
    *at, value = index

    def change(states: np.ndarray) -> None:
        states[name][(0, *at)] = value

    return change


WRONG: list[tuple[str, Callable[[], Position], Callable[[np.ndarray], None]]] = [
    ("pawns_conserved", position, put("area", 0, 1)),
    ("pawns_conserved", position, put("board", 20, 2)),
    ("hats_on_holes", position, put("board", 11, 0)),
    ("hats_on_holes", position, put("board", 5, HAT)),
    ("hats_on_holes", companion, put("board", GOAL + 4, HAT)),
    ("goals_hold_their_colour", position, put("board", GOAL + 1, 2)),
    ("cards_conserved", position, put("hands", 0, 0, 2)),
    ("cards_conserved", exchange, put("passed", 1, 3)),
    ("piles_fit_their_sizes", position, put("deck_size", 3)),
    ("piles_fit_their_sizes", position, put("discarded", 3, 1)),
    ("hands_fit_the_round", position, put("lost", 0, 3, 1)),
    ("hands_fit_the_round", exchange, put("lost", 0, 3, 1)),
    ("out_holds_nothing", position, put("out", 2, 1)),
    ("passed_cards_arrived", position, put("passed", 0, 8)),
    ("passed_cards_arrived", exchange, put("passed", 0, 8)),
    ("seat_fits_phase", position, put("to_move", -1)),
    ("seat_fits_phase", position, put("hands", 0, 0)),
    ("seat_fits_phase", over, put("to_move", 0)),
    ("card_fits_phase", position, put("card", 2)),
    ("card_fits_phase", companion, put("function", 0)),
    ("card_fits_phase", companion, put("points", 0)),
    ("card_fits_phase", companion, put("moved", 30)),
    ("card_fits_phase", swapping, put("first", 5)),
    ("meetings_fit_phase", companion, put("meetings", 1)),
    ("meetings_fit_phase", position, put("penalty", 1)),
    ("last_card_fits", position, put("last_card", 12)),
    ("last_card_fits", exchange, put("last_card", 2)),
    ("redrawn_fits", position, put("redrawn", 1)),
    ("end_fits", position, put("cards_played", 2000)),
    ("end_fits", over, put("winners", 2)),
    ("end_fits", over, put("end_reason", 1)),
    ("end_fits", over, put("phase", 1)),
    ("counters_fit", position, put("cards_played", 5)),
]


@pytest.mark.parametrize(("name", "make", "change"), WRONG, ids=[f"{n}-{i}" for i, (n, *_) in enumerate(WRONG)])
def test_each_wrong_state_is_found(
    name: str, make: Callable[[], Position], change: Callable[[np.ndarray], None]
) -> None:
    states = make().states
    assert {key: bool(holds[0]) for key, holds in answers(states).items() if not holds[0]} == {}
    change(states)
    assert not answers(states)[name][0]


def move_back(states: np.ndarray) -> None:
    states["board"][0, GOAL], states["board"][0, GOAL + 1] = 0, -1


def undress(states: np.ndarray) -> None:
    states["board"][0, 11] = 0


WRONG_DECISIONS: list[tuple[str, Callable[[], Position], Callable[[np.ndarray], None]]] = [
    ("options_stay", position, lambda states: states["options"].__setitem__("tracked", 1)),
    ("goals_only_fill", over, move_back),
    ("turns_go_on", position, put("turn", 2)),
    ("turns_go_on", position, put("cards_played", 1)),
    ("turns_go_on", position, put("dealer", 1)),
    ("turns_go_on", companion, put("to_move", 1)),
    ("swaps_change_colours_alone", swapping, undress),
]


@pytest.mark.parametrize(
    ("name", "make", "change"), WRONG_DECISIONS, ids=[f"{n}-{i}" for i, (n, *_) in enumerate(WRONG_DECISIONS)]
)
def test_each_wrong_decision_is_found(
    name: str, make: Callable[[], Position], change: Callable[[np.ndarray], None]
) -> None:
    states = make().states
    before = states.copy()
    if name == "goals_only_fill":
        before["board"][0, GOAL : GOAL + 4] = [-1, 0, 0, 0]
        states["board"][0, GOAL : GOAL + 4] = [-1, 0, 0, 0]
    assert answers(states, before)[name][0]
    change(states)
    assert not answers(states, before)[name][0]


def test_every_invariant_has_a_violation() -> None:
    """The positions of the violations also cover the phases that the invariants refer to."""
    tried = {name for name, *_ in (*WRONG, *WRONG_DECISIONS)}
    assert tried == {holds.__name__ for holds in (*invariants.OF_STATE, *invariants.OF_DECISION)}
    assert [int(make().s.phase) for make in (exchange, companion, swapping)] == [EXCHANGE, STEP, SWAPPING]
