"""Check tensors and values from a file before they are passed to `load_state_dict`."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import torch
from torch import Tensor

from spygames.core.basics.text import one_line


def tensor_difference(wanted: Mapping[str, Tensor], found: Mapping[str, Tensor]) -> str:
    """Describe the first name, shape or dtype in which `found` differs from `wanted`; "" if there is no difference."""
    for name in {**wanted, **found}:
        here, there = (_shape(name, tensors.get(name)) for tensors in (found, wanted))
        if here != there:
            return f"{here} instead of {there}"
    return ""


def _shape(name: str, tensor: Tensor | None) -> str:
    return f"no {name!r:.60}" if tensor is None else f"{name!r:.60} {tensor.dtype} {list(tensor.shape)}"


def tensors_of(state: Mapping[str, Any]) -> dict[str, Tensor]:
    """Return the tensors of a state dict, without its plain values."""
    return {name: value for name, value in state.items() if isinstance(value, Tensor)}


def check_numbers(tensors: Mapping[str, Tensor]) -> None:
    """Raise ValueError for values that are not finite, and for negative steps or mean squared gradients of Adam.

    Adam divides by the square root of a mean squared gradient.
    """
    for name, tensor in tensors.items():
        if tensor.is_floating_point() and not bool(torch.isfinite(tensor).all()):
            raise ValueError(f"{name} must be finite")
        if name.startswith("adam.") and name.endswith((".exp_avg_sq", ".step")) and bool((tensor < 0).any()):
            raise ValueError(f"{name} must not be negative")


def set_rng(rng: np.random.Generator, state: Any) -> None:
    """Set the state of `rng`; ValueError if `state` is not one of a random generator."""
    try:
        rng.bit_generator.state = state
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        raise ValueError(f"luck must be the state of a random generator ({one_line(error)})") from error
