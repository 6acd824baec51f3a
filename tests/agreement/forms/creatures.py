"""What the tests of forms share: creatures that use every branch of a step, and one way to run each machine.

The interpreter form is the plain functions on lists; scalar code, lanes of one topology and lanes of mixed topologies
are compiled from the same functions.  Design §3: all of them agree bit for bit, so nothing here has a tolerance.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

import zoophyte as zp
from bodies import GROUND, Plan, build, random_state
from zoophyte.model import Block
from zoophyte.model import layout as at
from zoophyte.model.layout import INTEGRATORS
from zoophyte.numbers.forms import compiled
from zoophyte.physics.lives.lives import live

DT = 1e-3
STEPS = 200
KINDS = ("free", "hinge", "ball", "slide", "universal", "hinge")
PARENTS = (GROUND, 0, 0, 2, 1, GROUND)
OTHER_PARENTS = (PARENTS, (GROUND, 0, 1, 1, 3, 0), (GROUND, GROUND, GROUND, 0, 2, 4), (GROUND, 0, 1, 2, 3, 4))

Floats = np.ndarray[Any, np.dtype[Any]]


def creature(seed: int, parents: Sequence[int] = PARENTS, *, driven: bool = True) -> zp.Model:
    """All four kinds of links, with springs, limits, rotors, servos, motors and (the last hinge) driven motion."""
    actuators = ("", "servo", "motor", "servo", "motor", "")
    last = len(KINDS) - 1
    plans = [
        Plan(
            kind,
            parent,
            springs=index != last,
            armature=index % 2 == 1,
            actuator=actuator,
            driven=driven and index == last,
        )
        for index, (kind, parent, actuator) in enumerate(zip(KINDS, parents, actuators, strict=True))
    ]
    return zp.compile(build(plans, np.random.default_rng(seed)))


def start(model: zp.Model, seed: int, *, commands: bool = True) -> zp.State:
    """A state in motion, with a signal on each dof."""
    return random_state(model, np.random.default_rng([seed, 1]), speed=1.0, commands=commands)


def packed(
    models: Sequence[zp.Model], states: Sequence[zp.State], integrator: str, *, mixed: bool | None = None,
    dtype: Any = np.float64,
) -> Block:  # fmt: skip
    """A block that is ready to live."""
    block = Block(models, dtype=dtype, mixed=mixed)
    for lane, state in enumerate(states):
        block.set_state(lane, state)
    block.fields[at.DT] = DT
    if integrator in INTEGRATORS:  # else forward dynamics alone
        block.set_integrator(integrator)
    return block


def lived(block: Block, integrator: str, steps: int = STEPS) -> Floats:
    """All numbers of the block after its life, shape (fields, lanes): coordinates, velocities, forces, clock, status."""
    compiled(live)(block.ints, block.data, block.scratch, block.terrain, block.orders, steps, block.spec)
    return block.fields


def alone(
    model: zp.Model, state: zp.State, integrator: str, steps: int = STEPS, dtype: Any = np.float64
) -> Floats:
    """The same creature in scalar machine code."""
    return lived(packed([model], [state], integrator, dtype=dtype), integrator, steps)[:, 0]


def interpreted(
    model: zp.Model, state: zp.State, integrator: str, steps: int = STEPS, dtype: Any = np.float64
) -> Floats:
    """The same creature by the plain functions on lists of Python floats (or NumPy's float32)."""
    block = packed([model], [state], integrator, dtype=dtype)
    whole = list if dtype == np.float32 else Floats.tolist
    data, scratch = whole(block.data), whole(block.scratch)
    live(block.ints.tolist(), data, scratch, block.terrain.tolist(), [], steps, block.spec)
    assert {type(x) for x in data} == {np.float32 if dtype == np.float32 else float}
    return np.array(data, dtype)


def assert_same_bits(found: Floats, expected: Floats) -> None:
    """Equal to the last bit, the signs of zeros included; the message says where not."""
    found, expected = np.ascontiguousarray(found), np.ascontiguousarray(expected)
    assert found.dtype == expected.dtype
    if found.tobytes() != expected.tobytes():
        whole = np.uint32 if found.dtype == np.float32 else np.uint64
        where = np.flatnonzero(found.view(whole) != expected.view(whole))
        pairs = [(int(i), found[i], expected[i]) for i in where[:5]]
        raise AssertionError(
            f"{len(where)} of {len(found)} numbers differ; (field, found, expected): {pairs}"
        )


def assert_lively(block: Block, states: Sequence[zp.State]) -> None:
    """Nothing diverged, and everybody moved: otherwise equal bits would prove little."""
    assert np.all(block.fields[at.FAILED_LINK] == -1.0)
    for lane, state in enumerate(states):
        assert np.max(np.abs(block.q(lane) - state.q)) > 0.01
