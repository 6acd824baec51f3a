"""Random trees of boxes, all different: the creatures of the herd's benchmarks.

Five to twelve boxes hang together at their faces by hinges that a servo moves.  A seed gives the same tree everywhere: the
order in which numbers are drawn, and their rounding to millimetres, belong to the definition.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from zoophyte.control import Table
from zoophyte.description import Body, Box, Description, Joint, Servo, Surface
from zoophyte.errors import UsageError
from zoophyte.model import Model
from zoophyte.model.model import Floats

COUNT = 200
SECONDS, TICK = 10.0, 0.1
"""How long each lives, and how long a command holds [s]."""
HEIGHT, LOWEST = 1.0, 0.1
"""Of the first box's centre at birth; and of the lowest corner of a tree that would reach the ground [m]."""
SWING = math.pi / 3.0
"""Limit of every hinge [rad]."""
SMALLEST, LARGEST = 0.05, 0.2
"""Half edges of the boxes [m]."""
CLEARANCE = 0.005
"""Between boxes that may meet, at birth [m]."""
TRIES = 2000
"""Draws of one box before the search for a place where it meets no other is given up."""


@dataclass(frozen=True, eq=False)
class Twig:
    """A box and how it hangs on another, all along the world's axes at birth.

    Args:
        parent: number of the other; -1 for none.
        half: half edges [m].
        way: from the other's centre to this one's [m].
        arm: from the hinge to this centre [m].
        axis: of the hinge.
    """

    parent: int
    half: Floats
    way: Floats
    arm: Floats
    axis: Floats


def box_creature(seed: int) -> Description:
    """A random tree of boxes; many are born inside each other, so they meet the ground only.

    Args:
        seed: which one; 0 to 199 are those of the benchmarks.
    """
    rng = np.random.default_rng(seed)
    count = int(rng.integers(5, 13))
    parents = [-1, *(int(rng.integers(0, i)) for i in range(1, count))]
    halves = [rng.uniform(SMALLEST, LARGEST, 3) for _ in range(count)]
    found = {0: Twig(-1, halves[0].round(3), np.zeros(3), np.zeros(3), np.zeros(3))}

    def grow(i: int) -> None:
        for child in (n for n in range(count) if parents[n] == i):
            found[child] = _twig(rng, i, halves[i], halves[child])
            grow(child)

    grow(0)
    return _description(f"boxes{seed}", found, HEIGHT, self_contact=False)


def sparse_box_creature(seed: int) -> Description:
    """The same kind of tree, each box drawn until it meets no other at birth; its boxes touch each other.

    Args:
        seed: which one.

    Raises:
        UsageError: when no place is found for a box.
    """
    rng = np.random.default_rng([seed, 1])
    count = int(rng.integers(5, 13))
    half = rng.uniform(SMALLEST, LARGEST, 3)
    found = {0: Twig(-1, half.round(3), np.zeros(3), np.zeros(3), np.zeros(3))}
    centres: dict[int, Any] = {0: np.zeros(3)}
    while len(found) < count:
        for _ in range(TRIES):
            parent = int(rng.integers(0, len(found)))
            twig = _twig(rng, parent, found[parent].half, rng.uniform(SMALLEST, LARGEST, 3))
            centre = centres[parent] + twig.way
            others = (n for n in found if n != parent)
            if all(
                np.any(np.abs(centre - centres[n]) > twig.half + found[n].half + CLEARANCE) for n in others
            ):
                break
        else:
            raise UsageError(f"seed {seed}: no free place for box {len(found)} in {TRIES} draws.")
        found[len(found)], centres[len(centres)] = twig, centre
    lowest = min(float(centres[n][2] - found[n].half[2]) for n in found)
    return _description(f"sparse{seed}", found, max(HEIGHT, round(LOWEST - lowest, 3)), self_contact=True)


def _twig(rng: np.random.Generator, parent: int, mine: Floats, half: Floats) -> Twig:
    """A box on a random face of another, both centres in a line with the hinge."""
    side, sign = int(rng.integers(0, 3)), 1 if rng.random() < 0.5 else -1
    axis = np.eye(3)[int(rng.integers(0, 3))]
    face, arm = np.zeros(3), np.zeros(3)
    face[side], arm[side] = sign * mine[side], sign * half[side]
    return Twig(parent, half.round(3), (face + arm).round(3), arm.round(3), axis)


def _description(name: str, twigs: dict[int, Twig], height: float, *, self_contact: bool) -> Description:
    """The tree; a body's origin is at its hinge, or in the middle of the first box."""
    bodies = []
    for n, twig in twigs.items():
        box = Box(size=_triple(2.0 * twig.half), density=1000.0, position=_triple(twig.arm))
        if twig.parent < 0:
            joint = Joint(kind="free", initial=(1.0, 0.0, 0.0, 0.0, 0.0, 0.0, height))
        else:
            place = twigs[twig.parent].arm + twig.way - twig.arm
            joint = Joint(
                kind="hinge", axis=_triple(twig.axis), position=_triple(place), limits=(-SWING, SWING), damping=0.5,
                actuator=Servo(stiffness=30.0),
            )  # fmt: skip
        parent = "ground" if twig.parent < 0 else f"box{twig.parent}"
        bodies.append(Body(name=f"box{n}", parent=parent, joint=joint, shapes=[box]))
    return Description(name=name, bodies=bodies, surface=Surface(friction=1.0), self_contact=self_contact)


def _triple(values: Floats) -> tuple[float, float, float]:
    x, y, z = values.tolist()
    return x, y, z


def sampled_sines(model: Model) -> Table:
    """Commands of all hinges: sin(2π·t/s + n), drawn ten times a second and held."""
    ticks = np.arange(round(SECONDS / TICK))
    samples = np.zeros((len(ticks), model.nv))
    samples[:, 6:] = np.sin(2.0 * np.pi * TICK * ticks[:, None] + np.arange(model.nv - 6))
    return Table(samples, rate=1.0 / TICK, interpolation="hold")
