"""A network whose outputs are the same to the last bit on every processor.

Each unit reads one feature times a power of two, and each output one unit and a bias. All other terms of a sum are
zeros, so that a single rounding is left, the same in whatever order a processor adds up.
"""

import torch

from spygames.core.game.game import Game
from spygames_training.networks.actor_critic import ActorCritic

SCALES = (1.0, -2.0, 4.0, -1.0, 2.0)


def exact_network(game: Game, field: str) -> ActorCritic:
    """Its logits are far enough from each other that the last bits of what follows decide nothing; its value is what
    the first feature of `field`, from 0 to 1, is above a half."""
    a, features = game.num_actions, game.num_features
    network = ActorCritic(features, a, (a + 1,))
    with torch.no_grad():
        for parameter in network.parameters():
            parameter.zero_()
        units = torch.arange(a + 1)
        network.trunk[0].weight[units, (7 * units + 3) % features] = 0.5  # type: ignore[index]
        network.policy.weight[units[:a], units[:a]] = torch.tensor([SCALES[k % len(SCALES)] for k in range(a)])
        network.policy.bias.copy_((5 * units[:a] % 16) / 8)
        network.trunk[0].weight[a] = torch.eye(features)[(game.view_dtype.fields or {})[field][1] // 4]  # type: ignore[index]
        network.value.weight[0, a] = 1.0
        network.value.bias.fill_(-0.5)
    return network
