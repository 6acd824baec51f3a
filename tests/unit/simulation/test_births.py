"""Joints beyond their limits, and open constraints, as life begins: refused wherever lives begin, or mended where asked."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import zoophyte as zp
from zoophyte.description import Body, Box, Capsule, Connect, Description, Joint, Motor, Sphere, Surface
from zoophyte.errors import UsageError
from zoophyte.physics.contact.axes import STUCK
from zoophyte.simulation.herd.crowd import Crowd
from zoophyte.simulation.herd.litter import litter_of

LIMITS = (0.2, 1.0)


def leg(initial: float | None = 0.5, **joint: Any) -> Description:
    """A rod on a hinge in the air, with a motor; its limits leave out 0."""
    fields = {"limits": LIMITS, "initial": initial, **joint}
    hinge = Joint(kind="hinge", axis=(0, 1, 0), position=(0, 0, 2), actuator=Motor(strength=1.0), **fields)
    rod = Capsule(radius=0.02, length=0.4, position=(0, 0, -0.2))
    return Description(
        name="leg", bodies=[Body(name="rod", joint=hinge, shapes=[rod])], surface=Surface(friction=0.5)
    )


def at(angle: float) -> zp.State:
    return zp.State.neutral(zp.compile(leg())).at(q=[angle])


BIRTHS: dict[str, Callable[[zp.State], object]] = {
    "a world": lambda state: zp.World(leg()).simulate(0.01, state),
    "a world in float32": lambda state: zp.World(leg(), dtype=np.float32).simulate(0.01, state),
    "a herd": lambda state: zp.Herd([leg(), leg()]).simulate(0.01, [None, state]),
    "a herd that is moved on": lambda state: zp.Herd([leg(), leg()]).begin([None, state]),
    "one that begins anew": lambda state: zp.Herd([leg(), leg()]).begin().reset(1, state),
}


@pytest.mark.parametrize("where", BIRTHS)
def test_a_joint_beyond_its_limits_is_refused(where: str) -> None:
    """1.5 rad is 0.5 rad beyond: one step would put the joint back, at 500 rad/s."""
    words = r"leg: joints are beyond .* when life begins: rod.* at 1\.5 rad, limits 0\.2 to 1; .*overlap=\"resolve\""
    with pytest.raises(UsageError, match=words):
        BIRTHS[where](at(1.5))


@pytest.mark.parametrize("where", BIRTHS)
def test_what_steps_leave_beyond_a_limit_is_not_refused(where: str) -> None:
    """States of a record may begin a life again: `STUCK` is what steps may leave."""
    BIRTHS[where](at(LIMITS[1] + 0.9 * STUCK))
    with pytest.raises(UsageError, match="beyond their limits"):
        BIRTHS[where](at(LIMITS[0] - 1.1 * STUCK))


def test_a_joint_beyond_its_limits_begins_at_them_when_asked() -> None:
    """Without gravity it stays there, at rest: nothing but the place was changed.  Tolerance: none."""
    life = zp.World(leg(), zp.Habitat((0, 0, 0)), overlap="resolve").simulate(0.05, at(1.5))
    assert np.all(life.q == LIMITS[1]) and not np.any(life.v)


def test_a_body_whose_limits_leave_out_its_neutral_pose_is_refused() -> None:
    with pytest.raises(UsageError, match=r"at 0 rad, limits 0\.2 to 1; give 'initial'"):
        zp.World(leg(None)).simulate(0.01)


def test_limits_that_are_springs_may_be_overrun_at_birth() -> None:
    """Their energy at birth is counted: ½·10·0.5² J."""
    soft = leg(limit_stiffness=10.0)
    life = zp.World(soft).simulate(0.0, at(1.5))
    assert life.channel("elastic")[0] == pytest.approx(0.5 * 10.0 * 0.5**2, rel=1e-12)


def test_an_environment_begins_within_limits() -> None:
    """Its first states are drawn around the neutral one, and kept in their limits."""
    env = zp.make(leg(None), reset_noise_scale=0.1)
    drawn = [env.reset(seed=seed)[0][0] for seed in range(5)]
    assert drawn == [LIMITS[0]] * 5  # all drawn below it: the noise is smaller
    env.close()


# ---------------------------------------------------------------------------------------------- constraints


def tied(gap: float) -> Description:
    """A box that hangs on a point; with a gap the connect is open at birth."""
    joint = Joint(kind="free", initial=(1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0))
    arm = Joint(kind="hinge", axis=(0, 1, 0), position=(0.2, 0, 0), actuator=Motor(strength=0.1))
    bodies = [
        Body(name="box", joint=joint, shapes=[Box(size=(0.2, 0.2, 0.2))]),
        Body(name="arm", parent="box", joint=arm, shapes=[Capsule(radius=0.02, length=0.1)]),
    ]
    rope = Connect(name="rope", body="box", other="ground", other_point=(0.0, 0.0, 1.0 + gap))
    return Description(name="tied", bodies=bodies, surface=Surface(friction=0.5), constraints=[rope])


def nursed(*bodies: Description) -> Crowd:
    """As a maker of a nursery fills pens for a GPU."""
    settings = {"habitat": zp.Habitat(), "dt": 5e-3, "sweeps": 4, "slots": 32}
    litter = litter_of(list(bodies), None, len(bodies), settings)
    return Crowd(litter, [None] * len(bodies), litter.terms(0.01, None, None, 0.0, 0.01, 0.01))


OPEN: dict[str, Callable[[], object]] = {
    "a herd": lambda: zp.Herd([tied(0.0), tied(0.5)]).simulate(0.01),
    "a herd that is moved on": lambda: zp.Herd([tied(0.0), tied(0.5)]).begin(),
    "an environment": lambda: zp.make(tied(0.5)),
    "a nursery": lambda: nursed(tied(0.0), tied(0.5)),
}


@pytest.mark.parametrize("where", OPEN)
def test_open_constraints_are_refused_wherever_lives_begin(where: str) -> None:
    with pytest.raises(UsageError, match=r"constraints are open when life begins: connect rope .* by 0\.5 m"):
        OPEN[where]()


def test_an_environment_does_not_open_constraints() -> None:
    """Coordinates of a body that is held stay as they are, velocities are drawn."""
    env = zp.make(tied(0.0), reset_noise_scale=0.1)
    first, _ = env.reset(seed=1)
    again, _ = env.reset(seed=2)
    coordinates = 1 + 4 + 1
    assert np.array_equal(first[:coordinates], again[:coordinates]) and np.any(first != again)
    env.close()


@pytest.mark.parametrize("where", ["world", "herd"])
def test_an_overlap_of_metres_is_told_in_metres_with_its_likely_reason(where: str) -> None:
    """A body drawn in millimetres was "4.95e+04 mm deep" in the ground."""
    ball = Body(name="ball", joint=Joint(kind="free"), shapes=[Sphere(radius=49500.0, density=1.0)])
    body = Description(name="huge", bodies=[ball], surface=Surface())
    words = r"ball in ground, 4\.95e\+04 m deep.* Shape ball\[0\] is 9\.9e\+04 m large; lengths are in metres"
    if where == "herd":
        told = str(zp.Herd([body], dt=0.01).simulate(0.1)[0].status)
        assert re.search(words, told)
    else:
        with pytest.raises(UsageError, match=words):
            zp.World(body, dt=0.01).simulate(0.1)


def resting(radius: float) -> Description:
    """A ball on the ground, or in it; with the same numbers in its states, whatever its size."""
    joint = Joint(kind="free", initial=(1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.1))
    ball = Body(name="ball", joint=joint, shapes=[Sphere(radius=radius)])
    return Description(name="ball", bodies=[ball], surface=Surface())


ELSEWHERE: dict[str, Callable[[zp.Model, zp.State], object]] = {
    "a world": lambda model, state: zp.World(model).simulate(0.01, state),
    "a world in float32": lambda model, state: zp.World(model, dtype=np.float32).simulate(0.01, state),
}


@pytest.mark.parametrize("where", ELSEWHERE)
def test_a_state_that_lived_with_another_body_is_asked_again(where: str) -> None:
    """Law: a state goes on unasked only with the body that it lived with; a larger one would be 0.1 m in the ground."""
    begin = ELSEWHERE[where]
    state = zp.World(resting(0.1)).simulate(0.1).final
    assert state.lived != 0.0
    begin(zp.compile(resting(0.1)), state)
    with pytest.raises(UsageError, match="shapes overlap when life begins"):
        begin(zp.compile(resting(0.2)), state)


def test_a_herd_asks_a_state_again_that_lived_with_another_body() -> None:
    state = zp.World(resting(0.1)).simulate(0.1).final
    lives = zp.Herd([resting(0.1), resting(0.2)]).simulate(0.01, [state, state])
    assert [life.status.kind for life in lives] == ["ended", "overlapping"]
