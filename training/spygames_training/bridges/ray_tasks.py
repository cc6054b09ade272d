"""Compute tasks on the machines of a Ray cluster.

Ray moves a task from a lost machine to another one. Every machine must have the same code of this package. Files need
not be shared: players are sent with the tasks.
"""

import _thread
import logging
import os
import platform
import signal
import socket
import threading
import uuid
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, TypeVar

import ray  # pyright: ignore[reportMissingImports]
from ray.exceptions import RayError  # pyright: ignore[reportMissingImports]
from ray.experimental import internal_kv  # pyright: ignore[reportMissingImports]

from spygames.authoring import one_line
from spygames_training.evaluation.digests import packages_digest
from spygames_training.parallel.executor import ATTEMPTS, Executor, Progress, Task, TaskLost
from spygames_training.parallel.pool import compute, pickled, portable

T = TypeVar("T")
CONNECT_LIMIT = 10.0
"""Seconds to wait for a connection to a cluster's head."""
PATIENCE = 60.0
"""Seconds that training runs have to save before they are abandoned."""
ASK_EVERY = 1.0
"""Seconds between two looks of a task at the mark that ends it."""


class OnRay(Executor):
    """Executor that computes tasks on a Ray cluster.

    It connects to the cluster, and `close` disconnects, which ends everything that this process has there. If
    `ray.init` was called before, it uses that connection and keeps it: an error or Ctrl-C ends only the tasks of this
    executor.

    Tasks are not canceled by Ray. Each task watches for a mark on the cluster, and ends as by Ctrl-C when the mark is
    set. `ray.cancel` would abort the whole calling process if a task's result were just arriving: `Tried to complete
    task that was not pending`, seen with Ray 2.60.

    Args:
        address: of the cluster's head, such as 10.0.0.1:6379; "": the cluster on this machine, or else a new one.

    Raises:
        OSError: there is no cluster at that address.
    """

    elsewhere = True

    def __init__(self, address: str = ""):
        self._going: dict[Any, int] = {}
        """The number of each task that was sent and has not ended."""
        self._mark = ""
        """Key of the mark on the cluster that tells the tasks to end."""
        self._entered = not ray.is_initialized()
        if self._entered:
            try:
                if address and address != "auto" and "://" not in address:
                    host, _, port = address.rpartition(":")  # tried first, since Ray itself tries for minutes
                    socket.create_connection((host, int(port)), CONNECT_LIMIT).close()
                ray.init(address or None, log_to_driver=False, logging_level=logging.ERROR, include_dashboard=False)
            except Exception as error:  # of many types, depending on the address
                raise OSError(f"there is no Ray cluster at {address or 'this machine'}: {one_line(error)}") from error

    def run(
        self, function: Callable[..., T], tasks: Iterable[Task], progress: Progress | None = None, cpus: int = 1
    ) -> Iterator[tuple[int, T]]:
        """As in `Executor`; the progress of a task is reported when it ends."""
        cpus = min(cpus, _largest_machine())
        remote: Any = ray.remote(max_retries=ATTEMPTS - 1, num_cpus=cpus)(_compute)
        numbered, here = enumerate(tasks), (packages_digest(), str(Path.cwd()))
        going = self._going = {}
        mark = self._mark = f"spygames {uuid.uuid4().hex}"
        try:
            while True:
                # One more task for each processor is waiting, so that no processor is idle until the next is sent.
                most = max(2 * ray.cluster_resources().get("CPU", 0) / cpus, 1)
                while len(going) < most:
                    if (call := next(numbered, None)) is None:
                        break
                    going[remote.remote(pickled((function, call[1]), "a task"), here, mark)] = call[0]
                if not going:
                    return
                for reference in ray.wait([*going], timeout=10)[0]:  # machines may join in the meantime
                    try:
                        done, failure, found = ray.get(reference)
                    except RayError as error:
                        raise TaskLost(f"task {going[reference] + 1} was lost: {one_line(error)}") from error
                    if failure is not None:
                        raise failure
                    if progress and done:
                        progress(done)
                    yield going.pop(reference), found
        finally:
            self._stop()

    def close(self) -> None:
        """End the tasks, and disconnect from the cluster if this executor connected to it."""
        try:
            self._stop()
        finally:
            if self._entered:
                ray.shutdown()

    def _stop(self) -> None:
        """End the tasks; training runs save first."""
        going = [*self._going]
        self._going.clear()
        if going:
            with suppress(RayError):
                internal_kv._internal_kv_put(self._mark, b"")
                ray.wait(going, num_returns=len(going), timeout=PATIENCE)


def _compute(message: bytes, here: tuple[str, str], mark: str) -> tuple[int, Exception | None, Any]:
    """Compute a task on a machine of the cluster.

    Args:
        message: the pickled function and arguments.
        here: digest of the caller's code, and its current folder.
        mark: key of the mark that ends the task.

    Returns:
        The reported progress, the error that ended the task or None, and the result.
    """
    code, folder = here
    reported: list[int] = []
    try:
        with _until(mark):
            if code != packages_digest():
                name = platform.node()
                raise ValueError(f"{name} has other code of spygames than this machine: install the same version there")
            with suppress(OSError):  # another machine need not have this folder
                os.chdir(folder)
            found = compute(message, reported.append)
    except KeyboardInterrupt:
        if not _is_set(mark):  # a training run on a machine that is being stopped
            raise
        return 0, None, None  # the caller no longer waits
    except Exception as error:
        return sum(reported), portable(error), None
    return sum(reported), None, found


@contextmanager
def _until(mark: str) -> Iterator[None]:
    """Interrupt the context as by Ctrl-C, at the next step of Python, when the mark is set.

    Raises KeyboardInterrupt at once if the mark is set already. A thread watches the mark, since Ray's workers block
    SIGINT.
    """

    def watch() -> None:
        while not over.wait(ASK_EVERY):
            if _is_set(mark):
                _thread.interrupt_main()
                return

    over = threading.Event()
    if _is_set(mark):
        raise KeyboardInterrupt
    signal.signal(signal.SIGINT, signal.default_int_handler)  # an earlier task may have changed it
    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    try:
        yield
    finally:
        over.set()
        watcher.join()  # no interrupt comes after this


def _is_set(mark: str) -> bool:
    with suppress(RayError):  # the cluster's head does not answer
        return internal_kv._internal_kv_exists(mark)
    return False


def _largest_machine() -> int:
    """Return the largest number of processors of a machine of the cluster, so that no task waits for a larger one."""
    return int(max([1, *(node["Resources"].get("CPU", 0) for node in ray.nodes() if node["Alive"])]))
