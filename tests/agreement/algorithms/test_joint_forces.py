"""Springs, dampers, limits, servos and motors against derivatives of potentials and against their laws."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

import zoophyte as zp
from agreement import reference
from bodies import GROUND, MOVING, Plan, build, random_state, relative_error


def sprung(rng: np.random.Generator, actuator: str = "") -> zp.Model:
    """A chain of every moving kind, with springs, dampers and limits (or none, with an actuator)."""
    plans = [
        Plan(kind, index - 1, springs=not actuator, actuator=actuator, hard_limits=index % 2 == 1)
        for index, kind in enumerate(MOVING)
    ]
    plans += [Plan("free", GROUND), Plan("ball", len(plans), springs=not actuator, actuator=actuator)]
    return zp.compile(build(plans, rng))


def gradient(model: zp.Model, q: Any, potential: Any) -> Any:
    """∂U along each velocity: central differences, h = 1e-5."""
    h, slopes = 1e-5, []
    for unit in np.eye(model.nv):
        up, down = (potential(reference.moved(model.description, q, sign * h * unit)) for sign in (1.0, -1.0))
        slopes.append((up - down) / (2.0 * h))
    return np.array(slopes)


def test_springs_are_gradients_of_the_elastic_energy(rng: np.random.Generator) -> None:
    """Law: tau = −∂U/∂q − b v, with the limits' dampers beyond the limits; ball joints in body axes.

    Oracle: central differences of the elastic energy; tolerance: h² × third derivatives (about 1e-9), rounding / h (1e-10).
    """
    for _ in range(20):
        model = sprung(rng)
        state = random_state(model, rng)
        elastic = zp.energy(model, state).elastic
        assert elastic > 0.0
        slope = gradient(model, state.q, lambda q, m=model, s=state: zp.energy(m, s.at(q)).elastic)
        expected = -slope - damping(model, state) * state.v
        assert relative_error(zp.passive_forces(model, state), expected) < 1e-7


def damping(model: zp.Model, state: zp.State) -> Any:
    """Damper of each dof, with that of a limit while the coordinate is beyond it."""
    b = model.dofs.damping.copy()
    for index, (lower, upper) in enumerate(zip(model.dofs.lower, model.dofs.upper, strict=True)):
        if np.isfinite(lower):
            q = state.q[model.q_start[model.dofs.link[index]]]
            b[index] += model.dofs.limit_damping[index] * (q < lower or q > upper)
    return b


def test_limits_act_only_beyond_themselves(rng: np.random.Generator) -> None:
    """Law: no force between the limits, k·excess + b·v beyond; the case distinction is exercised on both sides."""
    seen = set()
    for _ in range(30):
        model = sprung(rng)
        state = random_state(model, rng)
        for index in np.flatnonzero(np.isfinite(model.dofs.lower)):
            d, q = model.dofs, state.q[model.q_start[model.dofs.link[index]]]
            excess = max(q - d.upper[index], 0.0) + min(q - d.lower[index], 0.0)
            seen.add(np.sign(excess))
            expected = -d.stiffness[index] * (q - d.rest[index]) - d.limit_stiffness[index] * excess
            expected -= (d.damping[index] + d.limit_damping[index] * (excess != 0.0)) * state.v[index]
            assert relative_error(zp.passive_forces(model, state)[index], expected) < 1e-14
    assert seen == {-1.0, 0.0, 1.0}


def test_servos_pull_to_their_commands(rng: np.random.Generator) -> None:
    """Law: k (h − q) − c v with h(t) the signal; on ball joints the gradient of ½ k |φ − h|² in the rotation vector.

    Oracle: numpy's signal, and central differences of the potential with SciPy's rotation vectors; as above.
    """
    model = sprung(rng, "servo")
    state = random_state(model, rng, commands=True)
    state = type(state)(state.q, state.v, (1.25, 3, 0.125), state.command, state.applied)
    t = 1.625
    value, rate, curve, start, amplitude, frequency, phase = state.command.T
    s = t - start
    h = value + rate * s + 0.5 * curve * s**2 + amplitude * np.sin(frequency * t + phase)

    def potential(q: Any) -> float:
        total, n, k = 0.0, 0, 0
        for body in model.description.bodies:
            joint, x = body.joint, q[n : n + body.joint.coordinate_count]
            if joint.kind == "ball":
                x = Rotation.from_quat(x, scalar_first=True).as_rotvec()
            if joint.actuator is not None:
                total += 0.5 * joint.actuator.stiffness * np.sum((x - h[k : k + joint.dof_count]) ** 2)
            n, k = n + joint.coordinate_count, k + joint.dof_count
        return total

    expected = -gradient(model, state.q, potential) - model.dofs.servo_damping * state.v + state.applied
    assert relative_error(zp.passive_forces(model, state), expected) < 1e-7


def test_motors_push_with_their_strength(rng: np.random.Generator) -> None:
    """Law: strength · clamp(u, ±1), fading linearly to nothing at max_speed while it drives, full while it brakes."""
    model = sprung(rng, "motor")
    seen = set()
    for _ in range(20):
        state = random_state(model, rng, speed=5.0)
        u = rng.normal(scale=1.5, size=model.nv)
        state.command[:, 0] = u
        drives = np.clip(u, -1.0, 1.0) * state.v > 0.0
        fading = np.maximum(1.0 - np.abs(state.v) / model.dofs.motor_max_speed, 0.0)
        expected = model.dofs.motor_strength * np.clip(u, -1.0, 1.0) * np.where(drives, fading, 1.0)
        seen |= set(zip(drives, fading > 0.0, np.abs(u) > 1.0, strict=True))
        assert relative_error(zp.passive_forces(model, state), expected) < 1e-14
    assert len(seen) == 8
