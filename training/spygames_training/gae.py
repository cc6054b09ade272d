"""Generalised advantage estimation for games of many seats (Schulman et al. 2016, arXiv 1506.02438, eq. 16)."""

import numpy as np

from spygames.core.kernel import kernel


@kernel
def per_seat_gae(
    rewards: np.ndarray,
    done: np.ndarray,
    seats: np.ndarray,
    values: np.ndarray,
    gamma: float,
    lam: float,
    pending: np.ndarray,
    advantages: np.ndarray,
    valid: np.ndarray,
) -> None:
    """Advantages along each seat's own decisions: a reward reaches the seat it belongs to, whoever moved last.

    For seat p with successive decisions at t and t', delta = R + gamma V(t') - V(t), where R is all that p was
    paid from t on until it decides again or the game ends (V(t') = 0 then), and A(t) = delta + gamma lam A(t').

    rewards: float32 [T, n, P], paid after each step. done: bool [T, n], the game ended with that step. seats:
    int8 [T, n], who decided. values: float32 [T, n], the critic's value for the seat that decided. pending:
    float32 [4, P], scratch. advantages: float32 [T, n], written. valid: bool [T, n], written: False for a seat's
    last decision before the window ends in mid-game, whose outcome is not known; it is to be left out, not guessed.
    """
    steps, games, players = rewards.shape
    value, advantage, paid, known = pending[0], pending[1], pending[2], pending[3]
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
