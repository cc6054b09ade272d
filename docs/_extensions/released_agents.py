"""Writes checkpoints/agents.json, the list of released agents, from the checkpoints and the ladders:
`python docs/_extensions/released_agents.py`.

A ladder is of an agent if its lines have its name and the digest of its weights.
"""

import hashlib
import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from spygames.core.game import Game
from spygames.core.players import split_spec
from spygames.core.released import MANIFEST
from spygames_training.checkpoint import CONFIG, MODEL, Checkpoint, load_checkpoint
from spygames_training.identity import player_digest
from spygames_training.ladder.lines import game_of, read_lines
from spygames_training.ladder.standings import Standings, standings
from spygames_training.policy import from_network

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "checkpoints"
NAMES = {
    "agent_avenue_simple": "agent_avenue/simple-2",
    "agent_avenue_simple_3": "agent_avenue/simple-3",
    "agent_avenue_simple_4": "agent_avenue/simple-4",
    "agent_avenue_advanced": "agent_avenue/advanced-2",
    "agent_avenue_advanced_4": "agent_avenue/advanced-4",
    "heimlich_2": "heimlich/base-2",
    "heimlich_3": "heimlich/base-3",
    "heimlich_full_4": "heimlich/full-4",
    "heimlich_4": "heimlich/base-4",
    "heimlich_5": "heimlich/base-5",
    "agent_dog_2": "agent_dog/standard-2",
    "agent_dog_4": "agent_dog/standard-4",
    "agent_dog_3": "agent_dog/standard-3",
}
"""The folder of each agent, and its name: the game, the variant, the seats."""
UNRATED = "argmax"
"""How an agent without a ladder plays best: so do all that have one."""


def manifest() -> dict[str, Any]:
    """What is written."""
    ladders = list(_ladders())
    agents, best = [], []
    for folder, name in NAMES.items():
        found = load_checkpoint(FOLDER / folder)
        mine = [(source, table) for source, game, table in ladders if game == found.game]
        figures = _from_ladders(name, found, mine) or _from_results(found)
        environment = {"id": found.game.id, "options": dict(found.game.options)}
        agents.append(
            {
                "name": name,
                "folder": folder,
                "environment": environment,
                "decisions": found.decisions,
                "sha256": {
                    file: hashlib.sha256((FOLDER / folder / file).read_bytes()).hexdigest() for file in (CONFIG, MODEL)
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
    """As it stands in the file."""
    return json.dumps(found, indent=1) + "\n"


def _ladders() -> Iterable[tuple[str, Game, Standings]]:
    for file in sorted((ROOT / "docs" / "ladder").glob("*.jsonl")):
        lines = read_lines(file)
        game = game_of(lines[0])
        yield file.relative_to(ROOT).as_posix(), game, standings(lines, game.num_sides, resamples=1)


def _from_ladders(name: str, found: Checkpoint, ladders: Iterable[tuple[str, Standings]]) -> list[dict[str, Any]]:
    """The figures of an agent in each way in which a ladder has it, the best first."""
    game, figures = found.game, []
    digest = player_digest(game, from_network(game, found.network))
    for source, table in ladders:
        for row, entry in enumerate(table.entries):
            parts = split_spec(entry.name)
            if parts.source != name or parts.search is not None or entry.digest != digest:
                continue
            shares = {
                other.name: round(float(table.shares[row, column]), 4)
                for column, other in enumerate(table.entries)
                if other.name in game.bots and table.shares[row, column] >= 0  # NaN: they have not met
            }
            rating = round(table.ratings[row].value, 1)
            figures.append({"play": parts.play, "source": source, "win_shares": shares, "rating": rating})
    return sorted(figures, key=lambda each: -each["rating"])


def _from_results(found: Checkpoint) -> list[dict[str, Any]]:
    """The figures that the checkpoint itself has."""
    start, results, bots = "win_share/", found.meta["results"], found.game.bots
    shares = {key.removeprefix(start): value for key, value in results.items() if key.startswith(start)}
    if found.meta["code"]["spygames"].startswith("0.1.") and bots["expert"] is not bots["expert-1"]:
        shares = {"expert-1" if name == "expert" else name: share for name, share in shares.items()}
    return [{"play": results["play"], "source": CONFIG, "win_shares": shares, "rating": None}]


if __name__ == "__main__":
    (FOLDER / MANIFEST).write_text(text_of(manifest()), encoding="utf-8")
