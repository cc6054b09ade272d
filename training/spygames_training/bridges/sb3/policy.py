"""Convert between policies of stable-baselines3 and networks of this package."""

from collections.abc import Sequence
from typing import Any, cast

import torch
from gymnasium import spaces
from stable_baselines3.common.policies import BasePolicy
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor
from torch import Tensor, nn

from spygames_training import ActorCritic


class Trunk(BaseFeaturesExtractor):
    """The hidden layers of an `ActorCritic` as a features extractor of stable-baselines3."""

    def __init__(self, observation_space: spaces.Box, hidden: Sequence[int]):
        features = observation_space.shape[0]
        super().__init__(observation_space, [features, *hidden][-1])
        self.num_features, self.hidden = features, tuple(map(int, hidden))
        self.trunk = ActorCritic(features, 1, hidden).trunk
        self._heads = torch.get_default_dtype()  # stable-baselines3 makes the heads next, in this dtype

    def forward(self, observation: Tensor) -> Tensor:
        """Compute the trunk's output, [k, last width], from observations float32 [k, F], in the dtype of the heads."""
        return self.trunk(observation).to(self._heads)


def actor_critic_kwargs(hidden: Sequence[int]) -> dict[str, Any]:
    """Return `policy_kwargs` for "MlpPolicy" (or MaskableActorCriticPolicy, ActorCriticPolicy).

    The network has a trunk of these widths with ReLU, shared by policy and value, and a linear head for each.
    """
    return {
        "features_extractor_class": Trunk,
        "features_extractor_kwargs": {"hidden": tuple(map(int, hidden))},
        "net_arch": {"pi": [], "vf": []},
    }


@torch.no_grad()
def to_actor_critic(policy: BasePolicy) -> ActorCritic:
    """Copy a policy made with `actor_critic_kwargs` to an ActorCritic on the CPU, with the same logits and values.

    Raises:
        ValueError: the policy has another architecture.
    """
    trunk = getattr(policy, "features_extractor", None)
    if not isinstance(trunk, Trunk) or getattr(policy, "net_arch", None) != {"pi": [], "vf": []}:
        raise ValueError("the policy must be made with policy_kwargs=actor_critic_kwargs(hidden)")
    heads = {name: cast(nn.Linear, getattr(policy, f"{name}_net")) for name in ("action", "value")}
    network = ActorCritic(trunk.num_features, heads["action"].out_features, trunk.hidden)
    network.trunk.load_state_dict(trunk.trunk.state_dict())
    network.policy.load_state_dict(heads["action"].state_dict())
    network.value.load_state_dict(heads["value"].state_dict())
    return network.eval()
