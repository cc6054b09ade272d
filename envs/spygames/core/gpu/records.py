"""Structure-of-arrays records, for coalesced memory access by the threads of a GPU.

A tile holds the records of `lanes` games. A leaf is a scalar or an element of an array. The copies of one leaf in all
lanes are adjacent: for lane i, a leaf of size k at `offset` is at byte lanes * offset + i * k of the tile. A nested
array is an ordinary array with strides, so slices and `len` work, it can be passed on, and kernels compile unchanged.
"""

import importlib
from collections.abc import Callable, Iterator
from functools import cache
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
from llvmlite import ir
from numba import from_dtype
from numba.core import types as _types

from spygames.core.compiling.kernel import kernel

types = cast(Any, _types)


class LaneRecord(types.Type):  # type: ignore[misc]
    """The Numba type of one lane's record: a pointer to the tile, the lane, and the number of lanes."""

    def __init__(self, record: Any, base: int = 0):
        self.record, self.base = record, base
        """Numba's Record, and its offset in the outermost record, in bytes."""
        super().__init__(f"LaneRecord({record}, {base})")

    def field(self, name: str) -> tuple[Any, int, Any]:
        """Return the type of a field, its offset in the outermost record, and its type in an ordinary record."""
        kind, offset = self.record.typeof(name), self.base + self.record.offset(name)
        if isinstance(kind, types.NestedArray):
            return types.Array(kind.dtype, kind.ndim, "A"), offset, kind
        if isinstance(kind, types.Record):
            return LaneRecord(kind, offset), offset, kind
        return kind, offset, kind


@cache
def cpu_lane(dtype: np.dtype) -> Callable[..., Any]:
    """Return the function `lane(tile, lanes, i)` for CPU kernels: the record of lane i in a tile.

    The tile is uint8 [lanes * itemsize].
    """
    return _cpu()(from_dtype(dtype))


@cache
def cuda_lane(dtype: np.dtype) -> Callable[..., Any]:
    """Return `lane(tile, lanes, i)` for CUDA kernels; needs numba-cuda."""
    return _cuda()(from_dtype(dtype))


def leaves(dtype: np.dtype, base: int = 0) -> Iterator[tuple[int, int]]:
    """Yield the offset and size, in bytes, of each leaf: a scalar or an element of an array."""
    for kind, offset, *_ in (dtype.fields or {}).values():
        for at in range(base + offset, base + offset + kind.itemsize, kind.base.itemsize or 1):
            if kind.base.names is None:
                yield at, kind.itemsize if kind.base is kind else kind.base.itemsize
            else:
                yield from leaves(kind.base, at)


def to_lanes(records: np.ndarray, lanes: int) -> np.ndarray:
    """Convert records [n] to tiles, uint8 [n / lanes, lanes * itemsize]; n must be a multiple of `lanes`."""
    raw = records.view(np.uint8).reshape(-1, lanes, records.itemsize)
    tiles = np.zeros((len(raw), lanes * records.itemsize), np.uint8)
    for at, size in leaves(records.dtype):
        tiles[:, at * lanes : (at + size) * lanes] = raw[:, :, at : at + size].reshape(len(raw), -1)
    return tiles


def from_lanes(dtype: np.dtype, tiles: np.ndarray, lanes: int) -> np.ndarray:
    """Convert the tiles of `to_lanes` back to records [n] of `dtype`."""
    raw = np.zeros((len(tiles), lanes, dtype.itemsize), np.uint8)
    for at, size in leaves(dtype):
        raw[:, :, at : at + size] = tiles[:, at * lanes : (at + size) * lanes].reshape(len(tiles), lanes, size)
    return raw.reshape(-1).view(dtype)


def runs(dtype: np.dtype) -> np.ndarray:
    """Return the runs of adjacent leaves of equal size, int16 [k, 3]: offset of the first leaf, size, count."""
    found: list[list[int]] = []
    for at, size in sorted(leaves(dtype)):
        if found and found[-1][1] == size and found[-1][0] + size * found[-1][2] == at:
            found[-1][2] += 1
        else:
            found.append([at, size, 1])
    return np.array(found, np.int16).reshape(-1, 3)


@kernel
def blank_lane(tile: np.ndarray, runs: np.ndarray, lanes: int, lane: int) -> None:
    """Zero the record of a lane, as `init` requires; `runs` is the result of the function `runs`."""
    for k in range(len(runs)):
        offset, size = np.int64(runs[k, 0]), np.int64(runs[k, 1])
        step = np.uint64(lanes * size)
        for byte in range(size):
            at = np.uint64(lanes * offset + lane * size + byte)
            for _ in range(runs[k, 2]):
                tile[at] = 0
                at += step


@cache
def _cpu() -> Callable[[Any], Any]:
    from numba import extending
    from numba.core import cgutils, imputils
    from numba.core.typing import templates
    from numba.np import arrayobj

    return _register(
        SimpleNamespace(
            cgutils=cgutils,
            models=extending.models,
            register_model=extending.register_model,
            infer_getattr=templates.infer_getattr,
            AttributeTemplate=templates.AttributeTemplate,
            lower_getattr_generic=imputils.lower_getattr_generic,
            lower_setattr_generic=imputils.lower_setattr_generic,
            intrinsic=extending.intrinsic,
            make_array=arrayobj.make_array,
            populate_array=arrayobj.populate_array,
        )
    )


@cache
def _cuda() -> Callable[[Any], Any]:
    """Register with numba-cuda, which has its own copies of these parts."""

    def part(name: str) -> Any:
        return importlib.import_module(f"numba.cuda.{name}")

    extending, implementations, arrays = part("extending"), part("cudaimpl").registry, part("np.arrayobj")
    return _register(
        SimpleNamespace(
            cgutils=part("cgutils"),
            models=extending.core_models,
            register_model=extending.register_model,
            infer_getattr=part("cudadecl").registry.register_attr,
            AttributeTemplate=part("typing.templates").AttributeTemplate,
            lower_getattr_generic=implementations.lower_getattr_generic,
            lower_setattr_generic=implementations.lower_setattr_generic,
            intrinsic=extending.intrinsic,
            make_array=arrays.make_array,
            populate_array=arrays.populate_array,
        )
    )


def _register(target: Any) -> Callable[[Any], Any]:
    """Register LaneRecord with a Numba target. Return a function that makes the `lane` of a Numba Record."""
    cgutils, models = target.cgutils, target.models

    @target.register_model(LaneRecord)
    class Model(models.StructModel):  # type: ignore[misc, name-defined]
        def __init__(self, manager: Any, kind: Any):
            members = [("tile", types.CPointer(types.uint8)), ("lane", types.intp), ("lanes", types.intp)]
            super().__init__(manager, kind, members)

    @target.infer_getattr
    class Attributes(target.AttributeTemplate):  # type: ignore[misc, name-defined]
        key = LaneRecord

        def generic_resolve(self, record: Any, name: str) -> Any:
            return record.field(name)[0] if name in record.record.fields else None

    def place(context: Any, builder: Any, kind: Any, value: Any, offset: int, leaf: Any) -> tuple[Any, int, Any]:
        """Return the lane as a struct, the size of a leaf, and a pointer to the first leaf of the field at `offset`."""
        record = cgutils.create_struct_proxy(kind)(context, builder, value=value)
        data = context.get_data_type(leaf)
        size = context.get_abi_sizeof(data)
        start = builder.mul(record.lanes, context.get_constant(types.intp, offset))
        at = builder.add(start, builder.mul(record.lane, context.get_constant(types.intp, size)))
        return record, size, builder.bitcast(builder.gep(record.tile, [at]), data.as_pointer())

    @target.lower_getattr_generic(LaneRecord)
    def read(context: Any, builder: Any, kind: Any, value: Any, name: str) -> Any:
        result, offset, field = kind.field(name)
        if isinstance(field, types.Record):
            return value  # the type of the nested record has its offset
        if not isinstance(field, types.NestedArray):
            return context.unpack_value(builder, field, place(context, builder, kind, value, offset, field)[2], None)
        record, size, pointer = place(context, builder, kind, value, offset, field.dtype)
        array = target.make_array(result)(context, builder)
        shape = [context.get_constant(types.intp, length) for length in field.shape]
        strides = [builder.mul(record.lanes, context.get_constant(types.intp, step)) for step in field.strides]
        target.populate_array(
            array,
            data=pointer,
            shape=cgutils.pack_array(builder, shape),
            strides=cgutils.pack_array(builder, strides),
            itemsize=context.get_constant(types.intp, size),
            meminfo=None,
            parent=None,
        )
        return array._getvalue()

    @target.lower_setattr_generic(LaneRecord)
    def write(context: Any, builder: Any, signature: Any, arguments: Any, name: str) -> None:
        (kind, given), (record, value) = signature.args, arguments
        _, offset, field = kind.field(name)
        pointer = place(context, builder, kind, record, offset, field)[2]
        context.pack_value(builder, field, context.cast(builder, value, given, field), pointer, align=None)

    def make(record: Any) -> Any:
        @target.intrinsic
        def lane(typing_context: Any, tile: Any, lanes: Any, i: Any) -> Any:
            """Return the record of lane `i` in a tile of `lanes` lanes."""
            kind = LaneRecord(record)

            def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
                array = target.make_array(signature.args[0])(context, builder, value=arguments[0])
                made = cgutils.create_struct_proxy(kind)(context, builder)
                made.tile = builder.bitcast(array.data, ir.IntType(8).as_pointer())
                made.lanes = context.cast(builder, arguments[1], signature.args[1], types.intp)
                made.lane = context.cast(builder, arguments[2], signature.args[2], types.intp)
                return made._getvalue()

            return kind(tile, types.unliteral(lanes), types.unliteral(i)), generate

        return lane

    return make
