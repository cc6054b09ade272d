"""Models of the players in a search's worlds: anything that returns logits and values, such as a network, a table or a
bot.

Letters: k decisions, F features of a view, A actions.
"""

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from spygames.core.game.game import Game, flat
from spygames.core.players.player import bot_loop


class Model(Protocol):
    """A model of how a seat decides from its own view."""

    def ask(
        self, views: np.ndarray, mask: np.ndarray, rng: np.ndarray, values: bool = True
    ) -> tuple[np.ndarray, np.ndarray | None]:
        """Evaluate the model for k decisions.

        Args:
            views: VIEW [k], of the seats that decide.
            mask: int8 [k, A]
            rng: uint64 [k, 1], random streams; advanced if the model draws.
            values: whether values are needed.

        Returns:
            Logits, float [k, A], illegal actions included; and the value for the seat that decides, float [k], in the
            game's units. The value is None if the model has none or if `values` is False.
        """
        ...


@dataclass(frozen=True)
class Rival:
    """A model that may play the other seats."""

    name: str
    model: Model
    slip: float
    """Assumed probability of a uniformly random legal action, 0 to 1, so that one surprise does not exclude a world."""


class BotModel:
    """A scripted bot: all probability is on the action that it takes."""

    def __init__(self, game: Game, name: str):
        self._loop = bot_loop(game, name)

    def ask(self, views: np.ndarray, mask: np.ndarray, rng: np.ndarray, values: bool = True) -> tuple[np.ndarray, None]:
        """Return logit 0 for the bot's action and -1e9 for the others."""
        k = len(views)
        actions = np.zeros(k, np.int64)
        rows = np.flatnonzero(mask.any(axis=1))
        self._loop(views, mask, rng, rows, actions, 0, len(rows))
        logits = np.full(mask.shape, -1e9, np.float32)
        logits[np.arange(k), actions] = 0
        return logits, None


class UniformModel:
    """A uniform policy over the legal actions, like the bot `random`."""

    def ask(self, views: np.ndarray, mask: np.ndarray, rng: np.ndarray, values: bool = True) -> tuple[np.ndarray, None]:
        """Return zero logits."""
        return np.zeros(mask.shape, np.float32), None


class TableModel:
    """A policy given as a table: probabilities and optional values by observation.

    Args:
        observation: float32 [k, F], all observations that can occur.
        probabilities: float64 [k, A], 0 for illegal actions.
        values: float64 [k], or None.
    """

    def __init__(self, observation: np.ndarray, probabilities: np.ndarray, values: np.ndarray | None = None):
        self._rows = {row.tobytes(): k for k, row in enumerate(np.ascontiguousarray(observation, np.float32))}
        with np.errstate(divide="ignore"):
            self._logits = np.maximum(np.log(probabilities), -1e9)
        self._values = values

    def ask(
        self, views: np.ndarray, mask: np.ndarray, rng: np.ndarray, values: bool = True
    ) -> tuple[np.ndarray, np.ndarray | None]:
        """Look up each view. Raises KeyError for a view that is not in the table."""
        found = [self._rows[row.tobytes()] for row in flat(views)]
        return self._logits[found], self._values[found] if values and self._values is not None else None


def log_probabilities(logits: np.ndarray, mask: np.ndarray) -> np.ndarray:
    """Return log-probabilities, float64 [k, A], -inf for illegal actions. A row without a legal action is all -inf."""
    x = np.where(mask != 0, logits, -np.inf).astype(np.float64)
    top = x.max(axis=1, keepdims=True)
    x -= np.where(np.isfinite(top), top, 0)
    with np.errstate(divide="ignore"):
        total = np.log(np.exp(x).sum(axis=1, keepdims=True))
    return x - np.where(np.isfinite(total), total, 0)
