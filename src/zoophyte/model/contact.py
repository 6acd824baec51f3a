"""Filling for contact: constants of shapes, pairs, constraints and axes of a block of creatures, and what it remembers."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from zoophyte.algebra.rotations import compose, rotate, transpose, unrotate
from zoophyte.algebra.vectors import add, subtract
from zoophyte.description import Surface
from zoophyte.errors import UsageError
from zoophyte.model import contact_layout as at
from zoophyte.model.articulated import initial_transforms
from zoophyte.model.contact_plan import ContactPlan, ContactSettings
from zoophyte.model.model import Model
from zoophyte.model.shapes import TouchingShape
from zoophyte.model.terrain import Plane, Terrain

__all__ = ["ContactSettings", "ContactTables", "needs_contact"]


def needs_contact(model: Model) -> bool:
    """Whether anything of the model must be solved for: touching shapes, constraints, hard limits, dry friction."""
    dofs = model.dofs
    return bool(
        model.shapes or model.description.constraints or dofs.friction.any()
        or (dofs.hard_limit & ~dofs.driven).any() or np.isfinite(dofs.servo_max_force).any()
    )  # fmt: skip


class ContactTables(ContactPlan):
    """The contact sections of a block, filled."""

    def fill(self, fields: Any, gravity: Any, dt: float) -> None:
        """Write the constants of all lanes into the rows of `data`."""
        ground, surface = self.settings.ground, self.settings.surface
        head = fields[self.head : self.head + at.HEAD_SIZE]
        normal, height = (
            (ground.normal, ground.height) if isinstance(ground, Plane) else ((0.0, 0.0, 1.0), _top(ground))
        )
        head[at.PLANE_NORMAL : at.PLANE_NORMAL + 3] = np.reshape(normal, (3, 1))
        head[at.PLANE_HEIGHT] = height
        if isinstance(ground, Terrain):
            rows, columns = ground.heights.shape
            head[at.TERRAIN_ORIGIN : at.TERRAIN_ORIGIN + 2] = np.reshape(ground.origin, (2, 1))
            head[at.TERRAIN_STEP : at.TERRAIN_STEP + 2] = np.reshape(ground.spacing, (2, 1))
            head[at.TERRAIN_SIZE : at.TERRAIN_SIZE + 2] = np.reshape((columns, rows), (2, 1))
        head[at.GROUND_ROOT_FRICTION] = math.sqrt(surface.friction)
        head[at.GROUND_RESTITUTION] = surface.restitution
        head[at.GROUND_ROLLING], head[at.GROUND_TORSION] = surface.rolling, surface.torsion
        head[at.GROUND_ADHESION] = surface.adhesion
        self.set_step(fields, gravity, dt)
        for lane, shapes in enumerate(self.meetings.shapes):
            for start, shape in zip(self.shape_data, shapes, strict=True):
                self._fill_shape(fields[:, lane], start, shape, lane)
            overrides = self.meetings.overrides[lane]
            for start, pair in zip(self.pair_data, self.meetings.pairs, strict=True):
                friction, restitution = overrides.get(pair, (None, None))
                fields[start + at.PAIR_FRICTION, lane] = -1.0 if friction is None else friction
                fields[start + at.PAIR_RESTITUTION, lane] = -1.0 if restitution is None else restitution
                fields[start + at.PAIR_MEETS, lane] = float(pair in self.meetings.allowed[lane])
            for n, start in enumerate(self.hold_data):
                self._fill_hold(fields[:, lane], start, lane, n)
            if self.island_count > 1:
                self._fill_sleep(fields[:, lane])
            dofs = self.models[lane].dofs
            for v, start in zip(self.axes, self.axis_data, strict=True):
                weak = bool(np.isfinite(dofs.servo_max_force[v]))
                record = [dofs.friction[v], dofs.servo_stiffness[v] * weak, dofs.servo_damping[v] * weak,
                          dofs.servo_max_force[v] if weak else 0.0, float(dofs.hard_limit[v])]  # fmt: skip
                fields[start : start + at.AXIS_RECORD, lane] = record

    def memory_of(self, column: Any) -> Any:
        """What the solver remembers of one creature: broken springs, axes, then key and impulse of each contact."""
        broken = [float(column[start + at.HOLD_BROKEN]) for start in self.hold_data]
        broken += [float(x) for x in column[self._sleep_places()]]
        count = int(column[self.memory])
        axes = self.memory + 1 + (self.capacity + 1) * at.MEMORY_RECORD
        slots = column[self.memory + 1 : self.memory + 1 + count * at.MEMORY_RECORD]
        return np.concatenate([broken, column[axes : axes + len(self.axes) * at.AXIS_MEMORY], slots]).astype(
            float
        )

    def _sleep_places(self) -> list[int]:
        """Where it is written who sleeps, since when, and with whom."""
        if not self._sleeps():
            return []
        starts = [self.sleep + tree * at.SLEEP_RECORD for tree in range(self.island_count)]
        return [start + n for start in starts for n in (at.SLEEP_ASLEEP, at.SLEEP_TIMER, at.SLEEP_ISLAND)]

    def set_memory(self, column: Any, remembered: Any) -> None:
        """Load what :meth:`memory_of` gave; an empty array is a fresh start.

        Raises:
            UsageError: when it belongs to another model.
        """
        sleep = self._sleep_places()
        holds, axes = len(self.hold_data) + len(sleep), len(self.axes) * at.AXIS_MEMORY
        if not len(remembered):
            remembered = np.zeros(holds + axes)
        slots = len(remembered) - holds - axes
        if slots < 0 or slots % at.MEMORY_RECORD or slots // at.MEMORY_RECORD > self.capacity:
            raise UsageError(
                f"{self.models[0].name}: state.contact has {len(remembered)} numbers, which does not fit this model and its "
                f"{self.capacity} slots; leave it empty to begin without remembered impulses."
            )
        for start, value in zip(self.hold_data, remembered, strict=False):
            column[start + at.HOLD_BROKEN] = value
        column[sleep] = remembered[len(self.hold_data) : holds]
        first = self.memory + 1 + (self.capacity + 1) * at.MEMORY_RECORD
        column[first : first + axes] = remembered[holds : holds + axes]
        column[self.memory] = slots // at.MEMORY_RECORD
        column[self.memory + 1 : self.memory + 1 + slots] = remembered[holds + axes :]

    def set_step(self, fields: Any, gravity: Any, dt: float) -> None:
        """Margins and tolerances that go with gravity and step size."""
        fall = float(np.sqrt(sum(float(g) ** 2 for g in np.ravel(gravity)))) * dt
        # Of what moves: a large piece of scenery must not loosen everybody; nor may a neighbour in another lane.
        reach = np.array(
            [max([s.reach for s in lane if s.link], default=1.0) for lane in self.meetings.shapes]
        )
        head = fields[self.head : self.head + at.HEAD_SIZE]
        head[at.MARGIN] = 4.0 * fall * dt + 1e-4 * reach
        head[at.TOLERANCE] = self.settings.tolerance * max(fall, 1e-3)
        head[at.IMPACT_SPEED] = 2.0 * fall
        head[at.SLOP], head[at.LARGEST_REACH] = at.SLOP_PART * reach, reach
        head[at.SLEEP_SPEED] = np.maximum(0.005 * np.sqrt(fall / dt * reach), 1e-6)

    def _fill_shape(self, column: Any, start: int, shape: TouchingShape, lane: int) -> None:
        own, ground = shape.surface, self.settings.surface
        override = self.meetings.ground_overrides[lane].get(shape.body, (None, None, True))
        friction, restitution, meets = override
        meets = meets and bool(shape.link) and _groups_meet(own, ground)
        values = {
            at.SHAPE_POSITION: shape.position, at.SHAPE_ROTATION: shape.rotation, at.SHAPE_SIZE: shape.size,
            at.SHAPE_CENTRE: shape.centre, at.SHAPE_REACH: (shape.reach,),
            at.SHAPE_EXTENT: (shape.reach + float(np.linalg.norm(shape.centre)),),
            at.SHAPE_GROUND_FRICTION: (math.sqrt(_along(own) * ground.friction) if friction is None else friction,),
            at.SHAPE_GROUND_RESTITUTION: (max(own.restitution, ground.restitution) if restitution is None
                                          else restitution,),
            at.SHAPE_MEETS_GROUND: (float(meets),),
            at.SHAPE_ROOT_FRICTION: (math.sqrt(_along(own)),), at.SHAPE_RESTITUTION: (own.restitution,),
            at.SHAPE_ROLLING: (own.rolling,), at.SHAPE_TORSION: (own.torsion,), at.SHAPE_ADHESION: (own.adhesion,),
            at.SHAPE_ACROSS: (_across(own),),
            at.SHAPE_GRAIN: self._grain(shape, lane),
        }  # fmt: skip
        for place, numbers in values.items():
            column[start + place : start + place + len(numbers)] = numbers
        corners = np.ravel(shape.corners)
        column[start + at.SHAPE_RECORD : start + at.SHAPE_RECORD + len(corners)] = corners

    def _fill_sleep(self, column: Any) -> None:
        """Reach of every tree, and whether it has actuators, which keep it awake."""
        model = self.models[0]
        d = model.dofs
        active = d.driven | (d.servo_stiffness > 0.0) | (d.motor_strength > 0.0)
        for tree in range(self.island_count):
            links = [link for link, number in enumerate(self.islands) if number == tree]
            reach = max([s.reach for s in self.meetings.shapes[0] if s.link in links], default=1.0)
            start = self.sleep + tree * at.SLEEP_RECORD
            column[start + at.SLEEP_REACH] = reach
            column[start + at.SLEEP_RESTLESS] = float(
                any(active[v] for v in range(model.nv) if d.link[v] in links)
            )

    def _grain(self, shape: TouchingShape, lane: int) -> Any:
        R_LB = self.models[lane].bodies.R_LB[shape.body].ravel()
        return rotate(tuple(float(x) for x in R_LB), shape.surface.grain)  # type: ignore[arg-type]

    def _fill_hold(self, column: Any, start: int, lane: int, number: int) -> None:
        model = self.models[lane]
        held = model.description.constraints[number]
        poses = initial_transforms(model)
        first, second = model.body_index(held.body), model.body_index(held.other)
        R_1, p_1 = poses[int(model.bodies.link[first])]
        R_2, p_2 = poses[int(model.bodies.link[second])]
        point = _on_link(model, first, held.point)
        if held.other_point is None:
            other: Any = unrotate(R_2, subtract(add(p_1, rotate(R_1, point)), p_2))
        else:
            other = _on_link(model, second, held.other_point)
        values: dict[int, Any] = {
            at.HOLD_POINT: point, at.HOLD_OTHER: other, at.HOLD_TURN: compose(transpose(R_2), R_1),
            at.HOLD_STIFFNESS: (getattr(held, "stiffness", 0.0),),
            at.HOLD_DAMPING: (getattr(held, "damping", 0.0),),
            at.HOLD_BREAK: (min(getattr(held, "break_length", at.HUGE), at.HUGE),), at.HOLD_BROKEN: (0.0,),
        }  # fmt: skip
        for place, numbers in values.items():
            column[start + place : start + place + len(numbers)] = numbers


def _top(ground: Terrain | None) -> float:
    return 0.0 if ground is None else float(ground.heights.max())


def _groups_meet(a: Surface, b: Surface) -> bool:
    return bool(a.group & b.mask) and bool(b.group & a.mask)


def _on_link(model: Model, body: int, point: Any) -> Any:
    R: Any = tuple(float(x) for x in model.bodies.R_LB[body].ravel())
    return add(tuple(float(x) for x in model.bodies.p_LB[body]), rotate(R, point))  # type: ignore[arg-type]


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
