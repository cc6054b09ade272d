"""Every variant of every game passes every check of `spygames.testing`, and its invariants reject wrong states."""

from collections.abc import Iterator
from typing import Any

import pytest

from spygames.core.envs.entry_points import entry_points
from spygames.core.game.game import ImpossibleState, as_record
from spygames.core.game.registry import game_module
from spygames.testing import CHECKS, ContractError, check_game
from spygames.testing.hidden import differing
from spygames.testing.playing import reads_back
from spygames.testing.transcript import compare_with_interpreted
from spygames.testing.trial import Trial, play, uniform_choice
from tests.support.games import VARIANTS, Variant, holds, parameter

every_variant = pytest.mark.parametrize("variant", [parameter(variant) for variant in VARIANTS])
GAMES = sorted({variant.game_id for variant in VARIANTS})
ONE_BY_ONE = [name for name in CHECKS if name != "interpreted"]
QUICK_EFFORT = 0.4
"""Of `check_game` in `make test`."""
LONG_STEPS = 200
"""Decisions of the one variant that is followed over its ends interpreted."""


def is_first(variant: Variant) -> bool:
    """Whether the variant is the first of its game in `make test`."""
    return variant == next(each for each in VARIANTS if each.game_id == variant.game_id and each.quick)


def promises() -> Iterator[Any]:
    """Test parameters: each quick variant with each check, and each variant with all checks.

    Bots take longest to compile, so `make test` checks the bots of only one variant of each game.
    """
    for variant in VARIANTS:
        for check in ONE_BY_ONE:
            if variant.quick and (check != "bots" or is_first(variant)):
                yield pytest.param(variant, [check], QUICK_EFFORT, id=f"{variant}-{check}")
        yield pytest.param(variant, ONE_BY_ONE, variant.effort, id=f"{variant}-long", marks=pytest.mark.slow)


@pytest.mark.parametrize(("variant", "checks", "effort"), list(promises()))
def test_passes(variant: Variant, checks: list[str], effort: float) -> None:
    game = variant.make_game()
    report = check_game(game, effort=effort, checks=checks, invariants=holds(game))
    assert not report.notes
    optional = {"strata": game.determinize_stratum, "rewinds": game.rewind, "parts": game.view_parts,
                "questions": game.questions, "known": game.is_known}  # fmt: skip
    assert set(report.skipped) == {check for check, part in optional.items() if part is None and check in checks}


@pytest.mark.parametrize("game_id", GAMES)
@pytest.mark.parametrize("every", [False, pytest.param(True, marks=pytest.mark.slow)], ids=["some", "all"])
def test_compiled_and_interpreted_kernels_agree(game_id: str, every: bool) -> None:
    """All variants of a game share one interpreted process, because starting it takes most of the time."""
    chosen = [v for v in VARIANTS if v.game_id == game_id and (every or v.quick)]
    compare_with_interpreted(
        [Trial(v.make_game(), "interpreted", effort=v.effort, bots=every or is_first(v)) for v in chosen]
    )


def test_compiled_and_interpreted_kernels_agree_in_whole_games() -> None:
    """This includes ends of games, the environment and the batch."""
    game = game_module("agent_avenue_v0").make_game()
    compare_with_interpreted([Trial(game, "interpreted", effort=0.25)], steps=LONG_STEPS)


@every_variant
def test_determinized_states_differ_often(variant: Variant) -> None:
    assert differing(variant.make_game(), seats=1) >= 10


@pytest.mark.parametrize("game_id", GAMES)
def test_entry_points_make_the_game(game_id: str) -> None:
    make = game_module(game_id).make_game
    entries: tuple[Any, ...] = entry_points(make)
    options: dict[str, Any] = dict(next(v for v in VARIANTS if v.game_id == game_id).options)
    for entry in entries:
        assert entry(**options).unwrapped.game == make(**options)


@every_variant
def test_invariants_find_wrong_states(variant: Variant) -> None:
    """Most states with one flipped bit are found."""
    game = variant.make_game()
    trial, check = Trial(game, "mapping"), holds(game)
    start = play(game, 3, uniform_choice(3), 1)
    places = range(8, start.itemsize, start.itemsize // 400 | 1)  # an odd stride also reaches high bytes of numbers
    caught = 0
    for byte in places:
        states = start.copy()
        states.view("u1")[byte] ^= 1
        try:
            check(as_record(states))
            reads_back(trial, states)
        except (AssertionError, ContractError, ImpossibleState, LookupError):
            caught += 1
    assert caught > 0.5 * len(places)
