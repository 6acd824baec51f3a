"""Interpreter, scalar code and lanes of one topology: equal bit for bit over 200 steps, in every integrator."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from agreement.forms.creatures import (
    STEPS,
    Floats,
    alone,
    assert_lively,
    assert_same_bits,
    creature,
    interpreted,
    lived,
    packed,
    start,
)
from zoophyte.model import layout as at
from zoophyte.model.layout import INTEGRATORS


@cache
def scalar(seed: int, integrator: str) -> Floats:
    model = creature(seed)
    return alone(model, start(model, seed), integrator).copy()


@pytest.mark.parametrize("integrator", INTEGRATORS)
def test_interpreter_equals_scalar_code(integrator: str) -> None:
    """Law: one source, one result. Oracle: the plain functions on Python floats; exact."""
    model = creature(0)
    found = interpreted(model, start(model, 0), integrator)
    assert found[at.COUNT] == STEPS
    assert_same_bits(found, scalar(0, integrator))


@pytest.mark.parametrize("integrator", INTEGRATORS)
@pytest.mark.parametrize("width", [pytest.param(4, marks=pytest.mark.slow), 8])
def test_lanes_equal_scalar_code(width: int, integrator: str) -> None:
    """Law: the width of the machine does not show in the result. Oracle: each creature alone; exact."""
    models = [creature(seed) for seed in range(width)]
    states = [start(model, seed) for seed, model in enumerate(models)]
    block = packed(models, states, integrator, mixed=False)
    fields = lived(block, integrator)
    assert_lively(block, states)
    for seed in range(width):
        assert_same_bits(fields[:, seed], scalar(seed, integrator))


@pytest.mark.parametrize("integrator", ["semi_implicit", "ros2"])
def test_a_diverging_neighbour_does_not_disturb(integrator: str) -> None:
    """Law: lanes never mix. Oracle: the same creatures alone; the neighbour has NaNs after the first step."""
    models = [creature(seed) for seed in range(8)]
    states = [start(model, seed) for seed, model in enumerate(models)]
    states[3] = states[3].at(v=np.full(models[3].nv, 1e300))
    fields = lived(packed(models, states, integrator), integrator)
    assert fields[at.FAILED_LINK, 3] >= 1.0
    assert fields[at.FAILED_COUNT, 3] == 0.0
    assert np.isnan(fields[:, 3]).any()
    for seed in (0, 1, 2, 4, 5, 6, 7):
        assert_same_bits(fields[:, seed], scalar(seed, integrator))


@pytest.mark.parametrize("integrator", ["semi_implicit", "rk4", "ros2"])
def test_neighbours_may_be_driven_and_sing(integrator: str) -> None:
    """Law: a creature at rest, without sine or driven joints, has the bits it has alone, whatever its neighbours do.

    Its many exact zeros, with their signs, show terms that are added for others only.
    """
    quiet = creature(0, driven=False)
    others = [creature(seed) for seed in range(1, 8)]  # eight lanes: a form that others compile, too
    still = start(quiet, 0, commands=False)
    still.v[:] = -0.0
    for sign in (0.0, -0.0):
        still.command[:] = sign
        expected = alone(quiet, still, integrator)
        states = [start(model, seed) for seed, model in enumerate(others, start=1)]
        fields = lived(
            packed([others[0], quiet, *others[1:]], [states[0], still, *states[1:]], integrator), integrator
        )
        assert_same_bits(fields[:, 1], expected)
