"""Games laid out for a GPU; tests/gpu runs them."""

import importlib.util

import numpy as np
import pytest

import spygames
from spygames.core.gpu.device import DeviceGames, GameArrays, current_gpu, kernel_arguments
from spygames.core.gpu.ptx import LAYOUTS, Layout
from spygames.core.playing.batch import Batch
from tests.poker import kuhn


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_layout_holds_the_games_of_a_batch(layout: Layout) -> None:
    batch = Batch(spygames.make_game("agent_avenue_v0"), 64, seed=4, threads=1)
    for _ in range(40):
        batch.step(batch.mask.argmax(1))
    assert batch.rewards.any() or batch.done.any() or batch.serial.max()
    arrays = GameArrays(batch.game, batch.states, batch.seeds, layout)
    across = layout != "rows"
    for array, rows in (
        (arrays.observation, batch.observation),
        (arrays.allowed, batch.mask),
        (arrays.rewards, batch.rewards),
    ):
        array[:] = rows.T if across else rows
    arrays.done[:] = batch.done
    for name, array in arrays.as_rows().items():
        assert array.tobytes() == getattr(batch, name).tobytes(), name
    shapes = [array.shape for array in arrays.arguments(np.zeros(64, np.int64))]
    assert shapes[-3:-1] == ([(batch.mask.shape[1], 64), (2, 64)] if across else [batch.mask.shape, (64, 2)])


def test_an_array_is_passed_as_eight_byte_words() -> None:
    array = np.zeros((3, 4), np.float32)
    assert kernel_arguments([array], [4096]).tolist() == [0, 0, 12, 4, 4096, 3, 4, 16, 4]


def test_a_number_of_games_that_fills_no_warp_is_refused() -> None:
    batch = Batch(kuhn.make_game(), 33, seed=4, threads=1)
    with pytest.raises(ValueError, match="multiple of 32, not 33"):
        GameArrays(batch.game, batch.states, batch.seeds, "lanes")


def test_without_numba_cuda_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    batch = Batch(kuhn.make_game(), 32, seed=4, threads=1)
    with pytest.raises(ModuleNotFoundError, match=r"pip install 'spygames\[gpu\]'"):
        current_gpu()
    with pytest.raises(ModuleNotFoundError, match=r"pip install 'spygames\[gpu\]'"):
        DeviceGames(batch.game, batch.states, batch.seeds, batch.mask)
