"""Speed of the trainer and of a search with a network. In a module of its own, because it needs torch."""

import os
import time
from typing import Any

import numpy as np
import torch

import spygames
from benchmarks.tools import Run, rate
from spygames.core.players.names import make_player
from spygames.core.players.player import DecisionBatch
from spygames_training.config import PPO
from spygames_training.evaluation.play_games import play_games
from spygames_training.networks.actor_critic import ActorCritic
from spygames_training.ppo.learner import Learner
from spygames_training.ppo.rollout import Rollout


def training_rate(
    game_id: str,
    *,
    hidden: tuple[int, ...] = (128, 128),
    ppo: PPO | None = None,
    workers: int | None = None,
    device: str = "cpu",
    **options: Any,
) -> Run:
    """Return the measurement of the trainer's speed in a variant, in decisions per second.

    A unit of work is a whole iteration: playing and learning, with two epochs. Without options the variant is the
    default one.

    Args:
        game_id: the game.
        hidden: widths of the hidden layers.
        ppo: settings. None: the default ones.
        workers: number of threads. None: one per core, at most two.
        device: where the network is.
        options: of the game.
    """
    torch.set_num_threads(1)  # each worker is one thread
    game, ppo = spygames.make_game(game_id, **options), ppo or PPO()
    workers = workers or min(2, os.cpu_count() or 1)
    rollouts = [Rollout(game, ppo.games // workers, ppo.steps, seed) for seed in range(workers)]
    network = ActorCritic(game.num_features, game.num_actions, hidden).to(device)
    learner = Learner(network, ppo, workers, seed=0)

    def iteration() -> int:
        learner.play(rollouts)
        learner.update(rollouts, 1.0)
        return sum(rollout.n for rollout in rollouts) * ppo.steps

    iteration()
    return rate(iteration, time.perf_counter)


class Counted:
    """A player that counts its decisions with more than one legal action."""

    def __init__(self, game_id: str, spec: str):
        self.player = make_player(spygames.make_game(game_id), spec)
        self.name, self.notes_size = spec, getattr(self.player, "notes_size", 0)
        self.count = 0

    def act(self, decisions: DecisionBatch) -> np.ndarray:
        """Return the player's actions."""
        self.count += int((decisions.mask[decisions.rows].sum(axis=1) > 1).sum())
        return self.player.act(decisions)


def search_rate(spec: str, game_id: str = "agent_avenue_v0", games: int = 8) -> Run:
    """Return the measurement of searched decisions per second on one thread. The player plays all seats of games."""
    torch.set_num_threads(1)
    player, game = Counted(game_id, spec), spygames.make_game(game_id)
    seating, seeds = np.zeros((games, game.num_players), np.int64), np.arange(games, dtype=np.uint64)

    def work() -> int:
        player.count = 0
        play_games(game, [player], seating, seeds, 1)
        return player.count

    work()
    return rate(work)
