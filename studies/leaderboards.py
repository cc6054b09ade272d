"""Write a leaderboard page for each game from the ladders' pages: `python -m studies.leaderboards`.

The ratings and win shares come from `docs/ladder`, the adversaries from the figures beside the checkpoints.
"""

import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from spygames.core.players.names import PlayerName
from spygames.core.players.released import released_agents
from spygames_app.cli.arguments import run_command, say
from spygames_training.agents.checkpoint import load_checkpoint
from spygames_training.output.tables import markdown_table, put_between
from studies.agent_tables import TITLES
from studies.figures import FIGURES, Adversary, read_figures

DOCS = Path(__file__).resolve().parents[1] / "docs"
BEGIN, END = "<!-- python -m studies.leaderboards writes from here -->", "<!-- to here, leaderboard -->"
AGAINST = ("expert", "greedy")
_LADDERS = {
    "agent_avenue": {
        "agent_avenue_simple_2": "Simple mode, two players",
        "agent_avenue_advanced_2": "Advanced mode, two players",
        "agent_avenue_simple_4": "Simple mode, two teams of two",
    },
    "heimlich": {
        "heimlich_3": "Three players",
        "heimlich_full_4": "Four players, with Top Secret cards and secret identities",
    },
    "agent_dog": {"agent_dog_2": "Two players", "agent_dog_4": "Two teams of two"},
}
"""The title of each ladder's section, by game and file."""


@dataclass(frozen=True)
class Study:
    """Write the tables of the leaderboard page of each game, in docs/leaderboard.

    The ratings and win shares come from the pages in docs/ladder, the adversaries from figures.json next to each
    checkpoint. The study takes no options. It replaces the tables between the lines of each page that name it, and
    nothing else.
    """

    def run(self) -> int:
        for path, text in pages().items():
            put_between(path, BEGIN, END, text)
            say(f"wrote {path}")
        return 0


def pages() -> dict[Path, str]:
    """Return the generated part of each leaderboard page."""
    return {DOCS / "leaderboard" / f"{game}.md": _sections(game) for game in TITLES}


def _sections(game: str) -> str:
    return "\n\n".join(_section(name, title) for name, title in _LADDERS[game].items())


def _section(name: str, title: str) -> str:
    """Return one variant: its heading, its players by rating, and a link to the whole ladder."""
    text = (DOCS / "ladder" / f"{name}.md").read_text(encoding="utf-8")
    options = text.splitlines()[0].partition(": ")[2]
    ratings, shares = (_rows(table) for table in _tables(text)[:2])
    columns = shares[0][1:]
    won = {row[0]: dict(zip(columns, row[1:], strict=True)) for row in shares[1:]}
    exploited = _exploited()
    rows = []
    for place, row in enumerate(ratings[1:], 1):
        player = row[0].strip("`")
        against = [won[row[0]].get(f"`{rival}`", "") or "-" for rival in AGAINST]
        rows.append([str(place), _linked(player), row[1], *against, exploited.get(player, "-")])
    head = ["#", "player", "rating (95 %)", *(f"wins against `{rival}`, %" for rival in AGAINST), "exploited, %"]
    table = markdown_table(head, rows, texts=2)
    return f"## {title}\n\n`{options}`\n\n{table}\n\n[Every pair, intervals and speed](../ladder/{name}.md)"


def _tables(text: str) -> list[str]:
    return re.findall(r"^\|.*(?:\n\|.*)+", text, re.MULTILINE)


def _rows(table: str) -> list[list[str]]:
    """Return the cells of a Markdown table, the head first, without the line of dashes."""
    lines = table.splitlines()
    return [[cell.strip() for cell in line[1:-1].split("|")] for line in (lines[0], *lines[2:])]


def _linked(player: str) -> str:
    released = {agent.name for agent in released_agents()}
    return f"[`{player}`](../agents.md)" if PlayerName.parse(player).source in released else f"`{player}`"


def _exploited() -> dict[str, str]:
    """Return what the strongest adversary wins, in per cent, by the name of the player it met (with `@argmax`)."""
    worst: dict[str, Adversary] = {}
    for agent in released_agents():
        for each in read_figures(agent.folder / FIGURES, load_checkpoint(agent.folder)).adversaries:
            player = f"{agent.name}@{each.play}"
            if player not in worst or each.gain > worst[player].gain:
                worst[player] = each
    return {name: f"{100 * each.win_share:.0f} ({100 * each.fair_share:.0f})" for name, each in worst.items()}


def main(argv: Sequence[str] | None = None) -> int:
    """Run the study; return the exit code."""
    return run_command(Study, argv, "python -m studies.leaderboards")


if __name__ == "__main__":
    sys.exit(main())
