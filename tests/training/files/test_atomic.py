"""Written files replace the old file completely or not at all."""

import os
import resource
import signal
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from spygames.core.basics.json_values import is_count, is_number
from spygames_training.files.atomic import check_new, replacing, write_whole
from spygames_training.output.tables import heat_map
from spygames_training.runs.report import Board, Report, plot_curves
from tests.cli.command import run

ROWS = [{"decisions": 10, "entropy": 1.0, "kl_to_reference": 0.1, "explained_variance": 0.5}]
SHARES = np.array([[np.nan, 0.4], [0.6, np.nan]])


def evaluation(file: Path) -> None:
    argv = ["random", "--against", "random", "--game", "tests.poker.kuhn", "--games", "2", "--json", str(file)]
    if run("evaluate", *argv):
        raise OSError


WRITERS: dict[str, Callable[[Path], object]] = {
    "a.json": lambda file: write_whole(file, "{}"),
    "b.json": evaluation,
    "curves.png": lambda file: plot_curves(ROWS, file),
    "cross.png": lambda file: heat_map(["a", "b"], SHARES, file),
    "cross.SVG": lambda file: heat_map(["a", "b"], SHARES, file),
}


@pytest.mark.parametrize("name", WRITERS)
def test_a_file_is_replaced_completely_or_not_at_all(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / name
    file.write_text("old")
    with monkeypatch.context() as patch:

        def full(*_: object) -> None:
            raise OSError("no space left")

        patch.setattr(os, "replace", full)
        with pytest.raises(OSError):  # noqa: PT011
            WRITERS[name](file)
    assert file.read_text() == "old"
    assert list(tmp_path.iterdir()) == [file]
    WRITERS[name](file)
    assert file.read_bytes()[:4] in (b"\x89PNG", b"<?xm", b"{}", b"{\n  ")
    assert list(tmp_path.iterdir()) == [file]


def test_an_error_during_writing_keeps_the_old_file(tmp_path: Path) -> None:
    file = tmp_path / "a"
    file.write_text("old")

    def write() -> None:
        with replacing(file) as new:
            new.write_text("half")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write()
    assert (file.read_text(), list(tmp_path.iterdir())) == ("old", [file])


@pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX links and pipes")
def test_links_and_pipes_are_written_through(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    target, link, pipe = tmp_path / "elsewhere" / "file", tmp_path / "link", tmp_path / "pipe"
    target.write_text("old")
    target.chmod(0o640)
    link.symlink_to(target)
    write_whole(link, "new")
    assert link.is_symlink()
    assert target.read_text() == "new"
    assert target.stat().st_mode & 0o777 == 0o640
    os.mkfifo(pipe)
    found: list[str] = []
    reader = threading.Thread(target=lambda: found.append(pipe.read_text()))
    reader.start()
    write_whole(pipe, "through")
    reader.join()
    assert found == ["through"]
    assert pipe.is_fifo()


@pytest.mark.parametrize(
    ("value", "number", "count"),
    [
        (0, True, True),
        (2**53 - 1, True, True),
        (2**53, True, False),
        (-1, True, False),
        (0.5, True, False),
        (10**400, False, False),
        (float("inf"), False, False),
        (float("nan"), False, False),
        (True, False, False),
        ("1", False, False),
        (None, False, False),
    ],
)
def test_numbers_are_finite_and_counts_are_integers(value: object, number: bool, count: bool) -> None:
    assert (is_number(value), is_count(value)) == (number, count)


def test_tensorboard_reads_the_log_without_overwritten_steps(tmp_path: Path) -> None:
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    for done, steps in ((0, (8, 16, 24)), (16, (24, 32))):
        board = Board(tmp_path, done)
        for step in steps:
            board.add({"entropy": step / 8 + done, "loss": 0.25}, step)
        board.close()
    found = EventAccumulator(str(tmp_path))
    found.Reload()
    assert [(event.step, event.value) for event in found.Scalars("entropy")] == [(8, 1), (16, 2), (24, 19), (32, 20)]
    assert [event.value for event in found.Scalars("loss")] == [0.25] * 4


@pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX limits of file sizes")
@pytest.mark.filterwarnings("error")
def test_a_full_disk_raises_in_the_report_and_not_in_a_thread(tmp_path: Path) -> None:
    (tmp_path / "metrics.jsonl").symlink_to("/dev/null")  # never full
    threads, limits = threading.active_count(), resource.getrlimit(resource.RLIMIT_FSIZE)
    old = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    with Report(tmp_path, 10) as report:
        try:
            resource.setrlimit(resource.RLIMIT_FSIZE, (50, limits[1]))
            with pytest.raises(OSError, match=r"File too large: .*tfevents"):
                report.add({**ROWS[0], "decisions_per_second": 1.0, "value_loss": 1.0})
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, limits)
            signal.signal(signal.SIGXFSZ, old)
        assert threading.active_count() == threads


def test_only_a_missing_or_empty_folder_is_new(tmp_path: Path) -> None:
    check_new(tmp_path)
    check_new(tmp_path / "none")
    (file := tmp_path / "file").write_text("kept")
    for place in (tmp_path, file):
        with pytest.raises(ValueError, match="already exists and is not an empty folder: choose another folder"):
            check_new(place)
