"""Processes that train one network together, on one machine or several. Without a launcher the process is alone.

Numbers travel as tensors, never as pickled objects. A slow process is waited for. A process that has ended or cannot be
reached ends the others with one line, so that a launcher can restart all of them.
"""

import os
import re
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import Any

import numpy as np
import torch
import torch.distributed as dist
from torch import Tensor
from torch.distributed.rendezvous import rendezvous

from spygames.core.basics.text import one_line

__all__ = ["ProcessLost", "Processes", "join", "leave"]

START_TIMEOUT = timedelta(minutes=10)
"""How long a process waits for the others to start."""
MESSAGE_TIMEOUT = timedelta(minutes=2)
"""How long a process waits for a message of another one after the start."""
PULSE = 1.0
"""Seconds between two heartbeats of a process in `Processes.in_own_time`."""
LAUNCH = ("RANK", "WORLD_SIZE", "MASTER_ADDR")
"""The environment variables by which a launcher gives each process its rank, their number and the meeting point."""
PORT = "29500"
"""The port of the meeting point if MASTER_PORT is not set; the same default as torchrun's."""


class ProcessLost(ConnectionError):
    """Another process has ended, has failed or cannot be reached. The last saved state is intact."""


@dataclass(frozen=True)
class Processes:
    """This process among those that train together. All processes call the same methods in the same order."""

    rank: int = 0
    """Index of this process, from 0. The first process reads, evaluates, writes and reports."""
    count: int = 1
    """Number of processes."""
    local_rank: int = 0
    """Index of this process on its machine, which chooses its GPU if there are any."""
    leader: int = 0
    """Rank of the first process in torch's process group."""
    numbers: Any = field(default=None, repr=False, compare=False)
    """Process group for arrays and tensors; None: torch's default."""
    pulse: Any = field(default=None, repr=False, compare=False)
    """Process group for heartbeats."""

    @property
    def first(self) -> bool:
        """Whether this is the process that reads, evaluates, writes and reports."""
        return self.rank == 0

    def gather(self, own: np.ndarray) -> list[np.ndarray]:
        """Return the arrays of all processes, in the order of their ranks. Shapes and dtypes must be equal."""
        if self.count == 1:
            return [own]
        # As bytes, which every backend transfers unchanged.
        data = torch.from_numpy(np.array(own, order="C").reshape(-1).view(np.uint8))
        found = [torch.empty_like(data) for _ in range(self.count)]
        with self._hearing():
            dist.all_gather(found, data, group=self.numbers)
        ordered = found[self.leader :] + found[: self.leader]
        return [part.numpy().view(own.dtype).reshape(own.shape) for part in ordered]

    def gather_rows(self, own: np.ndarray) -> list[np.ndarray]:
        """Return the arrays of all processes as `gather` does. Their number of rows (the first axis) may differ."""
        if self.count == 1:
            return [own]
        lengths = [int(length[0]) for length in self.gather(np.array([len(own)]))]
        if not any(lengths):
            return [own] * self.count
        padded = np.zeros((max(lengths), *own.shape[1:]), own.dtype)
        padded[: len(own)] = own
        return [part[:length] for part, length in zip(self.gather(padded), lengths, strict=True)]

    def add(self, tensors: Sequence[Tensor]) -> None:
        """Replace each tensor by its sum over all processes, in one message."""
        if self.count > 1:
            flat = torch.cat([t.reshape(-1) for t in tensors])
            with self._hearing():
                dist.all_reduce(flat, group=self.numbers)
            for tensor, part in zip(tensors, flat.split([t.numel() for t in tensors]), strict=True):
                tensor.copy_(part.view_as(tensor))

    def copy_first(self, tensors: Sequence[Tensor]) -> None:
        """Replace each tensor by that of the first process."""
        for tensor in tensors if self.count > 1 else ():
            data = tensor.contiguous()
            with self._hearing():
                dist.broadcast(data, self.leader, group=self.numbers)
            tensor.copy_(data)

    def from_first(self, find: Callable[[], bytes]) -> bytes:
        """Call `find` in the first process and return its result in all processes.

        Raises:
            ProcessLost: in the other processes, if `find` raised an exception.
        """
        with self.in_own_time():
            own = find() if self.first else b""
        if self.count == 1:
            return own
        size = int(self.gather(np.array([len(own)]))[0][0])
        data = (
            torch.from_numpy(np.frombuffer(own, np.uint8).copy())
            if self.first
            else torch.empty(size, dtype=torch.uint8, device="cpu")
        )
        self.copy_first([data])
        return data.numpy().tobytes()

    def led_by(self, claim: int) -> "Processes":
        """Return the processes, renumbered so that the one with the largest `claim` is the first.

        If claims are equal, the lowest current rank wins.
        """
        claims = [int(other[0]) for other in self.gather(np.array([claim]))]
        shift = claims.index(max(claims))
        return replace(self, rank=(self.rank - shift) % self.count, leader=(self.leader + shift) % self.count)

    @contextmanager
    def in_own_time(self) -> Iterator[None]:
        """Context for work of any duration, which may differ between the processes.

        All processes leave the context together, and wait for each other as long as heartbeats arrive.

        Raises:
            ProcessLost: at the end of the context: another process failed in it, or its heartbeat stopped.
        """
        if self.count == 1:
            yield
            return
        heart = _Heart(self)
        heart.start()
        try:
            yield
        except BaseException:
            heart.leave(failed=True)
            raise
        heart.leave()
        with self._hearing():
            if heart.error:
                raise heart.error
        if heart.others_failed:
            raise ProcessLost(f"{self} stops because another process has failed")

    def __str__(self) -> str:
        """Describe the process for messages."""
        return f"process {self.rank} of {self.count}"

    @contextmanager
    def _hearing(self) -> Iterator[None]:
        """Turn an error of the connection into a `ProcessLost`."""
        try:
            yield
        except RuntimeError as error:
            raise ProcessLost(
                f"{self} has lost another process, which has ended or is cut off: {_reason(error)}"
            ) from error


ALONE = Processes()


class _Heart(threading.Thread):
    """Sends heartbeats to the other processes until all are done or one has failed."""

    def __init__(self, processes: Processes):
        super().__init__(name="pulse", daemon=True)
        self._group = processes.pulse
        self._done = threading.Event()
        self._failed = self.others_failed = False
        self.error: RuntimeError | None = None

    def run(self) -> None:
        """Send heartbeats. A process that is done waits in `all_reduce` for the others' next heartbeat."""
        try:
            working = failed = 0
            while not failed:
                done = self._done.wait(PULSE)
                word = torch.tensor([not done, self._failed], dtype=torch.int64, device="cpu")
                dist.all_reduce(word, group=self._group)
                working, failed = word.tolist()
                if not working:
                    break
            self.others_failed = failed > self._failed
        except RuntimeError as error:
            self.error = error

    def leave(self, failed: bool = False) -> None:
        """Report that this process is done or has failed, and wait for the others unless one has failed."""
        self._failed = failed
        self._done.set()
        self.join()


def join() -> Processes:
    """Join the other processes that a launcher has started. Without a launcher the process is alone.

    The processes form a group if torch's process group exists already (Ray Train), or if RANK, WORLD_SIZE and
    MASTER_ADDR are set (torchrun, SLURM or Kubernetes). Tensors on GPUs travel through NCCL, everything else through
    gloo.

    Raises:
        ValueError: some of the three variables are missing, or one of them or LOCAL_RANK is invalid.
        ProcessLost: the others did not start within `START_TIMEOUT`.
    """
    joined = dist.is_initialized()
    launched = (dist.get_rank(), dist.get_world_size()) if joined else _launched()
    if launched is None:
        return ALONE
    rank, count = launched
    given = os.environ.get("LOCAL_RANK") or str(rank)
    if not given.isdecimal():
        raise ValueError(f"LOCAL_RANK must be an integer from 0, not {one_line(given)}")
    local_rank = int(given)
    if count == 1:
        return Processes(local_rank=local_rank)
    gpus = torch.cuda.device_count() if torch.cuda.is_available() else 0
    backend = "cpu:gloo,cuda:nccl" if gpus else "gloo"
    if gpus:
        # Otherwise every process also gets a context on the first GPU, and NCCL guesses the assignment.
        torch.cuda.set_device(local_rank % gpus)
    try:
        if not joined:
            os.environ.setdefault("MASTER_PORT", PORT)
            store, rank, count = next(rendezvous("env://", timeout=START_TIMEOUT))
            store.set_timeout(MESSAGE_TIMEOUT)
            dist.init_process_group(backend, store=store, rank=rank, world_size=count, timeout=MESSAGE_TIMEOUT)
        numbers = dist.new_group(timeout=MESSAGE_TIMEOUT, backend=backend)
        pulse = dist.new_group(timeout=MESSAGE_TIMEOUT, backend="gloo")
    except RuntimeError as error:
        place = f"{os.environ.get('MASTER_ADDR')}:{os.environ.get('MASTER_PORT')}"
        raise ProcessLost(f"process {rank} of {count} cannot reach the others at {place}: {_reason(error)}") from error
    return Processes(rank, count, local_rank, 0, numbers, pulse)


def leave() -> None:
    """Leave the process group, if there is one."""
    if dist.is_initialized():
        dist.destroy_process_group()


def _launched() -> tuple[int, int] | None:
    """Return the rank and number of processes that the launcher has set, or None without a launcher."""
    given = {name: os.environ[name] for name in LAUNCH if os.environ.get(name)}
    if not given:
        return None
    if missing := [name for name in LAUNCH if name not in given]:
        raise ValueError(
            f"{' and '.join(given)} set, but not {' and '.join(missing)}: set all of {', '.join(LAUNCH)} to train "
            "with several processes, and none of them to train with one"
        )
    rank, count = given["RANK"], given["WORLD_SIZE"]
    if not rank.isdecimal() or not count.isdecimal() or not 0 <= int(rank) < int(count):
        raise ValueError(f"RANK must be an integer from 0 to WORLD_SIZE - 1, not {one_line(rank)} of {one_line(count)}")
    return int(rank), int(count)


def _reason(error: RuntimeError) -> str:
    """Return torch's message about a lost connection, without the location in its sources."""
    return one_line(re.sub(r"^\[\S+:\d+\] ", "", str(error).partition("\n")[0]), 200)
