"""The network: a trunk, and on it a head for the policy and one for the value.

Letters: n decisions, F features of a view, A actions, P seats, M floats of memory, S sequences.
"""

from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor, nn

from spygames.core.game.game import Game
from spygames_training.config import Network, StoredNetwork
from spygames_training.networks.trunks import Memory, layers, linear, make_trunk

__all__ = ["ActorCritic"]


class ActorCritic(nn.Module):
    """A trunk, then a linear head each for logits and value.

    Args:
        num_features: F, the length of a view.
        num_actions: A.
        hidden: units of each hidden layer.
        config: the rest; `make_network` makes what it says.
        seats: P, how many views a critic that sees all sees.
        beliefs: what it learns to believe, as `Questions.groups`.
        trunk: [n, F] -> [n, W], W the last of `hidden`; None: linear layers with ReLU.
    """

    def __init__(
        self,
        num_features: int,
        num_actions: int,
        hidden: Sequence[int],
        config: Network | StoredNetwork | None = None,
        seats: int = 1,
        trunk: nn.Module | None = None,
        beliefs: tuple[tuple[str, int, int], ...] = (),
    ):
        super().__init__()
        self.num_features, self.num_actions, self.hidden = int(num_features), int(num_actions), tuple(map(int, hidden))
        self.config: Network | StoredNetwork = config or Network(self.hidden)
        self.trunk = trunk or layers([num_features, *self.hidden])
        width = [num_features, *self.hidden][-1]
        self.memory_size = 0
        """M, the floats that it keeps from one decision of a seat to the next in the same game; 0: it has no memory."""
        if self.config.kind == "recurrent":
            self.memory_size = self.config.memory
            self.memory = Memory(width, self.memory_size)
            width += self.memory_size
        self.shaped = False
        """Whether its value is that of shaped rewards, and so none of the game's results."""
        self.policy = linear(width, num_actions, gain=0.01)  # begins nearly uniform
        self.critic = None
        if self.sees_all:
            sizes = [seats * num_features, *self.hidden]
            self.critic, width = layers(sizes), sizes[-1]
        if self.config.critic != "none":
            self.value = linear(width, 1, gain=1.0)
        self.belief, self.beliefs = None, beliefs
        if beliefs:
            self.belief = linear(self.policy.in_features, sum(n * answers for _, n, answers in beliefs), gain=0.01)
            """How likely each answer to each question is, as logits, [n, W] -> [n, the answers of all questions]."""
        if self.sees_all:  # last, so that all other weights begin as they would without it
            self.own = linear(self.policy.in_features, 1, gain=1.0)
            """The value of the seat's own view, learned beside the critic for whoever plays with the agent."""

    @property
    def sees_all(self) -> bool:
        """Whether the critic sees the views of all seats."""
        return self.config.critic == "all"

    @property
    def has_value(self) -> bool:
        """Whether there is a value of the seat's own view, in the unit of the game's results times a factor."""
        return self.config.critic != "none" and not self.shaped

    @property
    def own_head(self) -> nn.Linear:
        """The layer that makes a value of the seat's own view, [n, W] -> [n, 1]; ValueError without one."""
        if self.config.critic == "none":
            raise ValueError("this network has no value of a seat's own view")
        return self.own if self.sees_all else self.value

    @property
    def heads_beside(self) -> list[nn.Module]:
        """Heads that learn beside the policy and its critic, whose own layers leave those as they are."""
        return [*([self.own] if self.sees_all else []), *([self.belief] if self.belief is not None else [])]

    def joined_heads(self) -> nn.Module:
        """Logits and the value of the own view in one product, [n, W] -> [n, A + 1]: a copy, which does not learn."""
        joined = nn.Linear(1, 1, dtype=torch.float32)
        for name in ("weight", "bias"):
            both = torch.cat([getattr(head, name) for head in (self.policy, self.own_head)])
            setattr(joined, name, nn.Parameter(both, requires_grad=False))
        return joined

    def own_value(self, features: Tensor) -> Tensor:
        """The value of what the seat itself sees, [n], on what the trunk has made of it; ValueError without one."""
        return self.own_head(features).squeeze(-1)

    def forward(self, observation: Tensor, views: Tensor | None = None) -> tuple[Tensor, Tensor]:
        """float32 [n, F] -> logits [n, A], of illegal actions too, and value [n].

        views: [n, P * F], those of all seats, that of the one who decides first (`Batch.observe_all`), for a critic
        that sees all. ValueError if they are missing, if there is no critic, or if the network has memory.
        """
        if self.memory_size:
            raise ValueError("a network with memory is asked by `step` or `unroll`")
        return self.heads(self.trunk(observation), views)

    def heads(self, features: Tensor, views: Tensor | None = None) -> tuple[Tensor, Tensor]:
        """Logits and value on what the trunk has made of the observation; the rest as in `forward`."""
        if self.config.critic == "none":
            raise ValueError("this network is an agent without a critic: it has logits, no value")
        seen = features
        if self.critic is not None:
            if views is None:
                raise ValueError("this critic sees the views of all seats, which are missing")
            seen = self.critic(views)
        return self.policy(features), self.value(seen).squeeze(-1)

    def step(self, observation: Tensor, memory: Tensor) -> tuple[Tensor, Tensor]:
        """What `heads` takes and the memory after it, from an observation [n, F] and the memory before it, [n, M]: of
        the same seat in the same game, zeros at its first decision there."""
        features = self.trunk(observation)
        if self.memory_size:
            memory = self.memory(features, memory)
            features = torch.cat([features, memory], dim=1)
        return features, memory

    def unroll(self, observation: Tensor, lengths: np.ndarray, memory: Tensor) -> Tensor:
        """What `heads` takes, for sequences of decisions one after the other in `observation` [n, F], of `lengths` int
        [S], which begin with `memory` [S, M]."""
        features = self.trunk(observation)
        return torch.cat([features, self.memory.unroll(features, lengths, memory)], dim=1)

    def actor(self) -> dict[str, Tensor]:
        """The weights of an agent: all of them, or instead of a critic that sees what an agent must not see the value
        of its own view; no value that is one of shaped rewards; no belief that is not to be kept."""
        weights = self.state_dict()
        if self.config.belief != "keep":
            weights = {k: v for k, v in weights.items() if not k.startswith("belief.")}
        if self.sees_all:
            kept = {k: v for k, v in weights.items() if not k.startswith(("critic.", "value.", "own."))}
            weights = kept | {f"value.{k.partition('.')[2]}": v for k, v in weights.items() if k.startswith("own.")}
        return weights if self.has_value else {k: v for k, v in weights.items() if not k.startswith("value.")}


def make_network(game: Game, config: Network | StoredNetwork, device: str = "cpu") -> ActorCritic:
    """A new network for `game`, its weights float32 and drawn from torch's generator; ValueError for entities in a game
    that names none, and for beliefs in one without questions."""
    beliefs = ()
    if config.belief != "none":
        if game.questions is None:
            raise ValueError(f"{game.id} has no questions about what is hidden, so network.belief must be none")
        beliefs = game.questions.groups
    with torch.device(device):
        return ActorCritic(
            game.num_features,
            game.num_actions,
            config.hidden,
            config,
            game.num_players,
            trunk=make_trunk(game, config),
            beliefs=beliefs,
        )


def blank(game: Game, config: Network | StoredNetwork) -> ActorCritic:
    """A network without memory for its weights and without a draw from torch's generator, to be filled by
    `load_state_dict(..., assign=True)`."""
    return make_network(game, config, "meta")
