"""The lane type in compiled code: memory, promotion, refusals, one lane at a time, and Numba's cache."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numba import njit
from numba.core.errors import NumbaTypeError, TypingError

import zoophyte
from unit.numbers.machines import DTYPES, LANE_WIDTHS, WIDTHS, njit_strict
from zoophyte.numbers import (
    Spec,
    all_lanes,
    any_lane,
    either,
    lane,
    lane_count,
    load,
    load_at,
    number,
    primitives,
    scatter_where,
    store,
    store_at,
    where,
    width,
    with_lane,
)
from zoophyte.numbers.lanes import LaneType, MaskType, SpecType

# ----------------------------------------------------------------------------------------------------- memory


@njit_strict
def copy_at_offsets(source: Any, target: Any, start: int, spec: Any) -> None:
    store(target, start + 1, load(source, start, spec), spec)


@pytest.mark.parametrize("start", [0, 1, 3])
@pytest.mark.parametrize("width_", WIDTHS)
@pytest.mark.parametrize("dtype", DTYPES)
def test_load_and_store_touch_their_elements_only(dtype: Any, width_: int, start: int) -> None:
    source = np.arange(1, 41).astype(dtype)
    target = np.zeros(40, dtype)
    copy_at_offsets(source, target, start, Spec(width_))
    wanted = np.zeros(40, dtype)
    wanted[start + 1 : start + 1 + width_] = source[start : start + width_]
    assert np.array_equal(target, wanted)


@njit_strict
def move_indexed(source: Any, read: Any, target: Any, write: Any, index: int, field: int, spec: Any) -> None:
    x = load_at(source, read, index, field, spec)
    store_at(target, write, index, field, x + x, spec)


def moved(source: Any, read: Any, target: Any, write: Any, index: int, field: int, width_: int) -> Any:
    """The same by its definition: array[table[index + lane] + field + lane]."""
    wanted = target.copy()
    for k in range(width_):
        wanted[write[index + k] + field + k] = 2 * source[read[index + k] + field + k]
    return wanted


@pytest.mark.parametrize("integer", [np.int32, np.int64])
@pytest.mark.parametrize("mixed", [False, True])
@pytest.mark.parametrize("width_", WIDTHS)
@pytest.mark.parametrize("dtype", DTYPES)
def test_indexed_access(dtype: Any, width_: int, mixed: bool, integer: Any, rng: np.random.Generator) -> None:
    """Oracle: the definition of the primitives, one lane after the other."""
    index, field, size = 2 * width_, 5, 400
    source, target = rng.normal(size=size).astype(dtype), rng.normal(size=size).astype(dtype)
    if mixed:
        # Each lane its own place; multiples of the width keep the lanes' addresses apart, as kernels do.
        read = rng.integers(0, 20, size=4 * width_) * width_
        write = rng.permutation(4 * width_) % 20 * width_
    else:
        read, write = np.repeat([[0], [7], [160], [3]], width_), np.repeat([[9], [0], [31], [2]], width_)
    read, write = read.astype(integer), write.astype(integer)
    wanted = moved(source, read, target, write, index, field, width_)
    move_indexed(source, read, target, write, index, field, Spec(width_, mixed))
    assert np.array_equal(target, wanted)


@njit_strict
def scatter_two(source: Any, target: Any, field: int, spec: Any) -> None:
    W = width(spec)
    x, y, place = load(source, 0, spec), load(source, W, spec), load(source, 2 * W, spec)
    scatter_where(x > number(0.5, x), target, place, field, W, (x, y), spec)


@pytest.mark.parametrize("width_", WIDTHS)
@pytest.mark.parametrize("dtype", DTYPES)
def test_records_are_scattered_where_the_mask_holds_only(
    dtype: Any, width_: int, rng: np.random.Generator
) -> None:
    """Oracle: a loop over lanes; exact."""
    W = width_
    source = np.concatenate([rng.random(2 * W), rng.permutation(8)[np.arange(W) % 8] * 2 * W]).astype(dtype)
    target = np.full(20 * W + 3, -1.0, dtype)
    wanted = target.copy()
    for own in range(W):
        if source[own] > 0.5:
            start = int(source[2 * W + own]) + 3 + own
            wanted[start], wanted[start + W] = source[own], source[W + own]
    scatter_two(source, target, 3, Spec(W))
    assert np.array_equal(target, wanted)


def test_a_uniform_spec_reads_the_first_entry_only() -> None:
    source, target = np.arange(40.0), np.zeros(40)
    table = np.array([3, 99, 99, 99, 99, 99, 99, 99], np.int32)
    move_indexed(source, table, target, table, 0, 1, Spec(8))
    assert np.array_equal(target[4:12], 2 * source[4:12])


def test_the_interpreter_reads_lists_and_arrays() -> None:
    assert primitives.load([1.0, 2.0], 1, Spec()) == 2.0
    assert primitives.load_at([1.0, 2.0, 3.0], [1], 0, 1, Spec()) == 3.0
    target = [0.0, 0.0]
    primitives.store_at(target, [1], 0, 0, 5.0, Spec())
    assert target == [0.0, 5.0]


# -------------------------------------------------------------------------------------------------- promotion


@njit_strict
def promotions(a: Any, out: Any, flag: bool, spec: Any) -> None:
    x = load(a, 0, spec)
    total = 0.0
    count = 0
    pair = (0.0, 1)
    found = False
    for i in range(3):
        total = total + x
        count += x * i
        pair = (pair[1] + x, pair[0] - x)
        found = either(found, x > i)
    chosen = 0.5
    if flag:
        chosen = x
    w = width(spec)
    store(out, 0, total, spec)
    store(out, w, count, spec)
    store(out, 2 * w, pair[0], spec)
    store(out, 3 * w, pair[1], spec)
    store(out, 4 * w, where(found, number(1.0, x), 0.0), spec)
    store(out, 5 * w, chosen, spec)
    store(out, 6 * w, 7, spec)


@pytest.mark.parametrize("flag", [False, True])
@pytest.mark.parametrize("width_", LANE_WIDTHS)
@pytest.mark.parametrize("dtype", DTYPES)
def test_scalars_become_lanes_in_loops_and_branches(dtype: Any, width_: int, flag: bool) -> None:
    a = np.linspace(-3, 3, width_).astype(dtype)
    out = np.zeros(7 * width_, dtype)
    promotions(a, out, flag, Spec(width_))
    rows = out.reshape(7, width_)
    assert np.array_equal(rows[0], (a + a) + a)
    assert np.array_equal(rows[1], a + 2 * a)
    assert np.array_equal(rows[2], (1 + a) - a + a)
    assert np.array_equal(rows[3], ((0 - a) + a) - a)
    assert np.array_equal(rows[4], (a > 0).astype(dtype))
    assert np.array_equal(rows[5], a if flag else np.full(width_, 0.5, dtype))
    assert np.array_equal(rows[6], np.full(width_, 7, dtype))


# --------------------------------------------------------------------------------------------------- refusals


def branch_on_a_mask(a: Any, spec: Any) -> int:
    if load(a, 0, spec) > 0:
        return 1
    return 0


def branch_on_a_lane(a: Any, spec: Any) -> int:
    return 1 if load(a, 0, spec) else 0


def loop_on_a_mask(a: Any, spec: Any) -> int:
    x = load(a, 0, spec)
    while x > 0:
        x = x - 1
    return 0


def and_of_masks(a: Any, spec: Any) -> None:
    x = load(a, 0, spec)
    store(a, 0, where(x > 0 and x < 1, x, 0.0), spec)


def not_of_a_mask(a: Any, spec: Any) -> None:
    x = load(a, 0, spec)
    store(a, 0, where(not (x > 0), x, 0.0), spec)


def truth_of_a_mask(a: Any, spec: Any) -> bool:
    return bool(load(a, 0, spec) > 0)


@pytest.mark.parametrize(
    "function",
    [branch_on_a_mask, branch_on_a_lane, loop_on_a_mask, and_of_masks, not_of_a_mask, truth_of_a_mask],
)
def test_a_lane_has_no_single_truth(function: Any) -> None:
    with pytest.raises(TypingError, match=r"has one value per lane .* Use where\(mask, a, b\)"):
        njit(function)(np.ones(8), Spec(8))
    njit(function)(np.zeros(8), Spec(1))  # the same code is fine for one number


def lanes_of_two_widths(a: Any, spec: Any, other: Any) -> None:
    store(a, 0, load(a, 0, spec) + load(a, 0, other), spec)


def masks_of_two_widths(a: Any, spec: Any, other: Any) -> None:
    store(a, 0, where(load(a, 0, other) > 0, load(a, 0, spec), 0.0), spec)


@pytest.mark.parametrize("function", [lanes_of_two_widths, masks_of_two_widths])
def test_widths_do_not_mix(function: Any) -> None:
    with pytest.raises(TypingError, match=r"lanes of different kinds|cannot choose between"):
        njit(function)(np.ones(16), Spec(8), Spec(4))


def write_to_another_precision(a: Any, b: Any, spec: Any) -> None:
    store(b, 0, load(a, 0, spec), spec)


def test_precisions_do_not_mix() -> None:
    with pytest.raises(TypingError, match=r"`x` is lane\(float64, 8\).*take lane\(float32, 8\)"):
        njit(write_to_another_precision)(np.ones(8), np.ones(8, np.float32), Spec(8))


def read_only(a: Any) -> Any:
    a.flags.writeable = False
    return a


@pytest.mark.parametrize(
    ("array", "message"),
    [
        (np.ones((8, 2)), "contiguous"),
        (np.ones(32)[::2], "contiguous"),
        (read_only(np.ones(16)), "read-only"),
        (np.ones(16, np.int64), "lanes are float32 or float64"),
    ],
    ids=["two axes", "strided", "read-only", "integers"],
)
def test_arrays_that_lanes_cannot_use_are_refused(array: Any, message: str) -> None:
    with pytest.raises(TypingError, match=message):
        njit(copy_at_offsets.py_func)(array, array, 0, Spec(8))


def test_a_table_of_floats_is_refused() -> None:
    a = np.ones(64)
    with pytest.raises(TypingError, match="allowed are int32 and int64"):
        njit(move_indexed.py_func)(a, a, a, a, 0, 0, Spec(8, True))


@pytest.mark.parametrize("width_", [0, 2, 3, 32])
def test_other_widths_are_refused(width_: int) -> None:
    with pytest.raises(NumbaTypeError, match=f"Spec.width is {width_}; allowed are 1, 4, 8, 16"):
        njit(copy_at_offsets.py_func)(np.ones(64), np.ones(64), 0, Spec(width_))


# ---------------------------------------------------------------------------------------- masks, single lanes


@njit_strict
def reductions(a: Any, spec: Any) -> tuple[bool, bool]:
    positive = load(a, 0, spec) > number(0.0, a[0])
    return any_lane(positive), all_lanes(positive)


@pytest.mark.parametrize("width_", WIDTHS)
def test_any_and_all(width_: int) -> None:
    for pattern in range(2 ** min(width_, 8)):
        a = np.array([1.0 if pattern >> k & 1 else -1.0 for k in range(width_)])
        assert reductions(a, Spec(width_)) == (bool((a > 0).any()), bool((a > 0).all()))


@njit_strict
def reversed_lanes(a: Any, spec: Any) -> int:
    x = load(a, 0, spec)
    y = x
    count = lane_count(x)
    for i in range(count):
        y = with_lane(y, i, lane(x, count - 1 - i))
    store(a, 0, y, spec)
    return count


@pytest.mark.parametrize("width_", WIDTHS)
@pytest.mark.parametrize("dtype", DTYPES)
def test_lanes_can_be_taken_apart(dtype: Any, width_: int) -> None:
    a = np.arange(16).astype(dtype)
    assert reversed_lanes(a, Spec(width_)) == width_
    assert a.tolist() == [*range(width_ - 1, -1, -1), *range(width_, 16)]


@njit_strict
def with_a_spec_from_outside(a: Any) -> int:
    store(a, 0, load(a, 0, OUTSIDE) + 1.0, OUTSIDE)
    return width(OUTSIDE)


OUTSIDE = Spec(4)


def test_a_global_spec_is_a_constant() -> None:
    a = np.zeros(8)
    assert with_a_spec_from_outside(a) == 4
    assert a.tolist() == [1.0] * 4 + [0.0] * 4


def test_every_primitive_is_known_to_the_compiler() -> None:
    from numba.core.registry import cpu_target

    context = cpu_target.typing_context
    context.refresh()
    assert [f.__name__ for f in primitives.PRIMITIVES if context._lookup_global(f) is None] == []


def test_types_have_names_that_tell_them_apart() -> None:
    from numba import float32, float64

    kinds = [LaneType(float32, 4), LaneType(float64, 4), LaneType(float64, 8), MaskType(4), MaskType(8)]
    kinds += [SpecType(4, False), SpecType(4, True), SpecType(8, True)]
    assert len(set(kinds)) == len(kinds)
    assert LaneType(float64, 8) == LaneType(float64, 8)


# ------------------------------------------------------------------------------------------------------ cache

CACHED = """
import sys
import numpy as np
from numba import njit
import zoophyte.numbers.lanes
from zoophyte.numbers import Spec, fma, load, number, store, where

@njit(error_model="numpy")
def inner(x):
    return where(x > number(2.0, x), fma(x, x, x), -x)

@njit(error_model="numpy", cache=True)
def entry(a, spec):
    store(a, 0, inner(load(a, 0, spec)), spec)

a = np.arange(16.0)
entry(a, Spec(8))
entry(a, Spec(8, True))
sys.stdout.write(f"{sum(entry.stats.cache_hits.values())} {sum(entry.stats.cache_misses.values())} {a[3]}")
"""


def test_a_second_process_finds_lanes_in_the_cache(tmp_path: Path) -> None:
    script = tmp_path / "cached.py"
    script.write_text(CACHED, encoding="utf-8")
    source = str(Path(zoophyte.__file__).parents[1])
    environment = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path / "cache"), "PYTHONPATH": source}
    outputs = [
        subprocess.run(
            [sys.executable, script], env=environment, capture_output=True, text=True, check=True
        ).stdout
        for _ in range(2)
    ]
    value = 12.0 * 12.0 + 12.0  # twice x·x + x, from 3
    assert outputs == [f"0 2 {value}", f"2 0 {value}"]
