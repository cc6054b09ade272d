"""`--jobs`: several processes give the same results, and Ctrl-C loses nothing."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.cli.command import run
from tests.cli.test_ladder import compared

CONFIG = """
name = "tiny"
decisions = {decisions}
workers = 1
evaluate_against = ["random"]
evaluate_games = 20
save_every = 1e9
[network]
hidden = [8]
[ppo]
games = 16
steps = 16
minibatch = 128
"""


def stopped(argv: list[object], begun: Path) -> tuple[int, list[str]]:
    """Return exit code and stderr of `spygames ARGV`, interrupted by Ctrl-C once the file `begun` has content."""
    process = subprocess.Popen(
        [sys.executable, "-m", "spygames_app", *map(str, argv)],
        start_new_session=True,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
    )
    while not begun.exists() or not begun.stat().st_size:
        assert process.poll() is None, process.communicate()
        time.sleep(0.02)
    os.killpg(process.pid, signal.SIGINT)
    _, errors = process.communicate(timeout=240)
    return process.returncode, [line for line in errors.splitlines() if line]


@pytest.mark.slow
def test_two_processes_play_the_same_ladder(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    argv = ["--players", "random", "greedy", "expert", "--blocks", 2]
    serial, file = tmp_path / "serial.jsonl", tmp_path / "x.jsonl"
    assert run("ladder", serial, *argv) == 0
    assert run("ladder", file, *argv, "--jobs", 2) == 0
    assert compared(file) == compared(serial)
    shown = [path.with_suffix(".svg").read_bytes() for path in (file, serial)]
    assert shown[0] == shown[1]


@pytest.mark.slow
def test_two_processes_rerun_lines(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "x.jsonl"
    assert run("ladder", file, "--players", "random", "greedy", "--blocks", 2) == 0
    capsys.readouterr()
    assert run("ladder", file, "--rerun", 2, 1, "--jobs", 2) == 0
    assert capsys.readouterr().out == "line 2: the same, byte for byte\nline 1: the same, byte for byte\n"


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
def test_ctrl_c_leaves_whole_lines_and_the_ladder_resumes(tmp_path: Path) -> None:
    file, names = tmp_path / "x.jsonl", ["random", "greedy", "expert"]
    code, errors = stopped(["ladder", file, "--players", *names, "--blocks", 500, "--jobs", 2], file)
    assert (code, errors) == (130, ["spygames ladder: interrupted"])
    lines = compared(file)
    assert file.read_bytes().endswith(b"}\n")
    assert run("ladder", file, "--players", *names, "--blocks", 1, "--jobs", 2) == 0
    assert compared(file)[: len(lines)] == lines


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
def test_ctrl_c_saves_runs_and_the_same_command_resumes(tmp_path: Path) -> None:
    config, out, whole = tmp_path / "tiny.toml", tmp_path / "out", tmp_path / "whole"
    config.write_text(CONFIG.format(decisions=400_000))
    argv = ["train", "--config", config, "--seeds", 2, "--jobs", 2, "--out"]
    code, errors = stopped([*argv, out], out / "seed_1" / "metrics.jsonl")
    assert (code, errors) == (130, ["spygames train: stopped; the same command resumes"])
    states = [out / f"seed_{seed}" / "state.safetensors" for seed in (0, 1)]
    assert any(state.exists() for state in states)
    assert not any(state.with_name("summary.json").exists() for state in states)
    assert [path.name for path in out.iterdir() if path.name.startswith(".")] == []
    assert run(*argv, out) == 0
    assert run("train", "--config", config, "--seeds", 2, "--out", whole) == 0
    for seed in ("seed_0", "seed_1"):
        weights = [(folder / seed / "checkpoint" / "model.safetensors").read_bytes() for folder in (out, whole)]
        assert weights[0] == weights[1]
