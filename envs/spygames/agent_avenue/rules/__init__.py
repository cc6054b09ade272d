"""The rules of Agent Avenue: set-up, and what each decision does. AA-n: the rule in README.md.

A turn is Play and Recruit in `play.py`, then what happens at the Black Market in `market.py`, then the End step in
`end_step.py`; `recruiting.py` has what all three do with hands, the deck and meeples. The rules work on the layouts of
`layout.py` and the printed data of `cards.py` and `board.py`.
"""

from spygames.agent_avenue.rules.play import apply, init, legal, returns

__all__ = ["apply", "init", "legal", "returns"]
