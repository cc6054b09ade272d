"""Games in a GPU's memory do what a `Batch` does: in the emulator, and on a GPU if there is one.

`make test-gpu-code` runs this with the packages that it needs.
"""

import ctypes
import importlib
import os
from collections.abc import Callable
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from spygames.core.game.game import Game
from spygames.core.game.rng import random_action
from spygames.core.gpu import device
from spygames.core.gpu.device import DeviceGames
from spygames.core.gpu.ptx import LAYOUTS, Layout
from spygames.core.playing.batch import Batch
from tests.gpu.emulator import HAS_GCC, THREADS, Emulator
from tests.gpu.test_gpu_code import VARIANTS, assert_is, game_of
from tests.poker import kuhn, leduc

pytest.importorskip("numba_cuda", reason="numba-cuda is not installed: make test-gpu-code")

STEPS = 200
"""Steps on a real GPU."""

each_layout = pytest.mark.parametrize("layout", LAYOUTS)


def has_gpu() -> bool:
    cuda: Any = importlib.import_module("numba.cuda")
    return bool(cuda.is_available())


class Memory:
    """An array of an emulated GPU."""

    def __init__(self, allocated: list[np.ndarray], array: np.ndarray) -> None:
        self.array = array.copy()
        allocated.append(self.array)
        self.__cuda_array_interface__ = {"data": (self.array.ctypes.data, False)}

    def copy_to_host(self) -> np.ndarray:
        return self.array.copy()


class Driver:
    """The calls of the CUDA driver that are used, answered by the emulator."""

    def __init__(self, folder: Path, allocated: list[np.ndarray]) -> None:
        self.folder, self.allocated = folder, allocated

    def cuModuleLoadData(self, image: int) -> tuple[int, Emulator]:  # noqa: N802
        return 0, Emulator(ctypes.string_at(image).decode(), self.folder)

    def cuModuleGetFunction(self, module: Emulator, name: bytes) -> tuple[int, Emulator]:  # noqa: N802
        return (0, module) if name.decode() == module.program.entry.name else (500, module)

    def cuLaunchKernel(self, function: Emulator, *arguments: Any) -> tuple[int]:  # noqa: N802
        blocks, threads, pointers = arguments[0], arguments[3], arguments[8]
        assert threads == THREADS
        k = len(function.program.entry.params)
        addresses = np.ctypeslib.as_array(ctypes.cast(pointers, ctypes.POINTER(ctypes.c_uint64)), (k,))
        values = [ctypes.c_uint64.from_address(int(at)).value for at in addresses]
        function.run(np.array(values, np.uint64), blocks * threads, self.allocated)
        return (0,)


@pytest.fixture
def emulated(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    allocated: list[np.ndarray] = []
    cuda = SimpleNamespace(
        current_context=lambda: None,
        is_available=lambda: True,
        get_current_device=lambda: SimpleNamespace(compute_capability=(8, 0), name=b"emulator"),
        to_device=partial(Memory, allocated),
        synchronize=lambda: None,
    )
    monkeypatch.setattr(device, "_cuda", lambda: (cuda, Driver(tmp_path, allocated)))


def play(games: DeviceGames, batch: Batch, steps: int, every: int) -> int:
    """Play both with the actions drawn by `games`, compare them, and return the number of games that ended."""
    ended = 0
    for step in range(1, steps + 1):
        games.choose()
        games.step()
        games.wait()
        batch.step(games.actions())
        ended += int(batch.done.sum())
        assert games.done().tobytes() == batch.done.tobytes()
        if step % every == 0:
            assert_is(games.as_rows(), batch)
    return ended


@each_layout
@pytest.mark.skipif(not HAS_GCC, reason="the emulator needs gcc")
@pytest.mark.usefixtures("emulated")
def test_games_on_an_emulated_gpu_are_those_of_a_batch(layout: Layout) -> None:
    batch = Batch(game_of("agent_avenue_simple"), THREADS, seed=4, threads=1)
    games = DeviceGames(batch.game, batch.states, batch.seeds, batch.mask, layout, seed=8)
    assert play(games, batch, 60, 1) > THREADS


@each_layout
@pytest.mark.skipif(not HAS_GCC, reason="the emulator needs gcc")
@pytest.mark.usefixtures("emulated")
def test_poker_on_an_emulated_gpu_is_that_of_a_batch(layout: Layout) -> None:
    batch = Batch(kuhn.make_game(), THREADS, seed=4, threads=1)
    games = DeviceGames(batch.game, batch.states, batch.seeds, batch.mask, layout, seed=8)
    assert play(games, batch, 20, 1) > THREADS


@pytest.mark.skipif(not HAS_GCC, reason="the emulator needs gcc")
@pytest.mark.usefixtures("emulated")
def test_actions_are_drawn_as_on_the_cpu() -> None:
    batch = Batch(kuhn.make_game(), THREADS, seed=4, threads=1)
    games = DeviceGames(batch.game, batch.states, batch.seeds, batch.mask, seed=8)
    rng = device.streams(8, THREADS)
    drawn: set[int] = set()
    for _ in range(5):
        games.choose()
        actions = games.actions().tolist()
        assert actions == [random_action(mask, rng[i : i + 1]) for i, mask in enumerate(batch.mask)]
        drawn.update(actions)
    assert len(drawn) > 1


@pytest.mark.usefixtures("emulated")
def test_a_refusal_by_the_driver_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Driver, "cuModuleLoadData", lambda self, image: (218,))
    batch = Batch(kuhn.make_game(), THREADS, seed=4, threads=1)
    with pytest.raises(RuntimeError, match="cuModuleLoadData: 218"):
        DeviceGames(batch.game, batch.states, batch.seeds, batch.mask)


GAMES: dict[str, Callable[[], Game]] = {
    **{name: partial(game_of, name) for name in VARIANTS},
    "kuhn": kuhn.make_game,
    "leduc": leduc.make_game,
}


@each_layout
@pytest.mark.parametrize("name", GAMES)
def test_games_on_a_gpu_are_those_of_a_batch(name: str, layout: Layout) -> None:
    if not has_gpu():
        pytest.skip("no GPU")
    if (name, layout) == ("agent_dog", "lanes"):
        pytest.skip("ends with an illegal address on an NVIDIA H200, after which the process cannot use the GPU")
    workers = int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1"))
    batch = Batch(GAMES[name](), 65_536, seed=6, threads=max(1, (os.cpu_count() or 1) // workers))
    games = DeviceGames(batch.game, batch.states, batch.seeds, batch.mask, layout, seed=9)
    ended = play(games, batch, STEPS, 100)
    print(f"{name}, {layout}: {STEPS * batch.n:,} decisions, {ended:,} games ended")
    assert ended > batch.n
