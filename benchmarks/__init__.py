"""Benchmarks of the environments and of training next to other libraries: `python -m benchmarks`, in a clone."""
