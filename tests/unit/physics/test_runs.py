"""Runs of rows: where entries are not zero, and nothing of them is lost."""

from __future__ import annotations

import numpy as np
import pytest

from zoophyte.model import contact_layout as cl
from zoophyte.model.layout import CONTACT
from zoophyte.numbers import Spec
from zoophyte.physics.contact import axes, cone, runs

HEADER, SLOT, STRIDE, SPEC = 10, 40, 26, Spec(1)
AREA = cl.RUN_SIZE * cl.MOST_RUNS + 1
ROUNDING = 1e-14
"""Of sums of at most 24 products of numbers in the order of one, in another order."""


def row_pattern(kind: str, rng: np.random.Generator) -> np.ndarray:
    """Which of 24 entries are not zero."""
    filled = np.zeros(24, bool)
    if kind == "a leg":
        filled[:6] = filled[12:15] = True
    elif kind == "more runs than there is room for":
        filled[::2] = True
    elif kind == "all":
        filled[:] = True
    elif kind == "random":
        filled[:] = rng.random(24) < 0.3
    return filled


def header() -> list[int]:
    """Integers of a block with room for the runs of whole trees."""
    ints = [0] * 80
    ints[CONTACT] = HEADER
    ints[HEADER + cl.ROW_STRIDE], ints[HEADER + cl.WORK_START], ints[HEADER + cl.RUN_AREA] = STRIDE, 0, AREA
    return ints


def lay_out(scratch: np.ndarray, start: int, segments: tuple[int, int, int, int]) -> int:
    """Lay out runs for two parts of the degrees of freedom, first one and number of each; how many there are."""
    parts = [(segments[n], segments[n + 1]) for n in (0, 2) if segments[n + 1]]
    end, place = start + AREA - 1, 0
    for n, (dof, length) in enumerate(parts):
        run = end - (len(parts) - n) * cl.RUN_SIZE
        scratch[run : run + cl.RUN_SIZE] = length, place, dof
        place += length
    return len(parts)


@pytest.mark.parametrize("segments", [(0, 24, 0, 0), (3, 11, 20, 13)])
@pytest.mark.parametrize("kind", ["a leg", "more runs than there is room for", "all", "random", "none"])
def test_rows_by_runs_are_rows(kind: str, segments: tuple[int, int, int, int]) -> None:
    """Law: u + Y·w and w + Yᵀ·λ by runs are those of the whole rows.  Oracle: NumPy on dense rows."""
    rng = np.random.default_rng(5)
    for _ in range(20):
        ints = header()
        rows = SLOT + cl.SLOT_RUNS + AREA
        scratch = rng.normal(size=rows + 3 * STRIDE)
        Y = rng.normal(size=(3, 24)) * row_pattern(kind, rng)
        dofs = np.concatenate([np.arange(a, a + n) for a, n in (segments[:2], segments[2:])])
        for m in range(3):
            start = rows + m * STRIDE
            scratch[start : start + 24] = Y[m]
        scratch[SLOT + cl.SLOT_RUN_COUNT] = lay_out(scratch, SLOT + cl.SLOT_RUNS, segments)
        block = runs.slot_products(ints, scratch, SLOT, SPEC)
        np.testing.assert_allclose(block, (Y @ Y.T)[np.triu_indices(3)], rtol=0, atol=ROUNDING * 10)
        w = scratch[:SLOT].copy()
        u = cone.slot_velocity(ints, scratch, SLOT, (0.1, 0.2, 0.3), SPEC)
        np.testing.assert_allclose(u, np.array([0.1, 0.2, 0.3]) + Y @ w[dofs], rtol=0, atol=ROUNDING * 10)
        assert cone.normal_motion(ints, scratch, SLOT, 0.1, SPEC) == u[0]
        cone.add_slot(ints, scratch, SLOT, (0.5, -0.25, 2.0), SPEC)
        w[dofs] += Y.T @ [0.5, -0.25, 2.0]
        np.testing.assert_allclose(scratch[:SLOT], w, rtol=0, atol=ROUNDING)


@pytest.mark.parametrize("kind", ["a leg", "more runs than there is room for", "all", "random", "none"])
def test_rows_of_axes_by_runs_are_rows(kind: str) -> None:
    """Law: the same for the one row of an axis.  Oracle: NumPy on the dense row."""
    rng = np.random.default_rng(6)
    ints, pool = header(), SLOT + cl.AXIS_SIZE
    ints[HEADER + cl.AXIS_POOL] = pool
    for base in (0, 4):
        scratch = rng.normal(size=pool + AREA + STRIDE)
        scratch[SLOT + cl.AXIS_ROW] = 1.0
        y = rng.normal(size=24) * row_pattern(kind, rng)
        scratch[pool + AREA : pool + AREA + 24] = y
        count = lay_out(scratch, pool, (base, 24, 0, 0))
        square = runs.axis_square(ints, scratch, pool, count, SPEC)
        np.testing.assert_allclose(square, y @ y, rtol=0, atol=ROUNDING * 10)
        w = scratch[:SLOT].copy()
        u = axes.axis_motion(ints, scratch, SLOT, 0.7, 0, SPEC)
        np.testing.assert_allclose(u, 0.7 + y @ w[base : base + 24], rtol=0, atol=ROUNDING * 10)
        axes.add_axis(ints, scratch, SLOT, 0.3, SPEC)
        w[base : base + 24] += 0.3 * y
        np.testing.assert_allclose(scratch[:SLOT], w, rtol=0, atol=ROUNDING)
