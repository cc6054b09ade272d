"""Reward shaping: additional rewards in training games, as feedback before the end of a game."""

from collections.abc import Callable

import numpy as np

from spygames.core.basics.text import one_line, shown
from spygames.core.game.game import Game, as_record, flat
from spygames.core.game.validation import number as between
from spygames_training.networks.custom_code import name_of_code
from spygames_training.ppo.trajectories import Trajectories

__all__ = ["Shaping", "potential_based"]

Shaping = Callable[[np.ndarray, np.ndarray, np.ndarray], np.ndarray]
"""(view_before, view_after, seat) -> the added rewards of k decisions, float32 [k], in the game's units.

view_before, VIEW [k]: what the seat saw when it decided. view_after, VIEW [k]: what it sees at its next decision, all
zeros if the game ends before. seat, int64 [k]. The reward of a decision must not depend on the other decisions of the
call, since k may change. Several threads call the function at the same time. A run calls it once with two decisions
before it begins, to check the answer.
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
        gamma: the run's `ppo.gamma`, 0 to 1.

    Raises:
        TypeError, ValueError: `potential` is not a function, or `gamma` is out of range.
    """
    if not callable(potential):
        raise TypeError(f"potential must be a function (views, seats), not {shown(potential)}")
    gamma = between("gamma", gamma, 0, 1)

    def shaping(view_before: np.ndarray, view_after: np.ndarray, seat: np.ndarray) -> np.ndarray:
        after = np.where(flat(view_after).any(axis=1), potential(view_after, seat), 0)
        return np.asarray(gamma * after - potential(view_before, seat), np.float32)

    return shaping


def check_shaping(shaping: Shaping | None, game: Game) -> None:
    """Raise TypeError if `shaping` is neither a function nor None, ValueError if its answer is wrong."""
    if shaping is None:
        return
    if not callable(shaping):
        raise TypeError(f"shaping must be a function (view_before, view_after, seat), not {shown(shaping)}")
    start, before, after = game.start(0), game.new_views(2), game.new_views(2)
    seat = int(start["to_move"][0])
    game.observe(as_record(start), seat, as_record(before))
    before[1] = after[1] = before[0]
    _rewards(shaping, before, after, np.full(2, seat, np.int64))


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
        t.rewards[step[k], row[k], seat[k]] += scale * _rewards(shaping, seen, then, seat[k].copy())


def _rewards(shaping: Shaping, seen: np.ndarray, then: np.ndarray, seat: np.ndarray) -> np.ndarray:
    """Return the shaping of k decisions, float32 [k]. Raise ValueError if it fails or has another form."""
    count = len(seen)
    try:
        answer: object = shaping(seen, then, seat)
    except Exception as error:  # user code may raise anything
        reason = f"{type(error).__name__}: {one_line(error)}"
        raise ValueError(f"the shaping {name_of_code(shaping)} failed: {reason}") from error
    try:
        rewards = np.asarray(answer, np.float32)
    except (TypeError, ValueError) as error:
        raise ValueError(f"the shaping must give float32 [{count}], not {shown(answer)} ({one_line(error)})") from error
    if rewards.shape != (count,):
        raise ValueError(f"the shaping must give float32 [{count}], one per decision, not {list(rewards.shape)}")
    if not np.isfinite(rewards).all():
        raise ValueError("the shaping must give finite numbers, not NaN or infinity")
    return rewards
