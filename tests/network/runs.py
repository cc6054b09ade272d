"""The run that two hosts train together, how it is launched, and how two runs are compared."""

import json
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import load_file

from tests.support.hosts import ADDRESSES

CONFIG = """
decisions = {decisions}
workers = 2
evaluate_against = ["random"]
evaluate_games = 20
evaluate_every = 5.0
save_every = 0.0
[network]
hidden = [64]
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
TRAIN = ["-m", "spygames_app", "train"]
PORT = "29417"


def write_config(folder: Path, decisions: int) -> Path:
    """The config of a run of that length, as a file."""
    file = folder / "config.toml"
    file.write_text(CONFIG.format(decisions=decisions))
    return file


def train_alone(config: Path, folder: Path) -> None:
    """The run that nothing disturbs: one process with all workers."""
    command = [sys.executable, *TRAIN, "--config", str(config), "--out", str(folder)]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


def by_torchrun(name: str, config: Path, folder: Path, nodes: str = "1:2", restarts: int = 100) -> list[str]:
    """The command that a host of that name is given, the rendezvous being on host a."""
    options = {
        "nnodes": nodes,
        "nproc-per-node": "1",
        "max-restarts": str(restarts),
        "rdzv-backend": "c10d",
        "rdzv-id": "run",
        "rdzv-endpoint": f"{ADDRESSES['a']}:{PORT}",
        "rdzv-conf": f"is_host={name == 'a'},last_call_timeout=3,join_timeout=300",
        "local-addr": ADDRESSES[name],
    }
    launcher = [word for key, value in options.items() for word in (f"--{key}", value)]
    return [sys.executable, "-m", "torch.distributed.run", *launcher, *TRAIN, *going_on(config, folder)]


def by_variables(config: Path, folder: Path) -> list[str]:
    """The command for hosts whose variables (`variables`) say who they are."""
    return [sys.executable, *TRAIN, *going_on(config, folder)]


def variables(name: str) -> dict[str, str]:
    """What a launcher that is no torchrun tells the process of a host."""
    return {
        "RANK": str(sorted(ADDRESSES).index(name)),
        "WORLD_SIZE": str(len(ADDRESSES)),
        "MASTER_ADDR": ADDRESSES["a"],
        "MASTER_PORT": PORT,
    }


def going_on(config: Path, folder: Path) -> list[str]:
    """The options of a command that begins the run or goes on with it."""
    return ["--config", str(config), "--out", str(folder), "--resume", "auto"]


def updates(folder: Path) -> int:
    """How many updates the run in `folder` has made."""
    file = folder / "metrics.jsonl"
    return file.read_bytes().count(b"\n") if file.exists() else 0


def wait(until: Callable[[], Any], seconds: float = 240, *alive: subprocess.Popen[bytes]) -> None:
    """Waits until something holds; AssertionError if it does not come, or one of the processes ends before."""
    deadline = time.monotonic() + seconds
    while not until():
        assert time.monotonic() < deadline, f"waited {seconds} s in vain"
        assert all(process.poll() is None for process in alive), "a process has ended early"
        time.sleep(0.05)


def difference(folder: Path, other: Path) -> str:
    """In what two finished runs differ: their states (weights, optimiser, games), their agents, or the losses of an
    update; "" if in nothing."""
    for name in ("state.safetensors", "checkpoint/model.safetensors"):
        ours, theirs = load_file(folder / name), load_file(other / name)
        if ours.keys() != theirs.keys():
            return f"the tensors of {name}"
        for key, tensor in ours.items():
            if tensor.dtype != theirs[key].dtype or not torch.equal(tensor, theirs[key]):
                return f"{key} of {name}"
    rows, others = _losses(folder), _losses(other)
    if len(rows) != len(others):
        return f"{len(rows)} updates instead of {len(others)}"
    return next((f"update {k + 1}" for k, pair in enumerate(zip(rows, others, strict=True)) if pair[0] != pair[1]), "")


def _losses(folder: Path) -> list[dict[str, float]]:
    """What each update found, without what the clock decides: speeds, and when evaluations are made."""
    rows = map(json.loads, (folder / "metrics.jsonl").read_text().splitlines())
    timed = ("seconds", "decisions_per_second", "win_share/")
    return [{k: v for k, v in row.items() if not k.startswith(timed)} for row in rows]
