"""Record classes whose fields can be read as attributes and by name, and are printed one per line."""

from typing import TYPE_CHECKING, Any, Self

import numpy as np

__all__ = ["Fields", "NamedRecord"]


class Fields:
    """A record that can be copied, and whose fields can also be read by name: `view["hand"]`."""

    if TYPE_CHECKING:

        def __getitem__(self, name: str) -> Any: ...
        def __setitem__(self, name: str, value: object) -> None: ...
        def copy(self) -> Self:
            """Return a copy that owns its memory."""
            ...


_item = np.void.__getitem__


class NamedRecord(np.record):  # pyright: ignore[reportIncompatibleVariableOverride]
    """An element of an array of states or views, with fields as attributes. It prints one field per line.

    Reading a field takes a third of the time of `np.record`, which looks up each field in Python twice. Interpreted
    kernels, mappings and drawings spend most of their time on this.
    """

    __getattribute__ = np.void.__getattribute__

    if not TYPE_CHECKING:  # type checkers take the fields from the tables in a game's `layout.py`

        def __getitem__(self, index):
            value = _item(self, index)
            # A nested record is a NamedRecord, too.
            return value.view((NamedRecord, value.dtype)) if isinstance(value, np.void) else value

        def __getattr__(self, name):
            try:
                return self[name]
            except (KeyError, ValueError):
                names = ", ".join(self.dtype.names or ())
                raise AttributeError(f"no field {name!r}; available fields: {names}") from None

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
    """Return the same layout with elements of type `NamedRecord`, whose attributes work in interpreted kernels, too."""
    return np.dtype((NamedRecord, dtype))
