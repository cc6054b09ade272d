"""Random games break no invariant, and each invariant detects states that violate it."""

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pytest
from tests.games.heimlich import invariants
from tests.games.heimlich.conftest import game_of
from tests.support.games import some_quick
from tests.support.random_games import broken_by, broken_in, play_games

from spygames.core.game.game import as_record
from spygames.core.playing.first_games import first_games
from spygames.heimlich.layout import CHOICE, GUESS, MOVE, OVER, ROUND, SAFE

States = np.ndarray


@pytest.mark.parametrize("games", [25, pytest.param(2000, marks=pytest.mark.slow)])
@pytest.mark.parametrize("options", some_quick(invariants.VARIANTS, (1, 3, 6)))
def test_random_games_break_no_invariant(options: dict[str, Any], games: int) -> None:
    played = play_games(game_of(**options), range(games))
    assert {name: rows.tolist() for name, rows in played.broken.items() if len(rows)} == {}
    assert (played.states["end_reason"] == 0).all()
    cards, predictions = bool(options.get("top_secret")), bool(options.get("secret_identities"))
    phases = {MOVE, SAFE, OVER} | ({ROUND, CHOICE} if cards else set()) | ({GUESS} if predictions else set())
    assert set(played.phases) == phases


@cache
def decisions(options: tuple[tuple[str, Any], ...]) -> tuple[States, States]:
    """States before and after each decision of a few random games, both [n]."""
    made = list(first_games(game_of(**dict(options)), np.arange(8, dtype=np.uint64)))[1:]
    before, after = zip(*((step.before, step.after) for step in made if step.before is not None), strict=True)
    return np.concatenate(before), np.concatenate(after)


def set_to(name: str, value: int, *where: int) -> Callable[[States], None]:
    """A change that writes a value into a field."""

    def corrupt(states: States) -> None:
        states[name][(slice(None), *where)] = value

    return corrupt


def add(name: str, value: int, *where: int) -> Callable[[States], None]:
    """A change that adds a value to a field."""

    def corrupt(states: States) -> None:
        states[name][(slice(None), *where)] += value

    return corrupt


def swap_without_owner(states: States) -> None:
    states["passports"][:, [0, 1]] = states["passports"][:, [1, 0]]


def arrive_elsewhere(states: States) -> None:
    states["arrived_by"][:, 0] = 1
    states["positions"][:, 0] = (states["safe"] + 1) % 12


def predict_twice(states: States) -> None:
    states["guesses"][:, 0] = invariants.FIRST_OWNER + 1


THREE: dict[str, Any] = {"players": 3}
FULL = invariants.VARIANTS[-1]
BROKEN: list[tuple[str, dict[str, Any], int, Callable[[States], None]]] = [
    ("places", THREE, MOVE, set_to("positions", 12, 0)),
    ("places", THREE, MOVE, set_to("positions", 1, 6)),
    ("places", THREE, MOVE, set_to("safe", -1)),
    ("tokens", THREE, MOVE, set_to("scores", -1, 2)),
    ("tokens", THREE, MOVE, set_to("scores", 42, 2)),
    ("tokens", THREE, OVER, set_to("scores", 41)),
    ("passports", THREE, MOVE, swap_without_owner),
    ("passports", THREE, MOVE, set_to("passports", 6, 0)),
    ("passports", THREE, MOVE, set_to("owner", 0)),
    ("points", THREE, MOVE, add("points_left", 1)),
    ("points", THREE, SAFE, add("points_left", 1)),
    ("points", THREE, SAFE, set_to("moved", 0)),
    ("order", THREE, SAFE, add("next_agent", -1)),
    ("order", THREE, SAFE, set_to("moved", 0)),
    ("arrivals", THREE, SAFE, set_to("arrived_by", 1, 0)),
    ("arrivals", FULL, ROUND, arrive_elsewhere),
    ("cards", THREE, MOVE, set_to("hand_sizes", 1, 0)),
    ("cards", FULL, ROUND, add("hands", 1, 0, 3)),
    ("cards", FULL, ROUND, add("deck_size", -1)),
    ("cards", FULL, CHOICE, add("used_size", -1)),
    ("cards", FULL, CHOICE, add("cards_played", 1, 2)),
    ("predictions", THREE, MOVE, set_to("guessed", 1)),
    ("predictions", FULL, GUESS, set_to("scores", 28)),
    ("predictions", FULL, GUESS, set_to("guessed", 1)),
    ("predictions", FULL, OVER, predict_twice),
    ("public_record", THREE, SAFE, add("times", 700, 0, 0)),
    ("public_record", THREE, SAFE, add("gains", 1, 0, 0)),
    ("public_record", THREE, SAFE, add("turn", 300)),
    ("public_record", FULL, SAFE, add("points", 3000, 0, 0)),
    ("whose_decision", THREE, MOVE, add("to_move", 1)),
    ("whose_decision", FULL, ROUND, set_to("hand_sizes", 0)),
    ("whose_decision", FULL, ROUND, set_to("pending", 3)),
    ("whose_decision", FULL, MOVE, set_to("passes", 1)),
]  # fmt: skip


def found_by(before: States, after: States) -> dict[str, np.ndarray]:
    return broken_in(invariants, after) | broken_by(invariants, before, after)


@pytest.mark.parametrize(("name", "options", "phase", "corrupt"), BROKEN)
def test_a_wrong_state_is_found(
    name: str, options: dict[str, Any], phase: int, corrupt: Callable[[States], None]
) -> None:
    before, after = decisions(tuple(options.items()))
    there = after["phase"] == phase
    before, after = before[there], after[there]
    assert len(after)
    assert not any(wrong.any() for wrong in found_by(before, after).values())
    corrupt(after)
    assert found_by(before, after)[name].all()


BROKEN_DECISIONS: list[tuple[str, dict[str, Any], int, Callable[[States], None]]] = [
    ("turns_go_left", THREE, MOVE, add("turn", 1)),
    ("turns_go_left", THREE, SAFE, add("active", 1)),
    ("only_movers_move", THREE, MOVE, add("safe", 1)),
    ("only_movers_move", THREE, MOVE, add("positions", 6)),
    ("only_movers_move", THREE, SAFE, add("positions", 1, 0)),
    ("only_movers_move", FULL, GUESS, add("positions", 1, 2)),
    ("tokens_move_by_scorings", THREE, SAFE, add("scores", 1, 0)),
    ("tokens_move_by_scorings", THREE, MOVE, add("scores", 1)),
    ("tokens_move_by_scorings", FULL, CHOICE, add("scores", 2, 4)),
    ("nothing_comes_back", THREE, SAFE, add("times", -1)),
    ("nothing_comes_back", FULL, ROUND, add("deck_size", 1)),
    ("nothing_comes_back", FULL, CHOICE, add("used_size", -9)),
    ("nothing_comes_back", FULL, GUESS, add("scorings", -1)),
    ("identities_stay", THREE, MOVE, add("passports", 1, 0)),
    ("identities_stay", FULL, ROUND, add("swapped", 1)),
]


@pytest.mark.parametrize(("name", "options", "phase", "corrupt"), BROKEN_DECISIONS)
def test_a_wrong_decision_is_found(
    name: str, options: dict[str, Any], phase: int, corrupt: Callable[[States], None]
) -> None:
    """The state after a decision in the phase is corrupted; it may still be a possible state."""
    before, after = decisions(tuple(options.items()))
    there = before["phase"] == phase
    before, after = before[there], after[there].copy()
    assert not any(wrong.any() for wrong in broken_by(invariants, before, after).values())
    corrupt(after)
    assert broken_by(invariants, before, after)[name].all()


def test_wrong_results_are_found() -> None:
    """HC-37: winners follow from tokens and passports."""
    _, after = decisions(tuple(THREE.items()))
    over = after[after["phase"] == OVER]
    results = np.zeros((len(over), 3), np.float32)
    for k in range(len(over)):
        game_of(**THREE).returns(as_record(over, k), results[k])
    assert np.allclose(results, invariants.due(over), atol=1e-6)
    assert (over["winners"] > 0).any()
    over["scores"] = over["scores"][:, ::-1]
    assert not np.allclose(results, invariants.due(over), atol=1e-6)


def test_every_invariant_has_a_violation() -> None:
    every = {holds.__name__ for holds in (*invariants.OF_STATE, *invariants.OF_DECISION)}
    assert {name for name, *_ in (*BROKEN, *BROKEN_DECISIONS)} == every
