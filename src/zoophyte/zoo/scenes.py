"""Scenes: where an inhabitant of the zoo lives, what drives it, and how its life begins."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from zoophyte.algebra.quaternions import quaternion_matrix
from zoophyte.algebra.rotations import unrotate
from zoophyte.algebra.vectors import add, cross
from zoophyte.control import Controller, Hold, Sine
from zoophyte.description import Description
from zoophyte.description.values import Triple
from zoophyte.export.scene import has_touch
from zoophyte.model import Model, State
from zoophyte.simulation import Habitat, Trajectory, World
from zoophyte.simulation.habitat import STANDARD_HABITAT
from zoophyte.zoo.toys import RATTLEBACK_AXES, RATTLEBACK_DEPTH


@dataclass(frozen=True, eq=False)
class Scene:
    """A body where it belongs: all that a world needs to show it in motion.

    Args:
        description: the body, or several.
        habitat: gravity and ground.
        controller: what acts, if anything does.
        dt: step that suits the scene [s].
        seconds: after which everything worth seeing has happened [s].
        velocities: of bodies that do not start at rest, by name: their part of v, as long as their joint has degrees of
            freedom (of a free joint: angular then linear velocity, in body axes).
    """

    description: Description
    habitat: Habitat = STANDARD_HABITAT
    controller: Controller | None = None
    dt: float = 1e-3
    seconds: float = 10.0
    velocities: Mapping[str, Sequence[float]] = field(default_factory=dict)

    @property
    def is_staged(self) -> bool:
        """Whether more belongs to it than a body on its own: something that touches, acts, or moves from the start."""
        return has_touch(self.description) or self.controller is not None or bool(self.velocities)

    def world(self, **changes: Any) -> World:
        """The world of the scene.

        Args:
            changes: of arguments of :class:`~zoophyte.simulation.World`.
        """
        arguments = {"habitat": self.habitat, "controller": self.controller, "dt": self.dt, **changes}
        return World(self.description, **arguments)

    def state(self, model: Model) -> State:
        """How life begins: the initial coordinates, with the scene's velocities.

        Args:
            model: the description, compiled.
        """
        start = State.neutral(model)
        v = start.v.copy()
        first = 0
        for body in self.description.bodies:
            count = body.joint.dof_count
            if body.name in self.velocities:
                v[first : first + count] = self.velocities[body.name]
            first += count
        return start.at(v=v)

    def simulate(self, seconds: float | None = None, **options: Any) -> Trajectory:
        """One life of the scene.

        Args:
            seconds: how long; the scene's own if left out [s].
            options: of :meth:`zoophyte.simulation.World.simulate`.
        """
        world = self.world()
        return world.simulate(self.seconds if seconds is None else seconds, self.state(world.model), **options)


def make_scene(name: str, description: Description) -> Scene:
    """The scene of an inhabitant: its own, or a plain one.

    Args:
        name: of the inhabitant.
        description: that the name stands for.
    """
    surface = description.surface
    habitat = STANDARD_HABITAT if surface is None else replace(STANDARD_HABITAT, surface=surface)
    plain = Scene(description, habitat)
    return _STAGED[name](plain) if name in _STAGED else plain


def _walking_ant(plain: Scene) -> Scene:
    """All four legs swing and lift alike, half a turn apart along the sides and along the body: a trot."""
    return replace(plain, controller=trot())


def trot() -> Sine:
    """The gait of the walking ant."""
    raise NotImplementedError


def _four_bar(plain: Scene) -> Scene:
    return replace(plain, controller=Hold({"crank": 1.0}))


def _rolling_ball(plain: Scene) -> Scene:
    """Thrown at 2.5 m/s with a backspin of 75 rad/s, it comes back at 0.53 m/s."""
    return replace(plain, velocities={"ball": (0.0, -75.0, 0.0, 2.5, 0.0, 0.0)})


def _spinning_coin(plain: Scene) -> Scene:
    return replace(plain, dt=2.5e-4, velocities={"coin": (*_upwards(plain, 30.0), 0.0, 0.0, 0.0)})


def _rattleback(plain: Scene) -> Scene:
    """Spun at 5 rad/s the wrong way, rolling without slip from the start, as in the source."""
    spin = _upwards(plain, -5.0)
    up = _upwards(plain, 1.0)
    a, b, c = RATTLEBACK_AXES
    height = math.sqrt((a * up[0]) ** 2 + (b * up[1]) ** 2 + (c * up[2]) ** 2)
    foot = (-a * a * up[0] / height, -b * b * up[1] / height, -c * c * up[2] / height)
    # The foot stands still: v + ω × foot = 0.
    v = cross(add(foot, (0.0, 0.0, RATTLEBACK_DEPTH)), spin)
    return replace(plain, dt=2e-4, velocities={"stone": (*spin, *v)})


def _capsule_pinch(plain: Scene) -> Scene:
    """The hand goes up and down by 5 cm once in two seconds, and begins at rest."""
    lift = {"hand": 0.025}
    return replace(plain, controller=Sine(amplitude=lift, offset=lift, frequency=0.5, phase=-0.5 * math.pi))


def _ragdoll(plain: Scene) -> Scene:
    """Somebody has pushed it: forward, and a little round."""
    return replace(plain, dt=2e-3, seconds=6.0, velocities={"pelvis": (0.0, 0.5, 0.6, 1.0, 0.1, 0.0)})


def _steps_of_2_ms(plain: Scene) -> Scene:
    return replace(plain, dt=2e-3)


_STAGED: dict[str, Callable[[Scene], Scene]] = {
    "walking_ant": _walking_ant, "four_bar": _four_bar, "rolling_ball": _rolling_ball,
    "spinning_coin": _spinning_coin, "rattleback": _rattleback, "capsule_pinch": _capsule_pinch, "ragdoll": _ragdoll,
    "ant": _steps_of_2_ms, "box_stack": _steps_of_2_ms, "brick_wall": _steps_of_2_ms, "dominoes": _steps_of_2_ms,
    "box_pile": _steps_of_2_ms,
}  # fmt: skip


def _upwards(scene: Scene, length: float) -> Triple:
    """A vector up, in the axes of the scene's first body."""
    turn: Any = scene.description.bodies[0].joint.initial_coordinates()[:4]
    x, y, z = unrotate(quaternion_matrix(turn), (0.0, 0.0, length))
    return (x, y, z)
