"""Kernels: compile plain functions, link them, and cache their machine code on disk."""
