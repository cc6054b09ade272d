"""The example `docs/examples/vector_ppo.py` learns to beat `greedy`, in both autoreset modes."""

import importlib.util
from pathlib import Path

import pytest

EXAMPLE = Path(__file__).resolve().parents[2] / "docs" / "examples" / "vector_ppo.py"


@pytest.mark.slow
@pytest.mark.parametrize("autoreset", ["NextStep", "SameStep"])
def test_ppo_in_one_file_beats_greedy(autoreset: str) -> None:
    spec = importlib.util.spec_from_file_location("vector_ppo", EXAMPLE)
    assert spec is not None
    assert spec.loader is not None
    example = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(example)
    agent = example.train(autoreset, updates=80, seed=3)
    assert example.judge(agent, games=2000, seed=20_000) >= 0.6
