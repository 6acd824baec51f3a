"""A floor of flush boxes is a floor: nobody who slides or rolls over it feels where one box ends and the next begins.

The oracle is the same life on one long box.  It differs by what the sweeps leave, 1e-5 of g in a step, of either sign; warm
starts do not let it add up (see LAW-stopping-distance), but every seam takes contacts away and brings new ones, whose
forces are not remembered.  So 1e-5 g for the whole time is allowed, as a speed and as a way.  There is no ground:
it would bear them too.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from zoophyte.algebra.quaternions import quaternion_exp, quaternion_product
from zoophyte.description import Body, Box, Capsule, Joint, Shape, Sphere, TaperedCapsule
from zoophyte.model import Model, State
from zoophyte.model.contact_layout import SLOP_PART
from zoophyte.physics.dynamics.totals import KINETIC
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
    habitat = on(friction, ground=None)
    pairs = zip(*(lived(scene, floor, FORMS[form], habitat) for floor in (SLAB, TILES)), strict=True)
    for slab, tiles in pairs:
        same_life(slab, tiles, SECONDS, SCENES[scene][2])


def same_life(slab: Lived, tiles: Lived, seconds: float, height: float) -> None:
    """Two lives are equal up to what sweeps leave."""
    assert slab.sound and tiles.sound
    assert np.abs(tiles.q[:, 4:] - slab.q[:, 4:]).max() < TOLERANCE * G * seconds**2
    apart = np.abs(tiles.v - slab.v).max(axis=0)
    assert apart[3:].max() < TOLERANCE * G * seconds
    assert apart[:3].max() < TOLERANCE * G * seconds / height


def grid(cells: int) -> list[Body]:
    """A level floor of 2.4 m with its upper side at 0, of so many boxes each way."""
    side = 2.4 / cells
    middles = [side * (n + 0.5) - 1.2 for n in range(cells)]
    return [
        Body(name=f"floor{n}", joint=Joint(position=(x, y, -0.05)), shapes=[Box(size=(side, side, 0.1))])
        for n, (x, y) in enumerate((x, y) for x in middles for y in middles)
    ]


def thrown(floor: list[Body], friction: float, spin: float, rng: np.random.Generator) -> tuple[Model, State]:
    """A random box that slides any way over a floor, turned anyhow about the vertical."""
    size = rng.uniform((0.1, 0.1, 0.06), (0.2, 0.2, 0.12))
    turn = quaternion_exp((0.0, 0.0, rng.uniform(0.1, 1.5)))
    course, speed = rng.uniform(0.0, 2.0 * np.pi), rng.uniform(2.0, 3.0)
    x, y = rng.uniform(-0.1, 0.1, size=2)
    model = model_of(
        *floor, lone(Box(size=tuple(size)), place=(x, y, 0.5 * size[2]), turn=turn), friction=friction
    )
    v = rotation_of(np.array(turn)).T @ (speed * np.cos(course), speed * np.sin(course), 0.0)
    return model, State.neutral(model).at(v=[0.0, 0.0, spin, *v])


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(("friction", "spin"), [(0.0, 0.0), (0.0, 6.0), (0.1, 0.0), (0.3, 0.0)])
def test_seams_that_meet_are_not_felt(friction: float, spin: float, form: str) -> None:
    """Boxes that slide askew over a grid of tiles, four of which meet at every corner, go on as on one slab.

    Oracle and tolerance: as above.  Those that spin have no friction: how a face presses on tiles is not one thing, and
    with it the friction against turning.
    """
    seconds, lives = 0.32, []
    for floor in (grid(1), grid(12)):
        rng = np.random.default_rng(7)
        models, states = zip(*(thrown(floor, friction, spin, rng) for _ in range(16)), strict=True)
        lives.append(
            live(list(models), list(states), width=FORMS[form], seconds=seconds, dt=STEP, every=1,
                 habitat=on(friction, ground=None))
        )  # fmt: skip
    for slab, tiles in zip(*lives, strict=True):
        same_life(slab, tiles, seconds, 0.03)


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
    life = live([model], [state], width=1, seconds=0.5, dt=STEP, habitat=on(0.0, ground=None))[0]
    assert life.end.q[4] <= 0.3 + 1e-3


@pytest.mark.parametrize("riser", [0.3, 0.6, 1.2, 1.4])
def test_no_stairs_are_climbed_for_nothing(riser: float) -> None:
    """A box that slides up stairs whose risers are so many slops high never has more energy than at the start.

    It may sink into a stair by the slop, which is left alone, and be stopped by the next.  Oracle: there
    is neither friction nor drive.  Tolerance: as above, at its speed of 2 m/s.
    """
    step = riser * SLOP_PART * 0.15  # the half diagonal of the brick
    floor = [fixed("floor", -0.3, 0.5)]
    for n in range(1, 8):
        stair = fixed(f"stair{n}", 0.2 * n, 0.2)
        place = (*stair.joint.position[:2], stair.joint.position[2] + step * n)
        floor.append(stair.model_copy(update={"joint": Joint(position=place)}))
    model, state = over("a box without friction", floor, 0.0)
    life = live([model], [state], width=1, seconds=0.5, dt=STEP, every=1, habitat=on(0.0, ground=None))[0]
    energies, kinetic = life.energies(), life.sums()[0, KINETIC]
    assert energies.max() - energies[0] < 2.0 * kinetic * TOLERANCE * G * 0.5 / 2.0


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
    life = live([model], [State.neutral(model)], width=1, seconds=0.3, dt=STEP, habitat=on(0.5, ground=None))[
        0
    ]
    assert life.end.q[6] == pytest.approx(0.002, abs=2e-4)


FACE_ON = quaternion_exp((0.0, -0.25 * np.pi, 0.0))
EDGE_ON = tuple(float(x) for x in quaternion_product(FACE_ON, quaternion_exp((0.0, 0.0, 0.25 * np.pi))))


@pytest.mark.parametrize("turn", [FACE_ON, EDGE_ON], ids=["a face", "an edge"])
@pytest.mark.parametrize("slab_first", [True, False])
def test_a_small_box_meets_the_rim_of_a_huge_one(turn: Any, slab_first: bool) -> None:
    """A cube of 4 cm that flies at the rim of a slab of 40 m, half-way between both faces, is stopped by it.

    Oracle: it meets the rim with the middle of a face or of an edge, across its way: that takes all its speed and does not
    turn it.
    Tolerance: 1e-5 of the change of speed, which is 1 m/s.
    """
    slab = Body(name="slab", joint=Joint(position=(-20.0, 0.0, -0.5)), shapes=[Box(size=(40.0, 40.0, 1.0))])
    out = np.array((1.0, 0.0, 1.0)) / np.sqrt(2.0)
    cube = lone(Box(size=(0.04, 0.04, 0.04)), place=tuple(0.04 * out), turn=turn)
    model = model_of(*((slab, cube) if slab_first else (cube, slab)), friction=0.0)
    state = State.neutral(model).at(v=[0.0, 0.0, 0.0, *(rotation_of(np.array(turn)).T @ -out)])
    weightless = Habitat((0.0, 0.0, 0.0), ground=None)
    life = live([model], [state], width=1, seconds=0.05, dt=STEP, habitat=weightless)[0]
    assert np.abs(life.end.v[3:]).max() < TOLERANCE
    assert np.abs(life.end.v[:3]).max() < TOLERANCE / 0.02
