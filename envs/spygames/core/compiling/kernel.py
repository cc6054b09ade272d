"""The decorator `kernel`: compile plain Python functions on records to machine code that is cached on disk."""

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
            f"kernels cannot be linked with Numba {numba.__version__} ({one_line(_missing)}), so Numba's own compiler "
            "is used: results are the same, and compiling takes about twice as long",
            stacklevel=2,
        )

__all__ = ["CompileError", "Int", "Record", "cache_dir", "kernel"]

Int = int | np.signedinteger[Any]
"""An integer in a kernel: a Python int if it comes from a constant, a NumPy integer if it is read from a record."""
Record = Any
"""One state, view or set of options: a NumPy record with the fields of the game's STATE, VIEW or OPTIONS."""

F = TypeVar("F", bound=Callable[..., object])


@contextlib.contextmanager
def _uncollected() -> Iterator[None]:
    """Disable garbage collection, which takes a tenth of the compile time and frees little."""
    if not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


class CompileError(RuntimeError):
    """A kernel does not compile. The one-line message says which, where and why; Numba's error is the `__cause__`."""


class _Failure(threading.local):
    """The first failure since the last success: the error of the innermost kernel, which its callers repeat."""

    kernel: FunctionType | None = None
    error: Exception


_failure = _Failure()


class Kernel(CPUDispatcher):
    """A Numba dispatcher with machine code cached by `MachineCode` and one-line errors."""

    kind = "whole-"
    """Prefix in the names of cache files; it separates code that is linked in different ways."""
    pipeline: Any = Compiler
    """Numba's compiler class, or its replacement."""

    def __init__(self, function: FunctionType, *_: object):  # Numba passes its options again after unpickling
        super().__init__(function, targetoptions=dict(OPTIONS), pipeline_class=self.pipeline)
        self._cache = MachineCode(function, self.kind, link.is_lasting if LINKS else None)
        self.variant = ""
        """The title of the variant whose loop this is; "" if it is not a loop of a variant."""
        self._entry: Any = None

    def compile(self, sig: Any) -> Any:
        """Compile a signature for calls from Python, and return the entry point."""
        _announce(self)
        with self._noted(), global_compiler_lock, _uncollected():
            return super().compile(sig)

    def has_part(self) -> bool:
        """Whether callers of this kernel find it compiled."""
        return is_cached(self)

    @contextlib.contextmanager
    def _noted(self) -> Iterator[None]:
        """Record the first failure in `_failure`.

        After a failed call Numba goes on with the other calls of the caller, so their success does not forget it. That
        of the caller or of the same kernel does: it had other types then.
        """
        before: Any = _failure.kernel
        own: Any = self.py_func
        try:
            yield
        except Exception as error:
            if _failure.kernel is None:
                _failure.kernel, _failure.error = own, error
            raise
        _failure.kernel = None if before is own else before

    def entry(self, args: tuple[Any, ...]) -> Any:
        """Return the entry point for the types of the first arguments ever passed, compiled if needed."""
        if self._entry is None:
            with self._explained():
                self._entry = self.compile(tuple(map(self.typeof_pyval, args)))
        return self._entry

    def _compile_for_args(self, *args: Any, **kws: Any) -> Any:
        with self._explained():
            return cast(Any, super())._compile_for_args(*args, **kws)

    @contextlib.contextmanager
    def _explained(self) -> Iterator[None]:
        """Raise CompileError for a recorded failure."""
        _failure.kernel = None
        try:
            with _interruptible():
                yield
        except Exception as error:
            if _failure.kernel is None:
                raise
            raise CompileError(_complaint(_failure.kernel, _failure.error)) from error

    def __reduce__(self) -> tuple[Any, Any]:
        """Pickle by module and name, as functions are, or by value if defined in a notebook or inside a function."""
        where = self.py_func.__module__, self.py_func.__qualname__
        try:
            if where[0] != "__main__" and _find(*where) is self:
                return _find, where
        except (ImportError, AttributeError):
            pass
        remade, arguments = super().__reduce__()
        return _remade, (remade, dumps(arguments))


class LinkedKernel(Kernel):
    """A kernel that is compiled once as a part and linked into all its callers (`spygames.core.compiling.link`)."""

    kind = ""
    pipeline = link.WholePipeline if LINKS else Compiler

    def __init__(self, function: FunctionType, *_: object):
        super().__init__(function)
        self._kept_parts = MachineCode(function, "part-", link.is_lasting)
        self._parts: dict[tuple[Any, ...], link.Part] = {}
        self._new_part = link.compiler(function, dict(OPTIONS))

    def compile(self, sig: Any) -> Any:
        """Compile a signature for calls from Python, and return the entry point."""
        with global_compiler_lock, link.remembered(self.typingctx):
            return super().compile(sig)

    def add_overload(self, cres: Any) -> None:
        """Register a signature that was compiled or loaded. Numba calls this."""
        link.connect(cres)
        super().add_overload(cres)

    def get_call_template(self, args: Any, kws: Any) -> tuple[Any, ...]:
        """Return the template of a call, compiling the part if needed. Numba calls this while it compiles a caller."""
        pysig, args = cast(Any, self)._compiler.fold_argument_types(args, kws)
        with self._noted():
            part = self._part(tuple(map(link.wide, args)))
        return make_concrete_template(self.__name__, key=self.__name__, signatures=[part.signature]), pysig, args, {}

    def get_overload(self, sig: Any) -> Any:
        """Return the key of the part's code. Numba calls this after `get_call_template`."""
        return self._parts[tuple(sig)].key

    def has_part(self) -> bool:
        """Whether callers of this kernel find it compiled."""
        return bool(self._parts) or self._kept_parts.is_kept()

    def _part(self, args: tuple[Any, ...]) -> "link.Part":
        with global_compiler_lock, cast(Any, self)._compiling_counter:  # lets Numba detect recursion
            if (part := self._parts.get(args)) is None:
                part = self._parts[args] = self._kept_parts.part(
                    args, self.targetctx, self._new_part, link.Part.rebuild
                )
            return part


@contextlib.contextmanager
def _interruptible() -> Iterator[None]:
    """Raise KeyboardInterrupt for a Ctrl-C while LLVM compiles.

    Python raises the interrupt in a callback of LLVM, which cannot propagate it. Python then reports it as ignored, and
    Numba finds no machine code.
    """
    lost: list[object] = []
    before = sys.unraisablehook

    def note(unraisable: "sys.UnraisableHookArgs") -> None:
        if isinstance(unraisable.exc_value, KeyboardInterrupt):
            lost.append(unraisable.exc_value)
        else:
            before(unraisable)

    if threading.current_thread() is not threading.main_thread():  # only the main thread receives Ctrl-C
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
    """Unpickle a kernel that was pickled by value; a kernel that exists in this process is returned itself."""
    return remade(*pickle.loads(arguments))


def _find(module: str, name: str) -> Any:
    """Unpickle a kernel that was pickled by module and name."""
    return functools.reduce(getattr, name.split("."), importlib.import_module(module))


def _complaint(function: FunctionType, error: Exception) -> str:
    """Return the message of a CompileError: which kernel, where and why, in one line."""
    # Some errors have no location. The frames of Numba that raised them do, and the innermost one is the best.
    met = [getattr(frame.f_locals.get("self"), "loc", None) for frame, _ in traceback.walk_tb(error.__traceback__)]
    places = [getattr(error, "loc", None), *reversed(met)]
    line = next((place.line for place in places if place is not None), function.__code__.co_firstlineno)
    text = str(error)
    lines = [each.strip() for each in text.splitlines() if each.strip() and not each.startswith("Failed in nopython")]
    why = " ".join(lines[:2] if lines and lines[0].endswith(":") else lines[:1])
    if "NRT required" in text or "Only accept returning of array" in text:
        why = f"it allocates memory, which kernels must not do ({why})"
    elif isinstance(error, KeyError):
        why = f"a record has no field {why}"
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
    """Compile `function` on its first call. Type checkers see its signature unchanged.

    A kernel works in place on its arguments and neither allocates nor raises. It is therefore compiled without Numba's
    reference counting (`_nrt=False`), which would cost more time than most kernels take. With NUMBA_DISABLE_JIT=1 the
    same function runs as plain Python.

    Args:
        function: the function to compile.
        noalias: a promise that all callers pass arguments which share no memory. The compiler can then vectorize: a
            kernel that fills a view from a state takes 50 to 90 % of the time.
    """
    if function is None:
        return functools.partial(_kernel, noalias=noalias)
    return _kernel(function, noalias)


def _kernel(function: F, noalias: bool) -> F:
    if numba.config.DISABLE_JIT:
        return cast(F, np.errstate(all="ignore")(function))  # as in machine code; random streams overflow by design
    if noalias:
        cast(Any, function).noalias = True
    return cast(F, (LinkedKernel if LINKS else Kernel)(cast(FunctionType, function)))


def bind(template: F, name: str, variant: str = "", /, **names: object) -> F:
    """Return a compiled copy of the loop `template` whose globals are replaced by `names`, such as a game's kernels.

    A closure over kernels would be compiled again in each process, while a copied function with its own globals is
    cached like any other. Equal copies are the same object. Different dtypes in `names` give different copies, even if
    the loop does not use them.

    Args:
        template: the loop.
        name: the game's id, which becomes part of the copy's name.
        variant: the title of the variant. If given, a line on stderr announces compiling.
        names: the globals to replace.
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
    """Return a fast entry point of `function`, for calls whose arguments always have the types of `args`.

    The entry point does not check the types, which takes a microsecond for a tuple of arrays.
    """
    return cast(F, function.entry(args)) if isinstance(function, Kernel) else function


_bound: dict[tuple[str, str], Callable[..., object]] = {}


def is_kernel(function: object) -> bool:
    """Whether a compiled loop can call this function. A plain function can be called only if nothing is compiled."""
    return bool(numba.config.DISABLE_JIT) or not isinstance(function, FunctionType)


def is_cached(function: Callable[..., object]) -> bool:
    """Whether machine code of `function` exists for some signature, in this process or on disk."""
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
"""The purpose of the loops of each module, by the module's name."""
_SECONDS_A_BYTE = 0.15e-3
"""Compile time per byte of uncompiled bytecode: 0.13 to 0.15 ms in six variants, on one core of an AMD EPYC."""


def _announce(loop: Kernel) -> None:
    """Announce on stderr that a loop of a variant is about to be compiled, unless its machine code exists.

    There is one line per variant. It covers all loops bound so far, since a caller binds several before the first call.
    """
    with _announcing:  # several threads may compile the same loop
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
    say(
        f"spygames: compiling {what} to machine code: about {seconds} s of one core, once on this machine, since the "
        "result is kept ..."
    )
