"""The figures of an agent: all measurements of it, in one JSON file next to its checkpoint."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from spygames.core.basics.files import read_file
from spygames.core.basics.json_numbers import read_uint64
from spygames.core.basics.json_values import is_count, is_number, parse_json
from spygames.core.basics.text import one_line
from spygames.core.game.game import Game
from spygames.core.players.names import PlayerName
from spygames_training.agents.checkpoint import Checkpoint
from spygames_training.agents.policy import PolicyPlayer, from_network
from spygames_training.evaluation.digests import player_digest, worlds_of
from spygames_training.search.player import on_top
from studies.calibration import Calibration

FIGURES = "figures.json"
"""Name of the file next to a checkpoint."""
PICTURE = "value.svg"
"""Name of the picture of the calibration next to a checkpoint."""
CURVE = "adversary.svg"
"""Name of the picture of the learning curve of the worst learner next to a checkpoint."""
CALIBRATIONS = {"sample": "calibration", "argmax": "calibration_by_argmax"}
"""The keys in the file of figures of the calibrations of an agent that plays so."""
MAX_BYTES = 1 << 24


@dataclass(frozen=True)
class Adversary:
    """The result of an adversary that targets an agent."""

    how: str
    """Description of the adversary."""
    play: str
    """How the agent played: sample, argmax or a temperature."""
    budget: str
    """Decisions that the adversary learned from, or its worlds per decision."""
    games: int
    """Number of games."""
    win_share: float
    """Win share of the adversary, 0 to 1."""
    interval: tuple[float, float]
    """95 % interval of `win_share` over deals."""
    fair_share: float = 0.5
    """Win share of the agent itself in the adversary's place."""
    curve: tuple[tuple[int, float], ...] = ()
    """Learning curve of a learner (`BestResponse.curve`): its own decisions, and its win share in training games."""

    @property
    def gain(self) -> float:
        """Lower end of the interval minus the fair share. Adversaries are compared by it."""
        return self.interval[0] - self.fair_share


@dataclass(frozen=True)
class Figures:
    """All measurements of one agent."""

    evaluations: tuple[Mapping[str, Any], ...] = ()
    """Evaluations of the agent as `spygames evaluate --json` writes them, with or without a search on top."""
    adversaries: tuple[Adversary, ...] = ()
    """Adversaries that target the agent."""
    calibration: Calibration | None = None
    """Calibration of its value, if it samples as in training."""
    calibration_by_argmax: Calibration | None = None
    """The same if it plays by argmax."""
    machine: str = ""
    """Description of the machine that trained it."""
    remarks: tuple[str, ...] = ()
    """Sentences on its training that the checkpoint does not record."""

    def worst(self, play: str) -> Adversary | None:
        """Return the strongest adversary of the agent that plays so; None if none was measured."""
        return max((each for each in self.adversaries if each.play == play), key=lambda each: each.gain, default=None)


def won(figures: Mapping[str, Any], dash: str = "-") -> str:
    """Return the games won (`win_share`) and their interval in percent, such as "54.1 (53.0-55.2)"."""
    low, high = figures["interval"]
    return f"{100 * figures['win_share']:.1f} ({100 * low:.1f}{dash}{100 * high:.1f})"


def searched(worlds: int, precision: str | None) -> str:
    """Return the budget of a search in words."""
    budget = f"{worlds} worlds a decision"
    return budget if precision in (None, "float32") else f"{budget} in {precision}"


def read_evaluation(file: Path, checkpoint: Checkpoint) -> dict[str, Any]:
    """Read the results of `spygames evaluate --json` about an agent.

    Args:
        file: the JSON file.
        checkpoint: the agent.

    Raises:
        OSError: the file cannot be read.
        ValueError: the file is invalid, or its challengers are not this agent with these weights.
    """
    return _checked(file, read_json(file, "not a result of `spygames evaluate --json`"), checkpoint)


def read_figures(file: Path, checkpoint: Checkpoint) -> Figures:
    """Read the figures of an agent.

    Args:
        file: `figures.json`.
        checkpoint: the agent.

    Raises:
        OSError: the file cannot be read.
        ValueError: the file is invalid, or about other weights than this agent's.
    """
    found = read_json(file, "not a file of figures")
    digest = player_digest(checkpoint.game, from_network(checkpoint.game, checkpoint.network))
    if not isinstance(found, dict) or found.get("digest") != digest:
        raise ValueError(f"{file} is not about this agent's weights, whose digest is {digest}")
    try:
        sampled, by_argmax = (
            None if (each := found.get(key)) is None else Calibration.from_json(each) for key in CALIBRATIONS.values()
        )
        return Figures(
            evaluations=tuple(_checked(file, each, checkpoint) for each in found.get("evaluations", [])),
            adversaries=tuple(map(_adversary, found.get("adversaries", []))),
            calibration=sampled,
            calibration_by_argmax=by_argmax,
            machine=str(found.get("machine", "")),
            remarks=tuple(map(str, found.get("remarks", ()))),
        )
    except _WrongEvaluation as error:
        raise ValueError(str(error)) from None
    except (LookupError, TypeError, AttributeError, ValueError) as error:
        raise ValueError(f"{file} is not a file of figures: {one_line(error, 200)}") from None


def read_json(file: Path, problem: str) -> Any:
    """Read a JSON file of at most `MAX_BYTES`.

    Raises:
        OSError: the file cannot be read.
        ValueError: it is not JSON; the message says that it is `problem`.
    """
    try:
        return parse_json(read_file(file, MAX_BYTES))
    except ValueError as error:
        raise ValueError(f"{file} is {problem}: {one_line(error, 200)}") from None


def _checked(file: Path, found: Any, checkpoint: Checkpoint) -> dict[str, Any]:
    """Return `found` if it is an evaluation of the agent; ValueError otherwise."""
    try:
        measured = {row["challenger"]: found["players"][row["challenger"]]["digest"] for row in found["results"]}
        game = found["environment"]["id"], found["environment"]["options"]
        for row in found["results"]:
            _check_row(row)
        for name, right in (
            ("seed", read_uint64(found["seed"]) is not None),
            ("date", isinstance(found["date"], str)),
            ("protocol", is_count(found["protocol"])),
            ("code", isinstance(found["code"]["spygames"], str)),
        ):
            require(name, right)
        worlds = worlds_of(found["code"])
    except (LookupError, TypeError, AttributeError, ValueError) as error:
        raise _WrongEvaluation(
            f"{file} is not a result of `spygames evaluate --json`: {one_line(error, 200)}"
        ) from None
    if game != (checkpoint.game.id, dict(checkpoint.game.options)):
        raise _WrongEvaluation(f"{file} is about another variant than this agent plays, {checkpoint.game.title}")
    player = from_network(checkpoint.game, checkpoint.network)
    for name, its in measured.items():
        if its != (digest := _digest(checkpoint.game, player, name, worlds)):
            name = one_line(name)
            raise _WrongEvaluation(f"{file} is about other weights than this agent's, whose digest is {digest}: {name}")
    return found


class _WrongEvaluation(ValueError):
    """An invalid evaluation. The message is one line that names the file."""


def require(name: str, right: bool) -> None:
    """Raise ValueError, with the name of the value, unless the value is right."""
    if not right:
        raise ValueError(f"{name} is invalid")


def _check_row(row: Mapping[str, Any]) -> None:
    """Raise ValueError, LookupError or TypeError if the parts of a result that a card shows are invalid."""
    check_shares(row, row["fair_share"])
    for name in ("challenger", "opponent"):
        require(name, isinstance(row[name], str))
    require("training_opponent", row["training_opponent"] is None or isinstance(row["training_opponent"], bool))


def check_shares(row: Mapping[str, Any], fair_share: Any) -> None:
    """Raise the same errors for invalid games, shares or interval."""
    require("interval", _is_pair(row["interval"]))
    low, high = row["interval"]
    require("games", is_count(row["games"]))
    for name, share in (("win_share", row["win_share"]), ("fair_share", fair_share), ("interval", low)):
        require(name, is_number(share) and 0 <= share <= 1)
    require("interval", is_number(high) and low <= high <= 1)


def check_curve(curve: Any) -> None:
    """Raise ValueError for an invalid learning curve."""
    require("curve", isinstance(curve, list | tuple) and all(map(_is_pair, curve)))
    for decisions, share in curve:
        require("curve", is_count(decisions) and is_number(share) and 0 <= share <= 1)


def _is_pair(value: object) -> bool:
    return isinstance(value, list | tuple) and len(value) == 2


def _adversary(found: Mapping[str, Any]) -> Adversary:
    """Make an `Adversary` from its `asdict`; ValueError, LookupError or TypeError for anything else."""
    curve = tuple((decisions, share) for decisions, share in found.get("curve", ()))
    adversary = Adversary(**{**found, "interval": tuple(found["interval"]), "curve": curve})
    check_curve(curve)
    check_shares(found, adversary.fair_share)
    for name in ("how", "play", "budget"):
        require(name, isinstance(found[name], str))
    return adversary


def _digest(game: Game, player: PolicyPlayer, name: str, worlds: int) -> str | None:
    """Return the digest of the agent as the challenger `name`, with the search in that name if there is one."""
    search = PlayerName.parse(name).search
    return player_digest(game, player if search is None else on_top(player, search), worlds)
