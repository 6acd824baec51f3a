"""Bodies on ridges, peaks, steps and waves of a terrain: nothing goes through them, and flat triangles are a plane."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import zoophyte as zp
from bodies import Floats
from zoophyte.description import (
    Body,
    Box,
    Capsule,
    Cylinder,
    Ellipsoid,
    Frustum,
    Joint,
    Surface,
    TaperedCapsule,
)
from zoophyte.model.contact_layout import SLOP_PART
from zoophyte.validation.oracles import rotation_of

ROOT = 0.5**0.5
UPRIGHT, LYING, ASKEW = (1.0, 0.0, 0.0, 0.0), (ROOT, 0.0, ROOT, 0.0), (0.5, 0.5, 0.1, 0.7)
ALONG = (ROOT, ROOT, 0.0, 0.0)  # an axis along y, as the edges of stairs and of the ridge, which are longer
X: Floats = np.linspace(-1.0, 1.0, 41)
FINE: Floats = np.linspace(-1.0, 1.0, 201)
GROUNDS = {
    "ridge": zp.Terrain(np.tile(np.maximum(0.1 - np.abs(X), 0.0), (5, 1)), (0.05, 0.5), (-1.0, -1.0)),
    "peak": zp.Terrain(
        np.maximum(0.1 - np.maximum(np.abs(X), np.abs(X)[:, None]), 0.0), (0.05, 0.05), (-1.0, -1.0)
    ),
    "valley": zp.Terrain(np.tile(0.5 * np.abs(X), (5, 1)), (0.05, 0.5), (-1.0, -1.0)),
    "waves": zp.Terrain(
        0.02 * np.sin(25.0 * FINE) * np.cos(21.0 * FINE[:, None]), (0.01, 0.01), (-1.0, -1.0)
    ),
    "stair": zp.Terrain.steps(6, rise=0.17, run=0.29, start=0.2),
}
BOX, CAPSULE, LOG = (
    Box(size=(0.4, 0.2, 0.1)),
    Capsule(radius=0.05, length=0.4),
    Capsule(radius=0.05, length=0.8),
)
PLANK, WHEEL = Box(size=(0.8, 0.2, 0.1)), Cylinder(radius=0.15, length=0.1)
SCENES: dict[str, tuple[Any, Any, tuple[float, float, float], str]] = {
    "a box across a ridge": (BOX, UPRIGHT, (0.03, 0.0, 0.25), "ridge"),
    "a box over a peak": (BOX, UPRIGHT, (0.03, 0.02, 0.25), "peak"),
    "a box on waves finer than itself": (BOX, ASKEW, (0.1, 0.1, 0.4), "waves"),
    "a capsule across a ridge": (CAPSULE, LYING, (0.02, 0.0, 0.25), "ridge"),
    "a capsule across a valley": (CAPSULE, LYING, (0.02, 0.0, 0.4), "valley"),
    "a tapered capsule across a ridge": (TaperedCapsule(radius_start=0.06, radius_end=0.03, length=0.4), LYING,
                                         (-0.18, 0.0, 0.25), "ridge"),
    "a cylinder across a ridge": (Cylinder(radius=0.05, length=0.4), LYING, (0.02, 0.0, 0.25), "ridge"),
    "a cylinder stood on a ridge": (WHEEL, UPRIGHT, (0.02, 0.0, 0.25), "ridge"),
    "a frustum stood on a ridge": (Frustum(radius_start=0.1, radius_end=0.05, length=0.2), UPRIGHT,
                                   (0.02, 0.0, 0.2), "ridge"),
    "an ellipsoid on a ridge": (Ellipsoid(semi_axes=(0.2, 0.1, 0.06)), UPRIGHT, (0.02, 0.0, 0.25), "ridge"),
    "a log on the edges of steps": (LOG, LYING, (0.7, 0.0, 0.8), "stair"),
    "a barrel along a step": (Cylinder(radius=0.1, length=0.3), ALONG, (0.52, 0.0, 0.55), "stair"),
    "a barrel along a ridge": (Cylinder(radius=0.1, length=0.3), ALONG, (0.01, 0.0, 0.25), "ridge"),
    "a frustum along a step": (Frustum(radius_start=0.1, radius_end=0.06, length=0.3), ALONG, (0.52, 0.15, 0.55), "stair"),
    "a coin upright on a step": (Cylinder(radius=0.15, length=0.05), ALONG, (0.51, 0.0, 0.6), "stair"),
    "a plank on the edges of steps": (PLANK, UPRIGHT, (0.9, 0.0, 0.9), "stair"),
}  # fmt: skip


def world(shape: Any, turn: Any, place: Any, ground: Any, friction: float = 0.8, **more: Any) -> zp.World:
    initial = (*(np.array(turn) / np.linalg.norm(turn)).tolist(), *place)
    body = Body(name="body", joint=Joint(kind="free", initial=initial), shapes=[shape])
    scene = zp.Description(name="scene", bodies=[body], surface=Surface(friction=friction))
    return zp.World(scene, habitat=zp.Habitat(ground=ground), **more)


def inside(shape: Any, x: Floats) -> Floats:
    """How deep points are in a shape, in its axes: at least; not positive for those outside."""
    x, across = np.atleast_2d(x), np.hypot(x[:, 0], x[:, 1])
    if isinstance(shape, Box):
        return np.asarray((0.5 * np.array(shape.size) - np.abs(x)).min(axis=1))
    if isinstance(shape, Ellipsoid):
        return np.asarray(
            min(shape.semi_axes) * (1.0 - np.linalg.norm(x / np.array(shape.semi_axes), axis=1))
        )
    straight = isinstance(shape, (Capsule, Cylinder))
    r, q = (shape.radius, shape.radius) if straight else (shape.radius_start, shape.radius_end)
    z = x[:, 2] + (0.5 * shape.length if straight else 0.0)
    share = np.clip(z / shape.length, 0.0, 1.0)
    if isinstance(shape, (Cylinder, Frustum)):
        slant = shape.length / np.hypot(shape.length, q - r)
        ends = np.minimum(z, shape.length - z)
        return np.asarray(np.minimum(ends, (r + share * (q - r) - across) * slant))
    return np.asarray(r + share * (q - r) - np.hypot(across, z - share * shape.length))


def ridges(ground: zp.Terrain) -> Floats:
    """Points of the terrain: its vertices, and some on every edge along x and along y, not much closer than 6 mm."""
    (rows, columns), (wide, deep), (left, low) = ground.heights.shape, ground.spacing, ground.origin
    x, y = left + wide * np.arange(columns), low + deep * np.arange(rows)
    every_x = np.linspace(x[0], x[-1], 1 + (columns - 1) * max(1, min(8, int(wide / 0.006))))
    every_y = np.linspace(y[0], y[-1], 1 + (rows - 1) * max(1, min(64, int(deep / 0.006))))
    points = np.concatenate(
        [np.stack(np.meshgrid(*xy), -1).reshape(-1, 2) for xy in ((every_x, y), (x, every_y))]
    )
    return np.column_stack([points, ground.height_at(points[:, 0], points[:, 1])])


@pytest.mark.parametrize("name", SCENES)
def test_no_edge_of_the_terrain_gets_into_a_shape(name: str) -> None:
    """Points of all ridges, rims and peaks stay outside, but for the slop that the solver leaves alone on a plane as well.

    Tolerance: the slop, 5e-4 of the shape's reach, and a tenth of a millimetre for what a blow leaves for some steps.
    """
    shape, turn, place, ground = SCENES[name]
    terrain = GROUNDS[ground]
    scene = world(shape, turn, place, terrain, dt=1e-3)
    life = scene.simulate(1.5, record_rate=50.0)
    assert life.status.kind == "ended"
    points, reach = ridges(terrain), scene.model.shapes[0].reach
    deepest = 0.0
    for q in life.q:
        near = points[np.abs(points - q[4:]).max(axis=1) < 0.5]
        deepest = max(deepest, inside(shape, (near - q[4:]) @ rotation_of(q[:4])).max(initial=0.0))
    assert deepest < SLOP_PART * reach + 1e-4
    assert np.abs(life.q[-1][6]) < 1.2  # it is still there


@pytest.mark.parametrize("shape", [BOX, CAPSULE, WHEEL], ids=["box", "capsule", "cylinder"])
def test_flat_triangles_are_a_plane(shape: Any) -> None:
    """A shape thrown flat slides over a grid of level triangles as over a plane: no edge between them is felt.

    Oracle: the same life on a plane.  Normals of triangles are (0, 0, 1 ± 1 ulp): after 1000 steps the difference is that of
    rounding, which sliding does not amplify.
    """
    flat = zp.Terrain(np.zeros((81, 81)), (0.05, 0.05), (-2.0, -2.0))
    turn = LYING if shape is CAPSULE else UPRIGHT
    lowest = 0.05 + 1e-4
    ends = []
    for ground in (flat, zp.Plane()):
        scene = world(shape, turn, (0.013, 0.007, lowest), ground, friction=0.2, dt=1e-3)
        state = zp.State.neutral(scene.model)
        v = state.v.copy()
        local = rotation_of(np.array(turn)).T @ np.array([1.0, 0.4, 0.0])
        v[3:] = local
        ends.append(scene.simulate(1.0, state=state.at(v=v)).final)
    assert np.hypot(*(ends[1].q[4:6] - (0.013, 0.007))) > 0.1  # it did slide over some cells
    assert np.abs(ends[0].q - ends[1].q).max() < 1e-11
    assert np.abs(ends[0].v - ends[1].v).max() < 1e-11


def test_who_lies_on_terrain_gains_no_energy() -> None:
    """Thrown shapes tumble over bumps; from one frame to the next their energy does not rise.

    Tolerance: the correction of positions may lift a body by the slop, and integration of a fast tumble is not exact: 1 % of
    the weight times a shape's length.
    """
    bumps = zp.Terrain.bumps(seed=3, size=(6.0, 6.0), height=0.3, length=0.6)
    rng = np.random.default_rng(5)
    shapes = (BOX, CAPSULE, TaperedCapsule(radius_start=0.06, radius_end=0.03, length=0.4), WHEEL,
              Ellipsoid(semi_axes=(0.2, 0.1, 0.06)))  # fmt: skip
    for shape in shapes:
        scene = world(shape, rng.normal(size=4), (*rng.uniform(-1.0, 1.0, 2), 0.7), bumps, dt=1e-3)
        state = zp.State.neutral(scene.model)
        life = scene.simulate(1.5, record_rate=100.0, state=state.at(v=rng.normal(size=6)))
        energy = np.array([zp.energy(scene.model, life.frame(k)).total for k in range(len(life))])
        weight = float(scene.model.total_mass) * 9.81
        assert np.diff(energy).max() < 0.01 * weight * 0.4


def test_a_thin_plate_does_not_tunnel_through_a_ridge() -> None:
    """A plate of 1 cm that falls flat at 20 m/s, 4 cm in a step, is stopped by a ridge that only its middle meets."""
    plate = Box(size=(0.6, 0.4, 0.01))
    scene = world(plate, UPRIGHT, (0.0, 0.0, 0.6), GROUNDS["ridge"], dt=2e-3)
    state = zp.State.neutral(scene.model)
    v = state.v.copy()
    v[5] = -20.0
    life = scene.simulate(0.1, record_rate=500.0, state=state.at(v=v))
    assert min(q[6] for q in life.q) > 0.1 + 0.005 - 1e-3
