"""Pytest plugin that hides this processor's bfloat16 instructions: `pytest -p tests.support.plain_processor`.

Code that uses bfloat16 where it is fast then computes in float32, as on most processors.
"""

import torch


def pytest_configure() -> None:
    """Make torch report that bfloat16 instructions are missing."""
    torch.cpu._is_avx512_bf16_supported = lambda: False
