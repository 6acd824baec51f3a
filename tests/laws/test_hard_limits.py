"""Hard limits of joints: on the side the joint goes to, under weight, and several at once."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import zoophyte as zp
from zoophyte.description import Body, Box, Capsule, Description, Joint, Surface
from zoophyte.physics.contact.axes import STUCK
from zoophyte.validation.scenes import FORMS, SPACE, TOLERANCE, G, live, on

ROUNDING = 1e-9
"""Of an angle [rad]: a limit is reached within the step, v = distance/dt, so that nothing but rounding is left."""


def swung(limits: tuple[float, float]) -> zp.Model:
    """A rod on a hinge that touches nothing."""
    rod = Capsule(radius=0.02, length=0.5, position=(0.0, 0.0, -0.25), contact=False)
    joint = Joint(kind="hinge", axis=(0.0, 1.0, 0.0), limits=limits)
    return zp.compile(Description(name="rod", bodies=[Body(name="rod", joint=joint, shapes=[rod])]))


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(
    ("half", "start", "speed", "dt"),
    [(0.1, -0.02, 100.0, 5e-3), (0.1, 0.02, 100.0, 5e-3), (0.1, -0.02, 30.0, 5e-3), (5e-4, -1e-4, 1.0, 1e-3),
     (0.3, -0.01, 20.0, 2e-2)],
)  # fmt: skip
def test_a_joint_stops_at_the_limit_it_goes_to(
    half: float, start: float, speed: float, dt: float, form: str
) -> None:
    """Law: q stays within its limits, and a limit without rebound stops the joint there.  Oracle: the limit.

    The joint begins nearer to one limit than to the other and passes most of its range in the step: which limit is nearer
    says nothing.  Half of the lanes go the other way.  Tolerance: rounding.
    """
    width = FORMS[form]
    model = swung((-half, half))
    signs = [1.0, -1.0] * 4
    states = [zp.State.neutral(model).at(q=[sign * start], v=[sign * speed]) for sign in signs]
    lives = live([model] * 8, states, width=width, seconds=6 * dt, dt=dt, every=1, habitat=SPACE)
    for sign, life in zip(signs, lives, strict=True):
        assert np.abs(life.q).max() < half + ROUNDING
        assert life.q[-1, 0] == pytest.approx(sign * half, abs=ROUNDING)
        assert np.abs(life.v[3:]).max() < ROUNDING / dt
        kinetic = life.energies((0.0, 0.0, 0.0))
        assert np.diff(kinetic).max() <= 0.0


SPREAD = (0.4, 0.3)
"""Limits of hips and knees, outwards [rad]."""


def crouching(pull: float) -> zp.Model:
    """A trunk on four legs whose weight spreads hips and knees to their limits, while springs pull them inwards."""
    bodies = [Body(name="trunk", joint=Joint(kind="free", initial=(1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.4)),
                   shapes=[Box(size=(0.4, 0.2, 0.1), density=500.0)])]  # fmt: skip
    for number, (x, y) in enumerate([(0.18, 0.08), (0.18, -0.08), (-0.18, 0.08), (-0.18, -0.08)]):
        outwards = -1.0 if x > 0.0 else 1.0
        above, place = "trunk", (x, y, -0.05)
        for part, most in zip(("thigh", "shin"), SPREAD, strict=True):
            limits = tuple(sorted((outwards * most, -outwards * 1.0)))
            spring: dict[str, Any] = {"stiffness": pull, "damping": 0.05, "rest": -outwards * 0.8}
            joint = Joint(
                kind="hinge",
                axis=(0.0, 1.0, 0.0),
                position=place,
                limits=limits,
                initial=outwards * most,
                **spring,
            )
            shape = Capsule(radius=0.02, length=0.1, position=(0.0, 0.0, -0.07), density=500.0)
            bodies.append(Body(name=f"{part}{number}", parent=above, joint=joint, shapes=[shape]))
            above, place = f"{part}{number}", (0.0, 0.0, -0.14)
    return zp.compile(Description(name="crouching", bodies=bodies, surface=Surface(friction=0.1)))


@pytest.mark.parametrize("form", FORMS)
def test_legs_at_their_limits_rest(form: str) -> None:
    """Law: what weight presses against its limits rests there, hip and knee alike.  Oracle: the limits; E of the beginning.

    Weight alone spreads the legs, by way of the ground; without it the springs would pull them inwards.  A limit that
    looks at the velocity without contacts would let go and be overrun, and a correction of one limit that forgets the other
    would push it over.  Tolerances: positions are corrected from 1 µrad on, velocities are solved to 1e-5 of g dt at a lever
    of a leg's half, and a body may be lifted by what its joints are corrected: 1 µm.
    """
    dt, settled = 5e-3, 200
    models = [crouching(0.02 * (1 + n)) for n in range(8)]
    starts = [zp.State.neutral(model) for model in models]
    lives = live(models, starts, width=FORMS[form], seconds=3.0, dt=dt, every=1, habitat=on(0.1))
    for life in lives:
        limits = np.array([-1, -1, -1, -1, 1, 1, 1, 1]) * np.tile(SPREAD, 4)
        assert np.abs(life.q[settled:, 7:] - limits).max() < 1e-6
        assert np.abs(life.v[settled:, 6:]).max() < TOLERANCE * G * dt / 0.07
        E = life.energies()[settled:]
        assert E.max() - E[0] < life.model.total_mass * G * 1e-6


TREES = (*range(8), 17, 55)


def thrown(
    seed: int,
    kind: str,
    scale: float,
    play: tuple[float, float],
    speeds: tuple[float, ...],
    choice: tuple[float, ...],
) -> tuple[zp.Model, list[zp.State]]:
    """A box with a tree of two to seven thin limbs on joints with limits, and eight ways to throw it.

    Args:
        seed: of all that is drawn.
        kind: of the joints.
        scale: of all lengths.
        play: least and most that a joint may go to either side.
        speeds: of the box, angular and linear.
        choice: of the joints' speed.
    """
    rng = np.random.default_rng(seed)
    root = Joint(kind="free", initial=(1.0, 0.0, 0.0, 0.0, 0.0, 0.0, scale))
    bodies = [Body(name="b0", joint=root, shapes=[Box(size=(0.3 * scale, 0.2 * scale, 0.1 * scale))])]
    count = int(rng.integers(2, 8))
    for n in range(1, count + 1):
        limits, size = (-rng.uniform(*play), rng.uniform(*play)), 10.0 ** rng.uniform(-1.0, 0.0)
        parent, axis, place = f"b{rng.integers(0, n)}", rng.normal(size=3), 0.1 * scale * rng.normal(size=2)
        joint = Joint(kind=kind, axis=tuple(axis), position=(*place, 0.0), limits=limits)
        length = 0.3 * scale * size
        limb = Capsule(radius=0.02 * scale * size**0.5, length=length, position=(0.0, 0.0, -0.5 * length))
        bodies.append(Body(name=f"b{n}", parent=parent, joint=joint, shapes=[limb]))
    model = zp.compile(Description(name=f"{kind} {seed}", bodies=bodies, surface=Surface(friction=0.8)))
    whole = np.r_[speeds, np.full(count, rng.choice(choice))]
    return model, [zp.State.neutral(model).at(v=whole * rng.normal(size=model.nv)) for _ in range(8)]


def thrown_tree(seed: int) -> tuple[zp.Model, list[zp.State]]:
    """On hinges, some very fast."""
    return thrown(seed, "hinge", 1.0, (0.05, 0.8), (3.0,) * 6, (5.0, 20.0, 60.0))


def small_slides(seed: int) -> tuple[zp.Model, list[zp.State]]:
    """Of three centimetres, on slides."""
    return thrown(seed, "slide", 0.1, (1e-3, 0.01), (3.0, 3.0, 3.0, 0.3, 0.3, 0.3), (0.1, 0.4, 1.0))


@pytest.mark.parametrize("form", FORMS)
def test_fast_trees_keep_their_limits(form: str) -> None:
    """Law: q stays within its limits, also where limbs turn by a third of a radian in a step while the ground throws them.

    Oracle: the limits.  Tolerance: the overrun of 2 mrad that makes sweeps go on.  Where positions were corrected by four
    sweeps whatever these left, and velocities by sixty, the worst went 172 mrad too far; where what 36 sweeps left of a
    correction was taken whole, one of these trees went 4.8 mrad and another 3.
    """
    beyond = []
    for seed in TREES:
        model, states = thrown_tree(seed)
        for life in live(
            [model] * 8, states, width=FORMS[form], seconds=1.5, dt=5e-3, every=1, habitat=on(0.8)
        ):
            q = life.q[:, 7:]
            beyond.append(float(np.maximum(model.dofs.lower[6:] - q, q - model.dofs.upper[6:]).max()))
    assert max(beyond) < STUCK


def test_limits_of_slides_go_with_the_size_of_the_creature() -> None:
    """Law: q stays within its limits, whatever the size.  Oracle: the limits.

    Tolerance: ours, 4·10⁻³ of the largest shape, 1.3 times the worst of 30 creatures.  Where the overrun that makes sweeps
    go on was a millimetre for all, a creature of three centimetres overran its limits by that, a third of their range.
    """
    beyond = []
    for seed in TREES:
        model, states = small_slides(seed)
        reach = max(shape.reach for shape in model.shapes if shape.link)
        for life in live([model] * 8, states, width=8, seconds=1.0, dt=5e-3, every=1, habitat=on(0.8)):
            q = life.q[:, 7:]
            over = np.maximum(model.dofs.lower[6:] - q, q - model.dofs.upper[6:])
            beyond.append(float(over.max()) / reach)
    assert max(beyond) < 4e-3
