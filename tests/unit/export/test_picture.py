"""Pictures: golden ones, cameras, ghosts, odd scenes."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import zoophyte as zp
from golden.pictures import FOLDER, GOLDEN, read_png, row_of_solids, scene
from zoophyte.description import Body, Box, Description, Joint, Sphere
from zoophyte.errors import UsageError
from zoophyte.export import Camera, Scene, film_of, picture_of, scene_of
from zoophyte.export.extent import ground_level, reaches
from zoophyte.export.picture import compiled as machine_code
from zoophyte.export.picture import drawing, ghost_frames, write_gif
from zoophyte.export.picture.camera import cameras_for, half_fields
from zoophyte.export.picture.files import film_frames, film_span
from zoophyte.export.picture.stage import Moment, Theatre

SMALL = (96, 54)


@cache
def swing() -> zp.Trajectory:
    return zp.World(zp.compile(zp.zoo.double_pendulum()), dt=1e-3).simulate(seconds=0.5, record_rate=100)


def ball_at(x: float, y: float, z: float) -> Scene:
    body = Body(name="ball", joint=Joint(position=(x, y, z)), shapes=[Sphere(radius=0.5, colour=(1, 0, 0))])
    return scene(Description(name="ball", bodies=[body]))


def red(picture: np.ndarray) -> np.ndarray:
    """Where a red thing is."""
    return (picture[..., 0] > 60) & (picture[..., 0] > 2.0 * picture[..., 2])


@pytest.mark.parametrize("name", GOLDEN)
def test_golden_picture(name: str) -> None:
    """The picture is the one that was looked at.

    Oracle: the stored file.  Other processors round sines, powers and fused products differently in the last place, which
    turns a byte here and there by one, and along edges may move a ray to the other side: hence one level on average, and
    one pixel in two hundred for more than 24 levels.  A solid that moves by a pixel changes several times as many.
    """
    stored, drawn = read_png((FOLDER / f"{name}.png").read_bytes()), GOLDEN[name]()
    assert drawn.shape == stored.shape
    gaps = np.abs(drawn.astype(int) - stored)
    assert gaps.mean() <= 1.0
    assert np.mean(gaps.max(axis=2) > 24) <= 0.005


def test_the_golden_test_sees_a_shift_of_one_pixel() -> None:
    stored = read_png((FOLDER / "humanoid.png").read_bytes()).astype(int)
    gaps = np.abs(stored - np.roll(stored, 1, axis=1))
    assert np.mean(gaps.max(axis=2) > 24) > 0.005


@pytest.mark.parametrize("camera", ["three_quarter", "front", "side"])
@pytest.mark.parametrize("size", [(8.0, 0.5, 0.3), (0.3, 0.3, 4.0)])
def test_what_does_not_fill_the_picture_has_equal_margins(
    size: tuple[float, float, float], camera: str
) -> None:
    """A long beam and a tall pole, from a raised camera: free rows above and below, and columns, differ by 6 % at most.

    Oracle: the picture itself. Tolerance: pyramids are tried in steps of 1/20 of the picture, and a pixel at each edge.
    """
    beam = Body(
        name="beam",
        joint=Joint(position=(0.0, 0.0, 0.5 * size[2])),
        shapes=[Box(size=size, colour=(1, 0, 0))],
    )
    picture = picture_of(scene(Description(name="beam", bodies=[beam])), size=(200, 150), camera=camera)
    for axis, side in ((1, 150), (0, 200)):
        there = np.flatnonzero(red(picture).any(axis=axis))
        before, behind = int(there[0]), side - 1 - int(there[-1])
        assert abs(before - behind) <= 0.06 * side + 2


def test_pixels_are_the_same_again() -> None:
    humanoid = scene(zp.zoo.humanoid())
    assert np.array_equal(picture_of(humanoid, size=SMALL), picture_of(humanoid, size=SMALL))


def test_compiled_and_plain_code_draw_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    """The loops run as plain Python too; powers may differ in the last place, so a byte may differ by one."""
    from zoophyte.export.picture import stage

    size, solids = (40, 10), scene(row_of_solids())
    fast = picture_of(solids, size=size, camera="front")
    monkeypatch.setattr(stage, "compiled", lambda name: getattr(drawing, name))
    slow = picture_of(solids, size=size, camera="front")
    assert np.abs(fast.astype(int) - slow).max() <= 1


def test_compiling_is_told_of_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It was told for each of the functions that draw, three lines of the same."""
    told: list[str] = []
    monkeypatch.setattr("zoophyte.numbers.forms.announce", told.append)
    monkeypatch.setattr("zoophyte.numbers.cache.cache_folder", lambda: tmp_path)
    monkeypatch.setattr(machine_code, "_announced", [])
    for name in ("draw", "fill_cells", "pack_lzw"):
        machine_code.compiled.__wrapped__(name)
    assert told == ["zoophyte: compiling what draws pictures, the first time only …"]


@pytest.mark.parametrize("view", ["three_quarter", "front", "side", "top", "follow", "auto"])
@pytest.mark.parametrize("size", [(160, 90), (50, 100)])
def test_everything_is_in_the_picture_and_fills_it(view: str, size: tuple[int, int]) -> None:
    """Oracle: support points projected through the camera; the margin is 9 % on each side, and one side is met."""
    life = scene_of(swing())
    frames = np.arange(life.frame_count)
    cameras = cameras_for(life, view, frames, size)
    camera = cameras[0]
    if view != "follow":
        assert all(other == camera for other in cameras)
    right, up, forward = camera.axes()
    across, upwards = half_fields(camera.field, size)
    edges = []
    for axis, tangent in ((right, across), (up, upwards)):
        for sign in (1.0, -1.0):
            plane = sign * axis - 0.82 * tangent * forward
            eyes = np.array([other.eye for other in cameras])
            edges.append(float((reaches(life, plane[None], frames)[:, 0] - eyes @ plane).max()))
    assert max(edges) == pytest.approx(0.0, abs=1e-9)


def test_a_ball_is_where_it_should_be() -> None:
    """A ball of radius r at distance D is seen under the angle asin(r/D), here in pixels of known size."""
    camera = Camera(eye=(0.0, -10.0, 0.5), target=(0.0, 0.0, 0.5), field=0.1)
    picture = picture_of(ball_at(0.0, 0.0, 0.5), size=(200, 200), camera=camera)
    rows, columns = np.nonzero(red(picture))
    radius = np.tan(np.arcsin(0.05)) / 0.1 * 100
    assert columns.mean() == pytest.approx(99.5, abs=0.6)
    assert (columns.max() - columns.min() + 1) / 2 == pytest.approx(radius, abs=1.0)
    assert rows.min() + 0.5 == pytest.approx(100 - radius, abs=1.5)


def test_a_shadow_lies_away_from_the_sun() -> None:
    camera = Camera(eye=(0.0, 0.0, 30.0), target=(0.0, 0.0, 0.0), field=0.1)
    lit, shaded = (
        picture_of(ball_at(*place), size=(120, 120), camera=camera) for place in ((50, 0, 1), (0, 0, 1))
    )
    darker = (lit.astype(int) - shaded).sum(axis=2) > 60
    darker &= ~red(shaded)
    rows, columns = np.nonzero(darker)
    assert len(rows) > 50
    # Seen from above the sun stands to the lower right, so the shadow falls to the upper left.
    assert rows.mean() < 58 and columns.mean() < 60


def test_thin_things_do_not_vanish() -> None:
    """A rod an eighth of a pixel wide still tints its pixels, wherever between the rays it lies."""
    rod = zp.zoo.rod()
    far = Camera(eye=(0.0, -60.0, 0.5), target=(0.0, 0.0, 0.5), field=0.1)
    picture = picture_of(scene(rod), size=SMALL, camera=far).astype(int)
    assert np.ptp(picture, axis=1).max() > 8


def test_coordinates_far_from_the_origin_change_little() -> None:
    """A million metres away, on the same lines of the grid: rounding only."""
    near = ball_at(0.0, 0.0, 0.5)
    shift = np.array([1e6, -2e6, 0.0])
    far = replace(near, positions=near.positions + shift, com=near.com + shift)
    gaps = np.abs(picture_of(near, size=SMALL).astype(int) - picture_of(far, size=SMALL))
    assert gaps.mean() < 0.5


@pytest.mark.parametrize("scale", [1e-6, 1e5])
def test_size_does_not_matter(scale: float) -> None:
    body = Body(name="ball", shapes=[Sphere(radius=scale, colour=(1, 0, 0))])
    one = Body(name="ball", shapes=[Sphere(radius=1.0, colour=(1, 0, 0))])
    pictures = [
        picture_of(scene(Description(name="ball", bodies=[part])), size=SMALL) for part in (body, one)
    ]
    assert np.array_equal(*map(red, pictures))


def test_bodies_without_shapes_are_marked_where_nothing_else_is() -> None:
    bare = Description(
        name="bare", bodies=[Body(name="a"), Body(name="b", parent="a", joint=Joint(position=(1, 0, 0)))]
    )
    picture = picture_of(scene(bare), size=SMALL)
    assert picture.std(axis=(0, 1)).max() > 3.0
    with_one = Description(name="ball", bodies=[Body(name="a", shapes=[Sphere(radius=0.5)]), Body(name="b")])
    alone = Description(name="ball", bodies=[Body(name="a", shapes=[Sphere(radius=0.5)])])
    assert np.array_equal(*(picture_of(scene(each), size=SMALL) for each in (with_one, alone)))


def test_nothing_at_all_is_an_empty_floor() -> None:
    picture = picture_of(scene(Description(name="nothing", bodies=[])), size=SMALL)
    assert picture.shape == (54, 96, 3)


def test_ghosts_are_pale_and_elsewhere() -> None:
    life = scene_of(swing())
    chosen = ghost_frames(life, 25)
    assert 1 <= len(chosen) <= 5 and chosen == sorted(chosen) and max(chosen) < 25
    assert ghost_frames(life, 0) == []
    camera = cameras_for(life, "side", np.array([*chosen, 25]), SMALL)[0]
    plain, ghosts = (
        picture_of(life, frame=25, size=SMALL, camera=camera, ghosts=others).astype(int)
        for others in ((), chosen)
    )
    changed = np.abs(plain - ghosts).max(axis=2)
    assert 0.01 < np.mean(changed > 6) < 0.5


def test_overlapping_ghosts_hide_their_insides() -> None:
    """A moment's solids are met once: two equal balls in one place look like one."""
    one, frames = ball_at(0.0, 0.0, 0.5), [Moment(0, 0.5)]
    two = replace(one, shapes=(one.shapes[0] * 2,))
    camera = cameras_for(one, "side", np.array([0]), SMALL)[0]
    pictures = [Theatre(each).draw(frames, camera, SMALL) for each in (one, two)]
    middle = [picture[27, 48].astype(int) for picture in pictures]
    assert np.abs(middle[0] - middle[1]).max() <= 2


def test_flush_boxes_look_like_one() -> None:
    """A wall of eight boxes side by side is drawn as one box is: no dashes at the seams, and no scallops where it stands.

    Rays that hit the rounded fringe of the one box or the other met an edge there; and the ground beside a seam was darkened
    by both.  Oracle: the picture of the whole box; on its long side and before it, seams change nothing but rounding.
    """

    def wall(count: int) -> Scene:
        wide = 1.6 / count
        shapes = [
            Box(size=(wide, 0.4, 0.5), position=(wide * (n + 0.5) - 0.8, 0.0, 0.0), colour=(0.5, 0.5, 0.45))
            for n in range(count)
        ]
        return scene(
            Description(
                name="wall", bodies=[Body(name="w", joint=Joint(position=(0, 0, 0.25)), shapes=shapes)]
            )
        )

    camera = Camera(eye=(1.3, -2.6, 1.4), target=(0.0, 0.0, 0.2))
    whole, made = (picture_of(wall(count), size=(240, 135), camera=camera).astype(int) for count in (1, 8))
    assert np.abs(whole - made)[50:, 62:175].max() <= 2


def test_older_ghosts_do_not_shine_through_younger_ones() -> None:
    """Five pale moments in one place looked like layers of glass; now like the last of them."""
    one = ball_at(0.0, 0.0, 0.5)
    camera = cameras_for(one, "side", np.array([0]), SMALL)[0]
    alone, both = (
        Theatre(one).draw([Moment(0, 0.4), *older], camera, SMALL) for older in ([], [Moment(0, 0.2)])
    )
    assert np.array_equal(alone[27, 48], both[27, 48])


def test_a_film_follows_who_travels() -> None:
    still = ball_at(0.0, 0.0, 0.5)
    places = np.array([[[0.0, 0.0, 0.5]], [[20.0, 0.0, 0.5]]])
    walk = replace(still, times=np.array([0.0, 1.0]), positions=places, com=places[:, 0],
                   quaternions=np.repeat(still.quaternions, 2, axis=0))  # fmt: skip
    first, second = film_of(walk, size=SMALL)
    assert np.mean(red(first)) > 0.1 and np.mean(red(first) != red(second)) < 0.01


def test_a_gif_tells_how_far_it_is(tmp_path: Path) -> None:
    """Law: one call a picture, from nothing to all of them."""
    told: list[float] = []
    write_gif(swing(), tmp_path / "swing.gif", size=(16, 9), progress=told.append)
    assert told == pytest.approx(
        np.linspace(0.0, 1.0, 12)[1:]
    )  # half a second at 20 pictures a second, both ends


def test_a_film_stands_still_for_a_ball_that_rolls_away() -> None:
    """A single body that rolls eight times its size does nothing else that is worth seeing."""
    still = ball_at(0.0, 0.0, 0.5)
    places = np.array([[[0.0, 0.0, 0.5]], [[8.0, 0.0, 0.5]]])
    roll = replace(still, times=np.array([0.0, 1.0]), positions=places, com=places[:, 0],
                   quaternions=np.repeat(still.quaternions, 2, axis=0))  # fmt: skip
    first, second = film_of(roll, size=SMALL)
    assert red(first).any() and red(second).any() and not np.any(red(first) & red(second))


@pytest.mark.parametrize(
    ("z", "level"), [(0.5, 0.0), (0.45, 0.0), (0.0, -0.5 - 0.18 * 3**0.5 / 2), (9.0, 8.5 - 0.4 * 3**0.5 / 2)]
)
def test_the_ground_is_where_it_makes_sense(z: float, level: float) -> None:
    """Half the diagonal of the box around a ball of radius ½ is √3/2."""
    assert ground_level(ball_at(0.0, 0.0, z)) == pytest.approx(level, abs=1e-12)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"frame": 1}, "frame 1 is out of range; there are 1"),
        ({"size": (0, 10)}, "size 0 × 10 is out of range"),
        ({"size": (10, 5000)}, "out of range"),
        ({"size": "big"}, "two whole numbers"),
        ({"camera": "sides"}, "no view 'sides'.*'side'"),
        ({"camera": Camera((0, 0, 0), (0, 0, 0))}, "two different, finite points"),
        ({"camera": Camera((0, 0, float("nan")), (0, 0, 0))}, "two different, finite points"),
        ({"ghosts": [0] * 41}, "41 ghosts"),
    ],
)
def test_wrong_wishes_are_named(arguments: dict, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        picture_of(ball_at(0.0, 0.0, 0.5), **arguments)


@pytest.mark.parametrize("ending", ["png", "gif", "svg", "glb"])
def test_lives_are_exported(ending: str, tmp_path: Path) -> None:
    path = tmp_path / f"life.{ending}"
    swing().export(path)
    heads = {"png": b"\x89PNG", "gif": b"GIF89a", "svg": b"<svg", "glb": b"glTF"}
    assert path.read_bytes().startswith(heads[ending])


def test_films_keep_true_time() -> None:
    life = scene_of(swing(), rate=None)
    frames = film_frames(life, 20.0, 240)
    assert life.times[frames] == pytest.approx(np.arange(11) / 20.0, abs=0.006)
    assert len(film_frames(life, 20.0, 4)) == 4


def test_ghosts_never_veil_the_moment_that_is_shown() -> None:
    """A ball and where it was, a metre nearer to the camera: what is seen of the ball is as if there were no ghost.

    A wall that stands behind both in all moments is veiled by the ghost.  Oracle: the picture without ghosts; to the byte,
    since ghosts throw no shadow on things: on the lids of boxes that slid, they looked like stains.
    """
    bodies = [
        Body(name="ball", joint=Joint(position=(0, 0, 0.5)), shapes=[Sphere(radius=0.3, colour=(1, 0, 0))]),
        Body(
            name="wall",
            joint=Joint(position=(0, 2, 0.5)),
            shapes=[Box(size=(4.0, 0.1, 2.0), colour=(1, 1, 1))],
        ),
    ]
    still = scene(Description(name="two", bodies=bodies))
    places = np.array([[[0.2, -1.0, 0.5], [0.0, 2.0, 0.5]], [[0.0, 0.0, 0.5], [0.0, 2.0, 0.5]]])
    moved = replace(still, times=np.array([0.0, 1.0]), positions=places, com=places[:, 0],
                    quaternions=np.repeat(still.quaternions, 2, axis=0))  # fmt: skip
    camera = Camera(eye=(0.0, -5.0, 0.5), target=(0.0, 0.0, 0.5))
    plain, ghosts = (
        picture_of(moved, frame=1, size=SMALL, camera=camera, ghosts=others).astype(int)
        for others in ((), [0])
    )
    inside = red(plain) & np.roll(red(plain), 1, axis=1) & np.roll(red(plain), -1, axis=1)
    inside &= np.roll(inside, 1, axis=0) & np.roll(inside, -1, axis=0)
    changed = np.abs(plain - ghosts).max(axis=2) > 6
    assert inside.sum() > 50 and np.array_equal(plain[inside], ghosts[inside])
    assert changed[~red(plain)].sum() > 50


def test_films_show_the_part_that_is_asked_for() -> None:
    """A film of 16 s was cut to its first 12 without a word, and no other part could be had."""
    life = zp.World(zp.zoo.double_pendulum(), dt=1e-2).simulate(seconds=16.0)
    assert film_span(life, 12.0) == (0.0, 12.0)
    assert film_span(life, 12.0, since=13.0) == (13.0, 16.0) and film_span(life, 12.0, 2.0, 3.0) == (2.0, 3.0)
    scene = scene_of(life)
    frames = film_frames(scene, 20.0, 240, (13.0, 15.0))
    assert len(frames) == 41 and scene.times[frames[0]] == pytest.approx(13.0)
    assert scene.times[frames[-1]] == pytest.approx(15.0)
    for since, until in ((3.0, 2.0), (-1.0, 2.0), (2.0, 17.0), (2.0, 2.0), (math.nan, 3.0)):
        with pytest.raises(UsageError, match="must be a time and a later one between 0 and 16 s"):
            film_span(life, 12.0, since, until)
