"""Your own players in Python: python:my_bot.likes_last and python:my_bot.Watcher, in the folder of this file."""

import numpy as np

from spygames import Game


def likes_last(observation: np.ndarray, mask: np.ndarray) -> int:
    """Return the last legal action."""
    return int(np.flatnonzero(mask)[-1])


class Watcher:
    """Play a random action; one object plays one seat in one game."""

    def __init__(self, game: Game, seat: int, seed: int) -> None:
        self.game, self.seat, self.rng = game, seat, np.random.default_rng(seed)
        self.heard: list[str] = []

    def seen(self, text: str) -> None:
        """Remember what the seat has seen, such as "player_1 offers mole face up and a card face down"."""
        self.heard.append(text)

    def act(self, observation: np.ndarray, mask: np.ndarray) -> int:
        """Decide; the fields of `observation.view(self.game.view_dtype)[0]` have names."""
        return int(self.rng.choice(np.flatnonzero(mask)))

    def ended(self, returns: np.ndarray) -> None:
        """Take the result of each seat."""
        self.won = bool(returns[self.seat] > 0)
