"""Who sits at the tables beside the learner, and what is counted of it."""

import numpy as np
import pytest
import torch

import spygames
from spygames_training.config import PPO, Opponents
from spygames_training.network import ActorCritic
from spygames_training.league import Pool
from spygames_training.rollout import Rollout


def test_opponents_keep_their_seats_for_the_whole_game() -> None:
    game = spygames.make_game("agent_avenue_v0")
    torch.manual_seed(0)
    network = ActorCritic(game.num_features, game.num_actions, (16,))
    pool = Pool(game, Opponents(share=0.5, bots=("random", "greedy"), snapshots=1))
    rollout = Rollout(game, 64, 8, seed=3, share=0.5)
    ppo = PPO()
    drawn = set()
    for round_ in range(12):
        if round_ % 3 == 0:
            pool.add_snapshot(network)
        pool.forget(rollout.controller.ravel().tolist())
        rollout.seat_opponents(pool)
        before = rollout.controller.copy()
        rollout.play(network, ppo)
        drawn |= set(rollout.controller.flat)
        ended = rollout.done[:, :32].any(axis=0)
        np.testing.assert_array_equal(rollout.controller[~ended], before[~ended])
        assert set(rollout.controller.flat) - {0} <= pool.players.keys()
        assert ((rollout.controller == 0).sum(axis=1) == 1).all()  # one seat learns at each of these tables
        assert not rollout.frozen[:, 32:].any()
        assert not (rollout.valid & rollout.frozen).any()
        assert 0.3 < rollout.frozen[:, :32].mean() < 0.7
    assert drawn >= {0, 1, 2, 3, 4}  # both bots, and more than one snapshot
    assert len(pool.snapshots) <= 3


def test_hard_opponents_are_drawn_more_often() -> None:
    game = spygames.make_game("agent_avenue_v0")
    torch.manual_seed(0)
    network = ActorCritic(game.num_features, game.num_actions, (16,))
    pool = Pool(game, Opponents(share=1.0, bots=("random", "expert"), draw="hard"))
    np.testing.assert_array_equal(pool.chances, [0.5, 0.5])
    rollout = Rollout(game, 64, 64, seed=3, share=1.0)
    games = np.zeros(3)
    for _ in range(8):
        rollout.seat_opponents(pool)
        rollout.play(network, PPO())
        results = rollout.pop_results()
        pool.take([results])
        for k, (wins, played) in results.items():
            assert 0 <= wins <= played
            games[k] += played
    # A game at each table ends with the learner's result, which its own seat's reward tells.
    assert pool.share_won(1) > 0.35 > 0.15 > pool.share_won(2)
    random, expert = pool.chances
    assert random + expert == pytest.approx(1)
    assert expert / random == pytest.approx(
        (0.05 + (1 - pool.share_won(2)) ** 2) / (0.05 + (1 - pool.share_won(1)) ** 2)
    )
    assert games[2] > games[1] > 0


def test_the_learners_results_are_counted_by_opponent() -> None:
    game = spygames.make_game("heimlich_v0", players=3)
    rollout = Rollout(game, 4, 2, seed=0, share=1.0)
    rollout.controller[...] = [[0, 1, 2], [2, 0, 2], [1, 1, 0], [0, 1, 1]]
    rollout.batch.rewards[...] = [[1, -0.5, -0.5], [-0.5, 1, -0.5], [-0.5, 1, -0.5], [0, 0, 0]]
    rollout._count_results(np.arange(4))
    found = {k: v.tolist() for k, v in rollout.pop_results().items()}
    assert found == {1: [1, 3], 2: [2, 2]}
    assert rollout.pop_results() == {}


def test_a_team_learns_together() -> None:
    game = spygames.make_game("agent_avenue_v0", players=4)
    torch.manual_seed(0)
    network = ActorCritic(game.num_features, game.num_actions, (16,))
    rollout = Rollout(game, 64, 8, seed=3, share=1.0)
    rollout.seat_opponents(Pool(game, Opponents(share=1.0, bots=("random", "greedy"))))
    rollout.play(network, PPO())
    teams = rollout.controller.reshape(64, 2, 2)
    assert (teams[..., 0] == teams[..., 1]).all()
    assert ((teams[..., 0] == 0).sum(axis=1) == 1).all()
    assert set(teams.flat) == {0, 1, 2}
