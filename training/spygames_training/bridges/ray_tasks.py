"""The machines of a Ray cluster that compute tasks.

Ray gives a task whose machine is lost to another one. Every machine must have the same code of this package. Files need
not be shared: players travel with the tasks.
"""

import logging
import os
import platform
import socket
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar

import ray  # pyright: ignore[reportMissingImports]
from ray.exceptions import RayError  # pyright: ignore[reportMissingImports]

from spygames.core.basics.text import one_line
from spygames_training.evaluation.digests import packages_digest
from spygames_training.parallel.executor import ATTEMPTS, Executor, Progress, Task, TaskLost
from spygames_training.parallel.pool import compute, pickled, portable

T = TypeVar("T")
CONNECT_LIMIT = 10.0
"""Seconds for the answer of a cluster's head."""
PATIENCE = 60.0
"""Seconds that training runs have to save before they are left alone."""


class OnRay(Executor):
    """Computes tasks on a Ray cluster.

    Args:
        address: of the cluster's head, as 10.0.0.1:6379; "": that of this machine, or else a new one on it.

    Raises:
        OSError: there is no cluster at that address.
    """

    elsewhere = True

    def __init__(self, address: str = ""):
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
        numbered, going, here = enumerate(tasks), dict[Any, int](), (packages_digest(), str(Path.cwd()))
        try:
            while True:
                # One more for each processor waits for its turn, so that none is idle until the next one is sent.
                most = max(2 * ray.cluster_resources().get("CPU", 0) / cpus, 1)
                while len(going) < most:
                    if (call := next(numbered, None)) is None:
                        break
                    going[remote.remote(pickled((function, call[1]), "a task"), here)] = call[0]
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
            _cancel([*going])

    def close(self) -> None:
        """Leaves the cluster, if it was entered here."""
        if self._entered:
            ray.shutdown()


def _compute(message: bytes, here: tuple[str, str]) -> tuple[int, Exception | None, Any]:
    """What a machine of the cluster does: how much was done, and what came of the task or the error that it ended
    with. `here` is the code and the folder of who asks."""
    code, folder = here
    told: list[int] = []
    try:
        if code != packages_digest():
            raise ValueError(f"{platform.node()} has other code of spygames than this machine: install the same there")
        with suppress(OSError):  # a machine of its own need not have it
            os.chdir(folder)
        found = compute(message, told.append)
    except Exception as error:
        return sum(told), portable(error), None
    return sum(told), None, found


def _largest_machine() -> int:
    """The most processors of a machine of the cluster, so that no task waits for a larger one."""
    return int(max([1, *(node["Resources"].get("CPU", 0) for node in ray.nodes() if node["Alive"])]))


def _cancel(references: list[Any]) -> None:
    """Ends tasks; training runs save first."""
    with suppress(RayError):
        for reference in references:
            ray.cancel(reference)
        if references:
            ray.wait(references, num_returns=len(references), timeout=PATIENCE)
