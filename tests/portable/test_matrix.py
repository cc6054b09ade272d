"""A user's program runs in unusual environments and computes the same results in all of them."""

import os
import shutil
import stat
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.portable

SMOKE = Path(__file__).with_name("smoke.py")
UNGUARDED = Path(__file__).with_name("unguarded.py")
SECONDS = 600
"""Timeout of each program."""
NOBODY = 54321
"""User ID without a name and a home."""
BEFORE = """
import asyncio, runpy, sys, threading
import numpy as np
def run():
    runpy.run_path(sys.argv[0], run_name="__main__")
"""


def run(
    folder: Path,
    *flags: str,
    environment: dict[str, str] | None = None,
    code: str | None = None,
    under: Sequence[str] = (),
    **how: Any,
) -> str:
    """Run the program in a new process and return the digest that it writes.

    Args:
        folder: working folder of the process; the digest is written there.
        flags: options of the Python interpreter.
        environment: changes to this process's environment variables.
        code: code to run instead, in which `run()` runs the program.
        under: a command prefix that starts Python.
        how: further arguments of `subprocess.run`.
    """
    file = folder / "digest"
    program = [str(SMOKE), str(file)]
    if code is not None:
        program = ["-c", f"import sys; sys.argv = {program!r}\n{BEFORE}\n{code}"]
    options: dict[str, Any] = {"capture_output": True, "timeout": SECONDS} | how
    variables = {**os.environ, "OMP_NUM_THREADS": "1", **(environment or {})}
    command = [*under, sys.executable, *flags, *program]
    done = subprocess.run(command, env=variables, cwd=folder, check=False, **options)
    assert done.returncode == 0, (done.stderr or b"").decode("utf-8", "replace")[-3000:]
    return file.read_text(encoding="utf-8")


@pytest.fixture(scope="session")
def expected(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The digest in the usual environment."""
    return run(tmp_path_factory.mktemp("usual"))


FLAGS: dict[str, tuple[str, ...]] = {
    "warnings are errors": ("-W", "error"),
    "optimized": ("-OO",),
    "UTF-8 mode": ("-X", "utf8"),
    "development": ("-X", "dev"),
}
ENVIRONMENTS: dict[str, dict[str, str]] = {
    "hash seed 0": {"PYTHONHASHSEED": "0"},
    "hash seed 12345": {"PYTHONHASHSEED": "12345"},
    "ASCII": {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", "PYTHONIOENCODING": "ascii"},
    "a home that cannot be written, not even by root": {"HOME": "/dev/null/home", "XDG_CACHE_HOME": ""},
    "a dumb terminal of 40 columns": {"TERM": "dumb", "COLUMNS": "40"},
    "no colors": {"NO_COLOR": "1", "TERM": "xterm-256color", "FORCE_COLOR": "1"},
}
CODE: dict[str, str] = {
    "float64 is torch's default": "import torch; torch.set_default_dtype(torch.float64); run()",
    "NumPy's errors are raised": "np.seterr(all='raise'); run()",
    "in a thread": "t = threading.Thread(target=run); t.start(); t.join()",
    "in a coroutine": "async def main(): run()\nasyncio.run(main())",
    "a user without a name": (
        "import os, pwd\ndef nobody(uid): raise KeyError(uid)\npwd.getpwuid = nobody\n"
        "for name in ('HOME', 'USER', 'LOGNAME', 'LNAME', 'USERNAME'): os.environ.pop(name, None)\nrun()"
    ),
    "our warnings are errors": (
        "import warnings\nimport pettingzoo, torch, matplotlib\n"  # whose own warnings at import are not ours
        "import spygames_app.cli, spygames_training\nwarnings.simplefilter('error'); run()"
    ),
}


@pytest.mark.parametrize("name", FLAGS)
def test_interpreter_flags(name: str, tmp_path: Path, expected: str) -> None:
    assert run(tmp_path, *FLAGS[name]) == expected


@pytest.mark.parametrize("name", ENVIRONMENTS)
def test_environment_variables(name: str, tmp_path: Path, expected: str) -> None:
    assert run(tmp_path, environment=ENVIRONMENTS[name]) == expected


@pytest.mark.parametrize("name", CODE)
def test_process_wide_settings(name: str, tmp_path: Path, expected: str) -> None:
    assert run(tmp_path, code=CODE[name]) == expected


def test_a_folder_with_spaces_and_umlauts(tmp_path: Path, expected: str) -> None:
    folder = tmp_path / "Spiele für zwei"
    folder.mkdir()
    assert run(folder, environment={"TMPDIR": str(folder), "NUMBA_CACHE_DIR": str(folder / "cache")}) == expected


def test_closed_standard_streams(tmp_path: Path, expected: str) -> None:
    def close() -> None:
        for descriptor in range(3):
            os.close(descriptor)

    closing: Callable[[], None] = close
    assert run(tmp_path, capture_output=False, preexec_fn=closing) == expected


def test_a_script_without_a_main_guard_gets_one_line(tmp_path: Path) -> None:
    """Each process that the script starts imports it, which would start processes again."""
    variables = {**os.environ, "OMP_NUM_THREADS": "1"}
    command = [sys.executable, str(UNGUARDED)]
    done = subprocess.run(
        command, env=variables, cwd=tmp_path, capture_output=True, text=True, check=False, timeout=SECONDS
    )
    lines = [line for line in done.stderr.splitlines() if not line.startswith("spygames: compiling")]
    assert done.returncode == 2
    assert len(lines) == 1, done.stderr[-3000:]
    assert 'if __name__ == "__main__":' in lines[0]


def as_nobody() -> tuple[list[str], dict[str, Any]]:
    """Return what makes a process run as `NOBODY`: a command prefix, and arguments of `subprocess.run`.

    Other users cannot reach a Python below root's home. There the process may search all folders, but not write into
    those of other users.
    """
    places = [Path(sys.executable).resolve(), Path(sys.prefix), SMOKE]
    if all(place.stat().st_mode & stat.S_IXOTH for start in places for place in start.parents):
        return [], {"user": NOBODY, "group": NOBODY, "extra_groups": []}
    caps = [f"--{kind}=-all,+dac_read_search" for kind in ("inh-caps", "ambient-caps", "bounding-set")]
    return ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups", *caps], {}


@pytest.mark.skipif(not hasattr(os, "setuid") or os.getuid() != 0, reason="needs root, to become another user")
def test_a_user_without_a_name_who_cannot_write_to_the_package(tmp_path: Path, expected: str) -> None:
    under, how = as_nobody()
    if under and shutil.which("setpriv") is None:
        pytest.skip("other users do not reach this Python, and there is no setpriv")
    for folder in tmp_path.parents:
        folder.chmod(folder.stat().st_mode | stat.S_IXOTH)
    tmp_path.chmod(0o777)
    environment = {
        "HOME": "/nonexistent",
        "TMPDIR": str(tmp_path),
        "NUMBA_CACHE_DIR": "",
        "PYTHONDONTWRITEBYTECODE": "",
    }
    for name in ("USER", "LOGNAME", "LNAME", "USERNAME"):
        environment[name] = ""
    assert run(tmp_path, under=under, environment=environment, **how) == expected
    (kept,) = tmp_path.glob("spygames*")  # the only place where it can write
    assert kept.stat().st_uid == NOBODY
    assert list((kept / "kernels").iterdir())
