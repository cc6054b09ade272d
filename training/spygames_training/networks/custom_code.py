"""User code passed to a run: a network or a shaping function.

It is not part of the settings: no file of a run names code to execute.
"""

from collections.abc import Mapping
from typing import Any

from spygames.core.basics.text import one_line
from spygames.core.players.import_by_name import find_code


def find_own(code: Any) -> Any:
    """Return the code that the caller passed. A string `python:MODULE.NAME` is imported; ValueError if that fails."""
    return find_code(code) if isinstance(code, str) else code


def name_of_code(code: Any) -> str:
    """Return the name of a function, a class or an object's class, for messages. The module's name is left out, since
    it depends on how the module was imported."""
    return getattr(code, "__qualname__", type(code).__qualname__)


def names_of(**passed: Any) -> dict[str, str]:
    """Return the name of each object that was passed, by its purpose, such as `network`."""
    return {what: name_of_code(code) for what, code in passed.items() if code is not None}


def check_names(saved: Any, passed: Mapping[str, str]) -> None:
    """Raise ValueError if the code passed differs from the code that the run was saved with; both as from
    `names_of`."""
    if not isinstance(saved, Mapping):
        raise ValueError("own_code must be a mapping of names")
    for what in dict.fromkeys([*saved, *passed]):
        if what not in saved:
            raise ValueError(f"the run was saved without a custom {what}: pass none, not {passed[what]}")
        if saved[what] != passed.get(what):
            instead = f", not {passed[what]}" if what in passed else ""
            raise ValueError(
                f"the run was saved with the custom {one_line(what)} {one_line(saved[what])}: pass it{instead}"
            )
