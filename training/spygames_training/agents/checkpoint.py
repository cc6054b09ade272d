"""Checkpoints: a folder with `model.safetensors` (the weights) and `config.json` (everything else).

Both files are data. Loading runs no code from them, takes memory in proportion to their size, and fails with a one-line
`CheckpointError`. `spygames.core.players.checkpoint` reads them; this module makes networks of torch from them.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from spygames.core.basics.json_values import is_count
from spygames.core.basics.text import one_line
from spygames.core.basics.version import VERSION
from spygames.core.basics.whole_numbers import whole
from spygames.core.game.game import Game
from spygames.core.players.checkpoint import (
    OWN,
    StoredAgent,
    began_with,
    check_weights,
    entry,
    layout_hash,
    read_checkpoint,
    read_layers,
    read_weights,
    training_opponents,
    value_unit,
)
from spygames.core.players.checkpoint_files import CONFIG, FORMAT, CheckpointError
from spygames.core.players.network_limits import MAX_UNITS
from spygames_training.agents.folder import check_place, write_checkpoint
from spygames_training.config import StoredNetwork
from spygames_training.networks.actor_critic import ActorCritic, blank
from spygames_training.networks.custom import OwnNetwork, Source, check_answers, make_own_network
from spygames_training.networks.device import seeded, to_numpy, usual_torch

__all__ = ["Checkpoint", "CheckpointError", "load_checkpoint", "save_checkpoint"]


@dataclass(frozen=True)
class Checkpoint:
    """A loaded checkpoint: the game, the network and the metadata.

    Example:
        >>> from spygames_training import load_checkpoint
        >>> checkpoint = load_checkpoint("agent_avenue/simple-2")
        >>> checkpoint.game.id, checkpoint.decisions
        ('agent_avenue_v0', 1251672064)
    """

    game: Game
    """The game that the network plays."""
    network: ActorCritic
    """The network, on the CPU and in evaluation mode. All weights are finite."""
    meta: dict[str, Any]
    """The content of config.json: format, environment, layout, network, weights, step, code, results, extra."""

    @property
    def value_unit(self) -> float:
        """The network's value for a return of 1: the run's `reward_scale`, or 1 if it is not recorded."""
        return value_unit(self.meta)

    @property
    def training_opponents(self) -> tuple[str, ...]:
        """Names of the players that the agent trained against, as far as recorded: bots, searches and other agents.

        Those of the agent that its run started from are included.
        """
        return training_opponents(self.meta)

    @property
    def began_with(self) -> Mapping[str, Any]:
        """The agent whose weights the run started from (`Config.start_from`).

        Empty if the run started from random weights or its start is not recorded. Keys:

        - `agent`: the setting `start_from`.
        - `weights`: the SHA-256 of the weights.
        - `decisions`: the number of decisions that the agent was trained on.
        - `opponents`: the scripted players that the agent trained against.
        - `runs`, if recorded: the `config`, `step` and `seconds` of each earlier run, oldest first.
        - `joined`, if the first of these runs started from an agent made of others: `how` they were joined, and their
          records (`agents`).
        """
        return began_with(self.meta)

    @property
    def decisions(self) -> int:
        """Number of decisions trained on, including those of the agent that the run started from."""
        before = self.began_with.get("decisions")
        return self.meta["step"] + (before if is_count(before) else 0)


def save_checkpoint(
    path: str | Path,
    game: Game,
    network: ActorCritic,
    step: int,
    results: Mapping[str, Any] | None = None,
    extra: Mapping[str, Any] | None = None,
) -> None:
    """Write the folder `path`, replacing a checkpoint there; other files in that folder stay.

    The files are written beside the folder and renamed, so that a kill at any moment leaves the old or the new one.

    Args:
        path: the folder; its parents are created.
        game: the game that the network plays.
        network: the weights, on any device.
        step: number of decisions trained on.
        results: JSON-serializable measurements of the agent; a run stores the win shares of its last evaluation with
            the `step` at which they were measured.
        extra: further JSON-serializable data, such as the settings of the run.

    Raises:
        CheckpointError: `path` holds something other than a checkpoint, or a weight is not finite.
        ValueError: the network reads other observations or has other actions than the game, or `step` is negative.
        TypeError: `network` is not an ActorCritic.
        ValueError, TypeError: `results` or `extra` is not JSON-serializable.
    """
    if not isinstance(network, ActorCritic):
        raise TypeError(f"network must be an ActorCritic, not a {type(network).__name__}")
    sizes = game.num_features, game.num_actions
    if (found := (network.num_features, network.num_actions)) != sizes:
        raise ValueError(f"network must have the features and actions of {game.id}, {sizes}, not {found}")
    whole("step", step, 0)
    path = Path(path).absolute()
    check_place(path)
    tensors = {k: v.detach().to("cpu", torch.float32).clone().contiguous() for k, v in network.actor().items()}
    for name, tensor in tensors.items():
        check_weights(path, name, to_numpy(tensor))
    config = {
        "format": FORMAT,
        "environment": {"id": game.id, "options": dict(game.options)},
        "layout": {**game.layout, "hash": layout_hash(game)},
        "network": _describe(game, network),
        "weights": {},
        "step": int(step),
        "code": {"spygames": VERSION, "game": game.digest, "torch": str(torch.__version__)},
        "results": dict(results or {}),
        "extra": dict(extra or {}),
    }
    write_checkpoint(path, tensors, config)


def load_checkpoint(path: str | Path, game: Game | None = None, network: Source | None = None) -> Checkpoint:
    """Read a checkpoint.

    Args:
        path: the checkpoint's folder, a run's folder (with a folder `checkpoint` in it), a zip of one of these, or the
            name of an agent that comes with the package: `agent_avenue/simple-2`, or `best` or `safest`, which need
            `game`.
        game: the game to play. The checkpoint must be of the same game, with the same layout of observations and
            actions; other options may differ. The layout may lack the game's `extra_fields`: then a network of linear
            layers or a recurrent one gets weights of 0 for them. None: the game and options that the checkpoint names.
        network: the module of a custom network, or a function that makes it. A checkpoint of a custom network needs it,
            since a checkpoint holds no code.

    Raises:
        CheckpointError: the checkpoint is missing, damaged, or of another game or layout; one line says why.
    """
    stored = read_checkpoint(path, game)
    return Checkpoint(stored.game, _read_network(stored, network), dict(stored.config))


def _describe(game: Game, network: ActorCritic) -> dict[str, Any]:
    """The network's kind and sizes for config.json, read by `_blank` and `_read_kind`."""
    kind = network.config.kind
    found: dict[str, Any] = {"kind": kind, "hidden": list(network.hidden)}
    if isinstance(network, OwnNetwork):
        found = {"kind": OWN, "name": network.name, "answers": network.answers()}
    if kind == "entities":
        found |= {"embedding": network.config.embedding, "entities": {k: list(v) for k, v in game.entities.items()}}
    if kind == "recurrent":
        found["memory"] = network.memory_size
    if not network.has_value:
        found["critic"] = "none"
    if network.config.belief == "keep":
        found["belief"] = [list(group) for group in network.beliefs]
    return found


def _read_kind(stored: StoredAgent) -> StoredNetwork:
    """Read what `_describe` wrote."""
    found, spec, game = read_layers(stored), stored.network, stored.game
    critic, belief = "own" if found.has_value else "none", "keep" if found.has_belief else "none"
    if found.kind == "entities":
        if spec.get("entities") != {k: list(v) for k, v in game.entities.items()}:
            raise CheckpointError(f"{stored.place} has a network for other entities than those of {game.id}")
        return StoredNetwork(
            found.hidden, "entities", embedding=_units(stored, "embedding", 2), critic=critic, belief=belief
        )
    if found.kind == "recurrent":
        return StoredNetwork(found.hidden, "recurrent", memory=_units(stored, "memory"), critic=critic, belief=belief)
    return StoredNetwork(found.hidden, critic=critic, belief=belief)


def _units(stored: StoredAgent, key: str, multiple: int = 1) -> int:
    value = entry(stored.place, stored.network, key, int)
    if not 1 <= value <= MAX_UNITS or value % multiple:
        raise CheckpointError(f"{stored.place / CONFIG}: {key} must be from 1 to {MAX_UNITS}, a multiple of {multiple}")
    return value


def _blank(stored: StoredAgent, source: Source | None) -> ActorCritic:
    """Build the network that a checkpoint describes, without its weights."""
    place, spec = stored.place, stored.network
    if spec.get("kind") != OWN:
        kind = _read_kind(stored)
        if source is not None:
            raise CheckpointError(f"{place} has a network of this package ({kind.kind}): do not pass a network")
        return blank(stored.game, kind)
    name = one_line(entry(place, spec, "name", str), 100)
    if source is None:
        raise CheckpointError(
            f"{place} has a custom network, {name}: pass it, as in Policy.load(path, network={name}), or name the "
            f"player network:MODULE.{name}:{place}"
        )
    try:
        with seeded(0):
            network = make_own_network(source, stored.game)
    except ValueError as error:
        raise CheckpointError(f"{place}: {error}") from error
    network.shaped = spec.get("critic") == "none"
    return network


@usual_torch()
def _read_network(stored: StoredAgent, source: Source | None) -> ActorCritic:
    network = _blank(stored, source)
    forms = {name: f"{_dtype(tensor)} {list(tensor.shape)}" for name, tensor in network.state_dict().items()}
    tensors = {name: torch.from_numpy(array) for name, array in read_weights(stored, forms).items()}
    # Assigning would break weights that a custom network shares between its layers.
    network.load_state_dict(tensors, assign=not isinstance(network, OwnNetwork))
    try:
        check_answers(network, stored.network.get("answers"))
    except ValueError as error:
        raise CheckpointError(f"{stored.place}: {error}") from error
    return network.eval()


def _dtype(tensor: Tensor) -> str:
    """NumPy's name of a tensor's dtype."""
    return str(tensor.dtype).removeprefix("torch.")
