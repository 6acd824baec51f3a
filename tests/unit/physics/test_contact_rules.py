"""What is refused or told at contact, and what holds, breaks and gives way: each beside a formula."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

import zoophyte as zp
from zoophyte.description import (
    Attach,
    Body,
    Box,
    Description,
    Joint,
    MassProperties,
    Servo,
    Sphere,
    Surface,
    Weld,
)
from zoophyte.errors import UsageError
from zoophyte.simulation.overlaps import TOLERANCE as TOUCHING
from zoophyte.validation.scenes import DT, TOLERANCE, G, lone, model_of

SPACE = zp.Habitat((0.0, 0.0, 0.0), ground=None)
POINT = MassProperties(mass=2.0, inertia=(0.1, 0.1, 0.1))
SOLVED = TOLERANCE * G * DT
"""Velocity that the sweeps may leave unsolved in a step [m/s]."""


def slider(**joint: object) -> zp.Model:
    """2 kg on rails along x, with nothing that touches."""
    rails = Joint.model_validate({"kind": "slide", "axis": (1.0, 0.0, 0.0), **joint})
    return zp.compile(Description(name="slider", bodies=[Body(name="mass", joint=rails, mass=POINT)]))


def pushed(model: zp.Model, force: float, speed: float = 0.0) -> zp.State:
    return replace(zp.State.neutral(model).at(v=[speed]), applied=np.array([force]))


# -------------------------------------------------------------------------------------------- overlaps, overflow


def two_balls(gap: float) -> zp.Model:
    balls = [
        lone(Sphere(radius=0.1), place=(x, 0.0, 1.0), name=n) for n, x in (("one", 0.0), ("other", 0.2 + gap))
    ]
    return model_of(*balls)


def test_an_overlap_is_refused_with_names_and_depth() -> None:
    with pytest.raises(UsageError, match=r"(one in other|other in one), 30 mm deep; .*overlap=\"resolve\""):
        zp.World(two_balls(-0.03)).simulate(0.01)


def test_what_all_but_touches_is_no_overlap() -> None:
    """Just below the part of its size that a shape may be deep, and just above."""
    allowed = TOUCHING * 0.1
    zp.World(two_balls(-0.9 * allowed)).simulate(0.01)
    with pytest.raises(UsageError, match="overlap"):
        zp.World(two_balls(-1.1 * allowed)).simulate(0.01)


def test_an_overlap_is_resolved_without_speed() -> None:
    """Two equal balls part by the same way each, up to what counts as touching; no velocity comes of it."""
    life = zp.World(two_balls(-0.03), habitat=SPACE, overlap="resolve").simulate(0.1)
    one, other = life.final.q[4:7], life.final.q[11:14]
    assert np.linalg.norm(other - one) == pytest.approx(0.2, abs=TOUCHING * 0.1)
    assert one[0] == pytest.approx(0.2 - 0.03 - other[0], abs=1e-9)
    assert np.abs(life.final.v).max() < 1e-12


def test_an_overlap_that_cannot_be_resolved_is_told() -> None:
    """A ball on rails of no length, in a wall that does not move."""
    wall = Body(
        name="wall", joint=Joint(position=(0, 0, 1)), shapes=[Sphere(radius=0.1, position=(0.15, 0, 0))]
    )
    rails = Joint(kind="slide", axis=(0, 1, 0), position=(0, 0, 1))
    stuck = Body(name="stuck", joint=rails, shapes=[Box(size=(0.2, 9.0, 0.2))])
    model = model_of(wall, stuck)
    with pytest.raises(UsageError, match="could not be pushed apart"):
        zp.World(model, overlap="resolve").simulate(0.01)


def test_too_many_contacts_are_told() -> None:
    """A box that falls flat needs room for four."""
    model = model_of(lone(Box(size=(0.2, 0.2, 0.2)), place=(0.0, 0.0, 0.15)))
    life = zp.World(model, slots=2).simulate(0.5)
    assert life.status.kind == "overflowed"
    assert 0.05 < life.status.time < 0.15  # it falls for √(2·0.05/g) = 0.101 s
    assert "slots" in life.status.reason
    assert zp.World(model, slots=4).simulate(0.5).status.kind == "ended"


# ---------------------------------------------------------------------------------------------------------- holds


def test_a_spring_breaks_where_it_should_and_stays_broken() -> None:
    """Law: ½ m v² = ½ k x² at rest; a spring that breaks at L has taken ½ k L² of the energy, and no more.

    Oracle: energy.  Tolerance: ½ k L v dt for the step in which it breaks, and the first-order damping of the implicit
    spring, ½ (k/m) dt ∫v² dt·m < k dt L v.
    """
    stiffness, length, speed = 50.0, 0.3, 4.0
    hold = Attach(body="ball", stiffness=stiffness, break_length=length)
    model = zp.compile(
        Description(
            name="b", bodies=[Body(name="ball", joint=Joint(kind="free"), mass=POINT)], constraints=[hold]
        )
    )
    state = zp.State.neutral(model).at(v=[0, 0, 0, speed, 0, 0])
    life = zp.World(model, habitat=SPACE).simulate(1.0, state=state)
    left = 0.5 * 2.0 * life.final.v[3] ** 2
    exact = 0.5 * 2.0 * speed**2 - 0.5 * stiffness * length**2
    assert left == pytest.approx(exact, abs=2.0 * stiffness * length * speed * DT)
    late = life.v[200:, 3]
    assert np.ptp(late) == 0.0  # nothing pulls it any more
    weak = state.at(v=[0, 0, 0, 0.9 * length * math.sqrt(stiffness / 2.0), 0, 0])
    swung = zp.World(model, habitat=SPACE).simulate(1.0, state=weak)
    assert swung.q[:, 4].max() < length
    assert swung.v[:, 3].min() < 0.0  # it comes back


def test_a_weld_makes_one_body_of_two() -> None:
    """Law: two welded balls hold their pose under weight.  Oracle: the start.  Tolerance: 1e-8 as for loops.

    The first step has no impulses to start from, and its sweeps end at their cap; it is left out.
    """
    bodies = [
        lone(Sphere(radius=0.1), place=(x, 0.0, 1.0), name=n) for n, x in (("one", 0.3), ("other", 0.6))
    ]
    welds = [Weld(body="one"), Weld(body="other", other="one")]
    model = model_of(*bodies, constraints=welds)
    life = zp.World(model).simulate(1.0)
    assert np.abs(life.q[2:] - life.q[0]).max() < 1e-8
    assert np.abs(life.final.q - life.q[0]).max() < 1e-12


def test_welded_bodies_fly_as_one() -> None:
    """Law: one rigid body keeps its spin.  Oracle: the start.  Tolerance: 1e-8 for the pose, as for loops.

    Velocities are brought back to the tangent of the circle in each step, which takes at most 1 − cos(ω dt) of them: ½ ω² dt
    in a second.
    """
    bodies = [
        lone(Box(size=(0.1, 0.2, 0.3)), place=(x, 0.0, 1.0), name=n)
        for n, x in (("one", 0.0), ("other", 0.3))
    ]
    model = model_of(*bodies, constraints=[Weld(body="one", other="other")])
    state = zp.State.neutral(model).at(v=[0, 0, 3.0, 0, 0, 0, 0, 0, 3.0, 0, 0.9, 0])
    life = zp.World(model, habitat=SPACE).simulate(1.0, state=state)
    apart = np.linalg.norm(life.q[:, 11:14] - life.q[:, 4:7], axis=1)
    assert np.abs(apart - 0.3).max() < 1e-8
    assert np.abs(life.q[:, 7:11] - life.q[:, :4]).max() < 1e-8  # equally turned
    assert 0.0 <= 1.0 - life.final.v[2] / 3.0 <= 0.5 * 3.0**2 * DT


# --------------------------------------------------------------------------------------------------- dry joints


@pytest.mark.parametrize("force", [0.0, 2.9, -2.9])
def test_dry_friction_holds_a_joint(force: float) -> None:
    model = slider(friction=3.0)
    life = zp.World(model, habitat=SPACE).simulate(1.0, state=pushed(model, force))
    assert np.abs(life.q).max() < 1e-9


@pytest.mark.parametrize("force", [4.0, -7.0])
def test_dry_friction_takes_its_force(force: float) -> None:
    """Law: m a = F − f sign v.  Tolerance: sweeps end at 1e-5 of g dt in each of 1000 steps."""
    model = slider(friction=3.0)
    life = zp.World(model, habitat=SPACE).simulate(1.0, state=pushed(model, force))
    exact = (force - math.copysign(3.0, force)) / 2.0
    assert life.final.v[0] == pytest.approx(exact, abs=1000 * SOLVED)


def test_dry_friction_stops_and_does_not_turn_round() -> None:
    """Law: way v² m/2f, less ½ v dt as of a sliding box.  Tolerance: ⅛ a dt² and what sweeps leave open."""
    model = slider(friction=3.0)
    life = zp.World(model, habitat=SPACE).simulate(2.0, state=pushed(model, 0.0, 1.0))
    assert life.final.q[0] == pytest.approx(
        2.0 / (2.0 * 3.0) - 0.5 * DT, abs=1.5 / 8.0 * DT**2 + 1000 * SOLVED * DT
    )
    assert life.final.v[0] == pytest.approx(0.0, abs=1e-12)
    assert life.v.min() > -1e-12


def test_a_weak_servo_gives_no_more_than_it_has() -> None:
    """Law: m a = max_force far from the goal; near it, stiffness·(h − q).  Tolerance: sweeps end at 1e-5 of g dt."""
    model = slider(actuator=Servo(stiffness=1e4, damping=100.0, max_force=5.0))
    state = zp.State.neutral(model)
    command = state.command.copy()
    command[0, 0] = 10.0
    life = zp.World(model, habitat=SPACE).simulate(1.0, state=replace(state, command=command))
    assert life.final.v[0] == pytest.approx(2.5, abs=1000 * SOLVED)
    # Held against 4 N it sags by F/k; 6 N are too much, and 1 N is left to push.
    held = zp.World(model, habitat=SPACE).simulate(3.0, state=pushed(model, 4.0))
    assert held.final.q[0] == pytest.approx(4.0 / 1e4, rel=1e-6)
    lost = zp.World(model, habitat=SPACE).simulate(1.0, state=pushed(model, 6.0))
    q = v = 0.0
    for _ in range(100_000):  # the same law in steps of 10 µs
        v += 1e-5 / 2.0 * (6.0 - min(1e4 * q + 100.0 * v, 5.0))
        q += 1e-5 * v
    assert lost.final.v[0] == pytest.approx(v, abs=6.0 / 2.0 * DT)  # when it gives way is known to a step


def test_surfaces_mix_and_masks_part() -> None:
    """A ball whose group the ground's mask leaves out falls through it."""
    ball = lone(Sphere(radius=0.1), place=(0.0, 0.0, 0.2))
    ghost = zp.World(model_of(ball, surface=Surface(group=2)), habitat=zp.Habitat(surface=Surface(mask=1)))
    assert ghost.simulate(0.5).final.q[6] < -0.5
    met = zp.World(model_of(ball, surface=Surface(group=2)), habitat=zp.Habitat(surface=Surface(mask=2)))
    assert met.simulate(0.5).final.q[6] == pytest.approx(0.1, abs=1e-6)
