"""Measure players: games from every side, intervals, sequential tests, and digests that identify players."""
