"""Limits of the networks of this package. They keep a damaged file from asking for much memory."""

MAX_LAYERS, MAX_UNITS = 16, 8192
"""Maximum number of hidden layers, and of the units of each."""
