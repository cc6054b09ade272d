"""The disk cache of machine code: its folder, file names, loading and saving. An unreadable file counts as missing."""

import contextlib
import functools
import glob
import os
import pickle
import tempfile
import threading
import time
import warnings
from collections.abc import Callable
from functools import cache
from hashlib import sha256
from pathlib import Path
from types import FunctionType
from typing import Any, TypeVar, cast

from numba.core.compiler import CompileResult
from numba.core.runtime.nrt import rtsys
from numba.core.serialize import dumps
from numba.core.types import Record as NumbaRecord

from spygames.core.basics.files import read_file
from spygames.core.basics.text import one_line
from spygames.core.compiling.digest import code_digest

T = TypeVar("T")

FORMAT = "digest, pickle"
"""The file format. It is part of each file's name, so files of another format are never read."""
MAX_BYTES = 1 << 30
"""Maximum size of a file."""
_DIGEST = sha256().digest_size
_UNUSED_DAYS = 30
"""Files that have not been loaded for this many days are deleted, such as files of code that has been edited since."""
_warned: set[str] = set()


def load(path: Path | None, rebuild: Callable[..., T]) -> T | None:
    """Load a file that `save` wrote and return `rebuild(*values)`; None if the file is missing or cannot be read.

    A damaged file is deleted, with one warning per process. Its bytes are unpickled only if their digest is right.
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
    with contextlib.suppress(OSError):  # the file may belong to another user
        os.utime(path)
    return found


def save(path: Path, pickled: bytes) -> None:
    """Write a file atomically. On failure nothing is written, with one warning per process.

    The file is not synced to the disk, which would take 0.5 to 3 ms for each of several hundred files. A file that a
    power cut truncates is found by its digest and compiled again.
    """
    new = path.with_suffix(f".{os.getpid()}-{threading.get_ident()}")
    try:
        path.parent.mkdir(mode=0o700, exist_ok=True)
        new.write_bytes(sha256(pickled).digest() + pickled)
        new.replace(path)
    except OSError as error:  # such as a full disk
        with contextlib.suppress(OSError):
            new.unlink()
        _warn("write", f"compiled code cannot be kept, so the next process compiles again: {error}")
        return
    delete_unused(path.parent)


@cache
def delete_unused(folder: Path) -> None:
    """Delete cache files unused for `_UNUSED_DAYS` days, once per process."""
    long_ago = time.time() - _UNUSED_DAYS * 24 * 3600
    found: list[Path] = []
    with contextlib.suppress(OSError):
        found = [*folder.iterdir()]
    for old in found:
        with contextlib.suppress(OSError):  # another process may have deleted it first
            if old.stat().st_mtime < long_ago:
                old.unlink()


def _warn(kind: str, text: str) -> None:
    """Warn once per process and kind."""
    if kind not in _warned:
        _warned.add(kind)
        warnings.warn(text, stacklevel=4)


_PACKAGE = Path(__file__).resolve().parents[2]

_RECORD_NAMES = "by layout"
"""The naming scheme of record types in machine code. It is part of each cache key, so code of another scheme is never
loaded."""


def _by_layout(record: Any) -> tuple[str, tuple[str, ...]]:
    """Name a record type by a digest of its layout, for the names of compiled functions.

    Numba numbers the types of a process instead. Two processes that compile one kernel for two variants could then
    give both the same name. A process that loads both would call the wrong one.
    """
    return "Record", (sha256(record.name.encode()).hexdigest()[:16],)


cast(Any, NumbaRecord).mangling_args = property(_by_layout)


@cache
def cache_dir() -> str | None:
    """Return the cache folder, or None with a warning if no folder can be written.

    Tried in this order: NUMBA_CACHE_DIR if set, the package's `__pycache__`, the user's cache, and the user's own
    folder among the temporary files.
    """
    shared = _temporary_folder()
    roots = [_PACKAGE / "__pycache__", *_users_cache(), *shared]
    if os.environ.get("NUMBA_CACHE_DIR"):
        roots.insert(0, Path(os.environ["NUMBA_CACHE_DIR"]))
    for root in roots:
        folder = root / "kernels"
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            # Its files are executed, so a folder in a shared place must belong to this user.
            if os.access(folder, os.W_OK) and (root not in shared or folder.parent.stat().st_uid == _user()):
                return str(folder)
        except OSError:
            continue
    warnings.warn(
        f"compiled code cannot be kept, so each process compiles: tried {', '.join(map(str, roots))}", stacklevel=2
    )
    return None


def _user() -> int:
    return os.getuid() if hasattr(os, "getuid") else 0


def _users_cache() -> list[Path]:
    """Return the folder in the user's cache; [] for a user without a home directory."""
    with contextlib.suppress(RuntimeError):
        return [Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "spygames"]
    return []


def _temporary_folder() -> list[Path]:
    """Return the user's folder among the temporary files; [] if there is no temporary directory."""
    with contextlib.suppress(OSError):
        return [Path(tempfile.gettempdir()) / f"spygames-{_user()}"]
    return []


class MachineCode:
    """The disk cache of one kernel, with one file per signature. It replaces Numba's own cache in a dispatcher.

    Numba's cache notices an edit only in the kernel's own file. It misses edits in other files, of kernels that are
    called or of tables that are read. Here each file name has a digest of everything that the code is made from. The
    digest is taken on use, so it covers globals that are defined after the kernel. A file is therefore valid or not
    found, even when several processes write at once.

    Args:
        function: the Python function to compile.
        kind: prefix of the digest in file names; it separates code that is linked in different ways.
        is_lasting: a function that returns whether a compiled library is valid in other processes. None: a library is
            valid unless it holds an address of this process.
    """

    def __init__(self, function: FunctionType, kind: str = "", is_lasting: Callable[[Any], bool] | None = None):
        self._function, self._kind, self._is_lasting = function, kind, is_lasting

    @property
    def cache_path(self) -> str | None:
        """The folder of this kernel's files; None if there is no cache folder."""
        folder = cache_dir()
        return folder and os.path.join(folder, self._function.__module__)

    def is_kept(self) -> bool:
        """Whether a file exists for any signature."""
        path = self.cache_path
        return path is not None and any(Path(path).glob(f"{glob.escape(self._stem())}*.nbc"))

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Load the compiled function for a signature; None if it is not cached."""
        rtsys.initialize(target_context)  # the runtime that machine code calls
        rebuild = functools.partial(CompileResult._rebuild, target_context)
        return load(self._path(sig, target_context.codegen()), rebuild)

    def save_overload(self, sig: Any, compiled: Any) -> None:
        """Save a compiled function, and delete files that have long been unused."""
        self._write(self._path(sig, compiled.library.codegen), compiled.library, compiled._reduce)

    def part(self, args: Any, target_context: Any, make: Callable[[Any], T], rebuild: Callable[..., T]) -> T:
        """Load the part for these argument types with `rebuild`, or compile it with `make` and save it."""
        path = self._path(args, target_context.codegen())
        if (part := load(path, rebuild)) is None:
            part = make(args)
            self._write(path, cast(Any, part).library, cast(Any, part).reduce)
        return part

    def _write(self, path: Path | None, library: Any, reduce: Callable[[], Any]) -> None:
        if (
            path is not None
            and not library.has_dynamic_globals
            and (self._is_lasting is None or self._is_lasting(library))
        ):
            save(path, dumps(reduce()))

    def _path(self, sig: Any, codegen: Any) -> Path | None:
        folder = self.cache_path
        # The text of a named tuple's type lacks the field names.
        arguments = getattr(sig, "args", sig)
        fields = [getattr(getattr(each, "instance_class", None), "_fields", None) for each in arguments]
        key = sha256(repr((str(sig), fields, codegen.magic_tuple(), _RECORD_NAMES)).encode()).hexdigest()[:16]
        return Path(folder, f"{self._stem()}{key}.nbc") if folder else None

    def _stem(self) -> str:
        name = self._function.__qualname__.replace("<", "").replace(">", "")
        return f"{name}-{self._kind}{code_digest(self._function, FORMAT)}-"
