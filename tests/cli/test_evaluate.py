"""`spygames evaluate`: results on screen and as JSON, and one line for invalid arguments."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
import torch

import spygames
from spygames.agent_avenue import make_game
from spygames.core.players.names import make_player
from spygames_app.cli.arguments import choose_game
from spygames_training.agents.checkpoint import save_checkpoint
from spygames_training.evaluation.evaluation import evaluate
from spygames_training.networks.actor_critic import ActorCritic
from spygames_training.output.tables import console, progress_bar
from tests.cli.command import complaint, run


@pytest.fixture
def agent(tmp_path: Path) -> str:
    torch.manual_seed(0)  # other weights may lose every deal; that changes the method of the interval
    game = make_game(first_player="random")
    save_checkpoint(tmp_path / "agent", game, ActorCritic(game.num_features, game.num_actions, (8,)), 1)
    return str(tmp_path / "agent")


def test_results_are_written_as_json(agent: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files = [tmp_path / "a.json", tmp_path / "b.json"]
    for file in files:
        argv = [agent, "--against", "random", "greedy", "--play", "sample", "argmax", "--games", "40", "--seed", "3"]
        assert run("evaluate", *argv, "--json", file) == 0
    out = capsys.readouterr().out
    assert "agent@argmax" in out
    assert "agent@sample" in out
    found: dict[str, Any] = json.loads(files[0].read_text())
    again = json.loads(files[1].read_text())
    assert list(found) == list(again)
    assert {**found, "date": None} == {**again, "date": None}  # the date may change in between
    assert found["environment"]["options"]["first_player"] == "random"  # the checkpoint's own
    pairs = [(r["challenger"], r["opponent"]) for r in found["results"]]
    assert pairs == [(f"agent@{how}", bot) for how in ("sample", "argmax") for bot in ("random", "greedy")]
    game = make_game(first_player="random")
    expected = evaluate(game, make_player(game, f"{agent}@argmax"), [make_player(game, "greedy")], 40, 3)[0]
    assert found["results"][3]["win_share"] == expected.win_share
    assert tuple(found["results"][3]["interval"]) == expected.interval
    methods = {r[key] for r in found["results"] for key in ("interval_method", "return_interval_method")}
    assert methods == {"bootstrap over deals"}


def test_results_hold_the_players_and_the_protocol(tmp_path: Path) -> None:
    file = tmp_path / "x.json"
    name = "agent_avenue/simple-2"
    argv = [name, "--play", "sample", "argmax", "--against", "greedy", "mcts:2", "--games", 60, "--json", file]
    assert run("evaluate", *argv) == 0
    found: dict[str, Any] = json.loads(file.read_text())
    assert found["protocol"] == 1
    assert re.fullmatch(r"\d{4}-\d\d-\d\d", found["date"])
    assert found["code"]["spygames"] == spygames.__version__
    digests = {player: each["digest"] for player, each in found["players"].items()}
    assert digests.keys() == {f"{name}@sample", f"{name}@argmax", "greedy", "mcts:2"}
    assert digests[f"{name}@sample"] == digests[f"{name}@argmax"]  # the same weights
    assert len({*digests.values()}) == 3
    assert [(r["opponent"], r["training_opponent"]) for r in found["results"]][:2] == [
        ("greedy", True),
        ("mcts:2", False),
    ]
    assert "by_deal" not in found["results"][0]
    shares = {(r["challenger"], r["opponent"]): r["win_share"] for r in found["results"]}
    for d in found["differences"]:
        pair = [shares[who, d["opponent"]] for who in (d["challenger"], d["than"])]
        assert d["win_share"] == pytest.approx(pair[0] - pair[1])
        assert d["interval"][0] <= d["win_share"] <= d["interval"][1]
        assert d["interval_method"]
    assert [d["opponent"] for d in found["differences"]] == ["greedy", "mcts:2"]


@pytest.mark.parametrize("names", [("simple-2-safe", "simple-2-first"), ("simple-2-first", "simple-2-safe")])
def test_an_agent_without_a_history_meets_one_with_it(names: tuple[str, str], tmp_path: Path) -> None:
    """In either order, without naming the option."""
    one, two = (f"agent_avenue/{name}@sample" for name in names)
    assert run("evaluate", one, "--against", two, "--games", 4, "--json", tmp_path / "x.json") == 0
    found: dict[str, Any] = json.loads((tmp_path / "x.json").read_text())
    assert found["environment"]["options"] == {"mode": "simple", "players": 2, "first_player": 0, "history": 3}


@pytest.mark.parametrize(
    "player",
    ["mix:{0}|{1}", "mix:{1}|{0}", "{0}+search:8,rivals=policy|{1}@argmax,mode=safe", "best+search:8,rivals={1}|{0}"],
)
def test_members_and_rivals_may_have_a_history(player: str) -> None:
    name = player.format("agent_avenue/simple-2", "agent_avenue/simple-2-safe")
    assert choose_game([name], None, {}) == make_game(history=3)
    assert choose_game([name], None, {"first_player": 1}) == make_game(history=3, first_player=1)


def test_cross_play_has_a_result_per_pair(agent: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    picture, file = tmp_path / "x.png", tmp_path / "x.json"
    argv = ["--cross-play", "random", "greedy", f"{agent}@0.5", "--option", "first_player=1", "--games", "20"]
    assert run("evaluate", *argv, "--plot", picture, "--json", file) == 0
    assert picture.read_bytes()[:4] == b"\x89PNG"
    found = json.loads(file.read_text())
    assert found["environment"]["options"]["first_player"] == 1
    assert len(found["results"]) == 6
    out = capsys.readouterr().out
    rows = [line.split()[:3] for line in out.partition("cross-play")[0].splitlines() if line.split()[2:3] == ["20"]]
    assert rows == [["random", "greedy", "20"], ["random", "agent@0.5", "20"], ["greedy", "agent@0.5", "20"]]
    assert "fair share 50.0 %" in " ".join(out.split())


def test_a_player_that_is_named_twice_is_one_row(tmp_path: Path) -> None:
    argv = ["best", "agent_avenue/simple-2", "--against", "random", "greedy", "random", "--games", "4"]
    assert run("evaluate", *argv, "--json", tmp_path / "a.json") == 0
    found = json.loads((tmp_path / "a.json").read_text())
    pairs = [(r["challenger"], r["opponent"]) for r in found["results"]]
    assert pairs == [("agent_avenue/simple-2@argmax", bot) for bot in ("random", "greedy")]


def test_with_three_sides_cross_play_shows_both_results_of_a_pair(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("spygames_training.output.tables.heat_map", lambda *_: None)  # slow, and tested above
    argv = ["--cross-play", "random", "greedy", "--game", "heimlich_v0", "--option", "players=3", "--games", "6"]
    assert run("evaluate", *argv, "--plot", tmp_path / "x.png") == 0
    out = capsys.readouterr().out
    rows = [line.split()[:3] for line in out.partition("cross-play")[0].splitlines() if line.split()[2:3] == ["6"]]
    assert rows == [["random", "greedy", "6"], ["greedy", "random", "6"]]


def test_games_of_other_modules_are_evaluated(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("evaluate", "random", "--game", "tests.poker.kuhn", "--games", 20) == 0
    assert "kuhn_poker_v0" in capsys.readouterr().out


def test_invalid_arguments_give_one_line(agent: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "cut").mkdir()
    (tmp_path / "cut" / "config.json").write_text("{")
    for argv, text in (
        ([], "name a player to evaluate"),
        (["random", "--against"], "--against: missing value, a PLAYER"),
        (["--against", "random", "runs/x"], "name that one before it, as in spygames evaluate runs/x --against random"),
        (["--cross-play", "random"], "at least two"),
        (["--cross-play", "random", "greedy", "--against", "random"], "omit --against"),
        (["--cross-play", "random", "greedy", "--plot", str(tmp_path / "x.foo")], "the ending must be one of"),
        (["random", "--seats", "--against", "greedy"], "--seats names all players"),
        (["nobody"], "no player 'nobody'"),
        (["random", "--against", "nobody"], "no player 'nobody'"),
        (["random", "--against", "mcts:none"], "simulations"),
        (["random", "--game", "nothing_v0"], "no game 'nothing_v0'"),
        (["random", "--option", "players=17"], "players must be"),
        (["random", "--option", "players"], "NAME=VALUE"),
        (["random", "--option", "colour=1"], "unexpected keyword argument 'colour'; available options: mode"),
        (["random", "--games", "0"], "'0' is not an integer from 1"),
        (["random", "--seed", "-1"], "not an integer from 0"),
        (["random", "--json", str(tmp_path / "none" / "x.json")], "cannot be written"),
        ([str(tmp_path)], "is not a checkpoint"),
        ([str(tmp_path / "cut")], "is truncated"),
        ([agent, "--play", "best"], "sample, argmax or a temperature"),
        ([f"{agent}@sample", "--play", "argmax"], "agent@sample' and play='argmax' both say how to play: give one"),
        ([f"mix:{agent}|greedy", "--play", "sample"], "say how its members play, as in mix:A@sample|B@sample"),
        ([agent, "--game", "tests.poker.kuhn"], "trained on 'agent_avenue_v0', not on kuhn_poker_v0"),
    ):
        assert text in complaint(["evaluate", *argv], capsys)


def test_a_pipe_gets_no_empty_line_for_the_progress_bar(capsys: pytest.CaptureFixture[str]) -> None:
    for screen in (console(), console(stderr=True)):
        with progress_bar(console=screen, transient=True) as bar:
            bar.advance(bar.add_task("playing", total=1))
    assert capsys.readouterr() == ("", "")
