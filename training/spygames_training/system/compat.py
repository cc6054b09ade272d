"""Private names of other libraries that this package uses, each behind a function that says why.

tests/training/system/test_compat.py shows whether a new version still has them.
"""

from typing import Any

import torch

from spygames_training.system.machine import processor


def has_bfloat16(device: torch.device) -> bool:
    """Whether the processor or GPU has instructions for bfloat16. False if torch does not say."""
    if device.type == "cuda":
        with torch.cuda.device(device):  # torch answers for the current device
            return torch.cuda.is_bf16_supported(including_emulation=False)
    if device.type != "cpu":
        return False
    supported = getattr(torch.cpu, "_is_avx512_bf16_supported", None)
    return supported is not None and bool(supported())


def has_fast_bfloat16(device: torch.device) -> bool:
    """Whether networks are faster in bfloat16 than in float32. False if torch does not say.

    Intel's AVX-512 instructions for bfloat16 are not: of its processors, only those with AMX are faster. Virtual
    machines may hide AMX.
    """
    if not has_bfloat16(device):
        return False
    amx = getattr(torch.cpu, "_is_amx_tile_supported", None)
    return device.type != "cpu" or "Intel" not in processor() or (amx is not None and bool(amx()))


def updates_made(model: Any) -> int:
    """Return the number of update epochs that an on-policy algorithm of stable-baselines3 has made."""
    return model._n_updates
