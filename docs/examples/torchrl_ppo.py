"""PPO of TorchRL on Agent Avenue, all seats by self-play: python torchrl_ppo.py [decisions]."""

import sys

import torch
from torchrl.collectors import Collector
from torchrl.objectives import ClipPPOLoss

from spygames import make_game
from spygames_training import ActorCritic, evaluate, save_checkpoint
from spygames_training.bridges.torchrl import TorchRLEnv, actor_value_operator, per_seat_advantage

decisions = int(sys.argv[1]) if len(sys.argv) > 1 else 3_000_000
game = make_game("agent_avenue_v0")
torch.manual_seed(1)
network = ActorCritic(game.num_features, game.num_actions, (128, 128))
operator = actor_value_operator(network)
policy, value = operator.get_policy_operator(), operator.get_value_operator()
collector = Collector(
    TorchRLEnv(game, 256, seed=1),
    policy,
    frames_per_batch=256 * 64,
    total_frames=decisions,
    auto_register_policy_transforms=False,
)
loss = ClipPPOLoss(policy, value, entropy_coeff=0.05, critic_coeff=0.5, normalize_advantage=True, functional=False)
optimizer = torch.optim.Adam(network.parameters(), lr=5e-4)
for data in collector:
    known = per_seat_advantage(data, value)
    for _ in range(2):
        for rows in torch.randperm(len(known)).split(1024):
            losses = loss(known[rows])
            optimizer.zero_grad()
            (losses["loss_objective"] + losses["loss_entropy"] + losses["loss_critic"]).backward()
            torch.nn.utils.clip_grad_norm_(network.parameters(), 0.5)
            optimizer.step()
collector.shutdown()
save_checkpoint("runs/torchrl", game, network, decisions)
for result in evaluate(game, "runs/torchrl@argmax", ["random", "greedy"], games=2000, seed=0):
    print(result.opponent, result.win_share)
