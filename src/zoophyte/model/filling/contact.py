"""A creature's shapes, pairs, constraints and axes, written into a lane of `data`, and what the solver remembers of it.

As in :mod:`zoophyte.model.filling.links`, blocks and pens differ in places only.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from zoophyte.algebra.rotations import compose, rotate, transpose, unrotate
from zoophyte.algebra.vectors import add, subtract
from zoophyte.description import Surface
from zoophyte.model import contact_layout as at
from zoophyte.model.contact_plan import ContactSettings
from zoophyte.model.layout import SLIDE
from zoophyte.model.meetings import Pair
from zoophyte.model.model import Model
from zoophyte.model.terrain import Plane, Terrain

SHAPE_FIELDS = np.arange(at.SHAPE_RECORD)
TOUCH = slice(at.SHAPE_GROUND_FRICTION, at.SHAPE_GRAIN)
"""Fields of a record that its surface and the ground's decide."""
SLOW = 1e-4
"""What is slower than this part of the speed of a fall over its own size, for half a second, rests.  So its acceleration is
below 6·10⁻⁵ of gravity for a body of a metre: what starts to slip, to tip or to sink is faster."""


def fill_ground(head: Any, settings: ContactSettings) -> None:
    """Write what the ground is like.

    Args:
        head: header of contact in a lane, or in all.
        settings: the ground.
    """
    ground, surface = settings.ground, settings.surface
    normal: Any = (0.0, 0.0, 1.0)
    if isinstance(ground, Plane):
        normal, height = ground.normal, ground.height
    else:
        height = 0.0 if ground is None else float(ground.heights.max())
    for n in range(3):
        head[at.PLANE_NORMAL + n] = normal[n]
    head[at.PLANE_HEIGHT] = height
    if isinstance(ground, Terrain):
        for n in range(2):
            head[at.TERRAIN_ORIGIN + n], head[at.TERRAIN_STEP + n] = ground.origin[n], ground.spacing[n]
            head[at.TERRAIN_SIZE + n] = ground.heights.shape[1 - n]
    head[at.GROUND_ROLLING], head[at.GROUND_TORSION] = surface.rolling, surface.torsion
    head[at.GROUND_ADHESION] = surface.adhesion


def margin(fall: float, dt: float, reach: float) -> float:
    """How far apart shapes may be and yet be solved, since other impulses may bring them together in the step [m].

    Args:
        fall: speed that gravity makes in a step [m/s].
        dt: step [s].
        reach: of the largest shape that moves [m].
    """
    return 4.0 * fall * dt + 1e-4 * reach


def fill_step(head: Any, tolerance: float, reach: float, gravity: Any, dt: float) -> None:
    """Write margins and tolerances of one creature that go with gravity and step size.

    Args:
        head: header of contact in its lane.
        tolerance: of the solver.
        reach: of the largest of its shapes that move [m].
        gravity: [m/s²].
        dt: step [s].
    """
    fall = math.sqrt(sum(float(g) ** 2 for g in gravity)) * dt
    head[at.MARGIN] = margin(fall, dt, reach)
    head[at.TOLERANCE] = tolerance * max(fall, 1e-3)
    head[at.IMPACT_SPEED] = 2.0 * fall
    head[at.SLOP], head[at.LARGEST_REACH] = at.SLOP_PART * reach, reach
    head[at.SLEEP_SPEED] = SLOW * math.sqrt(fall / dt * reach)


def fill_shapes(column: Any, starts: Any, model: Model, ground: Surface, overrides: dict[int, Any]) -> None:
    """Write the records of a creature's shapes.

    Args:
        column: a lane of `data`.
        starts: where each record starts.
        model: of the creature.
        ground: surface of the ground.
        overrides: for bodies that touch the ground differently: friction, restitution, and whether they touch it.
    """
    shapes = model.touching
    if not len(shapes):
        return
    rows = shapes.records.copy()
    rows[:, TOUCH] = np.array([_touch(surface, ground) for surface in shapes.surfaces])[list(shapes.surface)]
    if 0 in shapes.links:  # scenery
        rows[[not link for link in shapes.links], at.SHAPE_MEETS_GROUND] = 0.0
    for n, body in enumerate(shapes.bodies if overrides else ()):
        if body in overrides:
            friction, restitution, meets = overrides[body]
            rows[n, at.SHAPE_MEETS_GROUND] *= float(meets)
            if friction is not None:
                rows[n, at.SHAPE_GROUND_FRICTION] = friction
            if restitution is not None:
                rows[n, at.SHAPE_GROUND_RESTITUTION] = restitution
    # Where nothing has a grain there is none: a neighbour's must not turn this creature's tangents.
    if any(surface.friction_across is not None for surface in shapes.surfaces):
        for n, (body, number) in enumerate(zip(shapes.bodies, shapes.surface, strict=True)):
            R_LB: Any = model.bodies.R_LB[body].ravel().tolist()
            rows[n, at.SHAPE_GRAIN : at.SHAPE_GRAIN + 3] = rotate(R_LB, shapes.surfaces[number].grain)
    column[np.asarray(starts)[:, None] + SHAPE_FIELDS] = rows
    for start, corners in zip(starts, shapes.corners, strict=True):
        if corners:
            first = start + at.SHAPE_RECORD
            column[first : first + 3 * len(corners)] = np.ravel(corners)


def _touch(own: Surface, ground: Surface) -> list[float]:
    """What a surface says in a record: by itself, and on the ground."""
    row = [0.0] * at.SHAPE_RECORD
    row[at.SHAPE_GROUND_FRICTION] = math.sqrt(_along(own) * ground.friction)
    row[at.SHAPE_GROUND_RESTITUTION] = max(own.restitution, ground.restitution)
    row[at.SHAPE_MEETS_GROUND] = float(bool(own.group & ground.mask) and bool(ground.group & own.mask))
    row[at.SHAPE_ROOT_FRICTION], row[at.SHAPE_RESTITUTION] = math.sqrt(_along(own)), own.restitution
    row[at.SHAPE_ROLLING], row[at.SHAPE_TORSION] = own.rolling, own.torsion
    row[at.SHAPE_ADHESION], row[at.SHAPE_ACROSS] = own.adhesion, _across(own)
    return row[TOUCH]


LEAST_PART = 1e-6
"""Friction along and across a grain differ by this factor at most: neither is nothing where the other is something."""


def _along(surface: Surface) -> float:
    across = surface.friction_across
    return surface.friction if across is None else max(surface.friction, LEAST_PART * across)


def _across(surface: Surface) -> float:
    """Friction across over along after mixing: geometric means with a second surface have the root of the ratio."""
    across = surface.friction_across
    if across is None or across == surface.friction:
        return 1.0
    return math.sqrt(max(across, LEAST_PART * surface.friction) / _along(surface))


def fill_pairs(column: Any, starts: Sequence[int], pairs: Sequence[Pair], overrides: dict[Pair, Any]) -> None:
    """Write the records of pairs that may touch, with friction and restitution of those that have their own."""
    for start, pair in zip(starts, pairs, strict=True):
        friction, restitution = overrides.get(pair, (None, None))
        column[start + at.PAIR_FRICTION] = -1.0 if friction is None else friction
        column[start + at.PAIR_RESTITUTION] = -1.0 if restitution is None else restitution
        column[start + at.PAIR_MEETS] = 1.0


def fill_axes(column: Any, starts: Any, axes: Sequence[int], model: Model) -> None:
    """Write the records of axes: degrees of freedom with a limit, dry friction or a servo of limited force."""
    dofs, own = model.dofs, list(axes)
    records = np.zeros((at.AXIS_RECORD, len(own)))
    records[at.DRY_FRICTION], records[at.AXIS_HARD] = dofs.friction[own], dofs.hard_limit[own]
    slides = model.links.kind[dofs.link[own]] == SLIDE
    if slides.any():
        # How far a hard limit may be overrun goes with this unit: a radian, or the size of the largest shape that moves.
        records[at.AXIS_HARD] *= np.where(slides, model.touching.moving_reach, 1.0)
    weak = np.isfinite(dofs.servo_max_force)
    if weak.any():
        records[at.WEAK_STIFFNESS] = (dofs.servo_stiffness * weak)[own]
        records[at.WEAK_DAMPING] = (dofs.servo_damping * weak)[own]
        records[at.WEAK_FORCE] = np.where(weak, dofs.servo_max_force, 0.0)[own]
    column[np.array(starts, np.int64) + AXIS_FIELDS] = records


AXIS_FIELDS = np.arange(at.AXIS_RECORD)[:, None]


def fill_holds(column: Any, starts: Sequence[int], model: Model) -> None:
    """Write the records of constraints."""
    for start, held in zip(starts, model.constraints, strict=True):
        point, other, turn = held_places(model, held)
        values: dict[int, Any] = {
            at.HOLD_POINT: point, at.HOLD_OTHER: other, at.HOLD_TURN: turn,
            at.HOLD_STIFFNESS: (getattr(held, "stiffness", 0.0),),
            at.HOLD_DAMPING: (getattr(held, "damping", 0.0),),
            at.HOLD_BREAK: (min(getattr(held, "break_length", at.HUGE), at.HUGE),), at.HOLD_BROKEN: (0.0,),
        }  # fmt: skip
        for place, numbers in values.items():
            column[start + place : start + place + len(numbers)] = numbers


def held_places(model: Model, held: Any) -> tuple[Any, Any, Any]:
    """Where a constraint holds: a point of each of the two links, and the rotation of the first in the axes of the second.

    The rotation, and a second point that is left out, are those of the initial configuration.
    """
    poses = model.dofs.neutral.poses
    first, second = model.body_index(held.body), model.body_index(held.other)
    R_1, p_1 = poses[int(model.bodies.link[first])]
    R_2, p_2 = poses[int(model.bodies.link[second])]
    point = _on_link(model, first, held.point)
    if held.other_point is None:
        other = unrotate(R_2, subtract(add(p_1, rotate(R_1, point)), p_2))
    else:
        other = _on_link(model, second, held.other_point)
    return point, other, compose(transpose(R_2), R_1)


def _on_link(model: Model, body: int, point: Any) -> Any:
    R: Any = tuple(float(x) for x in model.bodies.R_LB[body].ravel())
    return add(tuple(float(x) for x in model.bodies.p_LB[body]), rotate(R, point))  # type: ignore[arg-type]
