"""The network: one trunk, and on it a head for the policy and one for the value."""

from collections.abc import Sequence
from itertools import pairwise

import torch
from torch import Tensor, nn


class ActorCritic(nn.Module):
    """Linear layers with ReLU, then a linear head each for logits and value.

    Args:
        num_features: F, the length of a view.
        num_actions: A.
        hidden: units of each hidden layer.
    """

    def __init__(self, num_features: int, num_actions: int, hidden: Sequence[int]):
        super().__init__()
        self.num_features, self.num_actions, self.hidden = num_features, num_actions, tuple(hidden)
        sizes = [num_features, *self.hidden]
        layers: list[nn.Module] = []
        for inputs, outputs in pairwise(sizes):
            layers += [_linear(inputs, outputs, gain=2**0.5), nn.ReLU()]
        self.trunk = nn.Sequential(*layers)
        self.policy = _linear(sizes[-1], num_actions, gain=0.01)  # begins nearly uniform
        self.value = _linear(sizes[-1], 1, gain=1.0)

    def forward(self, observation: Tensor) -> tuple[Tensor, Tensor]:
        """float32 [n, F] -> logits [n, A], of illegal actions too, and value [n]."""
        features = self.trunk(observation)
        return self.policy(features), self.value(features).squeeze(-1)


def _linear(inputs: int, outputs: int, gain: float) -> nn.Linear:
    layer = nn.Linear(inputs, outputs)
    nn.init.orthogonal_(layer.weight, gain)
    nn.init.zeros_(layer.bias)
    return layer


def blank(num_features: int, num_actions: int, hidden: Sequence[int]) -> ActorCritic:
    """A network without memory for its weights and without a draw from torch's generator, to be filled by
    `load_state_dict(..., assign=True)`."""
    with torch.device("meta"):
        return ActorCritic(num_features, num_actions, hidden)
