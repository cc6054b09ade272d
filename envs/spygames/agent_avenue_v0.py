"""Agent Avenue, version 0: `make_game`, `env`, `raw_env`."""

from spygames.agent_avenue import make_game

__all__ = ["make_game"]
