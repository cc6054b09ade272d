"""Rules of Agent DOG. AD-n names a rule in README.md.

`play.py` has setup and decisions, `turns.py` the beginning and end of a turn, `moves.py` moves by a number,
`companion.py` the single steps of a companion, and `piles.py` deck, hands and discard pile.
"""

from spygames.agent_dog.rules.play import apply, init, legal, returns, truncated

__all__ = ["apply", "init", "legal", "returns", "truncated"]
