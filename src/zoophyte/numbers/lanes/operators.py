"""Python's operators on lanes and masks.

No instruction carries a fast-math flag, so nothing is contracted, reassociated or assumed finite.
Comparisons are ordered (false when a NaN takes part) except ``!=``, which is unordered (true), as IEEE 754
and Python have it.
"""

from __future__ import annotations

import operator
from typing import Any

from numba.core import types

from zoophyte.numbers.lanes import registry
from zoophyte.numbers.lanes.kinds import LaneType, MaskType

_LANE_PAIRS = (
    (LaneType, LaneType),
    (LaneType, types.Float),
    (LaneType, types.Integer),
    (types.Float, LaneType),
    (types.Integer, LaneType),
)
_MASK_PAIRS = ((MaskType, MaskType), (MaskType, types.Boolean), (types.Boolean, MaskType))

_ARITHMETIC = {
    operator.add: "fadd",
    operator.iadd: "fadd",
    operator.sub: "fsub",
    operator.isub: "fsub",
    operator.mul: "fmul",
    operator.imul: "fmul",
    operator.truediv: "fdiv",
    operator.itruediv: "fdiv",
}
_COMPARISON = {
    operator.lt: "<",
    operator.le: "<=",
    operator.gt: ">",
    operator.ge: ">=",
    operator.eq: "==",
    operator.ne: "!=",
}
_LOGIC = {
    operator.and_: "and_",
    operator.iand: "and_",
    operator.or_: "or_",
    operator.ior: "or_",
    operator.xor: "xor",
    operator.ixor: "xor",
}


def _register_arithmetic(function: Any, instruction: str) -> None:
    def typer(context: Any, *kinds: types.Type) -> types.Type | None:
        return registry.common_lane(function.__name__, *kinds) if len(kinds) == 2 else None

    @registry.operation(function, typer, *_LANE_PAIRS)
    def lower(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        a, b = registry.cast_all(context, builder, signature, values, signature.return_type)
        return getattr(builder, instruction)(a, b)


def _register_comparison(function: Any, predicate: str) -> None:
    def typer(context: Any, *kinds: types.Type) -> types.Type | None:
        lane = registry.common_lane(function.__name__, *kinds) if len(kinds) == 2 else None
        return None if lane is None else MaskType(lane.width)

    @registry.operation(function, typer, *_LANE_PAIRS)
    def lower(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        lane = registry.common_lane(function.__name__, *signature.args)
        a, b = registry.cast_all(context, builder, signature, values, lane)
        compare = builder.fcmp_unordered if predicate == "!=" else builder.fcmp_ordered
        return compare(predicate, a, b)


def _register_logic(function: Any, instruction: str) -> None:
    def typer(context: Any, *kinds: types.Type) -> types.Type | None:
        if len(kinds) != 2 or not any(isinstance(kind, MaskType) for kind in kinds):
            return None
        return registry.common_mask(function.__name__, *kinds)

    @registry.operation(function, typer, *_MASK_PAIRS)
    def lower(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        a, b = registry.cast_all(context, builder, signature, values, signature.return_type)
        return getattr(builder, instruction)(a, b)


def _same(kind: type) -> registry.Typer:
    """The typer of a unary operator that exists for `kind` only."""
    return lambda context, *kinds: kinds[0] if len(kinds) == 1 and isinstance(kinds[0], kind) else None


for _function, _instruction in _ARITHMETIC.items():
    _register_arithmetic(_function, _instruction)
for _function, _predicate in _COMPARISON.items():
    _register_comparison(_function, _predicate)
for _function, _instruction in _LOGIC.items():
    _register_logic(_function, _instruction)


@registry.operation(operator.neg, _same(LaneType), (LaneType,))
def _lower_negative(context: Any, builder: Any, signature: Any, values: Any) -> Any:
    return builder.fneg(values[0])  # flips the sign bit of zeros and NaNs too, which 0 - x does not


@registry.operation(operator.pos, _same(LaneType), (LaneType,))
def _lower_positive(context: Any, builder: Any, signature: Any, values: Any) -> Any:
    return values[0]


@registry.operation(operator.invert, _same(MaskType), (MaskType,))
def _lower_invert(context: Any, builder: Any, signature: Any, values: Any) -> Any:
    return builder.not_(values[0])
