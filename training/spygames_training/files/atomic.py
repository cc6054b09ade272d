"""A folder for one process, files that a kill or a full disk at any moment leaves whole, the old or the new one, and
reading what others may have written."""

import json
import math
import os
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NoReturn

from filelock import FileLock, Timeout

from spygames.core.basics.files import decoded
from spygames.core.basics.files import read_file as read_file  # its other half: what is written here is read by it
from spygames.core.basics.text import one_line

LARGEST = 1 << 53
"""Whole numbers in files stay below it, so that every float and every JSON has them exactly."""


MAX_DEPTH = 50
"""Lists and mappings within each other in a JSON file: more than any of ours has, and fewer than Python can compare."""


def is_number(value: object) -> bool:
    """Whether it is an int or float that is finite as a float, no bool."""
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) <= sys.float_info.max


def is_count(value: object) -> bool:
    """Whether it is an int from 0 to `LARGEST` - 1, no bool."""
    return type(value) is int and 0 <= value < LARGEST


def parse_json(text: str | bytes) -> Any:
    """The value of a JSON text that somebody else may have written: all its numbers are finite as floats.

    Raises:
        ValueError: with one line that does not name the file: it is not JSON in UTF-8, or lists and mappings are nested
            too deep.
    """
    if isinstance(text, bytes):
        text = decoded(text)
    try:
        found = json.loads(text, parse_constant=_refuse, parse_int=_int, parse_float=_float)
    except RecursionError:
        found = None
    else:
        if not _is_deep(found):
            return found
    raise ValueError(f"lists and mappings are nested deeper than {MAX_DEPTH}")


def _refuse(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a number in JSON")


def _int(digits: str) -> int:
    if len(digits) > 300:
        raise ValueError(f"the number {one_line(digits, 20)} is too large")
    return int(digits)


def _float(digits: str) -> float:
    number = float(digits)
    if not math.isfinite(number):
        raise ValueError(f"the number {one_line(digits, 20)} is too large")
    return number


def _is_deep(value: object) -> bool:
    """Whether lists and mappings are nested deeper than `MAX_DEPTH`."""
    level = [value]
    for _ in range(MAX_DEPTH + 1):
        parts = [each.values() if isinstance(each, dict) else each for each in level if isinstance(each, dict | list)]
        level = [each for part in parts for each in part if isinstance(each, dict | list)]
        if not level:
            return False
    return True


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
