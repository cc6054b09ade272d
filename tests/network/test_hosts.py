"""Two hosts train one network while hosts die, cables break and hosts return.

The run ends with the bytes of an undisturbed run, or with one clear line and a complete state.
"""

import re
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from spygames_training.runs.state_file import read_state
from tests.network.runs import (
    by_torchrun,
    by_variables,
    difference,
    train_alone,
    updates,
    variables,
    wait,
    write_config,
)
from tests.support.hosts import Hosts, why_not

UPDATES = 500
LOST = re.compile(r"^(?:\[.*\]:)?spygames train: process \d of 2 .*", re.MULTILINE)
"""The error line; torchrun may prefix it with the name of the process."""
REASON = why_not()

pytestmark = [
    pytest.mark.network,
    pytest.mark.slow,
    pytest.mark.skipif(bool(REASON), reason=REASON),
]


@pytest.fixture(scope="module")
def config(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_config(tmp_path_factory.mktemp("config"), UPDATES * 32 * 8)


@pytest.fixture(scope="module")
def undisturbed(config: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("undisturbed") / "run"
    train_alone(config, folder)
    return folder


@pytest.fixture
def hosts() -> Iterator[Hosts]:
    with Hosts() as hosts:
        yield hosts


@pytest.fixture
def disk(tmp_path: Path) -> tuple[Path, Path]:
    """A private disk of host b, and the folder of runs on host a."""
    (tmp_path / "disk").mkdir()
    (tmp_path / "runs").mkdir()
    return tmp_path / "disk", tmp_path / "runs"


@pytest.mark.parametrize("shared", [True, False], ids=["shared folder", "folders of their own"])
def test_the_first_host_continues_when_the_second_one_dies(
    shared: bool, hosts: Hosts, config: Path, undisturbed: Path, disk: tuple[Path, Path]
) -> None:
    run = disk[1] / "run"
    with open(disk[1] / "a.log", "wb") as log:
        a = hosts.start("a", by_torchrun("a", config, run), log)
        hosts.start("b", by_torchrun("b", config, run), subprocess.DEVNULL, private=None if shared else disk)
        wait(lambda: updates(run) >= 10, 240, a)
        assert hosts.trainers("b")
        before = updates(run)
        hosts.kill("b")
        assert before < UPDATES - 20
        assert a.wait(240) == 0
    assert difference(run, undisturbed) == ""
    assert LOST.search((disk[1] / "a.log").read_text())
    assert not any(disk[0].iterdir())  # only the first process reads and writes


def test_the_same_command_resumes_after_the_rendezvous_host_died(
    hosts: Hosts, config: Path, undisturbed: Path, tmp_path: Path
) -> None:
    run = tmp_path / "run"
    with open(tmp_path / "b.log", "wb") as log:
        a = hosts.start("a", by_torchrun("a", config, run), subprocess.DEVNULL)
        b = hosts.start("b", by_torchrun("b", config, run), log)
        wait(lambda: updates(run) >= 10, 240, a, b)
        hosts.kill("a")
        assert b.wait(180) != 0
    assert LOST.search((tmp_path / "b.log").read_text())
    assert hosts.start("a", by_torchrun("a", config, run), subprocess.DEVNULL).wait(240) == 0
    assert difference(run, undisturbed) == ""


def test_a_cut_cable_ends_both_hosts_with_one_line_and_a_complete_state(
    hosts: Hosts, config: Path, undisturbed: Path, tmp_path: Path
) -> None:
    run = tmp_path / "run"
    logs = [tmp_path / "a.log", tmp_path / "b.log"]
    with open(logs[0], "wb") as log_a, open(logs[1], "wb") as log_b:
        a = hosts.start("a", by_variables(config, run), log_a, variables=variables("a"))
        b = hosts.start("b", by_variables(config, run), log_b, variables=variables("b"))
        wait(lambda: updates(run) >= 10, 240, a, b)
        hosts.plug(False)
        cut = time.monotonic()
        assert a.wait(180) == 1
        assert b.wait(180) == 1
        assert time.monotonic() - cut < 180
    for log in logs:
        assert len(LOST.findall(log.read_text())) == 1
    assert read_state(run / "state.safetensors").facts["progress"]["decisions"] < UPDATES * 32 * 8
    hosts.plug(True)
    assert hosts.start("a", by_torchrun("a", config, run), subprocess.DEVNULL).wait(240) == 0
    assert difference(run, undisturbed) == ""


@pytest.mark.parametrize("shared", [True, False], ids=["shared folder", "folders of their own"])
def test_a_host_that_comes_later_joins(
    shared: bool, hosts: Hosts, config: Path, undisturbed: Path, disk: tuple[Path, Path]
) -> None:
    run = disk[1] / "run"
    with open(disk[1] / "a.log", "wb") as log_a, open(disk[1] / "b.log", "wb") as log_b:
        a = hosts.start("a", by_torchrun("a", config, run), log_a)
        wait(lambda: updates(run) >= 10, 240, a)
        b = hosts.start("b", by_torchrun("b", config, run), log_b, private=None if shared else disk)
        wait(lambda: hosts.trainers("b"), 240, a, b)
        assert a.wait(240) == 0
        assert b.wait(60) == 0
    assert "stopped and saved" in (disk[1] / "a.log").read_text()  # to restart with both hosts
    assert difference(run, undisturbed) == ""
    assert not any(disk[0].iterdir())


def test_the_process_with_the_newest_state_on_its_disk_leads(
    hosts: Hosts, config: Path, undisturbed: Path, disk: tuple[Path, Path]
) -> None:
    """Host b, whose rank is 1, has begun the run alone; host a, whose rank is 0, has an empty disk."""
    run = disk[1] / "run"
    alone = hosts.start("b", by_variables(config, run), subprocess.DEVNULL, private=disk)
    wait(lambda: updates(disk[0] / "run") >= 10, 240, alone)
    hosts.kill("b")
    alone.wait(30)
    begun = updates(disk[0] / "run")
    assert begun < UPDATES - 20
    a = hosts.start("a", by_variables(config, run), subprocess.DEVNULL, None, variables("a"))
    b = hosts.start("b", by_variables(config, run), subprocess.DEVNULL, disk, variables("b"))
    assert a.wait(240) == 0
    assert b.wait(60) == 0
    assert not run.exists()
    assert difference(disk[0] / "run", undisturbed) == ""
