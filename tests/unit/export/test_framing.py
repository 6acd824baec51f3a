"""What a picture of a whole life holds, and from which side it is seen."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

import zoophyte as zp
from golden.pictures import standing
from zoophyte.export import Scene
from zoophyte.export.framing import lasting, side_of_slope, telling_frame
from zoophyte.export.packing import pack
from zoophyte.export.picture import ghost_frames
from zoophyte.export.picture.camera import cameras_for

RATE = 50.0


def moving(heights: NDArray[np.float64], ground: zp.Plane | zp.Terrain | None = None) -> Scene:
    """A creature that is so high over time."""
    still, count = standing(ground or zp.Plane()), len(heights)
    shift = heights[:, None] * np.array([0.0, 0.0, 1.0])
    return replace(
        still, times=np.arange(count) / RATE, positions=still.positions + shift[:, None], com=still.com + shift,
        quaternions=np.repeat(still.quaternions, count, axis=0),
    )  # fmt: skip


def dropped(seconds: float, height: float = 6.0) -> Scene:
    """From that height, then at rest."""
    times = np.arange(0.0, seconds, 1.0 / RATE)
    return moving(np.maximum(height - 0.5 * 9.81 * times**2, 0.0))


def all_of(scene: Scene) -> NDArray[np.int64]:
    return np.arange(scene.frame_count)


def test_a_short_drop_is_not_what_a_film_is_framed_for() -> None:
    """It lasts for √(2·6/9.81) = 1.1 s of 6; cameras that held all of it left the pile a twelfth of the width."""
    scene = dropped(6.0)
    shown = lasting(scene, all_of(scene))
    assert shown[-1] == scene.frame_count - 1 and 1.0 <= scene.times[shown[0]] <= 1.2
    near, whole = (
        cameras_for(scene, "three_quarter", frames, (480, 270))[0]
        for frames in (all_of(scene), np.array([0, 200]))
    )
    assert math.dist(near.eye, near.target) < 0.5 * math.dist(whole.eye, whole.target)
    assert pack(scene).data["view"] == {"since": pytest.approx(scene.times[shown[0]]), "azimuth": None}


def test_what_lasts_is_shown_whole() -> None:
    """A drop that takes half of the life, a leap late in it, a walk, and a few frames."""
    late = np.zeros(300)
    late[200:240] = 3.0
    for scene in (dropped(2.0), moving(late), moving(np.linspace(0.0, 3.0, 300)), dropped(0.1)):
        assert np.array_equal(lasting(scene, all_of(scene)), all_of(scene))


def test_who_travels_is_in_the_picture_from_the_first_frame_on() -> None:
    """A body that goes three metres in the first second of eight and rests then was left out until it came in."""
    times = np.arange(0.0, 8.0, 1.0 / RATE)
    gone = np.minimum(times, 1.0)
    for direction in ([3.0, 0.0, 0.0], [3.0, 0.0, -0.8], [0.0, -3.0, -3.0], [0.0, 0.0, 3.0]):
        still, shift = moving(np.zeros(len(times))), gone[:, None] * np.array(direction)
        scene = replace(still, positions=still.positions + shift[:, None], com=still.com + shift)
        assert np.array_equal(lasting(scene, all_of(scene)), all_of(scene))
        assert pack(scene).data["view"]["since"] == 0.0


def test_ghosts_from_high_above_do_not_make_what_lies_there_small() -> None:
    """Of the moments before, those far above are left out: with them the creature would fill a fifth of the height."""
    scene = dropped(1.2, height=5.0)
    last = scene.frame_count - 1
    ghosts = ghost_frames(scene, last)
    size = float(np.ptp(scene.positions[0, :, 2]))
    assert all(scene.com[ghost, 2] - scene.com[last, 2] < 6.0 * size for ghost in ghosts)


@pytest.mark.parametrize(
    ("normal", "wanted", "azimuth"),
    [
        (
            (-math.sin(0.3), 0.0, math.cos(0.3)),
            -52.0,
            -98.0,
        ),  # rises along x: from −y, turned downhill by 8 degrees
        ((math.sin(0.3), 0.0, math.cos(0.3)), -52.0, -82.0),
        ((0.0, math.sin(0.3), math.cos(0.3)), -52.0, 8.0),
        ((0.0, 0.0, 1.0), -52.0, None),
        ((-0.05, 0.0, 1.0), -52.0, None),  # hardly a slope
        ((1.0, 0.0, 0.0), -52.0, None),  # a wall
    ],
)
def test_slopes_are_seen_from_their_side(
    normal: tuple[float, float, float], wanted: float, azimuth: float | None
) -> None:
    """One of 0.3 rad looked level from the usual side."""
    ground = zp.Plane(normal)
    found = side_of_slope(standing(zp.Plane()), np.array([0]), ground, wanted)
    assert found == (None if azimuth is None else pytest.approx(azimuth))


def test_terrain_that_rises_evenly_is_a_slope_and_hills_are_none() -> None:
    slope, hills = zp.Terrain.slope(0.3, start=-5.0), zp.Terrain.bumps(seed=3, size=(20.0, 20.0))
    assert side_of_slope(standing(slope, 1.0), np.array([0]), slope, -52.0) == pytest.approx(-98.0)
    x = np.linspace(-3.0, 3.0, 61)
    bowl = zp.Terrain(0.2 * (x[:, None] ** 2 + x[None] ** 2), (0.1, 0.1), (-3.0, -3.0))
    for ground in (hills, bowl):
        assert side_of_slope(standing(ground), np.array([0]), ground, -52.0) is None


@pytest.mark.parametrize(("rise", "run"), [(0.1, 1.0), (0.03, 0.3), (0.1, 0.3)])
def test_stairs_show_their_risers_however_many_moments_are_shown(rise: float, run: float) -> None:
    """One in ten counted as level, and a moment before the stairs was seen from elsewhere than the film."""
    stairs = zp.Terrain.steps(12, rise=-rise, run=run, start=0.3)
    still = moving(np.zeros(200), stairs)
    shift = np.linspace(0.0, 2.0, 200)[:, None] * np.array([1.0, 0.0, -rise / run])
    scene = replace(still, positions=still.positions + shift[:, None], com=still.com + shift)
    for frames in (all_of(scene), np.array([0]), np.array([150])):
        assert side_of_slope(scene, frames, stairs, -52.0) == pytest.approx(-82.0, abs=1.0)


def test_the_telling_moment_of_a_life() -> None:
    """The highest leap after settling, wherever it is; who does not leap is shown in the middle of what counts.

    The picture of a jump's champion was the middle of its life, where it still lay and settled.
    """
    heights = np.zeros(400)
    heights[:50], heights[300:340] = 2.0, np.sin(np.linspace(0.0, np.pi, 40))  # born in the air, leaps at 6 s
    assert telling_frame(moving(heights), 3.0) == pytest.approx(320, abs=1)
    assert telling_frame(moving(np.zeros(400)), 4.0) == 300
    assert telling_frame(moving(np.zeros(400)), 100.0) == 200  # a life that ended before
