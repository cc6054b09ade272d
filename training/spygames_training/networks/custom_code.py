"""The code that the caller of a run passes. It is no setting: no file of a run names code that is then run."""

from collections.abc import Mapping
from typing import Any

from spygames.core.basics.text import one_line
from spygames.core.players.import_by_name import find_code


def find_own(code: Any) -> Any:
    """What the caller has passed, also as a text `python:MODULE.NAME`; ValueError where there is no such thing."""
    return find_code(code) if isinstance(code, str) else code


def name_of_code(code: Any) -> str:
    """What a function, a class or an object of one is called, for messages: without the name of its module, which
    depends on how it was imported."""
    return getattr(code, "__qualname__", type(code).__qualname__)


def names_of(**passed: Any) -> dict[str, str]:
    """The names of what was passed, by what it is for."""
    return {what: name_of_code(code) for what, code in passed.items() if code is not None}


def check_names(saved: Any, passed: Mapping[str, str]) -> None:
    """ValueError if other code is passed than that with which a run was saved; both as of `names_of`."""
    if not isinstance(saved, Mapping):
        raise ValueError("its own_code is no mapping")
    for what in dict.fromkeys([*saved, *passed]):
        if what not in saved:
            raise ValueError(f"it was saved with no {what} of your own: pass none, not {passed[what]}")
        if saved[what] != passed.get(what):
            instead = f", not {passed[what]}" if what in passed else ""
            raise ValueError(
                f"it was saved with a {one_line(what)} of your own, {one_line(saved[what])}: pass it{instead}"
            )
