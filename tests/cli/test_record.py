"""`spygames record` and `spygames replay`: what is written replays exactly, and what does not fit gets one line."""

import json
from pathlib import Path

import numpy as np
import pytest

from spygames.agent_avenue import make_game
from spygames.core.players import make_player
from spygames.core.record import load_games, play_record, save_games
from spygames.core.rng import next_seed
from tests.cli.command import complaint, run


def test_records_and_replays(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "games.jsonl"
    assert run("record", "--players", "greedy", "random", "--games", 3, "--seed", 5, "--out", out) == 0
    games = load_games(out)
    assert [r.seed for r in games[:2]] == [5, int(next_seed(np.uint64(5)))]
    assert len(games) == 3
    assert {r.players for r in games} == {("greedy", "random")}
    assert run("replay", out) == 0
    assert "3 games of" in capsys.readouterr().out
    assert run("replay", out, "--show") == 0
    shown = capsys.readouterr().out
    for r in games:
        for text in r.actions:
            assert f": {text}\n" in shown
    again = tmp_path / "again.jsonl"
    run("record", "--players", "greedy", "random", "--games", 3, "--seed", 5, "--out", again)
    assert again.read_bytes() == out.read_bytes()


def test_replays_games_of_a_module_that_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "games.jsonl"
    assert run("record", "--players", "random", "--game", "tests.poker.kuhn", "--out", out) == 0
    assert run("replay", out) == 2
    assert "one of another module must be passed" in capsys.readouterr().err
    assert run("replay", out, "--game", "tests.poker.kuhn", "--show") == 0
    assert "player_0: " in capsys.readouterr().out


def test_takes_options(tmp_path: Path) -> None:
    out = tmp_path / "games.jsonl"
    assert run("record", "--players", "random", "--option", "first_player=1", "--out", out) == 0
    assert load_games(out)[0].options["first_player"] == 1


def test_refuses_a_changed_game(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "games.jsonl"
    save_games(path, [play_record(make_game(), [make_player(make_game(), "random")] * 2, 3)])
    line = json.loads(path.read_text())
    line["actions"][3] = "discard mole"
    path.write_text(json.dumps(line) + "\n")
    assert run("replay", path) == 2
    complaint = capsys.readouterr().err
    assert "game 1: " in complaint
    assert complaint.count("\n") == 1


@pytest.mark.parametrize(
    "argv",
    [
        ["record"],
        ["record", "--players", "random"],
        ["record", "--players", "nobody", "--out", "x.jsonl"],
        ["record", "--players", "random", "random", "random", "--out", "x.jsonl"],
        ["record", "--players", "random", "--games", "0", "--out", "x.jsonl"],
        ["record", "--players", "random", "--seed", "-1", "--out", "x.jsonl"],
        ["record", "--players", "random", "--game", "bridge_v0", "--out", "x.jsonl"],
        ["record", "--players", "random", "--option", "players=9", "--out", "x.jsonl"],
        ["record", "--players", "random", "--out", "nowhere/x.jsonl"],
        ["record", "--players", "random", "--replay", "x.jsonl"],
        ["record", "--players", "random", "--out", "x.jsonl", "--show"],
        ["replay", "nowhere.jsonl"],
        ["replay"],
    ],
)
def test_refuses_wrong_arguments(
    argv: list[str], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    complaint(argv, capsys)
    assert not list(tmp_path.iterdir())
