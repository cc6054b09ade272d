"""PPO of RLlib on Agent Avenue, by self-play and against frozen opponents: python rllib_ppo.py [calls of train]."""

import sys

import ray

from spygames import make_game
from spygames_training import evaluate, save_checkpoint
from spygames_training.bridges.rllib import decisions_of, ppo_config, to_actor_critic

ray.init(include_dashboard=False)
algorithm = ppo_config("agent_avenue_v0").build_algo()
for _ in range(int(sys.argv[1]) if len(sys.argv) > 1 else 100):
    algorithm.train()
game = make_game("agent_avenue_v0")
save_checkpoint("runs/rllib", game, to_actor_critic(algorithm), decisions_of(algorithm))
algorithm.stop()
for result in evaluate(game, "runs/rllib@argmax", ["random", "greedy"], games=2000, seed=0):
    print(result.opponent, result.win_share)
