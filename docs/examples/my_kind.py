"""A kind of player from a package: `load` is its entry point, and `nth:2` a player of it."""

import numpy as np

from spygames import Game
from spygames.players import DecisionBatch


class Nth:
    """Play the n-th legal action, or the last one if there are fewer."""

    def __init__(self, number: int) -> None:
        self.name, self.number = f"nth:{number}", number
        self.digest = f"nth 1.0 {number}"  # the ladder takes another digest for another player

    def act(self, decisions: DecisionBatch) -> np.ndarray:
        """Return one action for each row to decide."""
        ranks = decisions.mask[decisions.rows].cumsum(axis=1)
        return (ranks == np.minimum(ranks[:, -1:], self.number)).argmax(axis=1)


def load(game: Game, argument: str) -> Nth:
    """Return the player `nth:ARGUMENT`."""
    if not argument.isdecimal() or int(argument) < 1:
        raise ValueError(f"nth:NUMBER takes a number from 1, not {argument!r}")
    return Nth(int(argument))
