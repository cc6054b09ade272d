"""Files of machine code: one that cannot be read, for whatever reason, counts as not there."""

import contextlib
import os
import pickle
import threading
import time
import warnings
from collections.abc import Callable
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import TypeVar

from spygames.core.basics.files import read_file
from spygames.core.basics.text import one_line

T = TypeVar("T")

FORMAT = "digest, pickle"
"""How a file is made up, part of its name: a file of another form is not read."""
MAX_BYTES = 1 << 30
"""Of a file."""
_DIGEST = sha256().digest_size
_UNUSED_DAYS = 30
"""After so many days machine code that nobody has loaded, since an edit put it out of use, say, goes."""
_warned: set[str] = set()


def load(path: Path | None, rebuild: Callable[..., T]) -> T | None:
    """What `rebuild` makes of the values that `save` wrote; None where there is no file, or none that can be read.

    A damaged file is deleted, with one warning a process. Its bytes are not unpickled unless their digest is right.
    """
    if path is None:
        return None
    try:
        data = read_file(path, MAX_BYTES)
        if sha256(data[_DIGEST:]).digest() != data[:_DIGEST]:
            raise ValueError("its checksum is wrong")
        found = rebuild(*pickle.loads(data[_DIGEST:]))
    except FileNotFoundError:
        return None
    except Exception as error:  # unpickling and Numba raise anything
        with contextlib.suppress(OSError):
            path.unlink()  # before the warning, which may be an error
        what = one_line(f"{type(error).__name__}: {error}", 200)
        _warn("read", f"{path}, a file of compiled code, cannot be read, so it is compiled again ({what})")
        return None
    with contextlib.suppress(OSError):  # not ours to touch
        os.utime(path)
    return found


def save(path: Path, pickled: bytes) -> None:
    """Writes a file whole or, with one warning a process, not at all.

    It is not synced to the disk, which takes 0.5 to 3 ms for each of several hundred files: what a power cut leaves of
    a file is found by its digest, and made again.
    """
    new = path.with_suffix(f".{os.getpid()}-{threading.get_ident()}")
    try:
        path.parent.mkdir(mode=0o700, exist_ok=True)
        new.write_bytes(sha256(pickled).digest() + pickled)
        new.replace(path)
    except OSError as error:  # a full disk, say
        with contextlib.suppress(OSError):
            new.unlink()
        _warn("write", f"compiled code cannot be kept, so the next process compiles again: {error}")
        return
    delete_unused(path.parent)


@cache
def delete_unused(folder: Path) -> None:
    """Deletes what nobody has loaded for long, once a process."""
    long_ago = time.time() - _UNUSED_DAYS * 24 * 3600
    found: list[Path] = []
    with contextlib.suppress(OSError):
        found = [*folder.iterdir()]
    for old in found:
        with contextlib.suppress(OSError):  # another process was faster
            if old.stat().st_mtime < long_ago:
                old.unlink()


def _warn(kind: str, text: str) -> None:
    """Warns once a process of each kind."""
    if kind not in _warned:
        _warned.add(kind)
        warnings.warn(text, stacklevel=4)
