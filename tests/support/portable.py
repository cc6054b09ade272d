"""Run the tests that compute with networks as on other processors, then a program in unusual environments:
`python -m tests.support.portable`, followed by arguments of pytest.

Each setting runs in a separate process, since libraries inspect the processor when they are imported.
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
"""Tests that play, learn, search or draw with sums that processors round differently."""


class Setting(NamedTuple):
    """How to imitate a processor."""

    name: str
    environment: dict[str, str]
    plugins: tuple[str, ...]


def settings() -> list[Setting]:
    """Return the settings to imitate here. Libraries ignore variables that they do not know, as on other processors."""
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
    """Run the tests in each setting; return 1 if any failed."""
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
