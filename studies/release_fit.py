"""Put a fitted value into a released agent: `python -m studies.release_fit AGENT FOLDER`."""

import json
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from shutil import copyfile
from tempfile import TemporaryDirectory
from typing import Any

import torch
from tyro.conf import Positional

from spygames.core.players.checkpoint_files import CONFIG, MODEL
from spygames.core.players.names import PlayerName
from spygames_app.cli.arguments import AnyFolder, AnyPlayer, WrongArguments, run_command, say
from spygames_app.shipped import agent_folder
from spygames_training.agents.bfloat16 import export_bfloat16
from spygames_training.agents.checkpoint import Checkpoint, load_checkpoint
from spygames_training.agents.policy import from_network
from spygames_training.files.atomic import write_whole
from studies.figures import CALIBRATIONS, FIGURES
from studies.released_agents import FOLDER, ROOT

RECORDS = ("checkpoints/*/figures.json", "docs/ladder/*.jsonl", "docs/ladder/*.md", "docs/results/*.json")
"""Files that name players by the digest of their weights."""


@dataclass(frozen=True)
class Study:
    """Put a value that `python -m studies.fit_value` fitted into a released agent.

    The policy stays bit for bit the same, so the agent's results without a search hold: they get the digest of the new
    weights. What reads the value is removed from figures.json: matches with a search on top, searches that know the
    agent, and the calibration. Write the list of agents (`python -m studies.released_agents`), then measure these again
    (`python -m studies.agent_figures`).
    """

    agent: Positional[AnyPlayer] = None
    """The name of a released agent."""
    fitted: Positional[AnyFolder] = None
    """The folder of the agent with the fitted value."""

    def run(self) -> int:
        if self.agent is None or self.fitted is None:
            raise WrongArguments(
                "name an agent and a folder, as in python -m studies.release_fit agent_avenue/simple-4 runs/fitted"
            )
        folder = agent_folder(self.agent)
        if folder.parent != FOLDER:
            raise WrongArguments(f"{self.agent} is not the name of a released agent")
        records = [file for pattern in RECORDS for file in sorted(ROOT.glob(pattern))]
        for changed in release_fit(folder, str(self.agent), self.fitted, records):
            say(f"changed: {changed.relative_to(ROOT)}")
        return 0


def release_fit(folder: Path, name: str, fitted: Path, records: Iterable[Path]) -> list[Path]:
    """Put a fitted value into an agent, with its weights rounded to bfloat16, and carry its results over.

    Args:
        folder: of the agent.
        name: of the agent, in its results.
        fitted: the folder that `studies.fit_value` wrote for this agent.
        records: files that name players by the digest of their weights.

    Returns:
        The files that changed.

    Raises:
        OSError: a file cannot be read or written.
        ValueError: `fitted` is not this agent with another value only, or a record has games of the agent with a
            search, which reads the value. Nothing is changed then.
    """
    old, new = load_checkpoint(folder), load_checkpoint(fitted)
    before = _digest(old)
    if new.meta["extra"].get("value_fitted", {}).get("digest_before") != before:
        raise ValueError(f"{fitted} was not fitted from {folder}, whose digest is {before}")
    with TemporaryDirectory() as place:
        export_bfloat16(new, Path(place) / "agent")
        released = load_checkpoint(Path(place) / "agent")
        if other := _changed(old, released):
            raise ValueError(f"{fitted} differs from {folder} in more than the value: {', '.join(other)}")
        after = _digest(released)
        others = [file for file in records if file != folder / FIGURES]
        for file in others:
            if any(_searches(name, player) for player in _players(file)):
                raise ValueError(f"{file} has games of {name} with a search, which reads the value: play them again")
        texts = {file: file.read_text(encoding="utf-8") for file in others}
        texts = {file: text for file, text in texts.items() if before in text}
        figures = _without_value(json.loads((folder / FIGURES).read_text()), name)
        texts[folder / FIGURES] = json.dumps(figures, indent=1) + "\n"
        for file, text in texts.items():
            write_whole(file, text.replace(before, after))
        for file in (CONFIG, MODEL):
            copyfile(Path(place) / "agent" / file, folder / file)
    return [*texts, folder / CONFIG, folder / MODEL]


def _digest(checkpoint: Checkpoint) -> str:
    """Return the digest of an agent without a search."""
    return from_network(checkpoint.game, checkpoint.network).digest


def _changed(old: Checkpoint, new: Checkpoint) -> list[str]:
    """Return the names of the tensors in which two agents differ, apart from those of the value's last layer."""
    before, after = old.network.state_dict(), new.network.state_dict()
    return sorted(
        name
        for name in before.keys() | after.keys()
        if not name.startswith("value.")
        and not (name in before and name in after and torch.equal(before[name], after[name]))
    )


def _searches(name: str, player: str) -> bool:
    """Return whether a player is the agent with a search on top."""
    parts = PlayerName.parse(player)
    return parts.source == name and parts.search is not None


def _without_value(figures: Mapping[str, Any], name: str) -> dict[str, Any]:
    """Return an agent's figures without those that read its value."""
    kept = [
        each
        for each in figures["evaluations"]
        if not any(_searches(name, row["challenger"]) for row in each["results"])
    ]
    learners = [each for each in figures["adversaries"] if each.get("curve")]
    found = {**figures, "evaluations": kept, "adversaries": learners}
    return {key: value for key, value in found.items() if key not in CALIBRATIONS.values()}


def _players(file: Path) -> Iterable[str]:
    """Return the names of the players in the lines of a ladder."""
    if file.suffix == ".jsonl":
        for line in file.read_text(encoding="utf-8").splitlines():
            yield from (player["name"] for player in json.loads(line)["block"]["players"])


def main(argv: Sequence[str] | None = None) -> int:
    """Run the study; return the exit code."""
    return run_command(Study, argv, "python -m studies.release_fit")


if __name__ == "__main__":
    sys.exit(main())
