"""The primitives that compute: choice, mask logic, and the few functions that hardware rounds correctly."""

from __future__ import annotations

import operator
from typing import Any

from llvmlite import ir
from numba.core import cgutils, errors, types

from zoophyte.numbers import primitives
from zoophyte.numbers.lanes import registry, vectors
from zoophyte.numbers.lanes.kinds import LaneType, MaskType, SpecType


def _type_width(context: Any, spec: Any) -> types.Type | None:
    return types.intp if isinstance(spec, SpecType) else None


def _type_number(context: Any, value: Any, like: Any) -> types.Type | None:
    if isinstance(value, types.Float | types.Integer | types.Boolean):
        return like if isinstance(like, types.Float | LaneType) else None
    return like if value == like and isinstance(like, LaneType) else None


def _type_constant(context: Any, single: Any, double: Any, like: Any) -> types.Type | None:
    return (
        like
        if registry.is_scalar(single) and registry.is_scalar(double) and registry.is_float(like)
        else None
    )


def _type_horner(context: Any, x: Any, single: Any, double: Any) -> types.Type | None:
    for coefficients in (single, double):
        if not isinstance(coefficients, types.BaseTuple) or len(coefficients) == 0:
            return None
        if not all(map(registry.is_scalar, coefficients.types)):
            return None
    return x if registry.is_float(x) else None


def _type_where(context: Any, mask: Any, a: Any, b: Any) -> types.Type | None:
    if not isinstance(mask, MaskType | types.Boolean):
        return None
    result = registry.common_number(context, "where", a, b) or registry.common_mask("where", a, b)
    if result is None or not isinstance(mask, MaskType):
        return result
    if isinstance(result, types.Boolean):
        return MaskType(mask.width)
    if not isinstance(result, LaneType | MaskType):
        return LaneType(result, mask.width) if isinstance(result, types.Float) else None
    if result.width != mask.width:
        raise errors.TypingError(f"where: {mask} cannot choose between values of {result}")
    return result


def _type_reduction(context: Any, mask: Any) -> types.Type | None:
    return types.boolean if isinstance(mask, MaskType | types.Boolean) else None


def _type_mask(name: str) -> registry.Typer:
    return lambda context, *kinds: registry.common_mask(name, *kinds)


def _type_number_of(name: str) -> registry.Typer:
    return lambda context, *kinds: registry.common_number(context, name, *kinds)


def _type_float_of(name: str) -> registry.Typer:
    def typer(context: Any, *kinds: types.Type) -> types.Type | None:
        result = registry.common_number(context, name, *kinds)
        return result if isinstance(result, types.Float | LaneType) else None

    return typer


@registry.primitive(primitives.width, _type_width)
def _lower_width(context: Any, builder: Any, signature: Any, values: Any) -> Any:
    return context.get_constant(types.intp, signature.args[0].width)


@registry.primitive(primitives.number, _type_number)
def _lower_number(context: Any, builder: Any, signature: Any, values: Any) -> Any:
    given, like = signature.args
    if given == like:
        return values[0]
    return _repeated(context, builder, values[0], given, like)


def _repeated(context: Any, builder: Any, scalar: Any, given: types.Type, like: types.Type) -> Any:
    """`scalar` rounded to the precision of `like` and, for a lane, repeated."""
    element = registry.element(like)
    return context.cast(builder, context.cast(builder, scalar, given, element), element, like)


@registry.primitive(primitives.constant, _type_constant)
def _lower_constant(context: Any, builder: Any, signature: Any, values: Any) -> Any:
    like = signature.args[2]
    chosen = 0 if registry.element(like) == types.float32 else 1
    return _repeated(context, builder, values[chosen], signature.args[chosen], like)


@registry.primitive(primitives.horner, _type_horner)
def _lower_horner(context: Any, builder: Any, signature: Any, values: Any) -> Any:
    like = signature.args[0]
    chosen = 1 if registry.element(like) == types.float32 else 2
    kinds, scalars = signature.args[chosen].types, cgutils.unpack_tuple(builder, values[chosen])
    terms = [_repeated(context, builder, x, given, like) for given, x in zip(kinds, scalars, strict=True)]
    total = terms.pop()
    for term in reversed(terms):
        total = vectors.elementwise(builder, "llvm.fma", total, values[0], term)
    return total


@registry.primitive(primitives.where, _type_where)
def _lower_where(context: Any, builder: Any, signature: Any, values: Any) -> Any:
    _, kind_a, kind_b = signature.args
    a = context.cast(builder, values[1], kind_a, signature.return_type)
    b = context.cast(builder, values[2], kind_b, signature.return_type)
    return builder.select(values[0], a, b)


def _bits(builder: Any, mask: Any) -> tuple[Any, Any]:
    """The mask as one integer with a bit per lane, and that integer's type."""
    kind = ir.IntType(mask.type.count)
    return builder.bitcast(mask, kind), kind


@registry.primitive(primitives.any_lane, _type_reduction)
def _lower_any(context: Any, builder: Any, signature: Any, values: Any) -> Any:
    if isinstance(signature.args[0], types.Boolean):
        return values[0]
    bits, kind = _bits(builder, values[0])
    return builder.icmp_unsigned("!=", bits, ir.Constant(kind, 0))


@registry.primitive(primitives.all_lanes, _type_reduction)
def _lower_all(context: Any, builder: Any, signature: Any, values: Any) -> Any:
    if isinstance(signature.args[0], types.Boolean):
        return values[0]
    bits, kind = _bits(builder, values[0])
    return builder.icmp_unsigned("==", bits, ir.Constant(kind, 2**kind.width - 1))


@registry.primitive(primitives.both, _type_mask("both"))
def _lower_both(context: Any, builder: Any, signature: Any, values: Any) -> Any:
    return builder.and_(*registry.cast_all(context, builder, signature, values, signature.return_type))


@registry.primitive(primitives.either, _type_mask("either"))
def _lower_either(context: Any, builder: Any, signature: Any, values: Any) -> Any:
    return builder.or_(*registry.cast_all(context, builder, signature, values, signature.return_type))


@registry.primitive(primitives.differ, _type_mask("differ"))
def _lower_differ(context: Any, builder: Any, signature: Any, values: Any) -> Any:
    return builder.xor(*registry.cast_all(context, builder, signature, values, signature.return_type))


@registry.primitive(primitives.negated, _type_mask("negated"))
def _lower_negated(context: Any, builder: Any, signature: Any, values: Any) -> Any:
    return builder.not_(values[0])


def _register_choice(function: Any, comparison: Any, predicate: str) -> None:
    """minimum and maximum: a comparison and a choice, the same in every form and one instruction on x86."""

    @registry.primitive(function, _type_number_of(function.__name__))
    def lower(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        kind = signature.return_type
        a, b = registry.cast_all(context, builder, signature, values, kind)
        if isinstance(kind, types.Integer):
            mask = context.get_function(comparison, types.boolean(kind, kind))(builder, (a, b))
        else:
            mask = builder.fcmp_ordered(predicate, a, b)
        return builder.select(mask, a, b)


def _register_intrinsic(function: Any, intrinsic: str) -> None:
    """A primitive that is one LLVM intrinsic on operands of one type."""

    @registry.primitive(function, _type_float_of(function.__name__))
    def lower(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        operands = registry.cast_all(context, builder, signature, values, signature.return_type)
        return vectors.elementwise(builder, intrinsic, *operands)


_register_choice(primitives.minimum, operator.lt, "<")
_register_choice(primitives.maximum, operator.gt, ">")
_register_intrinsic(primitives.sqrt, "llvm.sqrt")
_register_intrinsic(primitives.absolute, "llvm.fabs")
_register_intrinsic(primitives.floor, "llvm.floor")
_register_intrinsic(primitives.copysign, "llvm.copysign")
_register_intrinsic(primitives.fma, "llvm.fma")
