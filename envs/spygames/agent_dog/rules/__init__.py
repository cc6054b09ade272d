"""The rules of Agent DOG. AD-n: the rule in README.md.

`play.py` has set-up and decisions, `turns.py` how a turn begins and ends, `moves.py` how a number moves a pawn,
`companion.py` the companion's single steps, `piles.py` deck, hands and discard pile.
"""

from spygames.agent_dog.rules.play import apply, init, legal, returns, truncated

__all__ = ["apply", "init", "legal", "returns", "truncated"]
