"""The study of the scripted players resumes where it was stopped, with the same games, and writes its page."""

import json
from pathlib import Path

import pytest
from studies import scripted_players as study

from spygames import make_game

VARIANTS = [("heimlich_v0", {"players": 3}), ("agent_avenue_v0", {"mode": "simple"})]


def test_it_resumes_where_it_was_stopped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(study, "VARIANTS", VARIANTS)
    whole, parts, page = tmp_path / "whole.json", tmp_path / "parts.json", tmp_path / "scripted_players.md"
    page.write_text(f"before\n{study.BEGIN}\nold\n{study.END}\nafter\n")
    assert study.main(["--deals", "20", "--file", str(whole), "--docs", str(tmp_path)]) == 0
    found = json.loads(whole.read_text())
    three = found["variants"]["heimlich_v0, players 3"]["expert among greedy"]
    assert three["games"] == 60
    assert 0 < three["fair_share"] < three["win_share"] < 1
    del found["variants"]["agent_avenue_v0, mode simple"]
    parts.write_text(json.dumps(found))
    assert study.main(["--deals", "20", "--file", str(parts)]) == 0
    assert json.loads(parts.read_text()) == json.loads(whole.read_text())
    assert "heimlich_v0, players 3" in capsys.readouterr().out
    text = page.read_text()
    assert text.startswith("before")
    assert text.endswith("after\n")
    assert "old" not in text
    assert "players 3" in text
    assert study.main(["--deals", "30", "--file", str(parts)]) == 2


def test_its_variants_exist_and_differ() -> None:
    games = {make_game(game_id, **options).title for game_id, options in study.VARIANTS}
    assert len(games) == len(study.VARIANTS) == 24 + 6 + 12
