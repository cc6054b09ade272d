"""Ray Train starts a run's processes and restarts a killed one; the run ends with the bytes of an undisturbed run."""

import os
import signal
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Any, cast

import pytest

pytest.importorskip("ray.train", reason="Ray Train is not installed")

from spygames_training.bridges.ray_train import train_on_ray
from spygames_training.config import read_config
from tests.network.runs import difference, train_alone, updates, write_config

UPDATES = 150


@pytest.fixture(scope="module", autouse=True)
def cluster() -> Iterator[None]:
    ray = import_module("ray")
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
    yield
    ray.shutdown()


def descendants(pid: int) -> list[int]:
    """Return the direct and indirect child processes of this process."""
    children: dict[int, list[int]] = {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            parent = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
        except OSError:  # the process has ended
            continue
        children.setdefault(parent, []).append(int(folder.name))
    found = [pid]
    for each in found:
        found += children.get(each, [])
    return found[1:]


def trainers() -> list[int]:
    """Return the IDs of Ray's training processes, the most recently started one last."""
    found = []
    for pid in descendants(os.getpid()):
        try:
            if b"RayTrainWorker" in Path(f"/proc/{pid}/cmdline").read_bytes():
                found.append(pid)
        except OSError:
            continue
    return sorted(found)


def test_a_killed_process_is_started_again_and_the_run_ends_the_same(tmp_path: Path) -> None:
    config = write_config(tmp_path, UPDATES * 32 * 8)
    train_alone(config, tmp_path / "alone")
    killed: list[int] = []

    def kill() -> None:
        while updates(tmp_path / "two") < 10:
            time.sleep(0.05)
        killed.extend(trainers())
        os.kill(killed[-1], signal.SIGKILL)

    killer = threading.Thread(target=kill, daemon=True)
    killer.start()
    train_on_ray(read_config(config), tmp_path / "two", (1, 2))
    assert len(killed) == 2
    assert difference(tmp_path / "two", tmp_path / "alone") == ""


def test_wrong_settings_give_one_error(tmp_path: Path) -> None:
    config = read_config(write_config(tmp_path, 512))
    with pytest.raises(ValueError, match=r"workers .*multiple of the 3 processes, not 2"):
        train_on_ray(config, tmp_path / "run", (2, 3))
    for wrong in (0, 1.5, (2, 1)):
        with pytest.raises(ValueError, match="processes must be an integer >= "):
            train_on_ray(config, tmp_path / "run", cast(Any, wrong))
    with pytest.raises(ValueError, match="there is no such checkpoint"):
        train_on_ray(replace(config, start_from="nowhere"), tmp_path / "run")
