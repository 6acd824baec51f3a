"""Small LLVM building blocks: repeat a scalar, call an intrinsic by its overloaded name."""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba.core import cgutils


def splat(builder: Any, scalar: Any, width: int) -> Any:
    """A vector that repeats `scalar`."""
    if isinstance(scalar, ir.Constant):
        return ir.Constant(ir.VectorType(scalar.type, width), [scalar] * width)
    kind = ir.VectorType(scalar.type, width)
    undefined = ir.Constant(kind, ir.Undefined)
    first = builder.insert_element(undefined, scalar, ir.Constant(ir.IntType(32), 0))
    zeros = ir.Constant(ir.VectorType(ir.IntType(32), width), [0] * width)
    return builder.shuffle_vector(first, undefined, zeros)


def suffix(kind: Any) -> str:
    """How LLVM spells `kind` in the names of overloaded intrinsics: ``f64``, ``v8f32``, ``v8p0``."""
    if isinstance(kind, ir.VectorType):
        return f"v{kind.count}{suffix(kind.element)}"
    if isinstance(kind, ir.PointerType):
        return "p0"
    if isinstance(kind, ir.IntType):
        return f"i{kind.width}"
    return "f32" if isinstance(kind, ir.FloatType) else "f64"


def call(builder: Any, name: str, result: Any, arguments: list[Any], overloads: list[Any]) -> Any:
    """Call the LLVM intrinsic ``name.suffixes``, declaring it in the module if need be."""
    full_name = ".".join([name, *map(suffix, overloads)])
    kind = ir.FunctionType(result, [argument.type for argument in arguments])
    function = cgutils.get_or_insert_function(builder.module, kind, full_name)
    return builder.call(function, arguments)


def elementwise(builder: Any, name: str, *arguments: Any) -> Any:
    """Call an intrinsic whose arguments and result share one type, such as ``llvm.fma``."""
    kind = arguments[0].type
    return call(builder, name, kind, list(arguments), [kind])
