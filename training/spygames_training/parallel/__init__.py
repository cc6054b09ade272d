"""Several processes: training one network together, and playing games in a pool. The machine in words."""
