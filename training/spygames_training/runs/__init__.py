"""Training runs: the loop, the run's folder, reports, and resuming."""
