"""Rewards that are added while training, to say earlier than a game's end what is good."""

from collections.abc import Callable

import numpy as np

from spygames.core.basics.text import one_line, shown
from spygames.core.game.game import Game, flat
from spygames_training.networks.custom_code import name_of_code
from spygames_training.ppo.trajectories import Trajectories

__all__ = ["Shaping", "potential_based"]

Shaping = Callable[[np.ndarray, np.ndarray, np.ndarray], np.ndarray]
"""(view_before, view_after, seat) -> what k decisions are rewarded with, float32 [k], in the game's units.

view_before, VIEW [k]: what the seat saw when it decided; view_after, VIEW [k]: what it sees when it decides again, all
zeros where the game is over before; seat, int64 [k]. Each decision must be judged by itself, for how many are asked at
once may change. Several threads call it at the same time."""

BLOCK = 8192
"""Decisions that are asked at once, so that their views take little memory."""


def potential_based(potential: Callable[[np.ndarray, np.ndarray], np.ndarray], gamma: float = 1.0) -> Shaping:
    """The shaping gamma * potential(view_after) - potential(view_before), where the potential of a game that is over is
    0: in a game of one seat the only kind that leaves the best policies as they are (Ng, Harada and Russell 1999,
    "Policy invariance under reward transformations", theorem 1); among several seats it leaves the equilibria (Devlin
    and Kudenko 2011, "Theoretical considerations of potential-based reward shaping for multi-agent systems").

    Args:
        potential: (views VIEW [k], seats int64 [k]) -> float [k], how promising the seats find what they see.
        gamma: the run's `ppo.gamma`.
    """

    def shaping(view_before: np.ndarray, view_after: np.ndarray, seat: np.ndarray) -> np.ndarray:
        after = np.where(flat(view_after).any(axis=1), potential(view_after, seat), 0)
        return np.asarray(gamma * after - potential(view_before, seat), np.float32)

    return shaping


def check_shaping(shaping: object) -> None:
    """TypeError if it is neither a function nor None."""
    if shaping is not None and not callable(shaping):
        raise TypeError(f"a shaping is a function (view_before, view_after, seat), not {shown(shaping)}")


def shape_rewards(t: Trajectories, game: Game, shaping: Shaping, scale: float) -> None:
    """Adds to `t.rewards` what `shaping` gives for the network's own decisions whose outcome is known, times `scale`.

    Raises:
        ValueError: the answer is not a finite float for each decision, or there is none.
    """
    places, (row, seat, number) = t.by_seat(np.flatnonzero(~t.frozen))
    step = places // t.actions.shape[1]
    follows = np.zeros(len(places), np.bool_)  # whether the next one is the seat's next decision in that game
    follows[:-1] = (row[1:] == row[:-1]) & (seat[1:] == seat[:-1]) & (number[1:] == number[:-1])
    known = np.flatnonzero(follows | (number < t.done.sum(axis=0)[row]))
    for lo in range(0, len(known), BLOCK):
        k = known[lo : lo + BLOCK]
        before = t.observation[step[k], row[k]]
        after = np.zeros_like(before)
        after[follows[k]] = t.observation[step[k[follows[k]] + 1], row[k[follows[k]] + 1]]
        seen, then = (observation.view(game.view_dtype)[:, 0] for observation in (before, after))
        try:
            answer = shaping(seen, then, seat[k].copy())
        except Exception as error:  # a stranger's code may raise anything
            reason = f"{type(error).__name__}: {one_line(error)}"
            raise ValueError(f"the shaping {name_of_code(shaping)} failed: {reason}") from error
        t.rewards[step[k], row[k], seat[k]] += scale * _checked(answer, len(k))


def _checked(answer: object, count: int) -> np.ndarray:
    """The answer as float32 [count]; ValueError where it is none."""
    try:
        found = np.asarray(answer, np.float32)
    except (TypeError, ValueError) as error:
        raise ValueError(f"the shaping must give float32 [{count}], not {shown(answer)} ({one_line(error)})") from error
    if found.shape != (count,):
        raise ValueError(f"the shaping must give float32 [{count}], one for each decision, not {list(found.shape)}")
    if not np.isfinite(found).all():
        raise ValueError("the shaping gave what is no finite number")
    return found
