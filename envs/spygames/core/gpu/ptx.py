"""Compile the kernels of a game to PTX: a CUDA kernel that steps one game per thread.

Compiling needs the extra `gpu` (numba-cuda), but no GPU. A GPU may fuse a float product and a sum into one operation,
whose result can differ from the CPU's in the last bit. Views therefore contain no such sums; `make test-gpu-code`
checks this.
"""

import contextlib
import importlib
import importlib.util
from collections.abc import Callable, Iterator
from types import FunctionType, SimpleNamespace
from typing import Any, Literal, cast

import numpy as np
from numba import from_dtype
from numba.core import types as _types

from spygames.core.basics.extras import how_to_install
from spygames.core.basics.text import shown
from spygames.core.game.game import KERNELS, Game
from spygames.core.game.rng import next_seed, random_action
from spygames.core.gpu.records import blank_lane, cuda_lane, runs

types = cast(Any, _types)

Layout = Literal["rows", "hybrid", "lanes"]
"""The memory layout of n games.

- `rows`: STATE [n], VIEW [n], masks int8 [n, A] and rewards float32 [n, P], as in a Batch.
- `hybrid`: STATE [n]; views [F, n], masks [A, n] and rewards [P, n].
- `lanes`: as `hybrid`, but with states in tiles of LANES games, uint8 [n / LANES, LANES * itemsize]
  (`spygames.core.gpu.records`).
"""
LAYOUTS: tuple[Layout, ...] = ("rows", "hybrid", "lanes")
"""All layouts, to compare their speed."""
LANES = 32
"""Games in a tile of states: one warp."""

# Placeholders for the kernels of a game and for functions of CUDA; `step_ptx` replaces them.
init: Any = None
legal: Any = None
apply: Any = None
returns: Any = None
observe: Any = None
grid: Any = None
state_lane: Any = None
view_lane: Any = None
RUNS: Any = None


def _step_rows(options, states, words, seeds, actions, views, mask, rewards, done):  # type: ignore[no-untyped-def]
    i = grid(1)
    if i < len(seeds):
        s = states[i]
        apply(s, np.int64(actions[i]))
        over = s.to_move < 0
        done[i] = over
        returns(s, rewards[i])
        if over:
            seeds[i] = next_seed(seeds[i])
            for k in range(words.shape[1]):
                words[i, k] = 0
            init(s, options[0], seeds[i])
        legal(s, mask[i])
        observe(s, np.int64(s.to_move), views[i])


def _step_hybrid(options, states, words, seeds, actions, views, mask, rewards, done):  # type: ignore[no-untyped-def]
    i = grid(1)
    if i < len(seeds):
        s = states[i]
        apply(s, np.int64(actions[i]))
        over = s.to_move < 0
        done[i] = over
        returns(s, rewards[:, i])
        if over:
            seeds[i] = next_seed(seeds[i])
            for k in range(words.shape[1]):
                words[i, k] = 0
            init(s, options[0], seeds[i])
        legal(s, mask[:, i])
        observe(s, np.int64(s.to_move), view_lane(views, len(seeds), i))


def _step_lanes(options, tiles, seeds, actions, views, mask, rewards, done):  # type: ignore[no-untyped-def]
    i = grid(1)
    if i < len(seeds):
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


def _choose_rows(mask, rng, actions):  # type: ignore[no-untyped-def]
    i = grid(1)
    if i < len(actions):
        actions[i] = random_action(mask[i], rng[i : i + 1])


def _choose_across(mask, rng, actions):  # type: ignore[no-untyped-def]
    i = grid(1)
    if i < len(actions):
        actions[i] = random_action(mask[:, i], rng[i : i + 1])


_TEMPLATES: dict[Layout, Callable[..., None]] = {"rows": _step_rows, "hybrid": _step_hybrid, "lanes": _step_lanes}


def step_ptx(game: Game, layout: Layout = "lanes", capability: tuple[int, int] = (9, 0)) -> str:
    """Return the PTX of the kernel that steps n games as `Batch.step` does, one game per thread.

    The kernel does not check its actions. After a step, mask and view are those of the next decision. A game that has
    ended is followed by the next one, as in `Batch.step`.

    The arguments of the kernel are arrays, in this order:

    - OPTIONS [1].
    - The states in their layout. `rows` and `hybrid` also take the same memory as uint64 [n, itemsize / 8].
    - Seeds uint64 [n], and actions int64 [n].
    - The views: VIEW [n] in `rows`, else uint8 [4 * F * n].
    - Masks, rewards, and done bool [n].

    Args:
        game: the game, whose records must be aligned (`np.dtype([...], align=True)`).
        layout: the memory layout.
        capability: the compute capability of the target GPU, such as (9, 0).

    Raises:
        ValueError: the layout is unknown, or a record is not aligned, as GPUs require.
        ModuleNotFoundError: numba-cuda is not installed.
    """
    if layout not in LAYOUTS:
        raise ValueError(f"layout must be one of {', '.join(LAYOUTS)}, not {shown(layout)}")
    for name, dtype in (("STATE", game.state_dtype), ("VIEW", game.view_dtype), ("OPTIONS", game.packed.dtype)):
        if not dtype.isalignedstruct:
            raise ValueError(f"{name} of {game.id} must be aligned for a GPU: make it with np.dtype([...], align=True)")
    names = {name: getattr(game, name) for name in KERNELS} | {
        "grid": _cuda().grid,
        "state_lane": cuda_lane(game.state_dtype),
        "view_lane": cuda_lane(game.view_dtype),
        "RUNS": runs(game.state_dtype),
    }
    source = cast(FunctionType, _TEMPLATES[layout])
    step = FunctionType(source.__code__, {**source.__globals__, **names}, source.__name__)
    return ptx_of(step, _signature(game, layout), capability)


def choose_ptx(layout: Layout = "lanes", capability: tuple[int, int] = (9, 0)) -> str:
    """Return the PTX of the kernel that draws a legal action of n games, one per thread.

    The arguments of the kernel are arrays: masks int8 ([n, A] in `rows`, else [A, n]), streams uint64 [n], which
    advance, and the drawn actions int64 [n].
    """
    source = cast(FunctionType, _choose_rows if layout == "rows" else _choose_across)
    choose = FunctionType(source.__code__, {**source.__globals__, "grid": _cuda().grid}, source.__name__)
    return ptx_of(choose, (_array(types.int8, 2), _array(types.uint64, 1), _array(types.int64, 1)), capability)


def ptx_of(kernel: Callable[..., None], signature: tuple[Any, ...], capability: tuple[int, int]) -> str:
    """Compile a plain function to PTX as a CUDA kernel. It may call functions decorated with `@kernel`.

    Args:
        kernel: the function.
        signature: the Numba types of its arguments.
        capability: the compute capability of the target GPU, such as (9, 0).
    """
    cuda = _cuda()
    with _compiled_for(cuda.dispatcher, capability):
        return cuda.compile_ptx(kernel, signature, cc=capability)[0]


def _array(kind: Any, axes: int) -> Any:
    return types.Array(kind, axes, "C")


def _signature(game: Game, layout: Layout) -> tuple[Any, ...]:
    state, view, options = map(from_dtype, (game.state_dtype, game.view_dtype, game.packed.dtype))
    states = [_array(types.uint8, 2)] if layout == "lanes" else [_array(state, 1), _array(types.uint64, 2)]
    return (
        _array(options, 1), *states, _array(types.uint64, 1), _array(types.int64, 1),
        _array(view, 1) if layout == "rows" else _array(types.uint8, 1),
        _array(types.int8, 2), _array(types.float32, 2), _array(types.boolean, 1),
    )  # fmt: skip


def check_installed() -> None:
    """Raise ModuleNotFoundError if numba-cuda is not installed."""
    if importlib.util.find_spec("numba_cuda") is None:
        raise ModuleNotFoundError(f"games on a GPU need numba-cuda: {how_to_install('gpu')}", name="numba_cuda")


def _cuda() -> Any:
    """Import the parts of numba-cuda that are used here, some of them private."""
    check_installed()
    cuda, dispatcher, compiler = map(
        importlib.import_module, ("numba.cuda", "numba.cuda.dispatcher", "numba.cuda.compiler")
    )
    return SimpleNamespace(grid=cuda.grid, dispatcher=dispatcher, compile_ptx=compiler.compile_ptx)


@contextlib.contextmanager
def _compiled_for(dispatcher: Any, capability: tuple[int, int]) -> Iterator[None]:
    """Compile the functions that a CUDA kernel calls for `capability`, even without a GPU.

    Without this, numba-cuda would query the current device.
    """
    device = dispatcher.get_current_device
    dispatcher.get_current_device = lambda: SimpleNamespace(compute_capability=capability)
    try:
        yield
    finally:
        dispatcher.get_current_device = device
