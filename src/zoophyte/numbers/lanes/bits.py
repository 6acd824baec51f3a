"""The primitives that look at the bits of IEEE 754 numbers, and those that take lanes apart."""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba.core import types

from zoophyte.numbers import primitives
from zoophyte.numbers.lanes import registry, vectors
from zoophyte.numbers.lanes.kinds import LaneType, MaskType


def _layout(kind: types.Type) -> tuple[int, int, int]:
    """The whole width, the fraction's width in bits, and the exponent's bias."""
    return (32, 23, 127) if registry.element(kind) == types.float32 else (64, 52, 1023)


def _repeated(kind: types.Type, scalar: Any) -> Any:
    """A constant in the shape of `kind`."""
    if isinstance(kind, LaneType):
        return ir.Constant(ir.VectorType(scalar.type, kind.width), [scalar] * kind.width)
    return scalar


def _whole(kind: types.Type, value: int) -> Any:
    """The integer constant `value` in the shape of `kind`, as wide as its numbers."""
    return _repeated(kind, ir.Constant(ir.IntType(_layout(kind)[0]), value))


def _real(context: Any, kind: types.Type, value: float) -> Any:
    return _repeated(kind, context.get_constant(registry.element(kind), value))


def _to_bits(builder: Any, kind: types.Type, value: Any) -> Any:
    return builder.bitcast(value, _whole(kind, 0).type)


def _from_bits(context: Any, builder: Any, kind: types.Type, bits: Any) -> Any:
    return builder.bitcast(bits, context.get_value_type(kind))


def _type_same(context: Any, x: Any) -> types.Type | None:
    return x if registry.is_float(x) else None


def _type_bit(context: Any, x: Any, position: Any) -> types.Type | None:
    if not (registry.is_float(x) and isinstance(position, types.Integer)):
        return None
    return MaskType(x.width) if isinstance(x, LaneType) else types.boolean


def _type_lane_count(context: Any, x: Any) -> types.Type | None:
    return types.intp if registry.is_float(x) else None


def _type_scalar(context: Any, x: Any) -> types.Type | None:
    return registry.element(x) if registry.is_float(x) else None


def _type_lane(context: Any, x: Any, index: Any) -> types.Type | None:
    return registry.element(x) if registry.is_float(x) and isinstance(index, types.Integer) else None


def _type_with_lane(context: Any, x: Any, index: Any, value: Any) -> types.Type | None:
    return x if _type_lane(context, x, index) is not None and registry.is_scalar(value) else None


@registry.primitive(primitives.bit, _type_bit)
def _lower_bit(context: Any, builder: Any, signature: Any, values: Any) -> Any:
    kind, index = signature.args
    width = _layout(kind)[0]
    position = context.cast(builder, values[1], index, types.uint32 if width == 32 else types.uint64)
    selected = builder.shl(ir.Constant(ir.IntType(width), 1), position)
    if isinstance(kind, LaneType):
        selected = vectors.splat(builder, selected, kind.width)
    return builder.icmp_unsigned(
        "!=", builder.and_(_to_bits(builder, kind, values[0]), selected), _whole(kind, 0)
    )


@registry.primitive(primitives.exponent_field, _type_same)
def _lower_exponent_field(context: Any, builder: Any, signature: Any, values: Any) -> Any:
    (kind,) = signature.args
    _, fraction, bias = _layout(kind)
    field = builder.lshr(_to_bits(builder, kind, values[0]), _whole(kind, fraction))
    field = builder.and_(field, _whole(kind, 2 * bias + 1))
    # A small integer in the last bits of 2**fraction is that integer, added; cheaper than a conversion, which
    # plain AVX2 lacks for 64-bit integers.
    shifted = builder.or_(field, _whole(kind, (bias + fraction) << fraction))
    total = _from_bits(context, builder, kind, shifted)
    return builder.fsub(total, _real(context, kind, 2.0**fraction + bias))


@registry.primitive(primitives.fraction_field, _type_same)
def _lower_fraction_field(context: Any, builder: Any, signature: Any, values: Any) -> Any:
    (kind,) = signature.args
    _, fraction, bias = _layout(kind)
    bits = builder.and_(_to_bits(builder, kind, values[0]), _whole(kind, 2**fraction - 1))
    return _from_bits(context, builder, kind, builder.or_(bits, _whole(kind, bias << fraction)))


@registry.primitive(primitives.power_of_two, _type_same)
def _lower_power_of_two(context: Any, builder: Any, signature: Any, values: Any) -> Any:
    (kind,) = signature.args
    _, fraction, bias = _layout(kind)
    shifted = builder.fadd(values[0], _real(context, kind, 1.5 * 2.0**fraction + bias))
    bits = builder.shl(_to_bits(builder, kind, shifted), _whole(kind, fraction))
    return _from_bits(context, builder, kind, bits)


@registry.primitive(primitives.lane_count, _type_lane_count)
def _lower_lane_count(context: Any, builder: Any, signature: Any, values: Any) -> Any:
    (kind,) = signature.args
    return context.get_constant(types.intp, kind.width if isinstance(kind, LaneType) else 1)


@registry.primitive(primitives.lane, _type_lane)
def _lower_lane(context: Any, builder: Any, signature: Any, values: Any) -> Any:
    kind, index = signature.args
    if not isinstance(kind, LaneType):
        return values[0]
    return builder.extract_element(values[0], context.cast(builder, values[1], index, types.int32))


@registry.primitive(primitives.largest_lane, _type_scalar)
def _lower_largest_lane(context: Any, builder: Any, signature: Any, values: Any) -> Any:
    (kind,) = signature.args
    if not isinstance(kind, LaneType):
        return values[0]
    rest, count = values[0], kind.width
    while count > 1:
        count //= 2
        low, high = (
            builder.shuffle_vector(rest, rest, ir.Constant(ir.VectorType(ir.IntType(32), count), places))
            for places in (list(range(count)), list(range(count, 2 * count)))
        )
        rest = builder.select(builder.fcmp_ordered(">", low, high), low, high)
    return builder.extract_element(rest, ir.Constant(ir.IntType(32), 0))


@registry.primitive(primitives.with_lane, _type_with_lane)
def _lower_with_lane(context: Any, builder: Any, signature: Any, values: Any) -> Any:
    kind, index, given = signature.args
    scalar = context.cast(builder, values[2], given, registry.element(kind))
    if not isinstance(kind, LaneType):
        return scalar
    return builder.insert_element(values[0], scalar, context.cast(builder, values[1], index, types.int32))
