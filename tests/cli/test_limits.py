"""The options --limit and --minutes: players that fail, and ladders that stop."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.command import run

FAILS = "def act(observation, mask):\n    raise ValueError('never')\n"


@pytest.fixture
def fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    (tmp_path / "failing_bot.py").write_text(FAILS)
    monkeypatch.syspath_prepend(tmp_path)
    return "python:failing_bot.act"


@pytest.mark.parametrize("how", ["--against", "--cross-play", "--seats"])
def test_with_a_limit_a_player_that_fails_loses_its_games(how: str, fails: str, tmp_path: Path) -> None:
    file = tmp_path / "x.json"
    argv = ["evaluate", fails, how, "random", "--game", "agent_avenue_v0", "--games", 4, "--json", file]
    argv += ["--plot", tmp_path / "x.png"] if how == "--cross-play" else []
    assert run(*argv) == 2  # the first failure ends the command
    assert not file.exists()
    assert run(*argv, "--limit", 10) == 0
    first = json.loads(file.read_text())["results"][0]
    assert first["win_share"] == 0
    assert first["forfeits"]["own" if how == "--seats" else "challenger"] == 4


def test_a_comparison_with_a_limit_counts_failures(fails: str, tmp_path: Path) -> None:
    file = tmp_path / "x.json"
    argv = ["compare", fails, "random", "--game", "agent_avenue_v0", "--max-games", 128, "--json", file]
    assert run(*argv) == 2
    assert run(*argv, "--limit", 10) == 0
    assert json.loads(file.read_text())["comparison"]["forfeits"] == [128, 0]


@pytest.mark.parametrize(("limit", "late"), [([], None), (["--limit", 7], 7)])
def test_a_ladder_and_its_rerun_have_the_limit(
    limit: list[Any], late: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from spygames_training.ladder import lines

    asked: list[Any] = []
    played = lines.checked_limit
    monkeypatch.setattr(lines, "checked_limit", lambda each: asked.append(each) or played(each))
    argv = ["--deals", 1, "--blocks", 1, "--players", "random", "greedy", *limit]
    assert run("ladder", tmp_path / "x.jsonl", *argv) == 0
    assert run("ladder", tmp_path / "x.jsonl", "--rerun", 1, *limit) == 0
    assert asked == [late, late]


def test_a_ladder_stops_after_some_minutes_and_resumes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from spygames_app.cli import ladder

    now = iter(range(0, 100_000, 45))  # each look at the clock is 45 seconds later
    file = tmp_path / "x.jsonl"
    argv = ["ladder", file, "--deals", 1, "--blocks", 5, "--players", "random", "greedy"]
    with monkeypatch.context() as patched:
        patched.setattr(ladder.time, "monotonic", lambda: next(now))
        assert run(*argv, "--minutes", 1) == 0
    assert len(file.read_text().splitlines()) < 5
    assert run(*argv) == 0
    assert len(file.read_text().splitlines()) == 5
