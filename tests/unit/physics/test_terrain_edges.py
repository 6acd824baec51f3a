"""Shapes against ridges, peaks and rims of a terrain, beside the clearance found by search over their surfaces."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from bodies import Floats
from zoophyte.description import Box, Capsule, Cylinder, Ellipsoid, Frustum, Sphere, TaperedCapsule
from zoophyte.model import State, Terrain
from zoophyte.physics.contact.detect.edge_shapes import in_fold
from zoophyte.physics.living import look
from zoophyte.simulation import Habitat
from zoophyte.simulation.touching import Contacts, read_contacts
from zoophyte.validation.oracles import rotation_of
from zoophyte.validation.scenes import block_of, lone, model_of

X: Floats = np.linspace(-1.0, 1.0, 41)
GROUNDS = {
    "ridge": Terrain(np.tile(np.maximum(0.1 - np.abs(X), 0.0), (5, 1)), (0.05, 0.5), (-1.0, -1.0)),
    "peak": Terrain(
        np.maximum(0.1 - np.maximum(np.abs(X), np.abs(X)[:, None]), 0.0), (0.05, 0.05), (-1.0, -1.0)
    ),
    "waves": Terrain(0.04 * np.sin(9.0 * X) * np.cos(7.0 * X[:, None]), (0.05, 0.05), (-1.0, -1.0)),
}
SHAPES: dict[str, Any] = {
    "box": Box(size=(0.4, 0.2, 0.1)),
    "capsule": Capsule(radius=0.05, length=0.4),
    "tapered": TaperedCapsule(radius_start=0.06, radius_end=0.03, length=0.4),
    "cylinder": Cylinder(radius=0.08, length=0.3),
    "frustum": Frustum(radius_start=0.1, radius_end=0.06, length=0.2),
    "ellipsoid": Ellipsoid(semi_axes=(0.2, 0.1, 0.06)),
}
SEEDS = range(12)
DEPTH, SEARCH = 3e-3, 2e-3
"""How deep or high the shapes are set, and the error of the search [m]: points of surfaces are up to 4 mm apart, so that
they miss a ridge with slopes of 45° by up to 2 mm."""


def surface(shape: Any) -> Floats:
    """Points all over a shape, in its own axes."""
    turn = np.linspace(0.0, 2.0 * np.pi, 161)
    across = np.linspace(0.0, 1.0, 60)
    if isinstance(shape, Box):
        a, b = (x.ravel() for x in np.meshgrid(np.linspace(-1, 1, 121), np.linspace(-1, 1, 121)))
        one = np.ones_like(a)
        sides = [np.stack(s, -1) for c in (one, -one) for s in ((a, b, c), (a, c, b), (c, a, b))]
        return np.asarray(np.concatenate(sides) * 0.5 * np.array(shape.size))
    if isinstance(shape, Ellipsoid):
        tilt, around = (x.ravel() for x in np.meshgrid(np.linspace(0, np.pi, 161), turn))
        ball = np.stack([np.sin(tilt) * np.cos(around), np.sin(tilt) * np.sin(around), np.cos(tilt)], -1)
        return np.asarray(ball * np.array(shape.semi_axes))
    straight = isinstance(shape, (Capsule, Cylinder))
    r, q = (shape.radius, shape.radius) if straight else (shape.radius_start, shape.radius_end)
    low = -0.5 * shape.length if straight else 0.0
    rings = [(r + t * (q - r), low + t * shape.length) for t in np.linspace(0, 1, 101)]
    for radius, z, way in ((r, low, -1.0), (q, low + shape.length, 1.0)):
        if isinstance(shape, (Cylinder, Frustum)):
            rings += [(t * radius, z) for t in across]
        else:
            rings += [(radius * np.cos(t), z + way * radius * np.sin(t)) for t in 0.5 * np.pi * across]
    if isinstance(shape, TaperedCapsule):  # the cone that touches both balls
        sine = (r - q) / shape.length
        cosine = np.sqrt(1.0 - sine * sine)
        ends = [(x * cosine, z + x * sine) for x, z in ((r, low), (q, low + shape.length))]
        rings += [tuple(np.array(ends[0]) * (1 - t) + np.array(ends[1]) * t) for t in np.linspace(0, 1, 101)]
    return np.concatenate(
        [np.stack([x * np.cos(turn), x * np.sin(turn), np.full_like(turn, z)], -1) for x, z in rings]
    )


def looked(shape: Any, q: Floats, ground: Terrain, v: Any = (0.0,) * 6) -> Contacts:
    model = model_of(lone(shape))
    block = block_of([model], [State.neutral(model).at(q=q, v=v)], habitat=Habitat(ground=ground))
    look(block)
    return read_contacts(block)


def over(kind: str, points: Floats, ground: str, rng: np.random.Generator, height: float) -> Contacts:
    """A shape, turned at random, so high that its lowest point is `height` over the ground below it."""
    terrain, turn, at = GROUNDS[ground], rng.normal(size=4), rng.uniform(-0.15, 0.15, 2)
    turn /= np.linalg.norm(turn)
    placed = points @ rotation_of(turn).T
    lowest = (placed[:, 2] - terrain.height_at(placed[:, 0] + at[0], placed[:, 1] + at[1])).min()
    return looked(SHAPES[kind], np.array([*turn, *at, height - lowest]), terrain)


@pytest.mark.parametrize("ground", GROUNDS)
@pytest.mark.parametrize("kind", SHAPES)
def test_who_is_deep_is_found_and_no_deeper(kind: str, ground: str) -> None:
    """A shape is lowered until it is 3 mm below the surface somewhere; slopes up to 45° make that 2.1 to 3 mm.

    No way out is longer than straight up.
    """
    points = surface(SHAPES[kind])
    for seed in SEEDS:
        found = over(kind, points, ground, np.random.default_rng(seed), -DEPTH)
        assert len(found.gaps) > 0, seed
        deepest = found.gaps.min()
        assert -DEPTH - SEARCH < deepest < -0.7 * DEPTH + SEARCH, (seed, deepest)


@pytest.mark.parametrize("ground", GROUNDS)
@pytest.mark.parametrize("kind", SHAPES)
def test_who_is_above_the_ground_is_not_in_it(kind: str, ground: str) -> None:
    """A shape whose lowest point is 3 mm over the ground is at least 1 mm over it: no contact has a depth."""
    points = surface(SHAPES[kind])
    for seed in SEEDS:
        gaps = over(kind, points, ground, np.random.default_rng(seed), DEPTH).gaps
        assert gaps.min(initial=1.0) > 0.0, seed


def test_a_steep_frustum_over_rough_ground_is_not_in_it() -> None:
    """An edge that is steeper than the frustum's side is in its cone on one side of the apex alone.

    Oracle: points of the terrain 1 mm apart, beside the frustum's two planes and its cone; none is nearer than 1 mm.  One of
    its edges was once taken for 12 mm deep.
    """
    rng = np.random.default_rng(17)
    r, q, length = (float(x) for x in rng.uniform(0.05, 0.2, 3))
    slope, cell = 10.0 ** rng.uniform(-1.5, 0.5), float(10.0 ** rng.uniform(-1.5, -0.5))
    terrain = Terrain(
        rng.uniform(0.0, 1.0, (81, 81)) * slope * cell, (cell, cell), (-40.0 * cell, -40.0 * cell)
    )
    turn = rng.normal(size=4)
    turn /= np.linalg.norm(turn)
    place = np.array([*rng.uniform(-0.1, 0.1, 2), 0.18491181428153533])
    x, y = (grid.ravel() for grid in np.meshgrid(*(np.linspace(-0.25, 0.25, 501) + c for c in place[:2])))
    local = (np.column_stack([x, y, terrain.height_at(x, y)]) - place) @ rotation_of(turn)
    z, slant = local[:, 2], np.hypot(1.0, (q - r) / length)
    beside = (np.hypot(local[:, 0], local[:, 1]) - r - z * (q - r) / length) / slant
    assert np.maximum(np.maximum(-z, z - length), beside).min() > 1e-3
    found = looked(Frustum(radius_start=r, radius_end=q, length=length), np.array([*turn, *place]), terrain)
    assert found.gaps.min(initial=1.0) > 0.0


def test_a_ball_in_a_valley_touches_both_sides() -> None:
    """Law: a ball between two slopes of 45° that is 0.1 mm deep in both has two contacts, at right angles.

    Tolerance: rounding.
    """
    valley = Terrain(np.tile(np.abs(X), (5, 1)), (0.05, 0.5), (-1.0, -1.0))
    found = looked(
        Sphere(radius=0.1), np.array([1.0, 0, 0, 0, 0, 0.013, np.sqrt(2.0) * (0.1 - 1e-4)]), valley
    )
    assert found.gaps == pytest.approx([-1e-4, -1e-4], abs=1e-12)
    assert found.normals[0] @ found.normals[1] == pytest.approx(0.0, abs=1e-12)


def test_a_ball_in_a_pit_touches_three_of_its_four_sides() -> None:
    """Law: what rests is held at three places, or it goes on; a ball 0.1 mm deep in four slopes of 63° is held by three.

    The middle of the pit is no grid point, so that every side has its triangle.  Tolerance: rounding.
    """
    x = np.arange(-10, 10) + 0.5
    pit = Terrain(0.1 * np.maximum(np.abs(x), np.abs(x)[:, None]), (0.05, 0.05), (-0.475, -0.475))
    found = looked(Sphere(radius=0.1), np.array([1.0, 0, 0, 0, 0, 0, np.sqrt(5.0) * (0.1 - 1e-4)]), pit)
    assert found.gaps == pytest.approx([-1e-4] * 3, abs=1e-12)
    assert np.linalg.matrix_rank(found.normals, tol=0.1) == 3


def test_a_ball_on_three_peaks_touches_all_three() -> None:
    """Law: a ball whose surface goes through three spikes touches each, along the line to its middle.

    Tolerance: rounding.
    """
    heights = np.zeros((9, 9))
    peaks = np.array([[2, 4], [5, 2], [6, 6]])
    places = 0.1 * (peaks[:, ::-1] - 4.0)
    middle, radius = np.array([0.01, 0.02, 0.9]), 0.5
    tops = middle[2] - np.sqrt(radius**2 - ((places - middle[:2]) ** 2).sum(axis=1))
    heights[peaks[:, 0], peaks[:, 1]] = tops
    found = looked(
        Sphere(radius=radius), np.array([1.0, 0, 0, 0, *middle]), Terrain(heights, (0.1, 0.1), (-0.4, -0.4))
    )
    assert found.gaps == pytest.approx([0.0] * 3, abs=1e-12)
    wanted = (middle - np.column_stack([places, tops])) / radius
    assert sorted(map(tuple, found.normals.round(9))) == sorted(map(tuple, wanted.round(9)))


def test_who_touches_a_rim_touches_it_on_the_cylinder() -> None:
    """Law: a place where a cylinder touches, or will within the step, lies on its surface, but for the gap there.

    Cylinders fall at 20 m/s, 1 cm over rough ground.  Of steep edges the place was once taken where they cross the side
    prolonged, far before its end.  Tolerance: a tangent of the rim is taken for the rim.
    """
    shape = Cylinder(radius=0.1, length=0.2)
    points = surface(shape)
    for seed in range(8):
        rng = np.random.default_rng(seed)
        terrain = Terrain(rng.uniform(0.0, 0.2, (21, 21)), (0.1, 0.1), (-1.0, -1.0))
        turn = rng.normal(size=4)
        turn /= np.linalg.norm(turn)
        R = rotation_of(turn)
        placed = points @ R.T
        lowest = (placed[:, 2] - terrain.height_at(placed[:, 0], placed[:, 1])).min()
        place = np.array([0.0, 0.0, 0.01 - lowest])
        v = np.array([0.0, 0.0, 0.0, *(R.T @ (0.0, 0.0, -20.0))])
        found = looked(shape, np.array([*turn, *place]), terrain, v)
        local = (found.points - place) @ R
        across, along = np.hypot(local[:, 0], local[:, 1]), np.abs(local[:, 2])
        off = np.hypot(np.maximum(across - 0.1, 0.0), np.maximum(along - 0.1, 0.0))
        assert (off < np.abs(found.gaps) + 0.01).all(), seed


@pytest.mark.parametrize("fold", [1e-5, 1e-3, 0.1, 1.0])
def test_a_direction_is_in_a_fold_or_beside_it(fold: float) -> None:
    """Law: between two normals is what is between them, however small the angle. Oracle: angles; an edge lies along x.

    With a slack of its own size, of a fold of 1e-5 every direction was one of its normals, and things far away touched.
    """

    def leaning(angle: float) -> tuple[float, float, float]:
        return (0.0, float(np.sin(angle)), float(np.cos(angle)))

    n, m = leaning(-0.5 * fold), leaning(0.5 * fold)
    for part in (-0.9, 0.0, 0.9):
        direction = leaning(0.5 * part * fold)
        assert in_fold(direction, n, m) == (direction, True)
    for part in (-1.5, 1.5):
        normal, fits = in_fold(leaning(0.5 * part * fold), n, m)
        assert not fits and normal == (m if part > 0.0 else n)
    for angle in (-0.5, 0.5):
        assert not in_fold(leaning(np.sign(angle) * (0.5 * fold + abs(angle))), n, m)[1]
