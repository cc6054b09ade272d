"""Damaged run folders: one line names the file, the exit code is 2, and nothing in the folder changes."""

import json
import math
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors import safe_open
from safetensors.torch import save_file

from spygames_training.config import PPO, Config, Network, Opponents
from spygames_training.experiments.ablations import kept_results
from spygames_training.runs.report import read_summary
from spygames_training.runs.run import Run
from spygames_training.runs.state_file import checksum
from tests.cli.command import complaint

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
    Run.create(CONFIG, folder).train()
    return folder


@pytest.fixture
def folder(finished: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(finished, tmp_path / "run"))


def state(change: Callable[[Facts, Tensors], object], signed: bool = True) -> Callable[[Path], None]:
    """Return a function that rewrites the state after `change`, whose result replaces the facts if it is a string.

    With `signed`, the digest is made correct, as by an attacker who knows its definition. Otherwise it stays as
    `change` leaves it.
    """

    def damage(folder: Path) -> None:
        file = folder / "state.safetensors"
        with safe_open(file, "pt") as opened:
            facts = json.loads(opened.metadata()["facts"])
            tensors = {name: opened.get_tensor(name) for name in opened.keys()}  # noqa: SIM118
        text = change(facts, tensors)
        if signed:
            facts["sha256"] = checksum(facts, tensors)
        save_file(tensors, file, {"facts": text if isinstance(text, str) else json.dumps(facts)})

    return damage


def fact(name: str, value: Any) -> Callable[[Path], None]:
    return state(lambda facts, _: facts.update({name: value}))


def tensor(name: str, change: Callable[[torch.Tensor], torch.Tensor]) -> Callable[[Path], None]:
    return state(lambda _, tensors: tensors.update({name: change(tensors[name])}))


def filled(name: str, value: float) -> Callable[[Path], None]:
    return tensor(name, lambda old: torch.full_like(old, value))


def flipped(name: str, part: float) -> Callable[[Path], None]:
    """Flip one bit at the fraction `part` of a file."""

    def damage(folder: Path) -> None:
        data = bytearray((folder / name).read_bytes())
        data[int(part * len(data))] ^= 1
        (folder / name).write_bytes(data)

    return damage


def changed(name: str, old: str, new: str) -> Callable[[Path], None]:
    """Replace a text in a file."""

    def damage(folder: Path) -> None:
        text = (folder / name).read_text()
        assert old in text
        (folder / name).write_text(text.replace(old, new, 1))

    return damage


def replaced(name: str, make: Callable[[Path], object]) -> Callable[[Path], None]:
    """Put something else in the place of a file or folder, or where the run will write one."""

    def damage(folder: Path) -> None:
        place = folder / name
        if place.is_dir():
            shutil.rmtree(place)
        place.unlink(missing_ok=True)
        make(place)

    return damage


def written(name: str, content: bytes) -> Callable[[Path], None]:
    def damage(folder: Path) -> None:
        (folder / name).write_bytes(content)

    return damage


def endless(place: Path) -> None:
    place.symlink_to("/dev/zero")


def progress(**values: Any) -> Callable[[Path], None]:
    return state(lambda facts, _: facts["progress"].update(values))


HUGE = 10**400
ROW = b'{"decisions": 128}\n'
STATE, METRICS, RUN = "state.safetensors", "metrics.jsonl", "run.json"
DAMAGES: list[tuple[str, str, Callable[[Path], None]]] = [
    (STATE, "digest", state(lambda facts, _: facts.pop("digest") and None)),
    (STATE, "must be a JSON object", state(lambda *_: "[]")),
    (STATE, "not a saved state", state(lambda *_: "{")),
    (STATE, "not a saved state", state(lambda *_: "[" * 100_000)),
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
    (STATE, "opponent 99, which does not exist", tensor("rollout.0.controller", lambda old: torch.full_like(old, 99))),
    (STATE, "not a saved state", written(STATE, b"\0\0\0")),
    (
        STATE,
        "differs from what was saved",
        state(lambda facts, _: facts["progress"].update(decisions=128), signed=False),
    ),
    (
        STATE,
        "differs from what was saved",
        state(lambda _, tensors: tensors["ema.value.bias"].add_(1) and None, signed=False),
    ),
    (STATE, "differs from what was saved", state(lambda facts, _: facts.pop("sha256") and None, signed=False)),
    *[(STATE, "saved", flipped(STATE, part)) for part in (0.5, 0.7, 0.9, 0.999)],
    (STATE, "Infinity is not a number", progress(seconds=math.inf)),
    (STATE, "NaN is not a number", progress(seconds=math.nan)),
    (STATE, "is too large", progress(seconds=HUGE)),
    (STATE, "is too large", progress(decisions=HUGE)),
    (STATE, "nested deeper", progress(began_with=json.loads("[" * 99 + "]" * 99))),
    (STATE, "its config", state(lambda facts, _: facts.pop("config") and None)),
    (METRICS, "digest in the saved state is damaged", state(lambda facts, _: facts.update(metrics=3))),
    (METRICS, "digest in the saved state is damaged", state(lambda facts, _: facts.update(metrics=[-1, ""]))),
    (STATE, "progress", progress(decisions=-5)),
    (STATE, "NaN is not a number", progress(results={"win_share/random": math.nan})),
    (STATE, "next_number", fact("next_number", 2**64)),
    (STATE, "is too large", fact("record", [[1, 0, HUGE]])),
    (STATE, "record", fact("record", [[1, 0, -2]])),
    (STATE, "record", fact("record", [[1, 2, 1]])),
    (STATE, "row 0 of states must be", filled("rollout.0.states", 0x7F)),
    (STATE, "row 0 of states must be", filled("rollout.1.states", 255)),
    (STATE, "no learning seat", filled("rollout.0.controller", 1)),
    (STATE, "network.value.bias must be finite", filled("network.value.bias", math.nan)),
    (STATE, "ema.value.bias must be finite", filled("ema.value.bias", math.inf)),
    (STATE, "adam.0.exp_avg must be finite", filled("adam.0.exp_avg", math.nan)),
    (STATE, "adam.0.exp_avg_sq must not be negative", filled("adam.0.exp_avg_sq", -1)),
    (STATE, "adam.0.step must not be negative", filled("adam.0.step", -1)),
    (STATE, "is not a file", replaced(STATE, Path.mkdir)),
    (STATE, "is not a file", replaced(STATE, os.mkfifo)),
    (STATE, "is not a file", replaced(STATE, endless)),
    (METRICS, "line 1", written(METRICS, b"3\n" + ROW)),
    (METRICS, "line 2", written(METRICS, ROW + b"[]\n")),
    (METRICS, "line 1", written(METRICS, b'{"entropy": 1}\n')),
    (METRICS, "line 1", written(METRICS, b'{"decisions": "128"}\n')),
    (METRICS, "line 1", written(METRICS, b'{"decisions": 128, "win_share/random": "half"}\n')),
    (METRICS, "line 1", written(METRICS, b'{"decis\n' + ROW)),
    (METRICS, "line 1", written(METRICS, b"\xff\xfe\n" + ROW)),
    (METRICS, "differs from what was saved", changed(METRICS, '"entropy": 0', '"entropy": 1')),
    (METRICS, "differs from what was saved", written(METRICS, b"")),
    (METRICS, "differs from what was saved", written(METRICS, ROW)),
    (METRICS, "line 1", written(METRICS, b'{"decisions": 128, "entropy": NaN}\n')),
    (METRICS, "line 1", written(METRICS, b'{"decisions": 128, "entropy": 1%s}\n' % (b"0" * 400))),
    (METRICS, "line 1", written(METRICS, b'{"decisions": 128, "entropy": 1e300}\n')),
    (METRICS, "line 1", written(METRICS, b'{"decisions": -128}\n')),
    (METRICS, "is not a file", replaced(METRICS, Path.mkdir)),
    (METRICS, "is not a file", replaced(METRICS, os.mkfifo)),
    (RUN, "ppo.clip", changed(RUN, '"clip": 0.2', '"clip": 0.3')),
    (RUN, "is too large", changed(RUN, '"decisions": 256', '"decisions": 1' + "0" * 400)),
    (RUN, "0xff", written(RUN, b"\xff")),
    (RUN, "must hold a JSON object", written(RUN, b"[]")),
    (RUN, "Expecting", written(RUN, b"{")),
    (RUN, "nested deeper", written(RUN, b"[" * 100_000)),
    (RUN, "unknown key colour", written(RUN, b'{"colour": 1}')),
    (RUN, "network.hidden", written(RUN, b'{"network": {"hidden": [[]]}}')),
    *[
        (name, "of that name: move it away", replaced(name, make))
        for name, make in (
            ("summary.json", Path.mkdir),
            ("curves.png", Path.mkdir),
            (".lock", Path.mkdir),
            ("tensorboard", Path.touch),
        )
    ],
    ("checkpoint", "other files", replaced("checkpoint", Path.touch)),
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
    line = complaint(["train", "--resume", str(folder), "--allow-code", "--decisions", "512"], capsys)
    assert line.startswith(f"spygames train: {folder / file}")
    assert what in line
    assert content(folder) == before


@pytest.mark.parametrize("make", [os.mkfifo, endless])
def test_a_config_that_is_a_pipe_or_a_device_is_refused_without_reading(
    folder: Path, capsys: pytest.CaptureFixture[str], make: Callable[[Path], None]
) -> None:
    replaced(RUN, make)(folder)
    line = complaint(["train", "--resume", str(folder), "--allow-code"], capsys)
    assert line.endswith("it is not a regular file")


def test_a_line_of_metrics_cut_by_a_kill_is_no_damage(folder: Path) -> None:
    file = folder / METRICS
    whole = file.read_bytes()
    file.write_bytes(whole + whole[:20])
    Run.resume(folder, CONFIG).train()
    assert file.read_bytes() == whole


def test_crlf_line_ends_of_metrics_are_no_damage(folder: Path) -> None:
    file = folder / METRICS
    whole = file.read_bytes()
    file.write_bytes(whole.replace(b"\n", b"\r\n"))
    Run.resume(folder, CONFIG).train()
    assert file.read_bytes() == whole


def test_settings_that_may_change_can_be_edited_in_the_file(folder: Path) -> None:
    changed(RUN, '"evaluate_games": 400', '"evaluate_games": 40')(folder)
    assert Run.resume(folder).config.evaluate_games == 40


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("", "Expecting value"),
        ("[" * 100_000, "nested deeper"),
        ("[]", "it must have decisions, seconds and win shares"),
        ('{"decisions": 1, "seconds": true, "start": {}, "half": {}, "end": {}}', "it must have decisions"),
        ('{"decisions": 1, "seconds": 1, "start": {"a": "b"}, "half": {}, "end": {}}', "it must have decisions"),
        ('{"decisions": 1, "seconds": 1e400, "start": {}, "half": {}, "end": {}}', "is too large"),
    ],
)
def test_a_damaged_summary_gives_one_line(tmp_path: Path, text: str, what: str) -> None:
    (tmp_path / "summary.json").write_text(text)
    with pytest.raises(ValueError, match=f"summary.json is damaged: .*{what}"):
        read_summary(tmp_path)


@pytest.mark.parametrize(
    "found", ["3", "{}", '{"a": {}}', '{"a": {"win_share": true}}', '{"a": {"win_share": NaN}}', "[" * 9999]
)
def test_unreadable_cached_results_are_ignored(tmp_path: Path, found: str) -> None:
    asked, file = {"against": {"a": []}}, tmp_path / "judged.json"
    good = {"a": {"win_share": 0.5, "interval": [0, 1], "fair_share": 0.5}}
    file.write_text(json.dumps({"asked": asked, "found": good}))
    assert kept_results(file, asked) == good
    file.write_text(f'{{"asked": {json.dumps(asked)}, "found": {found}}}')
    assert kept_results(file, asked) is None
