"""Where a network computes, and in which type. Games are played on the CPU always."""

import os
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from spygames_training.compat import has_fast_bfloat16
from spygames_training.config import Device, Precision


@dataclass(frozen=True)
class Compute:
    """A device and a type, float32 or bfloat16; weights are float32 always."""

    device: torch.device
    dtype: torch.dtype

    @classmethod
    def of(cls, network: nn.Module, precision: Precision) -> "Compute":
        """Where the weights of `network` are."""
        device = next(network.parameters()).device
        if precision == "auto":
            precision = "bfloat16" if has_fast_bfloat16(device) else "float32"
        return cls(device, getattr(torch, precision))

    def autocast(self) -> AbstractContextManager[Any]:
        """The context in which the network computes."""
        return nullcontext() if self.dtype is torch.float32 else torch.autocast(self.device.type, self.dtype)

    def rows(self, array: Tensor, rows: Tensor) -> Tensor:
        """Some rows, int64 [k], of what lies on the CPU, as the network takes them."""
        return array.index_select(0, rows).to(self.device, self.dtype)


def to_numpy(tensor: Tensor) -> np.ndarray:
    """A network's output as a float32 array on the CPU."""
    return tensor.detach().float().cpu().numpy()


def find_device(device: Device, number: int = 0) -> torch.device:
    """`device` of a config on this machine, where this process is the one with that number.

    ValueError for cuda where there is none.
    """
    gpus = torch.cuda.device_count() if torch.cuda.is_available() else 0
    if device == "cuda" and not gpus:
        raise ValueError("device is cuda, but torch finds no GPU here: take auto or cpu")
    return torch.device("cpu") if device == "cpu" or not gpus else torch.device("cuda", number % gpus)


# A forked process inherits torch's belief in threads that it does not have, and waits for them for ever. With one
# thread it needs none; torch's own DataLoader does the same in its workers.
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=lambda: torch.set_num_threads(1))


@contextmanager
def one_thread() -> Iterator[None]:
    """torch computes with one thread inside, so that results do not depend on how many it would take: the order of
    sums in a matrix product or decomposition does."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(threads)
