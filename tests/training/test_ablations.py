"""The comparison of recipes makes each run once and reports what it found."""

import json
from pathlib import Path

import pytest

from tests.training.scripts import FOLDER, script


def test_runs_are_made_once_and_judged(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ablations = script("ablations")
    config = tmp_path / "small.toml"
    config.write_text("name = 'small'\ndecisions = 600\n[ppo]\ngames = 32\nsteps = 8\nminibatch = 64\n")
    asked = [str(config), "--only", "no reference", "--seeds", "2", "--hidden", "16", "--games", "10"]
    asked += ["--against", "random", "--out", str(tmp_path / "out")]
    assert ablations.main(asked) == 0
    table = capsys.readouterr().out
    assert "no reference" in table
    file = tmp_path / "out" / "small" / "ablations.json"
    found = json.loads(file.read_text())
    assert list(found["changes"]) == ["defaults", "no reference"]
    shares = found["changes"]["no reference"]["win_share"]
    assert set(shares) == {"random", "defaults"}
    low, high = sorted(shares["random"]["seeds"])
    assert shares["random"]["mean"] == pytest.approx((low + high) / 2)
    assert shares["random"]["interval"] == pytest.approx(12.706 * (high - low) / 2)
    states = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("state.safetensors")}
    assert len(states) == 4
    assert ablations.main(asked) == 0
    assert {path: path.stat().st_mtime_ns for path in tmp_path.rglob("state.safetensors")} == states
    assert json.loads(file.read_text()) == found


def test_every_change_is_one_of_the_config() -> None:
    ablations = script("ablations")
    config = ablations.read_config(FOLDER.parent / "configs" / "agent_avenue_simple.toml")
    for name in ablations.CHANGES:
        assert (ablations.changed(config, name) == config) == (name == ablations.DEFAULTS)


def test_a_missing_config_ends_with_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert script("ablations").main([str(tmp_path / "none.toml")]) == 2
    assert "cannot read" in capsys.readouterr().err
