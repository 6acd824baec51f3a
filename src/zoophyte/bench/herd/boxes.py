"""Random trees of boxes, all different: the creatures of the herd's benchmarks.

Five to twelve boxes hang together at their faces by hinges that a servo moves.  A seed gives the same tree everywhere: the
order in which numbers are drawn, and their rounding to millimetres, belong to the definition.
"""

from __future__ import annotations

import math
from itertools import chain
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from zoophyte.control import Table
from zoophyte.description import Body, Box, Description, Joint, Servo, Surface
from zoophyte.errors import UsageError
from zoophyte.model import Model
from zoophyte.model.model import Floats

Triple: TypeAlias = tuple[float, float, float]

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
NOWHERE = (0.0, 0.0, 0.0)
TRIES = 2000
"""Draws of one box before the search for a place where it meets no other is given up."""


class Twig(NamedTuple):
    """A box and how it hangs on another, all along the world's axes at birth.

    Args:
        parent: number of the other; -1 for none.
        half: half edges [m].
        way: from the other's centre to this one's [m].
        arm: from the hinge to this centre [m].
        axis: of the hinge.
    """

    parent: int
    half: Triple
    way: Triple
    arm: Triple
    axis: Triple


def box_genome(seed: int) -> Floats:
    """The boxes of a random tree as a table: a row for each, behind that of the one that it hangs on.

    Args:
        seed: which one; 0 to 199 are those of the benchmarks.
    """
    return np.array([(n, twig.parent, *chain(*twig[1:])) for n, twig in _random_tree(seed).items()])


def box_body(genome: Floats, name: str) -> Description:
    """The tree of such boxes; many are born inside each other, so they meet the ground only."""
    twigs = {
        int(row[0]): Twig(int(row[1]), (*row[2:5],), (*row[5:8],), (*row[8:11],), (*row[11:14],))
        for row in genome.tolist()
    }
    return _description(name, twigs, HEIGHT, self_contact=False)


def _random_tree(seed: int) -> dict[int, Twig]:
    rng = np.random.default_rng(seed)
    count = int(rng.integers(5, 13))
    parents = [-1, *(int(rng.integers(0, i)) for i in range(1, count))]
    halves = [rng.uniform(SMALLEST, LARGEST, 3) for _ in range(count)]
    found = {0: _first(halves[0])}

    def grow(i: int) -> None:
        for child in (n for n in range(count) if parents[n] == i):
            found[child] = _twig(rng, i, halves[i], halves[child])
            grow(child)

    grow(0)
    return found


def box_creature(seed: int) -> Description:
    """A random tree of boxes that meet the ground only.

    Args:
        seed: which one; 0 to 199 are those of the benchmarks.
    """
    return _description(f"boxes{seed}", _random_tree(seed), HEIGHT, self_contact=False)


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
    found = {0: _first(half)}
    centres: dict[int, Any] = {0: np.zeros(3)}
    while len(found) < count:
        for _ in range(TRIES):
            parent = int(rng.integers(0, len(found)))
            twig = _twig(rng, parent, np.array(found[parent].half), rng.uniform(SMALLEST, LARGEST, 3))
            centre = centres[parent] + twig.way
            others = (n for n in found if n != parent)
            if all(
                np.any(np.abs(centre - centres[n]) > np.add(twig.half, found[n].half) + CLEARANCE)
                for n in others
            ):
                break
        else:
            raise UsageError(f"seed {seed}: no free place for box {len(found)} in {TRIES} draws.")
        found[len(found)], centres[len(centres)] = twig, centre
    lowest = min(float(centres[n][2] - found[n].half[2]) for n in found)
    return _description(f"sparse{seed}", found, max(HEIGHT, round(LOWEST - lowest, 3)), self_contact=True)


def _first(half: Floats) -> Twig:
    """The box that all others hang on."""
    return Twig(-1, _triple(half.round(3)), NOWHERE, NOWHERE, NOWHERE)


def _twig(rng: np.random.Generator, parent: int, mine: Floats, half: Floats) -> Twig:
    """A box on a random face of another, both centres in a line with the hinge."""
    side, sign = int(rng.integers(0, 3)), 1 if rng.random() < 0.5 else -1
    axis = np.eye(3)[int(rng.integers(0, 3))]
    face, arm = np.zeros(3), np.zeros(3)
    face[side], arm[side] = sign * mine[side], sign * half[side]
    return Twig(
        parent, _triple(half.round(3)), _triple((face + arm).round(3)), _triple(arm.round(3)), _triple(axis)
    )


def _description(name: str, twigs: dict[int, Twig], height: float, *, self_contact: bool) -> Description:
    """The tree; a body's origin is at its hinge, or in the middle of the first box.

    What is drawn is right, so nothing is checked again here, nor when it is compiled.
    """
    bodies = []
    for n, twig in twigs.items():
        x, y, z = twig.half
        box = Box.sound(size=(2.0 * x, 2.0 * y, 2.0 * z), density=1000.0, position=twig.arm)
        if twig.parent < 0:
            joint = Joint.sound(kind="free", initial=(1.0, 0.0, 0.0, 0.0, 0.0, 0.0, height))
        else:
            above = twigs[twig.parent].arm
            joint = Joint.sound(
                kind="hinge", axis=twig.axis, limits=(-SWING, SWING), damping=0.5, actuator=Servo.sound(stiffness=30.0),
                position=tuple(own + way - arm for own, way, arm in zip(above, twig.way, twig.arm, strict=True)),
            )  # fmt: skip
        parent = "ground" if twig.parent < 0 else f"box{twig.parent}"
        bodies.append(Body.sound(name=f"box{n}", parent=parent, joint=joint, shapes=[box]))
    surface = Surface.sound(friction=1.0)
    return Description.sound(name=name, bodies=bodies, surface=surface, self_contact=self_contact)


def _triple(values: Floats) -> Triple:
    x, y, z = values.tolist()
    return x, y, z


def sampled_sines(model: Model) -> Table:
    """Commands of all hinges: sin(2π·t/s + n), drawn ten times a second and held."""
    ticks = np.arange(round(SECONDS / TICK))
    samples = np.zeros((len(ticks), model.nv))
    samples[:, 6:] = np.sin(2.0 * np.pi * TICK * ticks[:, None] + np.arange(model.nv - 6))
    return Table(samples, rate=1.0 / TICK, interpolation="hold")
