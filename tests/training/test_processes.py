"""Several processes train what one process would."""

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import torch
import torch.distributed as dist
from safetensors.torch import load_file

from spygames_training.config import Config
from spygames_training.processes import Processes, join
from spygames_training.run import Run

CONFIG = """
decisions = 20_000
evaluate_against = ["random"]
evaluate_games = 20
evaluate_every = 0.2
save_every = 0.0
[network]
hidden = [128]  # large enough for a matrix decomposition to take several threads
[ppo]
games = 32
steps = 8
minibatch = 64
reference_every = 3
[opponents]
share = 0.5
bots = ["random", "greedy"]
snapshots = 2
snapshot_every = 5
draw = "hard"
"""
TORCHRUN = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2"]


@pytest.mark.slow
def test_two_processes_train_what_one_would_also_after_a_kill(tmp_path: Path) -> None:
    """Two processes with a worker each, both killed in between, end with the weights of one process with two."""
    config = tmp_path / "config.toml"
    config.write_text(CONFIG)
    start = ["scripts/train.py", "--config", str(config), "--out"]
    subprocess.run([sys.executable, *start, str(tmp_path / "one")], check=True, stdout=subprocess.DEVNULL)
    two = tmp_path / "two"
    process = subprocess.Popen(
        [*TORCHRUN, *start, str(two)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    deadline = time.monotonic() + 300
    while not (two / "metrics.jsonl").exists() or (two / "metrics.jsonl").read_text().count("\n") < 5:
        assert process.poll() is None, process.communicate()[0]
        assert time.monotonic() < deadline
        time.sleep(0.05)
    process.send_signal(signal.SIGTERM)  # torchrun hands it on; the processes save and stop together
    output = process.communicate(timeout=120)[0]
    assert "stopped and saved" in output
    assert output.count("stopped and saved") == 1
    done = subprocess.run([*TORCHRUN, "scripts/train.py", "--resume", str(two)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    one, other = (load_file(tmp_path / name / "checkpoint" / "model.safetensors") for name in ("one", "two"))
    assert all(torch.equal(other[name], weights) for name, weights in one.items())


def test_workers_are_shared_out_evenly(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="workers must be a multiple of the 2 processes, not 3"):
        Run.create(Config(workers=3, ppo=Config().ppo.__class__(games=3)), tmp_path, processes=Processes(0, 2))


def test_a_process_takes_its_gpu_before_it_meets_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    done: list[object] = []
    monkeypatch.setenv("LOCAL_RANK", "3")
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 2)
    monkeypatch.setattr(torch.cuda, "set_device", lambda number: done.append(number))
    monkeypatch.setattr(dist, "is_torchelastic_launched", lambda: True)
    monkeypatch.setattr(dist, "is_initialized", lambda: False)
    monkeypatch.setattr(dist, "init_process_group", lambda backend, timeout: done.append(backend))
    monkeypatch.setattr(dist, "get_rank", lambda: 7)
    monkeypatch.setattr(dist, "get_world_size", lambda: 8)
    assert join() == Processes(7, 8, 3)
    assert done == [1, "cpu:gloo,cuda:nccl"]
    done.clear()
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    assert join() == Processes(7, 8, 3)
    assert done == ["gloo"]
