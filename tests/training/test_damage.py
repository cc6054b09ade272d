"""Runs whose folder was damaged: one line that names the file, exit code 2, and nothing in the folder is changed."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors import safe_open
from safetensors.torch import save_file

from spygames_training.config import PPO, Config, Network, Opponents
from spygames_training.training import Run
from tests.training.scripts import complaint, script

CONFIG = Config(
    game="tests.poker.kuhn",
    decisions=256,
    network=Network((8,)),
    ppo=PPO(games=16, steps=8, minibatch=32),
    opponents=Opponents(share=0.5, bots=("random",), snapshots=1, snapshot_every=1),
    evaluate_against=(),
    save_every=1e9,
)
Facts = dict[str, Any]
Tensors = dict[str, torch.Tensor]


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("runs") / "finished"
    Run(CONFIG, folder).train()
    return folder


@pytest.fixture
def folder(finished: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(finished, tmp_path / "run"))


def state(change: Callable[[Facts, Tensors], object]) -> Callable[[Path], None]:
    """Writes the state anew with what `change` makes of it; a string is put in the place of its facts."""

    def damage(folder: Path) -> None:
        file = folder / "state.safetensors"
        with safe_open(file, "pt") as opened:
            facts = json.loads(opened.metadata()["facts"])
            tensors = {name: opened.get_tensor(name) for name in opened.keys()}  # noqa: SIM118
        text = change(facts, tensors)
        save_file(tensors, file, {"facts": text if isinstance(text, str) else json.dumps(facts)})

    return damage


def fact(name: str, value: Any) -> Callable[[Path], None]:
    return state(lambda facts, _: facts.update({name: value}))


def tensor(name: str, change: Callable[[torch.Tensor], torch.Tensor]) -> Callable[[Path], None]:
    return state(lambda _, tensors: tensors.update({name: change(tensors[name])}))


def written(name: str, content: bytes) -> Callable[[Path], None]:
    def damage(folder: Path) -> None:
        (folder / name).write_bytes(content)

    return damage


def a_folder(name: str) -> Callable[[Path], None]:
    def damage(folder: Path) -> None:
        (folder / name).unlink()
        (folder / name).mkdir()

    return damage


ROW = b'{"decisions": 128}\n'
STATE, METRICS, RUN = "state.safetensors", "metrics.jsonl", "run.json"
DAMAGES: list[tuple[str, str, Callable[[Path], None]]] = [
    (STATE, "digest", state(lambda facts, _: facts.pop("digest") and None)),
    (STATE, "progress", state(lambda *_: "[]")),
    (STATE, "no saved state", state(lambda *_: "{")),
    (STATE, "no saved state", state(lambda *_: "[" * 100_000)),
    (STATE, "progress", fact("progress", [])),
    (STATE, "progress", fact("progress", {"decisions": "x", "seconds": 1})),
    (STATE, "progress", fact("progress", {"decisions": 128, "seconds": 1, "results": 3})),
    (STATE, "updates", fact("updates", "x")),
    (STATE, "steps", fact("steps", -1)),
    (STATE, "next_number", fact("next_number", True)),
    (STATE, "snapshots", fact("snapshots", ["a"])),
    (STATE, "snapshots", fact("snapshots", [1])),  # the number of a bot
    (STATE, "instead of no 'snapshot.", fact("snapshots", [])),
    (STATE, "record", fact("record", [[1]])),
    (STATE, "luck", fact("luck", [])),
    (STATE, "luck", fact("luck", [{}] * 3)),
    (STATE, "no 'ema.value.bias'", state(lambda _, tensors: tensors.pop("ema.value.bias").numel() and None)),
    (STATE, "no 'adam.0.exp_avg'", state(lambda _, tensors: tensors.pop("adam.0.exp_avg").numel() and None)),
    (STATE, "no 'rollout.1.states'", state(lambda _, tensors: tensors.pop("rollout.1.states").numel() and None)),
    (STATE, "instead of no 'more'", state(lambda _, tensors: tensors.update(more=torch.zeros(1)))),
    (STATE, "'adam.0.exp_avg' torch.float32 [1]", tensor("adam.0.exp_avg", lambda _: torch.zeros(1))),
    (STATE, "'rollout.1.luck' torch.int64 [3, 1]", tensor("rollout.1.luck", lambda old: old[:3].clone())),
    (STATE, "'network.value.bias' torch.float64", tensor("network.value.bias", lambda old: old.double())),
    (STATE, "no opponent 99", tensor("rollout.0.controller", lambda old: torch.full_like(old, 99))),
    (STATE, "no saved state", written(STATE, b"\0\0\0")),
    (STATE, "cannot be read", a_folder(STATE)),
    (METRICS, "line 1", written(METRICS, b"3\n" + ROW)),
    (METRICS, "line 2", written(METRICS, ROW + b"[]\n")),
    (METRICS, "line 1", written(METRICS, b'{"entropy": 1}\n')),
    (METRICS, "line 1", written(METRICS, b'{"decisions": "128"}\n')),
    (METRICS, "line 1", written(METRICS, b'{"decisions": 128, "win_share/random": "half"}\n')),
    (METRICS, "line 1", written(METRICS, b'{"decis\n' + ROW)),
    (METRICS, "line 1", written(METRICS, b"\xff\xfe\n" + ROW)),
    (RUN, "0xff", written(RUN, b"\xff")),
    (RUN, "no mapping", written(RUN, b"[]")),
    (RUN, "Expecting", written(RUN, b"{")),
    (RUN, "recursion", written(RUN, b"[" * 100_000)),
    (RUN, "unknown key colour", written(RUN, b'{"colour": 1}')),
    (RUN, "network.hidden", written(RUN, b'{"network": {"hidden": [[]]}}')),
]


def content(folder: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize(("file", "what", "damage"), DAMAGES)
def test_damage_is_named_in_one_line_and_nothing_is_changed(
    folder: Path,
    capsys: pytest.CaptureFixture[str],
    file: str,
    what: str,
    damage: Callable[[Path], None],
) -> None:
    damage(folder)
    before = content(folder)
    line = complaint(script("train"), ["--resume", str(folder), "--decisions", "512"], capsys)
    assert line.startswith(f"train.py: {folder / file}")
    assert what in line
    assert content(folder) == before


def test_a_line_of_metrics_that_was_cut_by_a_kill_is_no_damage(folder: Path) -> None:
    file = folder / METRICS
    rows = file.read_bytes().splitlines()
    file.write_bytes(rows[0] + b"\n" + rows[1][:20])
    Run(CONFIG, folder, resume=True).train()
    assert file.read_bytes() == rows[0] + b"\n"
