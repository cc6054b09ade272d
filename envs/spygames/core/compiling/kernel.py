"""Turning plain Python functions over one record into machine code, and keeping that code between processes."""

import contextlib
import functools
import gc
import importlib
import pickle
import sys
import threading
import traceback
import warnings
from collections.abc import Callable, Iterator
from types import FunctionType
from typing import TYPE_CHECKING, Any, TypeVar, cast, overload

import numpy as np
from numba.core.compiler import Compiler
from numba.core.compiler_lock import global_compiler_lock
from numba.core.errors import NumbaError
from numba.core.registry import CPUDispatcher
from numba.core.serialize import dumps
from numba.core.typing.templates import make_concrete_template

from spygames.core.basics.text import one_line, say
from spygames.core.compiling.cache import MachineCode, cache_dir
from spygames.core.compiling.digest import OPTIONS, code_digest, names_of, numba

LINKS = True
"""Whether kernels are linked into their callers (`LinkedKernel`)."""
if TYPE_CHECKING:
    from spygames.core.compiling import link
else:
    try:
        from spygames.core.compiling import link
    except (ImportError, AttributeError) as _missing:
        LINKS = False
        warnings.warn(
            f"this Numba ({numba.__version__}) lacks what kernels are linked with ({one_line(_missing)}): Numba's own "
            "compiler does it, to the same results, in about twice the time",
            stacklevel=2,
        )

__all__ = ["CompileError", "Int", "Record", "cache_dir", "kernel"]

Int = int | np.signedinteger[Any]
"""A number in a kernel: a Python integer when interpreted from constants, a NumPy one when read from a record."""
Record = Any
"""One state, view or set of options: a NumPy record with the fields of the game's STATE, VIEW or OPTIONS."""

F = TypeVar("F", bound=Callable[..., object])


@contextlib.contextmanager
def _uncollected() -> Iterator[None]:
    """Inside, there is no search for garbage, which takes a tenth of the time of compiling and finds little."""
    if not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


class CompileError(RuntimeError):
    """A kernel does not compile. The message says which, where and why in one line; Numba's own error is the cause."""


class _Failure(threading.local):
    """What failed first since the last success: the innermost kernel, whose error those around it repeat."""

    kernel: FunctionType | None = None
    error: Exception


_failure = _Failure()


class Kernel(CPUDispatcher):
    """A compiled function, Numba's with machine code kept as `MachineCode` does and errors of one line."""

    kind = "whole-"
    """In the names of kept files: code that is linked otherwise is other code."""
    pipeline: Any = Compiler
    """Numba's compiler, or what takes its place."""

    def __init__(self, function: FunctionType, *_: object):  # Numba passes its options once more after pickling
        super().__init__(function, targetoptions=dict(OPTIONS), pipeline_class=self.pipeline)
        self._cache = MachineCode(function, self.kind, link.is_lasting if LINKS else None)
        self.variant = ""
        """The variant that it is a loop of, on one line; "" for none."""
        self._entry: Any = None

    def compile(self, sig: Any) -> Any:
        """Machine code for a signature, to be called from Python."""
        _announce(self)
        with self._noted(), global_compiler_lock, _uncollected():
            return super().compile(sig)

    def has_part(self) -> bool:
        """Whether callers of this kernel find it compiled."""
        return is_cached(self)

    @contextlib.contextmanager
    def _noted(self) -> Iterator[None]:
        """Notes what fails."""
        try:
            yield
        except Exception as error:
            if _failure.kernel is None:
                _failure.kernel, _failure.error = self.py_func, error
            raise
        _failure.kernel = None

    def entry(self, args: tuple[Any, ...]) -> Any:
        """What runs for arguments of the types of the first ones ever, compiled if need be."""
        if self._entry is None:
            with self._explained():
                self._entry = self.compile(tuple(map(self.typeof_pyval, args)))
        return self._entry

    def _compile_for_args(self, *args: Any, **kws: Any) -> Any:
        with self._explained():
            return cast(Any, super())._compile_for_args(*args, **kws)

    @contextlib.contextmanager
    def _explained(self) -> Iterator[None]:
        """CompileError for what fails."""
        _failure.kernel = None
        try:
            with _interruptible():
                yield
        except Exception as error:
            if _failure.kernel is None:
                raise
            raise CompileError(_complaint(_failure.kernel, _failure.error)) from error

    def __reduce__(self) -> tuple[Any, Any]:
        """Pickled by module and name, as functions are, else by value: what is defined in a notebook or a function."""
        where = self.py_func.__module__, self.py_func.__qualname__
        try:
            if where[0] != "__main__" and _find(*where) is self:
                return _find, where
        except (ImportError, AttributeError):
            pass
        remade, arguments = super().__reduce__()
        return _remade, (remade, dumps(arguments))


class LinkedKernel(Kernel):
    """A kernel that its callers link as a part: compiled once for all of them (`spygames.core.compiling.link`)."""

    kind = ""
    pipeline = link.WholePipeline if LINKS else Compiler

    def __init__(self, function: FunctionType, *_: object):
        super().__init__(function)
        self._kept_parts = MachineCode(function, "part-", link.is_lasting)
        self._parts: dict[tuple[Any, ...], link.Part] = {}
        self._new_part = link.compiler(function, dict(OPTIONS))

    def compile(self, sig: Any) -> Any:
        """Machine code for a signature, to be called from Python."""
        with global_compiler_lock, link.remembered(self.typingctx):
            return super().compile(sig)

    def add_overload(self, cres: Any) -> None:
        """What Numba does with a signature that it has compiled or loaded."""
        link.connect(cres)
        super().add_overload(cres)

    def get_call_template(self, args: Any, kws: Any) -> tuple[Any, ...]:
        """What Numba asks for while a kernel that calls this one is compiled: a part."""
        pysig, args = cast(Any, self)._compiler.fold_argument_types(args, kws)
        with self._noted():
            part = self._part(tuple(map(link.wide, args)))
        return make_concrete_template(self.__name__, key=self.__name__, signatures=[part.signature]), pysig, args, {}

    def get_overload(self, sig: Any) -> Any:
        """By what Numba finds the code of a call whose template it has."""
        return self._parts[tuple(sig)].key

    def has_part(self) -> bool:
        """Whether callers of this kernel find it compiled."""
        return bool(self._parts) or self._kept_parts.is_kept()

    def _part(self, args: tuple[Any, ...]) -> "link.Part":
        with global_compiler_lock, cast(Any, self)._compiling_counter:  # by which Numba sees that a kernel calls itself
            if (part := self._parts.get(args)) is None:
                part = self._parts[args] = self._kept_parts.part(
                    args, self.targetctx, self._new_part, link.Part.rebuild
                )
            return part


@contextlib.contextmanager
def _interruptible() -> Iterator[None]:
    """KeyboardInterrupt for a Ctrl-C while LLVM compiles. Python raises it in a callback of LLVM, which cannot pass it
    on, so that Python reports it as ignored and Numba finds no machine code."""
    lost: list[object] = []
    before = sys.unraisablehook

    def note(unraisable: "sys.UnraisableHookArgs") -> None:
        if isinstance(unraisable.exc_value, KeyboardInterrupt):
            lost.append(unraisable.exc_value)
        else:
            before(unraisable)

    if threading.current_thread() is not threading.main_thread():  # Ctrl-C comes to the main one
        yield
        return
    sys.unraisablehook = note
    try:
        yield
    except Exception:
        if lost:
            raise KeyboardInterrupt from None
        raise
    finally:
        sys.unraisablehook = before
    if lost:
        raise KeyboardInterrupt


def _remade(remade: Callable[..., Any], arguments: bytes) -> Any:
    """What pickling by value has left of a kernel; the kernel itself where it is in this process."""
    return remade(*pickle.loads(arguments))


def _find(module: str, name: str) -> Any:
    """What pickling has left of a kernel."""
    return functools.reduce(getattr, name.split("."), importlib.import_module(module))


def _complaint(function: FunctionType, error: Exception) -> str:
    """Which kernel does not compile, where and why, in one line."""
    # For an error without a place: the parts of Numba that met it know what they were looking at, the last one best.
    met = [getattr(frame.f_locals.get("self"), "loc", None) for frame, _ in traceback.walk_tb(error.__traceback__)]
    places = [getattr(error, "loc", None), *reversed(met)]
    line = next((place.line for place in places if place is not None), function.__code__.co_firstlineno)
    text = str(error)
    lines = [each.strip() for each in text.splitlines() if each.strip() and not each.startswith("Failed in nopython")]
    why = " ".join(lines[:2] if lines and lines[0].endswith(":") else lines[:1])
    if "NRT required" in text or "Only accept returning of array" in text:
        why = f"it allocates memory, which a kernel must not ({why})"
    elif not isinstance(error, NumbaError):
        why = f"{type(error).__name__}: {why}" if why else type(error).__name__
    where = f"{function.__code__.co_filename}, line {line}"
    return (
        f"kernel {function.__qualname__} does not compile ({where}): {one_line(why, 200)}; "
        "with NUMBA_DISABLE_JIT=1 it runs as plain Python, with an ordinary traceback"
    )


@overload
def kernel(function: F) -> F: ...
@overload
def kernel(*, noalias: bool) -> Callable[[F], F]: ...
def kernel(function: F | None = None, *, noalias: bool = False) -> F | Callable[[F], F]:
    """Compiles `function` on its first call and keeps its signature for type checkers.

    A kernel works in place on its arguments, allocates nothing and raises nothing, so it is compiled without
    Numba's reference counting (`_nrt=False`), which would cost more than most kernels do. With
    NUMBA_DISABLE_JIT=1 the same function runs as plain Python.

    Args:
        function: what is compiled.
        noalias: its arguments share no memory, which is a promise of all its callers. The compiler then need not read
            the one again after writing into the other, and does several elements at a time: a kernel that fills a view
            from a state takes half to nine tenths of the time.
    """
    if function is None:
        return functools.partial(_kernel, noalias=noalias)
    return _kernel(function, noalias)


def _kernel(function: F, noalias: bool) -> F:
    if numba.config.DISABLE_JIT:
        return cast(F, np.errstate(all="ignore")(function))  # as machine code does; random streams wrap round by design
    if noalias:
        cast(Any, function).noalias = True
    return cast(F, (LinkedKernel if LINKS else Kernel)(cast(FunctionType, function)))


def bind(template: F, name: str, variant: str = "", /, **names: object) -> F:
    """A compiled copy of the loop `template` in which the global `names` stand for a game's kernels.

    A closure over kernels would be compiled anew in each process; a copied function with globals of its own is
    kept like any other. `name` says for people whose copy it is, and they are told when a loop of a `variant` is
    compiled. Copies that stand for the same are one; a dtype tells them apart also where the loop does not read it.
    """
    source = cast(FunctionType, template)
    copy = FunctionType(source.__code__, {**source.__globals__, **names}, source.__name__, source.__defaults__)
    layouts = [value for value in names.values() if isinstance(value, np.dtype)]
    copy.__qualname__ = f"{source.__name__}-{name}-{code_digest(copy, *layouts)}"
    copy.__module__ = source.__module__
    where = copy.__module__, copy.__qualname__
    bound = _bound.get(where) or _bound.setdefault(where, kernel(copy))
    if isinstance(bound, Kernel):
        bound.variant = variant
    return cast(F, bound)


def entry(function: F, *args: object) -> F:
    """What runs `function`, which is always given arguments of the same types as these. It does not look at them, which
    takes a microsecond where a tuple of arrays is among them."""
    return cast(F, function.entry(args)) if isinstance(function, Kernel) else function


_bound: dict[tuple[str, str], Callable[..., object]] = {}


def is_cached(function: Callable[..., object]) -> bool:
    """Whether some machine code of `function` is ready, in this process or on disk."""
    return not isinstance(function, Kernel) or bool(function.signatures) or function._cache.is_kept()


_announced: set[str] = set()
_announcing = threading.Lock()
_PARTS = {
    "aec": "environment",
    "batch": "batches",
    "aec_step": "environment",
    "loops": "search on top of a policy",
    "player": "scripted players",
    "rows": "batches",
    "search_loops": "search",
}
"""What the loops of a module are for, by its name."""
_SECONDS_A_BYTE = 0.15e-3
"""Of bytecode, where nothing of it is compiled yet: 0.13 to 0.15 in six variants, on one core of an AMD EPYC."""


def _announce(loop: Kernel) -> None:
    """Says on stderr that a loop of a variant is about to be compiled, where it is not ready yet: one line a variant,
    about all of its loops that are bound by now, since a caller binds several before it calls the first."""
    with _announcing:  # threads may ask for the same loop
        if not loop.variant or loop.variant in _announced or is_cached(loop):
            return
        _announced.add(loop.variant)
    of_variant = [f for f in [*_bound.values()] if isinstance(f, Kernel) and f.variant == loop.variant]
    waiting = [f for f in of_variant if f is loop or not (is_cached(f) or f.has_part())]
    reached = {id(f) for f in waiting}
    modules = [cast(FunctionType, f.py_func).__module__.rpartition(".")[2] for f in waiting]
    parts_of = ", ".join(dict.fromkeys(_PARTS[module] for module in modules if module in _PARTS))
    size = 0
    while waiting:
        function = cast(FunctionType, waiting.pop().py_func)
        size += len(function.__code__.co_code)
        for name in names_of(function.__code__)[0]:
            each = function.__globals__.get(name)
            if isinstance(each, Kernel) and id(each) not in reached and not each.has_part():
                reached.add(id(each))
                waiting.append(each)
    seconds = max(1, round(size * _SECONDS_A_BYTE))
    what = f"{loop.variant} ({parts_of})" if parts_of else loop.variant
    say(f"spygames: compiling {what}: about {seconds} s of one core, once on this machine ...")
