"""The settings of a training run, as data. The strings under the fields are the command line's help."""

import json
import tomllib
from dataclasses import dataclass, field, fields, is_dataclass
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Literal, get_args, get_origin

import numpy as np

from spygames.core.basics.files import read_text
from spygames.core.basics.plain import plain
from spygames.core.basics.text import one_line, shown
from spygames.core.game.registry import canonical_id, imports_code
from spygames_training.files.atomic import LARGEST, is_number

__all__ = ["PPO", "Config", "Network", "Opponents", "read_config", "to_toml"]

MAX_LAYERS, MAX_UNITS = 16, 8192
"""Of hidden layers, and of units in each."""
MAX_TOML_BYTES = 1 << 14
"""Of a config. Few kilobytes do for any; a key of n parts takes tomllib memory in the order of n squared."""
Device = Literal["auto", "cpu", "cuda"]
Precision = Literal["auto", "float32", "bfloat16"]


@dataclass(frozen=True)
class NetworkShape:
    """The layers of a network; a run's is a `Network`, that of an agent on disk a `StoredNetwork`."""

    hidden: tuple[int, ...] = (256, 256)
    """Widths of the hidden layers."""
    kind: Literal["mlp", "entities", "recurrent"] = "mlp"
    """mlp: linear layers. entities: attention over the entities of the game (cards, agents, colours), joined
    with the rest of the view for the linear layers; 7 to 18 times slower on a CPU. recurrent: linear layers and a
    memory of the seat's own earlier decisions in the game, for games whose view does not tell all that was seen."""
    embedding: int = 32
    """Floats that each entity becomes in an entities network; even."""
    memory: int = 128
    """Floats that a recurrent network remembers."""

    def __post_init__(self) -> None:
        _check_types(self, "network.")
        _require(
            "network.",
            hidden=(
                len(self.hidden) <= MAX_LAYERS and all(1 <= width <= MAX_UNITS for width in self.hidden),
                f"at most {MAX_LAYERS} widths from 1 to {MAX_UNITS}",
            ),
            embedding=(
                self.embedding % 2 == 0 < self.embedding <= MAX_UNITS,
                f"even, positive and at most {MAX_UNITS}",
            ),
            memory=(1 <= self.memory <= MAX_UNITS, f"from 1 to {MAX_UNITS}"),
        )


@dataclass(frozen=True)
class Network(NetworkShape):
    """The network of a policy and its critic."""

    critic: Literal["own", "all"] = "own"
    """What the critic sees while training. own: what the policy sees, through the same layers. all: the views of all
    seats, so also what is hidden from the one who decides, through hidden layers of its own; the policy never sees
    them, and the agent that is kept has a value that was learned beside it, of what the policy sees."""
    belief: Literal["none", "train", "keep"] = "none"
    """Whether the network also learns to answer the game's questions about what is hidden (cards, identities, hats),
    from what the policy sees. train: while it trains, so that its layers learn to tell; the agent that is kept has no
    belief. keep: the agent has it, too."""


@dataclass(frozen=True)
class StoredNetwork(NetworkShape):
    """The network of a checkpoint."""

    critic: Literal["own", "none"] = "own"
    """none: the agent was kept without its critic, which saw all views."""
    belief: Literal["none", "keep"] = "none"
    """keep: the agent was kept with its belief about what is hidden."""


@dataclass(frozen=True)
class PPO:
    """The algorithm: proximal policy optimization, regularised towards an earlier policy."""

    games: int = 1024
    """Games played in lockstep, over all workers."""
    steps: int = 64
    """Decisions of each game between two updates."""
    epochs: int = 2
    """Passes over those decisions in an update."""
    minibatch: int = 4096
    """Decisions in one gradient step, over all workers."""
    learning_rate: float = 1e-3
    """Of Adam, at the start."""
    learning_rate_end: float = 5e-5
    """Of Adam, at the end; falls in proportion to the rest of the run."""
    clip: float = 0.2
    """How far the probability ratio may go from 1 before its gradient is cut (PPO's epsilon)."""
    gamma: float = 1.0
    """Discount between a seat's own decisions."""
    lam: float = 0.95
    """GAE's lambda, along a seat's own decisions."""
    credit: Literal["seat", "table"] = "seat"
    """What counts as one trajectory. seat: a seat's own decisions and rewards. table: all decisions of a game, with the
    rewards of whoever made them, as where a recipe for one player is used for several; only for comparison."""
    value_weight: float = 0.5
    """Weight of the critic's squared error."""
    entropy: float = 0.1
    """Weight of the policy's entropy, at the start."""
    entropy_end: float = 0.01
    """Weight of the policy's entropy, at the end; falls in proportion to the rest of the run."""
    kl: float = 0.1
    """Weight of KL(policy || reference), where the reference is an earlier self."""
    kl_end: float | None = None
    """That weight at the end, which it approaches in proportion to the run; none: it stays."""
    reference_every: int = 20
    """Updates after which the reference becomes the present policy."""
    reference_ema: float = 0.0
    """Decay a gradient step of a reference that follows instead, as a running mean of the weights, such as 0.999; 0: it
    is replaced as `reference_every` says."""
    belief_weight: float = 0.2
    """Weight of the belief's mean cross-entropy, with `network.belief`."""
    ema: float = 0.999
    """Decay a gradient step of the running mean of the weights, the policy that is evaluated and shipped."""
    max_grad_norm: float = 0.5
    """Longest gradient; longer ones are scaled down to it."""
    reward_scale: float = 1.0
    """Rewards are multiplied by this, for games whose stakes are far from 1."""
    precision: Precision = "auto"
    """What the network computes in while it plays and learns; weights and optimiser are float32 always. bfloat16 is
    several times faster where the processor, or the GPU, has instructions for it, which is where auto takes it; the
    checkpoint says which it was (`precision`). An agent plays in float32 always."""

    def __post_init__(self) -> None:
        _check_types(self, "ppo.")
        _require(
            "ppo.",
            games=(self.games >= 1, "at least 1"),
            steps=(self.steps >= 2, "at least 2"),
            epochs=(self.epochs >= 1, "at least 1"),
            gamma=(self.gamma <= 1, "between 0 and 1"),
            lam=(self.lam <= 1, "between 0 and 1"),
            clip=(self.clip > 0, "positive"),
            ema=(self.ema < 1, "between 0 and 1, 1 excluded"),
            reference_every=(self.reference_every >= 1, "at least 1"),
            reference_ema=(self.reference_ema < 1, "between 0 and 1, 1 excluded"),
        )


@dataclass(frozen=True)
class Opponents:
    """The frozen opponents of a run; none as long as `share` is 0."""

    share: float = 0.0
    """Fraction of the games, 0 to 1, in which one side learns (a seat, or a team) and each other one is a frozen
    opponent, drawn when a game starts and kept for that game."""
    bots: tuple[str, ...] = ()
    """Players among the opponents: scripted ones, searches such as mcts:10, checkpoints by name or folder."""
    temperature: float = 1.0
    """Of the network's own decisions, played and learned from, in games with an opponent that is no network; positive.
    Below 1 its play against bots is nearer to its argmax, so that what wins against them changes the argmax more than
    the probabilities that it plays itself with."""
    snapshots: int = 0
    """Earlier selves kept among the opponents; a new one replaces the oldest."""
    snapshot_every: int = 50
    """Updates between two snapshots."""
    draw: Literal["even", "hard"] = "even"
    """How opponents are drawn. even: all with equal chances. hard: those more often that are hard to beat, in
    proportion to the square of the fraction of recent games that the learner did not win against them."""

    def __post_init__(self) -> None:
        _check_types(self, "opponents.")
        _require(
            "opponents.",
            share=(self.share <= 1, "between 0 and 1"),
            temperature=(self.temperature > 0, "positive"),
            snapshot_every=(self.snapshot_every >= 1, "at least 1"),
        )
        if self.share > 0 and not self.bots and not self.snapshots:
            raise ValueError(
                "opponents.share is positive, but there are neither opponents.bots nor opponents.snapshots"
            )


@dataclass(frozen=True)
class Config:
    """A training run. A TOML file gives it; options on the command line win over the file."""

    game: str = "agent_avenue_v0"
    """Environment id, or an importable module with a function `make_game`."""
    options: dict[str, Any] = field(default_factory=dict)
    """Options of the game, as in `spygames.make_game(game, **options)`."""
    name: str = "run"
    """The run lives in runs/NAME, unless --out says otherwise."""
    seed: int = 0
    """Of everything: weights, games, sampling. Same seed, same machine, same workers: same result."""
    decisions: int = 20_000_000
    """Length of the run in decisions, over all seats and games; also what the schedules run over."""
    workers: int = 2
    """Threads that play and learn side by side, each on one core with its part of the games."""
    device: Device = "auto"
    """Where the network is: cpu, cuda (a GPU), or auto, a GPU where there is one and the network has so much to compute
    that it should be faster than this run's workers. Games are played on the CPU."""
    network: Network = field(default_factory=Network)
    """The network, one for all seats."""
    start_from: str = ""
    """The agent whose weights the network begins with, instead of random ones: the folder of a checkpoint or of a run,
    of the same game, layout and network."""
    ppo: PPO = field(default_factory=PPO)
    """The algorithm."""
    opponents: Opponents = field(default_factory=Opponents)
    """The opponents in training games."""
    evaluate_against: tuple[str, ...] = ("random", "greedy", "expert")
    """Players whose win shares are shown while training and in the summary."""
    evaluate_every: float = 60.0
    """Seconds between two evaluations."""
    evaluate_games: int = 400
    """Games against each of them."""
    evaluate_play: str = "sample"
    """How the policy plays there: sample, argmax, or a temperature such as 0.5."""
    save_every: float = 30.0
    """Seconds between two saved states, which --resume continues from."""

    def __post_init__(self) -> None:
        _check_types(self)
        object.__setattr__(self, "game", canonical_id(self.game))
        _require(
            decisions=(self.decisions >= 1, "at least 1"),
            workers=(1 <= self.workers <= 1024, "from 1 to 1024"),
            evaluate_games=(1 <= self.evaluate_games <= 1_000_000, "from 1 to 1000000"),
        )
        _require(
            "ppo.",
            games=(self.ppo.games % self.workers == 0, "a multiple of workers"),
            minibatch=(self.ppo.minibatch >= self.workers, "at least the number of workers"),
        )


def _require(prefix: str = "", **rules: tuple[bool, str]) -> None:
    """ValueError for the first setting whose rule does not hold; a rule says what is right."""
    for name, (holds, right) in rules.items():
        if not holds:
            raise ValueError(f"{prefix}{name} must be {right}")


def _check_types(config: Any, prefix: str = "") -> None:
    """Makes every list a tuple, as TOML and JSON have none, and numbers of NumPy plain; ValueError for a value that
    is not of its field's type, by the annotations. Sections have checked their own fields already."""
    for f in fields(config):
        kind: Any = f.type
        value: Any
        name, value = prefix + f.name, getattr(config, f.name)
        value = _plain(value)
        object.__setattr__(config, f.name, value := tuple[Any, ...](value) if isinstance(value, list) else value)
        if isinstance(kind, UnionType):  # with None
            if value is None:
                continue
            (kind,) = (each for each in get_args(kind) if each is not NoneType)
        if is_dataclass(kind):
            if type(value) is not kind:
                raise ValueError(f"{name} must be a {getattr(kind, '__name__', kind)}, not {shown(value)}")
        elif get_origin(kind) is Literal:
            if value not in (known := get_args(kind)):
                raise ValueError(f"{name} must be {', '.join(known[:-1])} or {known[-1]}, not {shown(value)}")
        elif kind in (int, float):
            if not is_number(value) or (kind is int and type(value) is not int):
                raise ValueError(f"{name} must be a {_WORDS[kind]}, not {shown(value)}")
            if not 0 <= value < (LARGEST if kind is int else float("inf")):
                most = "to 2^53 - 1" if kind is int else "up"
                raise ValueError(f"{name} must be a {_WORDS[kind]} from 0 {most}, not {shown(value)}")
        elif get_origin(kind) is tuple:
            (of, _) = get_args(kind)
            if not isinstance(value, tuple) or any(type(item) is not of for item in value):
                raise ValueError(f"{name} must be a list of {_WORDS[of]}s, not {shown(value)}")
        elif not isinstance(value, get_origin(kind) or kind):
            raise ValueError(f"{name} must be {_WORDS[get_origin(kind) or kind]}, not {shown(value)}")


def _plain(value: Any) -> Any:
    """A value with Python's own numbers, texts and lists in the place of NumPy's, at any depth."""
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, dict):
        return {plain(key): _plain(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return type(value)(map(_plain, value)) if type(value) in (list, tuple) else value
    return plain(value)


_WORDS: dict[Any, str] = {int: "whole number", float: "number", str: "text", dict: "a table of keys and values"}


def differences(one: Any, other: Any, prefix: str = "") -> list[str]:
    """The names of the settings in which two configs differ, as in `ppo.clip`."""
    found: list[str] = []
    for f in fields(one):
        a, b = getattr(one, f.name), getattr(other, f.name)
        if is_dataclass(a):
            found += differences(a, b, f"{prefix}{f.name}.")
        elif a != b:
            found.append(prefix + f.name)
    return found


def check_config(config: object) -> None:
    """TypeError if it is no Config, such as the name of a file."""
    if not isinstance(config, Config):
        raise TypeError(f"config must be a Config, not {shown(config)}: read_config(path) reads one from a TOML file")


def read_config(path: str | Path, *, allow_code: bool = True) -> Config:
    """The run that a TOML file describes.

    Args:
        path: the file.
        allow_code: False for a file of which nobody has said that its game may be a module of its choice.

    Raises:
        ValueError: the file cannot be read; a key is unknown or of the wrong type; its game is not allowed.
    """
    try:
        config = from_mapping(Config, tomllib.loads(read_text(path, MAX_TOML_BYTES)))
    except OSError as error:
        raise ValueError(f"cannot read {path}: {error.strerror}") from error
    except RecursionError as error:
        raise ValueError(f"{path}: lists or tables lie too deep in each other") from error
    except ValueError as error:  # TOMLDecodeError is one
        raise ValueError(f"{path}: {one_line(error, 300)}") from error
    return config if allow_code else harmless(config, path)


def harmless(config: Config, path: str | Path) -> Config:
    """The config, which came out of the file `path`; ValueError if its game imports code that the file chooses."""
    if imports_code(config.game):
        raise ValueError(
            f"{path} names {shown(config.game)}, which is no game of spygames, and its module may run any code: "
            "--allow-code imports it"
        )
    return config


def to_toml(config: Config) -> str:
    """The TOML that `read_config` reads as `config`: the game, and the settings that are not the default ones."""
    usual, lines = type(config)(), [f"game = {_toml(config.game)}"]
    lines += [f"{name} = {_toml(value)}" for name, value in _changed(config, usual) if name not in ("game", "options")]
    if config.options:
        lines += ["", "[options]", *(f"{_key(name)} = {_toml(value)}" for name, value in config.options.items())]
    for f in fields(config):
        section = getattr(config, f.name)
        if is_dataclass(section) and (own := _changed(section, getattr(usual, f.name))):
            lines += ["", f"[{f.name}]", *(f"{name} = {_toml(value)}" for name, value in own)]
    return "\n".join(lines) + "\n"


def _changed(one: Any, usual: Any) -> list[tuple[str, Any]]:
    """Fields of `one` that are no sections and have other values than in `usual`."""
    pairs = [(f.name, getattr(one, f.name)) for f in fields(one)]
    return [(name, value) for name, value in pairs if not is_dataclass(value) and value != getattr(usual, name)]


def _key(name: str) -> str:
    """A key as it is where TOML takes it so, else in quotes."""
    return name if name.isascii() and name.replace("-", "_").isidentifier() else _toml(name)


def _toml(value: Any) -> str:
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{_key(key)} = {_toml(each)}" for key, each in value.items()) + " }"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(_toml, value)) + "]"
    # Texts, numbers and booleans are alike in both, but for what JSON writes as two halves, or as it is.
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def from_mapping(kind: Any, values: Any, prefix: str = "") -> Any:
    """A config dataclass from nested plain values; ValueError names a key that is unknown or of the wrong type."""
    if not isinstance(values, dict):
        raise ValueError(f"{prefix.rstrip('.') or 'it'} must be a table, not {shown(values)}")
    known: dict[str, Any] = {f.name: f.type for f in fields(kind)}
    given: dict[str, Any] = {}
    for key, value in values.items():
        if key not in known:
            raise ValueError(f"unknown key {prefix}{one_line(key)}; known here: {', '.join(known)}")
        part = known[key]
        given[key] = from_mapping(part, value, f"{prefix}{key}.") if is_dataclass(part) else value
    return kind(**given)
