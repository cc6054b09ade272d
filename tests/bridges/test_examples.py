"""The examples of the pages about other libraries, in a process each: they run to their end. How well they learn in
longer runs is in docs/results/baselines.md."""

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).resolve().parents[2] / "docs" / "examples"


def ran(name: str, needs: str, folder: Path, *arguments: str) -> list[str]:
    """The lines that an example prints in an empty folder."""
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
    """Win shares by opponent, from the last two lines."""
    return {name: float(share) for name, share in (line.split() for line in lines[-2:])}


def test_openspiel(tmp_path: Path) -> None:
    assert ran("openspiel_game.py", "pyspiel", tmp_path)[-1] in ("[1.0, -1.0]", "[-1.0, 1.0]")


def test_torchrl(tmp_path: Path) -> None:
    found = shares(ran("torchrl_ppo.py", "torchrl", tmp_path, "65536"))
    assert found.keys() == {"random", "greedy"}


def test_rllib(tmp_path: Path) -> None:
    found = shares(ran("rllib_ppo.py", "ray", tmp_path, "2"))
    assert found.keys() == {"random", "greedy"}
