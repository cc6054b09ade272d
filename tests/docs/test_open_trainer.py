"""The trackers of the open trainer's page get each update as their library wants it; test_code.py runs the page."""

import json
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from spygames_training import Run

ROOT = Path(__file__).resolve().parents[2]
TRACKERS = ROOT / "docs" / "examples" / "trackers.py"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


class Pruned(Exception):
    """A stand-in for `optuna.TrialPruned`."""


class Trial:
    """A stand-in for a trial of Optuna, which asks to be pruned after `prune_at` reports."""

    def __init__(self, number: int, prune_at: int) -> None:
        self.number, self.prune_at = number, prune_at
        self.reports: list[tuple[int, float]] = []

    def suggest_float(self, name: str, low: float, high: float, *, log: bool = False) -> float:
        assert name == "entropy"
        return low

    def report(self, value: float, step: int) -> None:
        self.reports.append((step, value))

    def should_prune(self) -> bool:
        return len(self.reports) == self.prune_at


@pytest.fixture
def calls(folder: Path, monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The calls that W&B and MLflow get, by fake modules for them and for Optuna."""
    calls_made: list[Any] = []

    class Active:
        def __enter__(self) -> None:
            calls_made.append("begun")

        def __exit__(self, *_: object) -> None:
            calls_made.append("over")

    modules = {
        "wandb": {
            "init": lambda *, project, config: calls_made.append(config["ppo"]["games"]),
            "log": lambda data, *, step: calls_made.append((step, data)),
        },
        "mlflow": {
            "start_run": Active,
            "log_params": lambda params: calls_made.append(params["games"]),
            "log_metrics": lambda metrics, *, step: calls_made.append((step, metrics)),
        },
        "optuna": {"Trial": Trial, "TrialPruned": Pruned},
    }
    for name, content in modules.items():
        module = ModuleType(name)
        vars(module).update(content)
        monkeypatch.setitem(sys.modules, name, module)
    return calls_made


def trackers() -> SimpleNamespace:
    names: dict[str, Any] = {"__name__": "trackers"}
    exec(compile(TRACKERS.read_text(encoding="utf-8"), "trackers.py", "exec"), names)
    return SimpleNamespace(**names)


@pytest.mark.parametrize("tracker", ["wandb", "mlflow"])
def test_a_tracker_gets_each_update(calls: list[Any], tracker: str) -> None:
    getattr(trackers(), f"with_{tracker}")()
    rows = [json.loads(line) for line in Path(f"runs/{tracker}/metrics.jsonl").read_text().splitlines()]
    around = {"wandb": ([64], []), "mlflow": (["begun", 64], ["over"])}[tracker]
    assert calls == [*around[0], *((row["decisions"], row) for row in rows), *around[1]]
    assert len(rows) == 5


def test_a_trial_is_pruned_when_optuna_asks(calls: list[Any]) -> None:
    objective = trackers().objective
    whole, pruned = Trial(0, prune_at=0), Trial(1, prune_at=2)
    share = objective(whole)
    assert [step for step, _ in whole.reports] == [2, 4, 5]
    assert whole.reports[-1][1] == share
    with pytest.raises(Pruned):
        objective(pruned)
    assert pruned.reports == whole.reports[:2]  # both have the same seed
    assert Run.resume("runs/trial_1").progress["decisions"] == 4 * 64 * 64  # saved before it was pruned
