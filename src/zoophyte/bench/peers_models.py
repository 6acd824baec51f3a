"""Models that peers bring along, found without importing the peers."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, files
from pathlib import Path

HUMANOIDS = {"mujoco-mjx": "mujoco/mjx/test_data/humanoid/humanoid.xml"}
"""Packages that ship MuJoCo's humanoid, and where; the package mujoco itself does not."""


def mujoco_humanoid_path() -> Path | None:
    """The file of MuJoCo's humanoid of 27 degrees of freedom, or None when no installed package has it.

    ``pip install --no-deps mujoco-mjx`` brings it; without its dependencies that package is good for nothing else.
    """
    for package, inside in HUMANOIDS.items():
        try:
            listed = files(package) or []
        except PackageNotFoundError:
            continue
        for entry in listed:
            if entry.as_posix() == inside:
                found = Path(str(entry.locate()))
                if found.is_file():
                    return found
    return None
