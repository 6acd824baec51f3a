"""Fit the polynomials behind :mod:`zoophyte.numbers.functions` and write its `coefficients` module.

Each elementary function is reduced to a short interval and written there as an exactly known leading part
plus a polynomial, whose coefficients are found by Remez's exchange in 60-digit arithmetic: the largest error
*relative to the function* is made as small as the number of coefficients allows. The coefficients are then
rounded one after the other to the working precision, the rest being fitted again after each, so that a
rounding is made good by those that follow (on intervals that start at zero).

Run ``python tools/fit_functions.py`` to rewrite the module, with ``--check`` to fail if it would change.
"""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import mpmath
import numpy as np
from mpmath import mp, mpf

TARGET = Path(__file__).parent.parent / "src" / "zoophyte" / "numbers" / "coefficients.py"
GRID = 400
"""Points at which the error is looked at; its extrema are flat, so a coarse grid finds them to 1e-4."""

Real = Callable[[mpf], mpf]


@dataclass(frozen=True)
class Fit:
    """One polynomial P(u) on `interval`.

    Args:
        name: of the tuple in the generated module, without the suffix of the precision.
        meaning: the formula in which the polynomial stands.
        wanted: what P should be.
        weight: error of the function, relative to the function, for each unit of error of P.
        interval: of u.
        counts: coefficients for float32 and float64.
    """

    name: str
    meaning: str
    wanted: Real
    weight: Real
    interval: tuple[mpf, mpf]
    counts: tuple[int, int]


@dataclass(frozen=True)
class Precision:
    """A binary floating-point format."""

    suffix: str
    bits: int
    exponent_bits: int

    def round(self, x: mpf) -> mpf:
        """The nearest number of this format."""
        return mpf(float(np.float32(float(x)))) if self.bits == 24 else mpf(float(x))

    def truncate(self, x: mpf, bits: int) -> mpf:
        """The first `bits` significant bits of x."""
        shift = bits - 1 - int(mpmath.floor(mpmath.log(abs(x), 2)))
        return mpmath.floor(mpmath.ldexp(x, shift)) / mpmath.ldexp(1, shift)


SINGLE = Precision("SINGLE", 24, 8)
DOUBLE = Precision("DOUBLE", 53, 11)


def _series_safe(exact: Real, limit: mpf) -> Real:
    """`exact`, with its removable singularity at zero replaced by the value next to it."""
    return lambda u: exact(u) if abs(u) > limit else exact(limit)


def _fits() -> list[Fit]:
    tiny = mpf(10) ** -12
    turn = (mp.pi / 4 + mpf(2) ** -7) ** 2  # float32 reduces to a little more than an eighth of a turn
    half_ln2 = mp.log(2) / 2 + mpf(2) ** -12
    ratio = ((mp.sqrt(2) - 1) / (mp.sqrt(2) + 1)) ** 2

    def root(function: Callable[[mpf], mpf]) -> Real:
        return lambda z: function(mp.sqrt(z))

    def odd(function: Real) -> tuple[Real, Real]:
        """P and its weight in f(t) = t + t·z·P(z), z = t²."""
        wanted = root(lambda t: (function(t) / t - 1) / t**2)
        return _series_safe(wanted, tiny), root(lambda t: t**3 / function(t) if t else mpf(0))

    def log_ratio(s: mpf) -> mpf:
        return mp.log((1 + s) / (1 - s))

    return [
        Fit("SINE", "sin r = r + r·z·P(z), z = r²", *odd(mp.sin), (mpf(0), turn), (3, 6)),
        Fit(
            "COSINE",
            "cos r = 1 + z·(-1/2 + z·P(z)), z = r²",
            _series_safe(root(lambda r: (mp.cos(r) - 1 + r**2 / 2) / r**4), tiny),
            root(lambda r: r**4 / mp.cos(r)),
            (mpf(0), turn),
            (3, 6),
        ),
        Fit(
            "EXPONENTIAL",
            "exp r = 1 + (r + r²·P(r))",
            _series_safe(lambda r: (mp.exp(r) - 1 - r) / r**2, tiny),
            lambda r: r**2 / mp.exp(r),
            (-half_ln2, half_ln2),
            (5, 10),
        ),
        Fit(
            "LOGARITHM",
            "log((1+s)/(1-s)) = 2s + s·z·P(z), z = s²",
            _series_safe(root(lambda s: (log_ratio(s) / s - 2) / s**2), tiny),
            root(lambda s: s**3 / log_ratio(s) if s else mpf(0)),
            (mpf(0), ratio),
            (3, 7),
        ),
        Fit(
            "LOGARITHM_TAIL",
            "log((1+s)/(1-s)) = 2s + 2/3·s³ + s³·z·P(z), z = s²",
            _series_safe(root(lambda s: ((log_ratio(s) / s - 2) / s**2 - mpf(2) / 3) / s**2), tiny),
            root(lambda s: s**5 / log_ratio(s) if s else mpf(0)),
            (mpf(0), ratio),
            (4, 9),
        ),
        Fit("ARCTANGENT", "atan t = t + t·z·P(z), z = t²", *odd(mp.atan), (mpf(0), mpf("0.25")), (6, 12)),
        Fit("ARCSINE", "asin t = t + t·z·P(z), z = t²", *odd(mp.asin), (mpf(0), mpf("0.25")), (6, 13)),
    ]


def _extrema(errors: list[mpf], count: int) -> list[int]:
    """Where the error alternates: the largest of each run of one sign, `count` of them in a row."""
    runs: list[int] = []
    for index, error in enumerate(errors):
        if error == 0:
            continue
        if runs and (errors[runs[-1]] > 0) == (error > 0):
            if abs(error) > abs(errors[runs[-1]]):
                runs[-1] = index
        else:
            runs.append(index)
    while len(runs) > count:
        runs.pop(0 if abs(errors[runs[0]]) < abs(errors[runs[-1]]) else -1)
    return runs


def _remez(points: list[mpf], wanted: list[mpf], weights: list[mpf], count: int) -> tuple[list[mpf], mpf]:
    """The polynomial with the least largest weighted error on `points`, and that error."""
    last = len(points) - 1
    chosen = [round(last * (1 - math.cos(math.pi * (i + 0.5) / (count + 1))) / 2) for i in range(count + 1)]
    coefficients: list[mpf] = []
    for _ in range(40):
        rows = [
            [points[i] ** n for n in range(count)] + [(-1) ** k / weights[i]] for k, i in enumerate(chosen)
        ]
        solution = mp.lu_solve(mp.matrix(rows), mp.matrix([wanted[i] for i in chosen]))
        coefficients, level = list(solution[:count]), abs(solution[count])
        errors = [
            w * (mp.polyval(coefficients[::-1], u) - g)
            for u, g, w in zip(points, wanted, weights, strict=True)
        ]
        largest = max(map(abs, errors))
        if largest <= level * mpf("1.0001"):
            return coefficients, largest
        extrema = _extrema(errors, count + 1)
        if len(extrema) < count + 1:
            return coefficients, largest
        chosen = extrema
    return coefficients, largest


def fit(task: Fit, precision: Precision, count: int) -> tuple[list[mpf], mpf]:
    """Rounded coefficients, lowest first, and the largest relative error of the function that uses them."""
    low, high = task.interval
    points = [low + (high - low) * (1 - mp.cos(mp.pi * (i + mpf("0.5")) / GRID)) / 2 for i in range(GRID)]
    exact, weights = [task.wanted(u) for u in points], [task.weight(u) for u in points]
    rest, rest_weights = list(exact), list(weights)
    rounded: list[mpf] = []
    for left in range(count, 0, -1):
        coefficients, _ = _remez(points, rest, rest_weights, left)
        if (
            low < 0
        ):  # dividing by u would blow up at the zero inside; these coefficients are rounded all at once
            rounded = [precision.round(coefficient) for coefficient in coefficients]
            break
        rounded.append(precision.round(coefficients[0]))
        rest = [(g - rounded[-1]) / u for g, u in zip(rest, points, strict=True)]
        rest_weights = [w * abs(u) for w, u in zip(rest_weights, points, strict=True)]
    polynomial = rounded[::-1]
    error = max(
        abs(w * (mp.polyval(polynomial, u) - g)) for u, g, w in zip(points, exact, weights, strict=True)
    )
    return rounded, error


def _parts(precision: Precision, x: mpf, first_bits: int, count: int) -> list[mpf]:
    """x > 0 as a sum of numbers, the first with `first_bits` bits; all but the last are cut off, not rounded.

    So all are positive, and n·part for n = +0 has the same sign in each step of a reduction: -0 stays -0.
    """
    parts = [precision.truncate(x, first_bits)]
    while len(parts) < count - 1:
        parts.append(precision.truncate(x - mpmath.fsum(parts), precision.bits))
    return [*parts, precision.round(x - mpmath.fsum(parts))]


def _literal(x: mpf) -> str:
    return repr(float(x))


def _tuple(name: str, values: list[mpf], comment: str) -> str:
    rows = [f"    {_literal(value)},\n" for value in values]
    return f"# {comment}\n{name} = (\n{''.join(rows)})\n"


def _limbs(x: mpf, limb_bits: int, count: int) -> list[int]:
    """The bits of the fraction x, `limb_bits` at a time."""
    whole = int(mpmath.floor(mpmath.ldexp(x, limb_bits * count)))
    return [whole >> limb_bits * (count - 1 - i) & (1 << limb_bits) - 1 for i in range(count)]


def _limb_table(name: str, values: list[int], comment: str) -> str:
    rows = [values[i : i + 8] for i in range(0, len(values), 8)]
    body = "".join("    " + ", ".join(f"0x{value:06X}" for value in row) + ",\n" for row in rows)
    return f"# {comment}\n{name} = (\n{body})  # fmt: skip\n"


def generate() -> str:
    """The text of the generated module."""
    mp.prec = 200
    sections = [
        '"""Coefficients of the elementary functions; written by ``tools/fit_functions.py``, do not edit.\n\n'
        "Tuples are in rising powers.  The error given is the largest of the approximation alone, relative\n"
        'to the function, as a power of two.\n"""\n'
    ]
    for precision, which in ((SINGLE, 0), (DOUBLE, 1)):
        mp.prec = 200
        for task in _fits():
            values, error = fit(task, precision, task.counts[which])
            comment = f"{task.meaning}; error 2**{float(mp.log(error, 2)):.1f}"
            sections.append(_tuple(f"{task.name}_{precision.suffix}", values, comment))
        mp.prec = 400
        full = precision.bits
        short = full - precision.exponent_bits
        for name, x, first, count, comment in (
            ("HALF_PI", mp.pi / 2, full, 3, "π/2 as a sum of three numbers"),
            ("QUARTER_PI", mp.pi / 4, full, 2, "π/4 as a sum of two"),
            ("LN2", mp.log(2), full, 2, "log 2 as a sum of two"),
            (
                "LN2_SHORT",
                mp.log(2),
                short,
                2,
                "log 2 as a sum of two, the first times an exponent being exact",
            ),
            ("TWO_THIRDS", mpf(2) / 3, full, 2, "2/3 as a sum of two"),
        ):
            sections.append(_tuple(f"{name}_{precision.suffix}", _parts(precision, x, first, count), comment))
    mp.prec = 2000
    limbs = [0, 0, *_limbs(2 / mp.pi, 24, 50)]
    sections.append(
        _limb_table("TWO_OVER_PI", limbs, "the bits of 2/π, 24 at a time, after two empty places")
    )
    return "\n".join(sections)


def main() -> int:
    """Write the module, or compare it."""
    parser = argparse.ArgumentParser(description="Fit the polynomials of the elementary functions.")
    parser.add_argument("--check", action="store_true", help="fail if the module differs, write nothing")
    check = parser.parse_args().check
    text = generate()
    if check:
        return 0 if TARGET.read_text(encoding="utf-8") == text else 1
    TARGET.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
