"""Trunks, the layers of a network before its heads: linear layers, attention over entities, and memory.

Letters: n decisions, F features of a view, E entities of one kind, D floats per entity, W units of the last layer,
M floats of memory, S sequences.
"""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import torch
from torch import Tensor, nn

from spygames.core.game.game import Game
from spygames_training.config import Network, StoredNetwork

HEADS = 2
"""Number of attention heads."""


def linear(inputs: int, outputs: int, gain: float) -> nn.Linear:
    """Make a linear layer with orthogonal float32 weights of that gain and zero bias."""
    layer = nn.Linear(inputs, outputs, dtype=torch.float32)
    nn.init.orthogonal_(layer.weight, gain)
    nn.init.zeros_(layer.bias)
    return layer


def layers(sizes: Sequence[int]) -> nn.Sequential:
    """Make linear layers, each followed by ReLU: [n, sizes[0]] -> [n, sizes[-1]]."""
    found: list[nn.Module] = []
    for inputs, outputs in pairwise(sizes):
        found += [linear(inputs, outputs, gain=2**0.5), nn.ReLU()]
    return nn.Sequential(*found)


def entities(game: Game) -> list[np.ndarray]:
    """Return the indices of each entity's features in a flat view.

    Returns:
        int64 [E, f] for each kind of `game.entities` that this variant has fields of.

    Raises:
        ValueError: the game names no entities.
    """
    view = game.view_dtype
    places = np.arange(game.num_features)
    found = []
    for names in game.entities.values():
        parts: list[np.ndarray] = []
        for name in names:
            if name in (view.names or ()):
                kind, offset = view.fields[name][:2]  # type: ignore[index]
                field = places[offset // 4 : (offset + kind.itemsize) // 4].reshape(kind.shape)
                count = len(parts[0]) if parts else len(field)
                parts.append(np.moveaxis(field, field.shape.index(count), 0).reshape(count, -1))
        if parts:
            found.append(np.concatenate(parts, axis=1))
    if not found:
        raise ValueError(f"network.kind must not be entities in {game.id}, which names no entities")
    return found


class EntityTrunk(nn.Module):
    """Attention over the entities of a game.

    A linear layer, shared by all entities of a kind, turns each entity into a token; a learned vector identifies the
    entity. After one attention layer over all tokens, the tokens and the rest of the view are concatenated and go
    through linear layers.

    Args:
        num_features: F.
        places: int64 [E, f] for each kind: the indices of its entities' features in a view, see `entities`.
        embedding: D, a multiple of HEADS.
        hidden: units of each linear layer after the attention.
    """

    def __init__(self, num_features: int, places: Sequence[np.ndarray], embedding: int, hidden: Sequence[int]):
        super().__init__()
        tokens = sum(len(kind) for kind in places)
        rest = np.setdiff1d(np.arange(num_features), np.concatenate([kind.ravel() for kind in places]))
        # Not saved with the weights: the indices follow from the game.
        for k, kind in enumerate(places):
            self.register_buffer(f"_entities_{k}", torch.from_numpy(kind.ravel()), persistent=False)
        self.register_buffer("_rest", torch.from_numpy(rest), persistent=False)
        self._counts = [len(kind) for kind in places]
        self.embed = nn.ModuleList(linear(kind.shape[1], embedding, gain=1.0) for kind in places)
        self.which = nn.Parameter(torch.zeros(tokens, embedding, dtype=torch.float32))
        self.before_attention, self.before_layer = (nn.LayerNorm(embedding, dtype=torch.float32) for _ in range(2))
        self.attention = linear(embedding, 3 * embedding, gain=1.0)
        self.attended = linear(embedding, embedding, gain=0.5)
        self.layer = nn.Sequential(
            linear(embedding, 2 * embedding, gain=2**0.5), nn.ReLU(), linear(2 * embedding, embedding, gain=0.5)
        )
        self.joined = layers([len(rest) + tokens * embedding, *hidden])

    def forward(self, observation: Tensor) -> Tensor:
        """[n, F] -> [n, W]."""
        return self.joined(
            torch.cat([observation[:, self.get_buffer("_rest")], self.tokens(observation).flatten(1)], dim=1)
        )

    def tokens(self, observation: Tensor) -> Tensor:
        """Return the tokens, [n, all E, D]. Entities of one kind differ only by their features and `which`."""
        n = observation.shape[0]  # len() would become a constant in an exported network
        parts = [
            embed(observation[:, self.get_buffer(f"_entities_{k}")].view(n, count, -1))
            for k, (embed, count) in enumerate(zip(self.embed, self._counts, strict=True))
        ]
        x = torch.cat(parts, dim=1) + self.which
        query, key, value = self.attention(self.before_attention(x)).view(n, x.shape[1], 3, HEADS, -1).unbind(2)
        mixed = nn.functional.scaled_dot_product_attention(*(t.transpose(1, 2) for t in (query, key, value)))
        x = x + self.attended(mixed.transpose(1, 2).flatten(2))
        return x + self.layer(self.before_layer(x))


def make_trunk(game: Game, config: Network | StoredNetwork) -> nn.Module:
    """Make a trunk for `game`, [n, F] -> [n, W]. Raises ValueError if the config asks for entities and the game names
    none."""
    if config.kind == "entities":
        return EntityTrunk(game.num_features, entities(game), config.embedding, config.hidden)
    return layers([game.num_features, *config.hidden])


class Memory(nn.Module):
    """A gated recurrent unit (Cho et al. 2014, arXiv 1406.1078) that unrolls over sequences of different lengths.

    Args:
        inputs: W.
        size: M.
    """

    def __init__(self, inputs: int, size: int):
        super().__init__()
        self.size = size
        self.read = linear(inputs, 3 * size, gain=1.0)
        self.recall = linear(size, 3 * size, gain=1.0)

    def forward(self, features: Tensor, memory: Tensor) -> Tensor:
        """Advance each memory by one decision: features [n, W] and memory [n, M] -> float32 [n, M]."""
        return self._step(self.read(features), memory)

    def unroll(self, features: Tensor, lengths: np.ndarray, memory: Tensor) -> Tensor:
        """Advance memories over sequences of decisions.

        Args:
            features: [n, W], the sequences one after another.
            lengths: int [S].
            memory: [S, M], before each sequence.

        Returns:
            The memory after each decision, [n, M].
        """
        if not len(lengths):
            return memory
        # Longest first, so that the sequences still running at a step are the first ones.
        order = np.argsort(-lengths, kind="stable")
        starts = (np.cumsum(lengths) - lengths)[order]
        going = [int(np.searchsorted(-lengths[order], -step)) for step in range(int(lengths.max(initial=0)))]
        places = np.concatenate([starts[:k] + step for step, k in enumerate(going)])
        rows = torch.from_numpy(np.concatenate([order, places, np.argsort(places, kind="stable")])).to(features.device)
        longest_first, step_by_step, back = rows.split([len(lengths), len(places), len(places)])
        now, after = memory[longest_first], []
        for read in self.read(features)[step_by_step].split(going):
            now = self._step(read, now[: len(read)])
            after.append(now)
        return torch.cat(after)[back]

    def _step(self, read: Tensor, memory: Tensor) -> Tensor:
        # Cast by hand. Autocast keeps one cache of cast weights for all threads, and any thread that leaves it clears
        # the cache. Whether gradients are summed before or after the cast would then be random.
        weight, bias = self.recall.weight.to(read.dtype), self.recall.bias.to(read.dtype)
        reset, keep, new = read.chunk(3, dim=1)
        old_reset, old_keep, old_new = nn.functional.linear(memory.to(read.dtype), weight, bias).chunk(3, dim=1)
        new = torch.tanh(new + torch.sigmoid(reset + old_reset) * old_new)
        return torch.lerp(new.float(), memory, torch.sigmoid(keep + old_keep).float())
