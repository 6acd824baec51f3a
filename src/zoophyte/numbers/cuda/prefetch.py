"""Asking for memory before it is needed: few warps fit into a multiprocessor, so they cannot hide all waiting themselves."""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba.core import types
from numba.cuda.extending import intrinsic  # noqa: TID253

from zoophyte.numbers.cuda.thread import address


def _hint(instruction: str) -> Any:
    """An intrinsic (array, offset) that executes a PTX instruction with one address and no result."""

    def typed(typing: Any, array: Any, offset: Any) -> Any:
        def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            place = address(context, builder, signature, arguments)
            kind = ir.FunctionType(ir.VoidType(), [ir.IntType(64)])
            asm = ir.InlineAsm(kind, f"{instruction} [$0];", "l", side_effect=True)
            builder.call(asm, [builder.ptrtoint(place, ir.IntType(64))])
            return context.get_dummy_value()

        return types.void(array, offset), code

    return intrinsic(typed)


into_l1 = _hint("prefetch.global.L1")
into_l2 = _hint("prefetch.global.L2")


@intrinsic
def touch(typing: Any, array: Any, offset: Any) -> Any:
    """Load a number into the nearest cache; give the result to :func:`touched` once it should have arrived."""

    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        place = address(context, builder, signature, arguments)
        kind = ir.FunctionType(ir.IntType(32), [ir.IntType(64)])
        asm = ir.InlineAsm(kind, "ld.global.ca.u32 $0, [$1];", "=r,l", side_effect=True)
        return builder.call(asm, [builder.ptrtoint(place, ir.IntType(64))])

    return types.int32(array, offset), code


@intrinsic
def touched(typing: Any, value: Any) -> Any:
    """Wait for a touched number; the one bit pattern that would make a difference costs a nanosecond."""

    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        kind = ir.FunctionType(ir.VoidType(), [ir.IntType(32)])
        text = "{ .reg .pred same; setp.eq.u32 same, $0, 0x7fabcdef; @same nanosleep.u32 1; }"
        short = context.cast(builder, arguments[0], signature.args[0], types.int32)
        builder.call(ir.InlineAsm(kind, text, "r", side_effect=True), [short])
        return context.get_dummy_value()

    return types.void(value), code
