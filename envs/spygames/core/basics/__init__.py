"""Texts, files and numbers, for all of the core: imports nothing of the game."""
