"""Training agents on the games of `spygames` by self-play, keeping them, and finding out how well they play."""
