"""Runs the tests that compute with networks as other processors do, then a program in unusual environments:
`python -m tests.support.portable`, with arguments of pytest behind it.

Each setting is a process of its own, as libraries look at the processor when they are imported.
"""

import os
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
TESTS = (
    "tests/training",
    "tests/core/players",
    "tests/poker",
    "tests/core/pictures/test_raster.py",
    "tests/docs/test_code.py",
    "tests/docs/test_ladders.py",
)
"""What plays, learns, searches or draws by sums that processors round in their own ways."""


class Setting(NamedTuple):
    """How a processor is imitated."""

    name: str
    environment: dict[str, str]
    plugins: tuple[str, ...]


def settings() -> list[Setting]:
    """What is imitated here. A library that does not know a variable, as on other processors, leaves it alone."""
    found = np.show_config(mode="dicts")["SIMD Extensions"].get("found", [])  # type: ignore[index, union-attr]
    plain = {
        "ATEN_CPU_CAPABILITY": "default",
        "ONEDNN_MAX_CPU_ISA": "SSE41",
        "MKL_ENABLE_INSTRUCTIONS": "SSE4_2",
        "NPY_DISABLE_CPU_FEATURES": " ".join(found),
    }
    return [
        Setting("the plainest vector instructions, none for bfloat16", plain, ("plain_processor",)),
        Setting("machine code for any processor", {"NUMBA_CPU_NAME": "generic"}, ()),
        Setting("sums in the reversed order", {}, ("reversed_sums",)),
    ]


def main(arguments: Sequence[str]) -> int:
    """Runs the tests in each setting; returns 1 if any of them failed."""
    failed = []
    for setting in settings():
        print(f"== {setting.name}", flush=True)
        plugins = [part for name in setting.plugins for part in ("-p", f"tests.support.{name}")]
        began = time.monotonic()
        done = subprocess.run(
            [sys.executable, "-m", "pytest", "-q", *plugins, *TESTS, *arguments],
            cwd=ROOT,
            env={**os.environ, **setting.environment},
            check=False,
        )
        print(f"== {setting.name}: {time.monotonic() - began:.0f} s", flush=True)
        failed += [setting.name] if done.returncode else []
    print("== unusual environments", flush=True)
    command = [sys.executable, "-m", "pytest", "-q", "-rs", "-m", "portable", "tests/portable", *arguments]
    failed += ["unusual environments"] if subprocess.run(command, cwd=ROOT, check=False).returncode else []
    print(f"failed: {'; '.join(failed)}" if failed else "all settings passed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
