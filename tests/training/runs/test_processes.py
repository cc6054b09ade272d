"""Several processes train the same weights as one process."""

import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import torch
import torch.distributed as dist
from safetensors.torch import load_file

from spygames import make_game
from spygames_training.config import PPO, Config, Network
from spygames_training.parallel.processes import ALONE, Processes, join
from spygames_training.runs.agreement import check_same_setup, check_workers
from spygames_training.runs.run import Run

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
@pytest.mark.parametrize("workers", [2, 4])
def test_two_processes_train_the_same_weights_as_one_even_after_a_stop(workers: int, tmp_path: Path) -> None:
    """Two processes with half of the workers each, stopped in between, end with the weights of one process with all."""
    config = tmp_path / "config.toml"
    config.write_text(f"workers = {workers}\n{CONFIG}")
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
    process.send_signal(signal.SIGTERM)  # torchrun forwards the signal; the processes save and stop together
    output = process.communicate(timeout=120)[0]
    assert "stopped and saved" in output
    assert output.count("stopped and saved") == 1
    done = subprocess.run([*TORCHRUN, "scripts/train.py", "--resume", str(two)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    one, other = (load_file(tmp_path / name / "checkpoint" / "model.safetensors") for name in ("one", "two"))
    assert all(torch.equal(other[name], weights) for name, weights in one.items())


@pytest.mark.parametrize(
    ("workers", "games", "count", "message"),
    [
        (3, 3, 2, "workers must be a multiple of the 2 processes, not 3: start 1 or 3 processes, or "),
        (4, 1024, 2, ""),
        (4, 12, 3, "start 1, 2 or 4 processes, or set workers to 3, 6 or 12"),
        (4, 1024, 3, "start 1, 2 or 4 processes, or set ppo.games to a multiple of 3, too"),
    ],
)
def test_workers_are_distributed_evenly(workers: int, games: int, count: int, message: str) -> None:
    config = Config(workers=workers, ppo=PPO(games=games, minibatch=1 << 50))  # more than can be counted through
    with pytest.raises(ValueError, match=message) if message else nullcontext():
        check_workers(config, count)


@dataclass(frozen=True)
class Spy(Processes):
    """A single process that records the sums of the gradients."""

    sums: list[torch.Tensor] = field(default_factory=list)

    def add(self, tensors: Sequence[torch.Tensor]) -> None:
        self.sums.extend(tensor.clone() for tensor in tensors)


def test_one_process_adds_gradients_in_the_order_of_two(tmp_path: Path) -> None:
    """In float32, 1e8 + 1 is 1e8: (1 + 1e8) + (-1e8 + 1) is 0, while adding one after another gives 1."""
    run = Run.create(Config(workers=4, network=Network((4,)), ppo=PPO(games=4)), tmp_path)
    learner, spy = run.learner, Spy()
    for parameters, gradient in zip(learner.parameters, (1.0, 1e8, -1e8, 1.0), strict=True):
        for parameter in parameters:
            parameter.grad = torch.full_like(parameter, gradient)
    learner.processes = spy
    learner._step()
    run.close()
    assert spy.sums
    assert all(not s.any() for s in spy.sums)


@pytest.mark.slow
def test_two_processes_communicate_and_detect_that_one_failed_or_died(tmp_path: Path) -> None:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    given = {"WORLD_SIZE": "2", "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port), "GLOO_SOCKET_IFNAME": "lo"}
    command = [sys.executable, "-m", "tests.support.pair", str(tmp_path)]
    pair = [subprocess.Popen(command, env={**os.environ, **given, "RANK": rank}) for rank in "01"]
    try:
        assert [process.wait(240) for process in pair] == [0, -signal.SIGKILL]
    finally:
        for process in pair:
            process.kill()
    first, second = (json.loads((tmp_path / f"{rank}.json").read_text()) for rank in (0, 1))
    told = {
        "count": 2,
        "equal": [[[0, 10.5]], [[1, 10.5]]],
        "flags": [[False, True], [True, True]],
        "rows": [[], [[0, 1]]],
        "no rows": [[], []],
        "sums": [[[3, 3], [3, 3]], [0, 2, 4]],
        "copied": [0, 0, 0],
        "from first": "read by 0",
        "nothing": "",
        "new order": [1, 0],
        "from the new first": "read by 1",
    }
    assert first == {
        **told,
        "new rank": 1,
        "same claims": 0,
        "left together": True,
        "failure": "OSError: the disk is full",
        "lost in its own time": first["lost in its own time"],
        "lost": first["lost"],
    }
    assert second == {**told, "new rank": 0, "same claims": 1}
    for name in ("lost in its own time", "lost"):
        assert first[name].startswith("process 0 of 2 has lost another process, which has ended or is cut off: ")
        assert "\n" not in first[name]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"RANK": "1"}, "RANK set, but not WORLD_SIZE and MASTER_ADDR: "),
        ({"RANK": "1", "MASTER_ADDR": "here"}, "RANK and MASTER_ADDR set, but not WORLD_SIZE: "),
        ({"RANK": "x", "WORLD_SIZE": "2", "MASTER_ADDR": "here"}, "from 0 to WORLD_SIZE - 1, not x of 2"),
        ({"RANK": "2", "WORLD_SIZE": "2", "MASTER_ADDR": "here"}, "from 0 to WORLD_SIZE - 1, not 2 of 2"),
        (
            {"RANK": "1", "WORLD_SIZE": "2", "MASTER_ADDR": "here", "LOCAL_RANK": "x"},
            "LOCAL_RANK must be an integer from 0, not x",
        ),
    ],
)
def test_an_incomplete_launch_is_refused(
    given: dict[str, str], message: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for name, value in given.items():
        monkeypatch.setenv(name, value)
    with pytest.raises(ValueError, match=re.escape(message)):
        join()


def test_a_process_without_a_launch_or_in_a_world_of_one_is_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    assert join() is ALONE
    for name, value in {"RANK": "0", "WORLD_SIZE": "1", "MASTER_ADDR": "here"}.items():
        monkeypatch.setenv(name, value)
    assert join() == ALONE
    assert not dist.is_initialized()


@pytest.mark.parametrize("by", ["variables", "process group"])
def test_a_process_selects_its_gpu_before_joining_the_group(by: str, monkeypatch: pytest.MonkeyPatch) -> None:
    done: list[object] = []
    groups = by == "process group"
    monkeypatch.setenv("LOCAL_RANK", "3")
    if not groups:
        for name, value in {"RANK": "7", "WORLD_SIZE": "8", "MASTER_ADDR": "here"}.items():
            monkeypatch.setenv(name, value)
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 2)
    monkeypatch.setattr(torch.cuda, "set_device", lambda number: done.append(number))
    monkeypatch.setattr(dist, "is_initialized", lambda: groups)
    store = SimpleNamespace(set_timeout=lambda timeout: None)
    monkeypatch.setattr("spygames_training.parallel.processes.rendezvous", lambda *_, **__: iter([(store, 7, 8)]))
    monkeypatch.setattr(dist, "init_process_group", lambda backend, **_: done.append(backend))
    monkeypatch.setattr(dist, "new_group", lambda timeout, backend: done.append(backend))
    monkeypatch.setattr(dist, "get_rank", lambda: 7)
    monkeypatch.setattr(dist, "get_world_size", lambda: 8)
    assert join() == Processes(7, 8, 3)
    assert done == [1, *(() if groups else ("cpu:gloo,cuda:nccl",)), "cpu:gloo,cuda:nccl", "gloo"]
    done.clear()
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    assert join() == Processes(7, 8, 3)
    assert done == ["gloo"] * (2 if groups else 3)


@dataclass(frozen=True)
class Others(Processes):
    """The first of three processes, which receives a differing setup from the third one."""

    part: int = 0

    def gather(self, own: np.ndarray) -> list[np.ndarray]:
        other = own.copy()
        other[self.part] ^= 1
        return [own, own.copy(), other]


@pytest.mark.parametrize(
    ("part", "name"), list(enumerate(["settings", "code of the game", "version of spygames, torch or numpy"]))
)
def test_processes_with_different_setups_are_refused(part: int, name: str) -> None:
    with pytest.raises(ValueError, match=f"process 2 of 3 .*another {name} than process 0"):
        check_same_setup(Others(0, 3, part=part), {"seed": 1}, make_game("agent_avenue_v0"))
    check_same_setup(ALONE, {"seed": 1}, make_game("agent_avenue_v0"))
