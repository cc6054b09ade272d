"""Settings of a training run, as dataclasses.

The string under each field is also its `--help` text.
"""

import json
import tomllib
from dataclasses import dataclass, field, fields, is_dataclass
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Literal, get_args, get_origin

import numpy as np

from spygames.core.basics.files import read_text
from spygames.core.basics.json_values import LARGEST, is_number
from spygames.core.basics.plain import plain
from spygames.core.basics.text import one_line, shown
from spygames.core.game.registry import canonical_id, imports_code
from spygames.core.players.network_limits import MAX_LAYERS, MAX_UNITS

__all__ = ["PPO", "Config", "Network", "Opponents", "read_config", "to_toml"]

MAX_TOML_BYTES = 1 << 14
"""Size limit of a config file. A few kilobytes are enough; tomllib needs O(n^2) memory for a dotted key of n parts."""
Device = Literal["auto", "cpu", "cuda"]
Precision = Literal["auto", "float32", "bfloat16"]


@dataclass(frozen=True)
class NetworkShape:
    """The layers of a network: the part that `Network` (of a run) and `StoredNetwork` (of a saved agent) share."""

    hidden: tuple[int, ...] = (256, 256)
    """Widths of the hidden layers."""
    kind: Literal["mlp", "entities", "recurrent"] = "mlp"
    """Architecture. mlp: linear layers. entities: attention over the game's entities (cards, agents, colors), then
    linear layers over its output and the rest of the view. This is 7 to 18 times slower on a CPU. recurrent: linear
    layers and a memory of the seat's own earlier decisions in the game. It suits games whose view does not show
    everything that the seat has seen."""
    embedding: int = 32
    """Embedding size of each entity in an entities network; even."""
    memory: int = 128
    """Memory size of a recurrent network, in floats."""

    def __post_init__(self) -> None:
        _check_types(self, "network.")
        _require(
            self,
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
    """Input of the critic during training. own: the view of the deciding seat, through the layers of the policy. all:
    the views of all seats, hidden information included, through hidden layers of its own. The policy never sees them.
    The saved agent then has a second value head, trained on the seat's own view."""
    values: Literal["one", "split"] = "one"
    """Values that the critic learns. one: one value for all games. split: one value for games among networks (the
    learner and its earlier versions), and another one for games with an opponent that is not a network, such as a
    scripted bot. Agents by name or folder count as networks. The saved agent has the first value only."""
    belief: Literal["none", "train", "keep"] = "none"
    """Auxiliary task: predict the answers to the game's questions about hidden information (cards, identities, hats)
    from the policy's view. none: no auxiliary task. train: during training only, to shape the shared layers. keep: as
    train, and the saved agent keeps the belief head."""

    def __post_init__(self) -> None:
        super().__post_init__()
        linear = self.kind != "entities" or len(self.hidden) > 0
        _require(self, "network.", hidden=(linear, 'at least one width with network.kind = "entities"'))


@dataclass(frozen=True)
class StoredNetwork(NetworkShape):
    """The network of a checkpoint."""

    critic: Literal["own", "none"] = "own"
    """own: the agent has a value head on its own view. none: the agent was saved without a critic, for instance because
    that critic saw all views."""
    belief: Literal["none", "keep"] = "none"
    """keep: the agent was saved with its belief about hidden information. none: without it."""


@dataclass(frozen=True)
class PPO:
    """The algorithm: proximal policy optimization, regularized toward an earlier policy."""

    games: int = 1024
    """Games played in lockstep, summed over all workers."""
    steps: int = 64
    """Decisions per game between two updates."""
    epochs: int = 2
    """Passes over the decisions in each update."""
    minibatch: int = 4096
    """Decisions per gradient step, summed over all workers."""
    learning_rate: float = 1e-3
    """Learning rate of Adam at the start of the run."""
    learning_rate_end: float = 5e-5
    """Learning rate of Adam at the end of the run; see `decay`."""
    clip: float = 0.2
    """Clip range of the probability ratio (PPO's epsilon)."""
    gamma: float = 1.0
    """Discount factor between a seat's own decisions."""
    lam: float = 0.95
    """Lambda of generalized advantage estimation (GAE), along a seat's own decisions."""
    credit: Literal["seat", "table"] = "seat"
    """Decisions that form one trajectory. seat: a seat's own decisions and rewards. table: all decisions of a game,
    each with the rewards of the seat that made it, as a single-agent implementation would do; for comparison only."""
    value_weight: float = 0.5
    """Weight of the critic's squared error in the loss."""
    entropy: float = 0.1
    """Weight of the policy's entropy at the start of the run."""
    entropy_end: float = 0.01
    """Weight of the policy's entropy at the end of the run; see `decay`."""
    kl: float = 0.1
    """Weight of KL(policy || reference), where the reference is an earlier version of the policy."""
    kl_end: float | None = None
    """Weight of the KL term at the end of the run; see `decay`. None: constant."""
    decay: Literal["linear", "power"] = "linear"
    """Schedule of the learning rate, the entropy's weight and the KL term's weight between their first and last values.
    linear: a straight line. power: in proportion to 1 / (c + t), where t is the fraction of the run that has passed and
    c follows from the two values. This falls fast at first and spends most of the run near the end value. Both values
    must be positive."""
    reference_every: int = 20
    """Updates between two replacements of the reference by the current policy."""
    reference_ema: float = 0.0
    """Decay per gradient step of a reference that is a running mean of the weights, such as 0.999. 0: no running mean;
    the reference is replaced as `reference_every` says."""
    belief_weight: float = 0.2
    """Weight of the belief's mean cross-entropy, with `network.belief`."""
    ema: float = 0.999
    """Decay per gradient step of the running mean of the weights, which is the policy that is evaluated and saved."""
    max_grad_norm: float = 0.5
    """Maximum gradient norm (clipped)."""
    reward_scale: float = 1.0
    """Factor applied to all rewards, for games whose returns are far from 1."""
    precision: Precision = "auto"
    """Number format of the network's computations in play and learning. Weights and optimizer are always float32.
    bfloat16 is several times faster on GPUs and processors with instructions for it, but not on Intel's without AMX;
    auto selects it where it is faster. The checkpoint records which format was used (`precision`). A saved agent always
    plays in float32."""

    def __post_init__(self) -> None:
        _check_types(self, "ppo.")
        _require(
            self,
            "ppo.",
            games=(self.games >= 1, "at least 1"),
            steps=(self.steps >= 2, "at least 2"),
            epochs=(self.epochs >= 1, "at least 1"),
            gamma=(self.gamma <= 1, "from 0 to 1"),
            lam=(self.lam <= 1, "from 0 to 1"),
            clip=(self.clip > 0, "positive"),
            reward_scale=(self.reward_scale > 0, "positive"),
            ema=(self.ema < 1, "from 0 to below 1"),
            reference_every=(self.reference_every >= 1, "at least 1"),
            reference_ema=(self.reference_ema < 1, "from 0 to below 1"),
        )
        if self.decay == "power":
            scheduled = ("learning_rate", "entropy", *(["kl"] if self.kl_end is not None else []))
            positive = 'positive with ppo.decay = "power"'
            names = [name for first in scheduled for name in (first, f"{first}_end")]
            _require(self, "ppo.", **{name: (getattr(self, name) > 0, positive) for name in names})


@dataclass(frozen=True)
class Opponents:
    """The frozen opponents in training games. With `share` 0 there are none."""

    share: float = 0.0
    """Fraction of the games, 0 to 1, that have opponents. In each of them one side learns (a seat or a team). Every
    other side is a frozen opponent, which is drawn when the game starts and kept until it ends."""
    bots: tuple[str, ...] = ()
    """Players among the opponents: scripted bots, searches such as mcts:10, checkpoints by name or folder, mixtures of
    these (mix:A|B)."""
    temperature: float = 1.0
    """Sampling temperature of the learning network in games with an opponent that is not a network; positive. The loss
    uses the same temperature. Below 1 the network plays closer to its argmax against bots. Learning against them
    then changes the argmax more than the probabilities of self-play."""
    snapshots: int = 0
    """Number of earlier versions of the network among the opponents; a new one replaces the oldest."""
    snapshot_every: int = 50
    """Updates between two snapshots."""
    draw: Literal["even", "hard"] = "even"
    """How opponents are drawn. even: all with equal probability. hard: in proportion to the square of the fraction of
    recent games that the learner did not win against them, plus a small constant."""

    def __post_init__(self) -> None:
        _check_types(self, "opponents.")
        _require(
            self,
            "opponents.",
            share=(self.share <= 1, "from 0 to 1"),
            temperature=(self.temperature > 0, "positive"),
            snapshot_every=(self.snapshot_every >= 1, "at least 1"),
        )
        if self.share > 0 and not self.bots and not self.snapshots:
            raise ValueError(
                f"opponents.share must be 0 without opponents, not {self.share:g}: set opponents.bots or "
                "opponents.snapshots"
            )


@dataclass(frozen=True)
class Config:
    """A training run. Values come from a TOML file; options on the command line override the file."""

    game: str = "agent_avenue_v0"
    """Game id, or an importable module with a function `make_game`."""
    options: dict[str, Any] = field(default_factory=dict)
    """Options of the game, as in `spygames.make_game(game, **options)`."""
    name: str = "run"
    """Name of the run, which is kept in runs/NAME unless --out names another folder."""
    seed: int = 0
    """Seed of weights, games and sampling. The same seed, machine and number of workers give the same result."""
    decisions: int = 20_000_000
    """Length of the run in decisions, summed over all seats and games. The run makes whole updates, each of ppo.games x
    ppo.steps decisions, so the length is rounded up to a multiple of that. Schedules span this length."""
    workers: int = 2
    """Threads that play and learn in parallel, each on one core with its share of the games."""
    device: Device = "auto"
    """Device of the network: cpu, cuda (a GPU) or auto. auto takes a GPU if there is one and if the network is large
    enough that the GPU should be faster than this run's workers. Games are always played on the CPU."""
    network: Network = field(default_factory=Network)
    """The network, shared by all seats."""
    start_from: str = ""
    """Checkpoint or run folder whose weights the network starts from; it must have the same game, layout and network.
    Empty: random weights."""
    ppo: PPO = field(default_factory=PPO)
    """The algorithm."""
    opponents: Opponents = field(default_factory=Opponents)
    """The opponents in training games."""
    evaluate_against: tuple[str, ...] = ("random", "greedy", "expert")
    """Players that the policy is evaluated against, in training and in the summary."""
    evaluate_every: float = 60.0
    """Seconds between two evaluations."""
    evaluate_games: int = 400
    """Games against each of these players per evaluation."""
    evaluate_play: str = "sample"
    """How the policy plays in evaluations: sample, argmax, or a temperature such as 0.5."""
    save_every: float = 30.0
    """Seconds between two saved states, from which --resume continues."""

    def __post_init__(self) -> None:
        _check_types(self)
        object.__setattr__(self, "game", canonical_id(self.game))
        _require(
            self,
            name=(self.name not in ("", ".", "..") and not set(self.name) & set("/\\\0"), "the name of a folder"),
            workers=(1 <= self.workers <= 1024, "from 1 to 1024"),
            evaluate_games=(1 <= self.evaluate_games <= 1_000_000, "from 1 to 1000000"),
        )
        _require(
            self.ppo,
            "ppo.",
            games=(self.ppo.games % self.workers == 0, f"a multiple of workers ({self.workers})"),
            minibatch=(self.ppo.minibatch >= self.workers, f"at least workers ({self.workers})"),
        )
        games, opponents = self.ppo.games // self.workers, self.opponents
        everywhere = bool(opponents.bots) and not opponents.snapshots and round(opponents.share * games) == games
        _require(
            self.network,
            "network.",
            values=(self.network.values == "one" or not everywhere, "one if every game has one of opponents.bots"),
        )

    @property
    def whole_updates(self) -> int:
        """The number of decisions that the run makes: `decisions`, rounded up to whole updates."""
        update = self.ppo.games * self.ppo.steps
        return -(-self.decisions // update) * update


def _require(config: Any, prefix: str = "", **rules: tuple[bool, str]) -> None:
    """Raise ValueError for the first setting of `config` whose rule fails. A rule says whether it holds, and names the
    right values."""
    for name, (holds, right) in rules.items():
        if not holds:
            raise ValueError(f"{prefix}{name} must be {right}, not {shown(getattr(config, name))}")


def _check_types(config: Any, prefix: str = "") -> None:
    """Check each field of `config` against its annotation.

    Lists become tuples, since TOML and JSON have no tuples; NumPy values become plain Python values. Sections are
    dataclasses that have checked their own fields already.

    Raises:
        ValueError: a value does not have its field's type.
    """
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
                raise ValueError(f"{name} must be {_WORDS[kind]}, not {shown(value)}")
            least = 1 if name == "decisions" else 0
            if not least <= value < (LARGEST if kind is int else float("inf")):
                bounds = f"from {least} to 2^53 - 1" if kind is int else ">= 0"
                raise ValueError(f"{name} must be {_WORDS[kind]} {bounds}, not {shown(value)}")
        elif get_origin(kind) is tuple:
            (of, _) = get_args(kind)
            if not isinstance(value, tuple) or any(type(item) is not of for item in value):
                raise ValueError(f"{name} must be a list of {_WORDS[of].partition(' ')[2]}s, not {shown(value)}")
        elif not isinstance(value, get_origin(kind) or kind):
            raise ValueError(f"{name} must be {_WORDS[get_origin(kind) or kind]}, not {shown(value)}")


def _plain(value: Any) -> Any:
    """Convert NumPy values to Python's numbers, strings and lists, at any depth."""
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, dict):
        return {plain(key): _plain(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return type(value)(map(_plain, value)) if type(value) in (list, tuple) else value
    return plain(value)


_WORDS: dict[Any, str] = {int: "an integer", float: "a number", str: "a string", dict: "a table of keys and values"}


def differences(one: Any, other: Any, prefix: str = "") -> list[str]:
    """Return the names of the settings in which two configs differ, such as `ppo.clip`."""
    found: list[str] = []
    for f in fields(one):
        a, b = getattr(one, f.name), getattr(other, f.name)
        if is_dataclass(a):
            found += differences(a, b, f"{prefix}{f.name}.")
        elif a != b:
            found.append(prefix + f.name)
    return found


def check_config(config: object) -> None:
    """Raise TypeError if `config` is not a Config, for instance if it is a file name."""
    if not isinstance(config, Config):
        raise TypeError(f"config must be a Config, not {shown(config)}; read_config(path) reads one from a TOML file")


def read_config(path: str | Path, *, allow_code: bool = True) -> Config:
    """Read a config from a TOML file.

    Args:
        path: the file.
        allow_code: whether `game` may name an importable module, whose code then runs. Pass False for untrusted files.

    Raises:
        ValueError: the file cannot be read, a key is unknown or has the wrong type, or the game is not allowed.
    """
    try:
        config = from_mapping(Config, tomllib.loads(read_text(path, MAX_TOML_BYTES)))
    except OSError as error:
        raise ValueError(f"cannot read {path}: {error.strerror}") from error
    except RecursionError as error:
        raise ValueError(f"{path}: lists or tables are nested too deeply") from error
    except ValueError as error:  # TOMLDecodeError is one
        raise ValueError(f"{path}: {one_line(error, 300)}") from error
    return config if allow_code else harmless(config, path)


def harmless(config: Config, path: str | Path) -> Config:
    """Return `config`, which was read from `path`. Raise ValueError if its game is a module, whose import would run
    code."""
    if imports_code(config.game):
        raise ValueError(
            f"{path} names {shown(config.game)}, which is not a game of spygames but a module that may run any code; "
            "pass --allow-code to import it"
        )
    return config


def to_toml(config: Config) -> str:
    """Return TOML that `read_config` reads as `config`: the game and all settings that differ from the defaults."""
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
    """Return the (name, value) pairs of `one` that differ from `usual`, sections excluded."""
    pairs = [(f.name, getattr(one, f.name)) for f in fields(one)]
    return [(name, value) for name, value in pairs if not is_dataclass(value) and value != getattr(usual, name)]


def _key(name: str) -> str:
    """Return a TOML key, quoted if it is not a bare key."""
    return name if name.isascii() and name.replace("-", "_").isidentifier() else _toml(name)


def _toml(value: Any) -> str:
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{_key(key)} = {_toml(each)}" for key, each in value.items()) + " }"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(_toml, value)) + "]"
    # TOML and JSON write strings, numbers and booleans the same way. Two exceptions: TOML has no surrogate pairs,
    # and it does not allow U+007F unescaped.
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def from_mapping(kind: Any, values: Any, prefix: str = "") -> Any:
    """Build a config dataclass from nested plain values. Raise ValueError for a key that is unknown or has the wrong
    type."""
    if not isinstance(values, dict):
        raise ValueError(f"{prefix.rstrip('.') or 'the config'} must be a table, not {shown(values)}")
    known: dict[str, Any] = {f.name: f.type for f in fields(kind)}
    given: dict[str, Any] = {}
    for key, value in values.items():
        if key not in known:
            raise ValueError(f"unknown key {prefix}{one_line(key)}; known keys: {', '.join(known)}")
        part = known[key]
        given[key] = from_mapping(part, value, f"{prefix}{key}.") if is_dataclass(part) else value
    return kind(**given)
