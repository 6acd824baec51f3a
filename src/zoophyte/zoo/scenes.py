"""Scenes: where an inhabitant of the zoo lives, what drives it, and how its life begins."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from zoophyte.algebra.quaternions import quaternion_matrix
from zoophyte.algebra.rotations import unrotate
from zoophyte.algebra.vectors import add, cross
from zoophyte.control import Controller, Hold, Sine
from zoophyte.control.controller import lasting
from zoophyte.description import Description, Surface
from zoophyte.description.values import Triple
from zoophyte.errors import UsageError
from zoophyte.export.mjcf import MJCF_ENDINGS, write_mjcf
from zoophyte.export.scene import has_touch
from zoophyte.model import Model, State
from zoophyte.simulation import Habitat, Trajectory, World
from zoophyte.simulation.habitat import STANDARD_HABITAT
from zoophyte.zoo.toys import RATTLEBACK_AXES, RATTLEBACK_DEPTH


@dataclass(frozen=True, eq=False, repr=False)
class Scene:
    """A body where it belongs: all that a world needs to show it in motion.

    Args:
        description: the body, or several.
        habitat: gravity and ground.
        controller: what acts, if anything does.
        dt: step that suits the scene [s].
        seconds: after which everything worth seeing has happened [s].
        record_rate: frames per second that are worth keeping; every step if None.
        velocities: of bodies that do not start at rest, by name: their part of v, as long as their joint has degrees of
            freedom (of a free joint: angular then linear velocity, in body axes).
        solver: other arguments of :class:`~zoophyte.simulation.World`, where the scene was made with them.
    """

    description: Description
    habitat: Habitat = STANDARD_HABITAT
    controller: Controller | None = None
    dt: float = 1e-3
    seconds: float = 10.0
    record_rate: float | None = None
    velocities: Mapping[str, Sequence[float]] = field(default_factory=dict)
    solver: Mapping[str, Any] = field(default_factory=dict)

    def __repr__(self) -> str:
        controller = "no controller" if self.controller is None else type(self.controller).__name__
        return f"Scene({self.description!r}, {controller}, dt {self.dt:g} s, {self.seconds:g} s)"

    @property
    def is_staged(self) -> bool:
        """Whether more belongs to it than a body on its own: something that touches, acts, or moves from the start."""
        return has_touch(self.description) or self.controller is not None or bool(self.velocities)

    def world(self, **changes: Any) -> World:
        """The world of the scene, whose controller has commands for all of its seconds.

        Args:
            changes: of arguments of :class:`~zoophyte.simulation.World`.
        """
        acting = lasting(self.controller, self.seconds)
        own = {"habitat": self.habitat, "controller": acting, "dt": self.dt, **self.solver}
        arguments: dict[str, Any] = {**own, **changes}
        return World(self.description, **arguments)

    def state(self, model: Model) -> State:
        """How life begins: the initial coordinates, with the scene's velocities.

        Args:
            model: the description, compiled.

        Raises:
            UsageError: when the velocities do not fit it.
        """
        start = State.neutral(model)
        v = start.v.copy()
        counts = [body.joint.dof_count for body in model.description.bodies]
        for name, values in self.velocities.items():
            body = model.body_index(name) - 1
            first, count = sum(counts[:body]), counts[body]
            if len(values) != count:
                raise UsageError(
                    f"{model.name}: velocities of {name!r} are {len(values)} numbers, must be {count}, one per degree of "
                    "freedom."
                )
            v[first : first + count] = values
        return start.at(v=v)

    def simulate(self, seconds: float | None = None, **options: Any) -> Trajectory:
        """One life of the scene.

        Args:
            seconds: how long; the scene's own if left out [s].
            options: of :meth:`zoophyte.simulation.World.simulate`.
        """
        scene = self if seconds is None else replace(self, seconds=seconds)
        world = scene.world()
        return world.simulate(
            scene.seconds, self.state(world.model), **{"record_rate": self.record_rate, **options}
        )

    def export(
        self, path: str | os.PathLike[str], seconds: float | None = None, **options: Any
    ) -> tuple[str, ...]:
        """One life of the scene, every step of it, as a file; as MJCF without a controller just its beginning.

        Args:
            path: of the file; its ending says what it becomes.
            seconds: how long; the scene's own if left out [s].
            options: of :meth:`zoophyte.simulation.World.simulate`.

        Returns:
            What the format cannot hold.
        """
        if self.controller is None and Path(path).suffix.lower() in MJCF_ENDINGS:
            world = self.world()
            return write_mjcf(world, path, start=self.state(world.model))
        return self.simulate(seconds, **{"record_rate": None, **options}).export(path)


def make_scene(name: str, description: Description) -> Scene:
    """The scene of an inhabitant: its own, or a plain one.

    Args:
        name: of the inhabitant.
        description: that the name stands for.
    """
    plain = Scene(description, replace(STANDARD_HABITAT, surface=_ground_for(description.surface)))
    return _STAGED[name](plain) if name in _STAGED else plain


def _ground_for(surface: Surface | None) -> Surface:
    """Ground that feels like the body itself, but is in the groups of all ground: those of a body say whom *it* meets."""
    usual = STANDARD_HABITAT.surface
    return usual if surface is None else surface.model_copy(update={"group": usual.group, "mask": usual.mask})


def _walking_ant(plain: Scene) -> Scene:
    return replace(plain, dt=2e-3, controller=ant_gait())


def ant_gait(frequency: float = 1.5) -> Sine:
    """A walk of the four-legged ant along x, 0.22 m/s: every foot lifts by 4 cm, and the ant keeps its direction.

    Left and right legs are half a cycle apart, hind legs 0.92 of a cycle behind the front ones.  Numbers come from a search
    for speed with little sliding of the feet.

    Args:
        frequency: of all joints [Hz].
    """
    amplitude: dict[str, float] = {}
    phase: dict[str, float] = {}
    offset: dict[str, float] = {}
    for leg, (left, front) in enumerate(((True, True), (True, False), (False, False), (False, True))):
        start = (0.0 if left else math.pi) + (0.0 if front else math.pi + 2.7)
        side = 1.0 if left else -1.0  # hips of both sides swing the same way when they turn opposite ways
        hip, knee = f"upper{leg}", f"lower{leg}"
        amplitude[hip], amplitude[knee] = side * (-0.06 if front else -0.12), 0.95 if front else 0.8
        phase[hip], phase[knee] = start, start + (0.22 if front else -0.98)
        offset[hip], offset[knee] = side * (0.05 if front else -0.2), 0.15 if front else 0.45
    return Sine(amplitude=amplitude, frequency=frequency, phase=phase, offset=offset)


def _four_bar(plain: Scene) -> Scene:
    return replace(plain, controller=Hold({"crank": 1.0}))


def _rolling_ball(plain: Scene) -> Scene:
    """Thrown at 2.5 m/s with a backspin of 75 rad/s, it comes back at 0.48 m/s."""
    return replace(plain, velocities={"ball": (0.0, -75.0, 0.0, 2.5, 0.0, 0.0)})


def _spinning_coin(plain: Scene) -> Scene:
    return replace(
        plain,
        dt=2.5e-4,
        record_rate=500.0,
        velocities={"coin": (*_in_body(plain, (0.0, 0.0, 30.0)), 0.0, 0.0, 0.0)},
    )


def _rattleback(plain: Scene) -> Scene:
    """Spun at 5 rad/s the wrong way, rolling without slip from the start, as in the source."""
    spin, up = _in_body(plain, (0.0, 0.0, -5.0)), _in_body(plain, (0.0, 0.0, 1.0))
    a, b, c = RATTLEBACK_AXES
    height = math.sqrt((a * up[0]) ** 2 + (b * up[1]) ** 2 + (c * up[2]) ** 2)
    foot = (-a * a * up[0] / height, -b * b * up[1] / height, -c * c * up[2] / height)
    # The foot stands still: v + ω × foot = 0.
    v = cross(add(foot, (0.0, 0.0, RATTLEBACK_DEPTH)), spin)
    return replace(plain, dt=1e-4, record_rate=500.0, velocities={"stone": (*spin, *v)})


def _capsule_pinch(plain: Scene) -> Scene:
    """The hand goes up and down by 5 cm once in two seconds, and begins at rest."""
    lift = {"hand": 0.025}
    return replace(plain, controller=Sine(amplitude=lift, offset=lift, frequency=0.5, phase=-0.5 * math.pi))


def _ragdoll(plain: Scene) -> Scene:
    """Somebody has pushed it, forward and over: its feet stay behind."""
    push = (*_in_body(plain, (0.0, 1.3, 0.0)), *_in_body(plain, (1.6, 0.0, 0.0)))
    return replace(plain, dt=2e-3, seconds=6.0, record_rate=250.0, velocities={"pelvis": push})


def _ant(plain: Scene) -> Scene:
    return replace(plain, dt=2e-3, seconds=5.0)


def _blocks(plain: Scene) -> Scene:
    """Frames of many bodies take room, so fewer of them."""
    return replace(plain, dt=2e-3, seconds=5.0, record_rate=100.0)


def _dominoes(plain: Scene) -> Scene:
    """About 40 dominoes fall in a second."""
    return replace(_blocks(plain), seconds=1.5 + 0.03 * len(plain.description.bodies))


_STAGED: dict[str, Callable[[Scene], Scene]] = {
    "ant": _ant, "walking_ant": _walking_ant, "four_bar": _four_bar, "rolling_ball": _rolling_ball,
    "spinning_coin": _spinning_coin, "rattleback": _rattleback, "capsule_pinch": _capsule_pinch,
    "box_stack": _blocks, "brick_wall": _blocks, "dominoes": _dominoes, "box_pile": _blocks, "ragdoll": _ragdoll,
}  # fmt: skip


def _in_body(scene: Scene, vector: Triple) -> Triple:
    """A vector of the world in the axes of the scene's first body, which is free."""
    turn: Any = scene.description.bodies[0].joint.initial_coordinates()[:4]
    x, y, z = unrotate(quaternion_matrix(turn), vector)
    return (x, y, z)
