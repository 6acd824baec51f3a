"""Lanes of mixed topologies: every lane has other parents, and all have the bits they have alone."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import zoophyte as zp
from agreement.forms.creatures import (
    OTHER_PARENTS,
    alone,
    assert_lively,
    assert_same_bits,
    creature,
    interpreted,
    lived,
    packed,
    start,
)
from zoophyte.errors import UsageError
from zoophyte.model import Block
from zoophyte.model import layout as at
from zoophyte.model.layout import INTEGRATORS
from zoophyte.numbers.forms import compiled
from zoophyte.physics.dynamics.forward import forward_dynamics


def menagerie(width: int) -> list[zp.Model]:
    """Different parents from lane to lane."""
    return [creature(seed, OTHER_PARENTS[seed % len(OTHER_PARENTS)]) for seed in range(width)]


@pytest.mark.parametrize("integrator", INTEGRATORS)
@pytest.mark.parametrize("width", [pytest.param(4, marks=pytest.mark.slow), 8])
def test_mixed_lanes_equal_scalar_code(width: int, integrator: str) -> None:
    """Law: gathers and scatters change nothing. Oracle: each creature alone in scalar code, 200 steps; exact."""
    models = menagerie(width)
    states = [start(model, seed) for seed, model in enumerate(models)]
    block = packed(models, states, integrator)
    assert block.spec.mixed
    fields = lived(block, integrator)
    assert_lively(block, states)
    for lane, (model, state) in enumerate(zip(models, states, strict=True)):
        assert_same_bits(fields[:, lane], alone(model, state, integrator))


def test_mixed_code_serves_one_topology_too() -> None:
    """Law: `mixed` is about speed only. Oracle: lanes of one topology; exact."""
    models = [creature(seed) for seed in range(8)]
    states = [start(model, seed) for seed, model in enumerate(models)]
    mixed = lived(packed(models, states, "ros2", mixed=True), "ros2")
    uniform = lived(packed(models, states, "ros2", mixed=False), "ros2")
    assert_same_bits(mixed.ravel(), uniform.ravel())


@pytest.mark.parametrize("integrator", ["semi_implicit", "ros2"])
def test_the_interpreter_agrees_on_every_topology(integrator: str) -> None:
    """Law: one source, one result, for every way to hang the links together. Oracle: the plain functions; exact."""
    for seed, parents in enumerate(OTHER_PARENTS):
        model = creature(seed, parents)
        state = start(model, seed)
        found = interpreted(model, state, integrator, steps=20)
        assert_same_bits(found, alone(model, state, integrator, steps=20))


def test_other_neighbours_same_bits() -> None:
    """Law: who shares the register, and in which lane one sits, does not show. Oracle: alone; exact."""
    model = creature(0)
    state = start(model, 0)
    expected = alone(model, state, "semi_implicit")
    for lane, first in ((0, 10), (3, 20), (7, 30)):
        models = [creature(first + n, OTHER_PARENTS[n % len(OTHER_PARENTS)]) for n in range(8)]
        states = [start(m, first + n) for n, m in enumerate(models)]
        models[lane], states[lane] = model, state
        fields = lived(packed(models, states, "semi_implicit", mixed=True), "semi_implicit")
        assert_same_bits(fields[:, lane], expected)


@pytest.mark.slow
@pytest.mark.parametrize("mixed", [False, True])
def test_sixteen_lanes(mixed: bool) -> None:
    """Law: width 16 (here: forward dynamics, 10 random states) equals scalar code. Exact."""
    models = menagerie(16) if mixed else [creature(seed) for seed in range(16)]
    kernel: Any = compiled(forward_dynamics)
    for trial in range(10):
        states = [start(model, 100 * trial + seed) for seed, model in enumerate(models)]
        block = packed(models, states, "semi_implicit", mixed=mixed)
        taus = np.random.default_rng(trial).normal(size=(16, models[0].nv))
        for lane, tau in enumerate(taus):
            block.set_dofs(at.TAU, tau, lane)
        kernel(block.ints, block.data, block.scratch, block.spec)
        for lane, (model, state) in enumerate(zip(models, states, strict=True)):
            single = packed([model], [state], "semi_implicit")
            single.set_dofs(at.TAU, taus[lane])
            kernel(single.ints, single.data, single.scratch, single.spec)
            assert_same_bits(block.fields[:, lane], single.fields[:, 0])


@pytest.mark.slow
@pytest.mark.parametrize("mixed", [False, True])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("integrator", INTEGRATORS)
def test_sixteen_lanes_live(mixed: bool, dtype: type, integrator: str) -> None:
    """Law: the same for whole lives of 200 steps, in both precisions. Slow to compile, not to run. Exact."""
    models = menagerie(16) if mixed else [creature(seed) for seed in range(16)]
    states = [start(model, seed) for seed, model in enumerate(models)]
    block = packed(models, states, integrator, mixed=mixed, dtype=dtype)
    fields = lived(block, integrator)
    assert_lively(block, states)
    for lane, (model, state) in enumerate(zip(models, states, strict=True)):
        assert_same_bits(fields[:, lane], alone(model, state, integrator, dtype=dtype))


def test_creatures_that_cannot_share_a_block() -> None:
    pair = [creature(0), creature(1, OTHER_PARENTS[1]), creature(2), creature(3)]
    with pytest.raises(UsageError, match="different parents; such a block needs mixed=True"):
        Block(pair, mixed=False)
    with pytest.raises(UsageError, match=r"lane 1 \(pendulum\) has other link kinds than lane 0"):
        Block([creature(0), zp.compile(zp.zoo.pendulum()), creature(2), creature(3)])
