"""A floor of flush boxes is a floor: nobody who slides or rolls over it feels where one box ends and the next begins.

The oracle is the same life on one long box.  It differs by what the sweeps leave, 1e-5 of g in a step, of either sign; warm
starts do not let it add up (see LAW-stopping-distance), but every seam takes contacts away and brings new ones, whose
forces are not remembered.  So 1e-5 g for the whole time is allowed, as a speed and as a way.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from zoophyte.algebra.quaternions import quaternion_exp
from zoophyte.description import Body, Box, Capsule, Joint, Shape, Sphere, TaperedCapsule
from zoophyte.model import Model, State
from zoophyte.simulation import Habitat
from zoophyte.validation.oracles import rotation_of
from zoophyte.validation.scenes import FORMS, TOLERANCE, G, Lived, live, lone, model_of, on

STEP, SECONDS, TILE = 2e-3, 0.9, 0.2
ASIDE = quaternion_exp((0.0, 0.5 * np.pi, 0.0))
ACROSS = quaternion_exp((0.5 * np.pi, 0.0, 0.0))
ASKEW = quaternion_exp((0.0, 0.0, 0.4))
UPRIGHT = (1.0, 0.0, 0.0, 0.0)
BRICK = Box(size=(0.2, 0.2, 0.1))
SCENES: dict[str, tuple[Shape, Any, float, float, float, float]] = {
    # shape, turn, half its height, friction, speed, turning about y
    "a box without friction": (BRICK, UPRIGHT, 0.05, 0.0, 2.0, 0.0),
    "a box that stops": (BRICK, UPRIGHT, 0.05, 0.3, 2.0, 0.0),
    "a box askew": (BRICK, ASKEW, 0.05, 0.1, 2.0, 0.0),
    "a slow box": (BRICK, UPRIGHT, 0.05, 0.0, 0.02, 0.0),
    "a small box": (Box(size=(0.05, 0.04, 0.03)), UPRIGHT, 0.015, 0.1, 1.0, 0.0),
    "a ball that rolls": (Sphere(radius=0.1), UPRIGHT, 0.1, 0.6, 2.0, 20.0),
    "a small ball that rolls": (Sphere(radius=0.01), UPRIGHT, 0.01, 0.6, 2.0, 200.0),
    "a capsule that slides along": (Capsule(radius=0.05, length=0.2), ASIDE, 0.05, 0.1, 2.0, 0.0),
    "a capsule that rolls": (Capsule(radius=0.08, length=0.2), ACROSS, 0.08, 0.6, 2.0, 25.0),
    "a tapered capsule": (TaperedCapsule(radius_start=0.05, radius_end=0.05, length=0.2), ASIDE, 0.05, 0.0, 1.0, 0.0),
}  # fmt: skip


def over(scene: str, floor: list[Body], x: float) -> tuple[Model, State]:
    """One body on a floor whose upper side is at 0, that begins at x."""
    shape, turn, height, friction, speed, spin = SCENES[scene]
    model = model_of(*floor, lone(shape, place=(x, 0.0, height), turn=turn), friction=friction)
    R = rotation_of(np.array(turn))
    return model, State.neutral(model).at(v=[*(R.T @ (0.0, spin, 0.0)), *(R.T @ (speed, 0.0, 0.0))])


def fixed(name: str, x: float, length: float) -> Body:
    """A box of the floor from x on."""
    place = (x + 0.5 * length, 0.0, -0.05)
    return Body(name=name, joint=Joint(position=place), shapes=[Box(size=(length, 0.6, 0.1))])


TILES = [fixed(f"tile{n}", TILE * n - 0.3, TILE) for n in range(14)]
SLAB = [fixed("slab", -0.3, 14 * TILE)]
STARTS = (0.0, 0.0013, 0.0371, 0.05, 0.0717, 0.0999999, 0.1, 0.1234)
"""Where they begin; at 0 and 0.1 the larger ones with an end at a seam or the middle over one."""


def lived(scene: str, floor: list[Body], width: int, habitat: Habitat) -> list[Lived]:
    starts = STARTS if width > 1 else STARTS[::5]
    models, states = zip(*(over(scene, floor, x) for x in starts), strict=True)
    return live(list(models), list(states), width=width, seconds=SECONDS, dt=STEP, every=15, habitat=habitat)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("scene", SCENES)
def test_seams_are_not_felt(scene: str, form: str) -> None:
    friction = SCENES[scene][3]
    pairs = zip(*(lived(scene, floor, FORMS[form], on(friction)) for floor in (SLAB, TILES)), strict=True)
    for slab, tiles in pairs:
        assert np.abs(tiles.q[:, 4:] - slab.q[:, 4:]).max() < TOLERANCE * G * SECONDS**2
        apart = np.abs(tiles.v - slab.v).max(axis=0)
        assert apart[3:].max() < TOLERANCE * G * SECONDS
        assert apart[:3].max() < TOLERANCE * G * SECONDS / SCENES[scene][2]


def test_who_rests_at_a_seam_can_be_pushed_over_it() -> None:
    """A box at rest whose end is flush with the next box begins to slide as soon as the floor leans.

    Oracle: the same on one long box.  Tolerance: as above.
    """
    leaning = Habitat((0.1, 0.0, -9.8), ground=None)
    for x in (0.0, 0.1):
        ends = []
        for floor in (SLAB, TILES):
            model, state = over("a slow box", floor, x)
            state = state.at(v=np.zeros(6))
            ends.append(live([model], [state], width=1, seconds=1.0, dt=STEP, habitat=leaning)[0].end.q[4])
        assert ends[0] - x == pytest.approx(0.05, rel=1e-2)
        assert ends[1] == pytest.approx(ends[0], abs=TOLERANCE * G)


def test_a_step_is_no_seam() -> None:
    """A box that slides against one that is 2 mm higher stops there: 2 mm are far more than what counts as flush.

    Tolerance: the margin of detection, 1 mm, for where it stops.
    """
    higher = Body(name="step", joint=Joint(position=(0.6, 0.0, -0.048)), shapes=[Box(size=(0.4, 0.6, 0.1))])
    model, state = over("a box without friction", [fixed("floor", -0.3, 0.7), higher], 0.0)
    life = live([model], [state], width=1, seconds=0.5, dt=STEP, habitat=on(0.0))[0]
    assert life.end.q[4] <= 0.3 + 1e-3


def test_thin_plates_do_not_pass_each_other() -> None:
    """Two plates of 1 m and 1 mm in one plane meet head-on: their whole thickness overlaps, which is no seam.

    Oracle: momentum; after an inelastic blow both go on with the half.  Tolerance: what the
    sweeps may leave, 1e-5 of a change of speed, which is 1 m/s between the two.
    """
    plate = Box(size=(1.0, 1.0, 1e-3))
    model = model_of(
        lone(plate, place=(0.0, 0.0, 1.0)), lone(plate, place=(1.01, 0.0, 1.0), name="other"), friction=0.0
    )
    speeds = np.zeros(12)
    speeds[9] = -1.0
    weightless = Habitat((0.0, 0.0, 0.0), ground=None)
    life = live(
        [model], [State.neutral(model).at(v=speeds)], width=1, seconds=0.1, dt=STEP, habitat=weightless
    )[0]
    assert life.end.v[[3, 9]] == pytest.approx([-0.5, -0.5], abs=TOLERANCE)


def test_a_small_box_stands_beside_a_large_one() -> None:
    """A cube of 4 mm on a post of 4 mm stays there, though a free box of 5 m, which sets the slop, lies far away.

    Oracle: where it stood.  Tolerance: the tenth of its half length that may count as flush.
    """
    post = Body(name="post", joint=Joint(position=(0.0, 0.0, -0.05)), shapes=[Box(size=(0.004, 0.004, 0.1))])
    cube = lone(Box(size=(0.004, 0.004, 0.004)), place=(0.0, 0.0, 0.002))
    large = lone(Box(size=(5.0, 5.0, 5.0)), place=(50.0, 0.0, 2.5), name="large")
    model = model_of(post, cube, large, friction=0.5)
    life = live([model], [State.neutral(model)], width=1, seconds=0.3, dt=STEP, habitat=on(0.5))[0]
    assert life.end.q[6] == pytest.approx(0.002, abs=2e-4)
