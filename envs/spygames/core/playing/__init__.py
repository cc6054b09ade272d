"""Running games: rows of games, batches, and sessions with players in the seats."""
