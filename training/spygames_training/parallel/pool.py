"""A pool of processes on this machine that compute tasks.

`concurrent.futures.ProcessPoolExecutor` gives up all tasks when one of its processes dies, and its processes outlive a
killed parent; see decision 0049.
"""

import multiprocessing
import os
import pickle
import signal
import threading
import traceback
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection, wait
from typing import Any, TypeVar

from spygames.core.basics.text import one_line
from spygames.core.basics.whole_numbers import whole
from spygames_training.parallel.executor import ATTEMPTS, Executor, Progress, Task, TaskLost

T = TypeVar("T")
CONTEXT = multiprocessing.get_context("spawn")
"""Processes are spawned, not forked. A forked process would inherit locks of threads that it does not have, such as
those of a progress bar or of torch."""
UNGUARDED = 97
"""Exit code of a process whose import of the main script would start processes again."""


class Pool(Executor):
    """Computes tasks in processes of this machine, which start when they are needed and end with this process.

    A task whose process dies is computed again in a new one. Ctrl-C reaches only this process, which ends the others.

    Args:
        jobs: maximum number of processes, at least 1.

    Raises:
        ValueError: `jobs` is something else.
    """

    def __init__(self, jobs: int):
        self.jobs = whole("jobs", jobs, 1)
        self._processes: list[_Process] = []

    def run(
        self, function: Callable[..., T], tasks: Iterable[Task], progress: Progress | None = None, cpus: int = 1
    ) -> Iterator[tuple[int, T]]:
        """See `Executor.run`."""
        numbered, lost = enumerate(tasks), deque[_Call]()
        try:
            while True:
                while len(self._busy()) < self.jobs and (call := _next_call(lost, numbered, function)):
                    self._free_process().begin(call)
                if not self._busy():
                    return
                ready = wait([process.connection for process in self._busy()])
                for process in [process for process in self._busy() if process.connection in ready]:
                    call = process.call
                    assert call
                    try:
                        kind, *content = process.receive()
                    except (EOFError, OSError):
                        self._processes.remove(process)
                        how = process.end()
                        if process.handle.exitcode == UNGUARDED:
                            raise ValueError(_NO_GUARD) from None
                        if progress and call.done:
                            progress(-call.done)
                        lost.append(call.again(how))
                        continue
                    if kind == "progress":
                        call.done += content[0]
                        if progress:
                            progress(content[0])
                    elif kind == "error":
                        error, text = content
                        error.add_note(f"in another process:\n{text}")
                        raise error
                    else:
                        process.call = None
                        yield call.number, content[0]
        finally:
            self._stop(self._busy())

    def _busy(self) -> "list[_Process]":
        return [process for process in self._processes if process.call]

    def _free_process(self) -> "_Process":
        """Return an idle process, or start one."""
        for process in self._processes:
            if not process.call:
                return process
        self._processes.append(_Process())
        return self._processes[-1]

    def close(self) -> None:
        """End all processes."""
        self._stop(self._processes)

    def _stop(self, processes: "list[_Process]") -> None:
        """End processes. A training run in them saves first; a second Ctrl-C kills them at once."""
        processes = list(processes)
        self._processes = [process for process in self._processes if process not in processes]
        try:
            for process in processes:
                process.handle.terminate()
            for process in processes:
                process.end()
        except BaseException:
            for process in processes:
                process.handle.kill()
            raise


class _Call:
    """A task that is being computed."""

    def __init__(self, number: int, message: bytes):
        self.number, self.message = number, message
        self.done = 0
        """The progress reported so far."""
        self.deaths = 0

    def again(self, how: str) -> "_Call":
        """Return the call reset to its start. Raises TaskLost after `ATTEMPTS` deaths."""
        self.done, self.deaths = 0, self.deaths + 1
        if self.deaths == ATTEMPTS:
            raise TaskLost(f"a process that computed task {self.number + 1} {how}, {ATTEMPTS} times")
        return self


def _next_call(lost: deque[_Call], numbered: Iterator[tuple[int, Task]], function: Callable[..., Any]) -> _Call | None:
    """Return the next call: lost tasks first."""
    if lost:
        return lost.popleft()
    for number, task in numbered:
        return _Call(number, pickled((function, task), "a task"))
    return None


def pickled(value: object, what: str) -> bytes:
    """Return `value` as bytes. Raises ValueError if it cannot be pickled."""
    try:
        return pickle.dumps(value)
    except Exception as error:  # of any kind: the value's own code raised it
        raise ValueError(f"{what} cannot be sent to another process: {one_line(error)}") from error


_NO_GUARD = (
    'code that starts processes must be below `if __name__ == "__main__":`, since each process imports the script '
    "when it starts"
)


class _Process:
    """A process that computes one task after another.

    Raises:
        SystemExit: called in a process that is still importing the main script; see `UNGUARDED`.
    """

    def __init__(self):
        if getattr(multiprocessing.current_process(), "_inheriting", False):
            raise SystemExit(UNGUARDED)  # Python itself would print a traceback in each process
        self.connection, theirs = CONTEXT.Pipe()
        self.handle = CONTEXT.Process(target=_work, args=(theirs,), daemon=True)
        with _without_interrupt():
            self.handle.start()
        theirs.close()
        self.call: _Call | None = None

    def begin(self, call: _Call) -> None:
        """Send a task."""
        self.call = call
        with suppress(OSError):  # the process has died; `receive` reports it
            self.connection.send_bytes(call.message)

    def receive(self) -> tuple[Any, ...]:
        """Return the next message. Raises EOFError or OSError if the process has died."""
        return pickle.loads(self.connection.recv_bytes())

    def end(self) -> str:
        """Wait for the end of the process and describe how it ended."""
        self.connection.close()
        self.handle.join()
        code = self.handle.exitcode or 0
        return f"was killed by {signal.Signals(-code).name}" if code < 0 else f"ended with exit code {code}"


@contextmanager
def _without_interrupt() -> Iterator[None]:
    """Context for starting processes that ignore the terminal's Ctrl-C.

    A Ctrl-C during the context interrupts this process at the end of the context.
    """
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    resource_tracker.ensure_running()  # or it would start with the first process and unblock the signal
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _work(connection: Connection) -> None:
    """Compute the tasks that arrive; the main function of a pool's process."""
    threading.Thread(target=_end_with_parent, daemon=True).start()

    def progress(done: int) -> None:
        connection.send_bytes(pickle.dumps(("progress", done)))

    with suppress(EOFError, OSError):  # the parent has ended
        while True:
            message = connection.recv_bytes()
            try:
                answer = pickled(("result", compute(message, progress)), "a result")
            except KeyboardInterrupt:  # a training run was asked to end, and has saved
                return
            except Exception as error:
                answer = pickle.dumps(("error", portable(error), traceback.format_exc()))
            connection.send_bytes(answer)


def compute(message: bytes, progress: Progress | None) -> Any:
    """Compute a pickled task. Raises ValueError if something that it names cannot be imported in this process."""
    try:
        function, task = pickle.loads(message)
    except Exception as error:  # of any kind, see `pickled`
        raise ValueError(f"another process cannot unpickle a task: {one_line(error)}") from error
    return function(*task, progress)


def portable(error: Exception) -> Exception:
    """Return `error`, or a RuntimeError with the same message if it cannot be pickled."""
    try:
        pickle.loads(pickle.dumps(error))
    except Exception:
        return RuntimeError(f"{type(error).__name__}: {one_line(error)}")
    return error


def _end_with_parent() -> None:
    """End this process when its parent ends; a training run saves first."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os.kill(os.getpid(), signal.SIGTERM)
