"""Safe reading of untrusted files: regular files only, up to a size limit, with text in UTF-8.

`shipped_folder` finds the files that come with the package.
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
"""Byte order marks, which some editors write at the start of a file."""


@contextmanager
def regular(path: str | os.PathLike[str]) -> Iterator[BufferedReader]:
    """Open a regular file, or the target of a link, for reading bytes.

    Raises:
        OSError: the file cannot be opened, or is a folder, a pipe or a device; `strerror` says which. The call never
            blocks on a pipe.
    """
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    with open(path, "rb", opener=lambda name, _: os.open(name, flags)) as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise OSError(errno.EINVAL, "it is not a regular file", str(path))
        yield file


def read_file(path: str | os.PathLike[str], max_bytes: int) -> bytes:
    """Read a regular file, or the target of a link, of at most `max_bytes` bytes.

    Raises:
        OSError: the file cannot be read, is longer, or is a folder, a pipe or a device; `strerror` says which. The
            size is checked before reading, and the call never blocks on a pipe.
    """
    with regular(path) as file:
        size = os.fstat(file.fileno()).st_size
        data = b"" if size > max_bytes else file.read(size + 1)
        if len(data) > size:  # the file grows, or reports no size, as in /proc
            data += file.read(max(max_bytes + 1 - len(data), 0))
    if max(size, len(data)) > max_bytes:
        raise OSError(errno.EFBIG, f"it is longer than {max_bytes} bytes", str(path))
    return data


def read_text(path: str | os.PathLike[str], max_bytes: int) -> str:
    """Read a UTF-8 file of at most `max_bytes` bytes, without its byte order mark.

    Raises:
        OSError: the file cannot be read; see `read_file`.
        ValueError: the file is not UTF-8. The message does not name the file.
    """
    return decoded(read_file(path, max_bytes))


def decoded(data: bytes) -> str:
    """Decode UTF-8 bytes, without a byte order mark.

    Raises:
        ValueError: the bytes are UTF-16, or not UTF-8; then the message names the line of the first wrong byte.
    """
    if data.startswith(_UTF_16) or (len(data) > 1 and not all(data[:2]) and any(data[:2])):
        raise ValueError("the file is UTF-16, and must be UTF-8")
    try:
        return data.removeprefix(_UTF_8).decode()
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise ValueError(f"the file must be UTF-8, but line {line} is not: {one_line(error)}") from None


def shipped_folder(name: str) -> Path:
    """Return the path of a folder that comes with the package, `configs` or `checkpoints`.

    The folder is inside `spygames` in an installed wheel, else at the top of the clone. The path may not exist.
    """
    package = Path(__file__).resolve().parents[2]
    installed = package / name
    return installed if installed.is_dir() else package.parents[1] / name
