"""Atomic file writes, a folder lock, and a check of new folders.

After a kill or on a full disk, a file is either the old or the new one.
"""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock, Timeout


def remove(path: Path) -> None:
    """Delete a file, a link, or a folder with its content; do nothing if there is none."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


@contextmanager
def named(path: Path) -> Iterator[None]:
    """Add `path` to an OSError in the context that names no file, such as the error of a full disk."""
    try:
        yield
    except OSError as error:
        if error.filename is None and error.errno is not None:
            raise OSError(error.errno, error.strerror, str(path)) from error
        raise


def write_synced(file: Path, data: bytes) -> None:
    """Write a file; it is on the disk when this returns."""
    with named(file), open(file, "wb") as stream:
        stream.write(data)
        stream.flush()
        os.fsync(stream.fileno())


def check_new(folder: Path) -> None:
    """Raise ValueError, before the work begins, if `folder` is a file or has content, which results could replace."""
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise ValueError(f"{folder} already exists and is not an empty folder: choose another folder with --out")


@contextmanager
def only_one(folder: Path, does: str = "trains") -> Iterator[None]:
    """Lock `folder` for the duration of the context; ValueError if another process holds the lock.

    `does` says for the message what that process does in the folder.
    """
    lock = FileLock(folder / ".lock", timeout=0)
    try:
        lock.acquire()
    except Timeout:
        raise ValueError(f"another process {does} in {folder}") from None
    try:
        yield
    finally:
        lock.release()


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Yield a path to write; the written file replaces `path` at the end of the context, or not at all after an error.

    A link is kept and its target replaced; the permissions stay. A `path` that is not a regular file, such as a pipe,
    is written directly.
    OSError if it cannot be written.
    """
    if path.exists() and not path.is_file():
        yield path
        return
    path = path.resolve()
    new = path.with_name(f".{path.name}.new")
    remove(new)  # may be left over from a kill
    try:
        with named(path):
            yield new
        with open(new, "rb+") as file:
            os.fsync(file.fileno())
        if path.exists():
            shutil.copymode(path, new)
        os.replace(new, path)
    except BaseException:
        new.unlink(missing_ok=True)
        raise


def write_whole(path: Path, content: str | bytes) -> None:
    """Write `content` to `path` atomically, see `replacing`."""
    with replacing(path) as new:
        new.write_bytes(content.encode() if isinstance(content, str) else content)
