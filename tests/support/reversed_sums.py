"""A plugin for pytest that has networks add up in the reversed order: `pytest -p tests.support.reversed_sums`.

So do other processors and other versions of torch, each in an order of its own. A test that fails with it depends on
the last bits of a sum.
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
    """Puts it in the place of torch's own."""
    functional.linear = _reversed
