"""The study of a search's strength goes on where it was stopped, with the same games."""

import json
from pathlib import Path

import pytest
from studies import search_strength as study

MATCHES = [("greedy", "random"), ("expert", "greedy")]


def test_it_goes_on_where_it_was_stopped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(study, "MATCHES", MATCHES)
    monkeypatch.setattr(study, "BLOCK", 10)
    whole, parts = tmp_path / "whole.json", tmp_path / "parts.json"
    assert study.main(["--games", "60", "--file", str(whole)]) == 0
    found = json.loads(whole.read_text())
    assert found["seed"] == study.SEED
    assert {len(wins) for wins in found["wins"].values()} == {30}
    stopped = {**found, "wins": {"greedy against random": found["wins"]["greedy against random"][:20]}}
    parts.write_text(json.dumps(stopped))
    assert study.main(["--games", "60", "--file", str(parts)]) == 0
    assert json.loads(parts.read_text()) == found
    assert "greedy against random" in capsys.readouterr().out
    assert study.main(["--games", "60", "--file", str(parts), "--seed", "1"]) == 2


def test_figures_of_wins_by_deal() -> None:
    games, won, interval = study.figures("2100" * 50)
    low, high = map(float, interval.split("-"))
    assert (games, won) == ("400", "37.5")
    assert 30 < low < 34 < 41 < high < 45
