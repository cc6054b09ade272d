"""Records across lanes: the kernels of every game give the same results as on plain records."""

from collections.abc import Callable
from itertools import chain
from typing import Any

import numpy as np
import pytest

from spygames import make_game
from spygames.core.game.game import Game
from spygames.core.game.registry import game_ids
from spygames.core.game.rng import next_seed
from spygames.core.gpu.records import blank_lane, cpu_lane, from_lanes, runs, to_lanes
from spygames.core.playing.batch import Batch
from spygames.testing.variants import VARIANTS
from tests.core.game.test_padding import RECORD
from tests.poker import kuhn, leduc

LANES = 8

init: Any = None
legal: Any = None
apply: Any = None
returns: Any = None
observe: Any = None
state_lane: Any = None
view_lane: Any = None
RUNS: Any = None


def _step_lanes(options, tiles, seeds, actions, views, mask, rewards, done):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN202
    """Step all games as a GPU does (spygames.core.gpu.ptx), in a loop."""
    for i in range(len(seeds)):
        tile, lane = tiles[i // LANES], i % LANES
        s = state_lane(tile, LANES, lane)
        apply(s, np.int64(actions[i]))
        over = s.to_move < 0
        done[i] = over
        returns(s, rewards[:, i])
        if over:
            seeds[i] = next_seed(seeds[i])
            blank_lane(tile, RUNS, LANES, lane)
            init(s, options[0], seeds[i])
        legal(s, mask[:, i])
        observe(s, np.int64(s.to_move), view_lane(views, len(seeds), i))


def loop(game: Game) -> Callable[..., None]:
    return game.bind(
        _step_lanes,
        state_lane=cpu_lane(game.state_dtype),
        view_lane=cpu_lane(game.view_dtype),
        RUNS=runs(game.state_dtype),
    )


def test_each_field_of_a_tile_is_stored_across_its_lanes() -> None:
    records = np.zeros(8, RECORD)
    records["wide"] = np.arange(8)
    records["small"][:, 1, 0] = np.arange(8) * 3
    records["inner"]["count"][:, 1] = -np.arange(8)
    tiles = to_lanes(records, 4)
    assert tiles.shape == (2, 4 * RECORD.itemsize)
    np.testing.assert_array_equal(tiles[0, :32].view(np.uint64), [0, 1, 2, 3])
    fields = RECORD.fields or {}
    at = 4 * (fields["small"][1] + 4)
    np.testing.assert_array_equal(tiles[1, at : at + 8].view(np.int16), [12, 15, 18, 21])
    at = 4 * (fields["inner"][1] + 8)
    np.testing.assert_array_equal(tiles[1, at : at + 16].view(np.int32), [-4, -5, -6, -7])
    assert from_lanes(RECORD, tiles, 4).tobytes() == records.tobytes()


def test_adjacent_fields_of_one_size_form_a_run() -> None:
    assert runs(np.dtype([("a", np.int8, (2, 3)), ("b", np.int8), ("c", np.int16)])).tolist() == [[0, 1, 7], [7, 2, 1]]
    assert runs(RECORD).tolist()[:3] == [[0, 8, 1], [8, 4, 1], [12, 1, 4]]


def test_blanking_one_lane_keeps_the_others() -> None:
    rng = np.random.default_rng(0)
    records = rng.integers(0, 256, 8 * RECORD.itemsize, np.uint8).view(RECORD)
    tiles = to_lanes(records, 4)
    blank_lane(tiles[1], runs(RECORD), 4, 2)
    records[6] = np.zeros(1, RECORD)[0]
    records["padding"][6] = records["inner"]["padding"][6] = 0
    assert from_lanes(RECORD, tiles, 4).tobytes() == records.tobytes()


def play_both(game: Game, n: int, steps: int) -> int:
    """Step a batch and tiles and compare everything that they write, for at least `steps` steps and until a game has
    ended; return the number of finished games."""
    batch, rng, step, ended = Batch(game, n, seed=3, threads=1), np.random.default_rng(0), loop(game), 0
    tiles, seeds, done = to_lanes(batch.states, LANES), batch.seeds.copy(), np.zeros(n, np.bool_)
    views = np.zeros((game.num_features, n), np.float32)
    mask, rewards = np.zeros((game.num_actions, n), np.int8), np.zeros((game.num_players, n), np.float32)
    for step_number in range(20 * steps):
        if step_number >= steps and ended:
            break
        actions = (batch.mask * rng.random(batch.mask.shape)).argmax(1)
        step(game.packed, tiles, seeds, actions, views.reshape(-1).view(np.uint8), mask, rewards, done)
        batch.step(actions)
        ended += int(batch.done.sum())
        assert from_lanes(game.state_dtype, tiles, LANES).tobytes() == batch.states.tobytes()
        assert views.T.tobytes() == batch.observation.tobytes()
        for one, other in ((mask.T, batch.mask), (rewards.T, batch.rewards), (done, batch.done), (seeds, batch.seeds)):
            np.testing.assert_array_equal(one, other)
    return ended


@pytest.mark.parametrize("module", [kuhn, leduc])
def test_small_games_equal_a_batch(module: Any) -> None:
    assert play_both(module.make_game(), 64, 60) > 100


@pytest.mark.slow
@pytest.mark.parametrize("game_id", game_ids())
def test_games_equal_a_batch(game_id: str) -> None:
    for options in chain(*VARIANTS[game_id]):
        assert play_both(make_game(game_id, **options), 256, 150) > 0
