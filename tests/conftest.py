"""Shared by all tests."""

import gc
import signal
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

# `tests` is a package: its modules import each other also where pytest is not started as `python -m pytest`. The
# source roots are not on this path, so tests run against what is installed.
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

# The machine's load decides how long an example takes, so that never decides a test; equal runs give equal examples.
settings.register_profile("spygames", deadline=None, derandomize=True)
settings.load_profile("spygames")

# What a shell starts in the background (`make test &`) ignores Ctrl-C, and its children with it: the tests that press
# it in a process of their own would wait for ever.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(autouse=True)
def seeded_networks() -> None:
    """Fresh weights are the same whatever ran before, so that chance never decides a test."""
    if "torch" in sys.modules:
        # Not `torch.manual_seed`, which also notes for GPUs where it was called from: a third of a millisecond.
        sys.modules["torch"].default_generator.manual_seed(0)


def pytest_collection() -> None:
    """Until all tests are imported, there is no garbage to collect."""
    gc.disable()


def pytest_collection_finish() -> None:
    """Lets the collection of garbage skip modules and tests: a million objects, which take half a second each time."""
    gc.freeze()
    gc.enable()


@pytest.hookimpl(optionalhook=True)  # not every environment has pytest-xdist
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Lets one process run the tests of one game, which share compiled code, and those of one file elsewhere.

    Two processes that compile the same code at the same time both pay for it. The largest groups come first. The groups
    are not pytest-xdist's own, `xdist_group`: its 3.8.0 writes them where pytest 9.2.0 does not read.
    """
    from xdist.scheduler import LoadScopeScheduling

    class ByGroup(LoadScopeScheduling):
        def _split_scope(self, nodeid: str) -> str:
            return group_of(nodeid)

    return ByGroup(config, log)


GAMES = ("agent_avenue", "agent_dog", "heimlich")


def group_of(nodeid: str) -> str:
    """The game that a test is of, by its path or its parameters, or its file; one for those that set up networks."""
    file = nodeid.partition("::")[0]
    if file.startswith("tests/network/"):
        return "network"
    if file.startswith(("tests/games/", "tests/contract/", "tests/docs/test_images", "tests/gpu/test_gpu_code")):
        for game in GAMES:
            if game in nodeid:
                return game
    return file
