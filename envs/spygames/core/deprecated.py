"""Old public names: they work for one release, and each use warns and says what to write instead."""

import functools
import importlib
import warnings
from collections.abc import Callable
from typing import Any, TypeVar, cast

F = TypeVar("F", bound=Callable[..., Any])
C = TypeVar("C")


def warn(old: str, new: str, stacklevel: int = 3) -> None:
    """Warns whoever called the caller that `old` goes in the next release, and names what stands for it."""
    warnings.warn(f"{old} is deprecated and goes in the next release: use {new}", DeprecationWarning, stacklevel)


def moved(module: str, /, **names: str) -> Callable[[str], Any]:
    """The `__getattr__` of a module some of whose names have moved.

    >>> if not TYPE_CHECKING:  # to a type checker the module would have every name
    ...     __getattr__ = moved(__name__, old="new.module:name")

    Args:
        module: the `__name__` of the module.
        names: each old name with the place of what stands for it, as `module:name`.
    """

    def __getattr__(name: str) -> Any:  # noqa: N807
        if name not in names:
            raise AttributeError(f"module {module!r} has no attribute {name!r}")
        home, _, new = names[name].partition(":")
        warn(f"{module}.{name}", f"{home}.{new}")
        return getattr(importlib.import_module(home), new)

    return __getattr__


def without_itself(method: F) -> F:
    """A method that is still called as the function it was, with the object itself once more: `game.f(game, s)`."""

    @functools.wraps(method)
    def called(self: object, *args: Any, **kwargs: Any) -> Any:
        if args and isinstance(args[0], type(self)):
            name = method.__qualname__
            warn(f"the first argument of {name}", f"{name} without it")
            args = args[1:]
        return method(self, *args, **kwargs)

    return cast(F, called)


def merged(old: tuple[str, ...], into: str, kind: Callable[..., Any], example: str) -> Callable[[type[C]], type[C]]:
    """A dataclass that still takes the `old` keyword arguments, which are one now, `into`, of type `kind`."""

    def wrap(cls: type[C]) -> type[C]:
        init = cls.__init__

        @functools.wraps(init)
        def __init__(self: C, *args: Any, **kwargs: Any) -> None:  # noqa: N807
            given = {name: kwargs.pop(name) for name in old if name in kwargs}
            if given:
                warn(f"{cls.__name__}({', '.join(f'{name}=...' for name in given)})", example)
                before = kwargs.get(into)
                kwargs[into] = kind(**given) if before is None else kind(**{**before.__dict__, **given})
            init(self, *args, **kwargs)

        cls.__init__ = __init__
        return cls

    return wrap
