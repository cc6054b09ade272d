"""Step games in numba-cuda's simulator: `python simulated.py FILE`.

Run it with NUMBA_ENABLE_CUDASIM=1 and NUMBA_DISABLE_JIT=1. FILE is an .npz of compiled games' results, written by
`test_simulator.py`. It contains `games`, JSON of IDs and options, and for each game its opening and, for each step, the
actions and all values of a `Batch`. Prints the number of equal decisions.
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
    """Return the template of `rows` with a game's kernels, in the form that the simulator takes."""
    names = {name: getattr(game, name) for name in KERNELS}
    # The simulator puts its `cuda` into a kernel's globals for each thread.
    names |= {"cuda": cuda, "grid": lambda axes: source.__globals__["cuda"].grid(axes)}
    template: Any = _TEMPLATES["rows"]
    source = FunctionType(template.__code__, {**template.__globals__, **names}, template.__name__)
    return cuda.jit(source)


def compare(game: Game, name: str, saved: Any) -> int:
    """Play a game as saved, check that all values are equal, and return the number of decisions."""
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
    """Compare all games of a file."""
    with np.load(path) as saved:
        for name, (game_id, options) in json.loads(str(saved["games"])).items():
            print(name, compare(spygames.make_game(game_id, **options), name, saved), flush=True)


if __name__ == "__main__":
    main(sys.argv[1])
