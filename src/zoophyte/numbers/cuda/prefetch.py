"""Asking for memory before it is needed: few warps fit into a multiprocessor, so they cannot hide all waiting themselves."""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba.core import types
from numba.cuda.extending import intrinsic  # noqa: TID253

from zoophyte.numbers.cuda.thread import address


@intrinsic
def into_cache(typing: Any, array: Any, offset: Any) -> Any:
    """Ask for the sector of memory that holds ``array[offset]``; nothing waits for it."""

    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        place = address(context, builder, signature, arguments)
        kind = ir.FunctionType(ir.VoidType(), [ir.IntType(64)])
        asm = ir.InlineAsm(kind, "prefetch.global.L1 [$0];", "l", side_effect=True)
        builder.call(asm, [builder.ptrtoint(place, ir.IntType(64))])
        return context.get_dummy_value()

    return types.void(array, offset), code
