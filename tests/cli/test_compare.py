"""`spygames compare`: the verdict, the separate match, and one line for invalid arguments."""

import json
from pathlib import Path

import pytest

from spygames.agent_avenue import make_game
from spygames.core.game.rng import as_seed
from spygames.core.playing.batch import spread
from spygames_training.evaluation.blocks import deal_seeds
from spygames_training.evaluation.evaluation import evaluate
from tests.cli.command import complaint, run


def test_the_verdict_names_the_better_player(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "x.json"
    assert run("compare", "greedy", "random", "--figure", 40, "--json", file) == 0
    out = capsys.readouterr().out
    assert "greedy is better than random (H1: 52.0% of the games, H0: 50.0%)" in out
    assert "the separate match" in out
    found = json.loads(file.read_text())
    assert found["test"] == {"h0": 0.5, "h1": 0.52, "error": 0.05}
    assert found["comparison"]["verdict"] == "H1"
    assert sum(found["comparison"]["counts"]) == found["comparison"]["deals"]
    assert "win_share" not in found["comparison"]
    assert found["results"][0]["games"] == 40
    assert found["max_games"] == 40_000
    assert found["figure"]["games"] == 40
    seed = int(found["figure"]["seed"])  # a text, as it is above 2^53
    assert seed != found["seed"] == 0
    blocks = found["comparison"]["deals"] // 64
    assert blocks > 0
    for number in range(blocks):  # no deal of the test is played again
        assert not set(deal_seeds(0, number, 64).tolist()) & set(spread(as_seed(seed), 20).tolist())
    again = evaluate(make_game(), "greedy", "random", 40, seed)[0]
    assert found["results"][0]["win_share"] == again.win_share
    assert run("compare", "random", "greedy", "--h1", "60%", "--json", file) == 0
    assert json.loads(file.read_text())["figure"] is None
    assert "random is not better than greedy (H1: 60.0% of the games, H0: 50.0%)" in capsys.readouterr().out
    assert run("compare", "random", "greedy", "--h0", "0.1", "--h1", "0.1001", "--max-games", 128) == 0
    assert "undecided whether random is better than greedy" in capsys.readouterr().out


def test_with_three_sides_each_player_is_alone_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    argv = ["--game", "heimlich_v0", "--option", "players=3", "--figure", 30, "--json", tmp_path / "x.json"]
    assert run("compare", "greedy", "random", *argv) == 0
    assert "greedy is better than random" in capsys.readouterr().out
    results = json.loads((tmp_path / "x.json").read_text())["results"]
    assert [(r["challenger"], r["opponent"]) for r in results] == [("greedy", "random"), ("random", "greedy")]


def test_invalid_arguments_give_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    for argv, text in (
        (["greedy"], "name two players, as in spygames compare NEW OLD or compare NEW --against OLD, not 1"),
        (["greedy", "random", "--against", "expert"], "not 3"),
        (["greedy", "random", "--max-games", "1"], "--max-games must be at least 128 (one block of deals), not 1"),
        (["greedy", "greedy"], "must be different players, not both greedy"),
        (["greedy", "nobody"], "no player 'nobody'"),
        (["greedy", "random", "--h0", "0.6"], "0 < h0 < h1 < 1"),
        (["greedy", "random", "--h1", "52"], "'52' is not a win share between 0 and 1"),
        (["greedy", "random", "--max-games", "0"], "'0' is not an integer from 1"),
    ):
        assert text in complaint(["compare", *argv], capsys)
