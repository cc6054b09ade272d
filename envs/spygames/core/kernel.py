"""Turning plain Python functions over one record into machine code, and keeping that code between processes."""

import contextlib
import os
import sys
import tempfile
import warnings
from collections.abc import Callable
from functools import cache
from hashlib import sha256
from pathlib import Path
from types import FunctionType
from typing import Any, TypeVar, cast

import numba as _numba
import numpy as np

Int = int | np.signedinteger[Any]
"""A number in a kernel: a Python integer when interpreted from constants, a NumPy one when read from a record."""
Record = Any
"""One state, view or set of options: a NumPy record with the fields of the game's STATE, VIEW or OPTIONS."""

F = TypeVar("F", bound=Callable[..., object])

numba = cast(Any, _numba)  # its stubs know neither `config` nor private flags
_PACKAGE = Path(__file__).resolve().parents[1]


@cache
def cache_dir() -> str | None:
    """Folder of the machine code: beside the package where that can be written, else in the user's cache, else one of
    the user's own among the temporary files; None, with a warning, where nothing can be written.

    Its name holds a digest of all sources, because Numba notices an edit in a kernel's own file but not in
    a kernel of another file that it calls.
    """
    digest = sha256(b"".join(p.read_bytes() for p in sorted(_PACKAGE.rglob("*.py")))).hexdigest()[:12]
    roots = [_PACKAGE / "__pycache__", *_user_folders()]
    if os.environ.get("NUMBA_CACHE_DIR"):
        roots.insert(0, Path(os.environ["NUMBA_CACHE_DIR"]))
    for root in roots:
        folder = root / f"numba-{digest}"
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            # What lies there is run, so in a place that all can write to it must be ours.
            if os.access(folder, os.W_OK) and (root != roots[-1] or folder.parent.stat().st_uid == _user()):
                return str(folder)
        except OSError:
            continue
    warnings.warn(
        f"compiled code cannot be kept, so each process compiles: tried {', '.join(map(str, roots))}", stacklevel=2
    )
    return None


def _user() -> int:
    return os.getuid() if hasattr(os, "getuid") else 0


def _user_folders() -> list[Path]:
    """Where a user's own files may go; the last one stands among everybody's."""
    folders = []
    with contextlib.suppress(RuntimeError):  # a user without a home
        folders.append(Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "spygames")
    return [*folders, Path(tempfile.gettempdir()) / f"spygames-{_user()}"]


def kernel(function: F) -> F:
    """Compiles `function` on its first call and keeps its signature for type checkers.

    A kernel works in place on its arguments, allocates nothing and raises nothing, so it is compiled without
    Numba's reference counting (`_nrt=False`), which would cost more than most kernels do. With
    NUMBA_DISABLE_JIT=1 the same function runs as plain Python.
    """
    if numba.config.DISABLE_JIT:
        return cast(F, np.errstate(over="ignore")(function))  # uint64 luck wraps round by design
    before, folder = numba.config.CACHE_DIR, cache_dir()
    numba.config.CACHE_DIR = folder or before  # read when the dispatcher is made; other users of Numba keep theirs
    try:
        return cast(F, numba.njit(cache=folder is not None, nogil=True, error_model="numpy", _nrt=False)(function))
    finally:
        numba.config.CACHE_DIR = before


def bind(template: F, name: str, **names: object) -> F:
    """A compiled copy of the loop `template` in which the global `names` stand for a game's kernels.

    A closure over kernels would be compiled anew in each process; a copied function with globals of its own is
    cached like any other. `name` tells the copies apart in the cache, so it must hold whatever identifies
    the kernels (`Game.digest` does).
    """
    source = cast(FunctionType, template)
    copy = FunctionType(source.__code__, {**source.__globals__, **names}, source.__name__, source.__defaults__)
    copy.__qualname__ = f"{source.__name__}-{name}"
    copy.__module__ = source.__module__
    return kernel(cast(F, copy))


def is_cached(function: Callable[..., object]) -> bool:
    """Whether some machine code of `function` is ready, in this process or on disk."""
    if numba.config.DISABLE_JIT:
        return True
    dispatcher = cast(Any, function)
    if dispatcher.signatures:
        return True
    if cache_dir() is None:
        return False
    files = dispatcher._cache._impl
    return (Path(dispatcher._cache.cache_path) / f"{files.filename_base}.nbi").exists()


def announce(functions: list[Callable[..., object]], what: str) -> None:
    """Says on stderr that `what` is about to be compiled, where it is not ready yet."""
    if not all(is_cached(f) for f in functions):
        print(
            f"spygames: compiling {what} (once on this machine for each variant, some seconds) ...",
            file=sys.stderr,
            flush=True,
        )
