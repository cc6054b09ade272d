"""Shared by all tests."""

import sys
from pathlib import Path

from hypothesis import settings

# `tests` is a package: its modules import each other also where pytest is not started as `python -m pytest`. The
# source roots are not on this path, so tests run against what is installed.
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

# The machine's load decides how long an example takes, so that never decides a test; equal runs give equal examples.
settings.register_profile("spygames", deadline=None, derandomize=True)
settings.load_profile("spygames")
