"""Digests of rules, bots and files are the same on any machine: they ignore bytecode, comments and line ends."""

import sys
from collections.abc import Callable, Iterator
from hashlib import sha256
from importlib import import_module, invalidate_caches
from pathlib import Path
from types import ModuleType

import pytest

from spygames.core.compiling.digest import code_digest, content, file_digest

TEXT = """
STEP = 2


def moves(x, y=1):
    return [x + STEP * y for y in range(3)]
"""


@pytest.fixture
def written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], ModuleType]]:
    """Return a function that writes and imports a module."""
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
def test_edits_without_effect_keep_the_digest(written: Callable[[str], ModuleType], old: str, new: str) -> None:
    assert old in TEXT
    assert digest(written(TEXT)) == digest(written(TEXT.replace(old, new, 1)))


@pytest.mark.parametrize(
    ("old", "new"),
    [("STEP = 2", "STEP = 3"), ("range(3)", "range(4)"), ("x + STEP", "x - STEP"), ("y=1", "y=2")],
)
def test_edits_of_values_and_code_change_the_digest(written: Callable[[str], ModuleType], old: str, new: str) -> None:
    assert old in TEXT
    assert digest(written(TEXT)) != digest(written(TEXT.replace(old, new)))


def test_code_without_a_source_is_digested_by_its_bytecode() -> None:
    def made(text: str) -> object:
        scope: dict[str, object] = {"__name__": "moving"}
        exec(text, scope)
        return scope["moves"]

    one, other = (code_digest(made(text), libraries=False) for text in (TEXT, TEXT.replace("range(3)", "range(4)")))
    assert one == code_digest(made(TEXT), libraries=False) != other


HELPERS = """
from enum import IntEnum
from typing import NamedTuple

import numpy as np

LAYOUT = np.dtype([("card", np.int8)])


class Card(NamedTuple):
    value: int


class Kind(IntEnum):
    LOW = 1
    HIGH = 2


def worth(card):
    return card[0] if card[0] != Kind.HIGH else 5
"""
BOT = """
from PACKAGE import helpers
from PACKAGE.helpers import LAYOUT, Card, worth

BEST = 3


def bot(view):
    def first():
        return helpers.Kind.LOW

    return BEST * worth(Card(view)) + LAYOUT.itemsize + first()
"""


@pytest.fixture
def placed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., ModuleType]]:
    """Return a function that makes a package with a bot and the module that it uses."""
    monkeypatch.syspath_prepend(tmp_path)
    made: set[str] = set()

    def place(package: str, old: str = "", new: str = "") -> ModuleType:
        folder = tmp_path
        made.add(package.split(".")[0])
        for name in package.split("."):
            folder /= name
            folder.mkdir(exist_ok=True)
            (folder / "__init__.py").touch()
        for name, text in {"helpers": HELPERS, "bot": BOT}.items():
            text = text.replace(old, new) if old else text
            (folder / f"{name}.py").write_text(text.replace("PACKAGE", package))
        invalidate_caches()
        return import_module(f"{package}.bot")

    yield place
    for name in [name for name in sys.modules if name.split(".")[0] in made]:
        del sys.modules[name]


def test_the_place_of_a_module_does_not_count(placed: Callable[..., ModuleType]) -> None:
    here, there = placed("here").bot, placed("there.within").bot
    assert here.__module__ != there.__module__
    assert code_digest(here, libraries=False) == code_digest(there, libraries=False)
    assert code_digest(here) != code_digest(there)  # machine code looks up its constants by the name of the module


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("BEST = 3", "BEST = 4"),
        ("else 5", "else 6"),
        ("LOW = 1", "LOW = 0"),
        ("value", "worth_of_it"),
        ("np.int8", "np.int16"),
        ("LAYOUT.itemsize +", "LAYOUT.itemsize -"),
    ],
    ids=["constant", "function", "enum", "field", "dtype", "bot"],
)
def test_the_content_of_a_moved_module_counts(placed: Callable[..., ModuleType], old: str, new: str) -> None:
    assert old in HELPERS + BOT
    here, there = placed("here").bot, placed("there", old, new).bot
    assert code_digest(here, libraries=False) != code_digest(there, libraries=False)


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


def test_every_byte_of_a_binary_file_counts(tmp_path: Path) -> None:
    one, other = tmp_path / "one", tmp_path / "other"
    one.write_bytes(b"\0\r\n")
    other.write_bytes(b"\0\n")
    assert [content(path.read_bytes()) for path in (one, other)] == [b"\0\r\n", b"\0\n"]
    assert [file_digest(one), file_digest(other)] == [of_bytes(one), of_bytes(other)]
