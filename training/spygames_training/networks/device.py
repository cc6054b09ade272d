"""Where a network computes, and in which type. Games are played on the CPU always."""

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from spygames_training.config import Device, Precision
from spygames_training.parallel.compat import has_fast_bfloat16


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
        kind = self.device.type
        return in_float32(kind) if self.dtype is torch.float32 else torch.autocast(kind, self.dtype)

    @property
    def is_here(self) -> bool:
        """Whether the network has the same memory as the games."""
        return shares_memory(self.device)

    def rows(self, array: Tensor, rows: Tensor) -> Tensor:
        """Some rows, int64 [k], of an array on the CPU or on the network's device, as the network takes them."""
        return array.index_select(0, rows.to(array.device)).to(self.device, self.dtype)


def in_float32(kind: str) -> AbstractContextManager[Any]:
    """The context in which networks on that kind of device compute in float32, also where the caller has torch cast."""
    if not torch.amp.is_autocast_available(kind) or not torch.is_autocast_enabled(kind):
        return nullcontext()
    return torch.autocast(kind, enabled=False)


def shares_memory(device: torch.device) -> bool:
    """Whether tensors there are in the same memory as the games, so that none has to travel."""
    return device.type == "cpu"


def to_numpy(tensor: Tensor) -> np.ndarray:
    """A network's output as a float32 array on the CPU."""
    return tensor.detach().float().cpu().numpy()


def fetch(outputs: Sequence[Tensor]) -> list[np.ndarray]:
    """Several outputs of a network as float32 arrays on the CPU, in one transfer: each is a wait for the device."""
    if shares_memory(outputs[0].device):
        return [to_numpy(output) for output in outputs]
    flat = torch.cat([output.detach().float().reshape(-1) for output in outputs])
    parts = np.split(to_numpy(flat), np.cumsum([output.numel() for output in outputs[:-1]]))
    return [part.reshape(output.shape) for part, output in zip(parts, outputs, strict=True)]


def send(arrays: Sequence[np.ndarray], outputs: Sequence[Tensor]) -> list[Tensor]:
    """Float32 arrays, each of the shape of an output of a network, where those are and in their types, in one
    transfer."""
    if shares_memory(outputs[0].device):
        return [torch.from_numpy(array).to(output.dtype) for array, output in zip(arrays, outputs, strict=True)]
    flat = torch.from_numpy(np.concatenate([array.ravel() for array in arrays])).to(outputs[0].device)
    parts = flat.split([array.size for array in arrays])
    return [part.view(output.shape).to(output.dtype) for part, output in zip(parts, outputs, strict=True)]


def find_device(device: Device, number: int, pays: Callable[[], bool]) -> torch.device:
    """`device` of a config on this machine.

    Args:
        device: cpu, cuda, or auto: a GPU where there is one and it pays.
        number: of this process on this machine; several share out the GPUs.
        pays: whether a GPU would be faster (`faster_device.gpu_pays`); asked where it is open.

    Raises:
        ValueError: for cuda where there is none.
    """
    gpus = torch.cuda.device_count() if torch.cuda.is_available() else 0
    if device == "cuda" and not gpus:
        raise ValueError("device is cuda, but torch finds no GPU here: take auto or cpu")
    if device == "cpu" or not gpus or (device == "auto" and not pays()):
        return torch.device("cpu")
    return torch.device("cuda", number % gpus)


# A forked process inherits torch's belief in threads that it does not have, and waits for them for ever. With one
# thread it needs none; torch's own DataLoader does the same in its workers.
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=lambda: torch.set_num_threads(1))


@contextmanager
def usual_torch() -> Iterator[None]:
    """Tensors that are made inside are on the CPU, can learn and are not cast, whatever the caller has set."""
    with torch.inference_mode(False), torch.enable_grad(), torch.device("cpu"), in_float32("cpu"), in_float32("cuda"):
        yield


@contextmanager
def float32_by_default() -> Iterator[None]:
    """Code of others that names no type makes float32 inside, whatever the caller's program has set."""
    dtype = torch.get_default_dtype()
    torch.set_default_dtype(torch.float32)
    try:
        yield
    finally:
        torch.set_default_dtype(dtype)


@contextmanager
def seeded(seed: int) -> Iterator[None]:
    """torch's generator of the CPU begins with `seed` inside, and afterwards goes on as if nobody had drawn from it."""
    state = torch.get_rng_state()
    torch.default_generator.manual_seed(seed)
    try:
        yield
    finally:
        torch.set_rng_state(state)


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
