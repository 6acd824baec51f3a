"""Calls by address: what the compiler makes of a unit where a kernel calls the unit."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from types import FunctionType
from typing import Any

from llvmlite import ir
from numba.core import cgutils, errors, types

from zoophyte.numbers import primitives
from zoophyte.numbers.lanes import registry
from zoophyte.numbers.lanes.kinds import LaneType, MaskType, SpecType
from zoophyte.numbers.units import Unit

RESULTS = {"None": types.none, "int": types.intp, "bool": types.boolean}
SCALARS = {"int": types.intp, "bool": types.boolean, "float": types.float64}
ARRAYS = ("ints", "data", "scratch", "terrain", "orders", "log")
"""Names of arguments that are arrays."""
OTHERS = ("spec", "first", "slots")
"""Names of arguments that need no annotation: the machine, and whole numbers."""
ADDRESS_BITS = 64


def argument_types(unit: Unit, numbers: types.Type, spec: SpecType) -> tuple[types.Type, ...]:
    """Types with which a unit is compiled for one form of the numbers.

    Args:
        unit: the unit.
        numbers: type of the numbers in arrays.
        spec: how creatures stand side by side.
    """
    return tuple(_argument(unit, *argument, numbers, spec) for argument in unit.signature[0])


def _argument(unit: Unit, name: str, annotation: str, numbers: types.Type, spec: SpecType) -> types.Type:
    if name in ARRAYS:
        return types.Array(types.int32 if name == "ints" else numbers, 1, "C")
    if name in OTHERS:
        return spec if name == "spec" else types.intp
    if annotation == "Number":
        return numbers if spec.width == 1 else LaneType(numbers, spec.width)
    if annotation == "Mask":
        return types.boolean if spec.width == 1 else MaskType(spec.width)
    if annotation not in SCALARS:
        raise TypeError(
            f"{unit.function.__name__}: argument {name} is annotated {annotation!r}; a unit takes {', '.join(ARRAYS)}, "
            f"spec, and arguments of types Number, Mask, {', '.join(SCALARS)}, since it is compiled before anybody calls it."
        )
    return SCALARS[annotation]


def form_of(kinds: Sequence[types.Type]) -> tuple[types.Type, SpecType]:
    """Type of the numbers and spec among the types of a kernel's arguments."""
    spec = next(kind for kind in kinds if isinstance(kind, SpecType))
    return next(
        kind.dtype for kind in kinds if isinstance(kind, types.Array) and isinstance(kind.dtype, types.Float)
    ), spec


@cache
def stub(unit: Unit) -> Any:
    """A primitive that stands for a unit in compiled code."""
    standing = FunctionType(unit.function.__code__, {}, f"{unit.function.__name__}_at_{unit.place}")
    standing.__module__ = __name__
    globals()[standing.__name__] = standing  # where Numba looks whether a global is what it says
    result = RESULTS[unit.signature[1]]

    def typer(context: Any, *kinds: Any) -> Any:
        wanted = argument_types(unit, *form_of(kinds))
        for given, kind, (name, _) in zip(kinds, wanted, unit.signature[0], strict=True):
            whole = isinstance(given, types.Integer) and kind == types.intp
            if not whole and types.unliteral(given) != kind:
                raise errors.TypingError(
                    f"{unit.function.__name__}: {name} is {given}, but the unit takes {kind}"
                )
        return result

    @registry.primitive(standing, typer)
    def call(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        wanted, given = _plain(context, builder, signature.args, values)
        ints = next(
            v for v, kind in zip(values, signature.args, strict=True) if isinstance(kind, types.Array)
        )
        place = ir.Constant(ir.IntType(ADDRESS_BITS), unit.place)
        return call_at(
            context, builder, address_at(context, builder, wanted[0], ints, place), result, wanted, given
        )

    return standing


def address_at(context: Any, builder: Any, kind: Any, ints: Any, place: Any) -> Any:
    """The address that lies in a table of integers."""
    first = builder.gep(context.make_array(kind)(context, builder, ints).data, [place])
    found = builder.load(builder.bitcast(first, ir.IntType(ADDRESS_BITS).as_pointer()))
    found.align = 4
    return found


def call_at(
    context: Any, builder: Any, address: Any, result: Any, kinds: Sequence[Any], values: Sequence[Any]
) -> Any:
    """Call compiled code by its address, as Numba's functions call each other; kernels raise nothing."""
    shape = context.call_conv.get_function_type(result, kinds)
    place = cgutils.alloca_once(builder, shape.args[0].pointee)
    problem = cgutils.alloca_once(builder, shape.args[1].pointee)
    packed = context.get_arg_packer(kinds).as_arguments(builder, values)
    builder.call(builder.inttoptr(address, shape.as_pointer()), [place, problem, *packed])
    if result == types.none:
        return context.get_dummy_value()
    return context.get_returned_value(builder, result, builder.load(place))


def _law(primitive: Any) -> None:
    """Teach the compiler to call laws, whose addresses lie in the rows that name them."""

    def typer(context: Any, *kinds: Any) -> Any:
        return types.none

    @registry.primitive(primitive, typer)
    def call(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        integer = types.intp
        table = signature.args[0]
        row = context.cast(builder, values[1], signature.args[1], integer)
        address, first = (
            builder.add(row, ir.Constant(row.type, field))
            for field in (primitives.LAW_ADDRESS, primitives.LAW_FIRST)
        )
        start = builder.load(
            builder.gep(context.make_array(table)(context, builder, values[0]).data, [first])
        )
        kinds = [signature.args[0], *signature.args[2:-1], integer, signature.args[-1]]
        given = [values[0], *values[2:-1], context.cast(builder, start, table.dtype, integer), values[-1]]
        kinds, given = _plain(context, builder, kinds, given)
        at = address_at(context, builder, table, values[0], address)
        return call_at(context, builder, at, types.none, kinds, given)


def _plain(context: Any, builder: Any, kinds: Any, values: Any) -> Any:
    """Arrays without what nobody looks at, and whole numbers as units take them."""
    wanted = [types.intp if isinstance(kind, types.Integer) else kind for kind in kinds]
    return wanted, [
        _bare(context, builder, kind, value)
        if isinstance(kind, types.Array)
        else context.cast(builder, value, kind, to)
        for value, kind, to in zip(values, kinds, wanted, strict=True)
    ]


_law(primitives.call_force_law)
_law(primitives.call_response_law)


def _bare(context: Any, builder: Any, kind: types.Array, array: Any) -> Any:
    """An array of which only numbers and length are handed on: kernels look at nothing else."""
    whole = context.make_array(kind)(context, builder, array)
    bare = context.make_array(kind)(context, builder)
    packed = ir.Constant(bare._be_type, ir.Undefined)
    for name in ("data", "shape"):
        place = bare._datamodel.get_field_position(name)
        packed = builder.insert_value(packed, getattr(whole, name), place)
    return packed
