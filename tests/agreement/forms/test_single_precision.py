"""The forms in float32: scalar code, lanes and interpreter agree bit for bit; and they are near float64."""

from __future__ import annotations

import numpy as np
import pytest

from agreement.forms.creatures import (
    alone,
    assert_lively,
    assert_same_bits,
    creature,
    interpreted,
    lived,
    packed,
    start,
)
from zoophyte.model.layout import INTEGRATORS


@pytest.mark.parametrize("integrator", INTEGRATORS)
def test_lanes_equal_scalar_code(integrator: str) -> None:
    """Law: the width of the machine does not show in the result, 200 steps. Oracle: each creature alone; exact."""
    models = [creature(seed) for seed in range(8)]
    states = [start(model, seed) for seed, model in enumerate(models)]
    block = packed(models, states, integrator, dtype=np.float32)
    fields = lived(block, integrator)
    assert_lively(block, states)
    for lane, (model, state) in enumerate(zip(models, states, strict=True)):
        assert_same_bits(fields[:, lane], alone(model, state, integrator, dtype=np.float32))


@pytest.mark.parametrize("integrator", INTEGRATORS)
def test_interpreter_equals_scalar_code(integrator: str) -> None:
    """Law: one source, one result. Oracle: the plain functions on NumPy's float32, 20 steps; exact."""
    model = creature(0)
    found = interpreted(model, start(model, 0), integrator, steps=20, dtype=np.float32)
    assert_same_bits(found, alone(model, start(model, 0), integrator, steps=20, dtype=np.float32))


@pytest.mark.parametrize("integrator", INTEGRATORS)
def test_single_precision_is_near_double(integrator: str) -> None:
    """Law: the same physics. Tolerance: 200 steps of rounding 6e-8, amplified by stiff limits: 1e-3 relative."""
    model = creature(0)
    state = start(model, 0)
    blocks = [packed([model], [state], integrator, dtype=dtype) for dtype in (np.float32, np.float64)]
    for block in blocks:
        lived(block, integrator)
    assert np.max(np.abs(blocks[0].q() - blocks[1].q())) < 1e-3 * np.max(np.abs(blocks[1].q()))
