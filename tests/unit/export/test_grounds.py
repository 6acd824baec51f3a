"""The ground in pictures and files: where rays meet it, what it hides and shades, which points are kept of it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

import zoophyte as zp
from golden.pictures import standing
from zoophyte.description import Body, Description, Joint, Sphere, Surface
from zoophyte.export import Camera, Scene, drawing_of, picture_of, scene_of, scene_of_pose
from zoophyte.export.extent import creature_size, reaches
from zoophyte.export.grounds import drawn_ground, grid_of, ground_mesh, thinned
from zoophyte.export.picture import ghost_frames
from zoophyte.export.picture.camera import cameras_for, half_fields, sun_axes
from zoophyte.export.picture.ground import (
    GROUND_END,
    KIND_OF_GROUND,
    field_height,
    ground_normals,
    meet_ground,
)
from zoophyte.export.picture.grounding import ground_numbers
from zoophyte.export.picture.solids import FAR
from zoophyte.export.picture.stage import Theatre

Floats = NDArray[np.float64]

HILLS = zp.Terrain(np.random.default_rng(8).uniform(0.0, 1.5, (41, 37)), (0.5, 0.4), (-9.0, -8.0))


def numbers_of(ground: zp.Plane | zp.Terrain | None, beyond: float = 1e3) -> Floats:
    """The drawing data of a ground alone, in metres about the origin; terrain is drawn so far beyond its edge."""
    head = ground_numbers(ground, 1.0, np.zeros(3), 40.0, GROUND_END, beyond)
    data = np.concatenate([np.zeros(KIND_OF_GROUND), head])
    if isinstance(ground, zp.Terrain):
        theatre = Theatre(replace(standing(None), ground=ground))
        theatre.unit = 1.0
        data = np.concatenate([data, *(part.ravel() for part in theatre._field)])
    return data


def rays(rng: np.random.Generator, count: int) -> Floats:
    """Rays from above the hills, in all directions, many nearly level."""
    origins = np.column_stack([rng.uniform(-14.0, 14.0, (count, 2)), rng.uniform(1.51, 4.0, count)])
    directions = rng.normal(size=(count, 3)) * np.array([1.0, 1.0, 0.3])
    return np.hstack([origins, directions / np.linalg.norm(directions, axis=1, keepdims=True)])


def test_rays_meet_terrain_where_it_is(rng: np.random.Generator) -> None:
    """Oracle: Terrain.height_at along the ray, in steps of 2 mm.

    Where the walk says that the ray meets the ground, the ground is (1e-9: rounding of numbers of order 10), and before
    that the ray is above it; where it says that it does not, the ray stays above for 40 m.
    """
    data = numbers_of(HILLS)
    met = 0
    for ray in rays(rng, 150):
        t = meet_ground(data, tuple(ray))
        end = min(t, 40.0)
        way = np.arange(0.0, end - 1e-6, 0.002)
        gaps = (ray[2] + way * ray[5]) - HILLS.height_at(ray[0] + way * ray[3], ray[1] + way * ray[4])
        assert np.all(gaps > -1e-9)
        if t < 40.0:
            met += 1
            place = ray[:3] + t * ray[3:]
            assert place[2] == pytest.approx(float(HILLS.height_at(place[0], place[1])), abs=1e-9)
    assert 40 < met < 150


def test_terrain_ends_at_its_edge_or_behind_who_goes_beyond() -> None:
    """HILLS end at x = 9: straight down there is ground at 8.9 and none at 9.1, unless something is drawn beyond.

    A film of a bowl was a cross of corrugated valleys to the horizon.
    """
    down = (0.0, 0.0, -1.0)
    for beyond, ends in ((0.0, 9.0), (2.0, 11.0)):
        data = numbers_of(HILLS, beyond)
        assert meet_ground(data, (ends - 0.1, 0.0, 5.0, *down)) < 5.0
        assert meet_ground(data, (ends + 0.1, 0.0, 5.0, *down)) == FAR
    assert Theatre(standing(HILLS))._beyond == 0.0
    assert Theatre(standing(HILLS, 10.0))._beyond > 1.0


def test_heights_are_those_of_the_terrain(rng: np.random.Generator) -> None:
    data = numbers_of(HILLS)
    for x, y in rng.uniform(-12.0, 12.0, (200, 2)):
        assert field_height(data, x, y) == pytest.approx(float(HILLS.height_at(x, y)), abs=1e-12)


def test_flat_normals_are_those_of_the_triangles(rng: np.random.Generator) -> None:
    """Oracle: differences of height_at over 2e-6 m, within a triangle; beyond an edge there is no slope across it."""
    data, step = numbers_of(HILLS), 1e-6
    for x, y in rng.uniform(-12.0, 12.0, (200, 2)):
        cell = np.array([(x + 9.0) / 0.5, (y + 8.0) / 0.4])
        inner = cell - np.floor(cell)
        if min(*inner, *(1.0 - inner), abs(inner[0] - inner[1])) < 1e-4:
            continue
        slopes = [
            (HILLS.height_at(x + step, y) - HILLS.height_at(x - step, y)) / (2.0 * step),
            (HILLS.height_at(x, y + step) - HILLS.height_at(x, y - step)) / (2.0 * step),
        ]
        expected = np.array([-slopes[0], -slopes[1], 1.0])
        flat = ground_normals(data, x, y)[0]
        assert np.array(flat) == pytest.approx(expected / np.linalg.norm(expected), abs=1e-8)


def test_planes_are_met_from_outside_only() -> None:
    data = numbers_of(zp.Plane((0.0, 0.6, 0.8), 2.0))
    down = (0.0, 0.0, -1.0)
    assert meet_ground(data, (0.0, 0.0, 10.0, *down)) == pytest.approx(7.5)
    assert meet_ground(data, (0.0, 0.0, 0.0, *down)) == FAR
    assert meet_ground(data, (0.0, 0.0, 10.0, 0.0, 0.0, 1.0)) == FAR
    assert meet_ground(numbers_of(None), (0.0, 0.0, 10.0, *down)) == FAR


# ---------------------------------------------------------------------------------------------------- pictures


def ball_over(ground: zp.Plane | zp.Terrain | None, x: float, z: float) -> Scene:
    body = Body(name="ball", joint=Joint(position=(x, 0.0, z)), shapes=[Sphere(radius=0.5, colour=(1, 0, 0))])
    description = Description(name="ball", bodies=[body], surface=Surface())
    return scene_of_pose(zp.compile(description), ground=ground)


def test_level_terrain_looks_like_a_plane() -> None:
    """The same ground told in two ways; the light comes from the same formulas, so that a byte differs by one at most."""
    camera = Camera(eye=(1.0, -5.0, 6.0), target=(0.0, 0.0, 0.5), field=0.2)
    flat = zp.Terrain(np.zeros((50, 70)), 0.7, (-20.0, -10.0))
    told = [
        picture_of(ball_over(ground, 0.0, 0.5), size=(96, 54), camera=camera) for ground in (zp.Plane(), flat)
    ]
    assert np.abs(told[0].astype(int) - told[1]).max() <= 1


def row_of(height: float, away: float, eye: float, size: tuple[int, int], field: float) -> float:
    """The row of a picture, from its top, in which a height at a distance is seen by a level camera."""
    return 0.5 * size[1] * (1.0 - (height - eye) / away / half_fields(field, size)[1])


def test_a_wall_is_as_high_in_the_picture_as_perspective_says() -> None:
    """A step of 1 m seen from 0.5 m: its upper edge is 8 m and a front of 5 mm away, its foot 8 m; to a pixel."""
    wall = zp.Terrain.steps(1, rise=1.0, run=0.08, start=3.0)
    size, field = (90, 240), 0.12
    camera = Camera(eye=(-5.0, 0.0, 0.5), target=(0.0, 0.0, 0.5), field=field)
    light = picture_of(ball_over(wall, -100.0, 0.5), size=size, camera=camera).astype(int)[:, 45, 0]
    top, foot = row_of(1.0, 8.005, 0.5, size, field), row_of(0.0, 8.0, 0.5, size, field)
    edges = np.flatnonzero(np.abs(np.diff(light)) > 12)
    assert edges.min() == pytest.approx(top - 1.0, abs=1.5)
    assert edges.max() == pytest.approx(foot - 1.0, abs=1.5)


def test_hills_shade_as_far_as_the_sun_says() -> None:
    """A wall of height h shades h·cot(elevation) of the ground behind it, measured along the sun's azimuth.

    Seen from straight above; the half shadow is 2·0.05 rad of the light's way wide, so that points a fifth before and
    behind the border are clear cases.
    """
    camera = Camera(eye=(0.0, 0.0, 40.0), target=(0.0, 0.0, 0.0), field=0.08)
    towards = sun_axes(camera.axes())[0]
    assert towards[0] > 0.2
    wall = zp.Terrain.steps(1, rise=1.0, run=0.02, start=0.5)  # high at x > 0.5, where the sun stands
    length = towards[0] / towards[2]
    picture = picture_of(ball_over(wall, 200.0, 0.5), size=(201, 201), camera=camera).astype(int).sum(axis=2)
    scale = 100.5 / (0.08 * 40.0)
    column = [round(100 + (0.5 - share * length) * scale) for share in (0.25, 0.8, 1.25, 1.6)]
    light = np.median(picture[60:140][:, column], axis=0)
    assert light[:2].max() < light[2:].min() - 60


def test_without_ground_there_is_sky_below() -> None:
    camera = Camera(eye=(0.0, -8.0, 3.0), target=(0.0, 0.0, 0.5), field=0.3)
    picture = picture_of(ball_over(None, 0.0, 0.5), size=(96, 54), camera=camera).astype(int)
    below = picture[-1]
    assert np.all(below[:, 2] > below[:, 0])  # blue, and without shadow or lines
    assert np.ptp(below, axis=0).max() <= 4


def test_cameras_stay_outside_of_hills_and_see_the_creature() -> None:
    """Oracle: heights along the line from each camera to the centre of mass, in steps of a thousandth."""
    pit = zp.Terrain(
        4.0 * np.clip(np.hypot(*np.mgrid[-10:11, -10:11]) - 3.0, 0.0, 3.0) / 3.0, 0.6, (-6.0, -6.0)
    )
    for view in ("three_quarter", "front", "side", "follow"):
        life = standing(pit)
        camera = cameras_for(life, view, np.array([0]), (160, 90))[0]
        line = np.asarray(camera.eye) + np.linspace(0.0, 1.0, 1000)[:, None] * (life.com[0] - camera.eye)
        assert np.all(line[:, 2] > pit.height_at(line[:, 0], line[:, 1]))


def falling(heights: Floats, *, felt: bool) -> Scene:
    still = ball_over(zp.Plane(), 0.0, 0.0)
    count = len(heights)
    places = np.column_stack([np.zeros((count, 2)), heights])
    joints = tuple(replace(joint, kind="free") for joint in still.joints)
    return replace(
        still, times=np.arange(count) / 60.0, positions=places[:, None], com=places, joints=joints, is_felt=felt,
        quaternions=np.repeat(still.quaternions, count, axis=0),
    )  # fmt: skip


def test_what_falls_has_ghosts_and_its_shadow_in_the_picture() -> None:
    """The shadow's pixels are those that darken when the ball is there; none of them may lie at the picture's border."""
    scene = falling(8.0 - 0.5 * 9.81 * (np.arange(70) / 60.0) ** 2, felt=True)
    frame = 62
    ghosts = ghost_frames(scene, frame)
    assert 1 <= len(ghosts) <= 5
    gaps = np.diff(scene.com[[*ghosts, frame], 2])
    assert np.all(-gaps > 0.8 * creature_size(scene))  # they do not hide each other
    size = (160, 90)
    camera = cameras_for(scene, "three_quarter", np.array([frame]), size)[0]
    away = replace(scene, positions=scene.positions + np.array([500.0, 0.0, 0.0]))
    with_ball, without = (
        picture_of(each, frame=frame, size=size, camera=camera).astype(int) for each in (scene, away)
    )
    darker = (without - with_ball).sum(axis=2) > 40
    assert darker.sum() > 60
    assert not (darker[0].any() or darker[-1].any() or darker[:, 0].any() or darker[:, -1].any())


def test_what_falls_through_the_ground_does_not_look_as_if_it_had_landed() -> None:
    """The ground used to be drawn below wherever it was."""
    scene = falling(1.0 - np.linspace(0.0, 50.0, 60), felt=False)
    assert drawn_ground(scene) is None and drawn_ground(scene, np.array([5])) is None
    assert drawn_ground(scene, np.array([0])) == zp.Plane()
    felt = drawn_ground(falling(-np.linspace(0.0, 50.0, 60), felt=True), np.array([5]))
    assert felt == zp.Plane()  # what can be touched is where it is


# ------------------------------------------------------------------------------------------- files and drawings


def test_a_life_remembers_its_ground() -> None:
    hills = zp.Terrain.bumps(seed=3)
    book = zp.zoo.book()
    life = zp.World(book, habitat=zp.Habitat((0.0, 0.0, 0.0), ground=hills), dt=1e-3).simulate(0.01)
    assert scene_of(life).ground is hills and not scene_of(life).is_felt
    book.surface = Surface()
    with_touch = zp.World(book, habitat=zp.Habitat(ground=zp.Plane(height=-50.0)), dt=1e-3).simulate(0.01)
    seen = scene_of(with_touch)
    assert seen.is_felt and seen.ground == zp.Plane(height=-50.0)


def test_a_large_terrain_keeps_what_is_near() -> None:
    """Of 4 million points some hundred thousand are kept: all within two sizes of the creature, and the outermost."""
    large = zp.Terrain.bumps(seed=1, size=(200.0, 200.0), spacing=0.1)
    scene = standing(large, 30.0, -20.0)
    grid = grid_of(scene, large)
    assert grid.heights.size < 2**17
    assert (grid.x[0], grid.x[-1]) == pytest.approx((-100.0, 100.0))
    for axis, kept in ((0, grid.x), (1, grid.y)):
        near = kept[np.abs(kept - scene.com[0, axis]) < 2.0 * creature_size(scene)]
        assert np.diff(near) == pytest.approx(0.1)
    x, y = np.meshgrid(grid.x, grid.y)
    assert np.array_equal(grid.heights, large.height_at(x, y)) or np.allclose(
        grid.heights, large.height_at(x, y), atol=1e-9
    )


@pytest.mark.parametrize(
    ("count", "first", "last", "limit"),
    [(10, 2, 5, 20), (1000, 0, 10, 50), (1000, 400, 900, 60), (1000, 999, 999, 30)],
)
def test_thinned_numbers_hold_both_ends(count: int, first: int, last: int, limit: int) -> None:
    kept = thinned(count, first, last, limit)
    assert (kept[0], kept[-1]) == (0, count - 1)
    assert np.all(np.diff(kept) > 0) and len(kept) <= limit + 4


def test_triangles_of_terrain_look_up_and_keep_sharp_edges() -> None:
    """On a stair a corner between tread and front belongs to both and has two normals: up, and that of the front."""
    mesh = ground_mesh(standing(zp.Terrain.steps(4, rise=0.2, run=0.4), -1.0))
    assert mesh is not None
    corners = mesh.points[mesh.triangles]
    area = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    assert np.all(area[:, 2] > 0.0)
    facing = np.einsum(
        "ni,nki->nk", area / np.linalg.norm(area, axis=1, keepdims=True), mesh.normals[mesh.triangles]
    )
    assert facing.min() > np.cos(np.radians(35.0))
    assert np.isclose(mesh.normals[:, 2], 1.0).any() and (mesh.normals[:, 2] < 0.2).any()
    smooth = ground_mesh(standing(zp.Terrain.bumps(seed=2, size=(4.0, 4.0), height=0.05)))
    assert smooth is not None and len(smooth.points) == 65 * 65  # no point of gentle hills is split


def test_level_planes_need_no_triangles_and_tilted_ones_lie_in_their_plane() -> None:
    assert ground_mesh(standing(zp.Plane())) is None and ground_mesh(standing(None)) is None
    plane = zp.Plane((0.3, -0.2, 1.0), 0.4)
    mesh = ground_mesh(standing(plane))
    assert mesh is not None
    assert mesh.points @ np.array(plane.normal) == pytest.approx(0.4, abs=1e-12)


def test_drawings_have_the_profile_of_the_ground() -> None:
    """Oracle: height_at along x, brought to the picture by the axes of two known points (the ends of the drawing)."""
    for ground, pieces in ((zp.Plane(), 2), (zp.Terrain.steps(3, rise=0.2, run=0.5), 8)):
        svg = drawing_of(standing(ground, 0.3), view="side").svg
        line = svg.split('class="level" d="M')[1].split('"')[0]
        points = np.array([[float(number) for number in point.split()] for point in line.split("L")])
        assert len(points) >= pieces
        if isinstance(ground, zp.Plane):
            assert len(points) == 2 and points[0, 1] == points[1, 1]
        else:
            assert points[0, 1] > points[-1, 1] + 10.0  # the stair rises to the right; rows count downwards
            assert np.all(np.diff(points[:, 1]) < 0.2)
    assert 'class="level"' not in drawing_of(standing(None)).svg


def test_reaches_do_not_count_the_ground() -> None:
    hill, flat = (
        reaches(standing(g), np.eye(3), np.array([0])) for g in (zp.Terrain.steps(9, start=5.0), zp.Plane())
    )
    assert np.array_equal(hill, flat)
