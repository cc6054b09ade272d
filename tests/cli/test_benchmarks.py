"""The tables, figures and errors of the benchmarks."""

import importlib.util
from pathlib import Path

import pytest
from benchmarks import games, gpu
from benchmarks import training as bench
from benchmarks.__main__ import Benchmarks
from benchmarks.tools import Result

from spygames_app.cli.arguments import execute


def rows(*shares: float | None) -> list[dict[str, float]]:
    """Return one update per second with 1000 decisions each; None: no evaluation."""
    return [
        {"seconds": k, "decisions": 1000 * k, "decisions_per_second": 7} | ({"win_share/greedy": s} if s else {})
        for k, s in enumerate(shares, 1)
    ]


def test_the_goal_is_the_first_of_two_consecutive_evaluations() -> None:
    def reached(*shares: float | None) -> float | None:
        return bench.Way("", "", [], rows(*shares)).reached()

    assert reached(0.1, 0.9, 0.8, None, 0.85, None, 0.86) == 5
    assert reached(0.1, 0.9, 0.84, 0.9) is None  # the last one has no second


def test_tables_and_rates(tmp_path: Path) -> None:
    ways = bench.ways()
    for factor, way in zip((10, 5, 1), ways, strict=True):
        way.rows = [row | {"decisions": factor * row["decisions"]} for row in rows(0.2, None, 0.9, 0.9)]
    text = bench.table(ways, {"agent_avenue_v0": [3e5, 1e5, 2e5]})
    assert "| 3 s | 90.0% | 10 k | 10 x |" in text
    assert "| 3 s | 90.0% | 5 k | 5 x |" in text
    assert "| `agent_avenue_v0` | 200 k | 100 k to 300 k |" in text
    bench.picture(ways, tmp_path / "images" / "training.png")
    assert (tmp_path / "images" / "training.png").stat().st_size > 0


def test_an_incomplete_line_is_skipped(tmp_path: Path) -> None:
    (tmp_path / "metrics.jsonl").write_text('{"decisions": 1}\n{"deci')
    assert bench._read(tmp_path / "metrics.jsonl") == [{"decisions": 1}]
    assert bench._read(tmp_path / "none.jsonl") == []


def test_invalid_arguments_give_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    for argv, words in (
        (["--only", "nothing"], "no benchmark 'nothing'; the benchmarks are aec, "),
        (["--write", "--quick"], "omit --only and --quick"),
        (["--train", "--only", "aec"], "--train takes --minutes"),
        (["--games", "--only", "aec"], "omit --only"),
        (["--gpu", "--only", "aec"], "omit --only"),
        (["--runs", "0"], "'0' is not an integer from 1"),
        (["--seconds", "0"], "--seconds must be positive"),
        (["--seconds", "nan"], "--seconds must be positive"),
        (["--json", "missing/new"], "cannot be written"),
        (["--train", "--json", "new"], "--train takes --minutes"),
    ):
        assert execute(Benchmarks, argv, "python -m benchmarks") == 2
        out, err = capsys.readouterr()
        assert (out, err.count("\n")) == ("", 1)
        assert words in err


def test_tables_of_games() -> None:
    variants = [Result(bench, [k, k + 1.0, k + 2.0]) for k, bench in enumerate(games.variant_benches())]
    head, rows = games.variant_table(variants)
    assert len(head) == len(rows[0]) == 1 + len(games.COLUMNS)
    assert [row[0] for row in rows] == [*games.VARIANTS]
    assert rows[1][2] == str(len(games.COLUMNS) + 2)  # the median of the second variant's second column
    growth = [Result(bench, [7.0]) for bench in games.growth_benches()]
    head, rows = games.growth_table(growth)
    assert rows[0] == ["1", "7", "7", "7"]  # one game has no use for two threads
    assert rows[-1] == ["1,000,000", "7, 7", "7, 7", "7, 7"]


@pytest.mark.slow
def test_tables_of_a_gpu() -> None:
    results = [Result(each, [2e8 + k]) for k, each in enumerate(gpu.benches())]
    games, training = gpu.text(results).split("\n\n")
    assert [row.count("200 M") for row in games.splitlines()[2:]] == [4, 4, 4, 4, 4, 3]
    assert "| Agent DOG, 4 | 200 M | 200 M |  | 200 M |" in games
    assert [row.count("200 M") for row in training.splitlines()[2:]] == [2, 2, 2, 2]


def test_without_a_gpu_the_reason_is_given(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    assert execute(Benchmarks, ["--gpu"], "python -m benchmarks") == 2
    assert "--gpu: games on a GPU need numba-cuda: pip install 'spygames[gpu]'" in capsys.readouterr().err

    def none() -> None:
        raise RuntimeError("there is no GPU")

    monkeypatch.setattr(gpu, "current_gpu", none)
    assert execute(Benchmarks, ["--gpu"], "python -m benchmarks") == 2
    assert "--gpu: there is no GPU" in capsys.readouterr().err


@pytest.mark.slow  # two processes that compile a game
def test_memory_grows_with_the_games() -> None:
    found = games.memory_of(next(iter(games.VARIANTS)), (1, 50_000))
    assert found.game > found.state + found.view
    if found.resident:
        assert found.resident[50_000] > 50_000 * found.game > found.resident[1]
        assert found.training > 2**27  # torch alone is larger
