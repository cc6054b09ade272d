"""Spy-themed board games as environments for reinforcement learning."""
