"""The network: a trunk, and on it a head for the policy and one for the value.

Letters: n decisions, F features of a view, A actions, P seats.
"""

from collections.abc import Sequence
from itertools import pairwise

import torch
from torch import Tensor, nn

from spygames.core.game import Game
from spygames_training.config import Network


class ActorCritic(nn.Module):
    """A trunk, by default of linear layers with ReLU, then a linear head each for logits and value.

    Args:
        num_features: F, the length of a view.
        num_actions: A.
        hidden: units of each hidden layer.
        critic: "own": the value head stands on the policy's trunk. "all": it has a trunk of its own, which sees the
            views of all seats. "none": there is no value, as in an agent that such a critic has trained.
        seats: P, how many views a critic that sees "all" sees.
    """

    def __init__(self, num_features: int, num_actions: int, hidden: Sequence[int], critic: str = "own", seats: int = 1):
        super().__init__()
        self.num_features, self.num_actions, self.hidden = num_features, num_actions, tuple(hidden)
        self.sees_all = critic == "all"
        sizes = [num_features, *self.hidden]
        self.trunk = _layers(sizes)
        self.policy = _linear(sizes[-1], num_actions, gain=0.01)  # begins nearly uniform
        all_sizes = [seats * num_features, *self.hidden]
        self.critic = _layers(all_sizes) if self.sees_all else None
        self.value = None if critic == "none" else _linear((all_sizes if self.sees_all else sizes)[-1], 1, gain=1.0)

    def forward(self, observation: Tensor, views: Tensor | None = None) -> tuple[Tensor, Tensor]:
        """float32 [n, F] -> logits [n, A], of illegal actions too, and value [n].

        views: [n, P * F], those of all seats, that of the one who decides first (`Batch.observe_all`), for a critic
        that sees all. ValueError if they are missing, or if there is no critic.
        """
        return self.heads(self.trunk(observation), views)

    def heads(self, features: Tensor, views: Tensor | None = None) -> tuple[Tensor, Tensor]:
        """Logits and value on what the trunk has made of the observation; the rest as in `forward`."""
        if self.value is None:
            raise ValueError("this network is an agent without a critic: it has logits, no value")
        seen = features
        if self.critic is not None:
            if views is None:
                raise ValueError("this critic sees the views of all seats, which are missing")
            seen = self.critic(views)
        return self.policy(features), self.value(seen).squeeze(-1)

    def logits(self, observation: Tensor) -> Tensor:
        """The policy alone: [n, F] -> [n, A]."""
        return self.policy(self.trunk(observation))

    def actor(self) -> dict[str, Tensor]:
        """The weights of an agent: all of them, or those without a critic that sees what an agent must not see."""
        weights = self.state_dict()
        if self.sees_all:
            weights = {k: v for k, v in weights.items() if not k.startswith(("critic.", "value."))}
        return weights


def _layers(sizes: Sequence[int]) -> nn.Sequential:
    layers: list[nn.Module] = []
    for inputs, outputs in pairwise(sizes):
        layers += [_linear(inputs, outputs, gain=2**0.5), nn.ReLU()]
    return nn.Sequential(*layers)


def _linear(inputs: int, outputs: int, gain: float) -> nn.Linear:
    layer = nn.Linear(inputs, outputs)
    nn.init.orthogonal_(layer.weight, gain)
    nn.init.zeros_(layer.bias)
    return layer


def make_network(game: Game, config: Network) -> ActorCritic:
    """A new network for `game`, its weights drawn from torch's generator."""
    return ActorCritic(game.num_features, game.num_actions, config.hidden, config.critic, game.num_players)


def blank(game: Game, config: Network) -> ActorCritic:
    """A network without memory for its weights and without a draw from torch's generator, to be filled by
    `load_state_dict(..., assign=True)`."""
    with torch.device("meta"):
        return make_network(game, config)
