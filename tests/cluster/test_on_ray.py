"""Tasks on a Ray cluster give the same bytes as one process, even if a machine is lost."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("ray", reason="Ray is not installed; `make test-ray` has an environment with it")

from ray.cluster_utils import Cluster  # pyright: ignore[reportMissingImports]

from spygames import agent_avenue
from spygames_training import evaluate
from spygames_training.bridges import ray_tasks
from spygames_training.bridges.executors import executor_of
from spygames_training.experiments.seeds import train_seeds
from spygames_training.ladder.playing import play_lines
from spygames_training.parallel.executor import TaskLost
from tests.cli.command import complaint, run
from tests.cli.test_ladder import compared
from tests.support import tasks
from tests.training.runs.test_in_parallel import TINY, meetings, weights

SIX = ("random", "greedy", "expert", "expert-1", "mcts:4", "agent_avenue/simple-2@argmax")


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    """A head node that computes nothing, and two machines with one processor each."""
    found = Cluster(initialize_head=True, head_node_args={"num_cpus": 0, "include_dashboard": False})
    for _ in range(2):
        found.add_node(num_cpus=1)
    found.wait_for_nodes()
    yield found
    found.shutdown()


def test_a_ladder_survives_the_loss_of_a_machine(cluster: Any, tmp_path: Path) -> None:
    serial, file = tmp_path / "serial.jsonl", tmp_path / "ray.jsonl"
    argv = ["--players", *SIX, "--blocks", 2]
    assert run("ladder", serial, *argv) == 0
    total = len(compared(serial))
    assert total == 30
    lost = cluster.add_node(num_cpus=1)
    found: list[int] = []

    def remove() -> None:
        while not file.exists() or file.read_bytes().count(b"\n") < total // 2:
            time.sleep(0.01)
        cluster.remove_node(lost, allow_graceful=False)
        found.append(file.read_bytes().count(b"\n"))

    remover = threading.Thread(target=remove, daemon=True)
    remover.start()
    assert run("ladder", file, *argv, "--on", f"ray:{cluster.address}") == 0
    remover.join(60)
    assert found
    assert total // 2 <= found[0] < total
    assert compared(file) == compared(serial)


def test_evaluations_and_runs_equal_those_of_one_process(cluster: Any, tmp_path: Path) -> None:
    game, told = agent_avenue.make_game(), list[int]()
    with executor_of(on=f"ray:{cluster.address}") as ray:
        found = evaluate(game, "greedy", ["random", "expert"], 3000, 3, told.append, ray)
        assert sum(told) == 6000
        assert found == evaluate(game, "greedy", ["random", "expert"], 3000, 3)
        train_seeds(TINY, tmp_path / "ray", 2, say=lambda line: None, executor=ray)
    train_seeds(TINY, tmp_path / "serial", 2, progress=False, say=lambda line: None)
    for name in ("seed_0", "seed_1"):
        assert weights(tmp_path / "serial" / name) == weights(tmp_path / "ray" / name)
    names = [{path.name for path in (tmp_path / which).iterdir()} for which in ("ray", "serial")]
    assert names[0] == names[1]


def test_lost_tasks_are_computed_again_and_errors_are_raised_here(
    cluster: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[int] = []
    with executor_of(on=f"ray:{cluster.address}") as ray:
        dying = [(n, tmp_path, 2 if n == 1 else 0) for n in range(4)]
        assert list(ray.in_order(tasks.dying, dying, told.append)) == [0, 1, 2, 3]
        assert sum(told) == 8
        assert len([*tmp_path.iterdir()]) == 2
        with pytest.raises(TaskLost, match=r"^task 1 was lost"):
            list(ray.run(tasks.dying, [(7, tmp_path, 99)]))
        with pytest.raises(ValueError, match="it is wrong"):
            list(ray.run(tasks.failing, [("value",), ("value",)]))
        with pytest.raises(ValueError, match="task cannot be sent"):
            list(ray.run(tasks.square, [(lambda: None,)]))
        results = ray.run(tasks.slowly, [(0, 0.0), (1, 600.0)])
        assert next(results) == (0, 0)
        results.close()  # type: ignore[attr-defined]
        assert list(ray.in_order(tasks.slowly, [(5, 0.0)])) == [5]
        monkeypatch.setattr(ray_tasks, "packages_digest", lambda: "another")
        with pytest.raises(ValueError, match="has other code of spygames"):
            list(ray.run(tasks.slowly, [(5, 0.0)]))


def test_a_running_task_saves_before_it_ends(cluster: Any, tmp_path: Path) -> None:
    file = tmp_path / "said"

    def until_it_runs() -> Iterator[tuple[Path]]:
        yield (file,)
        while not file.exists() or not file.read_text():
            time.sleep(0.01)
        raise ValueError("it is enough")

    with executor_of(on=f"ray:{cluster.address}") as ray:
        with pytest.raises(ValueError, match="it is enough"):
            list(ray.run(tasks.waiting, until_it_runs()))
        assert file.read_text() == f"saved after [{signal.SIGINT:d}]"
        assert list(ray.in_order(tasks.slowly, [(n, 0.0) for n in range(4)])) == [0, 1, 2, 3]


def test_a_player_that_fails_loses_only_those_games(cluster: Any) -> None:
    game = agent_avenue.make_game()
    with executor_of(on=f"ray:{cluster.address}") as ray:
        found = play_lines(game, meetings(game, 1), 60, lambda line: None, ray)
    serial = play_lines(game, meetings(game, 1), 60, lambda line: None)
    assert [line.compared() for line in found] == [line.compared() for line in serial]
    assert 0 < len(found[1].forfeits) < 512


def test_ctrl_c_leaves_whole_lines(cluster: Any, tmp_path: Path) -> None:
    file = tmp_path / "x.jsonl"
    command = [sys.executable, "-m", "spygames_app", "ladder", str(file), "--players", *SIX, "--blocks", "500"]
    path = os.pathsep.join(filter(None, sys.path))
    process = subprocess.Popen(
        [*command, "--on", f"ray:{cluster.address}"],
        stderr=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": path},
    )
    while not file.exists() or not file.read_bytes():
        assert process.poll() is None, process.communicate()
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=120)
    assert process.returncode == 130
    assert [line for line in said.splitlines() if line] == ["spygames ladder: interrupted"]
    assert file.read_bytes().endswith(b"}\n")
    assert run("ladder", file) == 0


def test_a_wrong_address_gets_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    argv = ["ladder", str(tmp_path / "x.jsonl"), "--players", "random", "greedy", "--on"]
    for address in ("127.0.0.1:1", "nowhere.invalid:6379", "not an address"):
        assert f"there is no Ray cluster at {address}: " in complaint([*argv, f"ray:{address}"], capsys)
    assert not [*tmp_path.glob("*.jsonl")]
