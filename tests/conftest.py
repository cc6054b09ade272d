"""Fixtures and hooks shared by all tests."""

import gc
import os
import signal
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

# `tests` is a package: its modules import each other even where pytest is not started as `python -m pytest`. The
# source roots are not on this path, so tests run against the installed packages.
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

# No deadline: the machine's load must not decide a test. Derandomized: equal runs give equal examples.
settings.register_profile("spygames", deadline=None, derandomize=True)
settings.load_profile("spygames")

# A shell's background job (`make test &`) ignores Ctrl-C, and so do its child processes: tests that press Ctrl-C in a
# child process would wait forever.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# pytest loads readline, which gives these to the processes of pytest-xdist, although their output is no terminal.
for size in ("COLUMNS", "LINES"):
    os.environ.pop(size, None)


@pytest.fixture(autouse=True)
def seeded_networks() -> None:
    """Seed torch, so that fresh weights do not depend on earlier tests."""
    if "torch" in sys.modules:
        # Not `torch.manual_seed`: it also records its caller for GPUs, which takes a third of a millisecond.
        sys.modules["torch"].default_generator.manual_seed(0)


@pytest.fixture(autouse=True, scope="session")
def sb3_logs(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Give stable-baselines3 a folder for its logs: it makes one for each run, empty and never removed."""
    os.environ.setdefault("SB3_LOGDIR", str(tmp_path_factory.mktemp("sb3")))


def pytest_collection() -> None:
    """Turn garbage collection off while tests are imported: nothing is garbage yet."""
    gc.disable()


def pytest_collection_finish() -> None:
    """Exclude modules and tests, a million objects, from garbage collection: each collection would take 0.5 s."""
    gc.freeze()
    gc.enable()


@pytest.hookimpl(optionalhook=True)  # not every environment has pytest-xdist
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Run the tests of one game in one process, as they share compiled code, and elsewhere the tests of one file.

    Two processes that compile the same code at the same time both pay for it. The largest groups start first. The
    groups are not pytest-xdist's own `xdist_group`: version 3.8.0 writes those marks where pytest 9.2.0 does not read
    them.
    """
    from xdist.scheduler import LoadScopeScheduling

    class ByGroup(LoadScopeScheduling):
        def _split_scope(self, nodeid: str) -> str:
            return group_of(nodeid)

    return ByGroup(config, log)


GAMES = ("agent_avenue", "agent_dog", "heimlich")


def group_of(nodeid: str) -> str:
    """Return a test's group: its game by path or parameters, "network" if it sets up networks, else its file."""
    file = nodeid.partition("::")[0]
    if file.startswith("tests/network/"):
        return "network"
    if file.startswith(("tests/games/", "tests/contract/", "tests/docs/test_images", "tests/gpu/test_gpu_code")):
        for game in GAMES:
            if game in nodeid:
                return game
    return file
