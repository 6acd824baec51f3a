"""Sleep takes what rests, and nothing that only is slow; sleepers go on to sleep in the place where they fell asleep."""

from __future__ import annotations

import math

import numpy as np
import pytest

import zoophyte as zp
from zoophyte.description import Body, Box, Joint, Pair, Surface

CROWD = 40
"""Bodies of which one world looks for near pairs, and in which sleep is possible."""
EDGE, DT = 0.1, 2e-3


def boxes(friction: float = 0.5, height: float = 0.5 * EDGE, **more: object) -> zp.Description:
    """A row of boxes, a step apart; on the ground, if not higher."""
    bodies = [
        Body(
            name=f"b{n}", joint=Joint(kind="free", initial=(1.0, 0.0, 0.0, 0.0, 0.3 * n, 0.0, height)),
            shapes=[Box(size=(EDGE, EDGE, EDGE))],
        )
        for n in range(CROWD)
    ]  # fmt: skip
    return zp.Description(name="row", bodies=bodies, surface=Surface(friction=friction), **more)  # type: ignore[arg-type]


def places(life: zp.Trajectory) -> np.ndarray:
    """(x, y, z) of every box at the end."""
    return np.asarray(life.q[-1]).reshape(-1, 7)[:, 4:]


def test_what_slides_slowly_does_not_fall_asleep() -> None:
    """Law: on a slope a box slides by ½ g(sin θ − μ cos θ) t².

    μ is 0.998 of tan θ, so that it slides at a centimetre a second at most.  Tolerance: steps with contact are of first
    order, and the solver leaves 10⁻⁵ of what gravity makes in a step.
    """
    theta, seconds = 0.3, 2.0
    g = 9.81
    friction = 0.998 * math.tan(theta)
    tilted = zp.Habitat(
        gravity=(0.0, g * math.sin(theta), -g * math.cos(theta)), surface=Surface(friction=friction)
    )
    life = zp.World(boxes(friction), tilted, dt=DT).simulate(seconds)
    expected = 0.5 * g * (math.sin(theta) - friction * math.cos(theta)) * seconds**2
    assert np.abs(places(life)[:, 1] - expected).max() < expected * DT / seconds + 0.5e-5 * g * seconds**2


def test_what_hovers_does_not_fall_asleep() -> None:
    """Law: nobody rests without being held: a fall of a thousandth of gravity is ½ g t², with sleep as without."""
    thin = zp.Habitat(gravity=(0.0, 0.0, -9.81e-3), ground=None)
    lives = [
        zp.World(boxes(height=1.0), thin, dt=DT, sleep=sleep).simulate(
            2.0, zp.State.neutral(zp.compile(boxes(height=1.0)))
        )
        for sleep in (True, False)
    ]
    assert np.array_equal(lives[0].q, lives[1].q)
    assert np.allclose(places(lives[0])[:, 2], 1.0 - 0.5 * 9.81e-3 * 4.0, atol=9.81e-3 * 2.0 * DT)


@pytest.fixture(scope="module")
def asleep() -> zp.Trajectory:
    """Boxes that have fallen asleep."""
    life = zp.World(boxes(), dt=DT).simulate(1.5)
    assert not np.any(life.v[-1])
    return life


def test_sleepers_go_on_to_sleep_in_the_same_place(asleep: zp.Trajectory) -> None:
    """Law: rest is rest; and a life that goes on has the bits of one that was not interrupted."""
    on = zp.World(boxes(), dt=DT).simulate(0.5, asleep.final)
    assert np.array_equal(on.q[-1], asleep.q[-1])
    assert np.array_equal(on.final.contact, asleep.final.contact)


@pytest.mark.parametrize(
    ("habitat", "way"),
    [
        (zp.Habitat(ground=None, surface=Surface()), (0.0, -0.5 * 9.81 * 0.25)),
        (zp.Habitat(ground=zp.Plane(height=-5.0), surface=Surface()), (0.0, -0.5 * 9.81 * 0.25)),
        (zp.Habitat(gravity=(0.0, 9.81, -9.81), surface=Surface(friction=0.5)), (0.5 * 9.81 * 0.5 * 0.25, 0.0)),
    ],
)  # fmt: skip
def test_sleepers_wake_in_another_place(
    asleep: zp.Trajectory, habitat: zp.Habitat, way: tuple[float, float]
) -> None:
    """Law: where the ground is gone, or gravity another, they fall or slide: ½ a t², within a step's way."""
    life = zp.World(boxes(), habitat, dt=DT).simulate(0.5, asleep.final)
    moved = places(life) - places(asleep)
    assert np.allclose(moved[:, 1:], way, atol=9.81 * 0.5 * 1.5 * DT)


def test_pairs_have_their_own_friction_in_a_crowd() -> None:
    """Law: without friction a box follows gravity along a slab; parted from it, it falls through; others stick."""
    slab = Body(name="slab", shapes=[Box(size=(30.0, 2.0, 0.2), position=(6.0, 0.0, -0.1))])
    pairs = [Pair(bodies=("b7", "slab"), friction=0.0), Pair(bodies=("slab", "b9"), contact=False)]
    row = boxes()
    crowd = zp.Description(
        name="crowd", bodies=[slab, *row.bodies], surface=Surface(friction=0.5), pairs=pairs
    )
    life = zp.World(crowd, zp.Habitat(gravity=(0.0, 2.0, -9.81), ground=None), dt=DT).simulate(0.5)
    ends, step = places(life), 0.5 * DT
    assert abs(ends[7, 1] - 0.25) < 2.0 * step + 1e-12 and abs(ends[7, 2] - 0.05) < 1e-4
    assert abs(ends[9, 2] - (0.05 - 0.5 * 9.81 * 0.25)) < 9.81 * step + 1e-12
    others = np.delete(ends, [7, 9], axis=0)
    assert np.abs(others[:, 1]).max() < 1e-6 and np.abs(others[:, 2] - 0.05).max() < 1e-4
