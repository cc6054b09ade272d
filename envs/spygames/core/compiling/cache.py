"""Machine code on disk: its folder, the names of its files, and files of which one that cannot be read, for whatever
reason, counts as not there."""

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


_PACKAGE = Path(__file__).resolve().parents[2]

_RECORD_NAMES = "by layout"
"""How machine code names records, part of the names of kept files: code with other names is not loaded."""


def _by_layout(record: Any) -> tuple[str, tuple[str, ...]]:
    """What stands for a record's type in the names of compiled functions: a digest of its layout.

    Numba takes a number that counts the types of a process. Two processes that compile a kernel for two variants, in
    the same order, would then give both the same name, and a third one that loads both would call one for the other.
    """
    return "Record", (sha256(record.name.encode()).hexdigest()[:16],)


cast(Any, NumbaRecord).mangling_args = property(_by_layout)


@cache
def cache_dir() -> str | None:
    """Folder of the machine code: beside the package where that can be written, else in the user's cache, else one of
    the user's own among the temporary files; None, with a warning, where nothing can be written."""
    shared = _temporary_folder()
    roots = [_PACKAGE / "__pycache__", *_users_cache(), *shared]
    if os.environ.get("NUMBA_CACHE_DIR"):
        roots.insert(0, Path(os.environ["NUMBA_CACHE_DIR"]))
    for root in roots:
        folder = root / "kernels"
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            # What lies there is run, so in a place that all can write to it must be ours.
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
    """The folder in the user's cache; [] for a user without a home."""
    with contextlib.suppress(RuntimeError):
        return [Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "spygames"]
    return []


def _temporary_folder() -> list[Path]:
    """The user's folder among everybody's temporary files; [] where nothing at all can be written."""
    with contextlib.suppress(OSError):
        return [Path(tempfile.gettempdir()) / f"spygames-{_user()}"]
    return []


class MachineCode:
    """What a dispatcher asks for machine code on disk, in place of Numba's own cache: one file a signature.

    Numba's cache notices an edit in a kernel's own file, not in a kernel of another file that it calls, nor in a table
    that it reads. Here the name of a file holds a digest of everything that the code is made from, taken when it is
    asked for: what is named later than the kernel counts, too. So a file is right or not there, whoever else writes.
    """

    def __init__(self, function: FunctionType, kind: str = "", is_lasting: Callable[[Any], bool] | None = None):
        """Args:
        function: what is compiled.
        kind: in the names of the files: code that is linked otherwise is other code.
        is_lasting: whether a compiled library holds in other processes; None: unless it has an address of this one.
        """
        self._function, self._kind, self._is_lasting = function, kind, is_lasting

    @property
    def cache_path(self) -> str | None:
        """The folder, None where nothing can be kept."""
        folder = cache_dir()
        return folder and os.path.join(folder, self._function.__module__)

    def is_kept(self) -> bool:
        """Whether there is machine code of some signature."""
        path = self.cache_path
        return path is not None and any(Path(path).glob(f"{glob.escape(self._stem())}*.nbc"))

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """The compiled function for a signature, None if there is none."""
        rtsys.initialize(target_context)  # what machine code calls; to load it takes no declarations of functions
        rebuild = functools.partial(CompileResult._rebuild, target_context)
        return load(self._path(sig, target_context.codegen()), rebuild)

    def save_overload(self, sig: Any, compiled: Any) -> None:
        """Keeps a compiled function, and lets go what has not been used for long."""
        self._write(self._path(sig, compiled.library.codegen), compiled.library, compiled._reduce)

    def part(self, args: Any, target_context: Any, make: Callable[[Any], T], rebuild: Callable[..., T]) -> T:
        """The part for types of arguments: what `rebuild` makes of what is kept, or what `make` makes now, and then
        kept."""
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
        # A named tuple is printed without its names.
        arguments = getattr(sig, "args", sig)
        fields = [getattr(getattr(each, "instance_class", None), "_fields", None) for each in arguments]
        key = sha256(repr((str(sig), fields, codegen.magic_tuple(), _RECORD_NAMES)).encode()).hexdigest()[:16]
        return Path(folder, f"{self._stem()}{key}.nbc") if folder else None

    def _stem(self) -> str:
        name = self._function.__qualname__.replace("<", "").replace(">", "")
        return f"{name}-{self._kind}{code_digest(self._function, FORMAT)}-"
