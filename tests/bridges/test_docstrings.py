"""The docstring examples of the bridges to RLlib and TorchRL run and print the documented output."""

import doctest
import importlib

import pytest


@pytest.mark.parametrize(("library", "module"), [("ray", "rllib"), ("torchrl", "torchrl")])
def test_examples_run(library: str, module: str) -> None:
    pytest.importorskip(library, reason=f"{library} is not installed: make test-bridges")
    tried = doctest.testmod(importlib.import_module(f"spygames_training.bridges.{module}"))
    assert tried.attempted
    assert not tried.failed
