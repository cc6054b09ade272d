"""A network whose outputs are the same to the last bit on every processor.

Each unit reads one feature times a power of two, and each output reads one unit and a bias. All other terms of a sum
are zero. One rounding is left, which does not depend on the order in which a processor adds.
"""

import torch

from spygames.core.game.game import Game
from spygames_training.networks.actor_critic import ActorCritic

SCALES = (1.0, -2.0, 4.0, -1.0, 2.0)


def exact_network(game: Game, field: str) -> ActorCritic:
    """Return a network with well separated logits; its value is the first feature of `field`, 0 to 1, minus 0.5.

    Rounding in the last bits of later computations decides nothing.
    """
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
