"""Round shapes that turn far in a step stay on the ground, neither below nor above, and depths are lifted upwards."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import zoophyte as zp
from zoophyte.description import Body, Capsule, Cylinder, Ellipsoid, Joint, Sphere, Surface

RADIUS, STEP, SECONDS = 0.1, 5e-3, 1.0
SIDEWAYS = (math.sqrt(0.5), math.sqrt(0.5), 0.0, 0.0)
"""The shape's axis along −y."""
SHAPES: dict[str, tuple[Any, Any]] = {
    "ball": (Sphere(radius=RADIUS), (1.0, 0.0, 0.0, 0.0)),
    "capsule": (Capsule(radius=RADIUS, length=0.3), SIDEWAYS),
    "cylinder": (Cylinder(radius=RADIUS, length=0.3), SIDEWAYS),
    "ellipsoid": (Ellipsoid(semi_axes=(RADIUS, RADIUS, RADIUS)), SIDEWAYS),
}


def rolling(
    shape: str, turn: float, height: float = RADIUS, way: float = 1.0, sunk: float = 0.0
) -> zp.Trajectory:
    """A life of a shape that turns by so much about the y axis in a step; it moves as if it rolled, times `way`.

    `sunk`: how deep it is pushed into the ground when it has rolled for a second.
    """
    what, start = SHAPES[shape]
    surface = Surface(friction=0.5)
    joint = Joint(kind="free", initial=(*start, 0.0, 0.0, height))
    model = zp.compile(
        zp.Description(name=shape, bodies=[Body(name="b", joint=joint, shapes=[what])], surface=surface)
    )
    rate = turn / STEP
    # In body axes y of the world is y of what lies unturned, −z of what lies sideways.
    spin, speed = ((0.0, 0.0, -rate) if start == SIDEWAYS else (0.0, rate, 0.0)), way * rate * RADIUS
    state = zp.State.neutral(model).at(v=(*spin, speed, 0.0, 0.0))
    world = zp.World(model, zp.Habitat(surface=surface), dt=STEP)
    life = world.simulate(SECONDS, state, record_rate=1.0 / STEP)
    if sunk == 0.0:
        return life
    q = np.array(life.final.q) - (0, 0, 0, 0, 0, 0, sunk)
    return world.simulate(SECONDS, life.final.at(q=q), record_rate=1.0 / STEP)


@pytest.mark.parametrize("turn", [0.1, 0.3, 1.0, 2.0, 3.0])
@pytest.mark.parametrize("shape", sorted(SHAPES))
def test_what_rolls_stays_on_the_ground(shape: str, turn: float) -> None:
    """Law: what rolls on a plane keeps the height of its middle, and touches at height 0; the ground does no work.

    A point of it rises by r·(1 − cos x) in a step in which it turns by x, and it does not.  Tolerance: the solver leaves
    10⁻⁵ of the speed of a fall in a step; of heights that is in a step's time, of energy with the momentum of the roller.
    """
    life = rolling(shape, turn)
    left = 1e-5 * 9.81 * STEP**2
    assert np.abs(np.asarray(life.q)[:, 6] - RADIUS).max() < left
    points = [touch.point[2] for n in range(1, len(life)) for touch in life.contacts(n)]
    assert len(points) >= len(life) - 1
    assert np.abs(points).max() < left
    energy = np.asarray(life.channel("energy"))
    assert np.diff(energy).max() < life.model.total_mass * RADIUS * turn / STEP * left / STEP


@pytest.mark.parametrize("turn", [0.1, 0.5, 1.5, 3.0])
def test_what_lands_spinning_stays_down(turn: float) -> None:
    """Law: a blow without rebound ends all speed along the normal, however fast the ball spins.  Tolerance: as above."""
    life = rolling("ball", turn, height=RADIUS + 0.05, way=0.0)
    height = np.asarray(life.q)[:, 6] - RADIUS
    landed = int(np.argmax(height < 1e-6))
    assert 0 < landed < len(life) // 2
    assert np.abs(height[landed + 1 :]).max() < 1e-5 * 9.81 * STEP**2


@pytest.mark.parametrize("turn", [0.5, 1.7, 3.0])
def test_a_depth_is_lifted_upwards_though_the_body_turns(turn: float) -> None:
    """Law: a correction goes against the depth, along the ground's normal, not along where the body has turned it.

    A ball that is nearly two slops deep (its slop is r/2000) is lifted step by step and never gets deeper.
    """
    slop = 5e-4 * RADIUS
    height = np.asarray(rolling("ball", turn, sunk=1.8 * slop).q)[:, 6]
    assert np.diff(height).min() > -1e-5 * 9.81 * STEP**2
    assert height[-1] > RADIUS - 1.01 * slop
