"""Compile a kernel to a part: bitcode for linking into its callers.

Numba makes an entry point for Python, one for C, and machine code of each function, at every level of calls. A kernel
that is only called by other kernels needs none of them. Its bitcode goes into the caller's module and is optimized
there.
"""

import contextlib
from collections.abc import Callable, Iterator
from types import CodeType
from typing import Any, NamedTuple, cast

from llvmlite.binding import Linkage, parse_bitcode
from numba.core import dispatcher, types
from numba.core.codegen import JITCodeLibrary, RuntimeLinker
from numba.core.compiler import Compiler
from numba.core.compiler_machinery import PassManager
from numba.core.registry import cpu_target as _cpu_target
from numba.core.targetconfig import ConfigStack

cpu_target = cast(Any, _cpu_target)  # its type stubs are incomplete


class Part(NamedTuple):
    """One signature of a kernel, compiled for its callers."""

    key: object
    """the key by which Numba finds the code when it lowers a call"""
    signature: Any
    fndesc: Any
    library: Any
    environment: Any
    """its Python objects, needed by a `print` for debugging"""

    @classmethod
    def of(cls, signature: Any, fndesc: Any, library: Any, environment: Any) -> "Part":
        """Create a part and register it with Numba."""
        part = cls(object(), signature, fndesc, library, environment)
        cpu_target.target_context.insert_user_function(part.key, fndesc, [library])
        return part

    def reduce(self) -> tuple[Any, ...]:
        """Return values to pickle, the arguments of `rebuild`."""
        self.fndesc.typemap = self.fndesc.calltypes = None  # large, no longer needed, and some cannot be pickled
        return self.signature, self.fndesc, self.library.serialize_using_bitcode(), self.environment

    @classmethod
    def rebuild(cls, signature: Any, fndesc: Any, bitcode: Any, environment: Any) -> "Part":
        """Create the part from the values that `reduce` returned."""
        library = _Bitcode._unserialize(cpu_target.target_context.codegen(), bitcode)
        return cls.of(signature, fndesc, library, environment)


def is_lasting(library: Any) -> bool:
    """Whether compiled code is valid in other processes: it holds no address of this process, and no function that it
    looks up by name at run time."""
    return not (library.has_dynamic_globals or _sought(library._final_module))


def _sought(module: Any) -> set[str]:
    """Return the functions that a module looks up by name at run time, as mutually recursive kernels do."""
    prefix = RuntimeLinker.PREFIX
    return {each.name.removeprefix(prefix) for each in module.global_variables if each.name.startswith(prefix)}


class _Bitcode(JITCodeLibrary):
    """A code library for linking only. Numba's own libraries are optimized and compiled to machine code first."""

    @classmethod
    def _unserialize(cls, codegen: Any, state: Any) -> Any:
        name, _, bitcode = state
        self = cls(codegen, name)
        self._final_module = parse_bitcode(bitcode)
        self._finalize_final_module()
        return self

    def _optimize_final_module(self) -> None:
        pass

    def finalize(self) -> None:
        """Link the callees. Verification is left to the loop that links this library."""
        for library in dict.fromkeys(self._linking_libraries):
            self._final_module.link_in(library._get_module_for_linking(), preserve=True)
        self._finalize_final_module()

    def _finalize_final_module(self) -> None:
        module = self._shared_module = self._final_module  # Numba would link a copy, since it executes the original
        self._finalize_dynamic_globals()
        named = _sought(module)
        for function in module.functions:
            if not function.is_declaration:
                if function.name in named:
                    function.linkage = "weak_odr"  # keeps the optimizer from dropping it
                elif function.linkage == Linkage.external:
                    function.linkage = "linkonce_odr"
        self._finalized = True


class _Passes(PassManager):
    """Numba's pass manager without events, whose preparation lists all flags before each pass."""

    def _run_pass(self, index: int, one: Any, state: Any) -> None:
        one.analysis = self._analysis
        for run in (one.run_initialization, one.run_pass, one.run_finalizer):
            run(state)

    _runPass: Any = _run_pass  # noqa: N815 (Numba's name)


class _Pipeline(Compiler):
    """Numba's compiler, stopped at bitcode."""

    noalias = False

    def __init__(self, typing: Any, target: Any, _: None, args: Any, returned: Any, flags: Any, variables: Any):
        flags.noalias = self.noalias
        flags.no_compile = flags.no_cpython_wrapper = flags.no_cfunc_wrapper = True
        with _refreshed(typing, target):
            super().__init__(typing, target, _Bitcode(target.codegen(), "part"), args, returned, flags, variables)

    def define_pipelines(self) -> list[Any]:
        """Return Numba's passes without those that a part does not need."""
        if (found := _passes.get(closures := _has_closures(self.state.func_id.code))) is None:
            (found,) = super().define_pipelines()
            unused = _UNUSED if closures else {*_UNUSED, "InlineClosureLikes"}
            passes = _Passes("nopython")  # the name appears in Numba's errors
            passes.passes = [each for each in found.passes if each[0].__name__ not in unused]
            passes.finalize()
            found = _passes[closures] = passes
        return [found]


class WholePipeline(_Pipeline):
    """The same compiler up to machine code, with an entry point for Python but none for C."""

    def __init__(self, typing: Any, target: Any, _: None, args: Any, returned: Any, flags: Any, variables: Any):
        flags.no_cfunc_wrapper = True
        library = target.codegen().create_library("whole")
        library.enable_object_caching()
        Compiler.__init__(self, typing, target, library, args, returned, flags, variables)


class _NoAlias(_Pipeline):
    """The compiler of parts whose arguments share no memory."""

    noalias = True


_UNUSED = {"NopythonRewrites", "AnnotateTypes", "DumpParforDiagnostics"}
"""Unneeded passes: rewrites of whole-array expressions (which allocate), type annotations, and reports on Numba's
parallel loops."""
_passes: dict[bool, Any] = {}
"""The passes for code with closures (True) and without (False)."""


def _has_closures(code: CodeType) -> bool:
    """Whether code contains an inner function, or a construct compiled as one, such as a comprehension."""
    return any(isinstance(each, CodeType) for each in code.co_consts)


@contextlib.contextmanager
def _refreshed(*contexts: Any) -> Iterator[None]:
    """Skip the refresh of contexts: a part is compiled during another compilation, which has already done it."""
    for context in contexts:
        context.refresh = _nothing
    try:
        yield
    finally:
        for context in contexts:
            del context.refresh


def _nothing() -> None:
    pass


@contextlib.contextmanager
def remembered(context: Any) -> Iterator[None]:
    """Cache the types that calls of built-in functions resolve to. Numba would try all forms of an operator for each
    use, several times each."""
    if "resolve_function_type" in vars(context):
        yield
        return
    resolve, known = context.resolve_function_type, {}

    def remembering(function: Any, args: Any, kws: Any) -> Any:
        of_type = context._lookup_global(function) or function
        if kws or type(of_type) is not types.Function:
            return resolve(function, args, kws)
        flags = ConfigStack.top_or_none()  # Numba's own functions, compiled on the way, may allocate
        key = flags is not None and flags.nrt, of_type, *args
        if (found := known.get(key)) is None:
            found = known[key] = resolve(function, args, kws)
        return found

    context.resolve_function_type = remembering
    try:
        yield
    finally:
        del context.resolve_function_type


def compiler(function: Callable[..., object], options: dict[str, Any]) -> Callable[[tuple[Any, ...]], Part]:
    """Return a function that compiles the part of `function` for given argument types."""
    pipeline = _NoAlias if getattr(function, "noalias", False) else _Pipeline
    compile = cast(Any, dispatcher)._FunctionCompiler(function, cpu_target, options, {}, pipeline).compile

    def part(args: tuple[Any, ...]) -> Part:
        result = compile(args, None)
        return Part.of(result.signature, result.fndesc, result.library, result.environment)

    return part


def connect(compiled: Any) -> None:
    """Set the environments of the parts linked into machine code, as Numba does for each function it compiles."""
    for environment in compiled._find_referenced_environments():
        compiled.codegen.set_env(environment.env_name, environment)


def wide(argument: Any) -> Any:
    """Widen the type of an argument: all signed integers become int64.

    A kernel called with an int8, an int64 and a literal is then compiled once. Numba computes in int64 anyway.
    """
    plain = types.unliteral(argument)
    return types.int64 if isinstance(plain, types.Integer) and cast(Any, plain).signed else plain


_USED: dict[Any, tuple[str, ...]] = {
    Compiler: ("define_pipelines",),
    ConfigStack: ("top_or_none",),
    JITCodeLibrary: ("_finalize_dynamic_globals", "_get_module_for_linking", "_optimize_final_module"),
    PassManager: ("_runPass", "finalize"),
    RuntimeLinker: ("PREFIX",),
    dispatcher: ("_FunctionCompiler",),
    cpu_target.target_context: ("insert_user_function", "refresh", "codegen"),
    cpu_target.typing_context: ("_lookup_global", "resolve_function_type", "refresh"),
}
"""Undocumented names of Numba that this module uses, by their owner."""


def check_names() -> None:
    """Raise AttributeError if the installed Numba lacks a name in `_USED`."""
    for owner, names in _USED.items():
        for name in names:
            getattr(owner, name)


check_names()  # `core/compiling/kernel.py` falls back to Numba's compiler if this import fails
