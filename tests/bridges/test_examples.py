"""The examples of the pages about other libraries run to their end, each in its own process.

Results of longer runs are in docs/results/baselines.md.
"""

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).resolve().parents[2] / "docs" / "examples"


def ran(name: str, needs: str, folder: Path, *arguments: str) -> list[str]:
    """Run an example in an empty folder and return the lines that it prints."""
    if importlib.util.find_spec(needs) is None:
        pytest.skip(f"{needs} is not installed: make test-bridges")
    done = subprocess.run(
        [sys.executable, EXAMPLES / name, *arguments],
        cwd=folder,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout.splitlines()


def shares(lines: list[str]) -> dict[str, float]:
    """Return the win shares by opponent, from the last two lines."""
    return {name: float(share) for name, share in (line.split() for line in lines[-2:])}


def test_the_openspiel_example_runs(tmp_path: Path) -> None:
    assert ran("openspiel_game.py", "pyspiel", tmp_path)[-1] in ("[1.0, -1.0]", "[-1.0, 1.0]")


def test_the_minari_example_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MINARI_DATASETS_PATH", str(tmp_path / "minari"))
    episodes, steps = ran("minari_first.py", "minari", tmp_path)[-1].split()
    assert int(episodes) == 20
    assert int(steps) > 20


def test_the_first_jax_example_runs(tmp_path: Path) -> None:
    means, ended = ran("jax_first.py", "jax", tmp_path)
    assert abs(sum(map(float, means.strip("[]").split()))) < 1e-5, "the seats' results sum to 0"
    assert int(ended) > 64


def test_the_jax_example_learns(tmp_path: Path) -> None:
    """The whole example takes a minute and wins nine games of ten; random play wins half."""
    last = ran("jax_ppo.py", "jax", tmp_path, "1", "10")[-1]
    update, _, random, _ = last.split()
    assert update == "10"
    assert float(random.removesuffix("%")) > 60


def test_the_torchrl_example_runs(tmp_path: Path) -> None:
    found = shares(ran("torchrl_ppo.py", "torchrl", tmp_path, "65536"))
    assert found.keys() == {"random", "greedy"}


def test_the_rllib_example_runs(tmp_path: Path) -> None:
    found = shares(ran("rllib_ppo.py", "ray", tmp_path, "2"))
    assert found.keys() == {"random", "greedy"}


def test_the_policy_that_reads_texts_learns(tmp_path: Path) -> None:
    """The whole example takes two minutes and wins more than 80 %; random play wins half."""
    before, *_, after = ran("openenv_reinforce.py", "openenv", tmp_path, "1280", "200")
    assert before.startswith("before: ")
    assert float(after.removeprefix("random ")) > 0.65
