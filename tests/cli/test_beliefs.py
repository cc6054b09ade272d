"""The command `spygames beliefs`."""

import json
from pathlib import Path
from typing import Any

import pytest

from spygames import Game
from spygames.text import Turn
from tests.cli.command import complaint, run
from tests.core.chat.test_belief_answers import even, questions
from tests.support.chat_server import chat_server

FEW = ["--game", "agent_avenue_v0", "--games-of", "random", "--games", "3", "--per-game", "2", "--worlds", "256"]


class Stops:
    """A class of beliefs that is interrupted, as by Ctrl-C, when it is asked for the fifth time."""

    asked, limit = 0, 5

    def __init__(self, game: Game, seat: int, seed: int) -> None:
        self.seed = seed

    def act_text(self, turn: Turn) -> str:
        return turn.legal[0]

    def beliefs(self, turn: Turn) -> Any:
        Stops.asked += 1
        if Stops.asked == Stops.limit:
            raise KeyboardInterrupt
        return {each.about: {each.answers[self.seed % len(each.answers)]: 1} for each in turn.unknowns}


def results(folder: Path) -> dict[str, Any]:
    return json.loads((folder / "results.json").read_text())


def test_a_player_with_two_names_is_asked_once(tmp_path: Path) -> None:
    names = ["agent_avenue/simple-2+search:2", "best+search:2"]
    few = [*FEW[:4], "--games", "1", "--per-game", "1", "--worlds", "64"]
    assert run("beliefs", *names, *few, "--out", tmp_path / "two") == 0
    by_player = [each["player"] for each in results(tmp_path / "two")["results"] if each["group"] == "hands"]
    assert by_player == ["rules alone", "knows the players", "agent_avenue/simple-2@sample+search:2"]


def test_all_are_asked_the_same_and_the_command_resumes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """After Ctrl-C, and with more games: nothing is asked twice, and the figures are those of one run."""
    name = "python:tests.cli.test_beliefs.Stops"
    Stops.asked, Stops.limit = 0, 9
    argv = ["beliefs", name, *FEW, "--out", tmp_path / "one"]
    few = [*argv[:6], "--games", "2", *argv[8:]]
    assert run(*few) == 0
    assert Stops.asked == 4
    Stops.limit = 5
    assert run(*argv) == 130
    assert f"saved in {tmp_path / 'one'}; the same command resumes" in capsys.readouterr().out
    assert run(*argv) == 0
    assert Stops.asked == 7
    shown = capsys.readouterr().out
    Stops.asked = 100
    assert run(*argv[:-1], tmp_path / "two") == 0
    assert results(tmp_path / "one") == results(tmp_path / "two")
    found = results(tmp_path / "one")
    assert (found["games"], found["positions"]) == (3, 6)
    by_player = {each["player"]: each for each in found["results"] if each["group"] == "hands"}
    assert list(by_player) == ["rules alone", "knows the players", name]
    assert {each["questions"] for each in by_player.values()} == {48}
    assert by_player[name]["nats"] > by_player["rules alone"]["nats"] > 0
    assert by_player[name]["certain"] == 1.0
    assert "hands (48)" in shown
    drawn = (tmp_path / "one" / "beliefs.svg").read_text()
    assert drawn.count("nats per question") >= 1
    assert "<dc:date>" not in drawn  # equal figures give equal files


def test_a_language_model_is_asked_with_accounts_and_resumes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("httpx", reason="needs the extra llm")

    def script(messages: list[dict[str, str]], number: int) -> str:
        text = messages[1]["content"]
        asked = questions(text)
        return "I do not know." if len(text) % 3 == 0 or not asked else even(messages, number)

    with chat_server(script) as server:
        argv = ["beliefs", f"llm:m@{server.url},retries=0", *FEW, "--out", tmp_path, "--llm.price", "m=1/10"]
        assert run(*argv, "--llm.max-tokens", 200, "--llm.concurrent", 1) == 2
        assert "the same command with the same transcripts continues" in capsys.readouterr().err
        assert run(*argv) == 0
        once = results(tmp_path)
        asked = len(server.requests)
        assert asked == once["positions"] == 6
        assert run(*argv) == 0
        assert len(server.requests) == asked
    (account,), (again,) = once["language_models"].values(), results(tmp_path)["language_models"].values()
    assert {**account, "resumed": 0} == {**again, "resumed": 0}
    assert account["decisions"] == account["ok"] + account["unparseable"] == 6
    assert account["dollars"] == pytest.approx(6 * (100 + 10 * 10) / 1e6)
    (model,) = [each for each in once["results"] if each["player"].startswith("llm:") and each["group"] == "hands"]
    assert model["answered"] == 8 * account["ok"]
    assert 0 < model["answered"] < model["questions"]
    lines = [json.loads(line) for line in (tmp_path / "answers.jsonl").read_text().splitlines()]
    told = [p["about"]["told"] for line in lines if line["player"].startswith("llm:") for p in line["positions"]]
    assert all("Questions about what is hidden" in each[0]["prompt"] for each in told)
    shown = capsys.readouterr().out
    assert "invalid" in shown
    assert "answered" in shown


def test_wrong_commands_end_with_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = ["--out", str(tmp_path / "b")]
    assert "--out runs/beliefs" in complaint(["beliefs", "greedy"], capsys)
    assert "greedy has no belief: it cannot be asked" in complaint(["beliefs", "greedy", *FEW, *out], capsys)
    assert "--games-of must name one player" in complaint(["beliefs", *FEW[:3], *["greedy"] * 3, *out], capsys)
    assert "need a language model" in complaint(["beliefs", *FEW, *out, "--llm.patience", "5"], capsys)
    assert run("beliefs", *FEW, *out) == 0
    line = complaint(["beliefs", *FEW, *out, "--seed", "9"], capsys)
    assert "holds other questions (seed: 0 there, 9 here): name another folder" in line
    line = complaint(["beliefs", *FEW[:3], "greedy", *FEW[4:], *out], capsys)
    assert "(games of: random, random there, greedy, greedy here)" in line
    answers = tmp_path / "b" / "answers.jsonl"
    answers.write_text(answers.read_text().replace('"move": ', '"move": 9'))
    assert run("beliefs", *FEW, *out) == 2
    assert "do not fit" in capsys.readouterr().err
