"""Contact forces as arrows: who is who from frame to frame, impacts between frames, and how long an arrow is."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import zoophyte as zp
from zoophyte.description import Body, Box, Description, Joint
from zoophyte.errors import UsageError
from zoophyte.export import Scene, scene_of_pose
from zoophyte.export.arrows import ARROWS, arrows_in, steady, strongest, usual_force, usual_length
from zoophyte.export.packing import pack, size_of
from zoophyte.export.page import replay_of
from zoophyte.simulation import Trajectory


def pressing(forces: list[list[float]]) -> np.ndarray:
    """Contacts a metre apart that press upwards: one row of forces for each frame."""
    values = np.asarray(forces)
    arrows = np.zeros((*values.shape, 6))
    arrows[..., 0] = np.arange(values.shape[1])
    arrows[..., 5] = values
    return arrows


def test_contacts_keep_their_place_as_long_as_they_last(rng: np.random.Generator) -> None:
    """Three contacts glide, one of them only for a while, recorded in any order: nothing is lost, and nothing leaps."""
    frames, near = 60, 0.05
    shown = np.zeros((frames, 4, 6))
    expected = []
    for t in range(frames):
        there = [
            np.array([n + 0.01 * t, 0.1 * n, 0.0, 0.0, 1.0 + n, 5.0])
            for n in range(3)
            if n != 1 or 20 <= t < 40
        ]
        expected.append(np.array(there))
        shown[t, : len(there)] = rng.permutation(there)
    made = steady(shown, near)
    for t in range(frames):
        active = made[t][np.any(made[t, :, 3:] != 0.0, axis=1)]
        order = np.argsort(active[:, 4])
        assert np.array_equal(active[order], expected[t])
    lasting = np.any(made[1:, :, 3:] != 0.0, axis=2) & np.any(made[:-1, :, 3:] != 0.0, axis=2)
    ways = np.linalg.norm(np.diff(made[..., :3], axis=0), axis=2)
    assert lasting.sum() == 2 * 59 + 19
    assert ways[lasting].max() <= near
    vanished = ~np.any(made[1:, :, 3:] != 0.0, axis=2)
    assert np.all(ways[vanished] == 0.0)  # a place without force stays where it was


def test_neighbours_that_cross_places_are_all_kept(rng: np.random.Generator) -> None:
    """Thirty contacts in a heap, moved and shuffled: each is in one place, and none is lost."""
    heap = np.zeros((8, 30, 6))
    heap[..., :3] = rng.uniform(0.0, 0.2, (8, 30, 3))
    heap[..., 5] = rng.uniform(1.0, 2.0, (8, 30))
    made = steady(heap, 0.05)
    assert np.array_equal(np.sort(made[..., 5]), np.sort(heap[..., 5]))


def test_an_impact_between_two_frames_is_shown() -> None:
    """Frames 0, 4 and 8 are kept; the first contact is hit in frame 2, the second rests, the third ends with frame 5."""
    rest = [[0.0, 5.0, 0.0]] * 9
    forces = [list(row) for row in rest]
    forces[2][0], forces[5][2] = 80.0, 7.0
    kept = strongest(pressing(forces), np.array([0, 4, 8]))
    assert kept[..., 5].tolist() == [[0.0, 5.0, 0.0], [80.0, 5.0, 0.0], [0.0, 5.0, 7.0]]


def test_a_frame_that_is_the_strongest_itself_stays() -> None:
    arrows = pressing([[1.0], [2.0], [3.0], [3.0]])
    arrows[:, 0, 1] = np.arange(4)
    assert strongest(arrows, np.array([0, 3]))[1, 0].tolist() == arrows[3, 0].tolist()


def test_a_page_keeps_the_impact_that_its_frames_miss() -> None:
    """A ball that bounces, recorded at 1 kHz: the page has 60 frames per second, and the hardest impact."""
    life = bounce()
    hardest = np.linalg.norm(arrows_in(life.channels[ARROWS], "ball")[..., 3:], axis=2).max()
    scene = replay_of(life).scene
    shown = np.linalg.norm(arrows_in(scene.channels[ARROWS], "ball")[..., 3:], axis=2)
    frames = np.searchsorted(life.times, scene.times)
    missed = np.linalg.norm(arrows_in(life.channels[ARROWS], "ball")[frames][..., 3:], axis=2)
    assert missed.max() < 0.5 * hardest  # else the scene would prove nothing
    assert shown.max() == hardest


def bounce() -> Trajectory:
    ball = zp.zoo.rolling_ball()
    (body,) = ball.bodies
    x, y, z = body.joint.position
    lifted = body.model_copy(update={"joint": body.joint.model_copy(update={"position": (x, y, z + 0.111)})})
    return zp.World(ball.model_copy(update={"bodies": [lifted]}), dt=1e-3).simulate(0.3)


def test_the_usual_force_is_one_that_presses_and_no_impact() -> None:
    """Four feet press with 25 N each; twenty others hardly touch, and one impact has ten thousand."""
    forces = [[25.0] * 4 + [0.01] * 20 + [0.0] for _ in range(100)]
    forces[50][-1] = 1e4
    assert usual_force(pressing(forces)) == pytest.approx(25.0)
    assert usual_force(np.zeros((3, 0, 6))) == 1.0


def crowd(count: int, edge: float = 0.05) -> Scene:
    bodies = [
        Body(
            name=f"box{n}",
            joint=Joint(kind="free", position=(2.0 * edge * n, 0.0, 0.0)),
            shapes=[Box(size=(edge,) * 3)],
        )
        for n in range(count)
    ]
    return scene_of_pose(zp.compile(Description(name="crowd", bodies=bodies)))


@pytest.mark.parametrize("count", [1, 10, 100])
def test_arrows_of_a_crowd_are_about_as_long_as_its_members(count: int) -> None:
    """Alone or among a hundred: between half of a box's diagonal and twice that."""
    scene = crowd(count)
    length = usual_length(scene, size_of(scene))
    diagonal = 0.05 * 3.0**0.5
    assert 0.5 * diagonal < length < 2.0 * diagonal


def test_what_stands_still_makes_no_arrow_longer() -> None:
    one = crowd(3)
    wall = Body(name="wall", joint=Joint(kind="fixed"), shapes=[Box(size=(9.0, 9.0, 0.1))])
    model = zp.compile(Description(name="yard", bodies=[wall]))
    still = scene_of_pose(model)
    both = replace(
        one, body_names=(*one.body_names, "wall"), parents=(*one.parents, -1), shapes=(*one.shapes, *still.shapes),
        joints=(*one.joints, *still.joints), positions=np.concatenate([one.positions, still.positions], axis=1),
        quaternions=np.concatenate([one.quaternions, still.quaternions], axis=1),
    )  # fmt: skip
    assert usual_length(both, size_of(one)) == usual_length(one, size_of(one))


def test_weak_forces_survive_beside_impacts() -> None:
    """Steps of forces come from the usual one: 25 N are told to a thousandth beside an impact of 1e6 N."""
    forces = np.full((40, 3), 25.0)
    forces[20, 2] = 1e6
    scene = crowd(1)
    scene = replace(
        scene, times=np.arange(40) / 60.0, positions=np.repeat(scene.positions, 40, axis=0),
        quaternions=np.repeat(scene.quaternions, 40, axis=0), com=np.repeat(scene.com, 40, axis=0),
        channels={ARROWS: pressing(forces.tolist()).reshape(40, -1)},
    )  # fmt: skip
    assert pack(scene).data["arrows"]["step"] < 0.026


def test_columns_that_are_no_contacts_are_refused() -> None:
    with pytest.raises(UsageError, match="has 7 columns, must be six for each contact"):
        arrows_in(np.zeros((2, 7)), "thing")
