"""Write the tables of the released agents into docs/agents.md and README.md: `python -m studies.agent_tables`.

The figures come from the files next to their checkpoints.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from spygames.core.players.names import PlayerName
from spygames.core.players.released import FIRST, ReleasedAgent, released_agents
from spygames_training.agents.checkpoint import load_checkpoint
from spygames_training.output.tables import markdown_table, put_between
from studies.figures import FIGURES, Figures, read_figures

PAGE = Path(__file__).resolve().parents[1] / "docs" / "agents.md"
FRONT = PAGE.parents[1] / "README.md"
BEGIN, END = "<!-- python -m studies.agent_tables writes from here -->", "<!-- to here, agents -->"
TITLES = {"agent_avenue": "Agent Avenue", "heimlich": "Heimlich & Co.", "agent_dog": "Agent DOG"}
BOTS = ("random", "greedy", "expert-1", "expert", "mcts:200")
ANCHOR = "first agent"
"""Name of the column of the anchor, the first agent of the variant."""
PLAIN, SEARCHED, FAIR = "argmax", "with a search", "fair share"
_HOW = {"sample": "sampled"}
"""Ways to play against an adversary whose text differs from their name."""


def tables() -> str:
    """Return a table for each game: the agents' win shares in percent, fair shares, and the strongest adversary's."""
    parts = []
    for game, title in TITLES.items():
        agents = [(each, _figures(each)) for each in released_agents() if each.name.startswith(f"{game}/")]
        known = {name for _, figures in agents for name in _shares(figures)}
        against = [name for name in (*BOTS, ANCHOR) if name in known]
        rows = [row for agent, figures in agents for row in _rows(agent, figures, against)]
        head = ["agent", "plays", *(name if name == ANCHOR else f"`{name}`" for name in against), "worst adversary"]
        parts.append(f"### {title}\n\n{markdown_table(head, rows, texts=2)}")
    return "\n\n".join(parts)


def front_table() -> str:
    """Return a table with a row per agent: win shares in percent by argmax, with fair shares other than 50 in
    brackets."""
    anchors, rows = ("random", "greedy", "expert-1"), []
    for agent in released_agents():
        shares = _shares(_figures(agent))
        # If a player has two names, an agent may have met it by either.
        met = [shares.get(name, shares.get(name.removesuffix("-1"), {})).get(PLAIN) for name in anchors]
        rows.append([f"`{agent.name}`", *("" if row is None else _short(row) for row in met)])
    return markdown_table(["agent", *(f"`{name}`" for name in anchors)], rows)


def _short(row: Mapping[str, Any]) -> str:
    fair = "" if row["fair_share"] == 0.5 else f" ({100 * row['fair_share']:.0f})"
    return f"{100 * row['win_share']:.1f}{fair}"


def _figures(agent: ReleasedAgent) -> Figures:
    return read_figures(agent.folder / FIGURES, load_checkpoint(agent.folder))


def _shares(figures: Figures) -> dict[str, dict[str, Mapping[str, Any]]]:
    """Return the results against each opponent by the agent's way to play. The first agent is called `ANCHOR`."""
    found: dict[str, dict[str, Mapping[str, Any]]] = {}
    for row in (row for each in figures.evaluations for row in each["results"]):
        parts = PlayerName.parse(row["challenger"])
        way = SEARCHED if parts.search is not None else parts.play or "sample"
        rival = ANCHOR if PlayerName.parse(row["opponent"]).source.endswith(FIRST) else row["opponent"]
        found.setdefault(rival, {})[way] = row
    return found


def _rows(agent: ReleasedAgent, figures: Figures, against: list[str]) -> list[list[str]]:
    shares, name = _shares(figures), f"[`{agent.name}`](cards/{agent.folder.name}.md)"
    worst = max(figures.adversaries, key=lambda each: each.gain, default=None)
    rows = []
    for way in (PLAIN, SEARCHED):
        cells = [_cell(shares[rival][way]) if way in shares.get(rival, {}) else "" for rival in against]
        if any(cells):
            adversary = "" if rows or worst is None else f"{_cell(vars(worst))} {_HOW.get(worst.play, worst.play)}"
            rows.append([name if not rows else "", way, *cells, adversary])
    fair = [next((row["fair_share"] for row in shares.get(rival, {}).values()), None) for rival in against]
    if any(share not in (None, 0.5) for share in fair):
        everyone = [*fair, None if worst is None else worst.fair_share]
        rows.append(["", FAIR, *("" if share is None else f"{100 * share:.1f}" for share in everyone)])
    return rows


def _cell(row: Mapping[str, Any]) -> str:
    low, high = row["interval"]
    return f"{100 * row['win_share']:.1f} ({100 * low:.1f}-{100 * high:.1f})"


if __name__ == "__main__":
    put_between(PAGE, BEGIN, END, tables())
    put_between(FRONT, BEGIN, END, front_table())
