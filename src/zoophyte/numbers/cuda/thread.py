"""What the primitives mean in one CUDA thread: one creature, whose fields lie a warp apart.

Every primitive is written as the instructions it stands for, as in :mod:`zoophyte.numbers.lanes`.  A thread's number is
a plain float32 or float64, so most of them are one instruction; only the memory needs a word.

A block of creatures is a warp: 32 threads side by side.  Its fields lie as on the CPU, `data[field][lane]`, so that the
threads of a warp read neighbours.  A kernel is handed the arrays from its own lane on, and `width` apart it finds
its next field.  The argument that is a :class:`~zoophyte.numbers.Spec` elsewhere is here an integer: how far the
thread's own entries of the parent table lie behind those that the kernel computes (its lane, and its block's table).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba.core import types
from numba.cuda import cgutils  # noqa: TID253
from numba.cuda.extending import intrinsic  # noqa: TID253

from zoophyte.numbers import primitives
from zoophyte.numbers.cuda import patterns, places
from zoophyte.numbers.cuda.places import PlaceType
from zoophyte.numbers.cuda.rows import RowsType
from zoophyte.numbers.cuda.toolkit import WARP

REPLACEMENTS: dict[Any, Any] = {}
"""Primitive → what a CUDA kernel calls in its place."""

Code = Callable[..., Any]
"""(context, builder, signature, arguments) to the LLVM value of the result."""


def _means(primitive: Any) -> Callable[[Any], Any]:
    """Put an intrinsic in the place of `primitive`."""

    def register(function: Any) -> Any:
        REPLACEMENTS[primitive] = intrinsic(function)
        return function

    return register


def _float_like(kind: types.Type) -> bool:
    return isinstance(kind, types.Float | types.Integer | types.Boolean)


# ------------------------------------------------------------------------------------------------------------ memory


def _address(context: Any, builder: Any, kind: Any, array: Any, offset: Any) -> Any:
    """Address of an element.  Negative indices do not wrap around; sums are 64-bit, so that constants become offsets."""
    if isinstance(kind, PlaceType):
        return places.address(builder, kind, array, offset)
    if isinstance(kind, RowsType):
        array = cgutils.create_struct_proxy(kind)(context, builder, value=array).table
        kind = types.Array(types.int32, 1, "C")
    data = context.make_array(kind)(context, builder, array).data
    return builder.gep(data, [offset])


def address(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    """Address of ``array[offset]`` for an intrinsic whose first arguments are these."""
    place = _wide(context, builder, arguments[1], signature.args[1])
    return _address(context, builder, signature.args[0], arguments[0], place)


def _wide(context: Any, builder: Any, value: Any, kind: types.Type) -> Any:
    return context.cast(builder, value, kind, types.int64)


def _looked_up(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    """Address of ``array[table[index + own] + field]``."""
    array, table, index, field = arguments[:4]
    kinds = signature.args
    place = builder.add(
        _wide(context, builder, index, kinds[2]), _wide(context, builder, arguments[-1], kinds[-1])
    )
    entry = builder.load(_address(context, builder, kinds[1], table, place))
    if isinstance(kinds[1], PlaceType) and kinds[1].constant:
        entry.set_metadata("invariant.load", builder.module.add_metadata([]))
    start = _wide(context, builder, entry, types.int32)
    return _address(
        context, builder, kinds[0], array, builder.add(start, _wide(context, builder, field, kinds[3]))
    )


@_means(primitives.width)
def _width(typing: Any, spec: Any) -> Any:
    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return context.get_constant(types.int64, WARP)

    return types.int64(spec), code


@_means(primitives.load)
def _load(typing: Any, array: Any, offset: Any, spec: Any) -> Any:
    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return places.read(builder, signature.args[0], address(context, builder, signature, arguments))

    return array.dtype(array, offset, spec), code


@_means(primitives.store)
def _store(typing: Any, array: Any, offset: Any, x: Any, spec: Any) -> Any:
    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        value = context.cast(builder, arguments[2], signature.args[2], signature.args[0].dtype)
        places.write(builder, signature.args[0], value, address(context, builder, signature, arguments))
        return context.get_dummy_value()

    return types.void(array, offset, x, spec), code


@_means(primitives.load_at)
def _load_at(typing: Any, array: Any, table: Any, index: Any, field: Any, spec: Any) -> Any:
    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return places.read(builder, signature.args[0], _looked_up(context, builder, signature, arguments))

    return array.dtype(array, table, index, field, spec), code


@_means(primitives.store_at)
def _store_at(typing: Any, array: Any, table: Any, index: Any, field: Any, x: Any, spec: Any) -> Any:
    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        value = context.cast(builder, arguments[4], signature.args[4], signature.args[0].dtype)
        places.write(builder, signature.args[0], value, _looked_up(context, builder, signature, arguments))
        return context.get_dummy_value()

    return types.void(array, table, index, field, x, spec), code


def _computed(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    """Address of ``array[int(offset) + field]``, or without a field of ``array[int(offset)]``."""
    place = _wide(context, builder, builder.fptosi(arguments[1], ir.IntType(32)), types.int32)
    if len(arguments) > 2:
        place = builder.add(place, _wide(context, builder, arguments[2], signature.args[2]))
    return _address(context, builder, signature.args[0], arguments[0], place)


@_means(primitives.gather)
def _gather(typing: Any, array: Any, offset: Any, field: Any, spec: Any) -> Any:
    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return places.read(builder, signature.args[0], _computed(context, builder, signature, arguments[:3]))

    return array.dtype(array, offset, field, spec), code


@_means(primitives.scatter)
def _scatter(typing: Any, array: Any, offset: Any, field: Any, x: Any, spec: Any) -> Any:
    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        value = context.cast(builder, arguments[3], signature.args[3], signature.args[0].dtype)
        places.write(builder, signature.args[0], value, _computed(context, builder, signature, arguments[:3]))
        return context.get_dummy_value()

    return types.void(array, offset, field, x, spec), code


@_means(primitives.scatter_where)
def _scatter_where(
    typing: Any, mask: Any, array: Any, offset: Any, field: Any, apart: Any, xs: Any, spec: Any
) -> Any:
    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        start = _computed(context, builder, types.void(*signature.args[1:4]), arguments[1:4])
        distance = _wide(context, builder, arguments[4], signature.args[4])
        with builder.if_then(arguments[0]):
            for n, x in enumerate(cgutils.unpack_tuple(builder, arguments[5])):
                value = context.cast(builder, x, xs.dtype, array.dtype)
                builder.store(
                    value, builder.gep(start, [builder.mul(distance, ir.Constant(distance.type, n))])
                )
        return context.get_dummy_value()

    return types.void(mask, array, offset, field, apart, xs, spec), code


@_means(primitives.lookup)
def _lookup(typing: Any, array: Any, index: Any) -> Any:
    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.load(_computed(context, builder, signature, arguments))

    return array.dtype(array, index), code


# ----------------------------------------------------------------------------------------------------------- numbers


@_means(primitives.number)
def _number(typing: Any, value: Any, like: Any) -> Any:
    if not (_float_like(value) and isinstance(like, types.Float)):
        return None

    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return context.cast(builder, arguments[0], signature.args[0], signature.return_type)

    return like(value, like), code


@_means(primitives.constant)
def _constant(typing: Any, single: Any, double: Any, like: Any) -> Any:
    if not isinstance(like, types.Float):
        return None

    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        chosen = 0 if like == types.float32 else 1
        return context.cast(builder, arguments[chosen], signature.args[chosen], like)

    return like(single, double, like), code


@_means(primitives.horner)
def _horner(typing: Any, x: Any, single: Any, double: Any) -> Any:
    if not isinstance(x, types.Float):
        return None

    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        chosen = 1 if x == types.float32 else 2
        kinds = signature.args[chosen].types
        scalars = cgutils.unpack_tuple(builder, arguments[chosen])
        terms = [context.cast(builder, s, kind, x) for kind, s in zip(kinds, scalars, strict=True)]
        total = terms.pop()
        for term in reversed(terms):
            total = builder.fma(total, arguments[0], term)
        return total

    return x(x, single, double), code


@_means(primitives.where)
def _where(typing: Any, mask: Any, a: Any, b: Any) -> Any:
    if not isinstance(mask, types.Boolean):
        return None
    result = typing.unify_types(types.unliteral(a), types.unliteral(b))

    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        _, kind_a, kind_b = signature.args
        first = context.cast(builder, arguments[1], kind_a, signature.return_type)
        second = context.cast(builder, arguments[2], kind_b, signature.return_type)
        return builder.select(arguments[0], first, second)

    return result(mask, a, b), code


def _logic(code: Code) -> Callable[..., Any]:
    """Two masks to one."""

    def typed(typing: Any, a: Any, b: Any) -> Any:
        if not (isinstance(a, types.Boolean) and isinstance(b, types.Boolean)):
            return None
        return types.boolean(a, b), lambda context, builder, signature, arguments: code(builder, *arguments)

    return typed


_means(primitives.both)(_logic(lambda builder, a, b: builder.and_(a, b)))
_means(primitives.either)(_logic(lambda builder, a, b: builder.or_(a, b)))
_means(primitives.differ)(_logic(lambda builder, a, b: builder.xor(a, b)))


@_means(primitives.negated)
def _negated(typing: Any, a: Any) -> Any:
    if not isinstance(a, types.Boolean):
        return None
    return types.boolean(a), lambda context, builder, signature, arguments: builder.not_(arguments[0])


def _same_mask(typing: Any, mask: Any) -> Any:
    if not isinstance(mask, types.Boolean):
        return None
    return types.boolean(mask), lambda context, builder, signature, arguments: arguments[0]


_means(primitives.any_lane)(_same_mask)
_means(primitives.all_lanes)(_same_mask)


def _pair(code: Code) -> Callable[..., Any]:
    """Two numbers of one type to a third."""

    def typed(typing: Any, a: Any, b: Any) -> Any:
        if not (isinstance(a, types.Float) and a == b):
            return None
        return a(a, b), lambda context, builder, signature, arguments: code(builder, *arguments)

    return typed


_means(primitives.minimum)(_pair(lambda b, x, y: b.select(b.fcmp_ordered("<", x, y), x, y)))
_means(primitives.maximum)(_pair(lambda b, x, y: b.select(b.fcmp_ordered(">", x, y), x, y)))


@_means(primitives.fma)
def _fma(typing: Any, a: Any, b: Any, c: Any) -> Any:
    if not (isinstance(a, types.Float) and a == b == c):
        return None
    return a(a, b, c), lambda context, builder, signature, arguments: builder.fma(*arguments)


def _unary(code: Code) -> Callable[..., Any]:
    """A number to another of its type; `code` gets the LLVM builder and the value."""

    def typed(typing: Any, x: Any) -> Any:
        if not isinstance(x, types.Float):
            return None
        return x(x), lambda context, builder, signature, arguments: code(builder, arguments[0])

    return typed


def _intrinsic_call(name: str) -> Code:
    def code(builder: Any, x: Any) -> Any:
        return builder.call(builder.module.declare_intrinsic(name, [x.type]), [x])

    return code


_means(primitives.sqrt)(_unary(_intrinsic_call("llvm.sqrt")))
_means(primitives.floor)(_unary(_intrinsic_call("llvm.floor")))


# -------------------------------------------------------------------------------------------------------------- bits


_means(primitives.absolute)(_unary(patterns.magnitude))
_means(primitives.copysign)(_pair(patterns.copied_sign))
_means(primitives.exponent_field)(_unary(patterns.exponent))
_means(primitives.fraction_field)(_unary(patterns.fraction))
_means(primitives.power_of_two)(_unary(patterns.power_of_two))


@_means(primitives.bit)
def _bit(typing: Any, x: Any, position: Any) -> Any:
    if not (isinstance(x, types.Float) and isinstance(position, types.Integer)):
        return None

    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        whole = patterns.layout(arguments[0].type)[0]
        index = context.cast(
            builder, arguments[1], signature.args[1], types.int32 if whole.width == 32 else types.int64
        )
        shifted = builder.lshr(builder.bitcast(arguments[0], whole), index)
        return builder.trunc(shifted, ir.IntType(1))

    return types.boolean(x, position), code


# ------------------------------------------------------------------------------------------------- lanes of one number


@_means(primitives.lane_count)
def _lane_count(typing: Any, x: Any) -> Any:
    return types.int64(x), lambda context, builder, signature, arguments: context.get_constant(types.int64, 1)


@_means(primitives.lane)
def _lane(typing: Any, x: Any, index: Any) -> Any:
    return x(x, index), lambda context, builder, signature, arguments: arguments[0]


@_means(primitives.largest_lane)
def _largest_lane(typing: Any, x: Any) -> Any:
    return x(x), lambda context, builder, signature, arguments: arguments[0]


@_means(primitives.with_lane)
def _with_lane(typing: Any, x: Any, index: Any, value: Any) -> Any:
    return x(x, index, value), lambda context, builder, signature, given: context.cast(
        builder, given[2], value, x
    )
