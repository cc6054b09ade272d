"""A kernel as a part of the kernels that call it: what they link, and no more.

Numba makes of each function that it compiles an entry for Python, one for C, and machine code, at every level of calls.
A kernel that another one calls needs none of them: its bitcode goes into the caller's module, where it is optimized.
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

cpu_target = cast(Any, _cpu_target)  # its stubs know less than there is


class Part(NamedTuple):
    """One signature of a kernel, compiled for its callers."""

    key: object
    """what Numba finds the code by where it lowers a call"""
    signature: Any
    fndesc: Any
    library: Any
    environment: Any
    """what it has of Python: for a `print` while somebody looks for a fault"""

    @classmethod
    def of(cls, signature: Any, fndesc: Any, library: Any, environment: Any) -> "Part":
        """A part that Numba knows from now on."""
        part = cls(object(), signature, fndesc, library, environment)
        cpu_target.target_context.insert_user_function(part.key, fndesc, [library])
        return part

    def reduce(self) -> tuple[Any, ...]:
        """Values to pickle, from which `rebuild` makes the part again."""
        self.fndesc.typemap = self.fndesc.calltypes = None  # large, not needed any more, and some cannot be pickled
        return self.signature, self.fndesc, self.library.serialize_using_bitcode(), self.environment

    @classmethod
    def rebuild(cls, signature: Any, fndesc: Any, bitcode: Any, environment: Any) -> "Part":
        """The part of which these are the values."""
        library = _Bitcode._unserialize(cpu_target.target_context.codegen(), bitcode)
        return cls.of(signature, fndesc, library, environment)


def is_lasting(library: Any) -> bool:
    """Whether compiled code holds in other processes: not with an address of this one, nor with a function that is
    found by its name."""
    return not (library.has_dynamic_globals or _sought(library._final_module))


def _sought(module: Any) -> set[str]:
    """Functions that a module finds by their names as it runs: where kernels call each other in a circle."""
    prefix = RuntimeLinker.PREFIX
    return {each.name.removeprefix(prefix) for each in module.global_variables if each.name.startswith(prefix)}


class _Bitcode(JITCodeLibrary):
    """Code to link into others. Numba's own libraries are optimized and become machine code before they are linked."""

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
        """Links what it calls; the loop that it becomes a part of is verified."""
        for library in dict.fromkeys(self._linking_libraries):
            self._final_module.link_in(library._get_module_for_linking(), preserve=True)
        self._finalize_final_module()

    def _finalize_final_module(self) -> None:
        module = self._shared_module = self._final_module  # Numba links a copy, since it runs the original
        self._finalize_dynamic_globals()
        named = _sought(module)
        for function in module.functions:
            if not function.is_declaration:
                if function.name in named:
                    function.linkage = "weak_odr"  # so that it is not dropped
                elif function.linkage == Linkage.external:
                    function.linkage = "linkonce_odr"
        self._finalized = True


class _Passes(PassManager):
    """Numba's passes without their events, for which it lists all flags before each one."""

    def _run_pass(self, index: int, one: Any, state: Any) -> None:
        one.analysis = self._analysis
        for run in (one.run_initialization, one.run_pass, one.run_finalizer):
            run(state)

    _runPass: Any = _run_pass  # noqa: N815 (Numba's name)


class _Pipeline(Compiler):
    """Numba's compiler up to bitcode."""

    noalias = False

    def __init__(self, typing: Any, target: Any, _: None, args: Any, returned: Any, flags: Any, variables: Any):
        flags.noalias = self.noalias
        flags.no_compile = flags.no_cpython_wrapper = flags.no_cfunc_wrapper = True
        with _refreshed(typing, target):
            super().__init__(typing, target, _Bitcode(target.codegen(), "part"), args, returned, flags, variables)

    def define_pipelines(self) -> list[Any]:
        """Numba's passes without those that a part needs none of."""
        if (found := _passes.get(closures := _has_closures(self.state.func_id.code))) is None:
            (found,) = super().define_pipelines()
            unused = _UNUSED if closures else {*_UNUSED, "InlineClosureLikes"}
            passes = _Passes("nopython")  # a name that errors have, too
            passes.passes = [each for each in found.passes if each[0].__name__ not in unused]
            passes.finalize()
            found = _passes[closures] = passes
        return [found]


class WholePipeline(_Pipeline):
    """The same up to machine code, with an entry for Python and none for C."""

    def __init__(self, typing: Any, target: Any, _: None, args: Any, returned: Any, flags: Any, variables: Any):
        flags.no_cfunc_wrapper = True
        library = target.codegen().create_library("whole")
        library.enable_object_caching()
        Compiler.__init__(self, typing, target, library, args, returned, flags, variables)


class _NoAlias(_Pipeline):
    """The same for a kernel whose arguments share no memory."""

    noalias = True


_UNUSED = {"NopythonRewrites", "AnnotateTypes", "DumpParforDiagnostics"}
"""Passes for expressions of whole arrays, which allocate, for texts about types that nobody reads, and for loops that
Numba shares out to threads."""
_passes: dict[bool, Any] = {}
"""The passes, with those for closures and without."""


def _has_closures(code: CodeType) -> bool:
    """Whether there is a function in a function, or something that looks so: a comprehension, say."""
    return any(isinstance(each, CodeType) for each in code.co_consts)


@contextlib.contextmanager
def _refreshed(*contexts: Any) -> Iterator[None]:
    """Inside, contexts are as new as they are: a part is compiled while another kernel is, whose compiler has seen to
    that."""
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
    """Inside, a typing context remembers what calls of built-in functions return: Numba tries all forms of an operator
    anew for each of its uses, several times each."""
    if "resolve_function_type" in vars(context):
        yield
        return
    resolve, known = context.resolve_function_type, {}

    def remembering(function: Any, args: Any, kws: Any) -> Any:
        of_type = context._lookup_global(function) or function
        if kws or type(of_type) is not types.Function:
            return resolve(function, args, kws)
        flags = ConfigStack.top_or_none()  # a function of Numba's own, compiled meanwhile, may allocate
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
    """What makes the part of `function` for given types of its arguments."""
    pipeline = _NoAlias if getattr(function, "noalias", False) else _Pipeline
    compile = cast(Any, dispatcher)._FunctionCompiler(function, cpu_target, options, {}, pipeline).compile

    def part(args: tuple[Any, ...]) -> Part:
        result = compile(args, None)
        return Part.of(result.signature, result.fndesc, result.library, result.environment)

    return part


def connect(compiled: Any) -> None:
    """Gives the parts in machine code their environments, as Numba does for each function that it compiles."""
    for environment in compiled._find_referenced_environments():
        compiled.codegen.set_env(environment.env_name, environment)


def wide(argument: Any) -> Any:
    """The type as which a part takes an argument: all signed integers as one, so that a kernel that is called with a
    seat of int8, of int64 and with a literal one is compiled once. Numba computes with int64 anyway."""
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
"""What this module uses of Numba that Numba does not promise."""


def check_names() -> None:
    """AttributeError names one of these that this Numba lacks."""
    for owner, names in _USED.items():
        for name in names:
            getattr(owner, name)


check_names()  # `core/compiling/kernel.py` does without this module where it cannot be imported
