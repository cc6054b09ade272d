"""docs/agents.md and docs/results/agents.md show the figures of the released agents."""

from collections.abc import Callable
from pathlib import Path

import pytest
from studies import agent_tables as tables


@pytest.mark.parametrize(("page", "written"), [(tables.PAGE, tables.tables), (tables.GUIDE, tables.guide_table)])
def test_the_page_is_up_to_date(page: Path, written: Callable[[], str]) -> None:
    text = page.read_text(encoding="utf-8")
    there = text.partition(tables.BEGIN)[2].partition(tables.END)[0].strip()
    assert there == written(), "run python -m studies.agent_tables"


def test_the_guide_has_each_agents_results_against_the_scripted_players() -> None:
    rows = [line.strip("| ").split(" | ") for line in tables.guide_table().splitlines()[2:]]
    assert [row[0].partition("`")[2].partition("`")[0] for row in rows] == [
        agent.name for agent in tables.released_agents()
    ]
    assert all(len(row) == 6 and all(row[column] for column in (1, 2, 3, 5)) for row in rows)
