"""Private names of other libraries that this package uses, each behind a function that says why.

tests/training/system/test_compat.py shows whether a new version still has them.
"""

from typing import Any

import torch


def has_bfloat16(device: torch.device) -> bool:
    """Whether the processor or GPU has instructions for bfloat16. False if torch does not say."""
    if device.type == "cuda":
        with torch.cuda.device(device):  # torch answers for the current device
            return torch.cuda.is_bf16_supported(including_emulation=False)
    if device.type != "cpu":
        return False
    supported = getattr(torch.cpu, "_is_avx512_bf16_supported", None)
    return supported is not None and bool(supported())


def has_amx() -> bool:
    """Whether the processor has AMX, Intel's instructions for matrices. False if torch does not say."""
    supported = getattr(torch.cpu, "_is_amx_tile_supported", None)
    return supported is not None and bool(supported())


def updates_made(model: Any) -> int:
    """Return the number of update epochs that an on-policy algorithm of stable-baselines3 has made."""
    return model._n_updates
