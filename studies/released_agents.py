"""Write checkpoints/agents.json, the list of released agents: `python -m studies.released_agents`.

The list is made from the checkpoints, their figures and the ladders. An agent has a rating if the lines of a ladder
contain its name and the digest of its weights.
"""

import json
from collections.abc import Iterable, Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any

from spygames.core.compiling.digest import content
from spygames.core.game.game import Game
from spygames.core.players.checkpoint_files import CONFIG, MODEL
from spygames.core.players.names import PlayerName
from spygames.core.players.released import FIRST, MANIFEST
from spygames_training.agents.checkpoint import Checkpoint, load_checkpoint
from spygames_training.agents.policy import from_network
from spygames_training.evaluation.digests import player_digest
from spygames_training.ladder.lines import game_of, read_lines
from spygames_training.ladder.standings import Standings, standings
from studies.figures import FIGURES, read_figures
from studies.figures import Figures as AllFigures

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "checkpoints"
NAMES = {
    "agent_avenue_simple": "agent_avenue/simple-2",
    "agent_avenue_simple_3": "agent_avenue/simple-3",
    "agent_avenue_simple_4": "agent_avenue/simple-4",
    "agent_avenue_advanced": "agent_avenue/advanced-2",
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
"""Folders of the agents, and their names: game, variant and number of seats."""
UNRATED = "argmax"
"""The best way to play of an agent without a ladder, as it is the best way of all agents with one."""


def manifest() -> dict[str, Any]:
    """Return the content of the list."""
    ladders = list(_ladders())
    agents, best = [], []
    for folder, name in NAMES.items():
        found = load_checkpoint(FOLDER / folder)
        ratings = _ratings(name, found, [table for game, table in ladders if game == found.game])
        figures = _measured(found.game, read_figures(FOLDER / folder / FIGURES, found), ratings)
        environment = {"id": found.game.id, "options": dict(found.game.options)}
        agents.append(
            {
                "name": name,
                "folder": folder,
                "environment": environment,
                "decisions": found.decisions,
                "sha256": {
                    file: sha256(content((FOLDER / folder / file).read_bytes())).hexdigest() for file in (CONFIG, MODEL)
                },
                "figures": figures,
            }
        )
        rated = [(each["rating"], each["play"]) for each in figures if each["rating"] is not None]
        rating, play = max(rated, default=(float("-inf"), UNRATED))
        best.append((rating, {"environment": environment, "agent": name, "play": play}))
    chosen: dict[str, tuple[float, dict[str, Any]]] = {}
    for rating, each in best:
        variant = json.dumps(each["environment"], sort_keys=True)
        chosen[variant] = max(chosen.get(variant, (rating, each)), (rating, each), key=lambda pair: pair[0])
    return {"agents": agents, "best": [each for _, each in chosen.values()]}


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
                ratings[parts.play] = round(table.ratings[row].value, 1)
    return ratings


def _measured(game: Game, figures: AllFigures, ratings: Mapping[str, float]) -> list[dict[str, Any]]:
    """Return an agent's win shares against the scripted players for each way to play, the best way first."""
    shares: dict[str, dict[str, Mapping[str, Any]]] = {}
    for row in (row for each in figures.evaluations for row in each["results"]):
        parts = PlayerName.parse(row["challenger"])
        if parts.search is None and not PlayerName.parse(row["opponent"]).source.endswith(FIRST):
            mine = shares.setdefault(parts.play or "sample", {})
            mine[row["opponent"]] = row
            if row["opponent"] == "expert-1" and game.bots["expert"] is game.bots["expert-1"]:
                mine["expert"] = row
    order = sorted(shares, key=lambda play: (-ratings.get(play, 0), play != UNRATED))
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


if __name__ == "__main__":
    (FOLDER / MANIFEST).write_text(text_of(manifest()), encoding="utf-8")
