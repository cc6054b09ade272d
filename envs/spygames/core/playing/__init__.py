"""Games being played: rows of games, batches, and sessions with players in the seats."""
