"""The scripts as modules, for their tests."""

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

FOLDER = Path(__file__).resolve().parents[2] / "scripts"


def script(name: str) -> ModuleType:
    """`scripts/<name>.py`, imported; it finds its neighbours as when it is run."""
    if str(FOLDER) not in sys.path:
        sys.path.insert(0, str(FOLDER))
    spec = importlib.util.spec_from_file_location(f"script_{name}", FOLDER / f"{name}.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def complaint(main: ModuleType, argv: list[str], capsys: pytest.CaptureFixture[str]) -> str:
    """The one line that a script answers wrong input with; its exit code is 2 and it prints nothing else."""
    capsys.readouterr()
    try:
        code = main.main(argv)
    except SystemExit as error:
        code = error.code
    out, err = capsys.readouterr()
    assert code == 2
    assert out == ""
    lines = [line for line in err.splitlines() if not line.startswith("spygames: compiling")]
    assert len(lines) == 1, lines
    return lines[0]
