"""The docstring examples of the trainer's public names run and print the documented output."""

import doctest
import importlib
from pathlib import Path

import pytest

MODULES = (
    "agents.checkpoint",
    "agents.onnx_player",
    "agents.pack",
    "agents.policy",
    "bridges.executors",
    "bridges.sb3.buffer",
    "bridges.sb3.vec_env",
    "evaluation.evaluation",
    "evaluation.line_ups",
    "evaluation.sequential",
    "measuring",
)


@pytest.mark.parametrize("module", MODULES)
def test_examples_run(module: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    tried = doctest.testmod(importlib.import_module(f"spygames_training.{module}"))
    assert tried.attempted
    assert not tried.failed
