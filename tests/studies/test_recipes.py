"""The study of recipes: what each trial runs, resuming after a stop, and the page."""

import json
from pathlib import Path

import pytest
from studies import recipes as study

from spygames_training.config import read_config, to_toml

RESULTS = Path(__file__).parents[2] / "docs" / "results"
TINY = {
    "decisions": 2048,
    "network": {"hidden": (8,)},
    "opponents": {"share": 0.0, "bots": ()},
    "ppo": {"games": 16, "steps": 16, "minibatch": 64},
}
TRIALS = [
    study.Trial("plain", "simple-2", TINY),
    study.Trial("wider", "simple-2", {**TINY, "network": {"hidden": (16,)}}, adversary=2),
]


def test_it_resumes_where_it_was_stopped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    few = study.Recipe("Agent Avenue", study.RECIPES["simple-2"].settings, ("greedy", "random"), 20)
    monkeypatch.setattr(study, "RECIPES", {"simple-2": few})
    monkeypatch.setattr(study, "TRIALS", TRIALS)
    file = tmp_path / "recipes.json"
    options = ["--file", str(file), "--folder", str(tmp_path / "runs")]
    assert study.main([*options, "--only", "plain"]) == 0
    first = json.loads(file.read_text())
    assert [*first["trials"]] == ["plain"]
    assert [*first["trials"]["plain"]["figures"]] == ["greedy", "random"]
    capsys.readouterr()
    assert study.main(options) == 0
    told = capsys.readouterr().out
    assert "plain: " not in told  # not run again
    both = json.loads(file.read_text())
    assert both["trials"]["plain"] == first["trials"]["plain"]
    assert [*both["trials"]["wider"]["figures"]] == ["greedy", "random", study.ADVERSARY]
    assert "`hidden = [16]`" in told
    assert study.main([*options, "--seed", "1"]) == 2
    assert "has figures of seed 17, not 1" in capsys.readouterr().err


def test_a_trial_whose_settings_have_changed_is_made_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[str] = []

    def measured(trial: study.Trial, *_: object) -> dict[str, object]:
        made.append(trial.name)
        return {"config": to_toml(trial.config()), "figures": {}}

    monkeypatch.setattr(study, "measured", measured)
    changed = study.Trial("plain", "simple-2", {**TINY, "network": {"hidden": (4,)}})
    for trials in (TRIALS, [changed, TRIALS[1]]):
        monkeypatch.setattr(study, "TRIALS", trials)
        assert study.main(["--file", str(tmp_path / "recipes.json")]) == 0
    assert made == ["plain", "wider", "plain"]


def test_each_trial_is_a_different_run() -> None:
    configs = [to_toml(trial.config()).replace(f'"{trial.name}"', '""') for trial in study.TRIALS]
    assert len(set(configs)) == len(configs) == len({trial.name for trial in study.TRIALS})


def test_the_page_shows_the_figures_of_the_file() -> None:
    page = (RESULTS / "recipes.md").read_text(encoding="utf-8")
    kept = json.loads((RESULTS / "recipes.json").read_text())
    assert kept["seed"] == study.SEED
    assert page.partition(study.BEGIN)[2].partition(study.END)[0].strip() == study.table(kept["trials"])


def test_the_file_contains_the_configs_of_the_trials(tmp_path: Path) -> None:
    kept = json.loads((RESULTS / "recipes.json").read_text())["trials"]
    assert {*kept} == {trial.name for trial in study.TRIALS}
    for trial in study.TRIALS:
        (tmp_path / "config.toml").write_text(kept[trial.name]["config"])
        assert read_config(tmp_path / "config.toml") == trial.config()
        columns = [*trial.base.against, *([study.ADVERSARY] if trial.adversary else [])]
        assert [*kept[trial.name]["figures"]] == columns
