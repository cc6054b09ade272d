"""Tasks give the same results in any process: lost tasks are computed again, and interrupted tasks save."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from spygames_training.bridges.executors import executor_of
from spygames_training.parallel.executor import SERIAL, Executor, TaskLost
from spygames_training.parallel.pool import Pool
from tests.cli.command import complaint
from tests.support import tasks

PROGRAM = """
import sys
from pathlib import Path
from spygames_training.parallel.pool import Pool
from tests.support.tasks import waiting

if __name__ == "__main__":
    with Pool(2) as pool:
        list(pool.run(waiting, [(Path(name),) for name in sys.argv[1:]]))
"""


@pytest.fixture(scope="module")
def pool() -> Iterator[Executor]:
    """A pool of two processes."""
    with Pool(2) as found:
        yield found


def test_each_task_is_computed_once_in_other_processes(pool: Executor) -> None:
    told: list[int] = []
    found = list(pool.in_order(tasks.square, ((n,) for n in range(20)), told.append))
    assert [square for square, _ in found] == [square for square, _ in SERIAL.in_order(tasks.square, zip(range(20)))]
    assert sum(told) == sum(range(20))
    processes = {process for _, process in found}
    assert os.getpid() not in processes
    assert len(processes) <= 2
    again = {process for _, process in pool.in_order(tasks.square, zip(range(20)))}
    assert again & processes  # they wait for more


def test_results_come_as_they_end_and_tasks_are_requested_when_a_process_is_free(pool: Executor) -> None:
    asked: list[int] = []

    def several() -> Iterator[tuple[int, float]]:
        for number, seconds in enumerate([1.0, 0.0, 0.0, 0.0]):
            asked.append(number)
            yield number, seconds

    order = []
    for number, found in pool.run(tasks.slowly, several()):
        assert number == found
        assert len(asked) <= len(order) + 3
        order.append(number)
    assert sorted(order) == [0, 1, 2, 3]
    assert order != [0, 1, 2, 3]
    assert list(pool.in_order(tasks.slowly, [(0, 0.3), (1, 0.0)])) == [0, 1]


def test_a_task_whose_process_dies_is_computed_again(pool: Executor, tmp_path: Path) -> None:
    told: list[int] = []
    found = pool.in_order(tasks.dying, [(n, tmp_path, 2 if n == 1 else 0) for n in range(4)], told.append)
    assert list(found) == [0, 1, 2, 3]
    assert sum(told) == 8  # progress reported by the dead process does not count
    assert len([*tmp_path.iterdir()]) == 2


def test_a_task_that_keeps_killing_its_process_is_given_up(pool: Executor, tmp_path: Path) -> None:
    with pytest.raises(TaskLost, match=r"task 2 .*SIGKILL, 3 times$"):
        list(pool.run(tasks.dying, [(n, tmp_path, 9 if n == 1 else 0) for n in range(4)]))
    assert len([*tmp_path.iterdir()]) == 3
    assert next(pool.in_order(tasks.square, [(3,)]))[0] == 9


@pytest.mark.parametrize(
    ("how", "kind", "message"),
    [
        ("value", ValueError, "it is wrong"),
        ("peculiar", RuntimeError, "Peculiar: peculiar"),
        ("result", ValueError, "a result cannot be sent to another process: "),
    ],
)
def test_an_error_ends_the_other_tasks_and_is_raised_here(
    pool: Executor, how: str, kind: type[Exception], message: str
) -> None:
    began = time.monotonic()
    with pytest.raises(kind) as error:
        list(pool.run(tasks.failing, [("wait",), (how,)]))
    assert time.monotonic() - began < 300  # without waiting for the other task's 600 s
    assert str(error.value).startswith(message)
    assert error.value.__notes__[0].startswith("in another process:\nTraceback")
    assert next(pool.in_order(tasks.square, [(3,)]))[0] == 9


def test_tasks_that_cannot_be_pickled_are_refused(pool: Executor) -> None:
    with pytest.raises(ValueError, match="task cannot be sent"):
        list(pool.run(tasks.square, [(lambda: None,)]))


def alive(process: int) -> bool:
    """Return whether a process has not ended; its parent may not have read its exit code yet."""
    found = subprocess.run(["ps", "-o", "stat=", "-p", str(process)], capture_output=True, text=True, check=False)
    return found.stdout.strip()[:1] not in ("", "Z")


def until(condition: Callable[[], bool]) -> None:
    """Wait for a condition, at most two minutes."""
    end = time.monotonic() + 120
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.02)


@pytest.mark.skipif(os.name != "posix", reason="needs POSIX signals")
@pytest.mark.parametrize("how", ["terminal", "parent", "kill"])
def test_an_interrupted_process_saves_first(how: str, tmp_path: Path) -> None:
    """Ctrl-C in a terminal reaches all processes of the group; `kill -INT` and `kill -9` reach only the parent."""
    program, files = tmp_path / "program.py", [tmp_path / "one", tmp_path / "two"]
    program.write_text(PROGRAM)
    parent = subprocess.Popen(
        [sys.executable, str(program), *map(str, files)],
        start_new_session=True,
        stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
    )
    until(lambda: all(file.exists() and file.read_text().isdecimal() for file in files))
    workers = [int(file.read_text()) for file in files]
    if how == "terminal":
        os.killpg(parent.pid, signal.SIGINT)
    else:
        parent.send_signal(signal.SIGINT if how == "parent" else signal.SIGKILL)
    parent.communicate(timeout=120)
    assert parent.returncode in (-signal.SIGINT, -signal.SIGKILL)
    until(lambda: not any(map(alive, workers)))
    assert [file.read_text() for file in files] == [f"saved after {[int(signal.SIGTERM)]}"] * 2


def test_closing_the_results_ends_the_tasks(pool: Executor) -> None:
    results = pool.run(tasks.slowly, [(0, 0.0), (1, 600.0)])
    assert next(results) == (0, 0)
    results.close()  # type: ignore[attr-defined]
    assert list(pool.in_order(tasks.slowly, [(5, 0.0)])) == [5]


def test_wrong_options_get_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    monkeypatch.delitem(sys.modules, "spygames_training.bridges.ray_tasks", raising=False)
    monkeypatch.chdir(tmp_path)
    games = ["--players", "random", "greedy", "--blocks", "1"]
    for argv, text in (
        (["ladder", "x.jsonl", *games, "--on", "ray"], "--on ray needs Ray: pip install 'spygames[ray]'"),
        (["ladder", "x.jsonl", *games, "--on", "slurm"], "on must be ray or ray:ADDRESS, not 'slurm'"),
        (["ladder", "x.jsonl", *games, "--on", "ray", "--jobs", "2"], "--jobs or --on, not both"),
        (["evaluate", "greedy", "--jobs", "0"], "'0' is not an integer from 1"),
        (["train", "--jobs", "2"], "--jobs and --on need --seeds"),
    ):
        assert text in complaint(argv, capsys)
    assert not [*tmp_path.iterdir()]
    assert executor_of() is SERIAL
    for wrong in (0, -1, 1.5, "2"):
        with pytest.raises(ValueError, match="jobs must be an integer"):
            executor_of(jobs=wrong)  # type: ignore[arg-type]
