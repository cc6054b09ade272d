"""Tests of each game, in folders with the same files."""
