"""Trained agents without torch: NumPy computes the network of a checkpoint."""

from collections.abc import Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from spygames.core.basics.extras import how_to_install
from spygames.core.game.game import Game
from spygames.core.players.checkpoint import (
    OWN,
    Layers,
    StoredAgent,
    name_of_agent,
    read_checkpoint,
    read_layers,
    read_weights,
    training_opponents,
    value_unit,
    weights_digest,
)
from spygames.core.players.checkpoint_files import CheckpointError, display_name
from spygames.core.players.player import DecisionBatch
from spygames.core.players.released import CHOOSE, play_of
from spygames.core.players.sampling import advice, draw_actions, temperature_of
from spygames.core.svg.annotations import Advice

__all__ = ["NumpyPlayer"]

EXTRA = "training"
"""The extra of this package that installs torch."""


class NumpyPlayer:
    """A trained agent as a `Player` that needs no torch: NumPy computes its network, of linear layers (`mlp`).

    `make_player` makes it where torch is not installed. Its probabilities are those of torch's player up to rounding,
    within 1e-5 for the released agents, and both have the same name and digest.

    Example:
        >>> from spygames import make_game
        >>> from spygames.players import NumpyPlayer
        >>> from spygames.records import play_record
        >>> game = make_game("agent_avenue_v0")
        >>> player = NumpyPlayer(game, "agent_avenue/simple-2", "argmax")
        >>> player
        NumpyPlayer(agent_avenue_v0, 'agent_avenue/simple-2@argmax')
        >>> play_record(game, [player, "greedy"], seed=1).players
        ('agent_avenue/simple-2@argmax', 'greedy')

    Args:
        game: the game to play.
        path: the name of an agent that comes with the package, or the path of a checkpoint: its folder, its run's
            folder, or a zip of one of these (`spygames pack`). `best` is the agent of `game` that wins most, `safest`
            the one that is hardest to exploit.
        how: "sample", "argmax", or a temperature from 0.01 to 100. "": a released agent as it is meant to play, any
            other one sampled.

    Raises:
        ValueError: the checkpoint is missing, damaged, or of another game or layout; its network is of another kind;
            or `how` is invalid.
    """

    memory_size = 0
    """Number of floats that the player keeps in `DecisionBatch.memory`."""

    def __init__(self, game: Game, path: str | Path, how: str = ""):
        if path in CHOOSE:
            path = CHOOSE[str(path)](game).name
        temperature_of(how)
        stored = read_checkpoint(path, game)
        weights = _read(stored)
        self.game = game
        name = name_of_agent(path, stored.place)
        how = how or play_of(name)
        self.temperature = temperature_of(how)
        self.name = f"{name}@{how}"
        self.digest = weights_digest(weights)
        """Digest of the weights, the same as that of torch's player."""
        self.training_opponents = training_opponents(stored.config)
        """Names of the players that the agent trained against, as recorded in its checkpoint."""
        self._unit = value_unit(stored.config)
        trunk = [(weights[f"trunk.{2 * i}.weight"], weights[f"trunk.{2 * i}.bias"]) for i in range(_depth(weights))]
        self._trunk = [(_columns(weight), bias) for weight, bias in trunk]
        self._policy = _columns(weights["policy.weight"]), weights["policy.bias"]
        self._value = None
        if "value.weight" in weights:
            self._value = _columns(weights["value.weight"]), weights["value.bias"]

    def __repr__(self) -> str:
        return f"NumpyPlayer({self.game.id}, {self.name!r})"

    def act(self, decisions: DecisionBatch) -> np.ndarray:
        """Return a legal action for each of `decisions.rows`, int64 [k]."""
        d = decisions
        return draw_actions(self.logits(d.observation[d.rows]), d.mask, d.rng, d.rows, self.temperature)

    def logits(self, observation: np.ndarray) -> np.ndarray:
        """Compute the network's logits: float32 [k, F] -> float32 [k, A], illegal actions included."""
        return self._linear(self._policy, self._features(observation))

    def advise(self, decisions: DecisionBatch) -> list[Advice]:
        """Explain each of `decisions.rows`: the probability of each legal action, and the expected result unless the
        agent was saved without a value."""
        d = decisions
        features = self._features(d.observation[d.rows])
        results = np.full(len(features), np.nan)
        if self._value is not None:
            results = self._linear(self._value, features)[:, 0].astype(np.float64) / self._unit
        return advice(d, self.name, self._linear(self._policy, features), results, self.temperature)

    def _features(self, observation: np.ndarray) -> np.ndarray:
        """Compute the output of the hidden layers: float32 [k, F] -> float32 [k, W]."""
        features = np.ascontiguousarray(observation, np.float32)
        for layer in self._trunk:
            features = self._linear(layer, features)
            np.maximum(features, 0, out=features)
        return features

    @staticmethod
    def _linear(layer: tuple[np.ndarray, np.ndarray], features: np.ndarray) -> np.ndarray:
        """Compute a linear layer: weights [inputs, outputs] and bias [outputs], float32 [k, inputs] -> [k, outputs]."""
        outputs = features @ layer[0]
        outputs += layer[1]
        return outputs


def _read(stored: StoredAgent) -> dict[str, np.ndarray]:
    """Read the weights of an `mlp`; CheckpointError for another kind of network."""
    kind = stored.network.get("kind", "mlp")
    if kind == OWN or (layers := read_layers(stored)).kind != "mlp":
        what = "a custom network" if kind == OWN else f"a network of kind {kind}"
        raise CheckpointError(f"{display_name(stored.place)} has {what}, which needs torch: {how_to_install(EXTRA)}")
    return read_weights(stored, _forms(stored.game, layers))


def _forms(game: Game, layers: Layers) -> Mapping[str, str]:
    """Return the form of each array of an `mlp`, by the names that torch's network has."""
    sizes = [game.num_features, *layers.hidden]
    shapes: dict[str, tuple[int, int]] = {f"trunk.{2 * i}": (n, m) for i, (m, n) in enumerate(pairwise(sizes))}
    shapes["policy"] = game.num_actions, sizes[-1]
    if layers.has_value:
        shapes["value"] = 1, sizes[-1]
    if layers.has_belief and game.questions is not None:
        shapes["belief"] = sum(count * answers for _, count, answers in game.questions.groups), sizes[-1]
    return {f"{name}.weight": f"float32 [{n}, {m}]" for name, (n, m) in shapes.items()} | {
        f"{name}.bias": f"float32 [{n}]" for name, (n, _) in shapes.items()
    }


def _depth(weights: Mapping[str, Any]) -> int:
    return sum(name.startswith("trunk.") and name.endswith(".weight") for name in weights)


def _columns(weight: np.ndarray) -> np.ndarray:
    """Return torch's weights [outputs, inputs] as [inputs, outputs] in memory, the order that NumPy multiplies in."""
    return np.ascontiguousarray(weight.T)
