"""The rules of Agent Avenue: setup and the effect of each decision. AA-n is the ID of a rule in README.md.

A turn is Play and Recruit (`play.py`), then the Black Market (`market.py`), then the End step (`end_step.py`).
`recruiting.py` has what all three do with hands, the deck and meeples. `history.py` is the option `history`. The rules
work on the layouts of `layout.py` and the printed data of `cards.py` and `board.py`.
"""

from spygames.agent_avenue.rules.history import apply_with_history, init_with_history
from spygames.agent_avenue.rules.play import apply, init, legal, returns

__all__ = ["apply", "apply_with_history", "init", "init_with_history", "legal", "returns"]
