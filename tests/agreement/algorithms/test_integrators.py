"""All integrators lead to the same motion as dt → 0, each with its own order, for all joint kinds together."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import zoophyte as zp
from bodies import GROUND, Floats, Plan, build

SECONDS = 0.256
KINDS = ("free", "hinge", "ball", "slide", "universal", "ball", "hinge", "hinge")
PARENTS = (GROUND, 0, 0, 1, 2, 2, 5, 6)


@cache
def moving(driven: bool) -> tuple[zp.Model, zp.State]:
    """Every kind of joint with springs and dampers but no limits (those are not smooth), under moving commands.

    Two joints are driven, or all of them have servos.
    """
    rng = np.random.default_rng(3)
    plans = [
        Plan(
            kind,
            parent,
            springs=True,
            armature=index % 2 == 1,
            actuator="" if driven else "servo",
            driven=driven and index in (5, 6),
        )
        for index, (kind, parent) in enumerate(zip(KINDS, PARENTS, strict=True))
    ]
    description = build(plans, rng)
    for body in description.bodies:
        body.joint.limits = body.joint.limit_stiffness = body.joint.limit_damping = None
    model = zp.compile(description)
    state = zp.State.neutral(model).at(v=rng.normal(size=model.nv))
    state.command[:] = rng.normal(scale=0.3, size=state.command.shape)
    state.command[:, 5] *= 10.0
    state.applied[:] = rng.normal(scale=0.1, size=model.nv)
    return model, state


@cache
def end(driven: bool, integrator: str, dt: float) -> Floats:
    model, state = moving(driven)
    final = zp.World(model, dt=dt, integrator=integrator).simulate(SECONDS, state, record_rate=1.0).final
    return np.concatenate([final.q, final.v])


@pytest.mark.parametrize("driven", [True, False])
@pytest.mark.parametrize(
    ("integrator", "order", "tolerance"),
    [
        ("semi_implicit", 1.0, 0.25),
        ("rk4", 4.0, 0.25),
        ("rkf45", 5.0, 0.5),
        ("implicit", 1.0, 0.25),
        ("ros2", 2.0, 0.1),
    ],
)
def test_every_integrator_has_its_order(
    integrator: str, order: float, tolerance: float, driven: bool
) -> None:
    """Law: the error at a fixed time falls with dt to the power of the order, on quaternions and free bodies too.

    Oracle: Fehlberg's method at dt = 0.25 ms; tolerance: the next order's share at dt = 2 ms (backward Euler with
    servos is far from its limit there, and is measured at 0.5 ms).
    """
    coarse = 1e-3 if integrator == "implicit" else 4e-3
    exact = end(driven, "rkf45", 2.5e-4)
    errors = [np.max(np.abs(end(driven, integrator, dt) - exact)) for dt in (coarse, 0.5 * coarse)]
    assert np.log2(errors[0] / errors[1]) == pytest.approx(order, abs=tolerance)
