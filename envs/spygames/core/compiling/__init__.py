"""Kernels: compiling plain functions, linking them, and keeping the machine code between processes."""
