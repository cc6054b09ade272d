"""Action tables: each row is a kind of action, with its text and its axes.

>>> KINDS = (ActionKind("move {agent} {points}", (7, ("1", "2", "3")), "movement"), ActionKind("done", (), "movement"))
>>> ACT_MOVE, ACT_DONE = first_actions(KINDS)
>>> ACT_MOVE, ACT_DONE
(0, 21)

Kinds are numbered one after the other; within a kind the last axis changes fastest. Everything else is derived from the
table:

- `first_actions`: the first number of each kind.
- `action_texts`: the text of each action.
- `action_codec`: kernels for kinds with one axis.
- `action_forms`: the forms of all texts, for messages.
- `rows`: a table for a README.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, product
from math import prod
from typing import Any

from spygames.core.compiling.kernel import Int
from spygames.core.game.layout import Size, written

_AXIS = re.compile(r"\{(\w+)\}")


@dataclass(frozen=True)
class ActionKind:
    """One kind of action: a text, the axes in it, and when an action of this kind is chosen.

    >>> move = ActionKind("move {agent} {points}", (("red", "blue"), ("1", "2", "3")), "each turn")
    >>> move.form, move.size()
    ('move AGENT POINTS', 6)
    """

    text: str
    """The text, with axes in braces: `move {agent} {points}`."""
    axes: tuple[Sequence[str] | Size | int, ...]
    """The names of each axis's values, or their number if the names are passed to `action_texts`."""
    when: str
    """When an action of this kind is chosen, and what it means."""

    @property
    def form(self) -> str:
        """The text with axes in capitals: `move AGENT POINTS`."""
        return _AXIS.sub(lambda match: match[1].upper(), self.text)

    def size(self, **sizes: int) -> int:
        """Return the number of actions of this kind; `sizes` are the lengths of axes by the option of their Size."""
        return prod(
            sizes.get(axis.option, axis.most)
            if isinstance(axis, Size)
            else axis
            if isinstance(axis, int)
            else len(axis)
            for axis in self.axes
        )


def first_actions(kinds: Iterable[ActionKind], **sizes: int) -> tuple[int, ...]:
    """Return the first action number of each kind.

    >>> first_actions([ActionKind("bid {n}", (("1", "2", "3"),), "each turn"), ActionKind("pass", (), "each turn")])
    (0, 3)
    """
    return tuple(accumulate((kind.size(**sizes) for kind in kinds), initial=0))[:-1]


def action_texts(kinds: Iterable[ActionKind], **names: Sequence[str]) -> tuple[str, ...]:
    """Return the text of each action, in the order of their numbers.

    >>> kinds = ActionKind("ask {seat}", (2,), "each turn"), ActionKind("pass", (), "each turn")
    >>> action_texts(kinds, seat=("red", "blue"))
    ('ask red', 'ask blue', 'pass')

    Args:
        kinds: the rows of the table.
        names: the names of values, for each axis that the table gives only a number for: `agent=("red", "blue")`.
    """
    found = []
    for kind in kinds:
        axes = [axis if isinstance(axis, Sequence) else None for axis in kind.axes]
        placed = [
            names[name] if axis is None else axis for name, axis in zip(_AXIS.findall(kind.text), axes, strict=True)
        ]
        form = _AXIS.sub("{}", kind.text)
        found += [form.format(*words) for words in product(*placed)]
    return tuple(found)


def action_forms(kinds: Iterable[ActionKind]) -> str:
    """Return the forms of all kinds, for messages: `'move AGENT POINTS', 'done'`."""
    return ", ".join(f"'{kind.form}'" for kind in kinds)


def rows(kinds: Iterable[ActionKind], **sizes: int) -> Iterator[tuple[str, str, str]]:
    """Yield the numbers, form and meaning of each kind, for a README."""
    kinds = tuple(kinds)
    for kind, first in zip(kinds, first_actions(kinds, **sizes), strict=True):
        last, known = first + kind.size(**sizes) - 1, all(a.option in sizes for a in kind.axes if isinstance(a, Size))
        yield f"{first}{'' if first == last else f' to {last}' if known else ' on'}", kind.form, kind.when


def action_codec(
    name: str, axis: str, first: str, namespace: dict[str, Any]
) -> tuple[Callable[[Int], Int], Callable[[Int], Int]]:
    """Return the kernels `encode_<name>` and `decode_<name>` of a kind with one axis.

    `encode_<name>` maps an index on the axis to an action number, and `decode_<name>` maps it back.

    >>> ACT_BID = 4
    >>> encode_bid, decode_bid = action_codec("bid", "bid", "ACT_BID", globals())
    >>> encode_bid(2), decode_bid(6)
    (6, 2)

    Args:
        name: the name of the kind.
        axis: the name of the argument of `encode_<name>`.
        first: an expression for the first action number, such as `ACT_SAFE`.
        namespace: `globals()` of the module, which must assign the kernels to these names.
    """
    encode = written(f"encode_{name}", (axis,), [f"return {first} + {axis}"], namespace)
    return encode, written(f"decode_{name}", ("action",), [f"return action - {first}"], namespace)
