"""Checkpoints: a folder with `model.safetensors` (the weights) and `config.json` (everything else).

Both files are data. Loading runs no code from them, takes no more memory than their size, and fails with a one-line
`CheckpointError`.
"""

import hashlib
import json
from collections.abc import Container, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError
from safetensors.torch import load as tensors_from_bytes
from torch import Tensor
from torch.nn.functional import pad

from spygames.core.basics.text import one_line
from spygames.core.basics.version import VERSION
from spygames.core.game.game import Game
from spygames.core.game.registry import imports_code, make_game
from spygames.core.players.released import released_agents
from spygames_training.agents.folder import (
    CONFIG,
    FORMAT,
    MODEL,
    CheckpointError,
    check_place,
    find_checkpoint,
    read_checkpoint_config,
    read_checkpoint_file,
    write_checkpoint,
)
from spygames_training.config import MAX_LAYERS, MAX_UNITS, StoredNetwork
from spygames_training.files.json_values import is_count, is_number
from spygames_training.files.state_dicts import tensor_difference
from spygames_training.networks.actor_critic import ActorCritic, blank
from spygames_training.networks.custom import OwnNetwork, Source, check_answers, make_own_network
from spygames_training.networks.device import seeded, usual_torch

__all__ = ["Checkpoint", "CheckpointError", "load_checkpoint", "save_checkpoint"]

OWN = "own"
"""The `kind` of a custom network in config.json."""
MAX_MODEL_BYTES = 1 << 30
MAX_WEIGHT = 1_000_000
"""Maximum absolute weight. Training produces none larger, and outputs computed with larger ones may not be finite."""


@dataclass(frozen=True)
class Checkpoint:
    """A loaded checkpoint: the game, the network and the metadata.

    Example:
        >>> from spygames_training import load_checkpoint
        >>> checkpoint = load_checkpoint("agent_avenue/simple-2")
        >>> checkpoint.game.id, checkpoint.decisions
        ('agent_avenue_v0', 237633536)
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
        found: Any = self.meta.get("extra")
        for key in ("config", "ppo", "reward_scale"):
            found = found.get(key) if isinstance(found, dict) else None
        return float(found) if is_number(found) and found > 0 else 1.0

    @property
    def training_opponents(self) -> tuple[str, ...]:
        """Scripted players that the agent trained against, as far as recorded.

        Those of the agent that its run started from are included.
        """
        found: Any = self.meta.get("extra")
        for key in ("config", "opponents"):
            found = found.get(key) if isinstance(found, dict) else None
        bots = found.get("bots") if isinstance(found, dict) and found.get("share") else ()
        return tuple(dict.fromkeys([*_texts(self.began_with.get("opponents")), *_texts(bots)]))

    @property
    def began_with(self) -> Mapping[str, Any]:
        """The agent whose weights the run started from (`Config.start_from`).

        Empty if the run started from random weights or its start is not recorded. Keys:

        - `agent`: the setting `start_from`.
        - `weights`: the SHA-256 of the weights.
        - `decisions`: the number of decisions that the agent was trained on.
        - `opponents`: the scripted players that the agent trained against.
        - `runs`, if recorded: the `config`, `step` and `seconds` of each earlier run, oldest first.
        """
        extra: Any = self.meta.get("extra")
        found: Any = extra.get("began_with") if isinstance(extra, dict) else None
        return found if isinstance(found, dict) else {}

    @property
    def decisions(self) -> int:
        """Number of decisions trained on, including those of the agent that the run started from."""
        before = self.began_with.get("decisions")
        return self.meta["step"] + (before if is_count(before) else 0)


def _texts(found: object) -> list[str]:
    """The texts in a list; empty for any other value."""
    return [each for each in found if isinstance(each, str)] if isinstance(found, (list, tuple)) else []


def layout_hash(game: Game, without: Container[str] = ()) -> str:
    """Digest of a network's inputs and outputs: the view's fields, in order, and the number of actions.

    Args:
        game: the game.
        without: fields to leave out.
    """
    layout = game.layout
    observation = {name: shape for name, shape in layout["observation"].items() if name not in without}
    return hashlib.sha256(json.dumps({**layout, "observation": observation}).encode()).hexdigest()[:16]


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
        ValueError, TypeError: `results` or `extra` is not JSON-serializable.
    """
    path = Path(path).absolute()
    check_place(path)
    tensors = {k: v.detach().to("cpu", torch.float32).clone().contiguous() for k, v in network.actor().items()}
    _check_finite(path, tensors)
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


def _display_name(folder: Path) -> str:
    """Name of a checkpoint folder in messages: a released agent's name, otherwise the path."""
    try:
        agents = released_agents()
    except ValueError:  # the list of agents is damaged, but the message is about something else
        agents = []
    return next((agent.name for agent in agents if agent.folder == folder), str(folder))


def checkpoint_game(path: str | Path) -> Game:
    """Return the game, with its options, that a checkpoint names; `path` and errors as in `load_checkpoint`."""
    folder = find_checkpoint(path)
    return _named_game(folder, _get(folder, read_checkpoint_config(folder / CONFIG), "environment", dict))


def load_checkpoint(path: str | Path, game: Game | None = None, network: Source | None = None) -> Checkpoint:
    """Read a checkpoint.

    Args:
        path: the checkpoint's folder, a run's folder (with a folder `checkpoint` in it), or the name of an agent that
            comes with the package: `agent_avenue/simple-2`, or `best`, which needs `game`.
        game: the game to play. The checkpoint must be of the same game, with the same layout of observations and
            actions; other options may differ. The layout may lack the game's `extra_fields`: then the weights of these
            inputs are 0, unless the network is one of entities or your own. None: the game and options that the
            checkpoint names.
        network: the module of a custom network, or a function that makes it. A checkpoint of a custom network needs it,
            since a checkpoint holds no code.

    Raises:
        CheckpointError: the checkpoint is missing, damaged, or of another game or layout; one line says why.
    """
    folder = find_checkpoint(path, game)
    config = read_checkpoint_config(folder / CONFIG)
    environment = _get(folder, config, "environment", dict)
    layout = _get(folder, config, "layout", dict)
    _get(folder, config, "step", int)
    if game is None:
        game = _named_game(folder, environment)
    elif environment.get("id") != game.id:
        raise CheckpointError(f"{_display_name(folder)} was trained on {environment.get('id')!r:.60}, not on {game.id}")
    if layout.get("hash") not in (layout_hash(game), layout_hash(game, game.extra_fields)):
        options = _other_options(environment.get("options"), game)
        raise CheckpointError(
            f"{_display_name(folder)} has another layout than {game.id} here: {_difference(layout, game)}"
            + (f"; trained with {options}" if options else "")
        )
    return Checkpoint(game, _read_network(folder, config, game, network), config)


def _get(where: Path, mapping: Mapping[str, Any], key: str, kind: type) -> Any:
    value = mapping.get(key)
    if not isinstance(value, kind) or isinstance(value, bool):
        raise CheckpointError(f"{where / CONFIG}: {key} is missing or is not of type {kind.__name__}")
    return value


def _named_game(folder: Path, environment: Mapping[str, Any]) -> Game:
    """Make the game that a checkpoint names, if it comes with the package: a file must not choose what is imported."""
    name = _get(folder, environment, "id", str)
    options = _get(folder, environment, "options", dict)
    if imports_code(name):
        raise CheckpointError(f"{folder} was trained on {name!r:.60}, which is not a game of spygames: name the game")
    try:
        return make_game(name, **options)
    except (ValueError, TypeError) as error:
        raise CheckpointError(f"{folder} has options that {name} does not accept: {one_line(error, 200)}") from None


def _difference(layout: Mapping[str, Any], game: Game) -> str:
    theirs, ours = layout.get("observation"), game.layout["observation"]
    if layout.get("num_actions") != game.num_actions:
        return f"{layout.get('num_actions')!r:.20} actions instead of {game.num_actions}"
    if not isinstance(theirs, dict):
        return "the checkpoint lists no observation"
    fields = [name for name in {**ours, **theirs} if theirs.get(name) != ours.get(name)]
    return f"observation fields {', '.join(fields[:5])!r:.120} differ" if fields else "fields in another order"


def _other_options(theirs: object, game: Game) -> str:
    """The options in which a checkpoint's game differs from `game`, as text."""
    if not isinstance(theirs, dict):
        return ""
    named = filter(str.isidentifier, {**theirs, **game.options})
    names = [name for name in named if theirs.get(name) != game.options.get(name)]
    pairs = [f"{name:.30}={theirs.get(name)!r:.30} instead of {game.options.get(name)!r:.30}" for name in names]
    return ", ".join(pairs[:5])


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


def _read_kind(folder: Path, spec: Mapping[str, Any], game: Game) -> StoredNetwork:
    """Read what `_describe` wrote."""
    hidden = _get(folder, spec, "hidden", list)
    if len(hidden) > MAX_LAYERS or not all(type(n) is int and 1 <= n <= MAX_UNITS for n in hidden):
        raise CheckpointError(f"{folder / CONFIG}: hidden must be at most {MAX_LAYERS} integers from 1 to {MAX_UNITS}")
    critic = spec.get("critic", "own")
    if critic not in ("own", "none"):
        raise CheckpointError(f"{folder / CONFIG}: critic must be own or none, not {critic!s:.20}")
    belief = "none"
    if "belief" in spec:
        groups = [] if game.questions is None else [list(group) for group in game.questions.groups]
        if spec["belief"] != groups:
            raise CheckpointError(f"{folder} has a belief about other questions than those of {game.id}")
        belief = "keep"
    common = StoredNetwork(tuple(hidden), critic=critic, belief=belief)
    kind = spec.get("kind", "mlp")
    if kind == "mlp":
        return common
    if kind == "entities":
        if spec.get("entities") != {k: list(v) for k, v in game.entities.items()}:
            raise CheckpointError(f"{folder} has a network for other entities than those of {game.id}")
        return replace(common, kind=kind, embedding=_units(folder, spec, "embedding", 2))
    if kind == "recurrent":
        return replace(common, kind=kind, memory=_units(folder, spec, "memory"))
    raise CheckpointError(f"{folder / CONFIG}: kind must be mlp, entities, recurrent or {OWN}, not {kind!r:.20}")


def _units(folder: Path, spec: Mapping[str, Any], key: str, multiple: int = 1) -> int:
    value = _get(folder, spec, key, int)
    if not 1 <= value <= MAX_UNITS or value % multiple:
        raise CheckpointError(f"{folder / CONFIG}: {key} must be from 1 to {MAX_UNITS}, a multiple of {multiple}")
    return value


def _blank(folder: Path, spec: Mapping[str, Any], game: Game, source: Source | None) -> ActorCritic:
    """Build the network that a checkpoint describes, without its weights."""
    if spec.get("kind") != OWN:
        kind = _read_kind(folder, spec, game)
        if source is not None:
            raise CheckpointError(f"{folder} has a network of this package ({kind.kind}): do not pass a network")
        return blank(game, kind)
    name = one_line(_get(folder, spec, "name", str), 100)
    if source is None:
        raise CheckpointError(
            f"{folder} has a custom network, {name}: pass it, as in Policy.load(path, network={name}), or name the "
            f"player network:MODULE.{name}:{folder}"
        )
    try:
        with seeded(0):
            network = make_own_network(source, game)
    except ValueError as error:
        raise CheckpointError(f"{folder}: {error}") from error
    network.shaped = spec.get("critic") == "none"
    return network


@usual_torch()
def _read_network(folder: Path, config: Mapping[str, Any], game: Game, source: Source | None) -> ActorCritic:
    file = folder / MODEL
    spec = _get(folder, config, "network", dict)
    network = _blank(folder, spec, game, source)
    data = read_checkpoint_file(file, MAX_MODEL_BYTES)
    try:
        tensors = tensors_from_bytes(data)
    except (SafetensorError, KeyError) as error:
        raise CheckpointError(f"{file} is truncated or not a safetensors file: {one_line(error, 200)}") from None
    if not isinstance(network, OwnNetwork):
        tensors = {k: v.float() if v.dtype is torch.bfloat16 else v for k, v in tensors.items()}
        if _get(folder, config, "layout", dict).get("hash") != layout_hash(game):
            tensors = _with_extra_inputs(tensors, game)
    if difference := tensor_difference(network.state_dict(), tensors):
        raise CheckpointError(f"{file} does not match the network in {CONFIG}: {difference}")
    if hashlib.sha256(data).hexdigest() != _get(folder, _get(folder, config, "weights", dict), "sha256", str):
        raise CheckpointError(f"{file} does not hold the weights that {CONFIG} was written for")
    _check_finite(file, tensors)
    # Assigning would break weights that a custom network shares between its layers.
    network.load_state_dict(tensors, assign=not isinstance(network, OwnNetwork))
    try:
        check_answers(network, spec.get("answers"))
    except ValueError as error:
        raise CheckpointError(f"{folder}: {error}") from error
    return network.eval()


def _with_extra_inputs(tensors: dict[str, Tensor], game: Game) -> dict[str, Tensor]:
    """Return the weights of a network for a view without `extra_fields`, with weights of 0 for these inputs."""
    extra = sum(game.view_dtype[name].itemsize // 4 for name in game.extra_fields)
    return {k: pad(v, (0, extra)) if k == _OF_INPUTS and v.ndim == 2 else v for k, v in tensors.items()}


_OF_INPUTS = "trunk.0.weight"
"""The weights of the first layer, whose columns are the features of a view."""


def _check_finite(where: Path, tensors: Mapping[str, Tensor]) -> None:
    for name, tensor in tensors.items():
        if not bool((tensor.abs() <= MAX_WEIGHT).all()):  # false for NaN, too
            raise CheckpointError(f"{where}: weights {name} must be finite and within {MAX_WEIGHT:,}")
