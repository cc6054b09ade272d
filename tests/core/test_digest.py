"""By which digest rules and bots are known, on any machine: of what is written, not of what a Python makes of it."""

import sys
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest

from spygames.core.digest import code_digest

TEXT = """
STEP = 2


def moves(x, y=1):
    return [x + STEP * y for y in range(3)]
"""


@pytest.fixture
def written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], ModuleType]]:
    """Makes a module of a text."""
    monkeypatch.syspath_prepend(tmp_path)

    def write(text: str) -> ModuleType:
        folder = tmp_path / str(len([*tmp_path.iterdir()]))
        folder.mkdir()
        (folder / "moving.py").write_text(text)
        monkeypatch.syspath_prepend(folder)
        sys.modules.pop("moving", None)
        return import_module("moving")

    yield write
    sys.modules.pop("moving", None)


def digest(module: ModuleType) -> str:
    return code_digest(module.moves, libraries=False)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("def moves(x, y=1):", "def moves(x: int, y: int = 1) -> list[int]:"),
        ("    return", '    """Says."""\n    return'),
        ("    return", "    # says\n\n    return"),
        ("(x, y=1)", "(\n    x,\n    y=1,\n)"),
    ],
    ids=["annotations", "docstring", "comment", "layout"],
)
def test_what_changes_no_move_changes_no_digest(written: Callable[[str], ModuleType], old: str, new: str) -> None:
    assert old in TEXT
    assert digest(written(TEXT)) == digest(written(TEXT.replace(old, new, 1)))


@pytest.mark.parametrize(
    ("old", "new"),
    [("STEP = 2", "STEP = 3"), ("range(3)", "range(4)"), ("x + STEP", "x - STEP"), ("y=1", "y=2")],
)
def test_what_changes_a_move_changes_it(written: Callable[[str], ModuleType], old: str, new: str) -> None:
    assert old in TEXT
    assert digest(written(TEXT)) != digest(written(TEXT.replace(old, new)))


def test_without_a_source_the_bytecode_counts() -> None:
    def made(text: str) -> object:
        scope: dict[str, object] = {"__name__": "moving"}
        exec(text, scope)
        return scope["moves"]

    one, other = (code_digest(made(text), libraries=False) for text in (TEXT, TEXT.replace("range(3)", "range(4)")))
    assert one == code_digest(made(TEXT), libraries=False) != other
