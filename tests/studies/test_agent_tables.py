"""docs/agents.md, docs/results/agents.md and README.md say of the released agents what their figures say."""

from collections.abc import Callable
from pathlib import Path

import pytest
from studies import agent_tables as tables


@pytest.mark.parametrize(
    ("page", "written"),
    [(tables.PAGE, tables.tables), (tables.GUIDE, tables.guide_table), (tables.FRONT, tables.front_table)],
)
def test_the_page_is_up_to_date(page: Path, written: Callable[[], str]) -> None:
    text = page.read_text(encoding="utf-8")
    there = text.partition(tables.BEGIN)[2].partition(tables.END)[0].strip()
    assert there == written(), "run python -m studies.agent_tables"


def test_the_front_page_knows_every_agent_against_its_anchors() -> None:
    rows = [line.strip("| ").split(" | ") for line in tables.front_table().splitlines()[2:]]
    assert [row[0].strip("`") for row in rows] == [agent.name for agent in tables.released_agents()]
    assert all(len(row) == 4 and all(row) for row in rows)
