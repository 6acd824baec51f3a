"""The ground as it is drawn: where, from which points, and as which triangles."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from zoophyte.export.extent import Ints, creature_size, ground_level, reaches, some_frames
from zoophyte.export.meshes import Mesh
from zoophyte.export.scene import Scene
from zoophyte.model import Plane, Terrain

Floats = NDArray[np.float64]

LEVEL = 1e-12  # how much a level plane's normal may lean
POINT_LIMIT = (
    2**17
)  # of a terrain in a file; a larger one keeps all points near the creature and fewer far away
FINE_SHARE = 0.75  # of the points that may lie near
NEAR = 2.0  # creature sizes around where it has been
CREASE = np.cos(np.radians(35.0))  # triangles that meet more sharply have an edge between them
SLAB = 12.0  # creature sizes: half the side of the square that stands for a tilted plane
GROUND_FRAMES = 400
FALLEN = 0.25  # creature sizes: who has come down so far is not where it began


def is_level(ground: Plane | Terrain | None) -> bool:
    """Whether the ground is a plane with its normal upwards."""
    return isinstance(ground, Plane) and ground.normal[2] > 1.0 - LEVEL


def drawn_ground(scene: Scene, frames: Ints | None = None) -> Plane | Terrain | None:
    """The ground as it is drawn: itself, unless it is level and nothing can touch it, or the scene's look has none.

    Then it is drawn where it makes sense, and not at all for what falls through it, which would look as if it had landed.

    Args:
        scene: what is drawn.
        frames: that are shown; all if left out.
    """
    if not scene.look.has_ground:
        return None
    ground = scene.ground
    if scene.is_felt or not isinstance(ground, Plane) or not is_level(ground):
        return ground
    if any(joint.kind == "free" for joint in scene.joints):
        frames = some_frames(scene, GROUND_FRAMES) if frames is None else frames
        lowest = -float(reaches(scene, np.array([[0.0, 0.0, -1.0]]), frames).max())
        fallen = float(scene.com[0, 2] - scene.com[frames, 2].min())
        if lowest < ground.height and fallen > FALLEN * creature_size(scene):
            return None
        return Plane(height=ground_level(scene, ground.height, frames))
    return Plane(height=ground_level(scene, ground.height))


def grid_axes(normal: Floats) -> Floats:
    """Two unit vectors in a plane, the first as near to x as can be (to y if the normal is x), shape (2, 3)."""
    first = np.array([1.0, 0.0, 0.0]) - normal[0] * normal
    if np.linalg.norm(first) < 0.1:
        first = np.array([0.0, 1.0, 0.0]) - normal[1] * normal
    first = first / np.linalg.norm(first)
    return np.array([first, np.cross(normal, first)])


def path_box(scene: Scene) -> tuple[Floats, Floats]:
    """Lowest and highest (x, y) of all shapes over all frames [m]."""
    sides = np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
    extent = reaches(scene, np.concatenate([sides, -sides]), some_frames(scene, GROUND_FRAMES)).max(axis=0)
    return -extent[2:], extent[:2]


@dataclass(frozen=True, eq=False)
class Grid:
    """Some rows and columns of a terrain.

    Args:
        x: of the columns [m].
        y: of the rows [m].
        heights: shape (rows, columns) [m].
    """

    x: Floats
    y: Floats
    heights: Floats


def grid_of(scene: Scene, terrain: Terrain, limit: int = POINT_LIMIT) -> Grid:
    """A terrain's points, or, of a large one, all near the creature's way and fewer and fewer beyond.

    Args:
        scene: where the creature goes.
        terrain: the ground.
        limit: of points.
    """
    (low, high), margin = path_box(scene), NEAR * creature_size(scene)
    rows, columns = terrain.heights.shape
    side = int(np.sqrt(limit))
    most = {
        "columns": max(limit // rows, 2) if rows < side else side,
        "rows": max(limit // columns, 2) if columns < side else side,
    }
    kept = []
    for axis, count, name in ((0, columns, "columns"), (1, rows, "rows")):
        step, origin = terrain.spacing[axis], terrain.origin[axis]
        near = (np.array([low[axis] - margin, high[axis] + margin]) - origin) / step
        first, last = np.clip([np.floor(near[0]), np.ceil(near[1])], 0, count - 1).astype(int)
        kept.append(thinned(count, int(first), int(last), most[name]))
    i, j = kept
    x, y = terrain.origin[0] + terrain.spacing[0] * i, terrain.origin[1] + terrain.spacing[1] * j
    return Grid(np.asarray(x, float), np.asarray(y, float), terrain.heights[np.ix_(j, i)])


def thinned(count: int, first: int, last: int, limit: int) -> Ints:
    """At most about `limit` of `count` whole numbers: those from `first` to `last`, and wider and wider steps outside.

    Args:
        count: how many there are.
        first: of the dense ones.
        last: of the dense ones.
        limit: of how many are kept.
    """
    if count <= limit:
        return np.arange(count)
    near = np.linspace(first, last, min(last - first + 1, int(FINE_SHARE * limit))).round().astype(np.int64)
    left = max((limit - len(near)) // 2, 2)
    below, above = (
        np.geomspace(1.0, side, left).round().astype(np.int64) if side >= 1 else np.zeros(0, np.int64)
        for side in (first, count - 1 - last)
    )
    return np.unique(np.concatenate([first - below, near, last + above]))


# --------------------------------------------------------------------------------------------------- triangles


def ground_mesh(scene: Scene) -> Mesh | None:
    """Triangles of a terrain, or of a square of a tilted plane; nothing for a level plane, which needs no drawing.

    Args:
        scene: what is drawn.
    """
    ground = drawn_ground(scene)
    if ground is None or is_level(ground):
        return None
    if isinstance(ground, Plane):
        return _slab(scene, ground)
    grid = grid_of(scene, ground)
    points, triangles = grid_triangles(grid)
    return Mesh(("terrain",), *smoothed(points, triangles))


def _slab(scene: Scene, plane: Plane) -> Mesh:
    normal, half = np.asarray(plane.normal), SLAB * creature_size(scene)
    first, second = grid_axes(normal)
    middle = scene.com.mean(axis=0)
    middle = middle + (plane.height - normal @ middle) * normal
    corners = [middle + half * (a * first + b * second) for a, b in ((-1, -1), (1, -1), (1, 1), (-1, 1))]
    return Mesh(("plane",), np.array(corners), np.tile(normal, (4, 1)), np.array([[0, 1, 2], [0, 2, 3]]))


def grid_triangles(grid: Grid) -> tuple[Floats, Ints]:
    """Points (n, 3) and triangles (m, 3), counter-clockwise from above; cells are cut along the rising diagonal."""
    rows, columns = grid.heights.shape
    x, y = np.meshgrid(grid.x, grid.y)
    points = np.stack([x, y, grid.heights], axis=-1).reshape(-1, 3)
    row, column = np.meshgrid(np.arange(rows - 1), np.arange(columns - 1), indexing="ij")
    a = (row * columns + column).ravel()
    b, c, d = a + 1, a + columns, a + columns + 1
    return points, np.concatenate([np.stack([a, b, d], axis=1), np.stack([a, d, c], axis=1)])


def smoothed(points: Floats, triangles: Ints) -> tuple[Floats, Floats, Ints]:
    """Points, normals and triangles such that the surface is smooth but where triangles meet sharply.

    Every corner of a triangle gets the mean of the normals of those triangles around the same point that lean less
    than 35° from its own; a point with several such means is split.

    Args:
        points: shape (n, 3).
        triangles: numbers of points, shape (m, 3).
    """
    corners = points[triangles]
    area = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    normal = area / np.maximum(np.linalg.norm(area, axis=1, keepdims=True), np.finfo(float).tiny)
    owner = np.tile(np.arange(len(triangles)), 3)
    point = triangles.T.ravel()
    order = np.argsort(point, kind="stable")
    point, owner = point[order], owner[order]
    start = np.searchsorted(point, np.arange(len(points) + 1))
    counts = np.diff(start)
    mean = np.zeros((len(owner), 3))
    # Around a point lie at most six triangles of a grid: each corner looks at the first, second … of its point's.
    for turn in range(int(counts.max())):
        other = start[point] + turn
        there = turn < counts[point]
        other = owner[np.where(there, other, 0)]
        alike = there & (np.einsum("ij,ij->i", normal[owner], normal[other]) > CREASE)
        mean += np.where(alike[:, None], normal[other], 0.0)
    mean /= np.maximum(np.linalg.norm(mean, axis=1, keepdims=True), np.finfo(float).tiny)
    keys = np.column_stack([point, np.round(mean * 1024.0).astype(np.int64)])
    _, first, inverse = np.unique(keys, axis=0, return_index=True, return_inverse=True)
    corner_of = np.empty(len(owner), np.int64)
    corner_of[order] = inverse.ravel()
    return points[point[first]], mean[first], corner_of.reshape(3, -1).T
