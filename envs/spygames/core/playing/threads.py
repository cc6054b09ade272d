"""Threads that share the rows of a loop. Each runs its own part, a few rows at a time, and then helps the others.

The calling thread posts a job and wakes the others. Each of these sleeps on its bell, a lock that is released to wake
it.
"""

import threading
import time
import weakref
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
from numba.core import types
from numba.core.cgutils import get_item_pointer
from numba.extending import intrinsic

from spygames.core.compiling.digest import numba
from spygames.core.compiling.kernel import Int, bind, entry, kernel

ROWS = 24
"""Number of rows that a thread takes at once. They take two microseconds or more. A larger number would let all other
threads wait longer for the last one."""
SPINS = 0 if numba.config.DISABLE_JIT else 10_000
"""Number of times a thread looks for work before it sleeps. This takes about as long as waking a thread."""

LINE = 16
"""Number of int64 reserved for the counters of a thread, so that no two threads share a cache line or its neighbor."""

loop: Any = None
"""Placeholder for a loop over rows: `bind` replaces it."""


def _add_to(typing: Any, array: Any, index: Any, n: Any) -> Any:
    """Return the types of `fetch_add` and the function that generates its machine code."""

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        kind = signature.args[0]
        values = context.make_array(kind)(context, builder, args[0])
        place = get_item_pointer(context, builder, kind, values, [args[1]], wraparound=False)
        return builder.atomic_rmw("add", place, args[2], "seq_cst")

    return types.int64(array, types.intp, types.int64), code


_fetch_add: Any = intrinsic(_add_to)  # digests of code contain only its name


def _fetch_add_interpreted(array: np.ndarray, index: Int, n: Int) -> Int:
    with _one_at_a_time:
        array[index] += n
        return array[index] - n


_one_at_a_time = threading.Lock()
if numba.config.DISABLE_JIT:
    _fetch_add = _fetch_add_interpreted


@kernel
def fetch_add(array: np.ndarray, index: Int, n: Int) -> Int:
    """Add `n` to an element of an int64 array atomically and return the previous value."""
    return _fetch_add(array, index, n)


@kernel
def wait(posts: np.ndarray, seen: Int, spins: Int) -> Int:
    """Wait until the number of posts, int64 [1], differs from `seen`, for up to `spins` reads; return it."""
    now = fetch_add(posts, 0, 0)
    while now == seen and spins > 0:
        spins -= 1
        now = fetch_add(posts, 0, 0)
    return now


def _share(args, counts, me, threads, n, some):  # type: ignore[no-untyped-def]
    """Run the rows of thread `me`'s part and then of the other parts, `some` of the `n` rows at a time.

    A part has the same rows in each call, so that they stay in the cache of one core. `counts` is int64
    [threads * LINE]. For each thread it has the number of rows taken from its part, and the number that it has done.
    """
    done = 0
    for k in range(threads):
        whose = (me + k) % threads
        first, end = whose * n // threads, (whose + 1) * n // threads
        lo = first + fetch_add(counts, whose * LINE, some)
        while lo < end:
            hi = min(lo + some, end)
            loop(*args, lo, hi)
            done += hi - lo
            lo = first + fetch_add(counts, whose * LINE, some)
    fetch_add(counts, me * LINE + 1, done)


@cache
def shared(loop: Callable[..., None]) -> Callable[..., None]:
    """Return the shared form of `loop(*args, lo, hi)`. Like the loop, it is compiled once per layout."""
    names: dict[str, Any] = getattr(loop, "py_func", loop).__globals__
    layouts = {name: names[name] for name in ("STATE", "VIEW") if name in names}
    return bind(_share, loop.__name__, getattr(loop, "variant", ""), loop=loop, **layouts)


class _Job:
    """One loop over all rows."""

    def __init__(self, call: Callable[..., None], args: tuple[Any, ...], threads: int, n: int):
        self.args, self.threads, self.n, self.some = args, threads, n, max(1, min(ROWS, n // threads))
        self.counts = np.zeros(threads * LINE, np.int64)
        self.call = entry(call, args, self.counts, 0, threads, n, self.some)
        self.error: BaseException | None = None

    def __call__(self, me: int) -> None:
        """Do the share of thread `me`."""
        self.call(self.args, self.counts, me, self.threads, self.n, self.some)

    def is_done(self) -> bool:
        """Whether all rows are done."""
        return sum(fetch_add(self.counts, k * LINE + 1, 0) for k in range(self.threads)) == self.n

    def stop(self) -> None:
        """Mark all rows as taken."""
        for k in range(self.threads):
            fetch_add(self.counts, k * LINE, self.n)


class _Board:
    """The place where threads find jobs. Threads refer to it and not to their team, so the team can be freed first."""

    def __init__(self) -> None:
        self.posts = np.zeros(1, np.int64)
        self.job: _Job | None = None
        self.open = True

    def work(self, me: int, bell: threading.Lock) -> None:
        """Run the loop of thread `me`. A job that was finished without this thread has no rows left."""
        while self.open:
            seen = int(fetch_add(self.posts, 0, 0))
            if job := self.job:
                try:
                    job(me)
                except BaseException as error:  # raised again by the thread that posted the job
                    job.error = error
            del job
            if wait(self.posts, seen, SPINS) == seen:
                bell.acquire()


def _close(board: _Board, bells: list[threading.Lock]) -> None:
    board.open, board.job = False, None
    _ring(bells)


def _ring(bells: list[threading.Lock]) -> None:
    for bell in bells:
        if bell.locked():  # otherwise it rings already, and its thread will not sleep
            bell.release()


class Team:
    """The calling thread and `threads - 1` others, which end with the team."""

    def __init__(self, threads: int):
        self._board, self._bells, self._threads = _Board(), [threading.Lock() for _ in range(threads - 1)], threads
        for me, bell in enumerate(self._bells, 1):
            bell.acquire()
            threading.Thread(target=self._board.work, args=(me, bell), daemon=True).start()
        weakref.finalize(self, _close, self._board, self._bells)

    def run(self, loop: Callable[..., None], args: tuple[Any, ...], n: int) -> None:
        """Run `loop(*args, 0, n)`, shared by the threads. The arguments must have the same types in each call.

        The call does not wait for a thread that wakes up after all rows are taken.
        """
        job = _Job(shared(loop), args, self._threads, n)
        self._board.job = job
        fetch_add(self._board.posts, 0, 1)
        _ring(self._bells)
        try:
            job(0)
            while not job.is_done() and job.error is None:
                time.sleep(0)  # other threads may need this core to finish
        finally:
            self._board.job = None
            job.stop()  # after an error no thread takes more rows
        if job.error is not None:
            raise job.error
