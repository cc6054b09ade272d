"""`python -m studies.heimlich_random_play`."""

import runpy
import sys

sys.path[0] = __file__.rpartition("scripts")[0] or "."
runpy.run_module("studies.heimlich_random_play", run_name="__main__", alter_sys=True)
