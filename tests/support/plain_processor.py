"""A plugin for pytest that hides this processor's instructions for bfloat16: `pytest -p tests.support.plain_processor`.

What takes bfloat16 where it is fast then computes in float32, as on most processors.
"""

import torch


def pytest_configure() -> None:
    """Has torch say that there are none."""
    torch.cpu._is_avx512_bf16_supported = lambda: False
