"""Several processes, on one machine or many, that train one network: started by torchrun, alone without it."""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import torch
import torch.distributed as dist
from torch import Tensor


@dataclass(frozen=True)
class Processes:
    """Who this process is among those that train together. All call the same methods in the same order."""

    rank: int = 0
    """From 0; the first one evaluates, writes and reports."""
    count: int = 1
    local_rank: int = 0
    """Which one on this machine: the number of its GPU, if there are some."""

    @property
    def first(self) -> bool:
        """Whether this process evaluates, writes and reports."""
        return self.rank == 0

    def gather(self, own: Any) -> list[Any]:
        """What every process gives, in the order of their ranks, to all of them. Waits for the slowest."""
        if self.count == 1:
            return [own]
        everybody: list[Any] = [None] * self.count
        dist.all_gather_object(everybody, own)
        return everybody

    def add(self, tensors: Sequence[Tensor]) -> None:
        """Replaces each tensor by its sum over all processes, in one message."""
        if self.count > 1:
            flat = torch.cat([t.reshape(-1) for t in tensors])
            dist.all_reduce(flat)
            for tensor, part in zip(tensors, flat.split([t.numel() for t in tensors]), strict=True):
                tensor.copy_(part.view_as(tensor))


ALONE = Processes()


def join() -> Processes:
    """Meets the other processes that torchrun has started; without torchrun this one is alone.

    Numbers on GPUs go through NCCL, all else through gloo.
    """
    if not dist.is_torchelastic_launched():
        return ALONE
    local_rank = int(os.environ["LOCAL_RANK"])
    if not dist.is_initialized():
        if torch.cuda.is_available():
            # Else all processes have a context on the first GPU, too, and NCCL guesses which one is whose.
            torch.cuda.set_device(local_rank % torch.cuda.device_count())
        # The others wait while the first one evaluates, however long that takes.
        dist.init_process_group(
            "cpu:gloo,cuda:nccl" if torch.cuda.is_available() else "gloo", timeout=timedelta(days=1)
        )
    return Processes(dist.get_rank(), dist.get_world_size(), local_rank)


def leave() -> None:
    """Leaves the group of processes, if there is one."""
    if dist.is_initialized():
        dist.destroy_process_group()
