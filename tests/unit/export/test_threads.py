"""Springs between bodies, as pictures and pages draw them."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

import zoophyte as zp
from zoophyte.description import Attach, Body, Box, Description, Joint, Surface
from zoophyte.export import Camera, picture_of, scene_of, scene_of_pose
from zoophyte.export.packing import pack

QUARTER = (math.sqrt(0.5), 0.0, 0.0, math.sqrt(0.5))  # about z


def hung(*springs: Attach) -> Description:
    """A box of 0.2 m, turned by a quarter about z, a metre up."""
    joint = Joint(kind="free", initial=(*QUARTER, 0.0, 0.0, 1.0))
    box = Body(name="box", joint=joint, shapes=[Box(size=(0.2, 0.2, 0.2))])
    return Description(name="hung", bodies=[box], surface=Surface(), constraints=list(springs))


def test_threads_end_where_springs_hold() -> None:
    """Oracle: by hand; a quarter turn about z takes x to y, and a point that is left out is the other one's at birth."""
    springs = [
        Attach(body="box", point=(0.1, 0.0, 0.0), other_point=(1.0, 2.0, 3.0), stiffness=1.0),
        Attach(body="box", point=(0.0, 0.0, 0.1), stiffness=1.0),
    ]
    scene = scene_of_pose(zp.compile(hung(*springs)))
    expected = [[[0.0, 0.1, 1.0], [1.0, 2.0, 3.0]], [[0.0, 0.0, 1.1], [0.0, 0.0, 1.1]]]
    assert np.abs(scene.thread_ends(0) - expected).max() < 1e-12
    assert [thread["until"] for thread in pack(scene).data["threads"]] == [None, None]


def test_a_thread_is_seen_until_its_spring_breaks() -> None:
    """A spring straight up from the box is a dark line above it in the middle of the picture; once broken, it is not there.

    Oracle: the same scene without any spring.
    """
    rope = Attach(body="box", other_point=(0.0, 0.0, 1.5), stiffness=1e-6, break_length=0.55)
    life = zp.World(hung(rope)).simulate(0.3, record_rate=100.0)
    (broken,) = (event.time for event in life.events)
    scene = scene_of(life)
    late = int(np.searchsorted(scene.times, broken))
    assert 0 < late < scene.frame_count
    camera, size = Camera(eye=(3.0, 0.0, 1.2), target=(0.0, 0.0, 1.2)), (64, 64)
    bare = replace(scene, threads=())
    gaps = [
        np.abs(picture_of(scene, frame=frame, size=size, camera=camera).astype(int)
               - picture_of(bare, frame=frame, size=size, camera=camera)).max(axis=2)
        for frame in (0, late - 1, late)
    ]  # fmt: skip
    for gap in gaps[:2]:
        assert np.count_nonzero(gap[:, 31:33] > 24) >= 8
        assert not np.any(gap[:, :24] > 24)
    assert not np.any(gaps[2])


def test_a_spring_that_broke_in_a_life_before_is_not_drawn() -> None:
    rope = Attach(body="box", stiffness=1e-6, break_length=0.05)
    world = zp.World(hung(rope))
    more = world.simulate(0.02, world.simulate(0.2).final)
    assert more.events == ()
    assert [thread.until for thread in scene_of(more).threads] == [-np.inf]
