"""A trained agent on disk: a folder with `model.safetensors` (the weights) and `config.json` (everything else).

Both are data: loading runs no code from them, takes no more memory than the files are long, and fails with a
`CheckpointError` of one line.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError
from safetensors.torch import load as tensors_from_bytes
from torch import Tensor

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
from spygames_training.files.atomic import is_count, is_number
from spygames_training.files.state_dicts import tensor_difference
from spygames_training.networks.actor_critic import ActorCritic, blank
from spygames_training.networks.custom import OwnNetwork, Source, check_answers, make_own_network
from spygames_training.networks.device import seeded, usual_torch

__all__ = ["Checkpoint", "CheckpointError", "load_checkpoint", "save_checkpoint"]

OWN = "own"
"""The kind of a network that is none of this package's."""
MAX_MODEL_BYTES = 1 << 30
MAX_WEIGHT = 1_000_000
"""Larger ones, of either sign, are no result of training, and what a network computes with them may be no number."""


@dataclass(frozen=True)
class Checkpoint:
    """What `load_checkpoint` found."""

    game: Game
    """What it plays."""
    network: ActorCritic
    """On the CPU, in evaluation mode, all weights finite."""
    meta: dict[str, Any]
    """config.json: format, environment, layout, network, weights, step, code, results, extra."""

    @property
    def value_unit(self) -> float:
        """What the network's value is where the return is 1: the `reward_scale` of the run, 1 where none is noted."""
        found: Any = self.meta.get("extra")
        for key in ("config", "ppo", "reward_scale"):
            found = found.get(key) if isinstance(found, dict) else None
        return float(found) if is_number(found) and found > 0 else 1.0

    @property
    def training_opponents(self) -> tuple[str, ...]:
        """The scripted players that it trained against, or the agent that it began from did, where that is noted."""
        found: Any = self.meta.get("extra")
        for key in ("config", "opponents"):
            found = found.get(key) if isinstance(found, dict) else None
        bots = found.get("bots") if isinstance(found, dict) and found.get("share") else ()
        return tuple(dict.fromkeys([*_texts(self.began_with.get("opponents")), *_texts(bots)]))

    @property
    def began_with(self) -> Mapping[str, Any]:
        """The agent with whose weights its run began (`Config.start_from`): `agent`, the setting; `weights`, their
        SHA-256; `decisions`, on which it was trained; `opponents`, the scripted players that it trained against;
        `runs`, the `config`, the `step` and the `seconds` of each run that led to it, the first one first, as far as
        they are noted. Empty where the run began with random weights or that is not noted."""
        extra: Any = self.meta.get("extra")
        found: Any = extra.get("began_with") if isinstance(extra, dict) else None
        return found if isinstance(found, dict) else {}

    @property
    def decisions(self) -> int:
        """On which it was trained, with those of the agent with whose weights it began."""
        before = self.began_with.get("decisions")
        return self.meta["step"] + (before if is_count(before) else 0)


def _texts(found: object) -> list[str]:
    """Those of a list, or of whatever stands in its place."""
    return [each for each in found if isinstance(each, str)] if isinstance(found, (list, tuple)) else []


def layout_hash(game: Game) -> str:
    """A digest of what a network depends on: the view's fields, in their order, and the number of actions."""
    return hashlib.sha256(json.dumps(game.layout).encode()).hexdigest()[:16]


def save_checkpoint(
    path: str | Path,
    game: Game,
    network: ActorCritic,
    step: int,
    results: Mapping[str, Any] | None = None,
    extra: Mapping[str, Any] | None = None,
) -> None:
    """Writes the folder `path`, in place of the checkpoint that may be there; what else lies beside that one stays.

    It is written beside it and renamed, so that a kill at any moment leaves the old one or the new one.

    Args:
        path: the folder; its parents are made.
        game: what the network plays.
        network: the weights, on any device.
        step: decisions trained on.
        results: JSON-able, whatever was found out about how it plays; a run gives the win shares of its last
            evaluation with the `step` they were measured at.
        extra: JSON-able, whatever else is to be kept, such as the settings of the run.

    Raises:
        CheckpointError: `path` is something else than a checkpoint (`check_place`), or a weight is not finite.
        ValueError, TypeError: `results` or `extra` is not JSON.
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


def _called(folder: Path) -> str:
    """What a message calls the checkpoint in a folder: a released agent by its name, any other by the folder."""
    try:
        agents = released_agents()
    except ValueError:  # their list is damaged, which is not what the message is about
        agents = []
    return next((agent.name for agent in agents if agent.folder == folder), str(folder))


def checkpoint_game(path: str | Path) -> Game:
    """The game, with its options, that a checkpoint names; `path` and errors as of `load_checkpoint`."""
    folder = find_checkpoint(path)
    return _named_game(folder, _get(folder, read_checkpoint_config(folder / CONFIG), "environment", dict))


def load_checkpoint(path: str | Path, game: Game | None = None, network: Source | None = None) -> Checkpoint:
    """Reads a checkpoint.

    Args:
        path: its folder, or a run's folder that has it as `checkpoint`, or the name of an agent that comes with the
            package (`agent_avenue/simple-2`; `best`, which needs the game).
        game: what is to be played: the checkpoint must be of this game and of the same layout of observations and
            actions; other options may differ. None: the game, with the options, that the checkpoint names.
        network: the module, or what makes it, that the agent was trained with, where that was none of this package's:
            a checkpoint holds no code.

    Raises:
        CheckpointError: with one line that says what is wrong.
    """
    folder = find_checkpoint(path, game)
    config = read_checkpoint_config(folder / CONFIG)
    environment = _get(folder, config, "environment", dict)
    layout = _get(folder, config, "layout", dict)
    _get(folder, config, "step", int)
    if game is None:
        game = _named_game(folder, environment)
    elif environment.get("id") != game.id:
        raise CheckpointError(f"{_called(folder)} was trained on {environment.get('id')!r:.60}, not on {game.id}")
    if layout.get("hash") != layout_hash(game):
        options = _other_options(environment.get("options"), game)
        raise CheckpointError(
            f"{_called(folder)} has another layout than {game.id} here: {_difference(layout, game)}"
            + (f"; trained with {options}" if options else "")
        )
    return Checkpoint(game, _read_network(folder, config, game, network), config)


def _get(where: Path, mapping: Mapping[str, Any], key: str, kind: type) -> Any:
    value = mapping.get(key)
    if not isinstance(value, kind) or isinstance(value, bool):
        raise CheckpointError(f"{where / CONFIG}: {key} is missing or is not what it should be ({kind.__name__})")
    return value


def _named_game(folder: Path, environment: Mapping[str, Any]) -> Game:
    """The game that a checkpoint names, if it is one of this package's: a file must not choose what is imported."""
    name = _get(folder, environment, "id", str)
    options = _get(folder, environment, "options", dict)
    if imports_code(name):
        raise CheckpointError(f"{folder} was trained on {name!r:.60}, which is no game of spygames here: name the game")
    try:
        return make_game(name, **options)
    except (ValueError, TypeError) as error:
        raise CheckpointError(f"{folder} names options that {name} does not take: {one_line(error, 200)}") from None


def _difference(layout: Mapping[str, Any], game: Game) -> str:
    theirs, ours = layout.get("observation"), game.layout["observation"]
    if layout.get("num_actions") != game.num_actions:
        return f"{layout.get('num_actions')!r:.20} actions instead of {game.num_actions}"
    if not isinstance(theirs, dict):
        return "it lists no observation"
    fields = [name for name in {**ours, **theirs} if theirs.get(name) != ours.get(name)]
    return f"observation fields {', '.join(fields[:5])!r:.120} differ" if fields else "fields in another order"


def _other_options(theirs: object, game: Game) -> str:
    """The options that a checkpoint was trained with and `game` has not, in words."""
    if not isinstance(theirs, dict):
        return ""
    named = filter(str.isidentifier, {**theirs, **game.options})
    names = [name for name in named if theirs.get(name) != game.options.get(name)]
    pairs = [f"{name:.30}={theirs.get(name)!r:.30} instead of {game.options.get(name)!r:.30}" for name in names]
    return ", ".join(pairs[:5])


def _describe(game: Game, network: ActorCritic) -> dict[str, Any]:
    """The network's kind and sizes, as `_blank` and `_read_kind` read them."""
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
    """What `_describe` wrote."""
    hidden = _get(folder, spec, "hidden", list)
    if len(hidden) > MAX_LAYERS or not all(type(n) is int and 1 <= n <= MAX_UNITS for n in hidden):
        raise CheckpointError(
            f"{folder / CONFIG}: hidden must be at most {MAX_LAYERS} whole numbers from 1 to {MAX_UNITS}"
        )
    critic = spec.get("critic", "own")
    if critic not in ("own", "none"):
        raise CheckpointError(f"{folder / CONFIG}: critic must be own or none, not {critic!s:.20}")
    belief = "none"
    if "belief" in spec:
        groups = [] if game.questions is None else [list(group) for group in game.questions.groups]
        if spec["belief"] != groups:
            raise CheckpointError(f"{folder} believes about other questions than {game.id} asks here")
        belief = "keep"
    common = StoredNetwork(tuple(hidden), critic=critic, belief=belief)
    kind = spec.get("kind", "mlp")
    if kind == "mlp":
        return common
    if kind == "entities":
        if spec.get("entities") != {k: list(v) for k, v in game.entities.items()}:
            raise CheckpointError(f"{folder} has a network over other entities than {game.id} names here")
        return replace(common, kind=kind, embedding=_units(folder, spec, "embedding", 2))
    if kind == "recurrent":
        return replace(common, kind=kind, memory=_units(folder, spec, "memory"))
    raise CheckpointError(f"{folder / CONFIG}: network kind {kind!r:.20} is not known here")


def _units(folder: Path, spec: Mapping[str, Any], key: str, multiple: int = 1) -> int:
    value = _get(folder, spec, key, int)
    if not 1 <= value <= MAX_UNITS or value % multiple:
        raise CheckpointError(f"{folder / CONFIG}: {key} must be from 1 to {MAX_UNITS}, a multiple of {multiple}")
    return value


def _blank(folder: Path, spec: Mapping[str, Any], game: Game, source: Source | None) -> ActorCritic:
    """The network that a checkpoint describes, still without its weights."""
    if spec.get("kind") != OWN:
        kind = _read_kind(folder, spec, game)
        if source is not None:
            raise CheckpointError(f"{folder} has a network of this package, of kind {kind.kind}: pass none of your own")
        return blank(game, kind)
    name = one_line(_get(folder, spec, "name", str), 100)
    if source is None:
        raise CheckpointError(
            f"{folder} has a network of its author's own, {name}: only who passes it can load it, as in "
            f"Policy.load(path, network={name}), or names both, network:MODULE.{name}:{folder}"
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
        raise CheckpointError(f"{file} is cut short or is no safetensors file: {one_line(error, 200)}") from None
    if not isinstance(network, OwnNetwork):
        tensors = {k: v.float() if v.dtype is torch.bfloat16 else v for k, v in tensors.items()}
    if difference := tensor_difference(network.state_dict(), tensors):
        raise CheckpointError(f"{file} does not hold the network that {CONFIG} describes: {difference}")
    if hashlib.sha256(data).hexdigest() != _get(folder, _get(folder, config, "weights", dict), "sha256", str):
        raise CheckpointError(f"{file} holds other weights than {CONFIG} was written for")
    _check_finite(file, tensors)
    network.load_state_dict(tensors, assign=not isinstance(network, OwnNetwork))  # whose weights may be shared
    try:
        check_answers(network, spec.get("answers"))
    except ValueError as error:
        raise CheckpointError(f"{folder}: {error}") from error
    return network.eval()


def _check_finite(where: Path, tensors: Mapping[str, Tensor]) -> None:
    for name, tensor in tensors.items():
        if not bool((tensor.abs() <= MAX_WEIGHT).all()):  # nor is NaN
            raise CheckpointError(f"{where}: the weights {name} are not all finite numbers within {MAX_WEIGHT:,}")
