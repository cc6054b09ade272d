"""Code that a text names: `python:module.name`, a function or a class of anybody's."""

import importlib
import os
import sys
from collections.abc import Callable
from typing import Any

from spygames.core.basics.text import one_line, shown

PYTHON = "python:"


def find_code(spec: str) -> Callable[..., Any]:
    """The function or class that `spec` names. Its module is imported, so whoever has the text out of a file asks
    somebody first.

    Args:
        spec: `python:MODULE.NAME`, of a module that is installed or lies in the current folder.

    Raises:
        ValueError: it is none, there is no such thing, or its module cannot be imported.
    """
    path = spec.removeprefix(PYTHON)
    module, dot, name = path.rpartition(".")
    if not spec.startswith(PYTHON) or not dot or not all(part.isidentifier() for part in path.split(".")):
        raise ValueError(f"{shown(spec)} must name a module and a function or class in it, as in python:my_bot.act")
    if os.getcwd() not in sys.path and "" not in sys.path:
        sys.path.append(os.getcwd())  # a command has its own folder there instead; last, so that it hides nothing
    try:
        found = getattr(importlib.import_module(module), name, None)
    except (Exception, SystemExit) as error:  # a module may do anything when it is imported
        what = f"{type(error).__name__}: {one_line(error)}"
        raise ValueError(f"{shown(spec)}: the module {module} cannot be imported: {what}") from error
    if not callable(found):
        what = "no function or class" if found is None else f"{shown(found)}, not a function or class, as"
        raise ValueError(f"{shown(spec)}: the module {module} has {what} {name}")
    return found
