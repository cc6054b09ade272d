"""Digests of code: of all that machine code is made from, in any file.

Machine code on disk is kept by these digests, and a run's state and `Game.digest` say by them whether rules are as
they were.
"""

import ast
import dis
import enum
import hashlib
import inspect
import sys
import textwrap
from collections.abc import Mapping
from functools import cache
from hashlib import sha256
from pathlib import Path
from tokenize import TokenError
from types import CodeType, FunctionType, ModuleType
from typing import Any, cast

import numba as _numba
import numpy as np

from spygames.core.basics.files import regular

numba = cast(Any, _numba)  # its stubs know neither `config` nor private flags

OPTIONS = {"nopython": True, "boundscheck": None, "nogil": True, "error_model": "numpy", "_nrt": False}
"""How kernels are compiled, which their machine code depends on, too."""

_FOREIGN = {"numpy", "numba", "llvmlite", *sys.stdlib_module_names}
"""Packages whose functions are known by their names: Numba brings the machine code for them, and its version counts."""


def code_digest(*values: object, libraries: bool = True) -> str:
    """Digest of all that machine code of `values` is made from, in any file: their code without docstrings, that of the
    functions that they reach through globals, tuples and modules, and the constants that are frozen into it.

    Args:
        values: kernels, functions, dtypes and constants.
        libraries: whether the versions and settings of Python, Numba and NumPy count, as they do for machine code.
            Otherwise functions are known by their source, as each version of Python writes bytecode in its own way, and
            the modules in which functions and types are defined do not count.
    """
    parts: list[object] = [
        sys.version_info[:2], numba.__version__, np.__version__, sorted(OPTIONS.items(), key=str),
        [getattr(numba.config, name, None) for name in ("BOUNDSCHECK", "OPT", "LOOP_VECTORIZE", "SLP_VECTORIZE")],
    ] if libraries else []  # fmt: skip
    seen: dict[object, int] = {}

    def home(value: FunctionType | type) -> tuple[str, ...]:
        # Machine code looks its constants up in the module by name, which has to be there when it is read back.
        return (value.__module__,) if libraries else ()

    def add(value: Any, attributes: frozenset[str] = frozenset()) -> None:
        value = inspect.unwrap(getattr(value, "py_func", value)) if callable(value) else value
        kind = type(value)
        parts.append(kind.__name__)
        if isinstance(value, FunctionType | ModuleType):
            # Which part of a module is used depends on who uses it.
            key = id(value), attributes if isinstance(value, ModuleType) else None
            if key in seen or _is_foreign(value):
                parts.append(seen.get(key, value.__name__))
                return
            seen[key] = len(seen)
        if isinstance(value, FunctionType):
            names, attributes = names_of(value.__code__)
            text = None if libraries else _source(value.__code__)
            parts.append((*home(value), _text(value.__code__, value.__doc__) if text is None else text))
            if libraries and getattr(value, "noalias", False):  # a promise to the compiler, and no rule
                parts.append("noalias")
            add(value.__defaults__)
            add(value.__kwdefaults__)
            for cell in value.__closure__ or ():
                add(cell.cell_contents, attributes)
            for name in names:
                if name in value.__globals__:
                    parts.append(name)
                    add(value.__globals__[name], attributes)
        elif isinstance(value, ModuleType):
            for name in sorted(attributes & value.__dict__.keys()):
                parts.append(name)
                add(getattr(value, name), attributes)
        elif isinstance(value, enum.Enum):
            add(value.value)
        elif isinstance(value, type):
            parts.append((*home(value), value.__qualname__, getattr(value, "_fields", None)))
            if issubclass(value, enum.Enum):
                add({name: member.value for name, member in value.__members__.items()})
        elif isinstance(value, np.dtype):
            if issubclass(value.type, np.record):  # the layout counts, not how an element is shown
                value = np.dtype((np.record, value))
            parts.append((value.str, value.descr if value.names else None, repr(value)))
        elif isinstance(value, np.ndarray | np.generic):
            add(value.dtype)
            parts.append((value.shape, value.tobytes()))
        elif isinstance(value, tuple | list):
            parts.append((len(value), getattr(kind, "_fields", None)))
            for each in value:
                add(each, attributes)
        elif isinstance(value, Mapping):
            parts.append(len(value))
            for key, each in value.items():
                add(key)
                add(each, attributes)
        else:
            parts.append(repr(value))  # with its address, where it has no text: then nothing old is found

    for value in values:
        add(value)
    return sha256("\n".join(map(str, parts)).encode()).hexdigest()[:16]


def file_digest(*paths: str | Path) -> str | None:
    """Digest of the `content` of some regular files, in order; None where one of them cannot be read."""
    digest = sha256()
    try:
        for path in paths:
            with regular(path) as file:
                text = _is_text(file.read(_START))
                file.seek(0)
                if not text:
                    digest.update(hashlib.file_digest(file, "sha256").digest())
                    continue
                lines = sha256()
                for line in file:
                    lines.update(line.replace(b"\r\n", b"\n"))
                digest.update(lines.digest())
    except (OSError, ValueError):
        return None
    return digest.hexdigest()[:16]


def content(data: bytes) -> bytes:
    """The bytes of a file without its kind of line ends: a text with LF, which Git may have written as CRLF, and
    anything else as it is."""
    return data.replace(b"\r\n", b"\n") if _is_text(data) else data


_START = 8000


def _is_text(data: bytes) -> bool:
    """Whether Git takes a file for a text by how it begins. Weights are none: their first eight bytes are a length."""
    return b"\0" not in data[:_START]


def _is_foreign(value: FunctionType | ModuleType) -> bool:
    module = value.__module__ if isinstance(value, FunctionType) else value.__name__
    return str(module).split(".")[0] in _FOREIGN


@cache
def names_of(code: CodeType) -> tuple[list[str], frozenset[str]]:
    """The globals that some code reads, sorted, and all names in it that may be attributes of a module."""
    names = {each.argval for each in dis.get_instructions(code) if each.opname == "LOAD_GLOBAL"}
    attributes = set(code.co_names)
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            further, more = names_of(inner)
            names.update(further)
            attributes.update(more)
    return sorted(names), frozenset(attributes)


class _Bare(ast.NodeTransformer):
    """Leaves out of functions what does not change what they do: docstrings, annotations, decorators."""

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        self.generic_visit(node)
        node.decorator_list, node.returns = [], None
        if ast.get_docstring(node, clean=False) is not None:
            node.body = node.body[1:] or [ast.Pass()]
        return node

    def visit_arg(self, node: ast.arg) -> ast.AST:
        node.annotation = None
        return node


@cache
def _source(code: CodeType) -> str | None:
    """What is written in a function, however it is laid out; None where its source is not at hand, or is no `def`."""
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(code)))
    except (OSError, SyntaxError, TokenError):  # the last two: of a file that was edited since
        return None
    return ast.unparse(_Bare().visit(tree)) if tree.body and isinstance(tree.body[0], ast.FunctionDef) else None


@cache
def _text(code: CodeType, docstring: str | None) -> str:
    """All of a code object but where it stands in its file."""
    constants = []
    for k, value in enumerate(code.co_consts):
        if isinstance(value, CodeType):
            constants.append(_text(value, None))
        elif k == 0 and value == docstring:
            constants.append("None")  # which stands there where there is no docstring
        else:
            constants.append(repr(sorted(value, key=repr) if isinstance(value, frozenset) else value))
    names = code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars
    flags = code.co_flags | inspect.CO_OPTIMIZED  # which Numba takes from functions that are called under a profiler
    return repr((code.co_name, code.co_code, code.co_exceptiontable, code.co_argcount, flags, names, constants))
