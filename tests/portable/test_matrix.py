"""One program of a user in unusual environments: it works in each, and what it computes is the same in all."""

import os
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.portable

SMOKE = Path(__file__).with_name("smoke.py")
NOBODY = 54321
"""A user who has no name and no home."""
BEFORE = """
import asyncio, runpy, sys, threading
import numpy as np
def run():
    runpy.run_path(sys.argv[0], run_name="__main__")
"""


def run(
    folder: Path, *flags: str, environment: dict[str, str] | None = None, code: str | None = None, **how: Any
) -> str:
    """The digest that the program writes in a process of its own.

    Args:
        folder: for files, also those of compiled code, which are made once for all.
        flags: of Python.
        environment: what is changed of this process's.
        code: what runs instead, with `run()` for the program.
        how: more, as `subprocess.run` takes it.
    """
    file = folder / "digest"
    program = [str(SMOKE), str(file)]
    if code is not None:
        program = ["-c", f"import sys; sys.argv = {program!r}\n{BEFORE}\n{code}"]
    options: dict[str, Any] = {"capture_output": True} | how
    variables = {**os.environ, "OMP_NUM_THREADS": "1", **(environment or {})}
    command = [sys.executable, *flags, *program]
    done = subprocess.run(command, env=variables, cwd=folder, check=False, **options)
    assert done.returncode == 0, (done.stderr or b"").decode("utf-8", "replace")[-3000:]
    return file.read_text(encoding="utf-8")


@pytest.fixture(scope="session")
def expected(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The digest in the usual environment."""
    return run(tmp_path_factory.mktemp("usual"))


FLAGS: dict[str, tuple[str, ...]] = {"optimised": ("-OO",), "UTF-8 mode": ("-X", "utf8"), "development": ("-X", "dev")}
ENVIRONMENTS: dict[str, dict[str, str]] = {
    "hash seed 0": {"PYTHONHASHSEED": "0"},
    "hash seed 12345": {"PYTHONHASHSEED": "12345"},
    "ASCII": {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", "PYTHONIOENCODING": "ascii"},
    "no home": {"HOME": "/nonexistent", "XDG_CACHE_HOME": ""},
    "a dumb terminal of 40 columns": {"TERM": "dumb", "COLUMNS": "40"},
    "no colours": {"NO_COLOR": "1", "TERM": "xterm-256color", "FORCE_COLOR": "1"},
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
    "warnings are errors": (
        "import warnings\nimport pettingzoo, torch, matplotlib\n"  # whose own warnings at import are not ours
        "import spygames_app.cli, spygames_training\nwarnings.simplefilter('error'); run()"
    ),
}


@pytest.mark.parametrize("name", FLAGS)
def test_flags(name: str, tmp_path: Path, expected: str) -> None:
    assert run(tmp_path, *FLAGS[name]) == expected


@pytest.mark.parametrize("name", ENVIRONMENTS)
def test_environments(name: str, tmp_path: Path, expected: str) -> None:
    assert run(tmp_path, environment=ENVIRONMENTS[name]) == expected


@pytest.mark.parametrize("name", CODE)
def test_what_a_process_has_set(name: str, tmp_path: Path, expected: str) -> None:
    assert run(tmp_path, code=CODE[name]) == expected


def test_a_folder_with_blanks_and_umlauts(tmp_path: Path, expected: str) -> None:
    folder = tmp_path / "Spiele für zwei"
    folder.mkdir()
    assert run(folder, environment={"TMPDIR": str(folder), "NUMBA_CACHE_DIR": str(folder / "cache")}) == expected


def test_closed_standard_streams(tmp_path: Path, expected: str) -> None:
    def close() -> None:
        for descriptor in range(3):
            os.close(descriptor)

    closing: Callable[[], None] = close
    assert run(tmp_path, capture_output=False, preexec_fn=closing) == expected


def others_may_run() -> bool:
    """Whether another user than root reaches the interpreter and the package."""
    places = [Path(sys.executable).resolve(), Path(sys.prefix), SMOKE]
    return all(place.stat().st_mode & stat.S_IXOTH for start in places for place in (start.parent, *start.parents))


@pytest.mark.skipif(not hasattr(os, "setuid") or os.getuid() != 0, reason="needs root, to become another user")
@pytest.mark.skipif(not others_may_run(), reason="other users do not reach this Python")
def test_a_user_without_a_name_who_cannot_write_to_the_package(tmp_path: Path, expected: str) -> None:
    for folder in tmp_path.parents:
        folder.chmod(folder.stat().st_mode | stat.S_IXOTH)
    tmp_path.chmod(0o777)
    environment = {"HOME": "/nonexistent", "TMPDIR": str(tmp_path)}
    assert run(tmp_path, environment=environment, user=NOBODY, group=NOBODY, extra_groups=[]) == expected
