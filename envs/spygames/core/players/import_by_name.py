"""Import a function or a class from a `python:module.name` string."""

import importlib
import os
import sys
from collections.abc import Callable
from typing import Any

from spygames.core.basics.text import one_line, shown

PYTHON = "python:"


def find_code(spec: str) -> Callable[..., Any]:
    """Import the function or class that `spec` names.

    Importing runs the module's code. If `spec` comes from a file, let the user allow it first.

    Args:
        spec: `python:MODULE.NAME`, of a module that is installed or in the current folder.

    Raises:
        ValueError: `spec` has another form, the module cannot be imported, or it has no such function or class.
    """
    path = spec.removeprefix(PYTHON)
    module, dot, name = path.rpartition(".")
    if not spec.startswith(PYTHON) or not dot or not all(part.isidentifier() for part in path.split(".")):
        raise ValueError(f"{shown(spec)} must name a module and a function or class in it, as in python:my_bot.act")
    if os.getcwd() not in sys.path and "" not in sys.path:
        sys.path.append(os.getcwd())  # a command starts without it; last, so that it shadows no module
    try:
        found = getattr(importlib.import_module(module), name, None)
    except (Exception, SystemExit) as error:  # a module may raise anything when it is imported
        what = f"{type(error).__name__}: {one_line(error)}"
        raise ValueError(f"{shown(spec)}: the module {module} cannot be imported: {what}") from error
    if not callable(found):
        if found is None:
            raise ValueError(f"{shown(spec)}: the module {module} has no function or class {name}")
        raise ValueError(f"{shown(spec)}: {name} must be a function or class, not {shown(found)}")
    return found
