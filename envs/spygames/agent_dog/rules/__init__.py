"""The rules of Agent DOG by chapter. AD-n: the rule in README.md."""

from spygames.agent_dog.rules.play import apply, init, legal, returns, truncated

__all__ = ["apply", "init", "legal", "returns", "truncated"]
