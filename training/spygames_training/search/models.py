"""Who decides in a search's worlds: anything that answers logits and values, such as a network, a table or a bot.

Letters: k decisions, F features of a view, A actions.
"""

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from spygames.core.game.game import Game, flat
from spygames.core.players.player import bot_loop


class Model(Protocol):
    """How a seat decides, from its own view."""

    def ask(
        self, views: np.ndarray, mask: np.ndarray, rng: np.ndarray, values: bool = True
    ) -> tuple[np.ndarray, np.ndarray | None]:
        """What it would do.

        Args:
            views: VIEW [k], of the seats that decide.
            mask: int8 [k, A]
            rng: uint64 [k, 1], streams for what is drawn; advanced if it is.
            values: whether values are wanted.

        Returns:
            Logits, float [k, A], of illegal actions too; and the value for the seat that decides, float [k], in the
            game's units, None from a model that has none or where they are not wanted.
        """
        ...


@dataclass(frozen=True)
class Rival:
    """Somebody who may sit in the other seats."""

    name: str
    model: Model
    slip: float
    """How often it is taken to do anything legal instead, 0 to 1: so that no world is ruled out by one surprise."""


class BotModel:
    """A scripted bot: all its logits are on what it does."""

    def __init__(self, game: Game, name: str):
        self._loop = bot_loop(game, name)

    def ask(self, views: np.ndarray, mask: np.ndarray, rng: np.ndarray, values: bool = True) -> tuple[np.ndarray, None]:
        """The action of the bot has logit 0, every other one is out of the question."""
        k = len(views)
        actions = np.zeros(k, np.int64)
        rows = np.flatnonzero(mask.any(axis=1))
        self._loop(views, mask, rng, rows, actions, 0, len(rows))
        logits = np.full(mask.shape, -1e9, np.float32)
        logits[np.arange(k), actions] = 0
        return logits, None


class UniformModel:
    """Anything legal, all alike: what the bot `random` is."""

    def ask(self, views: np.ndarray, mask: np.ndarray, rng: np.ndarray, values: bool = True) -> tuple[np.ndarray, None]:
        """Zeros."""
        return np.zeros(mask.shape, np.float32), None


class TableModel:
    """A policy given as a table: probabilities and, if there are any, values by observation.

    Args:
        observation: float32 [k, F], all that may be asked.
        probabilities: float64 [k, A], 0 where not legal.
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
        """Looks each view up; KeyError for one that the table lacks."""
        found = [self._rows[row.tobytes()] for row in flat(views)]
        return self._logits[found], self._values[found] if values and self._values is not None else None


def log_probabilities(logits: np.ndarray, mask: np.ndarray) -> np.ndarray:
    """Of each legal action, float64 [k, A]; -inf where not legal. A row without a legal action is all -inf."""
    x = np.where(mask != 0, logits, -np.inf).astype(np.float64)
    top = x.max(axis=1, keepdims=True)
    x -= np.where(np.isfinite(top), top, 0)
    with np.errstate(divide="ignore"):
        total = np.log(np.exp(x).sum(axis=1, keepdims=True))
    return x - np.where(np.isfinite(total), total, 0)
