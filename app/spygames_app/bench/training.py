"""The trainer's speed in a game. Apart, because it needs torch."""

import os
import time

import torch

import spygames
from spygames_app.bench.tools import Run, rate
from spygames_training.config import PPO
from spygames_training.learner import Learner
from spygames_training.network import ActorCritic
from spygames_training.rollout import Rollout


def training_rate(game_id: str) -> Run:
    """Decisions a second of whole iterations in the game's default variant: playing and learning, network 2x128, two
    epochs, one worker a core (two at most)."""
    torch.set_num_threads(1)  # a worker is one thread
    game = spygames.make_game(game_id)
    ppo = PPO()
    workers = min(2, os.cpu_count() or 1)
    rollouts = [Rollout(game, ppo.games // workers, ppo.steps, seed) for seed in range(workers)]
    learner = Learner(ActorCritic(game.num_features, game.num_actions, (128, 128)), ppo, workers, seed=0)

    def iteration() -> int:
        learner.play(rollouts)
        learner.update(rollouts, 1.0)
        return ppo.games * ppo.steps

    iteration()
    return rate(iteration, time.perf_counter)
