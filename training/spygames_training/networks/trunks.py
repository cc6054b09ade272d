"""The layers of a network before its heads: plain ones, attention over entities, and memory.

Letters: n decisions, F features of a view, E entities of one kind, D floats an entity, W units of the last layer,
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


def linear(inputs: int, outputs: int, gain: float) -> nn.Linear:
    """A linear layer with orthogonal float32 weights of that gain and no bias at first."""
    layer = nn.Linear(inputs, outputs, dtype=torch.float32)
    nn.init.orthogonal_(layer.weight, gain)
    nn.init.zeros_(layer.bias)
    return layer


def layers(sizes: Sequence[int]) -> nn.Sequential:
    """Linear layers with ReLU after each: [n, sizes[0]] -> [n, sizes[-1]]."""
    found: list[nn.Module] = []
    for inputs, outputs in pairwise(sizes):
        found += [linear(inputs, outputs, gain=2**0.5), nn.ReLU()]
    return nn.Sequential(*found)


def entities(game: Game) -> list[np.ndarray]:
    """The places of each entity's features in a flat view: int64 [E, f] for each kind of `game.entities` that this
    variant has fields of; ValueError where it has none."""
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
        raise ValueError(f"{game.id} names no entities, so network.kind must be another one")
    return found


class EntityTrunk(nn.Module):
    """Attention over entities: each becomes a token by a layer that all of its kind share, and a learned vector says
    which one it is; one layer of attention lets all tokens look at each other; they are then joined, in their order,
    with the rest of the view, for plain layers as ever.

    Args:
        num_features: F.
        places: int64 [E, f] for each kind: the places of its entities' features in a view, as of `entities`.
        embedding: D, a multiple of HEADS.
        hidden: units of each plain layer.
    """

    def __init__(self, num_features: int, places: Sequence[np.ndarray], embedding: int, hidden: Sequence[int]):
        super().__init__()
        tokens = sum(len(kind) for kind in places)
        rest = np.setdiff1d(np.arange(num_features), np.concatenate([kind.ravel() for kind in places]))
        # Not kept with the weights, since they follow from the game and not from what was learned.
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
        """The token of each entity, [n, all E, D]; entities of one kind are treated alike but for `which`."""
        n = observation.shape[0]  # len() would be a constant in an exported network
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
    """A new trunk for `game`, [n, F] -> [n, W]; ValueError for entities in a game that names none."""
    if config.kind == "entities":
        return EntityTrunk(game.num_features, entities(game), config.embedding, config.hidden)
    return layers([game.num_features, *config.hidden])


class Memory(nn.Module):
    """A gated recurrent unit (Cho et al. 2014, arXiv 1406.1078) that can be unrolled over sequences of any lengths.

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
        """One decision each: [n, W] and [n, M] -> the memory after it, float32 [n, M]."""
        return self._step(self.read(features), memory)

    def unroll(self, features: Tensor, lengths: np.ndarray, memory: Tensor) -> Tensor:
        """Sequences, one after the other in `features` [n, W], of `lengths` int [S], each from its row of `memory`
        [S, M] on -> the memory after each decision, [n, M]."""
        if not len(lengths):
            return memory
        order = np.argsort(-lengths, kind="stable")  # the longest first, so that those not yet over are the first few
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
        # Cast here, since autocast keeps the cast weights of all threads in one place, which any thread that is through
        # empties: whether a weight's gradients are then summed up before or after the cast would be a matter of chance.
        weight, bias = self.recall.weight.to(read.dtype), self.recall.bias.to(read.dtype)
        reset, keep, new = read.chunk(3, dim=1)
        old_reset, old_keep, old_new = nn.functional.linear(memory.to(read.dtype), weight, bias).chunk(3, dim=1)
        new = torch.tanh(new + torch.sigmoid(reset + old_reset) * old_new)
        return torch.lerp(new.float(), memory, torch.sigmoid(keep + old_keep).float())
