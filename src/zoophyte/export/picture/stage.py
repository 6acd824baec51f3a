"""From a scene to the numbers that the drawing loops read."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from zoophyte.export.extent import creature_size, rotations_of, with_markers
from zoophyte.export.grounds import drawn_ground, path_box
from zoophyte.export.look import encoded, linear
from zoophyte.export.picture.camera import Camera, half_fields, sun_axes
from zoophyte.export.picture.compiled import compiled
from zoophyte.export.picture.drawing import TILE
from zoophyte.export.picture.ground import (
    BLOCK,
    FIELD_PLACE,
    KIND_OF_GROUND,
    NORMAL,
)
from zoophyte.export.picture.grounding import colour_numbers, ground_numbers
from zoophyte.export.picture.light import CONTACT, PIXEL, SOLIDS, SUN_TANGENT, TILE_LISTS
from zoophyte.export.picture.solids import (
    BOX,
    CAPSULE,
    CENTRE,
    COLOUR,
    COLUMNS,
    ELLIPSOID,
    FRUSTUM,
    GROUP,
    KIND,
    OPACITY,
    PLACE,
    PLANES_FROM,
    PLANES_TO,
    POLYHEDRON,
    RADIUS,
    ROTATION,
    SIZES,
    TAPERED,
)
from zoophyte.export.scene import Scene
from zoophyte.model import Plane, Terrain

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

LIGHT_LEVELS = 4096
THREAD, THREAD_COLOUR = (
    0.008,
    (0.32, 0.33, 0.35),
)  # radius over the creature's size, and colour, of springs between bodies


def byte_table() -> NDArray[np.uint8]:
    """The sRGB byte of each of LIGHT_LEVELS amounts of linear light."""
    light = np.linspace(0.0, 1.0, LIGHT_LEVELS)
    return np.asarray(np.round(255.0 * encoded(light)), np.uint8)


@dataclass(frozen=True)
class Moment:
    """One frame of a scene in a picture.

    Args:
        frame: its number.
        opacity: 1 for a thing, less for a ghost.
    """

    frame: int
    opacity: float = 1.0


class Theatre:
    """A scene with everything that does not change between its pictures.

    Args:
        scene: what is drawn.
        frames: that will be shown; all if left out.
    """

    def __init__(self, scene: Scene, frames: Ints | None = None) -> None:
        self.scene = with_markers(scene)
        self.unit = creature_size(scene)
        self.ground = drawn_ground(scene, frames)
        self._planes: list[Floats] = []

    @cached_property
    def _still(self) -> tuple[Floats, Ints, Floats, Floats]:
        """Solids in their bodies' frames: rows, bodies, rotations, places of the bounding balls."""
        rows, bodies, turns, faces = [], [], [], 0
        for body, shapes in enumerate(self.scene.shapes):
            for shape in shapes:
                row = np.zeros(COLUMNS)
                turn = rotations_of(np.asarray(shape.rotation, float))
                kind, sizes, shift, centre, radius, planes = _solid(shape)
                row[KIND], row[SIZES : SIZES + len(sizes)] = kind, np.asarray(sizes) / self.unit
                row[PLACE : PLACE + 3] = np.asarray(shape.position) + turn @ shift
                row[CENTRE : CENTRE + 3] = np.asarray(shape.position) + turn @ centre
                row[RADIUS], row[COLOUR : COLOUR + 3] = radius / self.unit, linear(shape.colour)
                row[PLANES_FROM], row[PLANES_TO] = faces, faces + planes.size
                faces += planes.size
                self._planes.append(planes / np.array([1.0, 1.0, 1.0, self.unit]))
                rows.append(row)
                bodies.append(body)
                turns.append(turn)
        return (
            np.array(rows).reshape(-1, COLUMNS), np.array(bodies, np.int64), np.array(turns).reshape(-1, 3, 3),
            np.concatenate([np.zeros((0, 4)), *self._planes]),
        )  # fmt: skip

    def solids(self, moments: list[Moment], origin: Floats) -> Floats:
        """All solids of some moments, the shown one first and then its ghosts, shape (n, COLUMNS), about `origin`.

        What stands still in all of them is drawn once, in a group of its own behind the last, so that ghosts pass before it.
        """
        still, bodies, turns, _ = self._still
        places = self.scene.positions[[moment.frame for moment in moments]]
        angles = self.scene.quaternions[[moment.frame for moment in moments]]
        stands = np.all(places == places[0], axis=(0, 2)) & np.all(angles == angles[0], axis=(0, 2))
        parts = []
        for group, moment in enumerate(moments):
            part = still.copy()
            turn = rotations_of(self.scene.quaternions[moment.frame])[bodies]
            place = self.scene.positions[moment.frame][bodies] - origin
            for column in (PLACE, CENTRE):
                local = still[:, column : column + 3]
                part[:, column : column + 3] = (np.einsum("nij,nj->ni", turn, local) + place) / self.unit
            part[:, ROTATION : ROTATION + 9] = (turn @ turns).reshape(-1, 9)
            part[:, OPACITY], part[:, GROUP] = moment.opacity, group
            if len(moments) > 1 and group == 0:
                part[stands[bodies], GROUP] = len(moments)
            parts += [part if group == 0 else part[~stands[bodies]], self._threads(moment, group, origin)]
        return np.concatenate(parts)

    def _threads(self, moment: Moment, group: int, origin: Floats) -> Floats:
        """Springs between bodies as thin rods, shape (n, COLUMNS)."""
        ends = self.scene.thread_ends(moment.frame)
        rows = np.zeros((len(ends), COLUMNS))
        for row, (start, end) in zip(rows, ends, strict=True):
            half = 0.5 * float(np.linalg.norm(end - start)) / self.unit
            middle = (0.5 * (start + end) - origin) / self.unit
            row[KIND], row[SIZES : SIZES + 2], row[RADIUS] = CAPSULE, (THREAD, half), THREAD + half
            row[PLACE : PLACE + 3] = row[CENTRE : CENTRE + 3] = middle
            row[ROTATION : ROTATION + 9] = _turn_to(end - start).ravel()
            row[COLOUR : COLOUR + 3] = linear(THREAD_COLOUR)
            row[OPACITY], row[GROUP] = moment.opacity, group
        return rows

    def draw(self, moments: list[Moment], camera: Camera, size: tuple[int, int]) -> NDArray[np.uint8]:
        """The picture, shape (height, width, 3).

        Args:
            moments: what is shown, at most 60.
            camera: from where.
            size: width and height in pixels.
        """
        origin = np.asarray(camera.target, float)
        solids = self.solids(moments, origin)
        axes = camera.axes()
        across, upwards = half_fields(camera.field, size)
        eye = (np.asarray(camera.eye, float) - origin) / self.unit
        view = np.array([eye, across * axes[0], upwards * axes[1], axes[2]])
        sun = sun_axes(axes)
        solids[:, [PLANES_FROM, PLANES_TO]] += SOLIDS + solids.size
        planes, (heights, blocks) = self._still[3], self._field
        field_at = SOLIDS + solids.size + planes.size
        far = float(np.linalg.norm(eye))
        head = ground_numbers(self.ground, self.unit, origin, far, field_at, self._beyond)
        at, colours = colour_numbers(self.scene.look)
        head[at : at + len(colours)] = colours
        head[PIXEL - KIND_OF_GROUND] = 2.0 * upwards / size[1]
        shades, shade_cells = _shade_boxes(solids, sun, self._drops(solids, sun[0], head))
        parts = (view, sun, shade_cells, head, solids, planes, heights, blocks)
        data = np.concatenate([part.ravel() for part in parts])
        tiles = -(-size[0] // TILE), -(-size[1] // TILE)
        lists = _lists(_tile_boxes(solids, view, size), tiles, shades)
        picture = np.empty((size[1], size[0], 3), np.uint8)
        compiled("draw")(data, lists, byte_table(), picture)
        return picture

    @cached_property
    def _beyond(self) -> float:
        """How far beyond the edge of a terrain anybody goes, with what is around [m]; 0 if nobody does."""
        if not isinstance(self.ground, Terrain):
            return 0.0
        (low, high), spacing = path_box(self.scene), np.asarray(self.ground.spacing)
        start = np.asarray(self.ground.origin)
        end = start + spacing * (np.array(self.ground.heights.shape[::-1]) - 1)
        out = float(max((start - low).max(), (high - end).max()))
        return out + self.unit if out > 0.0 else 0.0

    @cached_property
    def _field(self) -> tuple[Floats, Floats]:
        """Heights of a terrain, and the highest in every block of cells."""
        if not isinstance(self.ground, Terrain):
            return np.zeros(0), np.zeros(0)
        heights = self.ground.heights / self.unit
        rows, columns = heights.shape
        starts = [np.arange(0, count - 1, BLOCK) for count in (rows, columns)]
        # Blocks share the points between them.
        inner = np.maximum.reduceat(np.maximum.reduceat(heights, starts[0], axis=0), starts[1], axis=1)
        edges = [
            np.minimum(start + BLOCK, count - 1) for start, count in zip(starts, (rows, columns), strict=True)
        ]
        below = np.maximum.reduceat(heights[edges[0]], starts[1], axis=1)
        beside = np.maximum.reduceat(heights[:, edges[1]], starts[0], axis=0)
        corners = heights[np.ix_(edges[0], edges[1])]
        return heights, np.maximum.reduce([inner, below, beside, corners])

    def _drops(self, solids: Floats, sun: Floats, head: Floats) -> Floats:
        """How far light that passes each solid goes on, at most, until it meets the ground or the lowest solid."""
        tops = solids[:, CENTRE + 2] + solids[:, RADIUS]
        lowest = float(np.min(solids[:, CENTRE + 2] - solids[:, RADIUS], initial=0.0))
        if isinstance(self.ground, Plane):
            normal, level = head[NORMAL - KIND_OF_GROUND :][:3], head[NORMAL - KIND_OF_GROUND + 3]
            above = solids[:, CENTRE : CENTRE + 3] @ normal + solids[:, RADIUS] - level
            # Light that grazes the plane goes far: it is followed for some sizes, behind which it is spread out.
            return np.asarray(np.maximum(above, 0.0) / max(float(normal @ sun), 0.1), float)
        if isinstance(self.ground, Terrain):
            lowest = min(lowest, float(self._field[0].min()) + head[FIELD_PLACE - KIND_OF_GROUND + 2])
        return np.asarray(np.maximum(tops - lowest, 0.0) / float(sun[2]), float)


def _turn_to(along: Floats) -> Floats:
    """A rotation that takes z to a direction; none where there is no direction."""
    length = float(np.linalg.norm(along))
    if length == 0.0:
        return np.eye(3)
    z = along / length
    x = np.cross(np.eye(3)[int(np.argmin(np.abs(z)))], z)
    x /= np.linalg.norm(x)
    return np.stack([x, np.cross(z, x), z], axis=1)


def _lists(tile_boxes: Ints, tiles: tuple[int, int], shade_boxes: Ints) -> Ints:
    """Which solids matter in which cell of the picture, and in which cell across the sun."""
    fill = compiled("fill_cells")
    first = SOLIDS + COLUMNS * np.arange(len(tile_boxes))
    nothing, count = np.zeros(0, np.int64), shade_count(len(shade_boxes))
    head = TILE_LISTS + 1
    middle = fill(tile_boxes, first, *tiles, nothing, head)
    lists = np.zeros(fill(shade_boxes, first, count, count, nothing, middle), np.int64)
    lists[:head] = [*tiles, count, count, middle, head]
    fill(tile_boxes, first, *tiles, lists, head)
    fill(shade_boxes, first, count, count, lists, middle)
    return lists


def shade_count(solids: int) -> int:
    """Cells across the sun, along each side, for so many solids."""
    return int(np.clip(8.0 * np.sqrt(solids), 16, 160))


def _solid(shape: Any) -> tuple[int, Any, Floats, Floats, float, Floats]:
    """Kind, sizes, shift of the frame, centre and radius of the bounding ball in the shape's frame, planes."""
    zero, up, no_planes = np.zeros(3), np.array([0.0, 0.0, 1.0]), np.zeros((0, 4))
    if shape.kind == "sphere":
        return CAPSULE, (shape.radius, 0.0), zero, zero, shape.radius, no_planes
    if shape.kind == "capsule":
        half = 0.5 * shape.length
        return CAPSULE, (shape.radius, half), zero, zero, shape.radius + half, no_planes
    if shape.kind == "box":
        half_sizes = 0.5 * np.asarray(shape.size)
        return BOX, half_sizes, zero, zero, float(np.linalg.norm(half_sizes)), no_planes
    if shape.kind == "ellipsoid":
        return ELLIPSOID, shape.semi_axes, zero, zero, max(shape.semi_axes), no_planes
    if shape.kind == "polyhedron":
        vertices = np.asarray(shape.vertices)
        centre = 0.5 * (vertices.min(axis=0) + vertices.max(axis=0))
        radius = float(np.linalg.norm(vertices - centre, axis=1).max())
        return POLYHEDRON, (), zero, centre, radius, _planes(shape)
    if shape.kind == "tapered_capsule":
        low, high = -shape.radius_start, shape.length + shape.radius_end
        sizes = (shape.radius_start, shape.radius_end, shape.length)
        radius = max(0.5 * (high - low), shape.radius_start, shape.radius_end)
        return TAPERED, sizes, zero, 0.5 * (low + high) * up, radius, no_planes
    if shape.kind == "cylinder":
        start = end = shape.radius
        shift = -0.5 * shape.length * up
    else:
        start, end, shift = shape.radius_start, shape.radius_end, zero
    radius = float(np.hypot(max(start, end), 0.5 * shape.length))
    return FRUSTUM, (start, end, shape.length), shift, shift + 0.5 * shape.length * up, radius, no_planes


def _planes(shape: Any) -> Floats:
    """Outward unit normals and heights of a convex polyhedron's faces."""
    vertices, planes = np.asarray(shape.vertices), []
    for face in shape.faces:
        corners = vertices[list(face)]
        middle = corners.mean(axis=0)
        area = np.cross(corners - middle, np.roll(corners, -1, axis=0) - middle).sum(axis=0)
        normal = area / np.linalg.norm(area)
        planes.append([*normal, normal @ middle])
    return np.array(planes)


def _shade_boxes(solids: Floats, sun: Floats, drops: Floats) -> tuple[Ints, Floats]:
    """First and last cell across the sun that each solid may shade, and where those cells are."""
    places = solids[:, CENTRE : CENTRE + 3] @ sun[1:].T
    # The half shadow widens with the way that the light has to go.
    radii = (solids[:, RADIUS] + SUN_TANGENT * drops)[:, None]
    low = np.min(places - radii, axis=0) if len(solids) else np.zeros(2)
    high = np.max(places + radii, axis=0) if len(solids) else np.ones(2)
    cell = (high - low) / shade_count(len(solids))
    first, last = (places - radii - low) // cell, (places + radii - low) // cell
    boxes = np.stack([first[:, 0], last[:, 0], first[:, 1], last[:, 1]], axis=1).astype(np.int64)
    return boxes, np.concatenate([low, cell])


def _tile_boxes(solids: Floats, view: Floats, size: tuple[int, int]) -> Ints:
    """First and last tile, across and down, that each solid's ball, widened for contact, may touch."""
    eye, forward = view[0], view[3]
    seen = solids[:, CENTRE : CENTRE + 3] - eye
    depth = seen @ forward
    radius = solids[:, RADIUS] * 1.001 + CONTACT
    bounds = []
    for axis, pixels, sign in ((view[1], size[0], 1.0), (view[2], size[1], -1.0)):
        tangent = float(np.linalg.norm(axis))
        aside = seen @ axis / tangent * sign
        away = np.hypot(aside, depth)
        angle, spread = np.arctan2(aside, depth), np.arcsin(np.minimum(radius / np.maximum(away, 1e-12), 1.0))
        limit = 1.5
        low, high = np.maximum(angle - spread, -limit), np.minimum(angle + spread, limit)
        inside = (away <= radius * 1.01) | (depth <= radius)
        first = np.where(inside, 0.0, (np.tan(low) / tangent + 1.0) * 0.5 * pixels - 1.0)
        last = np.where(inside, pixels, (np.tan(high) / tangent + 1.0) * 0.5 * pixels + 1.0)
        bounds += [np.clip(first, -1, pixels + TILE) // TILE, np.clip(last, -TILE, pixels) // TILE]
    return np.stack(bounds, axis=1).astype(np.int64)
