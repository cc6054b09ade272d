"""Positions and moves as text, and positions as mappings of what a seat has seen."""
