"""Threads that share the rows of a loop: each takes a few rows at a time until there are none left."""

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

from spygames.core.digest import numba
from spygames.core.kernel import Int, bind, entry, kernel

ROWS = 64
"""That a thread takes at once: some microseconds, so that no thread waits long for another one at the end."""
SPINS = 0 if numba.config.DISABLE_JIT else 10_000
"""How often a thread looks for more work before it sleeps: for about as long as waking it would take."""

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


def _share(args, rows, n, some):  # type: ignore[no-untyped-def]
    """Does `some` of the `n` rows at a time. `rows`, int64 [2]: how many are taken, and how many are done."""
    lo = fetch_add(rows, 0, some)
    while lo < n:
        hi = min(lo + some, n)
        loop(*args, lo, hi)
        fetch_add(rows, 1, hi - lo)
        lo = fetch_add(rows, 0, some)


@cache
def shared(loop: Callable[..., None]) -> Callable[..., None]:
    """`loop(*args, lo, hi)` as threads share it, a copy for each layout, as there is of the loop."""
    names: dict[str, Any] = getattr(loop, "py_func", loop).__globals__
    layouts = {name: names[name] for name in ("STATE", "VIEW") if name in names}
    return bind(_share, loop.__name__, getattr(loop, "variant", ""), loop=loop, **layouts)


class _Job:
    """One loop over all rows."""

    def __init__(self, call: Callable[..., None], args: tuple[Any, ...], n: int, some: int):
        self.args, self.n, self.some = args, n, some
        self.rows = np.zeros(2, np.int64)
        self.call = entry(call, args, self.rows, n, some)
        self.error: BaseException | None = None

    def __call__(self) -> None:
        self.call(self.args, self.rows, self.n, self.some)


class _Board:
    """Where jobs are put up for the threads. They know it and not their team, which may go before they do."""

    def __init__(self) -> None:
        self.posts = np.zeros(1, np.int64)
        self.job: _Job | None = None
        self.open = True

    def work(self, bell: threading.Lock) -> None:
        """What a thread does. A job that was finished without it has no rows left."""
        while self.open:
            seen = int(fetch_add(self.posts, 0, 0))
            if job := self.job:
                try:
                    job()
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
        for bell in self._bells:
            bell.acquire()
            threading.Thread(target=self._board.work, args=(bell,), daemon=True).start()
        weakref.finalize(self, _close, self._board, self._bells)

    def run(self, loop: Callable[..., None], args: tuple[Any, ...], n: int) -> None:
        """`loop(*args, 0, n)`, shared; always with arguments of the same types.

        A thread that is late finds nothing to do, and nobody waits for it.
        """
        job = _Job(shared(loop), args, n, max(1, min(ROWS, n // self._threads)))
        self._board.job = job
        fetch_add(self._board.posts, 0, 1)
        _ring(self._bells)
        try:
            job()
            while fetch_add(job.rows, 1, 0) < n and job.error is None:
                time.sleep(0)  # others may need this core to get ready
        finally:
            self._board.job = None
            fetch_add(job.rows, 0, n)  # after an error nobody goes on
        if job.error is not None:
            raise job.error
