"""Checks of what `load_state_dict` is given: it comes from a file."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import torch
from torch import Tensor

from spygames.core.basics.text import one_line


def tensor_difference(wanted: Mapping[str, Tensor], found: Mapping[str, Tensor]) -> str:
    """The first name, shape or dtype of `found` that is another than in `wanted`, in words; "" where all are alike."""
    for name in {**wanted, **found}:
        here, there = (_shape(name, tensors.get(name)) for tensors in (found, wanted))
        if here != there:
            return f"{here} instead of {there}"
    return ""


def _shape(name: str, tensor: Tensor | None) -> str:
    return f"no {name!r:.60}" if tensor is None else f"{name!r:.60} {tensor.dtype} {list(tensor.shape)}"


def tensors_of(state: Mapping[str, Any]) -> dict[str, Tensor]:
    """The tensors of a state dict, without its plain values."""
    return {name: value for name, value in state.items() if isinstance(value, Tensor)}


def check_numbers(tensors: Mapping[str, Tensor]) -> None:
    """ValueError for floats that are not finite, and for steps of Adam or mean squares of gradients below 0, which Adam
    divides by the root of."""
    for name, tensor in tensors.items():
        if tensor.is_floating_point() and not bool(torch.isfinite(tensor).all()):
            raise ValueError(f"{name} are not all finite numbers")
        if name.startswith("adam.") and name.endswith((".exp_avg_sq", ".step")) and bool((tensor < 0).any()):
            raise ValueError(f"{name} are not all from 0 up")


def set_rng(rng: np.random.Generator, state: Any) -> None:
    """Puts `rng` where a generator with that state was; ValueError if it is the state of no generator."""
    try:
        rng.bit_generator.state = state
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        raise ValueError(f"its luck is the state of no random generator ({one_line(error)})") from error
