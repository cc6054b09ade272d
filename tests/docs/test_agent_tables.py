"""docs/agents.md says of the released agents what their figures say."""

from tests.docs.test_build import extension

tables = extension("agent_tables")


def test_the_page_is_up_to_date() -> None:
    page = tables.PAGE.read_text(encoding="utf-8")
    there = page.partition(tables.BEGIN)[2].partition(tables.END)[0].strip()
    assert there == tables.tables(), "run python docs/_extensions/agent_tables.py"
