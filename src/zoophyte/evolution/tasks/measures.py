"""Numbers that are read off a life: ways, heights, roughness, and descriptors of behaviour.

Means are exact sums, rounded once, and powers are our own: the same life has the same fitness on every machine.
"""

from __future__ import annotations

import math

import numpy as np

from zoophyte.description import Description
from zoophyte.model.model import Floats
from zoophyte.numbers.functions import power
from zoophyte.simulation.herd import Life
from zoophyte.zoo.standing import total_mass

WATER = 1000.0
"""Density by which a creature's size is guessed from its mass [kg/m³]."""
LEAST_WAY = 0.01
"""A way below this does not divide work [m]."""


def trunk_way(life: Life) -> Floats:
    """Displacement of the root, from when it had settled to the end, shape (3,) [m]."""
    return _way(life.root, life.settled)


def mass_way(life: Life) -> Floats:
    """Displacement of the centre of mass, from when it had settled to the end, shape (3,) [m]."""
    return _way(life.com, life.settled)


def _way(places: Floats, settled: int) -> Floats:
    return np.zeros(3) if len(places) <= settled else np.asarray(places[-1] - places[settled], float)


def level(way: Floats) -> float:
    """Length over the ground [m]."""
    x, y = float(way[0]), float(way[1])
    return math.sqrt(x * x + y * y)


def heights(life: Life) -> Floats:
    """Of the centre of mass, since it had settled [m]."""
    return life.com[life.settled :, 2]


def mean_height(life: Life) -> float:
    """Of the centre of mass, since it had settled [m]."""
    return mean(heights(life))


def roughness(life: Life) -> float:
    """Mean size of the acceleration of the centre of mass from sample to sample, since it had settled [m/s²]."""
    places, times = life.com[life.settled :], life.times[life.settled :]
    if len(places) < 3:
        return 0.0
    velocities = np.diff(places, axis=0) / np.diff(times)[:, None]
    x, y, z = np.diff(velocities, axis=0).T
    return mean(np.sqrt(x * x + y * y + z * z) / (0.5 * (times[2:] - times[:-2])))


def mean(values: Floats) -> float:
    """Of all values; 0 if there are none."""
    return math.fsum(values.tolist()) / len(values) if len(values) else 0.0


def body_size(description: Description) -> float:
    """Edge of a cube of water as heavy as the creature [m]."""
    return float(power(total_mass(description) / WATER, 1.0 / 3.0))


def part_count(description: Description) -> int:
    """Body parts (FON-72): what has a shape or a mass; bodies that only stand between the axes of a joint are none."""
    return max(1, sum(bool(body.shapes) or body.mass is not None for body in description.bodies))


DESCRIPTORS = (
    "distance", "height", "upright", "straightness", "effort", "cost", "leap", "airborne", "parts", "mass",
)  # fmt: skip
"""Names of the numbers that `descriptors` gives."""

UNITS = {"distance": "m", "height": "m", "effort": "J", "leap": "m", "mass": "kg"}
"""Of those descriptors that are no pure numbers."""
BOUNDS = {
    **dict.fromkeys(("distance", "height", "effort", "cost", "leap", "mass"), (0.0, math.inf)),
    **dict.fromkeys(("straightness", "airborne"), (0.0, 1.0)), "upright": (-1.0, 1.0), "parts": (1.0, math.inf),
}  # fmt: skip
"""Beyond which nobody is found; of heights, over ground that is not below 0."""


def descriptors(description: Description, life: Life) -> dict[str, float]:
    """Numbers that tell behaviours and bodies apart.

    distance: of the root over the ground [m]; height: mean, of the centre of mass [m]; upright: mean cosine of the root's
    tilt; straightness: distance over the way that the centre of mass went; effort [J]; cost: effort over weight and distance
    (cost of transport, with at least a centimetre of distance); leap [m]; airborne: share of time in which nothing touched;
    parts: of the body, as `part_count` has them; mass [kg].
    """
    mass = float(total_mass(description))
    distance = level(trunk_way(life))
    return {
        "distance": distance,
        "height": mean_height(life),
        "upright": mean(life.upright[life.settled :]),
        "straightness": min(1.0, distance / life.path) if life.path > LEAST_WAY else 0.0,
        "effort": float(life.effort),
        "cost": float(life.effort) / (9.81 * mass * max(distance, LEAST_WAY)) if mass > 0.0 else 0.0,
        "leap": float(life.leap),
        "airborne": float(life.airborne),
        "parts": float(part_count(description)),
        "mass": mass,
    }
