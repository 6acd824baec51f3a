"""Constraints beside broken springs, in one world and in lanes; and friction along and across a grain."""

from __future__ import annotations

import numpy as np
import pytest

import zoophyte as zp
from bodies import Floats
from zoophyte.description import Attach, Body, Box, Description, Joint, Sphere, Surface, Weld
from zoophyte.physics import body_poses
from zoophyte.validation.scenes import DT, FORMS, TOLERANCE, G, Lived, live, lone, on

# ------------------------------------------------------------------------------------------------- broken springs

INTACT, BROKEN = 10.0, 1.0
"""Lengths at which springs of 5 m break: never, and at once."""


def pair(*kinds: str, breaks: float = BROKEN) -> zp.Model:
    """Two boxes welded to each other, and a spring from one of them to a point 5 m above; constraints in the given order."""
    one = lone(Box(size=(0.1, 0.1, 0.1)), place=(0.0, 0.0, 0.05), name="one")
    other = lone(Box(size=(0.3, 0.1, 0.1)), place=(0.3, 0.0, 0.05), name="other")
    known = {
        "spring": Attach(body="one", other_point=(0.0, 0.0, 5.0), stiffness=1.0, break_length=breaks),
        "weld": Weld(body="other", other="one"),
    }
    return zp.compile(
        Description(
            name="pair",
            bodies=[one, other],
            constraints=[known[kind] for kind in kinds],
            surface=Surface(friction=0.5),
        )
    )


def tumbling(model: zp.Model) -> zp.State:
    """Both are thrown up as one."""
    turn, speed = np.array([2.0, 3.0, 4.0]), np.array([1.0, 0.0, 2.0])
    apart = np.array([0.3, 0.0, 0.0])
    return zp.State.neutral(model).at(v=np.concatenate([turn, speed, turn, speed + np.cross(turn, apart)]))


def looseness(life: Lived) -> float:
    """How far the relative pose of the two ever is from that of the start: entries of the rotation, and metres."""
    worst = 0.0
    for q in life.q:
        R, p = body_poses(life.model, zp.State.neutral(life.model).at(q=q))
        turn, place = R[1].T @ R[2], R[1].T @ (p[2] - p[1])
        worst = max(worst, np.abs(turn - np.eye(3)).max(), np.abs(place - [0.3, 0.0, 0.0]).max())
    return worst


@pytest.mark.parametrize("order", [("spring", "weld"), ("weld", "spring"), ("weld",)])
def test_a_weld_holds_whatever_breaks_before_it(order: tuple[str, ...]) -> None:
    """Law: welded bodies keep their relative pose, in flight, at blows and at rest.  Oracle: the start.

    A broken spring that gave its slot away would leave the weld's turns to be corrected in the slot of a contact.
    Tolerance: 1e-8 as for loops, for each of some degrees of freedom that add up.
    """
    model = pair(*order)
    (life,) = live([model], [tumbling(model)], width=1, seconds=1.5, every=5, habitat=on(0.5))
    assert life.sound
    assert looseness(life) < 1e-7


def test_springs_break_in_their_own_lanes_only() -> None:
    """Law: a creature has the same bits alone and beside others, some of whose springs are broken from the start.

    Constraints fill the same slots in all lanes, broken or not; so all welds hold, as above.
    """
    models = [pair("spring", "weld", breaks=INTACT if lane % 3 else BROKEN) for lane in range(8)]
    starts = [tumbling(model) for model in models]
    beside = live(models, starts, width=8, seconds=1.0, every=50, habitat=on(0.5))
    alone = live(models, starts, width=1, seconds=1.0, every=50, habitat=on(0.5))
    for lane, (one, other) in enumerate(zip(beside, alone, strict=True)):
        assert (one.q.tobytes(), one.v.tobytes()) == (other.q.tobytes(), other.v.tobytes()), lane
        assert one.end.contact.tobytes() == other.end.contact.tobytes(), lane
        assert looseness(one) < 1e-7, lane
    highest = [life.q[:, 6].max() for life in beside]
    assert min(highest[1:3]) > highest[0] + 0.005  # springs that hold do pull


def test_broken_springs_pull_no_more() -> None:
    """Law: as without any spring.  Oracle: the same ball with none.  Tolerance: rounding."""
    spring = Attach(body="ball", other_point=(0.0, 0.0, 5.0), stiffness=100.0, damping=10.0, break_length=1.0)
    lives = []
    for springs in ([spring], []):
        ball = lone(Sphere(radius=0.1), place=(0.0, 0.0, 1.0), name="ball")
        model = zp.compile(Description(name="b", bodies=[ball], constraints=springs, surface=Surface()))
        lives += live([model], [zp.State.neutral(model)], width=1, seconds=0.3, every=10)
    assert np.abs(lives[0].q - lives[1].q).max() < 1e-12


# ---------------------------------------------------------------------------------------------------------- grain

SPEED, TIME = 5.0, 0.1


def slowed(life: Lived) -> Floats:
    """What friction takes of the velocity over the ground, in parts of g."""
    n = round(TIME / DT)
    return np.asarray((life.v[0] - life.v[n])[3:5] / (TIME * G))


def sliding(surface: Surface, direction: tuple[float, float]) -> tuple[zp.Model, zp.State]:
    model = zp.compile(
        Description(
            name="plank", bodies=[lone(Box(size=(0.4, 0.4, 0.1)), place=(0.0, 0.0, 0.05))], surface=surface
        )
    )
    return model, zp.State.neutral(model).at(
        v=[0.0, 0.0, 0.0, SPEED * direction[0], SPEED * direction[1], 0.0]
    )


ALONG, ACROSS = (1.0, 0.0), (0.0, 1.0)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("ground", [1.0, 0.36])
def test_friction_across_a_grain_mixes_as_friction_does(ground: float, form: str) -> None:
    """Law: μ is the geometric mean of both surfaces, along the grain and across it.  Oracle: √(μ₁ μ₂).

    Friction 0.25 along and 1 across, and the other way round.  A ratio that is not mixed would give 4 μ across.
    Tolerance: sweeps end at 1e-5 of g dt in each step.
    """
    cases = [(a, b, way) for a, b in ((0.25, 1.0), (1.0, 0.25)) for way in (ALONG, ACROSS)]
    scenes = [sliding(Surface(friction=a, friction_across=b), way) for a, b, way in cases]
    models, states = [list(part) for part in zip(*scenes, strict=True)]
    lives = live(models, states, width=FORMS[form], seconds=TIME, every=1, habitat=on(ground))
    for (a, b, way), life in zip(cases, lives, strict=True):
        own = a if way is ALONG else b
        assert slowed(life) == pytest.approx(np.sqrt(own * ground) * np.array(way), abs=10 * TOLERANCE), (
            a,
            b,
            way,
        )


def test_grain_mixes_between_two_shapes_too() -> None:
    """Law and tolerance as above, for a plank on a plate whose grain runs along x: across it √(0.2·1)."""
    plate = Body(
        name="plate",
        joint=Joint(),
        shapes=[
            Box(
                size=(20.0, 20.0, 0.2),
                position=(0.0, 0.0, -0.1),
                surface=Surface(friction=1.0, friction_across=0.2),
            )
        ],
    )
    for way, own in ((ALONG, 1.0), (ACROSS, 0.2)):
        plank = lone(Box(size=(0.4, 0.4, 0.1), surface=Surface(friction=1.0)), place=(0.0, 0.0, 0.05))
        model = zp.compile(Description(name="planks", bodies=[plate, plank]))
        start = zp.State.neutral(model).at(v=[0.0, 0.0, 0.0, SPEED * way[0], SPEED * way[1], 0.0])
        habitat = zp.Habitat(ground=None)
        (life,) = live([model], [start], width=1, seconds=TIME, every=1, habitat=habitat)
        assert slowed(life) == pytest.approx(np.sqrt(own) * np.array(way), abs=10 * TOLERANCE)


@pytest.mark.parametrize(("along", "across"), [(1.0, 0.0), (0.0, 1.0)])
def test_a_surface_may_grip_in_one_direction_alone(along: float, across: float) -> None:
    """Law as above; where there is none, a millionth of the other is taken, whose root is a thousandth after mixing."""
    for way, own in ((ALONG, along), (ACROSS, across)):
        model, start = sliding(Surface(friction=along, friction_across=across), way)
        (life,) = live([model], [start], width=1, seconds=TIME, every=1, habitat=on(1.0))
        assert slowed(life) == pytest.approx(max(own, 1e-3) * np.array(way), abs=10 * TOLERANCE)
