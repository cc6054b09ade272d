"""A folder for one process, and files that a kill or a full disk at any moment leaves whole: the old or the new one."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock, Timeout


@contextmanager
def only_one(folder: Path) -> Iterator[None]:
    """For as long as the context lasts nobody else enters it with this folder; ValueError if somebody is in it."""
    lock = FileLock(folder / ".lock", timeout=0)
    try:
        lock.acquire()
    except Timeout:
        raise ValueError(f"another process trains in {folder}") from None
    try:
        yield
    finally:
        lock.release()


def write_whole(path: Path, text: str) -> None:
    """Writes `text` beside `path` and renames it. OSError if it cannot be written; the old file is then still there."""
    new = beside(path)
    with open(new, "w") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    os.replace(new, path)


def beside(path: Path) -> Path:
    """Where the next version of `path` is written before it takes its name."""
    return path.with_name(f".{path.name}.new")
