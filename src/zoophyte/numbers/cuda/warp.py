"""What the primitives mean where a warp holds several teams of threads, each with a creature, and all keep together.

Left alone, threads part wherever numbers decide (how many contacts, how many sweeps), and then run one after the other.
With these meanings they ask each other first, so that all take the same way, and masks choose what counts, as on SIMD lanes.

All threads of a warp take part that have not left, as those do whose life has ended; therefore kernels must not ask where
only some of them go.  Since a life is the same whoever its neighbours are, results do not depend on who that is.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba.core import types
from numba.cuda.extending import intrinsic  # noqa: TID253

from zoophyte.numbers import primitives
from zoophyte.numbers.cuda import team
from zoophyte.numbers.cuda.toolkit import WARP

ALL = "0xffffffff"
"""Threads that meet or exchange numbers: all of the warp that have not left."""
_WHOLE, _BIT, _FLOAT = ir.IntType(32), ir.IntType(1), ir.FloatType()


def _assembly(builder: Any, code: str, result: Any, *values: Any) -> Any:
    """Instructions that all threads here execute together; `code` may use the predicate p."""
    letters = {_WHOLE: "r", _FLOAT: "f"}
    inputs = ",".join(letters[value.type] for value in values)
    outputs = "" if isinstance(result, ir.VoidType) else f"={letters[result]}"
    constraints = ",".join(part for part in (outputs, inputs, "~{memory}") if part)
    kind = ir.FunctionType(result, [value.type for value in values])
    asm = ir.InlineAsm(kind, "{ .reg .pred p; " + code + " }", constraints, side_effect=True)
    return builder.call(asm, list(values), attrs=("convergent", "nounwind"))


def _vote(how: str) -> Any:
    code = f"setp.ne.u32 p, $1, 0; vote.sync.{how}.pred p, p, {ALL}; selp.u32 $0, 1, 0, p;"

    def typed(typing: Any, mask: Any) -> Any:
        if not isinstance(mask, types.Boolean):
            return None

        def lowered(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            bit = builder.trunc(arguments[0], _BIT) if arguments[0].type != _BIT else arguments[0]
            found = _assembly(builder, code, _WHOLE, builder.zext(bit, _WHOLE))
            return builder.icmp_unsigned("!=", found, ir.Constant(_WHOLE, 0))

        return types.boolean(mask), lowered

    return intrinsic(typed)


@intrinsic
def _largest(typing: Any, x: Any) -> Any:
    if x != types.float32:
        return None

    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        # Floats are ordered as their bits are, where the bits of negative ones but for the sign are turned over.
        def ordered(bits: Any) -> Any:
            sign = builder.ashr(bits, ir.Constant(_WHOLE, 31))
            return builder.xor(bits, builder.lshr(sign, ir.Constant(_WHOLE, 1)))

        bits = ordered(builder.bitcast(arguments[0], _WHOLE))
        most = _assembly(builder, f"redux.sync.max.s32 $0, $1, {ALL};", _WHOLE, bits)
        return builder.bitcast(ordered(most), _FLOAT)

    return x(x), code


@intrinsic
def _root(typing: Any, x: Any) -> Any:
    """Within two units in the last place; a correct root has a slow way for zeros, which idle lanes are full of."""
    if x != types.float32:
        return None

    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        name = "llvm.nvvm.sqrt.approx.ftz.f"
        known = builder.module.globals.get(name)
        return builder.call(
            known or ir.Function(builder.module, ir.FunctionType(_FLOAT, [_FLOAT]), name), arguments
        )

    return x(x), code


def _fixed(value: int) -> Any:
    @intrinsic
    def fixed(typing: Any, spec: Any) -> Any:
        def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            return context.get_constant(types.int64, value)

        return types.int64(spec), code

    return fixed


def _thread(builder: Any) -> Any:
    name = "llvm.nvvm.read.ptx.sreg.tid.x"
    known = builder.module.globals.get(name)
    return builder.call(known or ir.Function(builder.module, ir.FunctionType(_WHOLE, []), name), [])


def _rank(threads: int) -> Any:
    @intrinsic
    def rank(typing: Any, spec: Any) -> Any:
        def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            own = builder.and_(_thread(builder), ir.Constant(_WHOLE, threads - 1))
            return builder.zext(own, ir.IntType(64))

        return types.int64(spec), code

    return rank


def _total(threads: int) -> Any:
    @intrinsic
    def total(typing: Any, x: Any, spec: Any) -> Any:
        if x != types.float32:
            return None

        def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            # Partners add the same two numbers, so all end with the same bits.
            value, distance = arguments[0], threads // 2
            while distance:
                text = f"shfl.sync.bfly.b32 $0, $1, {distance}, 0x1f, {ALL};"
                value = builder.fadd(value, _assembly(builder, text, _FLOAT, value))
                distance //= 2
            return value

        return x(x, spec), code

    return total


def _waiting(code: str) -> Any:
    @intrinsic
    def wait(typing: Any, spec: Any) -> Any:
        def lowered(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            if code:
                _assembly(builder, code, ir.VoidType())
            return context.get_dummy_value()

        return types.void(spec), lowered

    return wait


def together(lanes: int) -> dict[Any, Any]:
    """Primitive → what kernels call in its place whose warps hold so many creatures, each with a team of equal size."""
    threads = WARP // lanes
    return {
        primitives.any_lane: _vote("any"),
        primitives.all_lanes: _vote("all"),
        primitives.largest_lane: _largest,
        primitives.sqrt: _root,
        primitives.width: _fixed(lanes),
        team.size: _fixed(threads),
        team.rank: _rank(threads),
        team.total: _total(threads),
        team.meet: _waiting(f"bar.warp.sync {ALL};" if threads > 1 else ""),
        team.line_up: _waiting("bar.sync 0;"),
    }
