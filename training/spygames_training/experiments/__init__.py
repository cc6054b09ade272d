"""Experiments of several training runs and evaluations: ablations, seeds, best responses, and training all configs."""
