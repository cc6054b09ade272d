"""Positions and moves as texts, and as mappings of what a seat has seen."""
