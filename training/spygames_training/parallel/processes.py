"""Several processes, on one machine or many, that train one network; alone where no launcher has started several.

Numbers travel as tensors, never as pickled objects. A process that is slow is waited for; one that has ended, or that
nobody hears any more, ends the others with one line, so that a launcher can start all of them again.
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

MEETING = timedelta(minutes=10)
"""How long a process waits at the start until all others have been started."""
PATIENCE = timedelta(minutes=2)
"""How long it waits later for a word of another one."""
PULSE = 1.0
"""Seconds between two signs of life of a process that does its own work (`Processes.in_own_time`)."""
LAUNCH = ("RANK", "WORLD_SIZE", "MASTER_ADDR")
"""The variables by which a launcher tells each process who it is and where they meet."""
PORT = "29500"
"""Where they meet if MASTER_PORT is not set; torchrun's default, too."""


class ProcessLost(ConnectionError):
    """Another process has ended, has failed, or cannot be reached; the last saved state is whole."""


@dataclass(frozen=True)
class Processes:
    """Who this process is among those that train together. All call the same methods in the same order."""

    rank: int = 0
    """From 0; the first one reads, evaluates, writes and reports."""
    count: int = 1
    """How many they are."""
    local_rank: int = 0
    """Which one on this machine: the number of its GPU, if there are some."""
    leader: int = 0
    """The first one's rank in torch's process group."""
    numbers: Any = field(default=None, repr=False, compare=False)
    """The process group in which numbers travel; None: torch's default."""
    pulse: Any = field(default=None, repr=False, compare=False)
    """The group of the signs of life."""

    @property
    def first(self) -> bool:
        """Whether this process reads, evaluates, writes and reports."""
        return self.rank == 0

    def gather(self, own: np.ndarray) -> list[np.ndarray]:
        """The arrays of all processes, equal in shape and dtype, in the order of their ranks, to all of them."""
        if self.count == 1:
            return [own]
        # As bytes, which every backend moves as they are.
        data = torch.from_numpy(np.array(own, order="C").reshape(-1).view(np.uint8))
        found = [torch.empty_like(data) for _ in range(self.count)]
        with self._hearing():
            dist.all_gather(found, data, group=self.numbers)
        ordered = found[self.leader :] + found[: self.leader]
        return [part.numpy().view(own.dtype).reshape(own.shape) for part in ordered]

    def gather_rows(self, own: np.ndarray) -> list[np.ndarray]:
        """Like `gather`, of arrays that may differ in their number of rows (the first axis)."""
        if self.count == 1:
            return [own]
        lengths = [int(length[0]) for length in self.gather(np.array([len(own)]))]
        if not any(lengths):
            return [own] * self.count
        padded = np.zeros((max(lengths), *own.shape[1:]), own.dtype)
        padded[: len(own)] = own
        return [part[:length] for part, length in zip(self.gather(padded), lengths, strict=True)]

    def add(self, tensors: Sequence[Tensor]) -> None:
        """Replaces each tensor by its sum over all processes, in one message."""
        if self.count > 1:
            flat = torch.cat([t.reshape(-1) for t in tensors])
            with self._hearing():
                dist.all_reduce(flat, group=self.numbers)
            for tensor, part in zip(tensors, flat.split([t.numel() for t in tensors]), strict=True):
                tensor.copy_(part.view_as(tensor))

    def copy_first(self, tensors: Sequence[Tensor]) -> None:
        """Replaces each tensor by that of the first process."""
        for tensor in tensors if self.count > 1 else ():
            data = tensor.contiguous()
            with self._hearing():
                dist.broadcast(data, self.leader, group=self.numbers)
            tensor.copy_(data)

    def from_first(self, find: Callable[[], bytes]) -> bytes:
        """What `find` returns in the first process, which alone calls it, to all of them.

        Raises:
            ProcessLost: in the others, if it raised something.
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
        """The same processes, the first of which is the one with the largest claim; of equal ones it is the one that
        came first before."""
        claims = [int(other[0]) for other in self.gather(np.array([claim]))]
        shift = claims.index(max(claims))
        return replace(self, rank=(self.rank - shift) % self.count, leader=(self.leader + shift) % self.count)

    @contextmanager
    def in_own_time(self) -> Iterator[None]:
        """All leave the context together, and each may take any time in it: as long as it lives it is waited for.

        Raises:
            ProcessLost: when this process is done: another one has failed in the context, or is not heard any more.
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
            raise ProcessLost(f"{self} stops, for another one has failed")

    def __str__(self) -> str:
        """For messages."""
        return f"process {self.rank} of {self.count}"

    @contextmanager
    def _hearing(self) -> Iterator[None]:
        """An error of the connection becomes a `ProcessLost`."""
        try:
            yield
        except RuntimeError as error:
            raise ProcessLost(f"{self} has lost another one, which has ended or is cut off: {_said(error)}") from error


ALONE = Processes()


class _Heart(threading.Thread):
    """Tells the other processes again and again that this one lives, until all are done or one has failed."""

    def __init__(self, processes: Processes):
        super().__init__(name="pulse", daemon=True)
        self._group = processes.pulse
        self._done = threading.Event()
        self._failed = self.others_failed = False
        self.error: RuntimeError | None = None

    def run(self) -> None:
        """Beats; a process that is done waits in `all_reduce` for the next beat of the others."""
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
        """This process is done, or has failed; waits for the others, unless one has failed."""
        self._failed = failed
        self._done.set()
        self.join()


def join() -> Processes:
    """Meets the other processes that a launcher has started; without one this process is alone.

    They are joined if torch's process group is there (Ray Train), or if RANK, WORLD_SIZE and MASTER_ADDR are set
    (torchrun, or a line of shell in a job of SLURM or Kubernetes). Numbers on GPUs go through NCCL, all else through
    gloo.

    Raises:
        ValueError: only some of the three are set, or to no numbers.
        ProcessLost: the others were not met in `MEETING`.
    """
    joined = dist.is_initialized()
    launched = (dist.get_rank(), dist.get_world_size()) if joined else _launched()
    if launched is None:
        return ALONE
    rank, count = launched
    local_rank = int(os.environ.get("LOCAL_RANK", rank))
    if count == 1:
        return Processes(local_rank=local_rank)
    gpus = torch.cuda.device_count() if torch.cuda.is_available() else 0
    backend = "cpu:gloo,cuda:nccl" if gpus else "gloo"
    if gpus:
        # Else all processes have a context on the first GPU, too, and NCCL guesses which one is whose.
        torch.cuda.set_device(local_rank % gpus)
    try:
        if not joined:
            os.environ.setdefault("MASTER_PORT", PORT)
            store, rank, count = next(rendezvous("env://", timeout=MEETING))
            store.set_timeout(PATIENCE)
            dist.init_process_group(backend, store=store, rank=rank, world_size=count, timeout=PATIENCE)
        numbers = dist.new_group(timeout=PATIENCE, backend=backend)
        pulse = dist.new_group(timeout=PATIENCE, backend="gloo")
    except RuntimeError as error:
        place = f"{os.environ.get('MASTER_ADDR')}:{os.environ.get('MASTER_PORT')}"
        raise ProcessLost(f"process {rank} of {count} cannot meet the others at {place}: {_said(error)}") from error
    return Processes(rank, count, local_rank, 0, numbers, pulse)


def leave() -> None:
    """Leaves the group of processes, if there is one."""
    if dist.is_initialized():
        dist.destroy_process_group()


def _launched() -> tuple[int, int] | None:
    """Rank and number of processes as the launcher gave them; None where there is none."""
    given = {name: os.environ[name] for name in LAUNCH if os.environ.get(name)}
    if not given:
        return None
    if missing := [name for name in LAUNCH if name not in given]:
        raise ValueError(
            f"{' and '.join(given)} set, but not {' and '.join(missing)}: set all of {', '.join(LAUNCH)} where several "
            "processes train together, and none of them where this one is alone"
        )
    rank, count = given["RANK"], given["WORLD_SIZE"]
    if not rank.isdecimal() or not count.isdecimal() or not 0 <= int(rank) < int(count):
        raise ValueError(
            f"RANK must be a whole number from 0 to WORLD_SIZE - 1, not {one_line(rank)} of {one_line(count)}"
        )
    return int(rank), int(count)


def _said(error: RuntimeError) -> str:
    """What torch says of a lost connection, without the place in its sources."""
    return one_line(re.sub(r"^\[\S+:\d+\] ", "", str(error).partition("\n")[0]), 200)
