"""Threads that share the rows of a loop: each does its own part, a few rows at a time, and then helps the others."""

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
"""That a thread takes at once: two microseconds or more, so that no thread waits long for another one at the end."""
SPINS = 0 if numba.config.DISABLE_JIT else 10_000
"""How often a thread looks for more work before it sleeps: for about as long as waking it would take."""

LINE = 16
"""Numbers, int64, that a thread counts in, so that no other thread's lie in the same or the next line of the cache."""

loop: Any = None
"""Stands for a loop over rows, which `bind` puts in its place."""


def _add_to(typing: Any, array: Any, index: Any, n: Any) -> Any:
    """The machine code of `fetch_add`, and its types."""

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        kind = signature.args[0]
        values = context.make_array(kind)(context, builder, args[0])
        place = get_item_pointer(context, builder, kind, values, [args[1]], wraparound=False)
        return builder.atomic_rmw("add", place, args[2], "seq_cst")

    return types.int64(array, types.intp, types.int64), code


_fetch_add: Any = intrinsic(_add_to)  # of which digests of code know the name alone


def _fetch_add_interpreted(array: np.ndarray, index: Int, n: Int) -> Int:
    with _one_at_a_time:
        array[index] += n
        return array[index] - n


_one_at_a_time = threading.Lock()
if numba.config.DISABLE_JIT:
    _fetch_add = _fetch_add_interpreted


@kernel
def fetch_add(array: np.ndarray, index: Int, n: Int) -> Int:
    """Adds `n` to an element of an int64 array in one step for all threads; returns what it was."""
    return _fetch_add(array, index, n)


@kernel
def wait(posts: np.ndarray, seen: Int, spins: Int) -> Int:
    """Looks up to `spins` times whether the number of posts, int64 [1], is another one than `seen`; returns it."""
    now = fetch_add(posts, 0, 0)
    while now == seen and spins > 0:
        spins -= 1
        now = fetch_add(posts, 0, 0)
    return now


def _share(args, counts, me, threads, n, some):  # type: ignore[no-untyped-def]
    """Does rows of thread `me`'s part and then of the others' parts, `some` of the `n` rows at a time.

    A part has the same rows in each call, so that they stay in the cache of one core. `counts`, int64 [threads * LINE]:
    of each thread how many rows of its part are taken, and how many rows it has done.
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
    """`loop(*args, lo, hi)` as threads share it, a copy for each layout, as there is of the loop."""
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
        """What thread `me` does of it."""
        self.call(self.args, self.counts, me, self.threads, self.n, self.some)

    def is_done(self) -> bool:
        """Whether all rows are."""
        return sum(fetch_add(self.counts, k * LINE + 1, 0) for k in range(self.threads)) == self.n

    def stop(self) -> None:
        """Leaves no rows to take."""
        for k in range(self.threads):
            fetch_add(self.counts, k * LINE, self.n)


class _Board:
    """Where jobs are put up for the threads. They know it and not their team, which may go before they do."""

    def __init__(self) -> None:
        self.posts = np.zeros(1, np.int64)
        self.job: _Job | None = None
        self.open = True

    def work(self, me: int, bell: threading.Lock) -> None:
        """What thread `me` does. A job that was finished without it has no rows left."""
        while self.open:
            seen = int(fetch_add(self.posts, 0, 0))
            if job := self.job:
                try:
                    job(me)
                except BaseException as error:  # raised where the job was put up
                    job.error = error
            del job
            if wait(self.posts, seen, SPINS) == seen:
                bell.acquire()


def _close(board: _Board, bells: list[threading.Lock]) -> None:
    board.open, board.job = False, None
    _ring(bells)


def _ring(bells: list[threading.Lock]) -> None:
    for bell in bells:
        if bell.locked():  # else it rings already
            bell.release()


class Team:
    """The calling thread and `threads - 1` more, which end with the team."""

    def __init__(self, threads: int):
        self._board, self._bells, self._threads = _Board(), [threading.Lock() for _ in range(threads - 1)], threads
        for me, bell in enumerate(self._bells, 1):
            bell.acquire()
            threading.Thread(target=self._board.work, args=(me, bell), daemon=True).start()
        weakref.finalize(self, _close, self._board, self._bells)

    def run(self, loop: Callable[..., None], args: tuple[Any, ...], n: int) -> None:
        """`loop(*args, 0, n)`, shared; always with arguments of the same types.

        A thread that is late finds nothing to do, and nobody waits for it.
        """
        job = _Job(shared(loop), args, self._threads, n)
        self._board.job = job
        fetch_add(self._board.posts, 0, 1)
        _ring(self._bells)
        try:
            job(0)
            while not job.is_done() and job.error is None:
                time.sleep(0)  # others may need this core to get ready
        finally:
            self._board.job = None
            job.stop()  # after an error nobody goes on
        if job.error is not None:
            raise job.error
