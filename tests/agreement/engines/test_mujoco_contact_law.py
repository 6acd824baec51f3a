"""Where MuJoCo's contact differs from Coulomb's law and a dead impact, whatever the step: why a gait may fall there."""

from __future__ import annotations

import pytest

import zoophyte as zp
from zoophyte.description import Body, Box, Joint, Surface
from zoophyte.export.mjcf import mjcf_of

mujoco = pytest.importorskip("mujoco")

FAST, HALF = 3.0, 0.05
"""Speed of sliding [m/s]; half the edge of a block [m]."""


def block(friction: float, drop: float = 0.0) -> zp.Description:
    """A block that moves along x and z only, so that it cannot tip."""
    rail = Body(
        name="rail", joint=Joint(kind="slide", axis=(1.0, 0.0, 0.0), position=(0.0, 0.0, HALF + drop), armature=1e-9)
    )  # fmt: skip
    mass = Body(
        name="block", parent="rail", joint=Joint(kind="slide", axis=(0.0, 0.0, 1.0)),
        shapes=[Box(size=(2 * HALF,) * 3, density=1000.0)],
    )  # fmt: skip
    return zp.Description(name="block", bodies=[rail, mass], surface=Surface(friction=friction))


def greatest_rise(body: zp.Description, sideways: float, dt: float, time: float) -> float:
    """The greatest upward speed in a second of MuJoCo's, where contacts have a time constant [m/s]."""
    model = mujoco.MjModel.from_xml_string(mjcf_of(body, timestep=dt, habitat=zp.Habitat()))
    model.geom_solref[:] = model.pair_solref[:] = (time, 1.0)
    data = mujoco.MjData(model)
    data.qvel[0], rise = sideways, 0.0
    for _ in range(round(1.0 / dt)):
        mujoco.mj_step(model, data)
        rise = max(rise, float(data.qvel[1]))
    return rise


@pytest.mark.parametrize("dt", [5e-3, 1e-3])
def test_what_slides_stays_on_the_ground_here_and_is_lifted_there(dt: float) -> None:
    """Law: Coulomb's friction is level, and a block that slides stops after v²/(2 μ g). Oracle: that way.

    Tolerance: the way of one step, v·dt; of heights the slop of contact, 1e-3 of the block. MuJoCo's cone asks for
    v_n ≥ μ |v_t| of what slides: with stiff contacts it gives a good part of 3 m/s.
    """
    body = block(1.0)
    state = zp.State.neutral(zp.compile(body))
    life = zp.World(body, zp.Habitat(), dt=dt).simulate(1.0, state.at(state.q, [FAST, 0.0]))
    assert abs(life.q[-1][0] - FAST**2 / (2.0 * 9.81)) < FAST * dt
    assert abs(life.q[:, 1]).max() < 1e-3 * HALF
    assert greatest_rise(body, FAST, dt, 2.0 * dt) > 0.2 * FAST


def test_mujoco_gives_an_eighth_of_a_speed_back() -> None:
    """Law: x″ = −2ωx′ − ω²x that only pushes lets go at ωt = 2, with e⁻² = 0.135 of the speed, however stiff.

    Tolerance: impedance grows with depth from 0.9 to 0.95, which scales ω by 5 %: a tenth of the speed given back.
    """
    drop = 0.05
    fall = (2.0 * 9.81 * drop) ** 0.5
    for time in (0.02, 0.002):
        back = greatest_rise(block(0.0, drop), 0.0, 2e-5, time)
        assert back == pytest.approx(0.135 * fall, rel=0.1)
