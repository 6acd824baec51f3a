"""Arrays of a kernel as bare places in the device's memory.

An array of Numba's carries its length and strides, wraps negative indices around, and may be anything's alias: after every
store all integers of the table must be read again.  A place is a pointer.  One that is *constant* is promised to stay as it
is while the kernel runs, so what was read once is known.  Others tell whose they are: what is written to one array changes
nothing in another.
"""

from __future__ import annotations

import operator
from typing import Any

from llvmlite import ir
from numba.core import types
from numba.cuda.extending import intrinsic, models, overload, register_model  # noqa: TID253

GLOBAL = 1
"""LLVM's number for the device's memory, as against shared or local memory."""


class PlaceType(types.Type):
    """A pointer to numbers in the device's memory.

    Args:
        dtype: of the numbers.
        constant: whether nobody writes there while the kernel runs.
        whose: names the array; other arrays have other names, or none.
    """

    def __init__(self, dtype: Any, constant: bool, whose: str = "") -> None:
        self.dtype, self.constant, self.whose = dtype, constant, whose
        super().__init__(name=f"Place({dtype}, {constant}, {whose})")


@register_model(PlaceType)
class _PlaceModel(models.PrimitiveModel):
    def __init__(self, manager: Any, kind: PlaceType) -> None:
        super().__init__(manager, kind, manager.lookup(types.CPointer(kind.dtype)).get_value_type())


def address(builder: Any, kind: PlaceType, place: Any, offset: Any) -> Any:
    """Address of the number at `offset`, a 64-bit integer."""
    target = ir.PointerType(place.type.pointee, addrspace=GLOBAL)
    return builder.gep(builder.addrspacecast(place, target), [offset])


def _marked(builder: Any, kind: Any, access: Any) -> Any:
    """An access to an array's own numbers: the compiler may take it that nobody reaches them through another array."""
    if isinstance(kind, PlaceType) and kind.whose:
        module, zero = builder.module, ir.Constant(ir.IntType(64), 0)
        root = module.add_metadata([ir.MetaDataString(module, "zoophyte")])
        own = module.add_metadata([ir.MetaDataString(module, kind.whose), root, zero])
        access.set_metadata("tbaa", module.add_metadata([own, own, zero]))
    return access


def read(builder: Any, kind: Any, where: Any) -> Any:
    """The number at an address in an array of this kind."""
    return _marked(builder, kind, builder.load(where))


def write(builder: Any, kind: Any, value: Any, where: Any) -> None:
    """Write a number to an address in an array of this kind."""
    _marked(builder, kind, builder.store(value, where))


def _made(constant: bool, whose: str = "") -> Any:
    @intrinsic
    def place(typing: Any, array: Any, start: Any) -> Any:
        kind = PlaceType(array.dtype, constant, whose)

        def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            data = context.make_array(signature.args[0])(context, builder, arguments[0]).data
            return builder.gep(data, [context.cast(builder, arguments[1], signature.args[1], types.int64)])

        return kind(array, start), code

    return place


constant_in = _made(True)
data_in, scratch_in, depths_in = _made(False, "data"), _made(False, "scratch"), _made(False, "depths")
"""The place of ``array[start]``."""


@intrinsic
def _entry(typing: Any, place: Any, index: Any) -> Any:
    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        offset = context.cast(builder, arguments[1], signature.args[1], types.int64)
        value = builder.load(address(builder, place, arguments[0], offset))
        if place.constant:
            value.set_metadata("invariant.load", builder.module.add_metadata([]))
        return context.cast(builder, value, place.dtype, types.int64)

    return types.int64(place, index), code


def _getitem(place, index):  # Numba wants the same bare signature here and there
    if (
        isinstance(place, PlaceType)
        and isinstance(place.dtype, types.Integer)
        and isinstance(index, types.Integer)
    ):
        return lambda place, index: _entry(place, index)
    return None


overload(operator.getitem)(_getitem)
