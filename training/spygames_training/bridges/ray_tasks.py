"""The machines of a Ray cluster that compute tasks.

Ray gives a task whose machine is lost to another one. Every machine must have the same code of this package. Files need
not be shared: players travel with the tasks.
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
"""Seconds for the answer of a cluster's head."""
PATIENCE = 60.0
"""Seconds that training runs have to save before they are left alone."""
ASK_EVERY = 1.0
"""Seconds after which a task asks again whether it is to end."""


class OnRay(Executor):
    """Computes tasks on a Ray cluster.

    It enters the cluster, and `close` leaves it, which ends what this process has there. Where `ray.init` was called
    before, it computes on that cluster and never leaves it: an error or Ctrl-C ends the tasks of this executor alone.

    Tasks are not cancelled, but find on the cluster a mark that says that they are to end, and then end as by Ctrl-C:
    Ray aborts the whole process that calls `ray.cancel` for a task whose result arrives at that moment
    (`Tried to complete task that was not pending`, seen with Ray 2.60).

    Args:
        address: of the cluster's head, as 10.0.0.1:6379; "": that of this machine, or else a new one on it.

    Raises:
        OSError: there is no cluster at that address.
    """

    elsewhere = True

    def __init__(self, address: str = ""):
        self._going: dict[Any, int] = {}
        """The number of each task that was sent and has not ended."""
        self._mark = ""
        """What is set on the cluster when the tasks are to end."""
        self._entered = not ray.is_initialized()
        if self._entered:
            try:
                if address and address != "auto" and "://" not in address:
                    host, _, port = address.rpartition(":")  # asked first, since Ray asks for minutes
                    socket.create_connection((host, int(port)), CONNECT_LIMIT).close()
                ray.init(address or None, log_to_driver=False, logging_level=logging.ERROR, include_dashboard=False)
            except Exception as error:  # of many kinds, by what stands in the address
                raise OSError(f"there is no Ray cluster at {address or 'this machine'}: {one_line(error)}") from error

    def run(
        self, function: Callable[..., T], tasks: Iterable[Task], progress: Progress | None = None, cpus: int = 1
    ) -> Iterator[tuple[int, T]]:
        """As of `Executor`; the progress of a task is told when it ends."""
        cpus = min(cpus, _largest_machine())
        remote: Any = ray.remote(max_retries=ATTEMPTS - 1, num_cpus=cpus)(_compute)
        numbered, here = enumerate(tasks), (packages_digest(), str(Path.cwd()))
        going = self._going = {}
        mark = self._mark = f"spygames {uuid.uuid4().hex}"
        try:
            while True:
                # One more for each processor waits for its turn, so that none is idle until the next one is sent.
                most = max(2 * ray.cluster_resources().get("CPU", 0) / cpus, 1)
                while len(going) < most:
                    if (call := next(numbered, None)) is None:
                        break
                    going[remote.remote(pickled((function, call[1]), "a task"), here, mark)] = call[0]
                if not going:
                    return
                for reference in ray.wait([*going], timeout=10)[0]:  # machines may join meanwhile
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
        """Ends the tasks, and leaves the cluster if it was entered here."""
        try:
            self._stop()
        finally:
            if self._entered:
                ray.shutdown()

    def _stop(self) -> None:
        """Ends the tasks; training runs save first."""
        going = [*self._going]
        self._going.clear()
        if going:
            with suppress(RayError):
                internal_kv._internal_kv_put(self._mark, b"")
                ray.wait(going, num_returns=len(going), timeout=PATIENCE)


def _compute(message: bytes, here: tuple[str, str], mark: str) -> tuple[int, Exception | None, Any]:
    """What a machine of the cluster does: how much was done, and what came of the task or the error that it ended
    with. `here` is the code and the folder of who asks, and `mark` ends the task."""
    code, folder = here
    told: list[int] = []
    try:
        with _until(mark):
            if code != packages_digest():
                name = platform.node()
                raise ValueError(f"{name} has other code of spygames than this machine: install the same there")
            with suppress(OSError):  # a machine of its own need not have it
                os.chdir(folder)
            found = compute(message, told.append)
    except KeyboardInterrupt:
        if not _is_set(mark):  # a training run whose machine is stopped
            raise
        return 0, None, None  # to nobody
    except Exception as error:
        return sum(told), portable(error), None
    return sum(told), None, found


@contextmanager
def _until(mark: str) -> Iterator[None]:
    """Acts inside like Ctrl-C when the mark is set, at the next step of Python; raises KeyboardInterrupt at once where
    it is set already. Ray has blocked the signal itself for the processes of its machines."""

    def watch() -> None:
        while not over.wait(ASK_EVERY):
            if _is_set(mark):
                _thread.interrupt_main()
                return

    over = threading.Event()
    if _is_set(mark):
        raise KeyboardInterrupt
    signal.signal(signal.SIGINT, signal.default_int_handler)  # whatever a task before has left
    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    try:
        yield
    finally:
        over.set()
        watcher.join()  # nothing comes later


def _is_set(mark: str) -> bool:
    with suppress(RayError):  # the cluster's head does not answer
        return internal_kv._internal_kv_exists(mark)
    return False


def _largest_machine() -> int:
    """The most processors of a machine of the cluster, so that no task waits for a larger one."""
    return int(max([1, *(node["Resources"].get("CPU", 0) for node in ray.nodes() if node["Alive"])]))
