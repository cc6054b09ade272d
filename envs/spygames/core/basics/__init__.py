"""Helpers for text, files and numbers, shared by the whole core. They import no game code."""
