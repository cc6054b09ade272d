"""The learner's opponents: their seats, and the learner's results against them."""

import numpy as np
import pytest
import torch

import spygames
from spygames_training.config import PPO, Opponents
from spygames_training.networks.actor_critic import ActorCritic
from spygames_training.ppo.league import League
from spygames_training.ppo.rollout import Rollout


def test_opponents_keep_their_seats_for_the_whole_game() -> None:
    game = spygames.make_game("agent_avenue_v0")
    torch.manual_seed(0)
    network = ActorCritic(game.num_features, game.num_actions, (16,))
    league = League(game, Opponents(share=0.5, bots=("random", "greedy"), snapshots=1))
    rollout = Rollout(game, 64, 8, seed=3, share=0.5)
    ppo = PPO()
    drawn = set()
    for round_ in range(12):
        if round_ % 3 == 0:
            league.add_snapshot(network)
        league.forget(rollout.opponents.controller.ravel().tolist())
        rollout.opponents.join(league)
        before = rollout.opponents.controller.copy()
        rollout.play(network, ppo)
        drawn |= set(rollout.opponents.controller.flat)
        ended = rollout.trajectories.done[:, :32].any(axis=0)
        np.testing.assert_array_equal(rollout.opponents.controller[~ended], before[~ended])
        assert set(rollout.opponents.controller.flat) - {0} <= league.players.keys()
        assert ((rollout.opponents.controller == 0).sum(axis=1) == 1).all()  # one seat learns in each of these games
        assert (rollout.opponents.controller == 0).any(axis=0).all()  # and each seat in some of them
        assert not rollout.trajectories.frozen[:, 32:].any()
        assert not (rollout.trajectories.valid & rollout.trajectories.frozen).any()
        assert 0.3 < rollout.trajectories.frozen[:, :32].mean() < 0.7
    assert drawn >= {0, 1, 2, 3, 4}  # both bots, and more than one snapshot
    assert len(league.snapshots) <= 3


def test_bots_are_met_with_a_temperature_and_networks_are_not() -> None:
    game = spygames.make_game("agent_avenue_v0")
    torch.manual_seed(0)
    network = ActorCritic(game.num_features, game.num_actions, (16,))
    league = League(game, Opponents(share=0.5, bots=("random",), snapshots=1))
    league.add_snapshot(network)
    rollout = Rollout(game, 64, 32, seed=3, share=0.5, temperature=0.25)
    rollout.opponents.join(league)
    rollout.opponents.controller[...] = np.where(rollout.opponents.controller == 0, 0, 1 + np.arange(32)[:, None] % 2)
    rollout.play(network, PPO(steps=32, precision="float32"))
    t = rollout.trajectories
    first = (np.cumsum(t.done, axis=0) - t.done) == 0  # first game of each row, with the opponents above
    wanted = np.where((np.arange(64) < 32) & (np.arange(64) % 2 == 0), np.float32(0.25), np.float32(1))
    np.testing.assert_array_equal(t.temperatures[first], np.broadcast_to(wanted, first.shape)[first])
    with torch.inference_mode():
        logits = network(torch.from_numpy(t.observation[:-1].reshape(-1, game.num_features)))[0].numpy()
    logits = np.where(t.mask[:-1].reshape(logits.shape), logits, -np.inf) / t.temperatures.reshape(-1, 1)
    probabilities = np.exp(logits - logits.max(axis=1, keepdims=True))
    probabilities /= probabilities.sum(axis=1, keepdims=True)
    own = ~t.frozen.reshape(-1)
    found = probabilities[own, t.actions.reshape(-1)[own]]
    np.testing.assert_allclose(t.log_probabilities.reshape(-1)[own], np.log(found), rtol=1e-3, atol=1e-4)


def test_hard_opponents_are_drawn_more_often() -> None:
    game = spygames.make_game("agent_avenue_v0")
    torch.manual_seed(0)
    network = ActorCritic(game.num_features, game.num_actions, (16,))
    league = League(game, Opponents(share=1.0, bots=("random", "expert"), draw="hard"))
    np.testing.assert_array_equal(league.chances, [0.5, 0.5])
    rollout = Rollout(game, 64, 64, seed=3, share=1.0)
    games = np.zeros(3)
    for _ in range(8):
        rollout.opponents.join(league)
        rollout.play(network, PPO())
        results = rollout.opponents.pop_results()
        league.add_results([results])
        for k, (wins, played) in results.items():
            assert 0 <= wins <= played
            games[k] += played
    # Each row's game ends with the learner's result, which is its own seat's reward.
    assert league.win_fraction(1) > 0.35 > 0.15 > league.win_fraction(2)
    random, expert = league.chances
    assert random + expert == pytest.approx(1)
    assert expert / random == pytest.approx(
        (0.05 + (1 - league.win_fraction(2)) ** 2) / (0.05 + (1 - league.win_fraction(1)) ** 2)
    )
    assert games[2] > games[1] > 0


def test_the_learners_results_are_counted_per_opponent() -> None:
    game = spygames.make_game("heimlich_v0", players=3)
    rollout = Rollout(game, 4, 2, seed=0, share=1.0)
    rollout.opponents.controller[...] = [[0, 1, 2], [2, 0, 2], [1, 1, 0], [0, 1, 1]]
    rollout.batch.rewards[...] = [[1, -0.5, -0.5], [-0.5, 1, -0.5], [-0.5, 1, -0.5], [0, 0, 0]]
    rollout.opponents._count(np.arange(4), rollout.batch.rewards)
    found = {k: v.tolist() for k, v in rollout.opponents.pop_results().items()}
    assert found == {1: [1, 3], 2: [2, 2]}
    assert rollout.opponents.pop_results() == {}


def test_a_team_learns_together() -> None:
    game = spygames.make_game("agent_avenue_v0", players=4)
    torch.manual_seed(0)
    network = ActorCritic(game.num_features, game.num_actions, (16,))
    rollout = Rollout(game, 64, 8, seed=3, share=1.0)
    rollout.opponents.join(League(game, Opponents(share=1.0, bots=("random", "greedy"))))
    rollout.play(network, PPO())
    teams = rollout.opponents.controller.reshape(64, 2, 2)
    assert (teams[..., 0] == teams[..., 1]).all()
    assert ((teams[..., 0] == 0).sum(axis=1) == 1).all()
    assert (teams[..., 0] == 0).any(axis=0).all()  # in some games the first team, in others the second one
    assert set(teams.flat) == {0, 1, 2}


def test_results_fade_to_the_fair_share() -> None:
    league = League(spygames.make_game("heimlich_v0", players=3), Opponents(share=1.0, bots=("random",)))
    assert league.win_fraction(1) == pytest.approx(1 / 3)
    league.add_results([{1: [10, 10]}])
    assert league.win_fraction(1) == pytest.approx((10 + 2 / 3) / 12)
    for _ in range(200):
        league.add_results([])
    assert league.win_fraction(1) == pytest.approx(1 / 3, abs=0.01)
