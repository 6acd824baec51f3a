"""The surface of the ground in files of trajectories."""

from __future__ import annotations

from pathlib import Path

import pytest

import zoophyte as zp
from interface.test_trajectory_files import about, contents, made, write
from zoophyte.description import Surface
from zoophyte.errors import UsageError
from zoophyte.simulation.trajectory import Trajectory

SURFACES = [
    Surface(),
    Surface(
        friction=0.1 + 0.2, restitution=1.0 / 3.0, rolling=1e-3, torsion=5e-324, adhesion=2.0, group=2, mask=5
    ),
    Surface(friction=1e6, restitution=1.2, springy=True),
    Surface(friction=0.7, friction_across=0.2, grain=(0.6, 0.8, 0.0)),
]


@pytest.mark.parametrize("surface", SURFACES)
def test_the_surface_of_the_ground_comes_back(tmp_path: Path, surface: Surface) -> None:
    made(surface=surface).save(tmp_path / "life.npz")
    assert Trajectory.load(tmp_path / "life.npz").surface == surface


def test_a_world_tells_the_surface_of_its_ground() -> None:
    icy = zp.Habitat(surface=Surface(friction=0.02))
    assert zp.World(zp.zoo.double_pendulum(), habitat=icy, dt=1e-3).simulate(0.0).surface == icy.surface


def test_a_file_from_before_surfaces_has_the_usual_one(tmp_path: Path) -> None:
    entries = contents()
    about(surface=None)(entries)
    write(tmp_path / "old.npz", entries)
    assert Trajectory.load(tmp_path / "old.npz").surface == Surface()


def test_a_surface_that_is_none_is_refused() -> None:
    with pytest.raises(UsageError, match="surface is 'ice', must be a Surface"):
        made(surface="ice")
