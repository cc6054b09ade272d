"""The page about beliefs has the figures of its JSON file."""

import json
from pathlib import Path

from studies import beliefs as study

RESULTS = Path(__file__).parents[2] / "docs" / "results"


def test_the_page_has_the_figures_of_its_file() -> None:
    games = json.loads((RESULTS / study.FILE).read_text())
    assert set(games) == {"agent_avenue", "agent_dog", "heimlich"}
    page = (RESULTS / study.PAGE).read_text()
    assert page.partition(study.BEGIN)[2].partition(study.END)[0].strip() == study.page_of(games)
    for name in games:
        assert (RESULTS.parent / "images" / f"beliefs_{name}.svg").read_text().startswith("<?xml")
