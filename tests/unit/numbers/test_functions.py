"""The elementary functions: accuracy against mpmath, special values, and equal bits on every machine."""

from __future__ import annotations

import hashlib
import math
import os
import platform
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import mpmath
import numpy as np
import pytest
from mpmath import mpf

from unit.numbers.machines import (
    DTYPES,
    LANE_WIDTHS,
    Floats,
    any_bits,
    assert_same,
    interpret,
    run,
    special_pairs,
)
from zoophyte.numbers import Spec, functions
from zoophyte.numbers.functions import acos, asin, atan2, cos, exp, log, power, sin, sincos, tan

NAMES = ("sin", "cos", "tan", "exp", "log", "asin", "acos", "atan2", "power")
BINARY = ("atan2", "power")


def all_functions(a: Any, b: Any, c: Any) -> tuple[Any, ...]:
    s, k = sincos(a)
    return sin(a), cos(a), tan(a), exp(a), log(a), asin(a), acos(a), atan2(a, b), power(a, b), s, k


# --------------------------------------------------------------------------------------------------- accuracy

BOUNDS = {
    "sin": 1.6, "cos": 1.6, "tan": 4.0, "exp": 1.1, "log": 0.9, "asin": 1.7, "acos": 1.2,
    "atan2": 1.7, "power": 1.2,
}  # fmt: skip
"""Largest error in units in the last place: what the docstrings promise."""

EXACT: dict[str, Callable[..., mpf]] = {name: getattr(mpmath, name) for name in NAMES}


@dataclass(frozen=True)
class Range:
    """Arguments of one function, drawn for one precision."""

    name: str
    title: str
    draw: Callable[[np.random.Generator, Any, int], tuple[Any, Any]]


def uniform(low: float, high: float) -> Callable[[np.random.Generator, Any, int], tuple[Any, Any]]:
    def draw(rng: np.random.Generator, dtype: Any, count: int) -> tuple[Any, Any]:
        return rng.uniform(low, high, count), rng.uniform(low, high, count)

    return draw


def magnitudes(low: float | None, high: float | None) -> Callable[..., tuple[Any, Any]]:
    """Uniform logarithms, both signs; None stands for the end of the type's range, denormals included."""

    def draw(rng: np.random.Generator, dtype: Any, count: int) -> tuple[Any, Any]:
        info = np.finfo(dtype)
        bottom = math.log(float(info.smallest_subnormal) if low is None else low)
        top = math.log(float(info.max) if high is None else high)
        values = np.exp(rng.uniform(bottom, top, (2, count))) * rng.choice([-1, 1], (2, count))
        return values[0], values[1]

    return draw


def sizes(low: float | None, high: float | None) -> Callable[..., tuple[Any, Any]]:
    return lambda rng, dtype, count: tuple(map(np.abs, magnitudes(low, high)(rng, dtype, count)))  # type: ignore[return-value]


def quarter_turns(rng: np.random.Generator, dtype: Any, count: int) -> tuple[Any, Any]:
    """The numbers nearest to multiples of π/2, where the reduction of the angle cancels most."""
    turns = np.round(rng.uniform(-6e4, 6e4, count)) * (math.pi / 2)
    return turns, turns


def exponents(rng: np.random.Generator, dtype: Any, count: int) -> tuple[Any, Any]:
    """From below the least denormal to above the largest number."""
    low, high = (-104.5, 89.5) if dtype == np.float32 else (-746.5, 710.5)
    values = rng.uniform(low, high, count)
    return values, values


def near_one(rng: np.random.Generator, dtype: Any, count: int) -> tuple[Any, Any]:
    offsets, _ = magnitudes(float(np.finfo(dtype).eps), 0.5)(rng, dtype, count)
    return 1 + offsets, offsets


def below_one(rng: np.random.Generator, dtype: Any, count: int) -> tuple[Any, Any]:
    offsets, _ = magnitudes(float(np.finfo(dtype).eps), 1.0)(rng, dtype, count)
    return np.copysign(1 - np.abs(offsets), offsets), offsets


def similar(rng: np.random.Generator, dtype: Any, count: int) -> tuple[Any, Any]:
    x, _ = magnitudes(1e-3, 1e3)(rng, dtype, count)
    return x * rng.uniform(0.45, 1.0, count), x


def whole_range_power(base: Callable[..., tuple[Any, Any]]) -> Callable[..., tuple[Any, Any]]:
    """Bases and exponents whose powers fill the range of results."""

    def draw(rng: np.random.Generator, dtype: Any, count: int) -> tuple[Any, Any]:
        x = np.abs(base(rng, dtype, count)[0].astype(dtype))
        logarithm = np.log(x.astype(float))
        wanted = exponents(rng, dtype, count)[0]
        return x, wanted / np.where(logarithm == 0, 1.0, logarithm)

    return draw


RANGES = [
    *(Range(name, "within a turn", uniform(-6.3, 6.3)) for name in ("sin", "cos", "tan")),
    *(Range(name, "up to 1e5", uniform(-1e5, 1e5)) for name in ("sin", "cos", "tan")),
    *(Range(name, "quarter turns", quarter_turns) for name in ("sin", "cos")),
    *(Range(name, "beyond 1e5", magnitudes(1e5, None)) for name in ("sin", "cos")),
    Range("sin", "tiny", magnitudes(None, 1e-3)),
    Range("exp", "whole range", exponents),
    Range("exp", "around zero", uniform(-1, 1)),
    Range("log", "whole range", sizes(None, None)),
    Range("log", "around one", near_one),
    *(Range(name, "whole range", uniform(-1, 1)) for name in ("asin", "acos")),
    *(Range(name, "next to one", below_one) for name in ("asin", "acos")),
    Range("asin", "tiny", magnitudes(None, 0.5)),
    Range("atan2", "whole range", magnitudes(None, None)),
    Range("atan2", "all directions", uniform(-1, 1)),
    Range("atan2", "near the diagonals", similar),
    Range("power", "ordinary", lambda rng, dtype, n: (rng.uniform(0.01, 10, n), rng.uniform(-9, 9, n))),
    Range("power", "whole range", whole_range_power(sizes(None, None))),
    Range("power", "base near one", whole_range_power(near_one)),
]


def errors_in_ulp(got: Floats, wanted: list[mpf]) -> list[float]:
    """|got - wanted| in units of the last place of the wanted value, denormals included."""
    info = np.finfo(got.dtype)
    least = mpf(float(info.smallest_subnormal))
    overflow = mpf(float(info.max)) * (1 + mpf(2) ** (-info.nmant - 2))  # rounds to infinity
    errors = []
    for result, exact in zip(got, wanted, strict=True):
        if abs(exact) >= overflow:
            errors.append(0.0 if np.isinf(result) and (result > 0) == (exact > 0) else math.inf)
        else:
            exponent = mpmath.frexp(exact)[1] - info.nmant - 1 if exact else 0
            ulp = max(mpmath.ldexp(1, exponent), least) if exact else least
            errors.append(float(abs(mpf(float(result)) - exact) / ulp))
    return errors


def compiled_values(name: str, a: Floats, b: Floats) -> Floats:
    return run(all_functions, Spec(8), a, b)[NAMES.index(name)]


@pytest.mark.parametrize("case", RANGES, ids=lambda case: f"{case.name} {case.title}")
@pytest.mark.parametrize("dtype", DTYPES)
def test_error_is_below_the_promise(dtype: Any, case: Range, rng: np.random.Generator) -> None:
    """Oracle: mpmath with 160 bits. Tolerance: the docstrings' bounds, at most 2 ulp but for tan."""
    with np.errstate(over="ignore"):
        a, b = (np.asarray(x).astype(dtype) for x in case.draw(rng, dtype, 800))
    got = compiled_values(case.name, a, b)
    with mpmath.workprec(160):
        function = EXACT[case.name]
        if case.name in BINARY:
            wanted = [function(mpf(float(x)), mpf(float(y))) for x, y in zip(a, b, strict=True)]
        else:
            wanted = [function(mpf(float(x))) for x in a]
        errors = errors_in_ulp(got, wanted)
    worst = int(np.argmax(errors))
    assert errors[worst] <= BOUNDS[case.name], (a[worst], b[worst], got[worst])


def test_promises_are_within_two_ulp() -> None:
    assert max(bound for name, bound in BOUNDS.items() if name != "tan") <= 2
    for name, bound in BOUNDS.items():
        if name not in ("sin", "cos"):
            assert f"{bound} ulp" in getattr(functions, name).__doc__
    assert f"{BOUNDS['sin']} ulp" in sincos.__doc__


@pytest.mark.parametrize(
    "x",
    [
        6381956970095103 * 2.0**797,  # of all float64 the one nearest to a multiple of π/2
        math.ldexp(1.0, 1023),
        float(np.finfo(float).max),
        2.0**30 + 1,
    ],
)
def test_hardest_angles(x: float) -> None:
    """Oracle: mpmath with more bits than the largest angle has before its point."""
    with mpmath.workprec(1400):
        wanted = [mpmath.sin(mpf(x)), mpmath.cos(mpf(x))]
        assert max(errors_in_ulp(np.array(sincos(x)), wanted)) <= BOUNDS["sin"]
    assert sin(-x) == -sin(x)
    assert cos(-x) == cos(x)


# --------------------------------------------------------------------------------------------- special values

INF, NAN = math.inf, math.nan
SPECIAL = {
    "sin": [(0.0, 0.0), (-0.0, -0.0), (INF, NAN), (-INF, NAN), (NAN, NAN)],
    "cos": [(0.0, 1.0), (-0.0, 1.0), (INF, NAN), (NAN, NAN)],
    "tan": [(0.0, 0.0), (-0.0, -0.0), (INF, NAN), (NAN, NAN)],
    "exp": [(0.0, 1.0), (-0.0, 1.0), (INF, INF), (-INF, 0.0), (NAN, NAN), (1e4, INF), (-1e4, 0.0)],
    "log": [(1.0, 0.0), (0.0, -INF), (-0.0, -INF), (INF, INF), (-1.0, NAN), (-INF, NAN), (NAN, NAN)],
    "asin": [(0.0, 0.0), (-0.0, -0.0), (1.5, NAN), (-INF, NAN), (NAN, NAN)],
    "acos": [(1.0, 0.0), (1.5, NAN), (INF, NAN), (NAN, NAN)],
}


@pytest.mark.parametrize("kind", [float, np.float64, np.float32])
@pytest.mark.parametrize("name", SPECIAL)
def test_special_values(name: str, kind: type) -> None:
    """C99, annex F.10."""
    with np.errstate(all="ignore"):
        got = np.array([getattr(functions, name)(kind(x)) for x, _ in SPECIAL[name]], dtype=np.dtype(kind))
    wanted = np.array([y for _, y in SPECIAL[name]], dtype=np.dtype(kind))
    assert_same(got[None], wanted[None], np.array([x for x, _ in SPECIAL[name]]))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(("name", "reference"), [("atan2", np.arctan2), ("power", np.power)])
def test_special_pairs_follow_c99(name: str, reference: Any, dtype: Any) -> None:
    """Every pair of special values: equal bits where C99 fixes the result, elsewhere 3 ulp.

    The tolerance is our 1.7 ulp and one for the library's own error.
    """
    a, b = special_pairs(dtype)
    with np.errstate(all="ignore"):
        wanted = reference(a, b)
        got = compiled_values(name, a, b)
        close = np.abs(got - wanted) <= 3 * np.spacing(np.abs(wanted))
    exact = ~np.isfinite(wanted) | (wanted == 0) | (np.abs(a) == 1) & (name == "power") | (b == 0)
    close &= np.isfinite(wanted) & (np.signbit(got) == np.signbit(wanted))
    assert_same(np.where(close & ~exact, wanted, got)[None], wanted[None], a, b)


# ------------------------------------------------------------------------------------------------- equal bits


def many_arguments(rng: np.random.Generator, dtype: Any, count: int) -> tuple[Floats, Floats]:
    a0, b0 = special_pairs(dtype)
    parts = [(a0, b0), (any_bits(rng, dtype, count // 4), any_bits(rng, dtype, count // 4))]
    for low, high, share in ((-1, 1, 4), (-10, 10, 4), (-1e5, 1e5, 8), (0, 100, 8)):
        parts.append(tuple(rng.uniform(low, high, (2, count // share)).astype(dtype)))  # type: ignore[arg-type]
    return np.concatenate([a for a, _ in parts]), np.concatenate([b for _, b in parts])


@pytest.mark.parametrize("dtype", DTYPES)
def test_all_machines_give_the_same_bits(dtype: Any, rng: np.random.Generator) -> None:
    a, b = many_arguments(rng, dtype, 2**20)
    scalar = run(all_functions, Spec(1), a, b)
    assert_same(scalar[:2], scalar[-2:], a, b)  # sin and cos are the halves of sincos
    for width in LANE_WIDTHS:
        assert_same(run(all_functions, Spec(width), a, b), scalar, a, b)


@pytest.mark.parametrize("kind", [float, np.float64, np.float32])
def test_the_interpreter_gives_the_same_bits(kind: type, rng: np.random.Generator) -> None:
    a, b = many_arguments(rng, np.dtype(kind).type, 1024)
    chosen = rng.permutation(len(a))[:1600]
    a, b = a[chosen], b[chosen]
    assert_same(interpret(all_functions, kind, a, b), run(all_functions, Spec(1), a, b), a, b)


def digest() -> str:
    """A fingerprint of all functions' results in lanes of four; NaNs are made alike first."""
    found = hashlib.sha256()
    for dtype in DTYPES:
        a, b = many_arguments(np.random.default_rng(5), dtype, 2**12)
        results = run(all_functions, Spec(4), a, b)
        found.update(np.where(np.isnan(results), dtype(np.nan), results).tobytes())
    return found.hexdigest()


@pytest.mark.skipif(platform.machine() != "x86_64", reason="names another CPU of the same family")
def test_a_cpu_without_avx_gives_the_same_bits() -> None:
    """Plain x86-64 has neither wide vectors nor fused multiply-adds; the mathematics must be the same."""
    source, tests = Path(functions.__file__).parents[2], Path(__file__).parents[2]
    environment = os.environ | {
        "NUMBA_CPU_NAME": "x86-64",
        "NUMBA_CPU_FEATURES": "",
        "PYTHONPATH": os.pathsep.join([str(source), str(tests)]),
    }
    code = "import sys; from unit.numbers.test_functions import digest; sys.stdout.write(digest())"
    other = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True
    )
    assert other.stdout == digest()


# ----------------------------------------------------------------------------------------------- coefficients


@pytest.mark.slow
def test_the_coefficients_are_what_the_tool_finds() -> None:
    tool = Path(__file__).parents[3] / "tools" / "fit_functions.py"
    assert subprocess.run([sys.executable, tool, "--check"], check=False).returncode == 0
