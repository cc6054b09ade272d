"""Reading files that somebody else may have written or named: only regular ones, up to a size, text in UTF-8.

And where the files are that come with the package.
"""

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from io import BufferedReader
from pathlib import Path

from spygames.core.basics.text import one_line

_UTF_8, _UTF_16 = b"\xef\xbb\xbf", (b"\xff\xfe", b"\xfe\xff")
"""The byte order marks that editors write at the beginning of a file."""


@contextmanager
def regular(path: str | os.PathLike[str]) -> Iterator[BufferedReader]:
    """Open a regular file, or the one that a link leads to, for reading its bytes.

    Raises:
        OSError: the file cannot be opened, or it is a folder, a pipe or a device, which is not waited for; `strerror`
            says which.
    """
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    with open(path, "rb", opener=lambda name, _: os.open(name, flags)) as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise OSError(errno.EINVAL, "it is no regular file", str(path))
        yield file


def read_file(path: str | os.PathLike[str], max_bytes: int) -> bytes:
    """The bytes of a regular file, or of one that a link leads to, of at most `max_bytes` bytes.

    Raises:
        OSError: the file cannot be read, is longer, which is found before it is read, or is a folder, a pipe or a
            device, which is not waited for; `strerror` says which.
    """
    with regular(path) as file:
        size = os.fstat(file.fileno()).st_size
        data = b"" if size > max_bytes else file.read(size + 1)
        if len(data) > size:  # the file grows, or has a size only when it is read, as in /proc
            data += file.read(max(max_bytes + 1 - len(data), 0))
    if max(size, len(data)) > max_bytes:
        raise OSError(errno.EFBIG, f"it is longer than {max_bytes} bytes", str(path))
    return data


def read_text(path: str | os.PathLike[str], max_bytes: int) -> str:
    """The text of a UTF-8 file of at most `max_bytes` bytes, without a byte order mark.

    Raises:
        OSError: the file cannot be read, see `read_file`.
        ValueError: the file is not UTF-8; the message does not name the file.
    """
    return decoded(read_file(path, max_bytes))


def decoded(data: bytes) -> str:
    """UTF-8 bytes as text, without a byte order mark; ValueError that names UTF-16, or the first wrong byte."""
    if data.startswith(_UTF_16) or (len(data) > 1 and not all(data[:2]) and any(data[:2])):
        raise ValueError("the file is UTF-16, and must be UTF-8")
    try:
        return data.removeprefix(_UTF_8).decode()
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise ValueError(f"the file must be UTF-8, but line {line} is not: {one_line(error)}") from None


def shipped_folder(name: str) -> Path:
    """Return the folder `configs` or `checkpoints` that comes with the package: inside `spygames` where a wheel was
    installed, else at the top of the clone. Without either it does not exist."""
    package = Path(__file__).resolve().parents[2]
    installed = package / name
    return installed if installed.is_dir() else package.parents[1] / name
