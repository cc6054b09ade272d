"""The machine on which something was computed, in words."""

import os
import platform
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path


def processor() -> str:
    """The name of the processor, as the system has it."""
    info = Path("/proc/cpuinfo")
    if info.exists():
        for line in info.read_text("utf-8", "replace").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def cores() -> int:
    """How many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@cache
def instructions() -> str:
    """The vector instructions that networks compute with on this processor, as "AVX512, bfloat16": the last bits of
    sums depend on them, and in bfloat16 more than these. "unknown" without torch, or where torch does not say."""
    try:
        import torch  # not at the top: benchmarks name the machine without it, too

        from spygames_training.parallel.compat import has_fast_bfloat16

        found = [torch.backends.cpu.get_cpu_capability()]
        return ", ".join([*found, "bfloat16"] if has_fast_bfloat16(torch.device("cpu")) else found)
    except (ImportError, AttributeError, RuntimeError):
        return "unknown"


def machine() -> dict[str, str]:
    """What the figures were taken on."""
    return {
        "processor": processor(),
        "instructions": instructions(),
        "cores": str(cores()),
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        **{name: _version(name) for name in ("numpy", "numba", "pettingzoo", "open_spiel", "torch", "sb3_contrib")},
        "load at the start": f"{os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else "unknown",
    }


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "not installed"
