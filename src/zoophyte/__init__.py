"""Zoophyte: the physics of articulated living bodies.

Describe a body, compile it, and simulate it::

    import zoophyte as zp

    model = zp.compile(zp.zoo.double_pendulum())
    life = zp.World(model, dt=1e-3).simulate(seconds=10)

The public names are listed here and imported when first used (PEP 562), so that ``import zoophyte`` and
``zoophyte --help`` answer at once: nothing is compiled, and neither Numba nor SciPy is loaded.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from zoophyte import algebra, control, description, model, numbers, physics, simulation, zoo
    from zoophyte.description import Description, load
    from zoophyte.model import Model, State, compile
    from zoophyte.physics import (
        Force,
        bias_forces,
        body_poses,
        energy,
        forward_dynamics,
        impulse_response,
        inverse_dynamics,
        jacobian,
        mass_matrix,
        momentum,
        passive_forces,
        point_acceleration,
        point_velocity,
    )
    from zoophyte.physics.functions import step
    from zoophyte.simulation import Habitat, Trajectory, World

__version__ = "0.1.0"

__all__ = [
    "Description", "Force", "Habitat", "Model", "State", "Trajectory", "World",
    "algebra", "bias_forces", "body_poses", "compile", "control", "description", "energy", "forward_dynamics",
    "impulse_response", "inverse_dynamics", "jacobian", "load", "mass_matrix", "model", "momentum", "numbers",
    "passive_forces", "physics", "point_acceleration", "point_velocity", "simulation", "step", "zoo",
]  # fmt: skip

_FOLDERS = frozenset(
    {"algebra", "control", "description", "model", "numbers", "physics", "simulation", "zoo"}
)
_HOME = {
    name: folder
    for folder, names in {
        "description": ("Description", "load"),
        "model": ("Model", "State", "compile"),
        "physics": (
            "Force", "bias_forces", "body_poses", "energy", "forward_dynamics", "impulse_response",
            "inverse_dynamics", "jacobian", "mass_matrix", "momentum", "passive_forces", "point_acceleration",
            "point_velocity", "step",
        ),
        "simulation": ("Habitat", "Trajectory", "World"),
    }.items()
    for name in names
}  # fmt: skip


def __getattr__(name: str) -> Any:
    if name in _FOLDERS:
        return importlib.import_module(f"zoophyte.{name}")
    if name in _HOME:
        found = getattr(importlib.import_module(f"zoophyte.{_HOME[name]}"), name)
        globals()[name] = found  # the next use finds it without coming here
        return found
    raise AttributeError(f"module 'zoophyte' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
