"""Positions as SVG, as pixels and in windows."""
