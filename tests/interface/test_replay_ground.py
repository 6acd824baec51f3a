"""The ground on the replay page: terrain, tilted planes and open space, seen by a browser."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import zoophyte as zp
from interface.test_replay_page import STATE, WAIT, colours, drive
from zoophyte.description import Body, Description, Joint, Sphere, Surface, TaperedCapsule
from zoophyte.errors import FileError
from zoophyte.export import Scene, page, scene_of_pose
from zoophyte.export.page import Replay, replay_page
from zoophyte.export.scene import Thread

HILLS = zp.Terrain.bumps(seed=4, size=(16.0, 12.0), height=0.8, length=2.0)
STAIR = zp.Terrain.steps(8, rise=-0.2, run=0.4, start=0.5)


@pytest.fixture(scope="module", autouse=True)
def built() -> None:
    """Skips what needs the bundled player."""
    try:
        page.player()
    except FileError as reason:
        pytest.skip(str(reason))


def carried(ground: zp.Plane | zp.Terrain | None, frames: int = 40, **changes: Any) -> Scene:
    """A figure of two parts that is carried along x over the ground, a metre a second, pressed by its weight."""
    shapes = [
        TaperedCapsule(radius_start=0.3, radius_end=0.12, length=0.6),
        Sphere(radius=0.2, position=(0, 0, 0.9)),
    ]
    body = Body(name="pawn", joint=Joint(kind="free", initial=(1, 0, 0, 0, 0, 0, 0.3)), shapes=shapes)
    still = scene_of_pose(
        zp.compile(Description(name="pawn", bodies=[body], surface=Surface())), ground=ground
    )
    times = np.arange(frames) / 20.0
    path = np.stack([times, 0.0 * times, 0.0 * times], axis=1)
    if ground is not None:
        path[:, 2] = ground.height_at(times, 0.0 * times)
    force = np.tile([0.0, 0.0, 1000.0], (frames, 1))
    return replace(
        still, times=times, positions=still.positions + path[:, None], com=still.com + path,
        quaternions=np.repeat(still.quaternions, frames, axis=0),
        channels={"contact_forces": np.hstack([path, force])}, **changes,
    )  # fmt: skip


def test_hills_are_drawn_as_high_as_they_are(tmp_path: Path) -> None:
    """Oracle: Terrain.height_at; tolerance: half the step that heights are stored with, and single precision.

    A spring to the ground is drawn with them until it breaks.
    """
    scene = carried(HILLS, threads=(Thread((0, -1), ((0.0, 0.0, 0.9), (2.0, 0.0, 2.0)), 1.5),))
    places = np.random.default_rng(2).uniform(-12.0, 12.0, (60, 2))
    ask = f"{places.tolist()}.map(([x, y]) => zoophyte.groundAt(x, y))"
    steps = [
        {"do": "zoophyte.pause()"}, {"do": "zoophyte.seek(1)"}, {"press": "f"}, WAIT, {"ask": ask}, STATE,
        {"picture": str(tmp_path / "hills.png")},
        *[step for key in "12345" for step in ({"press": key}, WAIT, STATE)],
        {"do": "zoophyte.seek(1.5)"}, WAIT, STATE,
    ]  # fmt: skip
    told = drive(replay_page([Replay(scene)]), tmp_path, steps)
    heights, state, *views, broken = told.answers
    assert (state["drawnThreads"], broken["drawnThreads"]) == (1, 0)
    step = page.pack(scene).data["ground"]["step"]
    assert np.abs(np.array(heights) - HILLS.height_at(*places.T)).max() <= 0.51 * step + 1e-6
    assert (state["ground"], state["drawnBodies"]) == ("terrain", 1)
    assert state["shown"]["forces"]
    assert colours(told.pictures[0][:300]) > 400
    for view in views:  # no camera is in a hill
        x, y, z = view["eye"]
        assert z > HILLS.height_at(x, y)


@pytest.mark.slow
def test_shaded_and_sunlit_hillsides_differ_and_a_plain_is_even(tmp_path: Path) -> None:
    """Without its grid a level plane has one colour near the camera; hills have many."""
    spread = []
    for ground in (zp.Plane(), HILLS):
        steps = [{"do": "zoophyte.pause()"}, {"press": "4"}, WAIT, {"picture": str(tmp_path / "top.png")}]
        picture = drive(replay_page([Replay(carried(ground))]), tmp_path, steps).pictures[0]
        patch = picture[150:300, 40:140].astype(int).sum(axis=2)
        spread.append(np.percentile(patch, 90) - np.percentile(patch, 40))
    assert spread[0] < 4 and spread[1] > 12


@pytest.mark.slow
def test_a_shadow_goes_on_up_a_steep_slope(tmp_path: Path) -> None:
    """A slope of 60 degrees that the sun just grazes is darker where a body stands in its light: grey, and no thin line."""
    steps = [
        {"do": "zoophyte.pause()"}, {"do": "zoophyte.seek(1)"}, {"press": "4"}, WAIT,
        {"picture": str(tmp_path / "top.png")},
    ]  # fmt: skip
    scene = carried(zp.Terrain.slope(np.radians(60.0), start=0.5))
    picture = drive(replay_page([Replay(scene)]), tmp_path, steps).pictures[0][80:300].astype(int)
    tones, counts = np.unique(picture.reshape(-1, 3), axis=0, return_counts=True)
    slope = tones[np.argmax(counts)]
    grey, darkness = np.ptp(picture, axis=2) < 20, slope.mean() - picture.mean(axis=2)
    assert np.count_nonzero(grey & (darkness > 15) & (darkness < 50)) > 1500


@pytest.mark.slow
def test_cameras_stay_with_who_is_left_behind(tmp_path: Path) -> None:
    """A ball flies 500 m away from a figure of two bodies; a camera that had to see both would be as far away."""
    bodies = [
        Body(name="figure", joint=Joint(kind="free", initial=(1, 0, 0, 0, 0, 0, 1)), shapes=[Sphere(radius=0.3)]),
        Body(name="head", parent="figure", joint=Joint(position=(0, 0, 0.4)), shapes=[Sphere(radius=0.2)]),
        Body(name="ball", joint=Joint(kind="free", initial=(1, 0, 0, 0, 1, 0, 1)), shapes=[Sphere(radius=0.1)]),
    ]  # fmt: skip
    still = scene_of_pose(zp.compile(Description(name="hit", bodies=bodies)), ground=None)
    times = np.arange(40) / 20.0
    away = np.zeros((40, 3, 3))
    away[:, 2, 0] = 500.0 * times / times[-1]
    scene = replace(
        still, times=times, positions=still.positions + away, com=still.com + 0.1 * away[:, 2],
        quaternions=np.repeat(still.quaternions, 40, axis=0),
    )  # fmt: skip
    steps = [{"do": "zoophyte.pause()"}, {"do": "zoophyte.seek(1.9)"}, WAIT, STATE]
    told = drive(replay_page([Replay(scene)]), tmp_path, steps)
    assert np.linalg.norm(np.array(told.answers[0]["eye"]) - (0.0, 0.0, 1.0)) < 10.0


def test_stairs_slopes_and_open_space_are_shown(tmp_path: Path) -> None:
    """One page for all of them: to start a browser and its simulated GPU takes longer than to look at a life."""
    grounds = [
        (STAIR, "terrain", True),
        (zp.Plane((-0.3, 0.1, 1.0), 0.05), "plane", True),
        (None, "none", False),
    ]
    steps = [
        step
        for number in range(len(grounds))
        for step in (
            {"do": f"zoophyte.open({number})"}, {"do": "zoophyte.pause()"}, {"do": "zoophyte.seek(1)"}, WAIT, STATE,
            {"ask": "document.querySelector('.scale').textContent"}, {"press": "s"}, {"press": "w"}, WAIT,
            {"picture": str(tmp_path / f"page{number}.png")},
        )
    ]  # fmt: skip
    text = replay_page([Replay(carried(ground)) for ground, _, _ in grounds])
    told = drive(text, tmp_path, steps, scheme="dark")
    answers = zip(told.answers[::2], told.answers[1::2], told.pictures, grounds, strict=True)
    for state, scale, picture, (_, kind, label) in answers:
        assert (state["view"], state["ground"]) == ("player", kind)
        assert scale.startswith("grid ") == label
        assert colours(picture[:300]) > 60


@pytest.mark.slow
def test_a_gallery_has_a_ground_for_each(tmp_path: Path) -> None:
    steps = [
        {"until": "zoophyte.state().cards.every(card => card.drawn > 1)"}, STATE,
        {"picture": str(tmp_path / "page.png")}, {"click": ".card:nth-child(2)"},
        {"until": "zoophyte.state().view === 'player'"}, STATE,
    ]  # fmt: skip
    replays = [Replay(carried(ground)) for ground in (HILLS, STAIR, None, zp.Plane())]
    told = drive(replay_page(replays, title="Grounds"), tmp_path, steps)
    assert len(told.answers[0]["cards"]) == 4
    assert told.answers[1]["ground"] == "terrain"
    assert colours(told.pictures[0]) > 400
