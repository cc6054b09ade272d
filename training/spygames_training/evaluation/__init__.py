"""Measuring players: deals played from every side, intervals, and who a player is."""
