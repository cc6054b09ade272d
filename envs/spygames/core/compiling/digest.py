"""Digests of code, which cover everything that its machine code is made from, in any file.

They are the keys of the machine code cache. The state of a training run and `Game.digest` use them to detect changed
rules.
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
"""Numba's options for kernels. They are part of each digest."""

_FOREIGN = {"numpy", "numba", "llvmlite", *sys.stdlib_module_names}
"""Packages whose functions are identified by name alone: their machine code comes with Numba, whose version counts."""


def code_digest(*values: object, libraries: bool = True) -> str:
    """Return a digest of everything that the machine code of `values` is made from.

    It covers their code without docstrings, the functions that they reach through globals, tuples and modules, and the
    constants compiled into the code.

    Args:
        values: kernels, functions, dtypes and constants.
        libraries: True, as for machine code: the versions and settings of Python, Numba and NumPy count. False:
            functions are identified by their source, since bytecode differs between versions of Python, and the modules
            that define functions and types do not count.

    Returns:
        16 hexadecimal digits.
    """
    parts: list[object] = [
        sys.version_info[:2], numba.__version__, np.__version__, sorted(OPTIONS.items(), key=str),
        [getattr(numba.config, name, None) for name in ("BOUNDSCHECK", "OPT", "LOOP_VECTORIZE", "SLP_VECTORIZE")],
    ] if libraries else []  # fmt: skip
    seen: dict[object, int] = {}

    def home(value: FunctionType | type) -> tuple[str, ...]:
        # Machine code looks up its constants by name in the module, which must exist when the code is loaded.
        return (value.__module__,) if libraries else ()

    def add(value: Any, attributes: frozenset[str] = frozenset()) -> None:
        value = inspect.unwrap(getattr(value, "py_func", value)) if callable(value) else value
        kind = type(value)
        parts.append(kind.__name__)
        if isinstance(value, FunctionType | ModuleType):
            # Each user of a module uses other parts of it.
            key = id(value), attributes if isinstance(value, ModuleType) else None
            if key in seen or _is_foreign(value):
                parts.append(seen.get(key, value.__name__))
                return
            seen[key] = len(seen)
        if isinstance(value, FunctionType):
            names, attributes = names_of(value.__code__)
            text = None if libraries else _source(value.__code__)
            parts.append((*home(value), _text(value.__code__, value.__doc__) if text is None else text))
            if libraries and getattr(value, "noalias", False):  # affects machine code, but not the rules
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
            if issubclass(value.type, np.record):  # the layout counts, not the class of its elements
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
            parts.append(repr(value))  # a default repr has an address, so such a digest never matches an older one

    for value in values:
        add(value)
    return sha256("\n".join(map(str, parts)).encode()).hexdigest()[:16]


def file_digest(*paths: str | Path) -> str | None:
    """Return a digest of the `content` of regular files, in order; None if one of them cannot be read."""
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
    """Normalize line ends: a text gets LF, which Git may have checked out as CRLF; other data stays unchanged."""
    return data.replace(b"\r\n", b"\n") if _is_text(data) else data


_START = 8000


def _is_text(data: bytes) -> bool:
    """Whether Git treats a file as text, judged by its first bytes. Files of weights are binary: they start with a
    length of eight bytes."""
    return b"\0" not in data[:_START]


def _is_foreign(value: FunctionType | ModuleType) -> bool:
    module = value.__module__ if isinstance(value, FunctionType) else value.__name__
    return str(module).split(".")[0] in _FOREIGN


@cache
def names_of(code: CodeType) -> tuple[list[str], frozenset[str]]:
    """Return the globals that code reads, sorted, and all of its names that may be attributes of a module."""
    names = {each.argval for each in dis.get_instructions(code) if each.opname == "LOAD_GLOBAL"}
    attributes = set(code.co_names)
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            further, more = names_of(inner)
            names.update(further)
            attributes.update(more)
    return sorted(names), frozenset(attributes)


class _Bare(ast.NodeTransformer):
    """Remove the parts of functions that do not affect behavior: docstrings, annotations and decorators."""

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
    """Return the source of a function in normalized layout; None if it is not available or not a `def`."""
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(code)))
    except (OSError, SyntaxError, TokenError):  # the last two: the file was edited since
        return None
    return ast.unparse(_Bare().visit(tree)) if tree.body and isinstance(tree.body[0], ast.FunctionDef) else None


@cache
def _text(code: CodeType, docstring: str | None) -> str:
    """Describe a code object without its docstring and its place in the file."""
    constants = []
    for k, value in enumerate(code.co_consts):
        if isinstance(value, CodeType):
            constants.append(_text(value, None))
        elif k == 0 and value == docstring:
            constants.append("None")  # as in a function without a docstring
        else:
            constants.append(repr(sorted(value, key=repr) if isinstance(value, frozenset) else value))
    names = code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars
    flags = code.co_flags | inspect.CO_OPTIMIZED  # Numba clears this flag in functions called under a profiler
    return repr((code.co_name, code.co_code, code.co_exceptiontable, code.co_argcount, flags, names, constants))
