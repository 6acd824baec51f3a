"""Elementary functions on numbers: the same bits in the interpreter, in scalar code and in all lanes.

Each function is written once from operators, :func:`~zoophyte.numbers.where` and fused multiply-adds, and
calls no library: C libraries and NumPy round differently from machine to machine.  The polynomials come from
``tools/fit_functions.py``.  Special values follow C99, annex F.  Each docstring bounds the error in units in
the last place (ulp) of the result, a little above the largest found among some ten million arguments.
"""

from __future__ import annotations

import math

from zoophyte.numbers import coefficients as table
from zoophyte.numbers.primitives import (
    Mask,
    Number,
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
from zoophyte.numbers.reduction import ROUNDER_DOUBLE, ROUNDER_SINGLE, quarter_turns

# Computed here and not in the functions, where a compiler may call its own logarithm, in double precision.
_PER_LN2, _SQRT_TWO = 1.0 / math.log(2.0), math.sqrt(2.0)
_LN2_HIGH_SINGLE, _LN2_LOW_SINGLE = table.LN2_SINGLE
_LN2_HIGH_DOUBLE, _LN2_LOW_DOUBLE = table.LN2_DOUBLE
_LN2_SHORT_SINGLE, _LN2_REST_SINGLE = table.LN2_SHORT_SINGLE
_LN2_SHORT_DOUBLE, _LN2_REST_DOUBLE = table.LN2_SHORT_DOUBLE
_QUARTER_PI_HIGH_SINGLE, _QUARTER_PI_LOW_SINGLE = table.QUARTER_PI_SINGLE
_QUARTER_PI_HIGH_DOUBLE, _QUARTER_PI_LOW_DOUBLE = table.QUARTER_PI_DOUBLE
_TWO_THIRDS_HIGH_SINGLE, _TWO_THIRDS_LOW_SINGLE = table.TWO_THIRDS_SINGLE
_TWO_THIRDS_HIGH_DOUBLE, _TWO_THIRDS_LOW_DOUBLE = table.TWO_THIRDS_DOUBLE


def sincos(x: Number) -> tuple[Number, Number]:
    """Sine and cosine of `x` [rad], any size; 1.6 ulp."""
    r, turns = quarter_turns(x)
    z = r * r
    # fma(-0·0, -1/6, -0) is +0, so the sign of a zero is put back.
    s = copysign(fma(r * z, horner(z, table.SINE_SINGLE, table.SINE_DOUBLE), r), r)
    c = horner(z, table.COSINE_SINGLE, table.COSINE_DOUBLE)
    c = fma(z, fma(z, c, number(-0.5, x)), number(1.0, x))
    odd, upper = bit(turns, 0), bit(turns, 1)
    sine, cosine = where(odd, c, s), where(odd, s, c)
    return where(upper, -sine, sine), where(differ(upper, odd), -cosine, cosine)


def sin(x: Number) -> Number:
    """Sine of `x` [rad]; the same bits as :func:`sincos`."""
    return sincos(x)[0]


def cos(x: Number) -> Number:
    """Cosine of `x` [rad]; the same bits as :func:`sincos`."""
    return sincos(x)[1]


def tan(x: Number) -> Number:
    """Tangent of `x` [rad]: the quotient of sine and cosine; 4.0 ulp."""
    s, c = sincos(x)
    return s / c


def exp(x: Number) -> Number:
    """e to the power `x`; 1.1 ulp."""
    # Beyond these the result is zero or infinite anyway; in this order a NaN stays.
    x = maximum(constant(-104.0, -746.0, x), minimum(constant(89.0, 710.0, x), x))
    return _exp_of_sum(x, number(0.0, x))


def _exp_of_sum(x: Number, tail: Number) -> Number:
    """exp(x + tail) for |tail| far below |x|."""
    rounder = constant(ROUNDER_SINGLE, ROUNDER_DOUBLE, x)
    k = fma(x, number(_PER_LN2, x), rounder) - rounder
    r = fma(k, constant(-_LN2_HIGH_SINGLE, -_LN2_HIGH_DOUBLE, x), x)  # exact, as in the reduction of angles
    r = fma(k, constant(-_LN2_LOW_SINGLE, -_LN2_LOW_DOUBLE, x), r) + tail
    p = horner(r, table.EXPONENTIAL_SINGLE, table.EXPONENTIAL_DOUBLE)
    y = number(1.0, x) + fma(r * r, p, r)
    # 2**k alone may leave the range of numbers when the result does not; only the second factor rounds.
    half = floor(number(0.5, x) * k)
    return (y * power_of_two(half)) * power_of_two(k - half)


def _parted(x: Number) -> tuple[Number, Number]:
    """(m, e) with x = m·2**e and √½ ≤ m < √2, for positive finite x; denormals are lifted first."""
    denormal = x < constant(2.0**-126, 2.0**-1022, x)
    lifted = where(denormal, x * constant(2.0**24, 2.0**53, x), x)
    m = fraction_field(lifted)
    e = exponent_field(lifted) - where(denormal, constant(24.0, 53.0, x), number(0.0, x))
    large = m > number(_SQRT_TWO, x)
    one = number(1.0, x)
    return where(large, number(0.5, x) * m, m), where(large, e + one, e)


def log(x: Number) -> Number:
    """Natural logarithm; -inf at zero, NaN below; 0.9 ulp."""
    m, e = _parted(x)
    f = m - number(1.0, x)
    s = f / (f + number(2.0, x))
    z = s * s
    # log(1 + f) = 2s + s·z·P(z), and 2s = f - f²/2 + s·f²/2 keeps the exact f in front.
    half_square = number(0.5, x) * f * f
    p = fma(z, horner(z, table.LOGARITHM_SINGLE, table.LOGARITHM_DOUBLE), half_square)
    rest = half_square - fma(s, p, e * constant(_LN2_LOW_SINGLE, _LN2_LOW_DOUBLE, x))
    y = fma(e, constant(_LN2_HIGH_SINGLE, _LN2_HIGH_DOUBLE, x), f - rest)
    y = where(x < number(math.inf, x), y, x)
    zero = number(0.0, x)
    return where(x > zero, y, where(x == zero, number(-math.inf, x), number(math.nan, x)))


def _log_in_two_parts(x: Number) -> tuple[Number, Number]:
    """log x for positive finite x as an unevaluated sum, with about 10 bits more than one number has.

    Sums and products carry their rounding errors along (Dekker, "A floating-point technique for extending the
    available precision").
    """
    m, e = _parted(x)
    one = number(1.0, x)
    f, d = m - one, m + one
    d_low = m - (d - one)
    s = f / d
    s_low = fma(-s, d_low, fma(-s, d, f)) / d
    z = s * s
    z_low = fma(s, s, -z) + (s + s) * s_low
    q = z * horner(z, table.LOGARITHM_TAIL_SINGLE, table.LOGARITHM_TAIL_DOUBLE)
    c_high = constant(_TWO_THIRDS_HIGH_SINGLE, _TWO_THIRDS_HIGH_DOUBLE, x)
    c = c_high + q
    c_low = (c_high - c) + q + constant(_TWO_THIRDS_LOW_SINGLE, _TWO_THIRDS_LOW_DOUBLE, x)
    w = s * z
    w_low = fma(s, z, -w) + fma(s, z_low, s_low * z)
    p = w * c
    p_low = fma(w, c, -p) + fma(w, c_low, w_low * c)
    l = (s + s) + p
    l_low = ((s + s) - l) + p + ((s_low + s_low) + p_low)
    whole = e * constant(_LN2_SHORT_SINGLE, _LN2_SHORT_DOUBLE, x)
    high = whole + l
    low = (whole - high) + l + fma(e, constant(_LN2_REST_SINGLE, _LN2_REST_DOUBLE, x), l_low)
    return high, low


def _power_of_positive(x: Number, y: Number) -> Number:
    """x**y for positive finite x and any y that is no NaN."""
    # Beyond this |y| the result is 0, 1 or infinite; a smaller one keeps the products finite.
    huge = constant(2.0**36, 2.0**66, y)
    y = minimum(maximum(y, -huge), huge)
    high, low = _log_in_two_parts(x)
    product = y * high
    tail = fma(y, high, -product) + y * low
    bound = constant(105.0, 750.0, x)
    tail = where(absolute(product) < bound, tail, number(0.0, x))
    return _exp_of_sum(minimum(maximum(product, -bound), bound), tail)


def power(x: Number, y: Number) -> Number:
    """`x` to the power `y`, with all of C99's special cases; 1.2 ulp."""
    zero, one, infinity = number(0.0, x), number(1.0, x), number(math.inf, x)
    size = absolute(x)
    regular = both(size > zero, size < infinity)
    magnitude = _power_of_positive(where(regular, size, one), y)
    grows = differ(size == zero, y > zero)
    magnitude = where(regular, magnitude, where(grows, infinity, zero))

    whole = floor(y) == y
    half = number(0.5, y) * y
    odd = both(whole, negated(floor(half) == half))
    magnitude = where(both(odd, _is_negative(x)), -magnitude, magnitude)
    undefined = both(both(x < zero, x > -infinity), negated(whole))
    undefined = either(undefined, either(x != x, y != y))
    unity = either(y == zero, x == one)
    return where(unity, one, where(undefined, number(math.nan, x), magnitude))


def _is_negative(x: Number) -> Mask:
    """Whether the sign bit is set; true for -0."""
    return copysign(number(1.0, x), x) < number(0.0, x)


def atan2(y: Number, x: Number) -> Number:
    """The angle of the point (x, y), from -π to π; 1.7 ulp."""
    zero, one, two = number(0.0, x), number(1.0, x), number(2.0, x)
    size_x, size_y = absolute(x), absolute(y)
    swapped = size_y > size_x
    high, low = where(swapped, size_y, size_x), where(swapped, size_x, size_y)
    # Two infinities are at 45°; two zeros have the angle zero; the sum of two huge numbers must not overflow.
    infinity = number(math.inf, x)
    low = where(high == infinity, where(low == infinity, one, zero), low)
    high = where(high == infinity, one, where(high == zero, one, high))
    scale = where(high > constant(2.0**126, 2.0**1022, x), number(0.25, x), one)
    high, low = high * scale, low * scale

    # atan(low/high) = π/4 + atan((low - high)/(low + high)); the difference is exact where it is used.
    middle = low > number(0.5, x) * high
    t = where(middle, low - high, low) / where(middle, low + high, high)
    z = t * t
    p = z * horner(z, table.ARCTANGENT_SINGLE, table.ARCTANGENT_DOUBLE)

    # The angle is j·π/4 ± atan t.
    negative = _is_negative(x)
    j = where(middle, one, zero)
    j = where(swapped, two - j, j)
    j = where(negative, number(4.0, x) - j, j)
    t = where(differ(swapped, negative), -t, t)
    t = t + fma(t, p, j * constant(_QUARTER_PI_LOW_SINGLE, _QUARTER_PI_LOW_DOUBLE, x))
    angle = fma(j, constant(_QUARTER_PI_HIGH_SINGLE, _QUARTER_PI_HIGH_DOUBLE, x), t)
    return where(either(x != x, y != y), x + y, copysign(angle, y))


def _half_arcsine(x: Number) -> tuple[Mask, Number, Number]:
    """(large, s, p): asin s = s + s·p with s = |x|, or for large |x| s = √((1 - |x|)/2) and |x| = 1 - 2s²."""
    half = number(0.5, x)
    size = absolute(x)
    large = size > half
    z = where(large, half * (number(1.0, x) - size), size * size)
    s = where(large, sqrt(z), size)
    return large, s, z * horner(z, table.ARCSINE_SINGLE, table.ARCSINE_DOUBLE)


def asin(x: Number) -> Number:
    """The angle between -π/2 and π/2 whose sine is `x`; NaN beyond ±1; 1.7 ulp."""
    large, s, p = _half_arcsine(x)
    two = number(2.0, x)
    half_pi = two * constant(_QUARTER_PI_HIGH_SINGLE, _QUARTER_PI_HIGH_DOUBLE, x)
    half_pi_low = two * constant(_QUARTER_PI_LOW_SINGLE, _QUARTER_PI_LOW_DOUBLE, x)
    angle = where(large, half_pi - two * (s + fma(s, p, number(-0.5, x) * half_pi_low)), fma(s, p, s))
    return copysign(angle, x)


def acos(x: Number) -> Number:
    """The angle between 0 and π whose cosine is `x`; NaN beyond ±1; 1.2 ulp."""
    large, s, p = _half_arcsine(x)
    two = number(2.0, x)
    half_pi = two * constant(_QUARTER_PI_HIGH_SINGLE, _QUARTER_PI_HIGH_DOUBLE, x)
    half_pi_low = two * constant(_QUARTER_PI_LOW_SINGLE, _QUARTER_PI_LOW_DOUBLE, x)
    angle = copysign(s, x)
    small_angle = half_pi - (angle + fma(angle, p, -half_pi_low))
    obtuse_angle = two * (half_pi - (s + fma(s, p, -half_pi_low)))
    large_angle = where(x < number(0.0, x), obtuse_angle, two * fma(s, p, s))
    return where(large, large_angle, small_angle)
