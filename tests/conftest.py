"""Shared by all tests."""

import gc
import signal
import sys
from pathlib import Path

import pytest
from hypothesis import settings

# `tests` is a package: its modules import each other also where pytest is not started as `python -m pytest`. The
# source roots are not on this path, so tests run against what is installed.
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

# The machine's load decides how long an example takes, so that never decides a test; equal runs give equal examples.
settings.register_profile("spygames", deadline=None, derandomize=True)
settings.load_profile("spygames")

gc.disable()  # until all tests are imported: there is nothing to collect

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


def pytest_collection_finish() -> None:
    """Lets the collection of garbage skip modules and tests: a million objects, which take half a second each time."""
    gc.freeze()
    gc.enable()


@pytest.hookimpl(tryfirst=True)  # before pytest-xdist, which reads the groups in the same hook
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Lets one process run the tests of one game, which share compiled code, and those of one file elsewhere.

    Two processes that compile the same code at the same time both pay for it. The games come first: they take longest.
    """
    groups = [_group(item) for item in items]
    for item, group in zip(items, groups, strict=True):
        if item.get_closest_marker("xdist_group") is None:
            item.add_marker(pytest.mark.xdist_group(group))
    order = sorted(range(len(items)), key=lambda i: groups[i] not in GAMES)
    items[:] = [items[i] for i in order]


GAMES = ("agent_avenue", "agent_dog", "heimlich")


def _group(item: pytest.Item) -> str:
    """The game that a test is of, by its path or its parameters, or its file."""
    file = item.nodeid.partition("::")[0]
    if file.startswith(("tests/games/", "tests/contract/", "tests/docs/test_images")):
        for game in GAMES:
            if game in item.nodeid:
                return game
    return file
