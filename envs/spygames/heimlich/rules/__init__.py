"""Rules of Heimlich & Co. HC-n names a rule in README.md.

`play.py` has setup, turns and movement, `scoring.py` scorings, the end and rewards, `top_secret.py` the cards, and
`predictions.py` the predictions.
"""

from spygames.heimlich.rules.play import apply, init, legal
from spygames.heimlich.rules.scoring import returns

__all__ = ["apply", "init", "legal", "returns"]
