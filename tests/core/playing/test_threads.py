"""Threads that share rows: each row is done once, errors are raised, and threads end with their team."""

import gc
import threading

import numpy as np
import pytest

from spygames.core.compiling.kernel import kernel
from spygames.core.playing.threads import Team


@kernel
def _count_rows(counts: np.ndarray, lo: int, hi: int) -> None:
    for i in range(lo, hi):
        counts[i] += 1


@kernel
def _fail_rows(counts: np.ndarray, lo: int, hi: int) -> None:
    for i in range(lo, hi):
        if counts[i] == 7:
            raise ValueError("seven")
        counts[i] += 1


@pytest.mark.parametrize("threads", [2, 3])
@pytest.mark.parametrize("n", [0, 1, 3, 64, 1000])
def test_each_row_is_done_once(threads: int, n: int) -> None:
    team, counts = Team(threads), np.zeros(n + 1, np.int64)
    for _ in range(200):
        team.run(_count_rows, (counts,), n)
    assert counts.tolist() == [200] * n + [0]


def test_an_error_in_any_row_is_raised_and_the_team_continues() -> None:
    team, counts = Team(2), np.zeros(1000, np.int64)
    for row in (0, 500, 999):
        counts[row] = 7
        with pytest.raises(ValueError, match="seven"):
            team.run(_fail_rows, (counts,), 1000)
        counts[:] = 0
    team.run(_count_rows, (counts,), 1000)
    assert counts.sum() == 1000


def test_threads_end_with_their_team() -> None:
    before = set(threading.enumerate())
    team = Team(3)
    team.run(_count_rows, (np.zeros(100, np.int64),), 100)
    threads = set(threading.enumerate()) - before
    assert len(threads) == 2
    del team
    gc.collect()
    for thread in threads:
        thread.join(30)
        assert not thread.is_alive()
