"""Pytest plugin that makes networks add in reversed order: `pytest -p tests.support.reversed_sums`.

Other processors and other versions of torch add in other orders, too. A test that fails with this plugin depends on the
last bits of a sum.
"""

import torch
from torch import Tensor
from torch.nn import functional

_linear = functional.linear


def _reversed(input: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    if torch.onnx.is_in_onnx_export() or torch.compiler.is_compiling():
        return _linear(input, weight, bias)
    return _linear(input.flip(-1), weight.flip(-1), bias)


def pytest_configure() -> None:
    """Replace torch's own function."""
    functional.linear = _reversed
