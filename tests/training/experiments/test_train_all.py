"""Train all configs one after another, and show a table of their curves."""

import json
from pathlib import Path

import pytest

from spygames_training.experiments.train_all import TrainAll
from tests.cli.command import complaint, run

CONFIG = """
game = "agent_avenue_v0"
name = "{name}"
decisions = 2000
workers = 1
evaluate_against = ["random", "greedy"]
evaluate_games = 20
[network]
hidden = [8]
[ppo]
games = 16
steps = 16
minibatch = 128
"""


@pytest.fixture
def configs(tmp_path: Path) -> list[str]:
    paths = [tmp_path / f"{name}.toml" for name in ("one", "other")]
    for path in paths:
        path.write_text(CONFIG.format(name=path.stem))
    return [str(path) for path in paths]


def test_runs_are_trained_once_and_their_curves_shown(
    configs: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    assert run("train-all", *configs, "--out", out) == 0
    printed = capsys.readouterr().out
    assert "run 2 of 2: other" in printed
    figures = json.loads((out / "variants.json").read_text())["runs"]
    rows = (out / "variants.md").read_text().splitlines()[2:]
    assert len(rows) == len(figures) == 2
    for (name, found), row in zip(figures.items(), rows, strict=True):
        start, half, end = found["curve"][0], found["curve"][-2], found["curve"][-1]
        assert (half[0], end[0]) == (1024, 2048)  # updates have 256 decisions; half: the first at or after 1,000
        summary = json.loads((out / name / "summary.json").read_text())
        shares = [f"{100 * summary[moment]['win_share/greedy']:.1f}" for moment in ("start", "half", "end")]
        assert shares == [f"{100 * point[1]:.1f}" for point in (start, half, end)]
        assert [cell.strip() for cell in row.split("|")][1:4] == [name, "2", "2,048"]
        assert [cell.strip() for cell in row.split("|")][5:8] == shares
    assert (out / "variants.png").stat().st_size > 10_000
    assert {path.name for path in out.iterdir()} == {"one", "other", "variants.json", "variants.md", "variants.png"}
    before = (out / "one" / "state.safetensors").stat().st_mtime_ns
    assert run("train-all", *configs, "--out", out) == 0
    assert (out / "one" / "state.safetensors").stat().st_mtime_ns == before


def test_a_length_replaces_that_of_each_config(configs: list[str], tmp_path: Path) -> None:
    for decisions, length in ((None, 2000), (512, 512)):
        found = TrainAll([*map(Path, configs)], tmp_path / "out", decisions=decisions).configs
        assert [config.decisions for config in found.values()] == [length, length]


def test_the_opponent_may_be_a_released_agent(configs: list[str], tmp_path: Path) -> None:
    Path(configs[0]).write_text(CONFIG.format(name="one").replace("greedy", "agent_avenue/simple-2"))
    assert run("train-all", configs[0], "--against", "best", "--out", tmp_path / "out") == 0
    found = json.loads((tmp_path / "out" / "variants.json").read_text())["runs"]["one"]
    assert found["curve"][-1][1] == found["end"]["win_share/agent_avenue/simple-2@argmax"]


def test_wrong_input_is_refused_before_any_run(
    configs: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = ["--out", str(tmp_path / "out")]
    assert "evaluate_against must contain expert" in complaint(
        ["train-all", *configs, "--against", "expert", *out], capsys
    )
    assert "no player 'nobody'" in complaint(["train-all", *configs, "--against", "nobody", *out], capsys)
    assert "two configs are named one" in complaint(["train-all", configs[0], *configs, *out], capsys)
    assert "nothing.toml" in complaint(["train-all", str(tmp_path / "nothing.toml"), *out], capsys)
    assert not (tmp_path / "out").exists()
