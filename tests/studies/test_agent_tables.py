"""docs/agents.md and docs/results/agents.md show the figures of the released agents."""

from collections.abc import Callable
from pathlib import Path

import pytest
from studies import agent_tables as tables
from studies import leaderboards
from studies.figures import Adversary, Figures


@pytest.mark.parametrize(("page", "written"), [(tables.PAGE, tables.tables), (tables.GUIDE, tables.guide_table)])
def test_the_page_is_up_to_date(page: Path, written: Callable[[], str]) -> None:
    text = page.read_text(encoding="utf-8")
    there = text.partition(tables.BEGIN)[2].partition(tables.END)[0].strip()
    assert there == written(), "run python -m studies.agent_tables"


def test_the_first_agent_sampled_has_a_column_of_its_own() -> None:
    by_rival = {"expert": 0.5, "agent_avenue/simple-2-first@argmax": 0.6, "agent_avenue/simple-2-first@sample": 0.7}
    rows = [
        {"challenger": "mine@sample", "opponent": rival, "win_share": share, "interval": (0, 1), "fair_share": 0.5}
        for rival, share in by_rival.items()
    ]
    for few, columns in ((rows, 3), (rows[:2], 2)):  # figures from before have no such games
        shares = tables._shares(Figures(evaluations=({"results": few},)))
        against = ["expert", "first agent", "first agent, sampled"][:columns]
        assert [*shares] == against
        assert [shares[rival]["sample"]["win_share"] for rival in against] == [0.5, 0.6, 0.7][:columns]


ADVERSARIES = (
    Adversary("unsure", "sample", "", 2, 0.9, (0.4, 1.0), 0.5),
    Adversary("worst", "sample", "", 2, 0.6, (0.55, 0.65), 0.5),
    Adversary("usual", "sample", "", 2, 0.7, (0.65, 0.75), 0.62),
    Adversary("of other play", "argmax", "", 2, 0.95, (0.9, 1.0), 0.5),
)


def test_the_worst_adversary_has_the_highest_lower_end_above_the_fair_share(monkeypatch: pytest.MonkeyPatch) -> None:
    figures = Figures(adversaries=ADVERSARIES)
    assert figures.worst("sample") == ADVERSARIES[1]
    assert figures.worst("argmax") == ADVERSARIES[3]
    assert figures.worst("0.5") is None
    monkeypatch.setattr(leaderboards, "read_figures", lambda *_: figures)
    monkeypatch.setattr(leaderboards, "load_checkpoint", lambda _: None)
    found = leaderboards._exploited()
    assert [found[f"agent_avenue/simple-2@{play}"] for play in ("sample", "argmax")] == ["60 (50)", "95 (50)"]


def test_the_guide_has_each_agents_results_against_the_scripted_players() -> None:
    rows = [line.strip("| ").split(" | ") for line in tables.guide_table().splitlines()[2:]]
    assert [row[0].partition("`")[2].partition("`")[0] for row in rows] == [
        agent.name for agent in tables.released_agents()
    ]
    assert all(len(row) == 6 and all(row[column] for column in (1, 2, 3, 5)) for row in rows)
