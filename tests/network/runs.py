"""The run that two hosts train together, how to launch it, and how to compare two runs."""

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
    """Write the config of a run with this number of decisions."""
    file = folder / "config.toml"
    file.write_text(CONFIG.format(decisions=decisions))
    return file


def train_alone(config: Path, folder: Path) -> None:
    """Train the undisturbed run: one process with all workers."""
    command = [sys.executable, *TRAIN, "--config", str(config), "--out", str(folder)]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


def by_torchrun(name: str, config: Path, folder: Path, nodes: str = "1:2", restarts: int = 100) -> list[str]:
    """Return the command for the host with this name; the rendezvous is on host a."""
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
    return [sys.executable, "-m", "torch.distributed.run", *launcher, *TRAIN, *run_options(config, folder)]


def by_variables(config: Path, folder: Path) -> list[str]:
    """Return the command for hosts that get their rank from the environment (see `variables`)."""
    return [sys.executable, *TRAIN, *run_options(config, folder)]


def variables(name: str) -> dict[str, str]:
    """Return the environment variables that a launcher other than torchrun sets for a host's process."""
    return {
        "RANK": str(sorted(ADDRESSES).index(name)),
        "WORLD_SIZE": str(len(ADDRESSES)),
        "MASTER_ADDR": ADDRESSES["a"],
        "MASTER_PORT": PORT,
    }


def run_options(config: Path, folder: Path) -> list[str]:
    """Return the options of a command that begins or resumes the run."""
    return ["--config", str(config), "--out", str(folder), "--resume", "auto"]


def updates(folder: Path) -> int:
    """Return the number of updates in the run at `folder`."""
    file = folder / "metrics.jsonl"
    return file.read_bytes().count(b"\n") if file.exists() else 0


def wait(until: Callable[[], Any], seconds: float = 240, *alive: subprocess.Popen[bytes]) -> None:
    """Wait until a condition holds. Raises AssertionError after `seconds`, or if one of the processes ends before."""
    deadline = time.monotonic() + seconds
    while not until():
        assert time.monotonic() < deadline, f"waited {seconds} s in vain"
        assert all(process.poll() is None for process in alive), "a process has ended early"
        time.sleep(0.05)


def difference(folder: Path, other: Path) -> str:
    """Return the first difference between two finished runs; "" if they are equal.

    Compares their states (weights, optimizer, games), their agents, and the losses of each update.
    """
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
    """Return each update's metrics without those that depend on the clock: speeds and the times of evaluations."""
    rows = map(json.loads, (folder / "metrics.jsonl").read_text().splitlines())
    timed = ("seconds", "decisions_per_second", "win_share/")
    return [{k: v for k, v in row.items() if not k.startswith(timed)} for row in rows]
