"""The primitives of number-polymorphic code, in their plain-Python meaning.

Every physics function is written once, on *numbers*, and the number decides the machine: a ``float``
(interpreter or scalar machine code), a *lane* (several creatures side by side in one SIMD register), or a
``float32`` in a CUDA thread.  Ordinary operators (``+ - * / < <=``) work on all of them; what Python has no
operator for is named here.  This module is what the names mean for one number and needs no Numba;
:mod:`zoophyte.numbers.lanes` gives the same names to the compiler for lanes, and
:mod:`zoophyte.numbers.cuda` for CUDA threads.

Rules of the code that uses them:

* branch on *uniform* things (joint kinds, counts) with ``if``; on *values* with ``where(mask, a, b)``;
* a literal takes its type from the data: ``number(0.5, like)``, never a bare ``0.5`` next to a number;
* no fused multiply-add happens by itself; where it pays, it is called by name.
"""

from __future__ import annotations

import math
import struct
import sys
from dataclasses import dataclass
from typing import Any, TypeAlias

Number: TypeAlias = Any
"""A float, a NumPy float scalar, or (inside compiled code) a lane."""

Mask: TypeAlias = Any
"""The result of comparing numbers: a bool, or one bool per lane."""

Array: TypeAlias = Any
"""A flat array of floats (or, in the interpreter, a list of them)."""


WIDTHS = (1, 4, 8, 16)
"""The widths a :class:`Spec` may have."""


@dataclass(frozen=True)
class Spec:
    """Which machine the kernel is compiled for; its *type* carries the width, so Numba's cache can see it.

    Args:
        width: creatures side by side in one number (1, 4, 8 or 16).
        mixed: whether every lane may have another topology (indexed loads become gathers).
    """

    width: int = 1
    mixed: bool = False


def outlined(function: Any) -> Any:
    """Mark a rarely needed function: its compiled form is called, not copied into its callers."""
    function.outlined = True
    return function


def width(spec: Spec) -> int:
    """Creatures side by side in one number; also the distance between two fields of one creature."""
    return 1


def number(value: float, like: Number) -> Number:
    """`value` in the number type of `like`."""
    return type(like)(value)


def load(array: Array, offset: int, spec: Spec) -> Number:
    """The number that starts at `offset`: ``array[offset + lane]`` for every lane."""
    return array[offset]


def store(array: Array, offset: int, x: Number, spec: Spec) -> None:
    """Write `x` at `offset`, one element per lane."""
    array[offset] = x


def load_at(array: Array, table: Array, index: int, field: int, spec: Spec) -> Number:
    """Indexed load: ``array[table[index + lane] + field + lane]`` for every lane.

    `table` holds one offset per lane (without the lane itself); `index` counts elements of `table`.
    """
    return array[table[index] + field]


def store_at(array: Array, table: Array, index: int, field: int, x: Number, spec: Spec) -> None:
    """Indexed store, the counterpart of :func:`load_at`; lanes never share an address."""
    array[table[index] + field] = x


def gather(array: Array, offset: Number, field: int, spec: Spec) -> Number:
    """Load from a place that was computed: ``array[int(offset) + field + lane]`` for every lane.

    `offset` is a whole number held as a number, one per lane; unlike :func:`load_at` it may always differ between lanes.
    """
    return array[int(offset) + field]


def scatter(array: Array, offset: Number, field: int, x: Number, spec: Spec) -> None:
    """Store at a place that was computed, the counterpart of :func:`gather`."""
    array[int(offset) + field] = x


def scatter_where(
    mask: Mask, array: Array, offset: Number, field: int, apart: int, xs: Any, spec: Spec
) -> None:
    """Store numbers that far apart from a place on that was computed, where `mask` holds; nothing is stored elsewhere."""
    if mask:
        for n, x in enumerate(xs):
            array[int(offset) + field + n * apart] = x


def lookup(array: Array, index: Number) -> Number:
    """Entry `index`, a whole number held as a number, of a table that all creatures share."""
    return array[int(index)]


def where(mask: Mask, a: Number, b: Number) -> Number:
    """`a` where `mask` holds, else `b`; both are always computed."""
    return a if mask else b


def any_lane(mask: Mask) -> bool:
    """Whether `mask` holds in at least one lane."""
    return bool(mask)


def all_lanes(mask: Mask) -> bool:
    """Whether `mask` holds in every lane."""
    return bool(mask)


def both(a: Mask, b: Mask) -> Mask:
    """Lane-wise *and* of two masks."""
    return a and b


def either(a: Mask, b: Mask) -> Mask:
    """Lane-wise *or* of two masks."""
    return a or b


def negated(a: Mask) -> Mask:
    """Lane-wise *not* of a mask."""
    return not a


def sqrt(x: Number) -> Number:
    """Correctly rounded square root; NaN for negative numbers, as IEEE 754 says."""
    if x >= 0.0:
        return type(x)(math.sqrt(x))
    return x if x != x else type(x)(math.nan)


def minimum(a: Number, b: Number) -> Number:
    """`a` if ``a < b`` else `b` (a NaN in `a` yields `b`: the rule of x86 and of ``where``)."""
    return a if a < b else b


def maximum(a: Number, b: Number) -> Number:
    """`a` if ``a > b`` else `b`."""
    return a if a > b else b


def absolute(x: Number) -> Number:
    """Magnitude; clears the sign bit of zeros and NaNs too."""
    return abs(x)


def floor(x: Number) -> Number:
    """Largest integer not above `x`, as a number; infinities and NaNs stay."""
    if x != x or x - x != 0.0:
        return x
    floored = float(math.floor(x))
    return type(x)(math.copysign(floored, x) if floored == 0.0 else floored)


def copysign(magnitude: Number, sign: Number) -> Number:
    """`magnitude` with the sign bit of `sign`."""
    return type(magnitude)(math.copysign(magnitude, sign))


if sys.version_info >= (3, 13):

    def _exact_fma(a: float, b: float, c: float) -> float:
        try:
            return math.fma(a, b, c)
        except ValueError:  # where IEEE 754 has a NaN, Python has an exception
            return math.nan
        except OverflowError:
            return math.copysign(math.inf, a * b + c)

else:
    import ctypes
    import ctypes.util

    # The C standard fixes fma to one rounding, so libm's is the same number on every machine.
    _libm = ctypes.CDLL(ctypes.util.find_library("m") or "msvcrt")
    _exact_fma = _libm.fma
    _exact_fma.restype = ctypes.c_double
    _exact_fma.argtypes = [ctypes.c_double] * 3


def fma(a: Number, b: Number, c: Number) -> Number:
    """a·b + c with a single rounding."""
    if type(a) is float:
        # Half of all factors are 0 or 1: then the product is exact, and its sum is rounded once too.
        return a * b + c if a == 0.0 or b == 0.0 or a == 1.0 else _exact_fma(a, b, c)
    return _fma_as(type(a), a, b, c)


def _fma_as(kind: Any, a: Number, b: Number, c: Number) -> Number:
    """Single rounding for NumPy scalars; a float32 product is exact in float64, its sum is rounded to odd."""
    import numpy as np

    if kind is int:  # a 0 or a 1 that a person wrote; the result is none
        kind = float
    if kind is not np.float32:
        return kind(_exact_fma(float(a), float(b), float(c)))
    product, addend = float(a) * float(b), float(c)
    total = product + addend
    if math.isfinite(total) and total != 0.0:
        # Boldo and Melquiond, "Emulation of FMA and correctly rounded sums": round to odd, then to float32.
        back = total - product
        error = (product - (total - back)) + (addend - back)
        bits = int.from_bytes(np.float64(total).tobytes(), "little")
        if error != 0.0 and not bits & 1:
            total = math.nextafter(total, math.copysign(math.inf, error))
    return np.float32(total)


def constant(single: float, double: float, like: Number) -> Number:
    """`single` if `like` is a float32, else `double`: constants that depend on the precision."""
    return type(like)(single if _is_single(like) else double)


def horner(x: Number, single: tuple[float, ...], double: tuple[float, ...]) -> Number:
    """c₀ + x·(c₁ + x·(c₂ + …)), every step one :func:`fma`; the coefficients depend on the precision."""
    coefficients = single if _is_single(x) else double
    total = number(coefficients[-1], x)
    for coefficient in coefficients[-2::-1]:
        total = fma(total, x, number(coefficient, x))
    return total


def differ(a: Mask, b: Mask) -> Mask:
    """Lane-wise *exclusive or* of two masks."""
    return bool(a) != bool(b)


def lane_count(x: Number) -> int:
    """How many numbers `x` holds side by side."""
    return 1


def lane(x: Number, index: int) -> Number:
    """The scalar in lane `index`; for the rare paths that work on one number at a time."""
    return x


def largest_lane(x: Number) -> Number:
    """The largest of the numbers side by side, as a scalar; for offsets and counts that lanes may share."""
    return x


def with_lane(x: Number, index: int, value: Number) -> Number:
    """`x` with the scalar `value` in lane `index`."""
    return value


def _is_single(x: Number) -> bool:
    return not isinstance(x, float)  # numpy.float64 is a float, numpy.float32 is not


def _format_of(x: Number) -> tuple[str, str, int, int]:
    """How `struct` spells the float and its bits; the fraction's width in bits; the exponent's bias."""
    return ("<f", "<I", 23, 127) if _is_single(x) else ("<d", "<Q", 52, 1023)


def _bits(x: Number) -> int:
    real, whole, _, _ = _format_of(x)
    return int(struct.unpack(whole, struct.pack(real, x))[0])


def _from_bits(bits: int, like: Number) -> Number:
    real, whole, _, _ = _format_of(like)
    return type(like)(struct.unpack(real, struct.pack(whole, bits))[0])


def bit(x: Number, position: int) -> Mask:
    """Whether bit `position` of the IEEE 754 pattern of `x` is set; bit 0 is the last of the fraction."""
    return bool(_bits(x) >> position & 1)


def exponent_field(x: Number) -> Number:
    """The exponent e of a normal x = ±m·2**e, 1 ≤ m < 2, as a number.

    It is the raw field less the bias: one below the least exponent for zeros and denormals, one above the
    largest for infinities and NaNs.
    """
    _, _, fraction, bias = _format_of(x)
    return type(x)((_bits(x) >> fraction & 2 * bias + 1) - bias)


def fraction_field(x: Number) -> Number:
    """The m of a normal x = ±m·2**e, 1 ≤ m < 2; without the sign."""
    _, _, fraction, bias = _format_of(x)
    return _from_bits(_bits(x) & 2**fraction - 1 | bias << fraction, x)


def power_of_two(k: Number) -> Number:
    """2**k for an integral `k` that is the exponent of a normal number; elsewhere meaningless."""
    _, whole, fraction, bias = _format_of(k)
    # Adding 1.5·2**fraction leaves the integer in the last bits of the sum, in two's complement.
    shifted = k + type(k)(1.5 * 2.0**fraction + bias)
    return _from_bits(_bits(shifted) << fraction & 256 ** struct.calcsize(whole) - 1, k)


LAW_NUMBER, LAW_ADDRESS, LAW_FIRST, LAW_ROW = 0, 1, 3, 4
"""Row of a law in a table of integers: its number, its address (two numbers), and where its parameters start in `data`."""
MEDIUM_LAW = 0
"""Number of the law of force of a medium; those of others follow as they come."""
LAWS_BY_NUMBER: list[Any] = [None]
"""Laws of force and of response that this process knows; a row of a table of integers names one by its place here."""


def call_force_law(ints: Array, row: int, data: Array, scratch: Array, spec: Spec) -> None:
    """Call the law of force whose row starts at `row`."""
    LAWS_BY_NUMBER[ints[row + LAW_NUMBER]](ints, data, scratch, ints[row + LAW_FIRST], spec)


def call_response_law(ints: Array, row: int, data: Array, scratch: Array, slots: int, spec: Spec) -> None:
    """Call the law of response whose row starts at `row`."""
    LAWS_BY_NUMBER[ints[row + LAW_NUMBER]](ints, data, scratch, slots, ints[row + LAW_FIRST], spec)


PRIMITIVES = (
    call_force_law, call_response_law,
    width, number, load, store, load_at, store_at, gather, scatter, scatter_where, lookup, where, any_lane, all_lanes, both,
    either, negated, sqrt, minimum, maximum, absolute, floor, copysign, fma,
    constant, horner, differ, lane_count, lane, largest_lane, with_lane, bit, exponent_field, fraction_field, power_of_two,
)  # fmt: skip
