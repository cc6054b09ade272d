"""Records that show their fields to people: by name, as attributes, and printed one a line."""

from typing import TYPE_CHECKING, Any, Self

import numpy as np

__all__ = ["Fields", "NamedRecord"]


class Fields:
    """A record, which can be copied and gives its fields by name, too: `view["hand"]`."""

    if TYPE_CHECKING:

        def __getitem__(self, name: str) -> Any: ...
        def __setitem__(self, name: str, value: object) -> None: ...
        def copy(self) -> Self:
            """A record of its own."""
            ...


_item = np.void.__getitem__


class NamedRecord(np.record):  # pyright: ignore[reportIncompatibleVariableOverride]
    """An element of an array of states or views: it has its fields by name and prints them, one a line.

    Reading a field takes a third of the time that `np.record` takes, which looks fields up in Python twice. Interpreted
    kernels, mappings and drawings do little else.
    """

    __getattribute__ = np.void.__getattribute__

    if not TYPE_CHECKING:  # a type checker has the fields from the tables of a game's `layout.py`

        def __getitem__(self, index):
            value = _item(self, index)
            # A record in a record is one of these, too.
            return value.view((NamedRecord, value.dtype)) if isinstance(value, np.void) else value

        def __getattr__(self, name):
            try:
                return self[name]
            except (KeyError, ValueError):
                names = ", ".join(self.dtype.names or ())
                raise AttributeError(f"there is no field {name!r}; there are {names}") from None

        def __setattr__(self, name, value):
            if name in (self.dtype.names or ()):
                self[name] = value
            else:
                super().__setattr__(name, value)

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *(self.dtype.names or ())]

    def __repr__(self) -> str:
        return "\n".join(f"{name}: {self[name]}" for name in self.dtype.names or ())

    __str__ = __repr__


def named(dtype: np.dtype) -> np.dtype:
    """The same layout, whose elements are `NamedRecord`s: they have their fields as attributes also where kernels run
    interpreted."""
    return np.dtype((NamedRecord, dtype))
