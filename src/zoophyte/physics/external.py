"""External forces on bodies, as a user gives them: at a point, at the centre of mass, or as a pure couple."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from zoophyte.errors import UsageError, real_numbers
from zoophyte.model import Model
from zoophyte.model.model import Floats


@dataclass(frozen=True)
class Force:
    """A force or couple on a body, in world axes; make one with :meth:`at_point`, :meth:`at_com` or :meth:`couple`."""

    force: tuple[float, float, float]
    torque: tuple[float, float, float]
    point: tuple[float, float, float] | None

    @classmethod
    def at_point(cls, force_W: Any, point_W: Any) -> Force:
        """`force_W` [N] acting at the world point `point_W` [m]."""
        return cls(_triple(force_W, "force"), (0.0, 0.0, 0.0), _triple(point_W, "point"))

    @classmethod
    def at_com(cls, force_W: Any) -> Force:
        """`force_W` [N] acting at the body's centre of mass."""
        return cls(_triple(force_W, "force"), (0.0, 0.0, 0.0), None)

    @classmethod
    def couple(cls, torque_W: Any) -> Force:
        """A pure couple `torque_W` [N·m]."""
        return cls((0.0, 0.0, 0.0), _triple(torque_W, "torque"), None)


Forces: TypeAlias = Mapping[str, Force | Sequence[Force]] | Floats
"""Forces by body name; or wrenches (n; f) about each body's origin in world axes, shape (bodies, 6)."""


def _triple(value: Any, what: str) -> tuple[float, float, float]:
    wanted = "three finite numbers (x, y, z) in world axes"
    array = real_numbers(value, what, wanted)
    if array.shape != (3,) or not np.all(np.isfinite(array)):
        raise UsageError(f"{what} is {value!r}, must be {wanted}.")
    return float(array[0]), float(array[1]), float(array[2])


def link_wrenches(model: Model, forces: Forces, R_WL: Floats, p_WL: Floats) -> Floats:
    """Sum of the forces on each link: (n; f) at its origin, in its axes, shape (links, 6)."""
    bodies, wrenches = model.bodies, np.zeros((len(model.links.kind), 6))
    if not isinstance(forces, Mapping):
        given = real_numbers(forces, "forces")
        if given.shape != (model.body_count, 6):
            raise UsageError(
                f"forces has shape {given.shape}, must be ({model.body_count}, 6): one wrench per body."
            )
        if not np.all(np.isfinite(given)):
            name = model.body_names[int(np.argwhere(~np.isfinite(given))[0, 0])]
            raise UsageError(f"forces holds a value that is not finite, on body {name!r}.")
        for body in range(1, model.body_count):
            link = bodies.link[body]
            arm = R_WL[link] @ bodies.p_LB[body]
            _add(
                wrenches[link], R_WL[link], given[body, 3:], given[body, :3] + np.cross(arm, given[body, 3:])
            )
        return wrenches
    for name, listed in forces.items():
        body = model.body_index(name)
        link = bodies.link[body]
        for force in (listed,) if isinstance(listed, Force) else listed:
            if force.point is None:
                arm = R_WL[link] @ (bodies.p_LB[body] + bodies.R_LB[body] @ bodies.com[body])
            else:
                arm = np.asarray(force.point) - p_WL[link]
            _add(wrenches[link], R_WL[link], force.force, force.torque + np.cross(arm, force.force))
    return wrenches


def _add(wrench: Floats, R_WL: Floats, force: Any, torque: Any) -> None:
    wrench[:3] += R_WL.T @ torque
    wrench[3:] += R_WL.T @ np.asarray(force)
