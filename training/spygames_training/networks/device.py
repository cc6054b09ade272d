"""Devices and number formats of networks, transfers, and torch's global settings. Games are always played on the
CPU."""

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from spygames_training.config import Device, Precision
from spygames_training.system.compat import has_amx, has_bfloat16
from spygames_training.system.machine import processor


@dataclass(frozen=True)
class Compute:
    """A device and a dtype to compute in, float32 or bfloat16. Weights are always float32."""

    device: torch.device
    dtype: torch.dtype

    @classmethod
    def of(cls, network: nn.Module, precision: Precision) -> "Compute":
        """Return the device of `network`, with the dtype that `precision` means there."""
        device = next(network.parameters()).device
        if precision == "auto":
            precision = "bfloat16" if has_fast_bfloat16(device) else "float32"
        return cls(device, getattr(torch, precision))

    def autocast(self) -> AbstractContextManager[Any]:
        """Return the context in which the network computes."""
        kind = self.device.type
        return in_float32(kind) if self.dtype is torch.float32 else torch.autocast(kind, self.dtype)

    @property
    def is_here(self) -> bool:
        """Whether the network is in the same memory as the games."""
        return shares_memory(self.device)

    def rows(self, array: Tensor, rows: Tensor) -> Tensor:
        """Select rows, int64 [k], of an array on the CPU or on the network's device, in the network's device and
        dtype."""
        return array.index_select(0, rows.to(array.device)).to(self.device, self.dtype)


def has_fast_bfloat16(device: torch.device) -> bool:
    """Whether networks are faster in bfloat16 than in float32. False if torch does not say.

    Intel's AVX-512 instructions for bfloat16 are not: of its processors, only those with AMX are faster. Virtual
    machines may hide AMX.
    """
    return has_bfloat16(device) and (device.type != "cpu" or "Intel" not in processor() or has_amx())


def in_float32(kind: str) -> AbstractContextManager[Any]:
    """Return a context in which networks on that kind of device compute in float32, even inside a caller's autocast."""
    if not torch.amp.is_autocast_available(kind) or not torch.is_autocast_enabled(kind):
        return nullcontext()
    return torch.autocast(kind, enabled=False)


def shares_memory(device: torch.device) -> bool:
    """Whether tensors on `device` are in the same memory as the games, so that nothing is transferred."""
    return device.type == "cpu"


def to_numpy(tensor: Tensor) -> np.ndarray:
    """Convert a network's output to a float32 array on the CPU."""
    return tensor.detach().float().cpu().numpy()


def fetch(outputs: Sequence[Tensor]) -> list[np.ndarray]:
    """Convert several outputs of a network to float32 arrays on the CPU, in one transfer, since each transfer waits for
    the device."""
    if shares_memory(outputs[0].device):
        return [to_numpy(output) for output in outputs]
    flat = torch.cat([output.detach().float().reshape(-1) for output in outputs])
    parts = np.split(to_numpy(flat), np.cumsum([output.numel() for output in outputs[:-1]]))
    return [part.reshape(output.shape) for part, output in zip(parts, outputs, strict=True)]


def send(arrays: Sequence[np.ndarray], outputs: Sequence[Tensor]) -> list[Tensor]:
    """Copy float32 arrays to the device and dtype of `outputs`, in one transfer. Each array has the shape of its
    output."""
    if shares_memory(outputs[0].device):
        return [torch.from_numpy(array).to(output.dtype) for array, output in zip(arrays, outputs, strict=True)]
    flat = torch.from_numpy(np.concatenate([array.ravel() for array in arrays])).to(outputs[0].device)
    parts = flat.split([array.size for array in arrays])
    return [part.view(output.shape).to(output.dtype) for part, output in zip(parts, outputs, strict=True)]


def find_device(device: Device, number: int, pays: Callable[[], bool]) -> torch.device:
    """Resolve `device` of a config on this machine.

    Args:
        device: cpu, cuda, or auto: a GPU if there is one and it pays.
        number: the index of this process on this machine; processes share the GPUs.
        pays: whether a GPU would be faster (`faster_device.gpu_pays`); called only if the choice is open.

    Raises:
        ValueError: `device` is cuda, and torch finds no GPU.
    """
    gpus = torch.cuda.device_count() if torch.cuda.is_available() else 0
    if device == "cuda" and not gpus:
        raise ValueError("device must be auto or cpu, not cuda: torch finds no GPU on this machine")
    if device == "cpu" or not gpus or (device == "auto" and not pays()):
        return torch.device("cpu")
    return torch.device("cuda", number % gpus)


# A forked process has none of its parent's threads, but torch would wait for them forever. With one thread it needs
# none; torch's own DataLoader does the same in its workers.
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=lambda: torch.set_num_threads(1))


@contextmanager
def usual_torch() -> Iterator[None]:
    """Context in which new tensors are on the CPU, record gradients and are not cast, whatever the caller has set."""
    with torch.inference_mode(False), torch.enable_grad(), torch.device("cpu"), in_float32("cpu"), in_float32("cuda"):
        yield


@contextmanager
def float32_by_default() -> Iterator[None]:
    """Context in which user code that names no dtype makes float32, whatever the caller has set."""
    dtype = torch.get_default_dtype()
    torch.set_default_dtype(torch.float32)
    try:
        yield
    finally:
        torch.set_default_dtype(dtype)


@contextmanager
def seeded(seed: int) -> Iterator[None]:
    """Context in which torch's CPU generator starts from `seed`. Its earlier state is restored afterwards."""
    state = torch.get_rng_state()
    torch.default_generator.manual_seed(seed)
    try:
        yield
    finally:
        torch.set_rng_state(state)
