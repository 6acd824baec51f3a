"""Runs of rows: where entries are not zero, and nothing of them is lost."""

from __future__ import annotations

import numpy as np
import pytest

from zoophyte.model import contact_layout as cl
from zoophyte.model.layout import CONTACT
from zoophyte.numbers import Spec
from zoophyte.physics.contact import axes, cone, runs

HEADER, SLOT, STRIDE, SPEC = 10, 40, 26, Spec(1)
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


@pytest.mark.parametrize("segments", [(0, 24, 0, 0), (3, 11, 20, 13)])
@pytest.mark.parametrize("kind", ["a leg", "more runs than there is room for", "all", "random", "none"])
def test_rows_by_runs_are_rows(kind: str, segments: tuple[int, int, int, int]) -> None:
    """Law: u + Y·w and w + Yᵀ·λ by runs are those of the whole rows.  Oracle: NumPy on dense rows."""
    rng = np.random.default_rng(5)
    for _ in range(20):
        ints = [0] * 60
        ints[CONTACT] = HEADER
        ints[HEADER + cl.ROW_STRIDE], ints[HEADER + cl.WORK_START] = STRIDE, 0
        scratch = rng.normal(size=SLOT + cl.SLOT_ROWS + 3 * STRIDE)
        Y = rng.normal(size=(3, 24)) * row_pattern(kind, rng)
        dofs = np.concatenate([np.arange(a, a + n) for a, n in (segments[:2], segments[2:])])
        for m in range(3):
            start = SLOT + cl.SLOT_ROWS + m * STRIDE
            scratch[start : start + 24] = Y[m]
        scratch[SLOT + cl.SLOT_SEGMENTS : SLOT + cl.SLOT_SEGMENTS + 4] = segments
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
    ints = [0] * 60
    ints[CONTACT] = HEADER
    ints[HEADER + cl.ROW_STRIDE], ints[HEADER + cl.WORK_START] = STRIDE, 0
    for base in (0, 4):
        scratch = rng.normal(size=SLOT + cl.AXIS_ROWS_START + STRIDE)
        y = rng.normal(size=24) * row_pattern(kind, rng)
        scratch[SLOT + cl.AXIS_ROWS_START : SLOT + cl.AXIS_ROWS_START + 24] = y
        square = runs.axis_square(scratch, SLOT, base, 24, SPEC)
        np.testing.assert_allclose(square, y @ y, rtol=0, atol=ROUNDING * 10)
        w = scratch[:SLOT].copy()
        u = axes.axis_motion(ints, scratch, SLOT, 0.7, 0, SPEC)
        np.testing.assert_allclose(u, 0.7 + y @ w[base : base + 24], rtol=0, atol=ROUNDING * 10)
        axes.add_axis(ints, scratch, SLOT, 0.3, SPEC)
        w[base : base + 24] += 0.3 * y
        np.testing.assert_allclose(scratch[:SLOT], w, rtol=0, atol=ROUNDING)
