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


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Where to write what takes the place of `path` at the end of the context; after an error `path` is as it was.

    A link stays one, to the new file; what is no file, such as a pipe, is written as it is. OSError if it cannot be.
    """
    if path.exists() and not path.is_file():
        yield path
        return
    path = path.resolve()
    new = path.with_name(f".{path.name}.new")
    try:
        yield new
        with open(new, "rb+") as file:
            os.fsync(file.fileno())
        os.replace(new, path)
    except BaseException:
        new.unlink(missing_ok=True)
        raise


def write_whole(path: Path, text: str) -> None:
    """Writes `text` in the place of `path`, see `replacing`."""
    with replacing(path) as new:
        new.write_text(text)
