"""Recorded games: JSON lines that replay exactly, and films of them."""
