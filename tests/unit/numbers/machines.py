"""What the tests of numbers share: inputs that find faults, and one way to run a function on every machine.

A *group* is a plain function of three numbers that returns a tuple of numbers, one for each thing it tries.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
from numba import njit

import zoophyte.numbers.lanes  # noqa: F401 (teaches Numba the primitives)
from zoophyte.numbers import Spec, load, store, width
from zoophyte.numbers.forms import link

Group = Callable[[Any, Any, Any], tuple[Any, ...]]
Floats = np.ndarray[Any, np.dtype[Any]]

DTYPES = (np.float32, np.float64)
WIDTHS = (1, 4, 8, 16)
LANE_WIDTHS = WIDTHS[1:]


def njit_strict(function: Any, original: Any = None) -> Any:
    """Compile as kernels are; `link` hands over the function that `function` is a copy of."""
    return njit(error_model="numpy")(function)


@cache
def compile_group(group: Group) -> Any:
    """The compiled form of a group, with everything it calls."""
    return njit_strict(link(group, njit_strict, {}, {}))


@njit_strict
def _sweep(function: Any, a: Floats, b: Floats, c: Floats, out: Floats, spec: Spec) -> None:
    for offset in range(0, a.size, width(spec)):
        results = function(load(a, offset, spec), load(b, offset, spec), load(c, offset, spec))
        for row in range(len(results)):
            store(out, row * a.size + offset, results[row], spec)


def run(group: Group, spec: Spec, a: Floats, b: Floats | None = None, c: Floats | None = None) -> Floats:
    """Results of the compiled group, one row for each thing it tries."""
    b = a if b is None else b
    c = a if c is None else c
    assert a.size % spec.width == 0
    one = [type_of(a.dtype, np.float64)(1.0)] * 3
    rows = len(group(*one))
    out = np.full(rows * a.size, 77.0, dtype=a.dtype)
    _sweep(compile_group(group), a, b, c, out, spec)
    return out.reshape(rows, a.size)


def interpret(
    group: Group, kind: type, a: Floats, b: Floats | None = None, c: Floats | None = None
) -> Floats:
    """The same by the interpreter, on numbers of type `kind`; every result must be of that type too."""
    b = a if b is None else b
    c = a if c is None else c
    columns = []
    with np.errstate(all="ignore"):
        for values in zip(a, b, c, strict=True):
            results = group(*map(kind, values))
            assert {type(result) for result in results} == {kind}
            columns.append(results)
    return np.array(columns, dtype=a.dtype).T.copy()


def type_of(dtype: Any, double: type) -> type:
    """The interpreter's number for arrays of `dtype`: `double` (float or numpy.float64) or numpy.float32."""
    return np.float32 if dtype == np.float32 else double


def bits(x: Floats) -> Any:
    return x.view(np.uint32 if x.dtype == np.float32 else np.uint64)


def differences(got: Floats, wanted: Floats) -> Any:
    """Where the bits differ; any NaN equals any other, since IEEE 754 leaves its sign and payload open."""
    assert got.dtype == wanted.dtype
    return (bits(got) != bits(wanted)) & ~(np.isnan(got) & np.isnan(wanted))


def assert_same(got: Floats, wanted: Floats, *inputs: Floats) -> None:
    """Equal bit for bit; the message names the row, the first inputs that differ, and both results."""
    wrong = np.argwhere(differences(got, wanted))
    if len(wrong):
        row, column = wrong[0]
        given = [x[column] for x in inputs]
        raise AssertionError(
            f"{len(wrong)} differ, first in row {row} at {given}: {got[row, column]!r}, "
            f"wanted {wanted[row, column]!r}"
        )


def special_values(dtype: Any) -> Floats:
    """Zeros, ones, infinities, NaN, denormals, the ends of the range, halves and integers, both signs."""
    info = np.finfo(dtype)
    tiny, least, most = float(info.tiny), float(info.smallest_subnormal), float(info.max)
    ones = [1.0, 1.0 + float(info.eps), 1.0 - float(info.epsneg), 0.5, 1.5, 2.0, 2.5, 3.0, 4.0, 0.1]
    ends = [0.0, np.inf, least, 2 * least, tiny - least, tiny, most, most / 2, most / 3]
    powers = [2.0**17, 2.0**20, 2.0**23 + 1, 2.0**24, 2.0**30, 2.0**31, 1e5, 1e10, 1e-10]
    limits = [88.0, 89.0, 103.5, 104.5, 709.7, 710.0, 745.2, 746.0]
    values = np.array([*ones, *ends, *powers, *limits], dtype=dtype)
    return np.concatenate([values, -values, np.array([np.nan], dtype=dtype)])


def special_pairs(dtype: Any) -> tuple[Floats, Floats]:
    """Every pair of special values, filled up to a multiple of the largest width."""
    values = special_values(dtype)
    a, b = (axis.ravel() for axis in np.meshgrid(values, values))
    return tuple(np.concatenate([x, np.ones(-len(x) % 16, dtype=dtype)]) for x in (a, b))  # type: ignore[return-value]


def any_bits(rng: np.random.Generator, dtype: Any, count: int) -> Floats:
    """Numbers whose bit patterns are uniform: all magnitudes, with NaNs and denormals among them."""
    whole = np.uint32 if dtype == np.float32 else np.uint64
    return rng.integers(0, np.iinfo(whole).max, size=count, dtype=whole, endpoint=True).view(dtype)


def inputs(rng: np.random.Generator, dtype: Any, count: int) -> tuple[Floats, Floats, Floats]:
    """Special pairs, arbitrary bits, ordinary values, and values close to each other."""
    a0, b0 = special_pairs(dtype)
    ordinary = (rng.normal(size=(3, count)) * 10).astype(dtype)
    near = rng.uniform(1.0, 2.0, size=count).astype(dtype)
    close = near * (1 + rng.integers(-3, 4, size=count).astype(dtype) * np.finfo(dtype).eps)
    a = np.concatenate([a0, any_bits(rng, dtype, count), ordinary[0], near])
    b = np.concatenate([b0, any_bits(rng, dtype, count), ordinary[1], close.astype(dtype)])
    c = np.concatenate([a0[::-1], any_bits(rng, dtype, count), ordinary[2], -near * close])
    return a, b, c.astype(dtype)
