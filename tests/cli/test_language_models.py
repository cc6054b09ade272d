"""Language models in the commands, against a server on loopback."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from spygames import make_game
from spygames.players import DecisionBatch, LanguageModel
from spygames.records import load_games
from spygames_app.cli.models import Models
from tests.cli.command import run
from tests.support.chat_server import chat_server, listed

pytest.importorskip("httpx", reason="needs the extra llm")


def script(messages: list[dict[str, str]], number: int) -> str:
    """Choose by the text of the decision; some decisions get no answer, at each try."""
    text = messages[-1]["content"]
    decision = next(each["content"] for each in reversed(messages) if "The position as you know it" in each["content"])
    if sum(decision.encode()) % 23 == 0:
        return "I do not know."
    legal = listed(messages)
    return f'{{"action": "{legal[sum(text.encode()) % len(legal)]}"}}'


def complaint(argv: list[str], capsys: pytest.CaptureFixture[str]) -> str:
    """Return the error line of `spygames ARGV`. Stdout may have the traces of a progress bar."""
    capsys.readouterr()
    assert run(*argv) == 2
    (line,) = capsys.readouterr().err.splitlines()
    return line


def test_evaluate_gives_results_with_and_without_forfeits_and_resumes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    argv = ["--against", "random", "--games", 20, "--llm.transcripts", tmp_path / "told", "--llm.price", "m=1/10"]
    with chat_server(script) as server:
        name = f"llm:m@{server.url},retries=1"
        line = complaint(["evaluate", name, *map(str, argv), "--llm.max-tokens", "1000"], capsys)
        assert "tokens are used, of at most 1,000; the same command with the same transcripts continues from" in line
        assert run("evaluate", name, *argv, "--json", tmp_path / "one.json") == 0
        asked = len(server.requests)
        assert run("evaluate", name, *argv, "--json", tmp_path / "two.json") == 0
        assert len(server.requests) == asked
    one, two = (json.loads((tmp_path / f"{name}.json").read_text()) for name in ("one", "two"))
    assert one["results"] == two["results"]
    (result,) = one["results"]
    (account,) = one["language_models"].values()
    lost = result["forfeits"]["challenger"]
    assert 0 < lost < 20
    assert (account["forfeits"], account["answers"]) == (lost, asked)
    assert account["answers"] == account["decisions"] + account["retries"] == account["ok"] + account["unparseable"]
    assert account["dollars"] == pytest.approx((100 * asked + 10 * 10 * asked) / 1e6, abs=1e-6)
    games = [json.loads(line) for line in (tmp_path / "told" / "games.jsonl").read_text().splitlines()]
    assert [game["ended"] for game in games].count("forfeit") == lost
    won = sum(game["game"]["returns"][int(*game["seats"])] > 0 for game in games if game["ended"] == "played")
    assert result["win_share"] == pytest.approx(won / 20)
    assert len(games) == 20
    assert "wins %" in capsys.readouterr().out


def test_a_ladder_of_few_deals_has_a_table_without_forfeits(tmp_path: Path) -> None:
    file = tmp_path / "ladder.jsonl"
    with chat_server(script) as server:
        name = f"llm:m@{server.url}"
        argv = ["ladder", file, "--deals", 5, "--blocks", 1, "--players", "random", name]
        assert run(*argv, "--llm.transcripts", tmp_path / "told") == 0
        assert run("ladder", file, "--rerun", 1, "--allow-code") == 0
        assert run("ladder", file, "greedy") == 2  # it would ask a model that the file names
    (line,) = map(json.loads, file.read_text().splitlines())
    assert line["block"]["deals"] == 5
    assert [each["name"] for each in line["block"]["players"]] == [f"{name},mode=listed", "random"]
    assert line["block"]["forfeits"]
    assert "The same without the games" in file.with_suffix(".md").read_text()
    told = [json.loads(text) for text in (tmp_path / "told" / "games.jsonl").read_text().splitlines()]
    assert {game["occasion"] for game in told} == {f"{name},mode=listed - random, block 0"}
    assert len(told) == 10


def test_record_goes_on_after_a_forfeit_and_keeps_games_if_the_server_fails(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out, data = tmp_path / "games.jsonl", tmp_path / "data"
    with chat_server(script) as server:
        argv = ["record", "random", f"llm:m@{server.url},retries=0", "--games", 6, "--seed", 1]
        assert run(*argv, "--out", out) == 0
        assert "(seat 1 gave no legal action)" in capsys.readouterr().out
        games = load_games(out)
        lost = [game for game in games if game.forfeit == 1]
        assert (len(games), {game.returns for game in lost}) == (6, {(1.0, -1.0)})
        assert 0 < len(lost) < 6
        for _ in range(2):  # the second time nothing is left to do
            assert run(*argv, "--dataset", data) == 0
        assert load_games(data / "games.jsonl") == games
        assert f"In {len(lost)} of the games a seat gave no legal action, and lost." in (data / "README.md").read_text()
        rows = [json.loads(line) for line in (data / "decisions-00000.jsonl").read_text().splitlines()]
        assert all(row["result"] == games[row["game"]].returns[row["seat"]] for row in rows)
        assert len(rows) == sum(len(game.actions) for game in games)
        spent = "tokens are used, of at most 1,000"
        for file, kept in ((out, {6}), (tmp_path / "new.jsonl", {1, 2, 3, 4, 5})):  # a file that was there stays
            assert spent in complaint([*map(str, argv), "--out", str(file), "--llm.max-tokens", "1000"], capsys)
            assert len(found := load_games(file)) in kept
            assert found == games[: len(found)]


def test_compare_counts_forfeits(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with chat_server(lambda messages, number: "no") as server:
        argv = [f"llm:m@{server.url},retries=0", "random", "--max-games", 128, "--json", tmp_path / "found.json"]
        assert run("compare", *argv) == 0
    found = json.loads((tmp_path / "found.json").read_text())
    assert found["comparison"]["forfeits"] == [found["comparison"]["games"], 0]
    assert "games lost by failing, which count: 128 by llm:m@" in capsys.readouterr().out


def test_models_are_asked_by_one_process(capsys: pytest.CaptureFixture[str]) -> None:
    argv = ["evaluate", "llm:m@http://127.0.0.1:9/v1", "--against", "random", "--games", "4", "--jobs", "2"]
    assert "leave out --jobs" in complaint(argv, capsys)


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (["greedy", "--llm.max-tokens", "5"], "need a language model among the players"),
        (["llm:m@http://h/v1", "--llm.max-dollars", "5"], "needs a price of m"),
        (["llm:m@http://h/v1", "--llm.price", "m=1"], "not MODEL=IN/OUT"),
        (["llm:m@http://h/v1@argmax"], "the URL of a model must be"),
        (["llm:m", "--play", "argmax"], "takes no @argmax"),
    ],
)
def test_wrong_options_are_refused(argv: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert message in complaint(["evaluate", *argv, "--against", "random"], capsys)


def test_forfeits_count_for_the_player_that_failed() -> None:
    """With three sides and with two, for both players of a pair."""
    from spygames.players import DecisionBatch
    from spygames_training.measuring import cross_play, evaluate

    class Fails:
        name = "fails"

        def act(self, decisions: DecisionBatch) -> np.ndarray:
            raise ValueError("never")

    game = make_game("agent_avenue_v0")
    one, two = cross_play(game, [Fails(), "random"], 8, 1, limit=100)
    assert one.forfeits is not None
    assert two.forfeits is not None
    assert (one.win_share, one.forfeits.challenger, one.forfeits.opponent) == (0, 8, 0)
    assert (two.win_share, two.forfeits.challenger, two.forfeits.opponent) == (1, 0, 8)
    three = make_game("heimlich_v0", players=3)
    (result,) = evaluate(three, "random", Fails(), 6, 1, limit=100)
    assert result.forfeits is not None
    assert (result.win_share, result.forfeits.opponent, result.forfeits.win_share) == (1, 6, None)


def test_the_server_of_the_page_plays_a_ladder(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What the page tells a new user to type, with a free port."""
    file = Path(__file__).resolve().parents[2] / "docs" / "examples" / "my_server.py"
    server = subprocess.Popen([sys.executable, file, "0"], stdout=subprocess.PIPE, text=True)
    try:
        assert server.stdout is not None
        name = server.stdout.readline().strip()
        argv = ["--deals", 5, "--blocks", 2, "--players", "random", name, "--llm.transcripts", tmp_path / "told"]
        assert run("ladder", tmp_path / "first.jsonl", *argv) == 0
        assert run("replay", tmp_path / "told" / "games.jsonl", "--show", "--number", 1) == 0
    finally:
        server.kill()
        server.communicate()
    shown = capsys.readouterr().out
    assert "What llm:any said:\n  I take my chances." in shown
    assert "20 games of" in shown


def test_a_viewer_of_a_transcript_sees_what_its_own_seat_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with chat_server(script) as server:
        argv = ["evaluate", f"llm:m@{server.url}", "--against", "random", "--games", 2]
        assert run(*argv, "--llm.transcripts", tmp_path) == 0
    games = tmp_path / "games.jsonl"
    (own,) = json.loads(games.read_text().splitlines()[0])["seats"]
    said = {}
    for viewer in (own, str(1 - int(own))):
        capsys.readouterr()
        assert run("replay", games, "--show", "--number", 1, "--viewer", viewer) == 0
        said[viewer] = capsys.readouterr().out.count("What llm:m said")
    assert said[own] > 0
    assert said[str(1 - int(own))] == 0
    assert run("draw", games, "--out", tmp_path / "game.html") == 0
    assert run("prompt", "--record", games) == 0


def test_a_ladder_without_a_limit_waits_for_a_model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from spygames_training.ladder import lines

    monkeypatch.setattr(lines, "LIMIT", 1e-9)  # every decision is too late
    with chat_server(script) as server:
        argv = ["ladder", tmp_path / "ladder.jsonl", "--deals", 2, "--blocks", 1, "--players", "random", "greedy"]
        assert run(*argv, f"llm:m@{server.url}") == 0
    found = [json.loads(line)["block"] for line in (tmp_path / "ladder.jsonl").read_text().splitlines()]
    late = [[player["name"] for player in block["players"]] for block in found
            if any(reason == "too slow" for *_, reason in block["forfeits"])]  # fmt: skip
    assert late == [["greedy", "random"]]


def test_ctrl_c_says_where_the_answers_are(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def stops(self: LanguageModel, decisions: DecisionBatch) -> np.ndarray:
        raise KeyboardInterrupt

    monkeypatch.setattr(LanguageModel, "act", stops)
    argv = ["evaluate", "llm:m@http://127.0.0.1:9/v1", "--against", "random", "--games", 2]
    assert run(*argv, "--llm.transcripts", tmp_path) == 130
    assert f"answers so far: {tmp_path}; the same command" in capsys.readouterr().out


def test_the_options_of_language_models_are_passed_on(tmp_path: Path) -> None:
    model = LanguageModel(make_game("agent_avenue_v0"), "m@http://127.0.0.1:9/v1")
    options = Models(tmp_path, 3, 7, 1000, 2.5, 4, (("m", (1.0, 10.0)),))
    with options.at_work([model]) as models:
        assert models == [model]
        assert (model.concurrent, model.patience) == (3, 7)
        assert model.transcripts is not None
        limits = model.budget.limits
        assert (limits.tokens, limits.dollars, limits.seconds) == (1000, 2.5, 240)
        assert limits.prices == {"m": (1.0, 10.0)}
