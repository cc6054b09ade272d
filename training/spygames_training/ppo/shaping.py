"""Reward shaping: additional rewards in training games, as feedback before the end of a game."""

from collections.abc import Callable

import numpy as np

from spygames.core.basics.text import one_line, shown
from spygames.core.game.game import Game, flat
from spygames_training.networks.custom_code import name_of_code
from spygames_training.ppo.trajectories import Trajectories

__all__ = ["Shaping", "potential_based"]

Shaping = Callable[[np.ndarray, np.ndarray, np.ndarray], np.ndarray]
"""(view_before, view_after, seat) -> the added rewards of k decisions, float32 [k], in the game's units.

view_before, VIEW [k]: what the seat saw when it decided. view_after, VIEW [k]: what it sees at its next decision, all
zeros if the game ends before. seat, int64 [k]. The reward of a decision must not depend on the other decisions of the
call, since k may change. Several threads call the function at the same time.
"""

BLOCK = 8192
"""Decisions per call, so that their views take little memory."""


def potential_based(potential: Callable[[np.ndarray, np.ndarray], np.ndarray], gamma: float = 1.0) -> Shaping:
    """Return the shaping gamma * potential(view_after) - potential(view_before); a game that is over has potential 0.

    In a game of one seat, only shaping of this form leaves the optimal policies unchanged (Ng, Harada and Russell 1999,
    theorem 1). With several seats it leaves the equilibria unchanged (Devlin and Kudenko 2011).

    - Ng, Harada, Russell: "Policy invariance under reward transformations", 1999.
    - Devlin, Kudenko: "Theoretical considerations of potential-based reward shaping for multi-agent systems", 2011.

    Args:
        potential: (views VIEW [k], seats int64 [k]) -> float [k], how promising the views are for their seats.
        gamma: the run's `ppo.gamma`.
    """

    def shaping(view_before: np.ndarray, view_after: np.ndarray, seat: np.ndarray) -> np.ndarray:
        after = np.where(flat(view_after).any(axis=1), potential(view_after, seat), 0)
        return np.asarray(gamma * after - potential(view_before, seat), np.float32)

    return shaping


def check_shaping(shaping: object) -> None:
    """Raise TypeError if `shaping` is neither a function nor None."""
    if shaping is not None and not callable(shaping):
        raise TypeError(f"shaping must be a function (view_before, view_after, seat), not {shown(shaping)}")


def shape_rewards(t: Trajectories, game: Game, shaping: Shaping, scale: float) -> None:
    """Add `scale` times the shaping to `t.rewards`, for the network's own decisions whose outcome is known.

    Raises:
        ValueError: `shaping` fails, or does not return a finite float for each decision.
    """
    places, (row, seat, number) = t.by_seat(np.flatnonzero(~t.frozen))
    step = places // t.actions.shape[1]
    follows = np.zeros(len(places), np.bool_)  # whether the next row is the seat's next decision in that game
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
        except Exception as error:  # user code may raise anything
            reason = f"{type(error).__name__}: {one_line(error)}"
            raise ValueError(f"the shaping {name_of_code(shaping)} failed: {reason}") from error
        t.rewards[step[k], row[k], seat[k]] += scale * _checked(answer, len(k))


def _checked(answer: object, count: int) -> np.ndarray:
    """Return the answer as float32 [count]. Raise ValueError if it has another form."""
    try:
        rewards = np.asarray(answer, np.float32)
    except (TypeError, ValueError) as error:
        raise ValueError(f"the shaping must give float32 [{count}], not {shown(answer)} ({one_line(error)})") from error
    if rewards.shape != (count,):
        raise ValueError(f"the shaping must give float32 [{count}], one per decision, not {list(rewards.shape)}")
    if not np.isfinite(rewards).all():
        raise ValueError("the shaping must give finite numbers, not NaN or infinity")
    return rewards
