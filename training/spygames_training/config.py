"""What a training run does, as data. The strings under the fields are the command line's help."""

import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, field, fields, is_dataclass
from pathlib import Path
from typing import Any, Literal

MAX_LAYERS, MAX_UNITS = 16, 8192
"""Of hidden layers, and of units in each."""
Device = Literal["auto", "cpu", "cuda"]
Precision = Literal["auto", "float32", "bfloat16"]


@dataclass(frozen=True)
class Network:
    hidden: tuple[int, ...] = (256, 256)
    """Widths of the hidden layers."""
    kind: Literal["mlp", "entities", "recurrent"] = "mlp"
    """mlp: linear layers. entities: attention over the things that the game names (cards, agents, colours), joined
    with the rest of the view for the linear layers; 7 to 18 times slower on a CPU. recurrent: linear layers and a
    memory of the seat's own earlier decisions in the game, for games whose view does not tell all that was seen."""
    embedding: int = 32
    """Floats that each thing becomes in a network of entities; even."""
    memory: int = 128
    """Floats that a recurrent network remembers."""
    critic: Literal["own", "all", "none"] = "own"
    """What the critic sees while training. own: what the policy sees, through the same layers. all: the views of all
    seats, so also what is hidden from the one who decides, through hidden layers of its own; the policy never sees
    them, and the agent that is kept has no critic. none: there is no critic, as in such an agent."""


@dataclass(frozen=True)
class PPO:
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
    """Of Adam, at the end; falls in proportion to what is left of the run."""
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
    """Weight of the policy's entropy, at the end; falls in proportion to what is left of the run."""
    kl: float = 0.1
    """Weight of KL(policy || reference), where the reference is an earlier self."""
    reference_every: int = 20
    """Updates after which the reference becomes the present policy."""
    ema: float = 0.999
    """Decay a gradient step of the running mean of the weights, the policy that is evaluated and shipped."""
    max_grad_norm: float = 0.5
    """Longest gradient; longer ones are scaled down to it."""
    reward_scale: float = 1.0
    """Rewards are multiplied by this, for games whose stakes are far from 1."""
    precision: Precision = "auto"
    """What the network computes in while it plays and learns; weights and optimiser are float32 always. bfloat16 is
    several times faster where the processor, or the GPU, has instructions for it, which is where auto takes it."""


@dataclass(frozen=True)
class Opponents:
    share: float = 0.0
    """Part of the tables, 0 to 1, where one side learns (a seat, or a team) and each other one is a frozen opponent,
    drawn when a game starts and kept for that game."""
    bots: tuple[str, ...] = ()
    """Scripted players among the opponents."""
    snapshots: int = 0
    """Earlier selves kept among the opponents; a new one replaces the oldest."""
    snapshot_every: int = 50
    """Updates between two snapshots."""
    draw: Literal["even", "hard"] = "even"
    """How opponents are drawn: all alike, or those more often that are hard to beat, in proportion to the square of
    the share that the learner does not win against them of late."""


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
    """Where the network is: cpu, cuda (a GPU), or auto, a GPU where there is one. Games are played on the CPU."""
    network: Network = field(default_factory=Network)
    """The network, one for all seats."""
    ppo: PPO = field(default_factory=PPO)
    """The algorithm."""
    opponents: Opponents = field(default_factory=Opponents)
    """Who else sits at the tables."""
    evaluate_against: tuple[str, ...] = ("random", "greedy", "expert")
    """Players whose win shares are shown while training and in the summary."""
    evaluate_every: float = 60.0
    """Seconds between two evaluations."""
    evaluate_games: int = 400
    """Games against each of them."""
    evaluate_play: str = "sample"
    """How the policy plays there: sample, argmax, or a temperature such as 0.5."""
    save_every: float = 30.0
    """Seconds between two saved states, from which --resume goes on."""

    def __post_init__(self) -> None:
        ppo = self.ppo
        for name, value in _numbers(self):
            if not 0 <= value < float("inf"):
                raise ValueError(f"{name} must be a number from 0 up, not {value}")
        for name, ok, right in (
            ("seed", self.seed < 2**53, "below 2^53"),
            ("decisions", self.decisions >= 1, "at least 1"),
            ("workers", 1 <= self.workers <= 1024, "from 1 to 1024"),
            ("evaluate_games", self.evaluate_games >= 1, "at least 1"),
            ("device", self.device in ("auto", "cpu", "cuda"), "auto, cpu or cuda"),
            ("ppo.games", ppo.games >= 1 and ppo.games % max(self.workers, 1) == 0, "a multiple of workers"),
            ("ppo.steps", ppo.steps >= 2, "at least 2"),
            ("ppo.epochs", ppo.epochs >= 1, "at least 1"),
            ("ppo.minibatch", ppo.minibatch >= self.workers, "at least the number of workers"),
            ("ppo.gamma", 0 <= ppo.gamma <= 1, "between 0 and 1"),
            ("ppo.lam", 0 <= ppo.lam <= 1, "between 0 and 1"),
            ("ppo.clip", ppo.clip > 0, "positive"),
            ("ppo.ema", 0 <= ppo.ema < 1, "between 0 and 1, 1 excluded"),
            ("ppo.reference_every", ppo.reference_every >= 1, "at least 1"),
            ("ppo.credit", ppo.credit in ("seat", "table"), "seat or table"),
            ("ppo.precision", ppo.precision in ("auto", "float32", "bfloat16"), "auto, float32 or bfloat16"),
            ("opponents.share", 0 <= self.opponents.share <= 1, "between 0 and 1"),
            ("opponents.draw", self.opponents.draw in ("even", "hard"), "even or hard"),
            ("opponents.snapshot_every", self.opponents.snapshot_every >= 1, "at least 1"),
            ("network.critic", self.network.critic in ("own", "all"), "own or all"),
            (
                "network.hidden",
                len(self.network.hidden) <= MAX_LAYERS and all(1 <= w <= MAX_UNITS for w in self.network.hidden),
                f"at most {MAX_LAYERS} widths from 1 to {MAX_UNITS}",
            ),
            ("network.kind", self.network.kind in ("mlp", "entities", "recurrent"), "mlp, entities or recurrent"),
            (
                "network.embedding",
                self.network.embedding % 2 == 0 < self.network.embedding <= MAX_UNITS,
                f"even, positive and at most {MAX_UNITS}",
            ),
            ("network.memory", 1 <= self.network.memory <= MAX_UNITS, f"from 1 to {MAX_UNITS}"),
        ):
            if not ok:
                raise ValueError(f"{name} must be {right}")
        if self.opponents.share > 0 and not self.opponents.bots and not self.opponents.snapshots:
            raise ValueError(
                "opponents.share is positive, but there are neither opponents.bots nor opponents.snapshots"
            )


def _numbers(config: Any, prefix: str = "") -> Iterator[tuple[str, float]]:
    """All numbers of a config by their names, as in `ppo.clip`."""
    for f in fields(config):
        value = getattr(config, f.name)
        if is_dataclass(value):
            yield from _numbers(value, f"{prefix}{f.name}.")
        elif isinstance(value, int | float):
            yield prefix + f.name, value


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


def read_config(path: str | Path) -> Config:
    """The run that a TOML file describes; ValueError names a key that is unknown or of the wrong type."""
    try:
        with open(path, "rb") as file:
            return from_mapping(Config, tomllib.load(file))
    except OSError as error:
        raise ValueError(f"cannot read {path}: {error.strerror}") from error
    except (tomllib.TOMLDecodeError, ValueError) as error:
        raise ValueError(f"{path}: {error}") from error


def from_mapping(kind: Any, values: dict[str, Any], prefix: str = "") -> Any:
    """A config dataclass from nested plain values, checked key by key."""
    known = {f.name: f for f in fields(kind)}
    default = kind()
    given: dict[str, Any] = {}
    if not isinstance(values, dict):
        raise ValueError(f"{prefix.rstrip('.')} must be a table, not {values!r:.60}")
    for key, value in values.items():
        if key not in known:
            raise ValueError(f"unknown key {prefix}{key}; known here: {', '.join(known)}")
        usual = getattr(default, key)
        if is_dataclass(usual):
            given[key] = from_mapping(type(usual), value, f"{prefix}{key}.")
        elif isinstance(usual, tuple) and isinstance(value, list | tuple):
            of = int if key == "hidden" else str
            if wrong := [item for item in value if type(item) is not of]:
                raise ValueError(f"{prefix}{key} must hold {of.__name__} values only, not {wrong[0]!r:.60}")
            given[key] = tuple(value)
        elif isinstance(usual, float) and type(value) is int:
            given[key] = float(value)
        elif type(value) is type(usual):
            given[key] = value
        else:
            raise ValueError(f"{prefix}{key} must be a {type(usual).__name__}, not {value!r:.60}")
    return kind(**given)
