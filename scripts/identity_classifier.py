"""`python -m studies.heimlich_identities`."""

import runpy
import sys

sys.path[0] = __file__.rpartition("scripts")[0] or "."
runpy.run_module("studies.heimlich_identities", run_name="__main__", alter_sys=True)
