"""Description of the machine that results were computed on."""

import os
import platform
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

LIBRARIES = ("numpy", "numba", "pettingzoo", "open_spiel", "torch", "sb3_contrib")


def processor() -> str:
    """Return the processor's name as the operating system reports it."""
    info = Path("/proc/cpuinfo")
    if info.exists():
        for line in info.read_text("utf-8", "replace").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def cores() -> int:
    """Return the number of cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@cache
def instructions() -> str:
    """Return the vector instructions that networks use on this processor, such as "AVX512, bfloat16".

    The last bits of sums depend on them; with bfloat16 the effect is larger. "unknown" if torch is missing or does not
    say.
    """
    try:
        import torch  # not at the top: benchmarks describe the machine without torch, too

        from spygames_training.system.compat import has_bfloat16

        found = [torch.backends.cpu.get_cpu_capability()]
        return ", ".join([*found, "bfloat16"] if has_bfloat16(torch.device("cpu")) else found)
    except (ImportError, AttributeError, RuntimeError):
        return "unknown"


def machine() -> dict[str, str]:
    """Return a description of the machine for results: hardware, system, versions and load."""
    return {
        "processor": processor(),
        "instructions": instructions(),
        "cores": str(cores()),
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        **{
            name: installed_version(name)
            for name in ("numpy", "numba", "pettingzoo", "open_spiel", "torch", "sb3_contrib")
        },
        "load at the start": f"{os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else "unknown",
    }


def installed_version(package: str) -> str:
    """Return the version of a library, or "not installed"."""
    try:
        return version(package)
    except PackageNotFoundError:
        return "not installed"
