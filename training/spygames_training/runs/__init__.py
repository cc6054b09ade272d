"""Training runs: the loop, its folder, reports, and resuming."""
