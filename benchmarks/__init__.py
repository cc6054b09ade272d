"""Measures the environments and training beside other libraries: `python -m benchmarks`, from the top of a clone."""
