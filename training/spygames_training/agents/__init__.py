"""Trained agents: checkpoints, policies that play, and exports."""
