"""The actor-critic network: a trunk with a policy head and a value head.

Letters: n decisions, F features of a view, A actions, P seats, M floats of memory, S sequences, W units of the trunk's
output (memory included).
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
    """A trunk with linear heads for the policy's logits and the value.

    Args:
        num_features: F, the length of a view.
        num_actions: A.
        hidden: units of each hidden layer.
        config: the other settings of the network; `make_network` builds a network from a config.
        seats: P, the number of views that a critic of all seats reads.
        beliefs: the groups of questions to answer, see `Questions.groups`.
        trunk: [n, F] -> [n, last of `hidden`]; None: linear layers with ReLU.
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
        """M, the floats kept from one decision of a seat to its next one in the same game. 0: no memory."""
        if self.config.kind == "recurrent":
            self.memory_size = self.config.memory
            self.memory = Memory(width, self.memory_size)
            width += self.memory_size
        self.shaped = False
        """Whether the value was learned from shaped rewards, so that it does not predict the game's results."""
        self.policy = linear(width, num_actions, gain=0.01)  # small weights: the initial policy is nearly uniform
        self.critic = None
        if self.sees_all:
            sizes = [seats * num_features, *self.hidden]
            self.critic, width = layers(sizes), sizes[-1]
        if self.config.critic != "none":
            self.value = linear(width, 1, gain=1.0)
        self.belief, self.beliefs = None, beliefs
        if beliefs:
            self.belief = linear(self.policy.in_features, sum(n * answers for _, n, answers in beliefs), gain=0.01)
            """Logits of the answers to each question, [n, W] -> [n, answers of all questions]."""
        if self.sees_all:  # drawn last, so that the other initial weights do not depend on it
            self.own = linear(self.policy.in_features, 1, gain=1.0)
            """The value of the seat's own view, learned beside the critic. Players that use the agent read this
            value."""
        if self.splits_value:
            self.value_with_bots = linear(width, 1, gain=1.0)
            """The critic's value in games with bots; training only."""

    @property
    def sees_all(self) -> bool:
        """Whether the critic reads the views of all seats."""
        return self.config.critic == "all"

    @property
    def splits_value(self) -> bool:
        """Whether the critic has a separate value for games with bots."""
        return isinstance(self.config, Network) and self.config.values == "split"

    @property
    def has_value(self) -> bool:
        """Whether the network has a value of the seat's own view that predicts the game's returns, up to a factor."""
        return self.config.critic != "none" and not self.shaped

    @property
    def own_head(self) -> nn.Linear:
        """The value head on the seat's own view, [n, W] -> [n, 1]. Raises ValueError if there is none."""
        if self.config.critic == "none":
            raise ValueError("this network has no value head on a seat's own view")
        return self.own if self.sees_all else self.value

    @property
    def heads_beside(self) -> list[nn.Module]:
        """Auxiliary heads: their own layers change neither the policy's output nor the critic's."""
        return [*([self.own] if self.sees_all else []), *([self.belief] if self.belief is not None else [])]

    def joined_heads(self) -> nn.Module:
        """Return a frozen copy of the policy head and the own-view value head as one layer, [n, W] -> [n, A + 1]."""
        joined = nn.Linear(1, 1, dtype=torch.float32)
        for name in ("weight", "bias"):
            both = torch.cat([getattr(head, name) for head in (self.policy, self.own_head)])
            setattr(joined, name, nn.Parameter(both, requires_grad=False))
        return joined

    def own_value(self, features: Tensor) -> Tensor:
        """Return the value of the seat's own view, [n], from the trunk's features. Raises ValueError if there is
        none."""
        return self.own_head(features).squeeze(-1)

    def forward(
        self, observation: Tensor, views: Tensor | None = None, with_bots: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        """Compute logits and value: float32 [n, F] -> logits [n, A], illegal actions included, and value [n].

        Args:
            observation: float32 [n, F].
            views: [n, P * F], the views of all seats, that of the deciding seat first (`Batch.observe_all`). Only a
                critic of all seats reads them.
            with_bots: bool [n], the games with bots, whose value a network that splits it takes from
                `value_with_bots`. None: no such games.

        Raises:
            ValueError: `views` are missing, the network has no critic, or it has a memory.
        """
        if self.memory_size:
            raise ValueError("a network with memory must be called by `step` or `unroll`, not `forward`")
        return self.heads(self.trunk(observation), views, with_bots)

    def heads(
        self, features: Tensor, views: Tensor | None = None, with_bots: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        """Compute logits [n, A] and value [n] from the trunk's features; other arguments and errors as in
        `forward`."""
        if self.config.critic == "none":
            raise ValueError("this network was saved without a critic: it has logits, but no value")
        seen = features
        if self.critic is not None:
            if views is None:
                raise ValueError("this critic needs `views`, the views of all seats, not None")
            seen = self.critic(views)
        value = self.value(seen).squeeze(-1)
        if self.splits_value and with_bots is not None:
            value = torch.where(with_bots, self.value_with_bots(seen).squeeze(-1), value)
        return self.policy(features), value

    def step(self, observation: Tensor, memory: Tensor) -> tuple[Tensor, Tensor]:
        """Compute the input of `heads` and the next memory.

        Args:
            observation: [n, F].
            memory: [n, M], the memory of the same seat in the same game; zeros at its first decision.
        """
        features = self.trunk(observation)
        if self.memory_size:
            memory = self.memory(features, memory)
            features = torch.cat([features, memory], dim=1)
        return features, memory

    def unroll(self, observation: Tensor, lengths: np.ndarray, memory: Tensor) -> Tensor:
        """Compute the input of `heads` for sequences of decisions.

        Args:
            observation: [n, F], the sequences one after another.
            lengths: int [S].
            memory: [S, M], the memory before each sequence.
        """
        features = self.trunk(observation)
        return torch.cat([features, self.memory.unroll(features, lengths, memory)], dim=1)

    def actor(self) -> dict[str, Tensor]:
        """Return the weights that a saved agent keeps.

        A critic of all seats is replaced by the value of the seat's own view. The value in games with bots is left out,
        as are a value of shaped rewards and a belief head that is not to be kept.
        """
        weights = {k: v for k, v in self.state_dict().items() if not k.startswith("value_with_bots.")}
        if self.config.belief != "keep":
            weights = {k: v for k, v in weights.items() if not k.startswith("belief.")}
        if self.sees_all:
            kept = {k: v for k, v in weights.items() if not k.startswith(("critic.", "value.", "own."))}
            weights = kept | {f"value.{k.partition('.')[2]}": v for k, v in weights.items() if k.startswith("own.")}
        return weights if self.has_value else {k: v for k, v in weights.items() if not k.startswith("value.")}


def make_network(game: Game, config: Network | StoredNetwork, device: str = "cpu") -> ActorCritic:
    """Make a network for `game` with float32 weights drawn from torch's generator.

    Raises:
        ValueError: the config asks for entities or beliefs, and the game has no entities or questions.
    """
    beliefs = ()
    if config.belief != "none":
        if game.questions is None:
            raise ValueError(
                f"network.belief must be none, not {config.belief}: {game.id} has no questions about hidden information"
            )
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
    """Make a network without allocating or drawing its weights.

    `load_state_dict(..., assign=True)` fills it. torch's generator is not used.
    """
    return make_network(game, config, "meta")
