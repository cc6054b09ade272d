"""The tables of figures that were noted during runs."""

import json
from pathlib import Path

import pytest
from studies import noted_tables as study


@pytest.mark.parametrize("name", study.pages())
def test_the_page_shows_the_figures_of_the_file(name: str) -> None:
    page = study.file_of(name).read_text(encoding="utf-8")
    kept = study.tables(name)
    assert len(kept) == page.count("studies.noted_tables writes from here")
    for table, text in kept.items():
        begin, end = study.markers(table)
        assert page.partition(begin)[2].partition(end)[0].strip() == text


def test_every_page_with_such_tables_has_a_file() -> None:
    texts = {file: file.read_text(encoding="utf-8") for file in study.DOCS.rglob("*.md")}
    files = {file for file, text in texts.items() if "studies.noted_tables writes from" in text}
    assert {study.file_of(name) for name in study.pages()} == files


def test_cells(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(study, "RESULTS", tmp_path)
    (tmp_path / "noted").mkdir()
    won = {"won": 50, "interval": [48.25, 51.0], "fair": 33}
    table = {
        "columns": ["agent", "runs", "won", "alone", "games"],
        "texts": 2,
        "rows": [["`a|b`", None, won, 0.5, 8000], ["c", "1", {"won": 81.3, "half": 0.9}, None, None]],
    }
    (tmp_path / "noted" / "page.json").write_text(json.dumps({"one": table}))
    assert study.tables("page")["one"].splitlines() == [
        "| agent | runs | won | alone | games |",
        "| --- | --- | ---: | ---: | ---: |",
        r"| `a\|b` |  | 50.0 (48.2-51.0) [33] | 0.5 | 8,000 |",
        "| c | 1 | 81.3 ± 0.9 |  |  |",
    ]
    table["rows"].append(["short"])
    (tmp_path / "noted" / "page.json").write_text(json.dumps({"one": table}))
    with pytest.raises(ValueError, match="each row must have 5 cells"):
        study.tables("page")
