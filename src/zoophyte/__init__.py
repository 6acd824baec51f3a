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
    from zoophyte import (
        algebra,
        control,
        description,
        evolution,
        export,
        model,
        numbers,
        physics,
        simulation,
        validation,
        zoo,
    )
    from zoophyte.description import Description, Surface, load
    from zoophyte.errors import (
        DescriptionError,
        FileError,
        Interrupted,
        MissingExtraError,
        OwnCodeError,
        UntrustedError,
        UsageError,
        ZoophyteError,
    )
    from zoophyte.evolution.run import Run, evolve
    from zoophyte.evolution.tasks import Samples
    from zoophyte.gym import make
    from zoophyte.model import Law, Medium, Model, Plane, State, Terrain, compile, load_terrain
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
    from zoophyte.simulation.herd import Guards, Herd, Life, Stops
    from zoophyte.simulation.herd.nursery import Nursery

__version__ = "0.1.0"

__all__ = [
    "Description", "DescriptionError", "FileError", "Force", "Guards", "Habitat", "Herd", "Interrupted", "Law", "Life",
    "Medium", "MissingExtraError", "Model", "Nursery", "OwnCodeError",
    "Plane", "Run", "Samples", "State", "Stops", "Surface", "Terrain", "Trajectory", "UntrustedError", "UsageError", "World",
    "ZoophyteError",
    "algebra", "bias_forces", "body_poses", "compile", "control", "description", "energy", "evolution", "evolve", "export",
    "forward_dynamics", "impulse_response", "inverse_dynamics", "jacobian", "load", "load_terrain", "make", "mass_matrix",
    "model", "momentum", "numbers", "passive_forces", "physics", "point_acceleration", "point_velocity", "simulation",
    "step", "validation", "zoo",
]  # fmt: skip

_FOLDERS = frozenset(
    {
        "algebra", "control", "description", "evolution", "export", "model", "numbers", "physics", "simulation",
        "validation", "zoo",
    }
)  # fmt: skip
_HOME = {
    name: folder
    for folder, names in {
        "description": ("Description", "Surface", "load"),
        "errors": (
            "DescriptionError", "FileError", "Interrupted", "MissingExtraError", "OwnCodeError", "UntrustedError",
            "UsageError", "ZoophyteError",
        ),
        "evolution.run": ("Run", "evolve"),
        "evolution.tasks": ("Samples",),
        "gym": ("make",),
        "model": ("Law", "Medium", "Model", "Plane", "State", "Terrain", "compile", "load_terrain"),
        "physics": (
            "Force", "bias_forces", "body_poses", "energy", "forward_dynamics", "impulse_response",
            "inverse_dynamics", "jacobian", "mass_matrix", "momentum", "passive_forces", "point_acceleration",
            "point_velocity", "step",
        ),
        "simulation": ("Habitat", "Trajectory", "World"),
        "simulation.herd": ("Guards", "Herd", "Life", "Stops"),
        "simulation.herd.nursery": ("Nursery",),
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
    from zoophyte.errors import nearest

    hint = "" if name.startswith("_") else nearest(name[:80], __all__)
    raise AttributeError(f"module 'zoophyte' has no attribute {name!r}. {hint}".rstrip(". "))


def __dir__() -> list[str]:
    return sorted({*__all__, *(name for name in globals() if name.startswith("__"))})
