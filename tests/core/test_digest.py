"""The digests of rules, bots and files, on any machine: of the source, not of a Python's bytecode or of line ends."""

import sys
from collections.abc import Callable, Iterator
from hashlib import sha256
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest

from spygames.core.digest import code_digest, content, file_digest

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


def of_bytes(path: Path) -> str:
    return sha256(sha256(path.read_bytes()).digest()).hexdigest()[:16]


def test_line_ends_of_a_text_do_not_count(tmp_path: Path) -> None:
    lines = [b"a = 1\n", b"\n", b"b = '\\r'\n" * 3000, b"c"]
    unix, windows = tmp_path / "unix", tmp_path / "windows"
    unix.write_bytes(b"".join(lines))
    windows.write_bytes(b"".join(lines).replace(b"\n", b"\r\n"))
    assert content(windows.read_bytes()) == content(unix.read_bytes()) == unix.read_bytes()
    assert file_digest(windows) == file_digest(unix) == of_bytes(unix)
    assert file_digest(tmp_path / "missing") is None


def test_of_all_else_each_byte_counts(tmp_path: Path) -> None:
    one, other = tmp_path / "one", tmp_path / "other"
    one.write_bytes(b"\0\r\n")
    other.write_bytes(b"\0\n")
    assert [content(path.read_bytes()) for path in (one, other)] == [b"\0\r\n", b"\0\n"]
    assert [file_digest(one), file_digest(other)] == [of_bytes(one), of_bytes(other)]
