"""Read a checkpoint, except for the computations of its network: game, metadata, and weights as arrays."""

import hashlib
import json
from collections.abc import Container, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from spygames.core.basics.json_values import is_number
from spygames.core.basics.safetensors import SafetensorsError, read_safetensors
from spygames.core.basics.text import one_line
from spygames.core.game.game import Game
from spygames.core.game.registry import default_options, imports_code, make_game
from spygames.core.players.checkpoint_files import (
    CONFIG,
    MAX_MODEL_BYTES,
    MODEL,
    CheckpointError,
    display_name,
    find_checkpoint,
    read_checkpoint_config,
    read_checkpoint_file,
)
from spygames.core.players.network_limits import MAX_LAYERS, MAX_UNITS
from spygames.core.players.released import SHOWN, find_agent, find_anchor

MAX_WEIGHT = 1_000_000
"""Maximum absolute weight. Training produces none larger, and outputs computed with larger ones may not be finite."""
KINDS = ("mlp", "entities", "recurrent")
"""The kinds of networks of this package."""
OWN = "own"
"""The `kind` of a custom network in config.json."""


@dataclass(frozen=True)
class StoredAgent:
    """A checkpoint whose game fits, with its metadata. Its weights are not read yet."""

    place: Path
    """Its folder or zip."""
    game: Game
    """The game that it plays here."""
    config: Mapping[str, Any]
    """The content of config.json."""

    @property
    def network(self) -> Mapping[str, Any]:
        """The description of the network. Raises CheckpointError if it is missing."""
        return entry(self.place, self.config, "network", dict)


@dataclass(frozen=True)
class Layers:
    """The part of a network's description that all kinds of this package have."""

    kind: str
    """One of `KINDS`."""
    hidden: tuple[int, ...]
    """Widths of the hidden layers."""
    has_value: bool
    """Whether there is a value of the seat's own view."""
    has_belief: bool
    """Whether there is a belief about hidden information."""


def layout_hash(game: Game, without: Container[str] = ()) -> str:
    """Digest of a network's inputs and outputs: the view's fields, in order, and the number of actions.

    Args:
        game: the game.
        without: fields to leave out.
    """
    layout = game.layout
    observation = {name: shape for name, shape in layout["observation"].items() if name not in without}
    return hashlib.sha256(json.dumps({**layout, "observation": observation}).encode()).hexdigest()[:16]


def checkpoint_game(path: str | Path) -> Game:
    """Return the game, with its options, that a checkpoint names; `path` and errors as in `read_checkpoint`."""
    place = find_checkpoint(path)
    return _named_game(place, entry(place, read_checkpoint_config(place / CONFIG), "environment", dict))


def common_game(games: Iterable[Game]) -> Game:
    """Return the game that all agents play which were trained on these games: the first one.

    If another one differs from it by options of `SHOWN` alone, such as a history, it is that one: an agent that was
    trained without them plays it, too.
    """
    first, *others = games
    for game in others:
        added = {name: game.options[name] for name in SHOWN if name in game.options and name not in first.options}
        if added and (game.id, game.options) == (first.id, {**first.options, **added}):
            return game
    return first


def read_checkpoint(path: str | Path, game: Game | None = None) -> StoredAgent:
    """Read everything except the weights.

    Args:
        path: as in `find_checkpoint`.
        game: the game to play. The checkpoint must be of the same game, with the same layout of observations and
            actions; other options may differ. The layout may lack the game's `extra_fields`; see `read_weights`. None:
            the game and options that the checkpoint names.

    Raises:
        CheckpointError: the checkpoint is missing, damaged, or of another game or layout; one line says why.
    """
    place = find_checkpoint(path, game)
    config = read_checkpoint_config(place / CONFIG)
    environment = entry(place, config, "environment", dict)
    layout = entry(place, config, "layout", dict)
    entry(place, config, "step", int)
    if game is None:
        game = _named_game(place, environment)
    elif environment.get("id") != game.id:
        raise CheckpointError(f"{display_name(place)} was trained on {environment.get('id')!r:.60}, not on {game.id}")
    if layout.get("hash") not in (layout_hash(game), layout_hash(game, game.extra_fields)):
        options = _other_options(environment.get("options"), game)
        raise CheckpointError(
            f"{display_name(place)} has another layout than {game.id} here: {_difference(layout, game)}"
            + (f"; trained with {options}" if options else "")
        )
    return StoredAgent(place, game, config)


def read_layers(stored: StoredAgent) -> Layers:
    """Read and check the description of a network of this package.

    Raises:
        CheckpointError: a value is missing or out of range, or the network is a custom one.
    """
    place, spec, game = stored.place, stored.network, stored.game
    kind = spec.get("kind", "mlp")
    if kind not in KINDS:
        raise CheckpointError(f"{place / CONFIG}: kind must be {', '.join(KINDS)} or {OWN}, not {kind!r:.20}")
    hidden = entry(place, spec, "hidden", list)
    if len(hidden) > MAX_LAYERS or not all(type(n) is int and 1 <= n <= MAX_UNITS for n in hidden):
        raise CheckpointError(f"{place / CONFIG}: hidden must be at most {MAX_LAYERS} integers from 1 to {MAX_UNITS}")
    critic = spec.get("critic", "own")
    if critic not in ("own", "none"):
        raise CheckpointError(f"{place / CONFIG}: critic must be own or none, not {critic!s:.20}")
    groups = [] if game.questions is None else [list(group) for group in game.questions.groups]
    if "belief" in spec and spec["belief"] != groups:
        raise CheckpointError(f"{place} has a belief about other questions than those of {game.id}")
    return Layers(kind, tuple(hidden), critic == "own", "belief" in spec)


def read_weights(stored: StoredAgent, wanted: Mapping[str, str]) -> dict[str, np.ndarray]:
    """Read the weights.

    If the layout lacks the game's `extra_fields`, the first layer of linear layers gets weights of 0 for them. Networks
    of entities and custom networks are refused then, by the form of their weights.

    Args:
        stored: as returned by `read_checkpoint`.
        wanted: the form of each array, as `form_of` returns it, by name.

    Returns:
        float32 arrays by name, finite and within `MAX_WEIGHT`.

    Raises:
        CheckpointError: the file is missing or damaged, has other arrays, or other weights than config.json names.
    """
    file = stored.place / MODEL
    data = read_checkpoint_file(file, MAX_MODEL_BYTES)
    try:
        found = read_safetensors(data)
    except SafetensorsError as error:
        raise CheckpointError(f"{file} is truncated or not a safetensors file: {one_line(error, 200)}") from None
    if entry(stored.place, stored.config, "layout", dict).get("hash") != layout_hash(stored.game):
        found = _with_extra_inputs(stored, found)
    for name in {**wanted, **found}:
        here, there = (form_of(found[name]) if name in found else None), wanted.get(name)
        if here != there:
            here, there = (f"no {name!r:.60}" if form is None else f"{name!r:.60} {form}" for form in (here, there))
            raise CheckpointError(f"{file} does not match the network in {CONFIG}: {here} instead of {there}")
    check_sha256(stored.place, stored.config, data)
    for name, weights in found.items():
        check_weights(file, name, weights)
    return found


def _with_extra_inputs(stored: StoredAgent, weights: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Return the weights with columns of 0 for `extra_fields` of the view, which come last."""
    found, first = dict(weights), weights.get("trunk.0.weight")
    if first is not None and first.ndim == 2 and stored.network.get("kind", "mlp") != OWN:
        extra = sum(stored.game.view_dtype[name].itemsize // 4 for name in stored.game.extra_fields)
        found["trunk.0.weight"] = np.concatenate([first, np.zeros((len(first), extra), first.dtype)], axis=1)
    return found


def check_sha256(place: Path, config: Mapping[str, Any], data: bytes) -> None:
    """Raise CheckpointError unless config.json was written for the file of weights with this content."""
    if hashlib.sha256(data).hexdigest() != entry(place, entry(place, config, "weights", dict), "sha256", str):
        raise CheckpointError(f"{place / MODEL} does not hold the weights that {CONFIG} was written for")


def form_of(array: np.ndarray) -> str:
    """Return dtype and shape of an array as text, such as `float32 [2, 3]`."""
    return f"{array.dtype} {list(array.shape)}"


def check_weights(where: Path, name: str, weights: np.ndarray) -> None:
    """Raise CheckpointError unless the weights are finite and within `MAX_WEIGHT`."""
    if not (np.abs(weights) <= MAX_WEIGHT).all():  # false for NaN, too
        raise CheckpointError(f"{where}: weights {name} must be finite and within {MAX_WEIGHT:,}")


def weights_digest(weights: Mapping[str, np.ndarray]) -> str:
    """Digest of an agent's weights, float32 arrays by name. It identifies the agent in ladders and results."""
    digest = hashlib.sha256()
    for name, array in sorted(weights.items()):
        digest.update(f"{name} {array.shape}\n".encode())
        digest.update(np.ascontiguousarray(array).tobytes())
    return digest.hexdigest()[:16]


def name_of_agent(source: str | Path, place: Path) -> str:
    """Return the name of an agent as a player.

    Args:
        source: the path or name that the checkpoint was read from.
        place: its folder or zip, see `find_checkpoint`.

    Returns:
        The name of a released agent or an anchor, or the name of the run, the checkpoint's folder or its zip.
    """
    text = source if isinstance(source, str) else source.as_posix()
    if (isinstance(source, str) or not source.exists()) and (find_agent(text) or find_anchor(text)):
        return text
    place = place.resolve()
    if place.is_file():
        return place.stem
    return place.parent.name if place.name == "checkpoint" else place.name


def value_unit(config: Mapping[str, Any]) -> float:
    """The network's value for a return of 1: the run's `reward_scale`, or 1 if it is not recorded."""
    found: Any = config.get("extra")
    for key in ("config", "ppo", "reward_scale"):
        found = found.get(key) if isinstance(found, dict) else None
    return float(found) if is_number(found) and found > 0 else 1.0


def training_opponents(config: Mapping[str, Any]) -> tuple[str, ...]:
    """Names of the players that an agent trained against, as far as recorded: bots, searches and other agents.

    Those of the agent that its run started from are included.
    """
    found: Any = config.get("extra")
    for key in ("config", "opponents"):
        found = found.get(key) if isinstance(found, dict) else None
    bots = found.get("bots") if isinstance(found, dict) and found.get("share") else ()
    return tuple(dict.fromkeys([*_texts(began_with(config).get("opponents")), *_texts(bots)]))


def began_with(config: Mapping[str, Any]) -> Mapping[str, Any]:
    """The agent that a run started from, see `Checkpoint.began_with`; empty if there is none or it is not recorded."""
    extra: Any = config.get("extra")
    found: Any = extra.get("began_with") if isinstance(extra, dict) else None
    return found if isinstance(found, dict) else {}


def _texts(found: object) -> list[str]:
    """The texts in a list; empty for any other value."""
    return [each for each in found if isinstance(each, str)] if isinstance(found, (list, tuple)) else []


def entry(place: Path, mapping: Mapping[str, Any], key: str, kind: type) -> Any:
    """Return a value of config.json; CheckpointError if it is missing or of another type."""
    value = mapping.get(key)
    if not isinstance(value, kind) or isinstance(value, bool):
        raise CheckpointError(f"{place / CONFIG}: {key} is missing or is not of type {kind.__name__}")
    return value


def _named_game(place: Path, environment: Mapping[str, Any]) -> Game:
    """Make the game that a checkpoint names, if it comes with the package: a file must not choose what is imported."""
    name = entry(place, environment, "id", str)
    options = entry(place, environment, "options", dict)
    if imports_code(name):
        raise CheckpointError(f"{place} was trained on {name!r:.60}, which is not a game of spygames: name the game")
    try:
        return make_game(name, **options)
    except (ValueError, TypeError) as error:
        raise CheckpointError(f"{place} has options that {name} does not accept: {one_line(error, 200)}") from None


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
    names = filter(str.isidentifier, {**theirs, **game.options})
    default = default_options(game.id)  # a game leaves out an option such as history=0
    found = [(name, *(options.get(name, default.get(name)) for options in (theirs, game.options))) for name in names]
    pairs = [f"{name:.30}={their!r:.30} instead of {our!r:.30}" for name, their, our in found if their != our]
    return ", ".join(pairs[:5])
