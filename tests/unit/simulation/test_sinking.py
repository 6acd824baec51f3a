"""What sweeps cannot carry is told at the end of a life, and what they can is not."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import zoophyte as zp
from zoophyte.description import Body, Box, Joint, Surface

SIDE, DENSITY = 0.2, 125.0  # a cube of 1 kg


def cubes(ratio: float, **world: Any) -> zp.World:
    """A cube on a light one of the same size."""
    bodies = [
        Body(
            name=name,
            joint=Joint(kind="free", initial=(1.0, 0.0, 0.0, 0.0, 0.0, 0.0, height)),
            shapes=[Box(size=(SIDE, SIDE, SIDE), density=density)],
        )
        for name, height, density in (("light", 0.1, DENSITY), ("heavy", 0.3, ratio * DENSITY))
    ]
    return zp.World(zp.Description(name="cubes", bodies=bodies, surface=Surface()), **world)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("rate", [None, 60.0])
def test_what_is_pressed_into_the_ground_is_told(dtype: Any, rate: float | None) -> None:
    """A ton on a kilogram pressed it 1 to 3 cm into the ground, and the life said only that it had ended."""
    status = cubes(1000.0, dtype=dtype).simulate(1.0, record_rate=rate).status
    assert (status.kind, status.is_sound) == ("ended", True)
    for words in (
        "sweeps did not come to an end",
        "light was",
        "mm deep in ground",
        "sweeps=200",
        "a smaller dt",
    ):
        assert words in status.reason


@pytest.mark.parametrize(
    ("ratio", "world"), [(1.0, {}), (100.0, {}), (1000.0, {"sweeps": 200}), (1000.0, {"dt": 2e-4})]
)
def test_what_is_carried_is_not_told(ratio: float, world: dict[str, Any]) -> None:
    """What the status advises helps: more sweeps, or a smaller step."""
    life = cubes(ratio, **world).simulate(1.0, record_rate=100.0)
    assert life.status.reason == ""
    assert life.channel("height:light").min() == pytest.approx(0.5 * SIDE, abs=1e-3)


def test_who_has_many_sweeps_is_advised_to_take_more() -> None:
    assert "sweeps=800" in cubes(80_000.0, dt=2e-3, sweeps=200).simulate(1.0).status.reason


@pytest.mark.parametrize(
    "name", ["box_stack", "brick_wall", "dominoes", "box_pile", "ragdoll", "walking_ant", "capsule_pinch"]
)
def test_scenes_of_the_zoo_are_silent(name: str) -> None:
    assert zp.zoo.scene(name).simulate(3.0).status.reason == ""
