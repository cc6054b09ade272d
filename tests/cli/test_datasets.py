"""`spygames record --dataset`: the rows, the card, going on after an interruption, and wrong options."""

import json
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from spygames import make_game
from spygames.core.players.names import make_player
from spygames.core.records.dataset import _number
from spygames.core.records.record import game_of
from spygames.records import chat_rows, decision_rows, load_games, make_record, play_record
from spygames_app import datasets
from spygames_app.cli.arguments import read_option
from spygames_app.cli.record import Record
from spygames_training.ladder.lines import Entry
from tests.cli.command import complaint, run

EXAMPLE = Path(__file__).resolve().parents[2] / "docs" / "examples" / "parquet_rows.py"


def rows_in(folder: Path) -> list[dict[str, Any]]:
    lines = [line for file in sorted(folder.glob("*-0*.jsonl")) for line in file.read_text().splitlines()]
    return [json.loads(line) for line in lines]


def content(folder: Path) -> dict[str, bytes]:
    """All files that do not name the folder."""
    return {each.name: each.read_bytes() for each in folder.iterdir() if each.name not in ("README.md", ".lock")}


def record(folder: Path, *more: object, games: int = 3) -> int:
    return run("record", "greedy", "random", "--games", games, "--seed", 4, "--dataset", folder, *more)


def test_a_dataset_has_rows_that_replay_and_a_card(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert record(tmp_path / "data", "--advice", "greedy", "--truth") == 0
    said = capsys.readouterr().out
    games, rows = load_games(tmp_path / "data" / "games.jsonl"), rows_in(tmp_path / "data")
    assert f"3 games, {len(rows)} rows in" in said
    for number, game in enumerate(games):
        own = [row for row in rows if row["game"] == number]
        from_rows = make_record(
            game_of(game), [row["action"] for row in own], int(own[0]["truth_seed"]), players=game.players
        )
        assert from_rows == game
        assert [row["advice_policy"][row["action"]] for row in own if row["player"] == "greedy"] == [1.0] * len(
            [row for row in own if row["player"] == "greedy"]
        )
    assert run("record", "greedy", "random", "--games", 3, "--seed", 4, "--out", tmp_path / "games.jsonl") == 0
    assert load_games(tmp_path / "games.jsonl") == games
    card = (tmp_path / "data" / "README.md").read_text()
    for part in (
        "license: mit",
        f"3 games, {len(rows)} rows",
        "| 0 | `greedy` | `",
        "| `view.hand` | float32 | 8 x 4 | 0 to 1 |",
        "`truth_...` hold what is hidden",
        "of `greedy`, digest",
        "--seed 4",
        "| `decisions-00000.jsonl` | 3 |",
    ):
        assert part in card, part


def test_the_card_counts_the_games_that_were_forfeited(tmp_path: Path) -> None:
    game = make_game("agent_avenue_v0")
    one = play_record(game, [make_player(game, "random")] * 2, 4)
    plan = datasets.Plan(game, (Entry("random", None),) * 2, 4)
    for games, says in (([one, one], ""), ([one, replace(one, forfeit=1)], "In 1 of the games a seat gave no legal")):
        card = datasets.card(datasets.Dataset(tmp_path, plan, games), "spygames record")
        assert says in card
        assert ("gave no legal action" in card) == bool(says)


def test_the_command_on_the_card_makes_the_same_game() -> None:
    """Options are written so that the command line reads them, tables as JSON."""
    game = make_game("agent_dog_v0", players=2, deck={"13": 20, "9": 30})
    command = shlex.split(Record(players=("random",))._command(game, ("random", "random")))
    options = [read_option(after) for option, after in pairwise(command) if option == "--option"]
    assert make_game("agent_dog_v0", **dict(options)) == game


def test_rows_are_those_of_the_library(tmp_path: Path) -> None:
    record(tmp_path / "data", "--numbers-only", games=2)
    games = load_games(tmp_path / "data" / "games.jsonl")
    wanted = [row for i, game in enumerate(games) for row in decision_rows(game, number=i, texts=False)]
    assert rows_in(tmp_path / "data") == wanted
    record(tmp_path / "talk", "--form", "chat", games=2)
    assert rows_in(tmp_path / "talk") == [row for i, game in enumerate(games) for row in chat_rows(game, number=i)]


def test_the_players_own_advice(tmp_path: Path) -> None:
    argv = ["record", "mcts:4", "random", "--dataset", tmp_path / "data", "--advice", "own", "--numbers-only"]
    assert run(*argv) == 0
    rows = rows_in(tmp_path / "data")
    assert {row["player"] for row in rows if row["advice_value"] is not None} == {"mcts:4"}
    assert {row["player"] for row in rows if row["advice_policy"] is None} == {"random"}


def test_parquet_has_the_same_rows(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    parquet = pytest.importorskip("pyarrow.parquet", reason="needs the extra parquet")
    record(tmp_path / "lines", "--advice", "greedy", "--truth")
    record(tmp_path / "data", "--advice", "greedy", "--truth", "--parquet")
    table = parquet.read_table(tmp_path / "data" / "decisions-00000.parquet")
    wanted = rows_in(tmp_path / "lines")

    def shortest(found: Any) -> Any:
        """Floats of float32 as the JSON lines have them."""
        if isinstance(found, dict):
            return {key: shortest(value) for key, value in found.items()}
        if isinstance(found, list):
            return [shortest(value) for value in found]
        return _number(found) if isinstance(found, float) else found

    assert shortest(table.to_pylist()) == wanted
    done = subprocess.run([sys.executable, EXAMPLE, tmp_path / "data"], capture_output=True, text=True, check=False)
    assert done.stdout == f"({len(wanted)}, 160) ({len(wanted)}, 74) True\n", done.stderr
    assert str(table.schema.field("mask").type) == "fixed_size_list<element: int8>[74]"
    record(tmp_path / "talk", "--form", "chat", "--parquet")
    record(tmp_path / "talks", "--form", "chat")
    assert parquet.read_table(tmp_path / "talk" / "chat-00000.parquet").to_pylist() == rows_in(tmp_path / "talks")


def test_a_missing_pyarrow_is_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
    argv = ["record", "random", "--dataset", str(tmp_path / "data"), "--parquet"]
    assert "Parquet needs pyarrow: pip install 'spygames[parquet]'" in error_of(argv, capsys)
    assert not (tmp_path / "data").exists()


def error_of(argv: list[str], capsys: pytest.CaptureFixture[str]) -> str:
    """Return the error line. Before it may be an empty one of a progress bar that has ended."""
    capsys.readouterr()
    assert run(*argv) == 2
    (line,) = capsys.readouterr().err.strip().splitlines()
    return line


@pytest.mark.parametrize(
    ("form", "moment"),
    [
        ([], "play"),
        ([], "rows"),
        (["--form", "chat"], "place"),
        (["--parquet"], "rows"),
        pytest.param(["--parquet"], "play", marks=pytest.mark.slow),
        pytest.param(["--parquet"], "place", marks=pytest.mark.slow),
    ],
)
def test_an_interruption_keeps_whole_games_and_the_same_command_continues(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], form: list[str], moment: str
) -> None:
    if "--parquet" in form:
        pytest.importorskip("pyarrow", reason="needs the extra parquet")
    monkeypatch.setattr(datasets, "PART", 2)
    record(tmp_path / "whole", *form, games=5)

    def stops(function: Callable[..., Any], after: int) -> Callable[..., Any]:
        calls = iter(range(10**6))

        def call(*arguments: Any, **options: Any) -> Any:
            if next(calls) == after:
                raise KeyboardInterrupt
            return function(*arguments, **options)

        return call

    where = {"play": (datasets, "play_record"), "rows": (datasets.Part, "add"), "place": (datasets, "write_whole")}
    with monkeypatch.context() as patched:
        owner, name = where[moment]
        patched.setattr(owner, name, stops(getattr(owner, name), 3))
        assert record(tmp_path / "data", *form, games=5) == 130
    assert f"saved in {tmp_path / 'data'}; the same command resumes\n" in capsys.readouterr().out
    kept = load_games(tmp_path / "data" / "games.jsonl")
    assert 2 <= len(kept) < 5
    assert run("replay", tmp_path / "data" / "games.jsonl") == 0
    if "--parquet" not in form:
        assert {row["game"] for row in rows_in(tmp_path / "data")} == {*range(3 if moment == "play" else len(kept))} - (
            {3} if moment == "rows" else set()
        )
    with open(tmp_path / "data" / "games.jsonl", "ab") as file:
        file.write(b'{"game": "agent_ave')  # a kill cuts a line
    assert record(tmp_path / "data", *form, games=5) == 0
    assert content(tmp_path / "data") == content(tmp_path / "whole")


def test_a_damaged_dataset_is_refused_and_stays(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Rows whose games are missing, games that are not those of the seed, and a description of another form."""
    data = tmp_path / "data"
    record(data, games=3)
    games, state = data / "games.jsonl", data / "dataset.json"
    lines, description = games.read_text().splitlines(keepends=True), state.read_text()
    argv = ["record", "greedy", "random", "--seed", "4", "--dataset", str(data), "--games", "4"]
    for file, text, message in (
        (games, "".join(lines[:2]), "has 2 games, fewer than the 3 of the files of rows: remove these files"),
        (games, "", "has 0 games, fewer than the 3"),
        (games, lines[0] + lines[2], "game 2: the seed must be "),
        (state, json.dumps({**json.loads(description), "files": [{"x": 1}, 5]}), "is not the description of a dataset"),
    ):
        before = file.read_text()
        file.write_text(text)
        damaged = content(data)
        assert message in error_of(argv, capsys)
        assert content(data) == damaged
        file.write_text(before)
    assert run(*argv) == 0


def test_a_file_of_rows_of_another_size_is_refused_and_stays(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = tmp_path / "data"
    record(data, games=3)
    rows = data / "decisions-00000.jsonl"
    whole, cut = rows.read_bytes(), rows.read_bytes()[:100]
    rows.write_bytes(cut)
    capsys.readouterr()
    assert record(data, games=3) == 2
    assert f"decisions-00000.jsonl must have {len(whole)} bytes, not 100: remove it" in capsys.readouterr().err
    assert rows.read_bytes() == cut
    rows.unlink()
    assert record(data, games=3) == 0
    assert rows.read_bytes() == whole


def test_more_games_continue_and_other_games_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    record(tmp_path / "data", games=1)
    record(tmp_path / "data", games=3)
    record(tmp_path / "whole", games=3)
    assert content(tmp_path / "data") == content(tmp_path / "whole")
    before = content(tmp_path / "data")
    base = ["record", "greedy", "random", "--seed", "4", "--dataset", str(tmp_path / "data")]
    assert "has 3 games, more than --games 2" in error_of([*base, "--games", "2"], capsys)
    for more, difference in (
        (["--truth"], "without --truth, not with it"),
        (["--numbers-only"], "without --numbers-only, not with it"),
        (["--form", "chat"], "with the form decisions, not chat"),
        (["--seed", "5"], "with the seed 4, not 5"),
        (["--advice", "greedy"], "with the advice none, not greedy"),
        (
            ["--option", "first_player=1"],
            "players=2, first_player=0), not agent_avenue_v0 (mode=",
        ),
    ):
        line = error_of([*base, "--games", "3", *more], capsys)
        assert "data was recorded with" in line
        assert difference in line
    argv = ["record", "random", "greedy", "--seed", "4", "--dataset", str(tmp_path / "data"), "--games", "3"]
    assert "data was recorded with the players greedy, random, not random, greedy" in error_of(argv, capsys)
    assert content(tmp_path / "data") == before
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "thesis.txt").write_text("")
    line = error_of(["record", "random", "--dataset", str(tmp_path / "other")], capsys)
    assert "must be a new or empty folder, or a dataset; it has thesis.txt" in line
    line = error_of(["record", "random", "--dataset", str(tmp_path / "other" / "thesis.txt")], capsys)
    assert "must be a folder, not a file" in line


def test_a_player_that_fails_keeps_the_games_before(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("fails.py").write_text(
        "count = 0\n\n\ndef act(observation, mask):\n    global count\n    count += 1\n"
        "    return int(mask.argmax()) if count < 30 else -1\n"
    )
    line = error_of(
        ["record", "random", "python:fails.act", "--games", "9", "--dataset", str(tmp_path / "data")], capsys
    )
    assert "the player python:fails.act failed in seat 1" in line
    games = load_games(tmp_path / "data" / "games.jsonl")
    assert 0 < len(games) < 9
    assert {row["game"] for row in rows_in(tmp_path / "data")} == {*range(len(games))}


@pytest.mark.slow
def test_ctrl_c_in_another_process_and_jobs(tmp_path: Path) -> None:
    argv = ["record", "greedy", "random", "--games", "400", "--seed", "4", "--jobs", "2", "--dataset"]
    process = subprocess.Popen(
        [sys.executable, "-m", "spygames_app", *argv, tmp_path / "data"], stderr=subprocess.PIPE, start_new_session=True
    )
    games = tmp_path / "data" / "games.jsonl"
    while process.poll() is None and not (games.exists() and games.read_bytes().count(b"\n") > 5):
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    _, error = process.communicate()
    assert process.returncode == 130
    assert error.endswith(b"spygames record: interrupted\n")
    assert 5 < len(load_games(games)) < 400
    for folder in ("data", "whole"):
        assert run(*argv, tmp_path / folder) == 0
    assert content(tmp_path / "data") == content(tmp_path / "whole")


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (["random"], "name a file for the games, as in --out games.jsonl, or a folder"),
        (["random", "--out", "a.jsonl", "--dataset", "b"], "not both"),
        (["random", "--out", "a.jsonl", "--truth"], "--truth works only with --dataset"),
        (["random", "--out", "a.jsonl", "--jobs", "2"], "--jobs and --on work only with --dataset"),
        (["random", "--dataset", "b", "--form", "chat", "--truth"], "--truth does not go with --form chat"),
        (["random", "--dataset", "b", "--advice", "nobody"], "nobody"),
        (["random", "--dataset", "b", "--form", "table"], "table"),
    ],
)
def test_wrong_options_write_nothing(
    argv: list[str], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert message in complaint(["record", *argv], capsys)
    assert not list(tmp_path.iterdir())
