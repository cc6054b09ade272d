"""The template that steps one game per thread does what a `Batch` does in numba-cuda's simulator.

The simulator interprets the code. It is an independent check of the PTX emulator.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import spygames
from spygames.core.playing.batch import Batch

pytest.importorskip("numba_cuda", reason="numba-cuda is not installed: make test-gpu-code")

GAMES, STEPS = 8, 40
VARIANTS = {
    "agent_avenue": ("agent_avenue_v0", {"mode": "advanced"}),
    "heimlich": ("heimlich_v0", {"players": 3, "top_secret": True}),
    "agent_dog": ("agent_dog_v0", {"max_turns": 4}),
}


def test_the_template_plays_like_a_batch(tmp_path: Path) -> None:
    saved: dict[str, np.ndarray] = {"games": np.array(json.dumps(VARIANTS))}
    ended = 0
    for name, (game_id, options) in VARIANTS.items():
        batch, rng = Batch(spygames.make_game(game_id, **options), GAMES, seed=5, threads=1), np.random.default_rng(1)
        saved |= {f"{name}.seeds": batch.seeds.copy(), f"{name}.opening": batch.states.view(np.uint8).copy()}
        steps: dict[str, list[np.ndarray]] = {}
        for _ in range(STEPS):
            actions = (batch.mask * rng.random(batch.mask.shape)).argmax(1)
            batch.step(actions)
            now = {
                "actions": actions, "states": batch.states.view(np.uint8), "views": batch.observation,
                "mask": batch.mask, "rewards": batch.rewards, "done": batch.done, "after": batch.seeds,
            }  # fmt: skip
            for what, array in now.items():
                steps.setdefault(what, []).append(array.copy())
        ended += sum(map(np.count_nonzero, steps["done"]))
        saved |= {f"{name}.{what}": np.stack(arrays) for what, arrays in steps.items()}
    assert ended >= 8
    np.savez(tmp_path / "games.npz", **saved)  # type: ignore[arg-type]
    done = subprocess.run(
        [sys.executable, "-m", "tests.gpu.simulated", str(tmp_path / "games.npz")],
        env={**os.environ, "NUMBA_ENABLE_CUDASIM": "1", "NUMBA_DISABLE_JIT": "1"},
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
    )
    assert not done.returncode, done.stderr
    assert done.stdout.split() == [word for name in VARIANTS for word in (name, str(GAMES * STEPS))]
