"""`python -m benchmarks`."""

import runpy
import sys

sys.path[0] = __file__.rpartition("scripts")[0] or "."
runpy.run_module("benchmarks", run_name="__main__", alter_sys=True)
