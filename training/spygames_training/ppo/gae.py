"""Generalized advantage estimation for games of many seats (Schulman et al. 2016, arXiv 1506.02438, eq. 16)."""

from typing import NamedTuple

import numpy as np

from spygames.core.compiling.kernel import kernel


class Played(NamedTuple):
    """T successive decisions in each of n games."""

    rewards: np.ndarray
    """float32 [T, n, P], paid after each decision"""
    done: np.ndarray
    """bool [T, n], whether the game ended with that decision"""
    seats: np.ndarray
    """int8 [T, n], the seat that decided"""
    values: np.ndarray
    """float32 [T, n], the critic's value for that seat"""


class Estimates(NamedTuple):
    """Estimates for each decision."""

    advantages: np.ndarray
    """float32 [T, n]"""
    valid: np.ndarray
    """bool [T, n]; False for a seat's last decision before the window ends in the middle of a game. Its outcome is not
    known, so it is left out of learning."""


@kernel
def per_seat_gae(played: Played, gamma: float, lam: float, estimates: Estimates, scratch: np.ndarray) -> None:
    """Estimate advantages along each seat's own decisions: a reward counts for the seat that receives it, whichever
    seat moved.

    For seat p with successive decisions at t and t', delta = R + gamma V(t') - V(t), where R is the sum of all rewards
    of p from t until it decides again or the game ends (V(t') = 0 then), and A(t) = delta + gamma lam A(t').

    Args:
        played: the decisions.
        gamma: discount factor between a seat's own decisions.
        lam: lambda of the estimator.
        estimates: written.
        scratch: float32 [4, P], overwritten.
    """
    rewards, done, seats, values = played.rewards, played.done, played.seats, played.values
    advantages, valid = estimates.advantages, estimates.valid
    steps, games, players = rewards.shape
    value, advantage, paid, known = scratch[0], scratch[1], scratch[2], scratch[3]
    for i in range(games):
        for p in range(players):
            value[p] = advantage[p] = paid[p] = known[p] = 0.0
        for t in range(steps - 1, -1, -1):
            for p in range(players):
                if done[t, i]:
                    value[p] = advantage[p] = 0.0
                    paid[p] = rewards[t, i, p]
                    known[p] = 1.0
                else:
                    paid[p] += rewards[t, i, p]
            seat = seats[t, i]
            delta = paid[seat] + gamma * value[seat] - values[t, i]
            valid[t, i] = known[seat] > 0.0
            advantages[t, i] = delta + gamma * lam * advantage[seat] if valid[t, i] else 0.0
            value[seat] = values[t, i]
            advantage[seat] = advantages[t, i]
            paid[seat] = 0.0
            known[seat] = 1.0
