"""Advantages per seat, compared with a slow implementation of the definition."""

import numpy as np
import pytest
import torch

from spygames import make_game
from spygames_training.config import PPO
from spygames_training.networks.actor_critic import ActorCritic
from spygames_training.ppo.gae import Estimates, Played, per_seat_gae
from spygames_training.ppo.rollout import Rollout

Pair = tuple[np.ndarray, np.ndarray]


def run(rewards: np.ndarray, done: np.ndarray, seats: np.ndarray, values: np.ndarray, gamma: float, lam: float) -> Pair:
    steps, games, players = rewards.shape
    advantages, valid = np.zeros((steps, games), np.float32), np.zeros((steps, games), np.bool_)
    played, estimates = Played(rewards, done, seats, values), Estimates(advantages, valid)
    per_seat_gae(played, gamma, lam, estimates, np.zeros((4, players), np.float32))
    return advantages, valid


def by_definition(
    rewards: np.ndarray, done: np.ndarray, seats: np.ndarray, values: np.ndarray, gamma: float, lam: float, game: int
) -> Pair:
    """The sum over a seat's later decisions of (gamma lam)^k delta_k, written from eq. 16 for one game."""
    steps = len(seats)
    out, known = np.zeros(steps), np.zeros(steps, bool)
    for t in range(steps):
        seat, decisions = seats[t, game], []
        end = next((u for u in range(t, steps) if done[u, game]), None)
        last = steps - 1 if end is None else end
        own = [u for u in range(t, last + 1) if seats[u, game] == seat]
        for k, u in enumerate(own):
            following = own[k + 1] if k + 1 < len(own) else None
            until = following if following is not None else end + 1 if end is not None else None
            if until is None:
                break  # the outcome of this decision is unknown
            paid = rewards[u:until, game, seat].sum()
            after = values[following, game] if following is not None else 0.0
            decisions.append(paid + gamma * after - values[u, game])
        known[t] = bool(decisions)
        out[t] = sum((gamma * lam) ** k * delta for k, delta in enumerate(decisions))
    return out, known


@pytest.mark.parametrize("players", [1, 2, 3, 7])
@pytest.mark.parametrize(("gamma", "lam"), [(1.0, 0.95), (0.9, 0.8), (1.0, 1.0), (0.97, 0.0)])
def test_advantages_follow_the_definition(players: int, gamma: float, lam: float) -> None:
    rng = np.random.default_rng(players)
    steps, games = 40, 6
    rewards = rng.normal(size=(steps, games, players)).astype(np.float32)
    done = rng.random((steps, games)) < 0.15
    seats = rng.integers(players, size=(steps, games)).astype(np.int8)
    values = rng.normal(size=(steps, games)).astype(np.float32)
    advantages, valid = run(rewards, done, seats, values, gamma, lam)
    for game in range(games):
        expected, known = by_definition(rewards, done, seats, values, gamma, lam, game)
        np.testing.assert_array_equal(valid[:, game], known)
        np.testing.assert_allclose(advantages[known, game], expected[known], rtol=1e-4, atol=1e-4)


def test_a_loss_at_the_opponents_move_reaches_the_loser() -> None:
    """Seat 0 decides, seat 1 ends the game and wins: seat 0's decision is charged with its own -1."""
    rewards = np.array([[[0, 0]], [[-1, 1]]], np.float32)
    done = np.array([[False], [True]])
    seats = np.array([[0], [1]], np.int8)
    advantages, valid = run(rewards, done, seats, np.zeros((2, 1), np.float32), 1.0, 0.95)
    assert valid.all()
    np.testing.assert_array_equal(advantages[:, 0], [-1, 1])


def test_nothing_leaks_across_the_end_of_a_game() -> None:
    """Rewards of the next game do not reach decisions of the previous one."""
    rewards = np.array([[[1, -1]], [[0, 0]], [[-5, 5]]], np.float32)
    done = np.array([[True], [False], [True]])
    seats = np.array([[0], [0], [1]], np.int8)
    advantages, _ = run(rewards, done, seats, np.zeros((3, 1), np.float32), 1.0, 1.0)
    np.testing.assert_array_equal(advantages[:, 0], [1, -5, 5])


def test_table_credit_treats_all_movers_as_one_trajectory() -> None:
    game = make_game("agent_avenue_v0")
    torch.manual_seed(0)
    network = ActorCritic(game.num_features, game.num_actions, (16,))
    rollout = Rollout(game, 8, 200, seed=3)
    rollout.play(network, PPO(credit="table"))
    played = rollout.trajectories
    paid = np.take_along_axis(played.rewards, played.seats[..., None].astype(np.int64), axis=2)
    alone = np.zeros_like(played.seats)
    for i in range(8):
        advantages, known = by_definition(paid, played.done, alone, played.values, 1.0, 0.95, i)
        np.testing.assert_allclose(played.advantages[:, i], advantages, atol=1e-4)
        np.testing.assert_array_equal(played.valid[:, i], known)
    assert played.done.any()
