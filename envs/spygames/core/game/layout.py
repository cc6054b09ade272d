"""Layout tables: a class body defines each field of OPTIONS, STATE or VIEW once.

```python
class State(Layout):
    turn = int32(0, LAST_TURN, "turns so far")
    owner = int8(NONE, SEAT, "seat by agent; NONE: free", AGENT, hidden=True)
```

Everything else is derived from the table:

- `dtype`: the NumPy dtype.
- `range_check`, `bounds`, `read_fields`: checks of ranges.
- `public_copy`, `options_copy`: kernels that copy the public fields, and the options.
- `plain_fields`: the JSON values of fields.
- `rows`: a table for a README.

Type checkers see the fields as a kernel reads them from a record: `s.turn` is an `Int`, `s.owner` an array. The class
is never instantiated; a record is a NumPy record of the dtype.
"""

import linecache
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from types import FunctionType
from typing import TYPE_CHECKING, Any, Generic, TypeVar, cast, overload

import numpy as np
from numpy.typing import NDArray

from spygames.core.basics.text import shown
from spygames.core.compiling.kernel import Int, Record, kernel
from spygames.core.game.fields import Fields
from spygames.core.game.game import ImpossibleState
from spygames.core.game.seen import Part
from spygames.core.game.validation import integer, member

NONE = -1
"""The value of a field that refers to nothing: no seat, no card. If it is allowed, it is the lowest value."""

T = TypeVar("T", bound=np.generic)
R = TypeVar("R")


class Layout(Fields):
    """Base class of layout tables: the body of a subclass has one row for each field of a record.

    >>> class State(Layout):
    ...     rng = uint64("the random stream")
    ...     cards = int8(0, 9, "by seat", 2, hidden=True)
    ...     to_move = int8(NONE, 1, "the seat; NONE when over")
    ...     padding = filler(5)
    >>> dtype(State).itemsize
    16

    Rows are made by `int8`, `int16`, `int32`, `uint64`, `flag`, `float32`, `nested` and `filler`, the widest first. A
    table with two tables as bases has the rows of both: those of the last base first.
    """


@dataclass(frozen=True)
class Size:
    """A number that depends on the variant. It is the length of an axis, or the exclusive upper bound of an index.

    >>> SEAT = Size("players", 4)
    >>> class State(Layout):
    ...     points = int8(0, 100, "by seat", SEAT)
    ...     to_move = int8(NONE, SEAT, "the seat; NONE when over")
    >>> dtype(State)["points"].shape, dtype(State, players=2)["points"].shape
    ((4,), (2,))
    """

    option: str
    """The field of OPTIONS, or the argument of `dtype`, that holds the number."""
    most: int
    """The maximum over all variants: the length of the axis in STATE. Variants with less leave the rest blank."""
    names: tuple[str, ...] = ()
    """The names of the counted things, by index; () if they have none, as seats."""

    def __truediv__(self, unit: float) -> "Share":
        return Share(self, unit)


@dataclass(frozen=True)
class Share:
    """A bound of a field of VIEW: the number of a Size, divided by `unit`."""

    size: Size
    unit: float


Bound = float | Size | Share | tuple[str, ...]
"""The upper end of a range: a number, inclusive; or a Size or names, if the field holds an index of them."""
Axis = int | Size


@dataclass(frozen=True)
class Field:
    """One row of a table: the description of a field."""

    kind: np.dtype
    low: float
    high: Bound
    doc: str
    """The meaning, with the unit."""
    axes: tuple[Axis, ...]
    hidden: bool
    """Whether the field is hidden from some seat."""
    when: tuple[str, ...]
    """The fields of OPTIONS, or arguments of `dtype`, that must all be on for the field to be used. Otherwise the field
    is blank in STATE and missing in VIEW."""
    filled: str
    """The field of STATE with the number of elements in use, which come first; the others are NONE. Empty: all are in
    use."""
    boolean: bool
    """Whether the values 0 and 1 mean False and True."""
    part: Part = "public"
    """For a field of VIEW: which part of the observation it is (`Game.view_parts`)."""

    @property
    def blank(self) -> int:
        """The value of elements that a variant does not use."""
        return NONE if self.low == NONE or self.filled else 0

    @property
    def names(self) -> tuple[str, ...]:
        """The names of its values; () if they are numbers."""
        return self.high.names if isinstance(self.high, Size) else self.high if isinstance(self.high, tuple) else ()


class IntField:
    """The type of a scalar integer field for type checkers. It can be set to any integer."""

    if TYPE_CHECKING:

        def __get__(self, record: object, owner: object) -> Int: ...
        def __set__(self, record: object, value: int | np.integer[Any] | np.bool) -> None: ...


class FloatField:
    """The type of a scalar float32 field for type checkers. It can be set to any number."""

    if TYPE_CHECKING:

        def __get__(self, record: object, owner: object) -> float | np.floating[Any]: ...
        def __set__(self, record: object, value: float | np.number[Any] | np.bool) -> None: ...


class OwnField(Generic[R]):
    """The type of any other field for type checkers: an array, a record or a uint64, read and set as the same type."""

    if TYPE_CHECKING:

        def __get__(self, record: object, owner: object) -> R: ...
        def __set__(self, record: object, value: R) -> None: ...


Shape = Axis | tuple[Axis, ...]


def _field(
    kind: object,
    low: float,
    high: Bound,
    doc: str,
    shape: Shape | None = None,
    hidden: bool = False,
    when: str | tuple[str, ...] = (),
    filled: str = "",
    boolean: bool = False,
    part: Part = "public",
) -> Any:
    axes = () if shape is None else (shape,) if isinstance(shape, int | Size) else shape
    conditions = (when,) if isinstance(when, str) else when
    return Field(np.dtype(cast(Any, kind)), low, high, doc, cast(Any, axes), hidden, conditions, filled, boolean, part)


class Integers(Generic[T]):
    """A factory of fields of one integer type: `turn = int8(0, 3, "turns so far")`."""

    def __init__(self, kind: type[T]):
        self.kind = kind

    @overload
    def __call__(
        self, low: int, high: Bound, doc: str, /, *, hidden: bool = ..., when: str | tuple[str, ...] = ...
    ) -> IntField: ...
    @overload
    def __call__(
        self,
        low: int,
        high: Bound,
        doc: str,
        shape: Shape,
        /,
        *,
        hidden: bool = ...,
        when: str | tuple[str, ...] = ...,
        filled: str = ...,
    ) -> OwnField[NDArray[T]]: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Return the field.

        Args:
            args: the lowest value; the upper end (the highest value, a Size, or the names that the value indexes); the
                meaning; and for an array its shape.
            kwargs: `hidden=True` if the field is hidden from some seat; `when`, the options that must be on for the
                field to be used; `filled`, the field with the number of elements in use.

        Raises:
            ValueError: a bound is not an integer that the type can hold, or the range is empty.
        """
        made = _field(self.kind, *args, **kwargs)
        bounds, ends = np.iinfo(made.kind), (made.low, _last(made.high))
        if (
            not all(isinstance(end, int | np.integer) for end in ends)
            or not bounds.min <= ends[0] <= ends[1] <= bounds.max
        ):
            right = f"two integers from {bounds.min} to {bounds.max}, the lowest first"
            raise ValueError(
                f"the range of {made.kind}(..., {shown(made.doc)}) must be {right}, not {ends[0]}, {ends[1]}"
            )
        return made


def _last(high: Bound) -> Any:
    """Return the highest value of a field of integers: that of a Size or of names is their last index."""
    return high.most - 1 if isinstance(high, Size) else len(high) - 1 if isinstance(high, tuple) else high


int8 = Integers(np.int8)
"""A field of int8, -128 to 127: `int8(low, high, doc, shape, hidden=False, when=(), filled="")`.

`high` is a number, a Size, or the names that the value indexes. Without a shape the field is a scalar.
"""
int16 = Integers(np.int16)
"""A field of int16, with the same arguments as `int8`."""
int32 = Integers(np.int32)
"""A field of int32, with the same arguments as `int8`."""


def flag(doc: str, *, hidden: bool = False, when: str | tuple[str, ...] = ()) -> IntField:
    """Return a field of int8 that is 1 for True and 0 for False."""
    return _field(np.int8, 0, 1, doc, hidden=hidden, when=when, boolean=True)


def uint64(doc: str) -> OwnField[np.uint64]:
    """Return a hidden field of uint64 with any value, such as the random stream."""
    return _field(np.uint64, 0, 2**64 - 1, doc, hidden=True)


@overload
def float32(
    doc: str, /, *, low: float = ..., high: Bound = ..., when: str | tuple[str, ...] = ..., part: Part = ...
) -> FloatField: ...
@overload
def float32(
    doc: str,
    shape: Shape,
    /,
    *,
    low: float = ...,
    high: Bound = ...,
    when: str | tuple[str, ...] = ...,
    part: Part = ...,
) -> OwnField[NDArray[np.float32]]: ...
def float32(
    doc: str,
    shape: Shape | None = None,
    /,
    *,
    low: float = 0,
    high: Bound = 1,
    when: str | tuple[str, ...] = (),
    part: Part = "public",
) -> Any:
    """Return a field of VIEW.

    Args:
        doc: its meaning.
        shape: its shape; None: a scalar.
        low, high: its range.
        when: the conditions that must hold for a variant to have it.
        part: "private" for what only the seat knows; "mixed" for a field with public and private elements, or with
            public facts in an order that only the seat knows.
    """
    return _field(np.float32, low, high, doc, shape, when=when, part=part)


def nested(layout: type[R], doc: str) -> OwnField[R]:
    """Return a field that is a record of another table."""
    return _field(dtype(cast(Any, layout)), 0, 0, doc)


def filler(size: int) -> OwnField[NDArray[np.int8]]:
    """Return the field of padding bytes, always 0, that fills a record up to a multiple of its alignment."""
    return _field(np.int8, 0, 0, "0; fills the record up to a multiple of its alignment", size)


# ---------------------------------------------------------------- derived from a table


def fields(layout: type[Layout], **variant: Any) -> dict[str, Field]:
    """Return the rows of a table by name; only those that the `variant` has (see `dtype`)."""
    return {name: row for name, row in _rows(layout).items() if all(variant.get(option, True) for option in row.when)}


@cache
def _rows(layout: type[Layout]) -> dict[str, Field]:
    tables = [vars(table) for table in reversed(layout.__mro__)]
    for name, value in vars(layout).items():
        if not isinstance(value, Field) and not name.startswith("_") and not hasattr(value, "__get__"):
            raise ValueError(f"{layout.__name__}.{name} must be a field, such as int8(0, 9, ...), not {shown(value)}")
    return {name: row for table in tables for name, row in table.items() if isinstance(row, Field)}


def dtype(layout: type[Layout], **variant: Any) -> np.dtype:
    """Return the aligned NumPy dtype of a table.

    Args:
        layout: the table.
        variant: the lengths of axes, by the option of their Size, and whether each condition in `when` holds. By
            default axes have their maximum length, and all conditions hold.

    Raises:
        ValueError: some bytes of a record would belong to no field. NumPy would not copy them.
    """
    parts = []
    for name, row in fields(layout, **variant).items():
        shape = tuple(variant.get(a.option, a.most) if isinstance(a, Size) else a for a in row.axes)
        parts.append((name, row.kind, shape) if shape else (name, row.kind))
    made = np.dtype(parts, align=True)
    if free := made.itemsize - sum(made[name].itemsize for name in made.names or ()):
        where = f"{layout.__module__}.{layout.__name__}"
        own = made["padding"].itemsize if "padding" in (made.names or ()) else 0
        right = (own + free) % made.alignment
        raise ValueError(f"{where} must have its widest fields first, and padding = filler({right})")
    return made


def view_ranges(layout: type[Layout], **variant: Any) -> dict[str, tuple[float, float]]:
    """Return the range of each field of a VIEW whose range is not 0 to 1.

    `variant` is that of `dtype`, and must also have the number of each Size that is used in a bound.

    >>> class View(Layout):
    ...     lead = float32("points ahead / 10", low=-1)
    ...     decides = float32("1 if the viewer is to move")
    >>> view_ranges(View)
    {'lead': (-1, 1)}
    """
    found = {}
    for name, row in fields(layout, **variant).items():
        if isinstance(row.high, Share):
            high = variant[row.high.size.option] / row.high.unit
        else:
            high = variant[row.high.option] - 1 if isinstance(row.high, Size) else _last(row.high)
        if (row.low, high) != (0, 1):
            found[name] = row.low, high
    return found


def view_parts(layout: type[Layout], **variant: Any) -> dict[str, Part]:
    """Return which part of the observation each field of a VIEW is, for `Game.view_parts`.

    `variant` is that of `dtype`.

    >>> class View(Layout):
    ...     hand = float32("copies in the own hand / 4", 8, part="private")
    ...     decides = float32("1 if the viewer is to move")
    >>> view_parts(View)
    {'hand': 'private', 'decides': 'public'}
    """
    return {name: row.part for name, row in fields(layout, **variant).items()}


def bounds(layout: type[Layout], name: str, s: Record) -> tuple[int, int]:
    """Return the lowest and the highest value of a field of STATE, in the variant of `s.options`."""
    row = _rows(layout)[name]
    if isinstance(row.high, Size):
        return int(row.low), int(s.options[row.high.option]) - 1
    return int(row.low), len(row.high) - 1 if isinstance(row.high, tuple) else int(cast(float, row.high))


def plain_fields(layout: type[Layout], s: Record, *names: str, **fields_of: str) -> dict[str, Any]:
    """Convert scalar fields to JSON values: an index of names to the name, NONE to None, a flag to a bool.

    >>> class State(Layout):
    ...     suit = int8(0, ("clubs", "hearts"), "trumps")
    ...     to_move = int8(NONE, 1, "the seat; NONE when over")
    ...     doubled = flag("whether the points count twice")
    >>> s = np.array([(1, NONE, 1)], dtype(State))[0]
    >>> plain_fields(State, s, "suit", "doubled", mover="to_move")
    {'suit': 'hearts', 'doubled': True, 'mover': None}

    Args:
        layout: the table.
        s: a record of the table.
        names: the fields whose names are also the keys.
        fields_of: further fields by key.
    """
    keys = {name: name for name in names} | fields_of
    return {key: _plain(_rows(layout)[name], s[name]) for key, name in keys.items()}


def _plain(row: Field, value: Any) -> Any:
    if row.low == NONE and value == NONE:
        return None
    return row.names[value] if row.names else bool(value) if row.boolean else int(value)


def read_fields(
    layout: type[Layout], s: Record, mapping: Mapping[str, Any], *names: str, within: str = "", **fields_of: str
) -> None:
    """Write the values of `plain_fields` back into the fields.

    >>> class State(Layout):
    ...     suit = int8(0, ("clubs", "hearts"), "trumps")
    ...     to_move = int8(NONE, 1, "the seat; NONE when over")
    >>> s = np.zeros(1, dtype(State))[0]
    >>> read_fields(State, s, {"suit": "hearts", "mover": 1}, "suit", mover="to_move")
    >>> s.tolist()
    (1, 1)
    >>> read_fields(State, s, {"suit": "hearts", "mover": 2}, "suit", mover="to_move")
    Traceback (most recent call last):
    spygames.core.game.game.ImpossibleState: mover must be an integer from 0 to 1, not 2

    Args:
        layout: the table of STATE.
        s: the state, whose options must already be set if it has any.
        mapping: the values by key; a missing one counts as None.
        names: the fields whose names are also the keys.
        within: a prefix of the key in messages.
        fields_of: further fields by key.

    Raises:
        ImpossibleState: a value is not in the range of its field; the message names the key and the range.
    """
    for key, name in ({name: name for name in names} | fields_of).items():
        row, value, key = _rows(layout)[name], mapping.get(key), f"{within} {key}".lstrip()
        low, high = bounds(layout, name, s)
        if value is None and low == NONE:
            s[name] = NONE
        elif row.names:
            s[name] = member(value, key, row.names[: high + 1])
        elif not row.boolean:
            s[name] = integer(value, key, max(low, 0) if low == NONE else low, high)
        elif isinstance(value, bool):
            s[name] = value
        else:
            raise ImpossibleState(f"{key} must be true or false, not {shown(value)}")


def rows(layout: type[Layout], **variant: Any) -> Iterator[tuple[str, str, str]]:
    """Yield the name, shape and meaning of each field, for a README; `variant` may have letters in place of numbers."""
    for name, row in fields(layout, **variant).items():
        shape = [str(variant.get(a.option, a.most) if isinstance(a, Size) else a) for a in row.axes]
        yield name, " x ".join(shape) or "1", row.doc


# ---------------------------------------------------------------- kernels


def range_check(layout: type[Layout], name: str = "in_range") -> Callable[[Record, Record], bool]:
    """Return the kernel `in_range` of a STATE, (state, options) -> bool.

    It tells whether a state of arbitrary bytes has these options, and each value is in the range of its field. The game
    itself must check conditions on several fields. Assign the kernel to the global `name` in the module of the table.
    """
    lines = [*_same(layout), *_checks(layout), "return True"]
    return written(name, ("s", "options"), lines, vars(sys.modules[layout.__module__]))


def public_copy(layout: type[Layout], name: str = "copy_public") -> Callable[[Record, Record], None]:
    """Return the kernel `copy_public` of a STATE, (state, past) -> None.

    It copies every field that is not hidden, except the options, from `past` to `state`. Assign the kernel to the
    global `name` in the module of the table.
    """
    copied = [field for field, row in fields(layout).items() if not row.hidden and row.kind.names is None]
    lines = [f"s.{field} = past.{field}" for field in copied]
    return written(name, ("s", "past"), lines, vars(sys.modules[layout.__module__]))


def options_copy(layout: type[Layout]) -> Callable[[Record, Record], None]:
    """Return the kernel `copy_options` of a STATE, (state, options) -> None.

    It copies the options of the game into the state, number by number. The fields of a state in lanes
    (`spygames.core.gpu`) are not one record that could be copied whole. Assign the kernel to the global `copy_options`
    in the module of the table.
    """
    lines = []
    for place, value, axes in _options(layout):
        loops = list(_loops(axes))
        lines += [*loops, f"{'    ' * len(loops)}s.{place} = {value}"]
    return written("copy_options", ("s", "options"), lines, vars(sys.modules[layout.__module__]))


def _options(layout: type[Layout]) -> Iterator[tuple[str, str, tuple[int, ...]]]:
    """Yield, for each field of OPTIONS, its place in the state, its place in the options, and the axes to loop over."""
    for outer, row in fields(layout).items():
        for name in row.kind.names or ():
            axes = row.kind[name].shape
            yield f"{outer}.{name}{_index(axes)}", f"options.{name}{_index(axes)}", axes


def _same(layout: type[Layout]) -> Iterator[str]:
    """Yield lines of code that return False unless a state has the given options."""
    for place, value, axes in _options(layout):
        loops = list(_loops(axes))
        tab = "    " * len(loops)
        yield from [*loops, f"{tab}if s.{place} != {value}:", f"{tab}    return False"]


def _checks(layout: type[Layout]) -> Iterator[str]:
    """Yield lines of code that return False unless each value of a state is in its range."""
    for name, row in fields(layout).items():
        if row.kind.kind != "i":
            continue
        axes = tuple(axis.most if isinstance(axis, Size) else axis for axis in row.axes)
        used = [f"{'ijk'[n]} < options.{a.option}" for n, a in enumerate(row.axes) if isinstance(a, Size)]
        used += [f"options.{option}" for option in row.when] + ([f"i < s.{row.filled}"] if row.filled else [])
        high = row.high
        above = (
            f"< options.{high.option}"
            if isinstance(high, Size)
            else f"< {len(high)}"
            if isinstance(high, tuple)
            else f"<= {high}"
        )
        fine = f"{row.low} <= x {above}"
        if used:
            fine = f"({fine} if {' and '.join(used)} else x == {row.blank})"
        lines = list(_loops(axes))
        tab = "    " * len(lines)
        yield from [*lines, f"{tab}x = s.{name}{_index(axes)}", f"{tab}if not {fine}:", f"{tab}    return False"]


def _loops(axes: Sequence[int]) -> Iterator[str]:
    for n, size in enumerate(axes):
        yield f"{'    ' * n}for {'ijk'[n]} in range({size}):"


def _index(axes: Sequence[int]) -> str:
    return f"[{', '.join('ijk'[: len(axes)])}]" if axes else ""


def written(name: str, arguments: tuple[str, ...], lines: list[str], namespace: dict[str, Any]) -> Any:
    """Make a kernel from lines of code, as if it were defined in a module.

    Args:
        name: its name, a global of the module.
        arguments: the names of its arguments.
        lines: the body.
        namespace: the globals of the module.
    """
    text = "\n".join([f"def {name}({', '.join(arguments)}):", *(f"    {line}" for line in lines), ""])
    file = f"<{namespace['__name__']}.{name}>"
    # Digests and messages read the source of a function from this cache.
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    made: dict[str, Any] = {}
    exec(compile(text, file, "exec"), namespace, made)
    return kernel(cast(FunctionType, made[name]))
