"""Checking the options of a game."""

from collections.abc import Sequence
from typing import TypeVar

from spygames.core.shown import shown

T = TypeVar("T")


def choice(name: str, value: T, allowed: Sequence[T]) -> T:
    """`value` if it is one of `allowed` (and of the same type: True is not 1); ValueError otherwise."""
    if not any(type(value) is type(a) and value == a for a in allowed):
        raise ValueError(f"{name} must be one of {', '.join(map(repr, allowed))}, not {shown(value)}")
    return value
