"""Bit patterns of IEEE 754 in LLVM's instructions: signs, exponents and fractions of a float32 or float64."""

from __future__ import annotations

from typing import Any

from llvmlite import ir


def layout(kind: Any) -> tuple[Any, int, int]:
    """The integer type as wide as the float, the fraction's width in bits, and the exponent's bias."""
    return (ir.IntType(32), 23, 127) if isinstance(kind, ir.FloatType) else (ir.IntType(64), 52, 1023)


def copied_sign(builder: Any, magnitude: Any, sign: Any) -> Any:
    """The magnitude of one, the sign of the other."""
    whole, _, _ = layout(magnitude.type)
    top = ir.Constant(whole, 1 << whole.width - 1)
    size = builder.and_(builder.bitcast(magnitude, whole), builder.not_(top))
    return builder.bitcast(builder.or_(size, builder.and_(builder.bitcast(sign, whole), top)), magnitude.type)


def magnitude(builder: Any, x: Any) -> Any:
    """|x|."""
    whole, _, _ = layout(x.type)
    return builder.bitcast(
        builder.and_(builder.bitcast(x, whole), ir.Constant(whole, 2 ** (whole.width - 1) - 1)), x.type
    )


def exponent(builder: Any, x: Any) -> Any:
    """e of a normal x = ±m·2ᵉ, as a number."""
    whole, fraction, bias = layout(x.type)
    field = builder.lshr(builder.bitcast(x, whole), ir.Constant(whole, fraction))
    field = builder.and_(field, ir.Constant(whole, 2 * bias + 1))
    return builder.sitofp(builder.sub(field, ir.Constant(whole, bias)), x.type)


def fraction(builder: Any, x: Any) -> Any:
    """m of a normal x = ±m·2ᵉ, 1 ≤ m < 2."""
    whole, fraction, bias = layout(x.type)
    bits = builder.and_(builder.bitcast(x, whole), ir.Constant(whole, 2**fraction - 1))
    return builder.bitcast(builder.or_(bits, ir.Constant(whole, bias << fraction)), x.type)


def power_of_two(builder: Any, k: Any) -> Any:
    """2ᵏ for an integral k."""
    whole, fraction, bias = layout(k.type)
    exponent = builder.add(builder.fptosi(k, whole), ir.Constant(whole, bias))
    return builder.bitcast(builder.shl(exponent, ir.Constant(whole, fraction)), k.type)
