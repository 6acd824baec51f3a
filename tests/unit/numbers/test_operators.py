"""Operators and primitives, on every machine, against NumPy, bit for bit."""

from __future__ import annotations

import itertools
import math
import re
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from unit.numbers.machines import (
    DTYPES,
    LANE_WIDTHS,
    WIDTHS,
    assert_same,
    bits,
    compile_group,
    inputs,
    interpret,
    run,
    special_pairs,
    type_of,
)
from zoophyte.algebra.quaternions import quaternion_matrix
from zoophyte.numbers import (
    Spec,
    absolute,
    bit,
    both,
    constant,
    copysign,
    differ,
    either,
    exponent_field,
    floor,
    fma,
    fraction_field,
    horner,
    maximum,
    minimum,
    negated,
    number,
    power_of_two,
    sqrt,
    where,
)

COUNT = 2**18
CASES = [(dtype, width) for dtype in DTYPES for width in WIDTHS]
IDS = [f"{dtype.__name__}-{width}" for dtype, width in CASES]


def arithmetic(a: Any, b: Any, c: Any) -> tuple[Any, ...]:
    d, e, f, g = a, a, a, a
    d += b
    e -= b
    f *= b
    g /= b
    return a + b, a - b, a * b, a / b, -a, +a, d, e, f, g, a * b + c, (a + b) - a, a * b - b * c, a / b * c


def numpy_arithmetic(a: Any, b: Any, c: Any) -> tuple[Any, ...]:
    return (
        *(a + b, a - b, a * b, a / b, -a, +a, a + b, a - b, a * b, a / b),
        *(a * b + c, (a + b) - a, a * b - b * c, a / b * c),
    )


def comparisons(a: Any, b: Any, c: Any) -> tuple[Any, ...]:
    one, zero = number(1.0, a), number(0.0, a)
    return (
        where(a < b, one, zero),
        where(a <= b, one, zero),
        where(a > b, one, zero),
        where(a >= b, one, zero),
        where(a == b, one, zero),
        where(a != b, one, zero),
        where(both(a < b, b < c), a, b),
        where(either(a < b, b < c), a, b),
        where(differ(a < b, b < c), a, b),
        where(negated(a < b), a, b),
        where(where(a < b, b < c, a < c), a, b),
    )


def numpy_comparisons(a: Any, b: Any, c: Any) -> tuple[Any, ...]:
    return (
        *(x.astype(a.dtype) for x in (a < b, a <= b, a > b, a >= b, a == b, a != b)),
        np.where((a < b) & (b < c), a, b),
        np.where((a < b) | (b < c), a, b),
        np.where((a < b) ^ (b < c), a, b),
        np.where(~(a < b), a, b),
        np.where(np.where(a < b, b < c, a < c), a, b),
    )


def rounded_functions(a: Any, b: Any, c: Any) -> tuple[Any, ...]:
    one, zero = number(1.0, a), number(0.0, a)
    return (
        sqrt(a),
        minimum(a, b),
        maximum(a, b),
        absolute(a),
        floor(a),
        copysign(a, b),
        constant(1.0 / 3.0, 2.0 / 3.0, a),
        number(0.1, a),
        number(3, a),
        where(bit(a, 0), one, zero),
        where(bit(a, 22), one, zero),
        exponent_field(a),
        fraction_field(a),
    )


def numpy_rounded_functions(a: Any, b: Any, c: Any) -> tuple[Any, ...]:
    single = a.dtype == np.float32
    fraction, bias = (23, 127) if single else (52, 1023)
    whole, kind = bits(a), a.dtype.type
    significand = (whole & whole.dtype.type(2**fraction - 1)) | whole.dtype.type(bias << fraction)
    return (
        np.sqrt(a),
        np.where(a < b, a, b),
        np.where(a > b, a, b),
        np.abs(a),
        np.floor(a),
        np.copysign(a, b),
        np.full_like(a, kind(1.0 / 3.0) if single else 2.0 / 3.0),
        np.full_like(a, kind(0.1)),
        np.full_like(a, 3),
        (whole & 1).astype(a.dtype),
        (whole >> 22 & 1).astype(a.dtype),
        ((whole >> fraction & (2 * bias + 1)).astype(np.int64) - bias).astype(a.dtype),
        significand.view(a.dtype),
    )


def fused(a: Any, b: Any, c: Any) -> tuple[Any, ...]:
    single, double = (0.5, -1.5, 3.0), (0.25, 2.0)
    return fma(a, b, c), fma(a, b, -c), horner(a, single, double)


def powers_of_two(a: Any, b: Any, c: Any) -> tuple[Any, ...]:
    return (power_of_two(a),)


@pytest.mark.parametrize(("dtype", "width"), CASES, ids=IDS)
@pytest.mark.parametrize(
    ("group", "wanted"),
    [
        (arithmetic, numpy_arithmetic),
        (comparisons, numpy_comparisons),
        (rounded_functions, numpy_rounded_functions),
    ],
    ids=["arithmetic", "comparisons", "functions"],
)
def test_every_machine_equals_numpy(
    group: Any, wanted: Any, dtype: Any, width: int, rng: np.random.Generator
) -> None:
    a, b, c = inputs(rng, dtype, COUNT)
    with np.errstate(all="ignore"):
        reference = np.array(wanted(a, b, c), dtype=dtype)
    assert_same(run(group, Spec(width), a, b, c), reference, a, b, c)


@pytest.mark.parametrize("kind", [float, np.float64, np.float32])
@pytest.mark.parametrize("group", [arithmetic, comparisons, rounded_functions, fused])
def test_the_interpreter_equals_scalar_code(group: Any, kind: type, rng: np.random.Generator) -> None:
    a, b, c = inputs(rng, np.dtype(kind), 96)
    if kind is float and group is arithmetic:
        b = np.where(
            b == 0, 1.0, b
        )  # Python's float refuses to divide by zero; kernels guard their divisions
    assert_same(interpret(group, kind, a, b, c), run(group, Spec(1), a, b, c), a, b, c)


def exactly_fused(a: float, b: float, c: float, dtype: Any) -> float:
    """a·b + c in rational arithmetic; Python rounds the quotient of two integers correctly to float64."""
    total = Fraction(a) * Fraction(b) + Fraction(c)
    if dtype == np.float64 or total == 0:
        return float(total)
    # Rounded to odd at 52 bits, which float64 holds, so that the rounding to float32 is the only one.
    shift = 52 - (abs(total.numerator).bit_length() - total.denominator.bit_length())
    scaled = total * Fraction(2) ** shift
    whole = scaled.numerator // scaled.denominator
    if scaled != whole:
        whole |= 1
    return float(np.float32(math.ldexp(whole, -shift)))


@pytest.mark.parametrize("dtype", DTYPES)
def test_fma_rounds_once(dtype: Any, rng: np.random.Generator) -> None:
    """Law: fma(a, b, c) is a·b + c rounded once. Oracle: rational arithmetic."""
    count = 4096
    a = rng.normal(size=count).astype(dtype)
    b = rng.normal(size=count).astype(dtype)
    c = -(a * b) * (
        1 + rng.integers(-2, 3, size=count) * np.finfo(dtype).eps
    )  # cancels all but the last bits
    c = np.where(np.arange(count) % 2 == 0, c, rng.normal(size=count)).astype(dtype)
    wanted = np.array(
        [exactly_fused(*map(float, values), dtype) for values in zip(a, b, c, strict=True)], dtype
    )
    assert_same(run(fused, Spec(8), a, b, c)[:1], wanted[None], a, b, c)
    assert np.any(wanted != a * b + c)


def test_fma_of_simple_factors_is_that_of_the_processor() -> None:
    """Law: the interpreter's short way for factors 0 and 1 gives the bits of the compiled form, signs of zeros included."""
    simple = (0.0, -0.0, 1.0, -1.0, 1.5, 5e-324, 1e308, math.inf, -math.inf, math.nan)
    a, b, c = np.ascontiguousarray(np.array(list(itertools.product(simple, repeat=3))).T)
    found = np.array([fma(*map(float, values)) for values in zip(a, b, c, strict=True)])
    assert_same(run(fused, Spec(1), a, b, c)[:1], found[None], a, b, c)


def test_whole_numbers_are_numbers() -> None:
    """A 0 written as a whole number made whole numbers of sums: the matrix of a quaternion was no rotation."""
    assert fma(0, 2.0, 0.5) == 0.5 and fma(3, 0.5, 0.25) == 1.75
    half = math.sqrt(0.5)
    assert quaternion_matrix((half, 0, 0, half)) == quaternion_matrix((half, 0.0, 0.0, half))


@pytest.mark.parametrize("dtype", DTYPES)
def test_fma_and_horner_agree_on_every_machine(dtype: Any, rng: np.random.Generator) -> None:
    a, b, c = inputs(rng, dtype, 2**17)
    scalar = run(fused, Spec(1), a, b, c)
    for width in LANE_WIDTHS:
        assert_same(run(fused, Spec(width), a, b, c), scalar, a, b, c)


@pytest.mark.parametrize(("dtype", "width"), CASES, ids=IDS)
def test_power_of_two_covers_all_normal_exponents(dtype: Any, width: int) -> None:
    info = np.finfo(dtype)
    exponents = np.arange(info.minexp, info.maxexp)
    exponents = np.concatenate([exponents, np.zeros(-len(exponents) % 16)]).astype(dtype)
    wanted = np.ldexp(np.ones_like(exponents), exponents.astype(int))
    assert_same(run(powers_of_two, Spec(width), exponents), wanted[None], exponents)
    assert_same(interpret(powers_of_two, type_of(dtype, float), exponents), wanted[None], exponents)


def with_scalars(a: Any, b: Any, c: Any) -> tuple[Any, ...]:
    return (
        2 + a,
        a - 0.5,
        3.0 * a,
        a * 3,
        1 / a,
        a / 4.0,
        2.5 - a,
        where(a < 1, a, 0.25),
        where(a >= 0.5, 1.5, b),
    )


def numpy_with_scalars(a: Any, b: Any, c: Any) -> tuple[Any, ...]:
    half, quarter = np.full_like(a, 1.5), np.full_like(a, 0.25)
    return (
        *(2 + a, a - 0.5, 3.0 * a, a * 3, 1 / a, a / 4.0, 2.5 - a),
        *(np.where(a < 1, a, quarter), np.where(a >= 0.5, half, b)),
    )


def mask_operators(a: Any, b: Any, c: Any) -> tuple[Any, ...]:
    m, n = a < b, b < c
    k, l, o = m, m, m
    k &= n
    l |= n
    o ^= n
    always = True
    return (
        where(m & n, a, b),
        where(m | n, a, b),
        where(m ^ n, a, b),
        where(~m, a, b),
        where(k, a, b),
        where(l, a, b),
        where(o, a, b),
        where(m & always, a, b),
        where(both(m, always), a, b),
    )


def numpy_mask_operators(a: Any, b: Any, c: Any) -> tuple[Any, ...]:
    m, n = a < b, b < c
    return tuple(np.where(x, a, b) for x in (m & n, m | n, m ^ n, ~m, m & n, m | n, m ^ n, m, m))


@pytest.mark.parametrize("width", LANE_WIDTHS)
@pytest.mark.parametrize("dtype", DTYPES)
def test_scalars_take_the_type_of_the_lane(dtype: Any, width: int, rng: np.random.Generator) -> None:
    a, b, c = inputs(rng, dtype, 2**14)
    with np.errstate(all="ignore"):
        first = np.array(numpy_with_scalars(a, b, c), dtype=dtype)
        second = np.array(numpy_mask_operators(a, b, c), dtype=dtype)
    assert_same(run(with_scalars, Spec(width), a, b, c), first, a, b, c)
    assert_same(run(mask_operators, Spec(width), a, b, c), second, a, b, c)


def test_no_instruction_may_be_relaxed() -> None:
    """Fast-math flags would let the compiler contract and reassociate, and the bits of forms would differ."""
    a, b = special_pairs(np.float64)
    for width in (1, 8):
        run(arithmetic, Spec(width), a, b)
    code = "\n".join(compile_group(arithmetic).inspect_llvm().values())
    assert re.search(r"= fmul <8 x double>", code)
    assert not re.search(r"= f\w+ (fast|contract|reassoc|nnan|ninf|nsz|arcp|afn) ", code)
