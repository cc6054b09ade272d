"""The figures of an agent: all that was measured about it, in one JSON beside its checkpoint."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from spygames.core.basics.json_numbers import read_uint64
from spygames.core.basics.text import one_line
from spygames.core.game.game import Game
from spygames.core.players.names import PlayerName
from spygames_training.agents.checkpoint import Checkpoint
from spygames_training.agents.policy import PolicyPlayer, from_network
from spygames_training.evaluation.digests import player_digest, worlds_of
from spygames_training.files.atomic import is_count, is_number, parse_json, read_file
from spygames_training.search.player import on_top
from studies.calibration import Calibration

FIGURES = "figures.json"
"""The name of the file beside a checkpoint."""
PICTURE = "value.svg"
"""The picture of its calibration there."""
MAX_BYTES = 1 << 24


@dataclass(frozen=True)
class Adversary:
    """What somebody won who was made to beat an agent."""

    how: str
    """Who it is, in words."""
    play: str
    """How the agent played: sample, argmax or a temperature."""
    budget: str
    """Decisions that it learned from, worlds a decision."""
    games: int
    """How many they played."""
    win_share: float
    """Of the adversary, 0 to 1."""
    interval: tuple[float, float]
    """95 %, over deals."""
    fair_share: float = 0.5
    """What one like the agent itself would win in the adversary's place."""

    @property
    def gain(self) -> float:
        """What it surely wins beyond its fair share: by that adversaries are compared."""
        return self.interval[0] - self.fair_share


@dataclass(frozen=True)
class Figures:
    """What was measured about one agent."""

    evaluations: tuple[Mapping[str, Any], ...] = ()
    """As `spygames evaluate --json` writes them, all of this agent, with a search on top or without."""
    adversaries: tuple[Adversary, ...] = ()
    """Those who were made to beat it."""
    calibration: Calibration | None = None
    """What its value is worth."""
    machine: str = ""
    """What it was trained on, in words."""
    remarks: tuple[str, ...] = ()
    """Sentences on how it was trained that its checkpoint does not tell."""


def read_evaluation(file: Path, checkpoint: Checkpoint) -> dict[str, Any]:
    """Reads what `spygames evaluate --json` wrote about an agent.

    Args:
        file: the JSON.
        checkpoint: the agent.

    Raises:
        OSError: the file cannot be read.
        ValueError: it is no such file, or its challengers are not this agent with these weights.
    """
    return _checked(file, _json(file, "no result of `spygames evaluate --json`"), checkpoint)


def read_figures(file: Path, checkpoint: Checkpoint) -> Figures:
    """Reads the figures of an agent.

    Args:
        file: `figures.json`.
        checkpoint: the agent.

    Raises:
        OSError: the file cannot be read.
        ValueError: it is no such file, or about other weights than this agent's.
    """
    found = _json(file, "no file of figures")
    digest = player_digest(checkpoint.game, from_network(checkpoint.game, checkpoint.network))
    if not isinstance(found, dict) or found.get("digest") != digest:
        raise ValueError(f"{file} is not about this agent's weights, whose digest is {digest}")
    try:
        calibration = found.get("calibration")
        return Figures(
            evaluations=tuple(_checked(file, each, checkpoint) for each in found.get("evaluations", [])),
            adversaries=tuple(map(_adversary, found.get("adversaries", []))),
            calibration=None if calibration is None else Calibration.from_json(calibration),
            machine=str(found.get("machine", "")),
            remarks=tuple(map(str, found.get("remarks", ()))),
        )
    except _WrongEvaluation as error:
        raise ValueError(str(error)) from None
    except (LookupError, TypeError, AttributeError, ValueError) as error:
        raise ValueError(f"{file} is no file of figures: {one_line(error, 200)}") from None


def _json(file: Path, problem: str) -> Any:
    try:
        return parse_json(read_file(file, MAX_BYTES))
    except ValueError as error:
        raise ValueError(f"{file} is {problem}: {one_line(error, 200)}") from None


def _checked(file: Path, found: Any, checkpoint: Checkpoint) -> dict[str, Any]:
    """`found`, if it is an evaluation of the agent; ValueError otherwise."""
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
            _require(name, right)
        worlds = worlds_of(found["code"])
    except (LookupError, TypeError, AttributeError, ValueError) as error:
        raise _WrongEvaluation(f"{file} is no result of `spygames evaluate --json`: {one_line(error, 200)}") from None
    if game != (checkpoint.game.id, dict(checkpoint.game.options)):
        raise _WrongEvaluation(f"{file} is about another variant than this agent plays, {checkpoint.game.title}")
    player = from_network(checkpoint.game, checkpoint.network)
    for name, its in measured.items():
        if its != (digest := _digest(checkpoint.game, player, name, worlds)):
            name = one_line(name)
            raise _WrongEvaluation(f"{file} is about other weights than this agent's, whose digest is {digest}: {name}")
    return found


class _WrongEvaluation(ValueError):
    """One line that names the file."""


def _require(name: str, right: bool) -> None:
    """ValueError for a value that is not what was written under that name."""
    if not right:
        raise ValueError(f"{name} is not as it was written")


def _check_row(row: Mapping[str, Any]) -> None:
    """ValueError, LookupError or TypeError for anything else than a result, as far as a card shows it."""
    _check_shares(row, row["fair_share"])
    for name in ("challenger", "opponent"):
        _require(name, isinstance(row[name], str))
    _require("training_opponent", row["training_opponent"] is None or isinstance(row["training_opponent"], bool))


def _check_shares(row: Mapping[str, Any], fair_share: Any) -> None:
    """The same of a number of games and what was won of them."""
    low, high = row["interval"]
    _require("games", is_count(row["games"]))
    for name, share in (("win_share", row["win_share"]), ("fair_share", fair_share), ("interval", low)):
        _require(name, is_number(share) and 0 <= share <= 1)
    _require("interval", is_number(high) and low <= high <= 1)


def _adversary(found: Mapping[str, Any]) -> Adversary:
    """What `asdict` of an `Adversary` gave; ValueError, LookupError or TypeError for anything else."""
    adversary = Adversary(**{**found, "interval": tuple(found["interval"])})
    _check_shares(found, adversary.fair_share)
    for name in ("how", "play", "budget"):
        _require(name, isinstance(found[name], str))
    return adversary


def _digest(game: Game, player: PolicyPlayer, name: str, worlds: int) -> str | None:
    """That of the agent, as the challenger called `name`: with the search that the name says, or without."""
    search = PlayerName.parse(name).search
    return player_digest(game, player if search is None else on_top(player, search), worlds)
