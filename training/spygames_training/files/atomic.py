"""A folder for one process, files that a kill or a full disk at any moment leaves whole, the old or the new one."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock, Timeout


def remove(path: Path) -> None:
    """Deletes a file, a link, or a folder with all that is in it; nothing where there is none."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


@contextmanager
def named(path: Path) -> Iterator[None]:
    """An OSError of the context that names no file, such as that of a full disk, names `path`."""
    try:
        yield
    except OSError as error:
        if error.filename is None and error.errno is not None:
            raise OSError(error.errno, error.strerror, str(path)) from error
        raise


def write_synced(file: Path, data: bytes) -> None:
    """Writes a file so that it is on the disk when this returns."""
    with named(file), open(file, "wb") as stream:
        stream.write(data)
        stream.flush()
        os.fsync(stream.fileno())


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
    remove(new)  # left by a kill, say
    try:
        with named(path):
            yield new
        with open(new, "rb+") as file:
            os.fsync(file.fileno())
        os.replace(new, path)
    except BaseException:
        new.unlink(missing_ok=True)
        raise


def write_whole(path: Path, content: str | bytes) -> None:
    """Writes `content` in the place of `path`, see `replacing`."""
    with replacing(path) as new:
        new.write_bytes(content.encode() if isinstance(content, str) else content)
