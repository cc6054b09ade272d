"""Write checkpoints/agents.json, the list of released agents: `python -m studies.released_agents`.

The list is made from the checkpoints, their figures and the ladders. An agent has a rating if the lines of a ladder
contain its name and the digest of its weights.

A second agent of a variant, which is hard to exploit, must show so by its figures. A new one has none: add its name,
write the list, measure it by name (`studies.worst_case`, `studies.agent_figures`), and write the list again. Until then
this command ends with an error, and `tests/training/agents/test_released.py` fails.
"""

import json
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from spygames.core.compiling.digest import content
from spygames.core.game.game import Game
from spygames.core.players.checkpoint_files import CONFIG, MODEL
from spygames.core.players.names import PlayerName
from spygames.core.players.released import FIRST, MANIFEST, SAFE
from spygames_app.cli.arguments import run_command, say
from spygames_training.agents.checkpoint import Checkpoint, load_checkpoint
from spygames_training.agents.policy import from_network
from spygames_training.evaluation.digests import player_digest
from spygames_training.ladder.lines import game_of, read_lines
from spygames_training.ladder.standings import Standings, standings
from studies.figures import FIGURES, Adversary, read_figures
from studies.figures import Figures as AllFigures

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "checkpoints"
NAMES = {
    "agent_avenue_simple": "agent_avenue/simple-2",
    "agent_avenue_simple_safe": "agent_avenue/simple-2-safe",
    "agent_avenue_simple_3": "agent_avenue/simple-3",
    "agent_avenue_simple_4": "agent_avenue/simple-4",
    "agent_avenue_advanced": "agent_avenue/advanced-2",
    "agent_avenue_advanced_safe": "agent_avenue/advanced-2-safe",
    "agent_avenue_advanced_4": "agent_avenue/advanced-4",
    "heimlich_2": "heimlich/base-2",
    "heimlich_3": "heimlich/base-3",
    "heimlich_4": "heimlich/base-4",
    "heimlich_5": "heimlich/base-5",
    "heimlich_full_4": "heimlich/full-4",
    "agent_dog_2": "agent_dog/standard-2",
    "agent_dog_3": "agent_dog/standard-3",
    "agent_dog_4": "agent_dog/standard-4",
}
"""Folders of the agents, and their names: game, variant and number of seats. The name of a second agent of a variant,
which is hard to exploit, ends with `-safe`."""
MOST_LOST = 0.03
"""Most that an agent that is hard to exploit may lose head to head to the other agent of its variant, as a share of the
games below its fair share."""


@dataclass(frozen=True)
class Study:
    """Write checkpoints/agents.json, the list of released agents.

    The list is made from the checkpoints, their figures and the ladders. The study takes no options: its NAMES has the
    folders and names of the agents. It writes the list and then checks the figures of each second agent of a variant,
    which is hard to exploit. A new agent has no figures yet: the study ends with an error that says what to measure.
    """

    def run(self) -> int:
        (FOLDER / MANIFEST).write_text(text_of(manifest()), encoding="utf-8")
        say(f"wrote {FOLDER / MANIFEST}")
        for second in (each for each in NAMES.values() if each.endswith(SAFE)):
            check_earned(second, figures_of(second), figures_of(second.removesuffix(SAFE)))
        return 0


def manifest() -> dict[str, Any]:
    """Return the content of the list."""
    ladders, agents = list(_ladders()), []
    for folder, name in NAMES.items():
        found = load_checkpoint(FOLDER / folder)
        figures = figures_of(name)
        ratings = _ratings(name, found, [table for game, table in ladders if game == found.game])
        agents.append(
            {
                "name": name,
                "folder": folder,
                "play": meant(name),
                "environment": {"id": found.game.id, "options": dict(found.game.options)},
                "decisions": found.decisions,
                "sha256": {
                    file: sha256(content((FOLDER / folder / file).read_bytes())).hexdigest() for file in (CONFIG, MODEL)
                },
                "worst_case": _worst_case(figures.worst(meant(name))),
                "figures": _measured(name, found.game, figures, ratings),
            }
        )
    return {"agents": agents}


def figures_of(name: str) -> AllFigures:
    """Return the figures of an agent; none before they are measured."""
    folder = FOLDER / next(folder for folder, known in NAMES.items() if known == name)
    return read_figures(folder / FIGURES, load_checkpoint(folder)) if (folder / FIGURES).exists() else AllFigures()


def meant(name: str) -> str:
    """Return how an agent is meant to play. The most likely action wins most against players who do not know the agent;
    an agent that is hard to exploit draws its actions."""
    return "sample" if name.endswith(SAFE) else "argmax"


def check_earned(name: str, safe: AllFigures, tuned: AllFigures) -> None:
    """Check that a second agent of a variant is worth its place, by the figures of both as they are meant to play.

    Whatever was measured against it, the learners of `studies.worst_case` among them, won less than the worst adversary
    of the other agent did, and the intervals do not meet. Head to head it loses at most `MOST_LOST`.

    Args:
        name: of the agent that is hard to exploit.
        safe: its figures.
        tuned: the figures of the agent that wins most.

    Raises:
        ValueError: it has not earned its place, or a figure is missing.
    """
    other = name.removesuffix(SAFE)
    own, its = f"{name}@{meant(name)}", f"{other}@{meant(other)}"
    against, worst = [each for each in safe.adversaries if each.play == meant(name)], tuned.worst(meant(other))
    if worst is None or not any(each.curve for each in against):
        raise ValueError(f"{own}: measure its worst case and that of {its} (python -m studies.worst_case)")
    most = max(each.interval[1] - each.fair_share for each in against)
    if most >= worst.gain:
        raise ValueError(
            f"{own} is not harder to exploit than {its}: adversaries may win {100 * most:.1f} points more than the "
            f"fair share, and against {its} at least {100 * worst.gain:.1f}"
        )
    rows = [row for each in safe.evaluations for row in each["results"]]
    met = [row for row in rows if (row["challenger"], row["opponent"]) == (own, its)]
    if not met:
        raise ValueError(f"{own} has no games against {its} (python -m studies.agent_figures {name})")
    lost = max(row["fair_share"] - row["win_share"] for row in met)
    if lost > MOST_LOST:
        raise ValueError(f"{own} loses {100 * lost:.1f} points to {its}, more than {100 * MOST_LOST:.0f}")


def _worst_case(found: Adversary | None) -> dict[str, Any] | None:
    if found is None:
        return None
    return {
        "how": found.how,
        "budget": found.budget,
        "games": found.games,
        "win_share": round(found.win_share, 6),
        "interval": [round(end, 6) for end in found.interval],
        "fair_share": round(found.fair_share, 6),
    }


def text_of(found: Mapping[str, Any]) -> str:
    """Return the text of the file."""
    return json.dumps(found, indent=1) + "\n"


def _ladders() -> Iterable[tuple[Game, Standings]]:
    for file in sorted((ROOT / "docs" / "ladder").glob("*.jsonl")):
        lines = read_lines(file)
        game = game_of(lines[0])
        yield game, standings(lines, game.num_sides, resamples=1)


def _ratings(name: str, found: Checkpoint, ladders: Iterable[Standings]) -> dict[str, float]:
    """Return the ratings of an agent without a search, by its way to play."""
    digest = player_digest(found.game, from_network(found.game, found.network))
    ratings = {}
    for table in ladders:
        for row, entry in enumerate(table.entries):
            parts = PlayerName.parse(entry.name)
            if parts.source == name and parts.search is None and entry.digest == digest:
                ratings[parts.play] = round(table.ratings[row].value, 2)
    return ratings


def _measured(name: str, game: Game, figures: AllFigures, ratings: Mapping[str, float]) -> list[dict[str, Any]]:
    """Return an agent's win shares against the scripted players for each way to play, the way it is meant to first."""
    shares: dict[str, dict[str, Mapping[str, Any]]] = {}
    for row in (row for each in figures.evaluations for row in each["results"]):
        parts = PlayerName.parse(row["challenger"])
        rival = PlayerName.parse(row["opponent"]).source
        if parts.search is None and not rival.endswith(FIRST) and rival not in NAMES.values():
            mine = shares.setdefault(parts.play or "sample", {})
            mine[row["opponent"]] = row
            if row["opponent"] == "expert-1" and game.bots["expert"] is game.bots["expert-1"]:
                mine["expert"] = row
    order = sorted(shares, key=lambda play: (play != meant(name), -ratings.get(play, 0)))
    return [
        {
            "play": play,
            "source": FIGURES,
            "win_shares": {rival: round(row["win_share"], 6) for rival, row in shares[play].items()},
            "fair_shares": {rival: round(row["fair_share"], 6) for rival, row in shares[play].items()},
            "rating": ratings.get(play),
        }
        for play in order
    ]


def main(argv: Sequence[str] | None = None) -> int:
    """Run the study; return the exit code."""
    return run_command(Study, argv, "python -m studies.released_agents")


if __name__ == "__main__":
    sys.exit(main())
