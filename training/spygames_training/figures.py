"""The figures of an agent: all that was measured about it, in one JSON beside its checkpoint."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from spygames.core.game import Game
from spygames.core.players import split_spec
from spygames.core.shown import one_line
from spygames_training.atomic import read_file
from spygames_training.calibration import Calibration
from spygames_training.checkpoint import Checkpoint
from spygames_training.identity import player_digest, worlds_of
from spygames_training.policy import PolicyPlayer, from_network

__all__ = ["Adversary", "Figures", "read_evaluation", "read_figures"]

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
            adversaries=tuple(
                Adversary(**{**each, "interval": tuple(each["interval"])}) for each in found.get("adversaries", [])
            ),
            calibration=None if calibration is None else Calibration.from_json(calibration),
            machine=str(found.get("machine", "")),
            remarks=tuple(map(str, found.get("remarks", ()))),
        )
    except (KeyError, TypeError, AttributeError) as error:
        raise ValueError(f"{file} is no file of figures: {one_line(error, 200)}") from None


def _json(file: Path, problem: str) -> Any:
    try:
        return json.loads(read_file(file, MAX_BYTES))
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{file} is {problem}: {one_line(error, 200)}") from None


def _checked(file: Path, found: Any, checkpoint: Checkpoint) -> dict[str, Any]:
    """`found`, if it is an evaluation of the agent; ValueError otherwise."""
    try:
        measured = {row["challenger"]: found["players"][row["challenger"]]["digest"] for row in found["results"]}
        game = found["environment"]["id"], found["environment"]["options"]
        worlds = worlds_of(found["code"])
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        raise ValueError(f"{file} is no result of `spygames evaluate --json`: {one_line(error, 200)}") from None
    if game != (checkpoint.game.id, dict(checkpoint.game.options)):
        raise ValueError(f"{file} is about another variant than this agent plays, {checkpoint.game.title}")
    player = from_network(checkpoint.game, checkpoint.network)
    for name, its in measured.items():
        if its != (digest := _digest(checkpoint.game, player, name, worlds)):
            raise ValueError(f"{file} is about other weights than this agent's, whose digest is {digest}: {name}")
    return found


def _digest(game: Game, player: PolicyPlayer, name: str, worlds: int) -> str | None:
    """That of the agent, as the challenger called `name`: with the search that the name says, or without."""
    search = split_spec(name).search
    return player_digest(game, player if search is None else player.with_search(search), worlds)
