"""Games in the memory of a GPU, stepped and played at random there. Needs the extra `gpu` and a GPU."""

import importlib
import re
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, cast

import numpy as np

from spygames.core.game.game import Game
from spygames.core.game.rng import mix
from spygames.core.gpu.ptx import LANES, Layout, check_installed, choose_ptx, step_ptx
from spygames.core.gpu.records import from_lanes, to_lanes

THREADS = 128
"""Threads per block."""


def kernel_arguments(arrays: Sequence[np.ndarray], addresses: Sequence[int]) -> np.ndarray:
    """Return the parameters of a kernel for arrays at other addresses, uint64 [k].

    Numba passes an array as two pointers of the host (null here), its size, the size of an item, its address, its shape
    and its strides, each in 8 bytes.
    """
    parts = [(0, 0, a.size, a.itemsize, at, *a.shape, *a.strides) for a, at in zip(arrays, addresses, strict=True)]
    return np.array([value % 2**64 for part in parts for value in part], np.uint64)


def streams(seed: int, n: int) -> np.ndarray:
    """Return the random streams of n games, uint64 [n]."""
    return np.array([mix(np.uint64((seed + i) % 2**64)) for i in range(n)], np.uint64)


class Gpu(NamedTuple):
    """A GPU."""

    name: str
    capability: tuple[int, int]
    """Its compute capability, such as (9, 0)."""


def current_gpu() -> Gpu:
    """Return the current GPU.

    Raises:
        ModuleNotFoundError: numba-cuda is not installed.
        RuntimeError: there is no GPU.
    """
    cuda, _ = _cuda()
    if not cuda.is_available():
        raise RuntimeError("there is no GPU: numba-cuda finds none, or no driver")
    device = cuda.get_current_device()
    name = device.name.decode() if isinstance(device.name, bytes) else device.name
    return Gpu(name, tuple(device.compute_capability))


class GameArrays:
    """The arrays of n games in a layout (`spygames.core.gpu.ptx.Layout`), the arguments of the kernel of `step_ptx`.

    Args:
        game: the game.
        states: STATE [n]; n must be a multiple of LANES.
        seeds: uint64 [n].
        layout: the memory layout.
        allocate: returns zeroed memory, uint8 of the given size.

    Raises:
        ValueError: n is not a multiple of LANES.
    """

    def __init__(
        self,
        game: Game,
        states: np.ndarray,
        seeds: np.ndarray,
        layout: Layout,
        allocate: Callable[[int], np.ndarray] = lambda size: np.zeros(size, np.uint8),
    ) -> None:
        n, self.layout, self.dtype = len(states), layout, game.state_dtype
        if n % LANES:
            raise ValueError(f"the number of games must be a multiple of {LANES}, not {n}")
        across = layout != "rows"

        def shaped(memory: np.ndarray, dtype: Any, width: int) -> np.ndarray:
            return memory.view(dtype).reshape((width, n) if across else (n, width))

        self.states = allocate(n * self.dtype.itemsize)
        self.states[:] = (to_lanes(states, LANES) if layout == "lanes" else states.view(np.uint8)).ravel()
        self.views = allocate(n * game.num_features * 4)
        self.mask = allocate(n * game.num_actions)
        self.observation = shaped(self.views, np.float32, game.num_features)
        self.allowed = shaped(self.mask, np.int8, game.num_actions)
        self.rewards = shaped(allocate(n * game.num_players * 4), np.float32, game.num_players)
        self.done, self.seeds = allocate(n).view(np.bool_), seeds.copy()
        parts = (
            [self.states.reshape(n // LANES, -1)]
            if layout == "lanes"
            else [self.states.view(self.dtype), self.states.view(np.uint64).reshape(n, -1)]
        )
        views = self.views if across else self.views.view(game.view_dtype)
        self._before, self._after = [game.packed, *parts, self.seeds], [views, self.allowed, self.rewards, self.done]

    def arguments(self, actions: np.ndarray) -> list[np.ndarray]:
        """Return the arguments of a step with `actions`, int64 [n]."""
        return [*self._before, actions, *self._after]

    def as_rows(self) -> dict[str, np.ndarray]:
        """Return states, observation, mask, rewards, done and seeds as a Batch holds them."""
        turn = np.ascontiguousarray if self.layout == "rows" else lambda a: np.ascontiguousarray(a.T)
        states = self.states.view(self.dtype)
        if self.layout == "lanes":
            states = from_lanes(self.dtype, self.states.reshape(len(self.seeds) // LANES, -1), LANES)
        return {
            "states": states, "observation": turn(self.observation), "mask": turn(self.allowed),
            "rewards": turn(self.rewards), "done": self.done, "seeds": self.seeds,
        }  # fmt: skip


class Kernel:
    """A kernel on the current GPU.

    Args:
        ptx: its code, of `step_ptx` or `ptx_of`.

    Raises:
        RuntimeError: the driver refused the code.
    """

    def __init__(self, ptx: str) -> None:
        self._cuda, self._driver = _cuda()
        self._cuda.current_context()  # a module is loaded into the current context
        image = np.frombuffer(ptx.encode() + b"\0", np.uint8)
        name = re.findall(r"\.entry\s+(\w+)", ptx)[-1]
        self._module = self._call("cuModuleLoadData", image.ctypes.data)
        self._function = self._call("cuModuleGetFunction", self._module, name.encode())

    def launch(self, arguments: np.ndarray, n: int) -> None:
        """Start `n` threads with the parameters of `kernel_arguments`, without waiting for their end."""
        pointers = arguments.ctypes.data + 8 * np.arange(len(arguments), dtype=np.uint64)
        blocks = -(-n // THREADS)
        self._call("cuLaunchKernel", self._function, blocks, 1, 1, THREADS, 1, 1, 0, 0, pointers.ctypes.data, 0)

    def _call(self, name: str, *arguments: Any) -> Any:
        error, *values = getattr(self._driver, name)(*arguments)
        if int(error):
            raise RuntimeError(f"{name}: {error!s}")
        return values[0] if values else None


class DeviceGames:
    """`n` games in the memory of the current GPU, which restart automatically as those of a Batch.

    Args:
        game: the game.
        states: STATE [n], as in `Batch.states`; n must be a multiple of LANES.
        seeds: uint64 [n], as in `Batch.seeds`.
        mask: int8 [n, A], as in `Batch.mask`.
        layout: the memory layout. On an NVIDIA H200, Agent DOG in `lanes` ends with an illegal address, for a reason
            that is not known; `rows` is right there.
        seed: seed of `choose`, 0..2^64-1.
        ptx: what `choose_ptx` and `step_ptx` return for this layout and GPU. None: compile it.

    Raises:
        ModuleNotFoundError: numba-cuda is not installed.
        RuntimeError: there is no GPU, or its driver refused a kernel.
        ValueError: n is not a multiple of LANES.
    """

    def __init__(
        self,
        game: Game,
        states: np.ndarray,
        seeds: np.ndarray,
        mask: np.ndarray,
        layout: Layout = "rows",
        seed: int = 0,
        ptx: tuple[str, str] | None = None,
    ) -> None:
        self.n, self.host = len(states), GameArrays(game, states, seeds, layout)
        self.host.allowed[:] = mask if layout == "rows" else mask.T
        self._actions, rng = np.zeros(self.n, np.int64), streams(seed, self.n)
        self._cuda, _ = _cuda()
        if ptx is None:
            capability = current_gpu().capability
            ptx = choose_ptx(layout, capability), step_ptx(game, layout, capability)
        self._choose, self._step = map(Kernel, ptx)
        self._memory: dict[int, Any] = {}
        self._choose_arguments = self._placed([self.host.allowed, rng, self._actions])
        self._step_arguments = self._placed(self.host.arguments(self._actions))

    def choose(self) -> None:
        """Start drawing a legal action for each game, uniformly."""
        self._choose.launch(self._choose_arguments, self.n)

    def step(self) -> None:
        """Start stepping each game with the actions that were drawn."""
        self._step.launch(self._step_arguments, self.n)

    def wait(self) -> None:
        """Wait until the GPU has done everything that was started."""
        self._cuda.synchronize()

    def actions(self) -> np.ndarray:
        """Return the actions drawn last, int64 [n]."""
        return self._copy(self._actions)

    def done(self) -> np.ndarray:
        """Return whether the last step ended a game, bool [n]."""
        return self._copy(self.host.done)

    def as_rows(self) -> dict[str, np.ndarray]:
        """Return states, observation, mask, rewards, done and seeds as a Batch holds them."""
        host = self.host
        for array in (host.states, host.views, host.mask, host.rewards, host.done, host.seeds):
            self._copy(array)
        return host.as_rows()

    def _placed(self, arrays: Sequence[np.ndarray]) -> np.ndarray:
        """Copy arrays to the GPU, once per address, and return the parameters of a kernel for them."""
        for array in arrays:
            if array.ctypes.data not in self._memory:
                self._memory[array.ctypes.data] = self._cuda.to_device(array.reshape(-1).view(np.uint8))
        there = [self._memory[array.ctypes.data].__cuda_array_interface__["data"][0] for array in arrays]
        return kernel_arguments(arrays, there)

    def _copy(self, array: np.ndarray) -> np.ndarray:
        """Copy the memory of `array` from the GPU into it."""
        array.reshape(-1).view(np.uint8)[:] = self._memory[array.ctypes.data].copy_to_host()
        return array


def _cuda() -> tuple[Any, Any]:
    """Import numba-cuda and the driver's bindings, which it requires."""
    check_installed()
    return cast(Any, importlib.import_module("numba.cuda")), cast(Any, importlib.import_module("cuda.bindings.driver"))
