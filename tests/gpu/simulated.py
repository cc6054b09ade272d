"""Steps games in numba-cuda's simulator: `python simulated.py FILE`, run with NUMBA_ENABLE_CUDASIM=1 and
NUMBA_DISABLE_JIT=1.

FILE is an .npz of what compiled games do, which `test_simulator.py` writes: `games`, JSON of ids and options, and for
each game its opening and, step by step, actions and all that a `Batch` has then. Says how many decisions were equal.
"""

import json
import sys
from types import FunctionType
from typing import Any

import numpy as np
from numba import cuda

import spygames
from spygames.core.game.game import KERNELS, Game
from spygames.core.gpu.ptx import _TEMPLATES


def step_of(game: Game) -> Any:
    """The template of `rows` with the kernels of a game, as the simulator takes it."""
    names = {name: getattr(game, name) for name in KERNELS}
    # The simulator lends a kernel its `cuda` for each thread, under that name in its globals.
    names |= {"cuda": cuda, "grid": lambda axes: source.__globals__["cuda"].grid(axes)}
    template: Any = _TEMPLATES["rows"]
    source = FunctionType(template.__code__, {**template.__globals__, **names}, template.__name__)
    return cuda.jit(source)


def compare(game: Game, name: str, saved: Any) -> int:
    """Plays a game as was saved; how many decisions there were, all equal."""
    n, steps = saved[f"{name}.actions"].shape[::-1]
    step = step_of(game)
    raw: Any = cuda.to_device(saved[f"{name}.opening"].view(np.uint64).reshape(n, -1))
    seeds: Any = cuda.to_device(saved[f"{name}.seeds"])
    views, mask = cuda.to_device(game.new_views(n)), cuda.to_device(np.zeros((n, game.num_actions), np.int8))
    rewards, done = cuda.to_device(np.zeros((n, game.num_players), np.float32)), cuda.to_device(np.zeros(n, np.bool_))
    for t in range(steps):
        states = raw.view(game.state_dtype).reshape(n)
        step[1, n](game.packed, states, raw, seeds, saved[f"{name}.actions"][t], views, mask, rewards, done)
        shown = views.copy_to_host().view(np.float32).reshape(n, -1)
        now = {"states": raw, "views": shown, "mask": mask, "rewards": rewards, "done": done, "after": seeds}
        for what, array in now.items():
            found = array if isinstance(array, np.ndarray) else array.copy_to_host()
            assert found.tobytes() == saved[f"{name}.{what}"][t].tobytes(), f"{name}, step {t}: {what} differ"
    return n * steps


def main(path: str) -> None:
    """Compares all games of a file."""
    with np.load(path) as saved:
        for name, (game_id, options) in json.loads(str(saved["games"])).items():
            print(name, compare(spygames.make_game(game_id, **options), name, saved), flush=True)


if __name__ == "__main__":
    main(sys.argv[1])
