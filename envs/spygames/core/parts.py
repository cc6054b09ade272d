"""A kernel as a part of the kernels that call it: what they link, and no more.

Numba makes of each function that it compiles an entry for Python, one for C, and machine code, at every level of calls.
A kernel that another one calls needs none of them: its bitcode goes into the caller's module, where it is optimized.
"""

from collections.abc import Callable
from typing import Any, NamedTuple, cast

from llvmlite.binding import parse_bitcode
from numba.core import dispatcher, types
from numba.core.codegen import JITCodeLibrary, RuntimeLinker
from numba.core.compiler import Compiler
from numba.core.registry import cpu_target as _cpu_target

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

    def _get_module_for_linking(self) -> Any:
        module = super()._get_module_for_linking()
        named = _sought(module)
        for function in module.functions if named else ():
            if function.name in named and not function.is_declaration:
                function.linkage = "weak_odr"  # so that it is not dropped
        return module

    def _optimize_final_module(self) -> None:
        pass

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()
        self._verify_declare_only_symbols()
        self._finalized = True


class _Pipeline(Compiler):
    """Numba's compiler up to bitcode."""

    noalias = False

    def __init__(self, typing: Any, target: Any, _: None, args: Any, returned: Any, flags: Any, variables: Any):
        flags.noalias = self.noalias
        flags.no_compile = flags.no_cpython_wrapper = flags.no_cfunc_wrapper = True
        super().__init__(typing, target, _Bitcode(target.codegen(), "part"), args, returned, flags, variables)


class _NoAlias(_Pipeline):
    """The same for a kernel whose arguments share no memory."""

    noalias = True


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
