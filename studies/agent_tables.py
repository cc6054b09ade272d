"""Write the tables of the released agents into docs/agents.md and docs/results/agents.md.

Run it as `python -m studies.agent_tables`. The figures come from the files next to the checkpoints.
"""

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from spygames.core.players.names import PlayerName
from spygames.core.players.released import FIRST, PLAYS, ReleasedAgent, find_agent, released_agents
from spygames_app.cli.arguments import run_command, say
from spygames_training.agents.checkpoint import load_checkpoint
from spygames_training.output.tables import markdown_table, put_between
from studies.figures import FIGURES, Figures, read_figures, won

GUIDE = Path(__file__).resolve().parents[1] / "docs" / "agents.md"
PAGE = GUIDE.parent / "results" / "agents.md"
BEGIN, END = "<!-- python -m studies.agent_tables writes from here -->", "<!-- to here, agents -->"
TITLES = {"agent_avenue": "Agent Avenue", "heimlich": "Heimlich & Co.", "agent_dog": "Agent DOG"}
BOTS = ("random", "greedy", "expert-1", "expert", "mcts:200")
GUIDE_RIVALS = ("greedy", "expert-1", "mcts:200")
ANCHOR = "first agent"
"""Name of the column of the anchor, the first agent of the variant, by argmax."""
SAMPLED_ANCHOR = f"{ANCHOR}, sampled"
"""Name of the column of the same agent where it draws its actions."""
OTHER = "other agent"
"""Name of the column of the other released agent of the variant."""
SEARCHED, FAIR = "with a search", "fair share"
_HOW = {"sample": "sampled"}
"""Ways to play whose text differs from their name."""


@dataclass(frozen=True)
class Study:
    """Write the tables of the released agents into docs/agents.md and docs/results/agents.md.

    The figures come from figures.json next to each checkpoint. The study takes no options. It replaces the tables
    between the lines of each page that name it, and nothing else.
    """

    def run(self) -> int:
        found = {PAGE: tables(), GUIDE: guide_table()}
        for page, table in found.items():
            put_between(page, BEGIN, END, table)
            say(f"wrote {page}")
        return 0


def tables() -> str:
    """Return a table for each agent: win shares in percent, the fair share, and that of the strongest adversary."""
    parts = []
    for game, title in TITLES.items():
        parts.append(f"## {title}")
        for agent in (each for each in released_agents() if each.name.startswith(f"{game}/")):
            figures = _figures(agent)
            against = [name for name in (*BOTS, ANCHOR, SAMPLED_ANCHOR, OTHER) if name in _shares(figures)]
            head = ["plays", *(f"`{name}`" if name in BOTS else name for name in against), "worst adversary"]
            table = markdown_table(head, _rows(figures, against, agent.play))
            card = f"{agent.decisions:,} decisions; [card](../../checkpoints/{agent.folder.name}/README.md)"
            parts.append(f"### `{agent.name}`\n\n{_purpose(agent)}\n\n{table}\n\n{card}")
    return "\n\n".join(parts)


def guide_table() -> str:
    """Return a table with a row per agent: what it is for, its win shares as it is meant to play, its strongest
    adversary's, and uneven fair shares."""
    rows = []
    for agent in released_agents():
        figures = _figures(agent)
        shares, worst = _shares(figures), figures.worst(agent.play)
        won = [_short(shares[rival][agent.play]) if rival in shares else "" for rival in GUIDE_RIVALS]
        lost = "" if worst is None else _short(vars(worst))
        rows.append([f"[`{agent.name}`](results/agents.md{_anchor(agent)})", agent.purpose, *won, lost])
    return markdown_table(["agent", "for", *(f"`{name}`" for name in GUIDE_RIVALS), "worst adversary"], rows, texts=2)


def _anchor(agent: ReleasedAgent) -> str:
    return f"#{agent.name.replace('/', '')}"


def _purpose(agent: ReleasedAgent) -> str:
    """Return what an agent is for and how it plays, with a link to the other agent of the variant."""
    other, how = agent.other, _HOW.get(agent.play, f"by {agent.play}")
    link = "" if other is None else f" [`{other.name}`]({_anchor(other)}) is the one {_LINKED[other.purpose]}."
    return f"For: {agent.purpose}, {how}.{link}"


_LINKED = {"to win": "that wins most", "hard to exploit": "that is hard to exploit"}


def _short(row: Mapping[str, Any]) -> str:
    fair = "" if row["fair_share"] == 0.5 else f" ({100 * row['fair_share']:.0f})"
    return f"{100 * row['win_share']:.1f}{fair}"


def _figures(agent: ReleasedAgent) -> Figures:
    return read_figures(agent.folder / FIGURES, load_checkpoint(agent.folder))


def _shares(figures: Figures) -> dict[str, dict[str, Mapping[str, Any]]]:
    """Return the results against each opponent by the agent's way to play. The anchor is called `ANCHOR` or
    `SAMPLED_ANCHOR`, the other released agent `OTHER`."""
    found: dict[str, dict[str, Mapping[str, Any]]] = {}
    for row in (row for each in figures.evaluations for row in each["results"]):
        parts = PlayerName.parse(row["challenger"])
        way = SEARCHED if parts.search is not None else parts.play or "sample"
        found.setdefault(_column(row["opponent"]), {})[way] = row
    return found


def _column(rival: str) -> str:
    """Return the name of the column of an opponent."""
    name = PlayerName.parse(rival)
    if name.source.endswith(FIRST):
        return SAMPLED_ANCHOR if name.play == "sample" else ANCHOR
    return OTHER if find_agent(name.source) else rival


def _rows(figures: Figures, against: list[str], play: str) -> list[list[str]]:
    shares, worst = _shares(figures), figures.worst(play)
    rows: list[list[str]] = []
    for way in (*sorted(PLAYS, key=lambda each: each != play), SEARCHED):
        cells = [won(shares[rival][way]) if way in shares.get(rival, {}) else "" for rival in against]
        adversary = figures.worst(way)
        if any(cells):
            rows.append([_HOW.get(way, way), *cells, "" if adversary is None else won(vars(adversary))])
    fair = [next((row["fair_share"] for row in shares.get(rival, {}).values()), None) for rival in against]
    if any(share not in (None, 0.5) for share in fair):
        everyone = [*fair, None if worst is None else worst.fair_share]
        rows.append([FAIR, *("" if share is None else f"{100 * share:.1f}" for share in everyone)])
    return rows


def main(argv: Sequence[str] | None = None) -> int:
    """Run the study; return the exit code."""
    return run_command(Study, argv, "python -m studies.agent_tables")


if __name__ == "__main__":
    sys.exit(main())
