"""Constraints that are open when life begins, or cannot be closed, and the energy of springs between bodies."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import zoophyte as zp
from zoophyte.description import (
    Attach,
    Body,
    Box,
    Connect,
    Constraint,
    Description,
    Joint,
    Pair,
    Sphere,
    Surface,
    Weld,
)
from zoophyte.errors import UsageError

SURFACE = Surface()


def boxes(count: int, *constraints: Constraint) -> Description:
    """Free boxes of 0.2 m side by side, half a metre up, one every 0.3 m."""
    bodies = [
        Body(
            name=f"box{n}",
            joint=Joint(kind="free", initial=(1.0, 0.0, 0.0, 0.0, 0.3 * n, 0.0, 0.5)),
            shapes=[Box(size=(0.2, 0.2, 0.2))],
        )
        for n in range(count)
    ]
    return Description(name="boxes", bodies=bodies, surface=SURFACE, constraints=list(constraints))


def hung(height: float, name: str = "") -> Connect:
    """The middle of the first box at a point above the origin."""
    return Connect(name=name, body="box0", other="ground", other_point=(0.0, 0.0, height))


def test_a_connect_that_is_open_at_birth_is_refused_with_its_gap() -> None:
    """The points are 3 m and 0.5 m high: 2.5 m apart; nothing may jump there unsaid."""
    open_one = boxes(1, hung(3.0, "rope"))
    with pytest.raises(
        UsageError, match=r"connect rope between box0 and ground by 2\.5 m; move .*other_point.*resolve"
    ):
        zp.World(open_one).simulate(0.01)
    with pytest.raises(UsageError, match=r"constraints are open when life begins: connect rope .* by 2\.5 m"):
        zp.Herd([open_one, boxes(1)]).simulate(0.01)


def test_an_open_connect_is_closed_when_asked() -> None:
    """Tolerance: what counts as closed, a thousandth of the radius of gyration, √(0.2²/2) m."""
    life = zp.World(boxes(1, hung(3.0)), overlap="resolve").simulate(0.05)
    assert life.channel("height:box0") == pytest.approx(np.full(len(life), 3.0), abs=1.5e-4)
    assert life.status.reason == ""


def test_a_life_that_goes_on_is_not_asked_again() -> None:
    """A state that has lived may be a little open: its next steps close it, as ever."""
    world = zp.World(boxes(1, hung(0.5)))
    final = world.simulate(0.01).final
    pulled = replace(final, q=final.q + np.array([0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1e-3]))
    assert world.simulate(0.01, pulled).q[-1, 6] == pytest.approx(0.5, abs=1e-6)


def test_connects_that_contradict_each_other_cannot_be_closed() -> None:
    """One point cannot be at two heights: 1 m stays open, whoever wins."""
    two = boxes(1, hung(1.0), hung(2.0))
    with pytest.raises(UsageError, match=r"could not be closed: they contradict each other"):
        zp.World(two, overlap="resolve").simulate(0.01)


def test_a_loop_that_driven_joints_pull_open_is_told_at_the_end() -> None:
    """Both slides are driven, one up and one down by 0.1 m: their connect is 0.2 m open, and the status says so."""
    slides = [
        Body(name=name, joint=Joint(kind="slide", axis=(0, 0, 1), position=(x, 0, 1), driven=True),
             shapes=[Box(size=(0.1, 0.1, 0.1))])
        for name, x in (("left", 0.0), ("right", 0.3))
    ]  # fmt: skip
    loop = Description(name="loop", bodies=slides, constraints=[Connect(body="left", other="right")])
    rise = zp.control.Sine(amplitude={"left": 0.1, "right": -0.1}, frequency=0.25)
    status = zp.World(loop, controller=rise, dt=1e-2).simulate(1.0).status
    assert status.kind == "ended"
    assert "connect constraints[0] between left and right is open by 0.2 m" in status.reason


def test_a_weld_that_is_turned_at_birth_is_refused_with_its_angle() -> None:
    """A quaternion (cos 0.1, 0, 0, sin 0.1) turns by 0.2 rad = 11.5°."""
    glued = zp.compile(boxes(2, Weld(name="glue", body="box0", other="box1", other_point=(-0.3, 0.0, 0.0))))
    neutral = zp.State.neutral(glued)
    assert zp.World(glued).simulate(0.01).status.reason == ""
    turned = neutral.q.copy()
    turned[:4] = np.cos(0.1), 0.0, 0.0, np.sin(0.1)
    with pytest.raises(UsageError, match=r"weld glue between box0 and box1 by 11\.5°"):
        zp.World(glued).simulate(0.01, neutral.at(q=turned))


def test_a_stretched_spring_holds_energy_until_it_breaks() -> None:
    """½ k l² = ½·200·0.5² = 25 J at birth; what the spring loses, motion and height gain.

    Tolerance: springs are taken linearly implicitly, which loses of order k/m·dt² each step: of 25 J below 1 % in 0.1 s
    at 0.1 ms.  The other spring is too long at birth: it breaks in the first step, as an event, and holds nothing.
    """
    joint = Joint(kind="free", initial=(1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0))
    ball = Body(name="ball", joint=joint, shapes=[Sphere(radius=0.1)])
    springs = [
        Attach(body="ball", other_point=(0.0, 0.0, 1.5), stiffness=200.0),
        Attach(name="short", body="ball", other_point=(0.0, 0.3, 1.0), stiffness=1e4, break_length=0.2),
    ]
    bungee = Description(name="bungee", bodies=[ball], surface=SURFACE, constraints=springs)
    life = zp.World(bungee, dt=1e-4).simulate(0.1, record_rate=1000.0)
    elastic, energy = life.channel("elastic"), life.channel("energy")
    assert elastic[0] == pytest.approx(25.0, rel=1e-12)
    assert elastic[-1] == pytest.approx(0.5 * 200.0 * (1.5 - life.channel("height:ball")[-1]) ** 2, rel=1e-9)
    assert elastic[-1] < 24.0
    assert np.abs(energy - energy[0]).max() < 0.01 * 25.0
    assert [(event.kind, event.name, event.time) for event in life.events] == [("break", "short", 1e-4)]


def test_a_herd_does_not_take_a_spring_for_a_cheat() -> None:
    """The audit of energy counts what springs between bodies hold: of 25 J none appears from nowhere, 1 % as above."""
    joint = Joint(kind="free", initial=(1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0))
    ball = Body(name="ball", joint=joint, shapes=[Sphere(radius=0.1)])
    spring = Attach(body="ball", other_point=(0.0, 0.0, 1.5), stiffness=200.0)
    bungee = Description(name="bungee", bodies=[ball], surface=SURFACE, constraints=[spring])
    (life,) = zp.Herd([bungee], dt=1e-4, workers=1).simulate(0.1, check_every=0.01)
    assert life.status.kind == "ended"
    assert life.energy_gain < 0.25


def test_partners_of_a_constraint_that_overlap_are_told_how_to_be_parted() -> None:
    """Two boxes of 0.2 m, 0.15 m apart, held at a point between them: parted they live, and the message says how."""
    joints = [Joint(kind="free", initial=(1.0, 0.0, 0.0, 0.0, x, 0.0, 0.5)) for x in (0.0, 0.15)]
    bodies = [
        Body(name=f"box{n}", joint=joint, shapes=[Box(size=(0.2, 0.2, 0.2))])
        for n, joint in enumerate(joints)
    ]
    hinge = Connect(name="pin", body="box0", other="box1", point=(0.075, 0.0, 0.0))
    held = Description(name="held", bodies=bodies, surface=SURFACE, constraints=[hinge])
    words = r'connect pin between box0 and box1 joins two.*pairs=\[Pair\(bodies=\("box0", "box1"\), contact=False\)\]'
    with pytest.raises(UsageError, match=words):
        zp.World(held).simulate(0.01)
    (life,) = zp.Herd([held]).simulate(0.01)
    assert life.status.kind == "overlapping" and "contact=False" in life.status.reason
    loose = held.copy()
    loose.constraints = []
    with pytest.raises(UsageError, match="shapes overlap") as problem:
        zp.World(loose).simulate(0.01)
    assert "Pair(" not in str(problem.value)
    held.pairs = [Pair(bodies=("box0", "box1"), contact=False)]
    assert zp.World(held).simulate(0.01).status.kind == "ended"
