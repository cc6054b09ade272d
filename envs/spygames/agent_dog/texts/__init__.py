"""Texts of positions and moves, and mappings of what a seat has seen."""
