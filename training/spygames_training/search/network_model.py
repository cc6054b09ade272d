"""A network as a model: a copy in the dtype of the search, evaluated in a few fixed batch sizes."""

import copy

import numpy as np
import torch

from spygames.core.game.game import Game, flat
from spygames_training.networks.actor_critic import ActorCritic
from spygames_training.networks.device import Compute
from spygames_training.search.settings import SearchPrecision

SIZES = (16, 32, 64, 96, 128, 192, 256, 384, 512, 768, 1024)
"""Batch sizes of the network. There are few, because a new size costs oneDNN about a millisecond per layer."""


class NetworkModel:
    """A policy network and its value.

    Args:
        game: the game.
        network: without memory.
        temperature: of its policy; 0 is argmax.
        value_unit: the network's value for a return of 1: the `reward_scale` that it was trained with.
        precision: the dtype to compute in, on any processor.
    """

    def __init__(
        self,
        game: Game,
        network: ActorCritic,
        temperature: float = 1.0,
        value_unit: float = 1.0,
        precision: SearchPrecision = "float32",
    ):
        self._compute = Compute.of(network, precision)
        network = copy.deepcopy(network).requires_grad_(False).eval().to(self._compute.dtype)
        self._trunk, self._actions = network.trunk, game.num_actions
        self._temperature, self._unit = temperature, value_unit
        self._bound = abs(game.lowest_return) if game.num_sides == 2 else np.inf  # two sides are zero-sum
        self._reads = network.has_value
        self._heads = network.joined_heads() if self._reads else network.policy
        self._buffers = {
            n: torch.zeros(n, game.num_features, dtype=self._compute.dtype, device=self._compute.device) for n in SIZES
        }

    @torch.inference_mode()
    def ask(
        self, views: np.ndarray, mask: np.ndarray, rng: np.ndarray, values: bool = True
    ) -> tuple[np.ndarray, np.ndarray | None]:
        """See `Model.ask`; nothing is drawn."""
        k, observation = len(views), torch.from_numpy(flat(views))
        found = torch.empty(k, self._actions + self._reads, dtype=torch.float32, device="cpu")
        for lo in range(0, k, SIZES[-1]):
            n = min(SIZES[-1], k - lo)
            buffer = self._buffers[next(size for size in SIZES if size >= n)]
            buffer[:n] = observation[lo : lo + n]
            found[lo : lo + n] = self._heads(self._trunk(buffer))[:n]
        logits = found.numpy()
        logits, last = logits[:, : self._actions], logits[:, self._actions :]
        if self._temperature == 0:
            best = np.where(mask != 0, logits, -np.inf).argmax(axis=1)
            logits[...] = -1e9
            logits[np.arange(k), best] = 0
        elif self._temperature != 1:
            logits /= self._temperature
        if not values or not self._reads:
            return logits, None
        return logits, np.clip(last[:, 0] / self._unit, -self._bound, self._bound)
