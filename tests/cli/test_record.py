"""`spygames record` and `spygames replay`: records replay exactly, and invalid arguments give one line."""

import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from spygames.agent_avenue import make_game
from spygames.core.game.rng import next_seed
from spygames.core.players.names import make_player
from spygames.core.records.film import Film
from spygames.core.records.record import GameRecord, load_games, make_record, play_record, save_games
from spygames_app.cli.record import summary
from spygames_app.cli.replay import Replay
from tests.cli.command import complaint, run
from tests.poker import kuhn


def test_recorded_games_replay_exactly(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
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
            words = text.split()[1:]
            assert not words or words[-1] in shown, text
    assert shown.count("\n> player_") == sum(len(r.actions) for r in games)
    assert run("replay", out, "--show", "--number", 2) == 0
    assert capsys.readouterr().out.count("\n> player_") == len(games[1].actions)
    asked: list[str] = []
    assert Replay(out, step=True, number=2).run(lambda prompt: asked.append(prompt) or "quit") == 0
    assert asked == [f"0/{len(games[1].actions)}> "]
    assert len(games[1].actions) != len(games[0].actions)
    again = tmp_path / "again.jsonl"
    run("record", "--players", "greedy", "random", "--games", 3, "--seed", 5, "--out", again)
    assert again.read_bytes() == out.read_bytes()


def test_games_of_other_modules_replay_if_game_names_the_module(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "games.jsonl"
    assert run("record", "--players", "random", "--game", "tests.poker.kuhn", "--out", out) == 0
    assert f"\n1 game in {out}" in capsys.readouterr().out
    assert run("replay", out) == 2
    assert "name the game of another module (--game" in capsys.readouterr().err
    assert run("replay", out, "--game", "tests.poker.kuhn", "--show") == 0
    shown = capsys.readouterr().out
    assert "player_0: " in shown
    assert f"\n1 game of {out} replayed exactly" in shown
    assert run("replay", out, "--game", "tests.poker.kuhn", "--show", "--viewer", "2") == 2
    assert "--viewer must be from 0 to 1, not 2" in capsys.readouterr().err
    assert run("replay", out, "--game", "tests.poker.kuhn", "--step", "--number", "2") == 2
    assert "has 1 game, no --number 2" in capsys.readouterr().err
    out.write_text("")
    assert run("replay", out, "--step") == 2
    assert "has 0 games, no --number 1" in capsys.readouterr().err


def test_viewer_shows_only_what_that_seat_may_know(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """In worlds that differ only in the other seat's card, seat 1 reads the same text; the open texts differ."""
    game, texts = kuhn.make_game(), []
    for card in ("K", "J"):
        state = {"cards": [card, "Q"], "moves": [], "to_move": 0, "rng": 1, "record": {}}
        save_games(tmp_path / "games.jsonl", [make_record(game, [kuhn.BET, kuhn.PASS], state=state)])
        for viewer in (["--viewer", "1"], []):
            assert run("replay", tmp_path / "games.jsonl", "--game", "tests.poker.kuhn", "--show", *viewer) == 0
            texts.append(capsys.readouterr().out)
    assert texts[0] == texts[2]
    assert texts[1] != texts[3]


def test_step_shows_positions_with_advice(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    game, out = make_game(), tmp_path / "games.jsonl"
    record = play_record(game, [make_player(game, "greedy")] * 2, 3)
    save_games(out, [record])
    typed = iter(["", "back", "nonsense", "back", "end", "999", "9" * 5000, str(len(record.actions))])

    def ask(prompt: str) -> str:
        asked.append(prompt)
        return next(typed, "quit")

    asked: list[str] = []
    assert Replay(out, step=True, agent="mcts:8").run(ask) == 0
    last = len(record.actions)
    assert [int(prompt.partition("/")[0]) for prompt in asked] == [0, 1, 0, 0, 0, last, last, last, last]
    shown = capsys.readouterr().out
    assert f"The positions are 0 to {last}." in shown
    assert "What mcts:8 would do:" in shown
    assert "player_1's hand: " in shown
    asked.clear()
    typed = iter(["1", "2"])
    assert Replay(out, step=True, agent="greedy", viewer=1).run(ask) == 0
    text = capsys.readouterr().out
    assert game.to_text(Film(record).states.view(np.recarray)[0], 1) in text
    start, *_ = text.split("\n> player_0 ")
    assert "What greedy would do" not in start  # seat 0 decides first, and its advice is not for seat 1


def test_option_sets_the_variant(tmp_path: Path) -> None:
    out = tmp_path / "games.jsonl"
    assert run("record", "--players", "random", "--option", "first_player=1", "--out", out) == 0
    assert load_games(out)[0].options["first_player"] == 1


def test_an_interruption_keeps_an_old_file_and_the_games_of_a_new_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    old, new = tmp_path / "old.jsonl", tmp_path / "new.jsonl"
    assert run("record", "random", "--games", 2, "--out", old) == 0
    before = old.read_bytes()
    for out in (old, new):
        games = iter([play_record(make_game(), [make_player(make_game(), "greedy")] * 2, 3)])

        def stops(*_: object, games: Iterator[GameRecord] = games, **__: object) -> GameRecord:
            for game in games:
                return game
            raise KeyboardInterrupt

        with monkeypatch.context() as patched:
            patched.setattr("spygames.core.records.record.play_record", stops)
            assert run("record", "greedy", "--games", 2, "--out", out) == 130
    assert old.read_bytes() == before
    assert len(load_games(new)) == 1


def test_a_changed_record_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
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
        ["replay", "nowhere.jsonl", "--viewer", "0"],
    ],
)
def test_invalid_arguments_give_one_line_and_write_nothing(
    argv: list[str], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    complaint(argv, capsys)
    assert not list(tmp_path.iterdir())


def test_the_summary_of_a_broken_off_game_counts_its_decisions() -> None:
    assert summary(make_record(kuhn.make_game(), [kuhn.PASS], 1)) == "seed 1, 1 decision, seat 0 +0, seat 1 +0"
