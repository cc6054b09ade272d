"""What the training benchmark makes of the figures that it reads."""

from pathlib import Path

from benchmarks import training as bench


def rows(*shares: float | None) -> list[dict[str, float]]:
    """An update a second with 1000 decisions; None: nothing was evaluated."""
    return [
        {"seconds": k, "decisions": 1000 * k, "decisions_per_second": 7} | ({"win_share/greedy": s} if s else {})
        for k, s in enumerate(shares, 1)
    ]


def test_the_goal_counts_from_the_first_of_two_evaluations() -> None:
    def reached(*shares: float | None) -> float | None:
        return bench.Way("", "", [], rows(*shares)).reached()

    assert reached(0.1, 0.9, 0.8, None, 0.85, None, 0.86) == 5
    assert reached(0.1, 0.9, 0.84, 0.9) is None  # the last one stands alone


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


def test_a_line_that_is_being_written_waits(tmp_path: Path) -> None:
    (tmp_path / "metrics.jsonl").write_text('{"decisions": 1}\n{"deci')
    assert bench._read(tmp_path / "metrics.jsonl") == [{"decisions": 1}]
    assert bench._read(tmp_path / "none.jsonl") == []
