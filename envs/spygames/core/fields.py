"""What a type checker knows of the fields of a record: the `types.py` of each game names them with these.

A field of a `np.record` reads as a NumPy scalar and takes any number. Both are descriptors that exist for type checkers
alone; a record finds its fields through its dtype.
"""

from typing import TYPE_CHECKING, Any, Self

import numpy as np

from spygames.core.kernel import Int

__all__ = ["Fields", "FloatField", "IntField"]


class Fields:
    """A record, which can be copied and gives its fields by name, too: `view["hand"]`."""

    if TYPE_CHECKING:

        def __getitem__(self, name: str) -> Any: ...
        def __setitem__(self, name: str, value: object) -> None: ...
        def copy(self) -> Self:
            """A record of its own."""
            ...


class IntField:
    """A whole number of OPTIONS or STATE."""

    if TYPE_CHECKING:

        def __get__(self, record: object, owner: object) -> Int: ...
        def __set__(self, record: object, value: int | np.integer[Any] | np.bool) -> None: ...


class FloatField:
    """A float32 of VIEW."""

    if TYPE_CHECKING:

        def __get__(self, record: object, owner: object) -> float | np.floating[Any]: ...
        def __set__(self, record: object, value: float | np.number[Any] | np.bool) -> None: ...
