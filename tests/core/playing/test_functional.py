"""Games as functions give the same bytes as a batch, and change nothing of what they are given."""

from dataclasses import replace

import numpy as np
import pytest

from spygames.core.compiling.kernel import Record, kernel
from spygames.core.game.game import Game
from spygames.core.playing.batch import Batch
from spygames.core.playing.functional import FunctionalGame, FunctionalRows
from tests.poker import kuhn, leduc
from tests.support.games import VARIANTS, Variant
from tests.support.two_worlds import SHOWN, leaky, told


def step(functions: FunctionalGame, rows: FunctionalRows, actions: np.ndarray) -> FunctionalRows:
    """Step, and check that the arguments keep their bytes."""
    arguments = (rows.memory, rows.seeds, rows.seats, rows.terminated, rows.truncated, actions)
    before = [array.tobytes() for array in arguments]
    for array in arguments:
        array.setflags(write=False)  # JAX passes arrays like these
    after = functions.step(*arguments)
    assert [array.tobytes() for array in arguments] == before
    return after


def some_legal(mask: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    return (rng.random(mask.shape) * mask).argmax(1)


def play_to_the_end(functions: FunctionalGame, rows: FunctionalRows) -> FunctionalRows:
    rng = np.random.default_rng(3)
    while not (rows.terminated | rows.truncated).all():
        rows = step(functions, rows, some_legal(rows.mask, rng))
    return rows


@pytest.mark.parametrize("poker", [kuhn, leduc])
def test_restarting_games_are_those_of_a_batch(poker: object) -> None:
    game: Game = poker.make_game()  # type: ignore[attr-defined]
    batch, functions, rng = (
        Batch(game, 50, seed=1, threads=1),
        FunctionalGame(game, restarts=True),
        np.random.default_rng(2),
    )
    rows, ended = functions.begin(batch.seeds), 0
    for _ in range(60):
        assert rows.memory.tobytes() == batch.states.tobytes()
        assert np.array_equal(rows.seeds, batch.seeds)
        assert np.array_equal(rows.observation, batch.observation)
        assert np.array_equal(rows.mask, batch.mask == 1)
        assert np.array_equal(rows.seats, batch.seats)
        assert np.array_equal(rows.rewards, batch.rewards)
        assert np.array_equal(rows.terminated, batch.done)
        assert not rows.truncated.any()
        actions = some_legal(batch.mask, rng)
        batch.step(actions)
        rows = step(functions, rows, actions)
        ended += int(batch.done.sum())
    assert ended > 100


def test_a_game_that_is_over_does_not_change() -> None:
    game = kuhn.make_game()
    functions = FunctionalGame(game, restarts=False)
    over = play_to_the_end(functions, functions.begin(np.arange(30, dtype=np.uint64)))
    assert over.terminated.all()
    assert over.mask.all()
    again = step(functions, over, np.arange(30) - 10)
    assert not again.rewards.any()
    for name in ("memory", "seeds", "seats", "observation", "mask", "terminated", "truncated"):
        assert np.array_equal(getattr(again, name), getattr(over, name)), name


@pytest.mark.parametrize("restarts", [False, True])
def test_an_illegal_action_ends_the_game_with_the_lowest_result(restarts: bool) -> None:
    game = kuhn.make_game()
    functions = FunctionalGame(game, restarts)
    rows = functions.begin(np.arange(4, dtype=np.uint64))
    rows = step(functions, rows, rows.mask.argmax(1))
    wrong = np.array([-1, game.num_actions, np.iinfo(np.int64).min, rows.mask[3].argmax()])
    after = step(functions, rows, wrong)
    assert after.terminated[:3].all()
    for i in range(3):
        loses = np.zeros(game.num_players, np.float32)
        loses[rows.seats[i]] = game.lowest_return
        assert np.array_equal(after.rewards[i], loses)
        if restarts:
            assert after.seeds[i] != rows.seeds[i]
        else:
            assert np.array_equal(after.memory[i], rows.memory[i])
            assert np.array_equal(after.observation[i], rows.observation[i])
            assert after.seats[i] == rows.seats[i]
            assert after.mask[i].all()


@kernel
def always(s: Record) -> bool:
    return True


def test_a_game_that_is_cut_off_is_truncated_and_not_terminated() -> None:
    functions = FunctionalGame(replace(kuhn.make_game(), truncated=always), restarts=False)
    rows = play_to_the_end(functions, functions.begin(np.arange(5, dtype=np.uint64)))
    assert rows.truncated.all()
    assert not rows.terminated.any()
    assert np.array_equal(step(functions, rows, np.zeros(5, np.int64)).memory, rows.memory)


def test_a_restarted_game_tells_that_the_old_one_was_cut_off() -> None:
    functions = FunctionalGame(replace(kuhn.make_game(), truncated=always), restarts=True)
    seeds = np.arange(5, dtype=np.uint64)
    rows = functions.begin(seeds)
    assert not np.shares_memory(rows.seeds, seeds)
    for _ in range(2):
        rows = step(functions, rows, np.full(5, kuhn.PASS))
    assert rows.truncated.all()
    assert not rows.terminated.any()
    assert not (rows.seeds == seeds).any()


# Hidden information

QUICK = [variant for variant in VARIANTS if variant.quick and not variant.game_id.startswith("tests.")]


@pytest.mark.parametrize(
    "variant", [QUICK[0], *(pytest.param(each, marks=pytest.mark.slow) for each in QUICK[1:])], ids=str
)
def test_steps_show_a_seat_nothing_that_it_cannot_know(variant: Variant) -> None:
    game = variant.make_game()
    functions = FunctionalGame(game, restarts=False)
    compared, moved, found = told(game, lambda *games: functions.step(*games)._asdict())
    assert not found
    assert compared > 40
    assert moved > 5


@pytest.mark.parametrize("name", SHOWN)
def test_planted_leaks_of_steps_are_found(name: str) -> None:
    game = QUICK[0].make_game()
    functions = FunctionalGame(game, restarts=False)
    assert told(game, lambda *games: functions.step(*games)._asdict(), games=6, show=leaky(name))[2] == {name}
