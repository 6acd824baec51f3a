"""Adhesion holds what touches, and makes no energy."""

from __future__ import annotations

import math

import numpy as np
import pytest

import zoophyte as zp
from zoophyte.description import Body, Box, Joint, Sphere, Surface

SECONDS = 2.0


@pytest.mark.parametrize("on", ["ground", "slab"])
@pytest.mark.parametrize("dt", [1e-3, 5e-3])
@pytest.mark.parametrize("force", [100.0, 10000.0])
def test_what_sticks_gains_nothing(on: str, dt: float, force: float) -> None:
    """Law: a touch that parts for nothing must not pull over a way: energy never rises.

    A cube of 8 kg is thrown tumbling onto a sticky ground, or a sticky slab.  Tolerance: the solver stops at 10⁻⁵ of the
    speed v of a fall in a step, and what it leaves makes up to m·(10⁻⁵·v)² of energy: 10⁻¹² J at 5 ms, in each of 400 steps.
    """
    surface = Surface(friction=1.0, adhesion=force)
    joint = Joint(kind="free", initial=(math.cos(0.2), math.sin(0.2), 0.0, 0.0, 0.0, 0.0, 0.15))
    bodies = [Body(name="cube", joint=joint, shapes=[Box(size=(0.2, 0.2, 0.2))])]
    if on == "slab":
        bodies.append(Body(name="slab", shapes=[Box(size=(9.0, 9.0, 0.2), position=(0.0, 0.0, -0.1))]))
    model = zp.compile(zp.Description(name="sticky", bodies=bodies, surface=surface))
    state = zp.State.neutral(model).at(v=(1.0, 2.0, 3.0, 1.0, 1.0, 0.0))
    habitat = zp.Habitat(surface=surface, ground=None) if on == "slab" else zp.Habitat(surface=surface)
    life = zp.World(model, habitat, dt=dt).simulate(SECONDS, state, record_rate=1.0 / dt)
    energy = np.asarray(life.channel("energy"))
    assert (energy - np.minimum.accumulate(energy)).max() < 1e-9 * energy[0]


@pytest.mark.parametrize(("part", "holds"), [(0.99, True), (1.01, False)])
def test_adhesion_holds_up_to_its_force(part: float, holds: bool) -> None:
    """Law: a ball under a gravity that pulls it off the ground stays while that is less than the adhesion, else flies.

    Tolerance: adhesion acts up to a tenth of the slop, 5 µm, which a hundredth of g takes 10 ms for: 2 % of the way.
    """
    mass = 1000.0 * 4.0 / 3.0 * np.pi * 0.1**3
    surface = Surface(friction=0.5, adhesion=mass * 9.81)
    joint = Joint(kind="free", initial=(1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.1))
    ball = Body(name="ball", joint=joint, shapes=[Sphere(radius=0.1)])
    model = zp.compile(zp.Description(name="ball", bodies=[ball], surface=surface))
    upwards = zp.Habitat(gravity=(0.0, 0.0, part * 9.81), surface=Surface(friction=0.5))
    height = np.asarray(zp.World(model, upwards).simulate(1.0).q)[:, 6] - 0.1
    if holds:
        assert np.abs(height).max() < 1e-9
    else:
        assert height[-1] == pytest.approx(0.5 * part * 9.81, rel=2.1e-2)
