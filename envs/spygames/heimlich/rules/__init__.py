"""The rules of Heimlich & Co. by the rule book's chapters; the kernels that a Game is made of. IDs: README.md."""

from spygames.heimlich.rules.play import apply, init, legal
from spygames.heimlich.rules.scoring import returns

__all__ = ["apply", "init", "legal", "returns"]
