"""Genes of graph creatures: nodes and connections, and the ranges that they keep (FON-52, FON-53).

A node always has the genes of three degrees of freedom and of a joint to a parent, used or not (FON-57). Numbers without
a source are choices that the thesis left open; they make random creatures of 0.2 to 2 m that move.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TypeAlias

from zoophyte.evolution.genomes.nets import Net

Triple: TypeAlias = tuple[float, float, float]
Range: TypeAlias = tuple[float, float]

SHAPES = ("box", "sphere", "capsule")
"""A shape's number is its place here; the order is part of the record's format."""
FREEDOMS = 3

# Ranges of real genes.
SIZE: Range = (0.05, 1.0)
"""Length of a side [m]."""
LOWER: Range = (-1.6, -0.05)
"""Lower limit of an angle [rad]; 0, the pose at birth, is always within the limits."""
UPPER: Range = (0.05, 1.6)
SCALE: Range = (0.5, 1.5)
TURN: Range = (-math.pi, math.pi)
LAG: Range = (0.0, 1.0)
"""Delay of a child behind its parent [periods]; of rhythmic controllers."""
RHYTHM: Range = (-1.0, 1.0)
"""Real and imaginary parts of a rhythm's harmonics, in parts of half the joint's range."""
TEMPO: Range = (0.3, 3.0)
"""Of rhythmic controllers [Hz]."""
HARMONICS = 4
"""Mean, and the first three harmonics."""

REPLICATION_BITS = 3
MOST_COPIES = 1 << REPLICATION_BITS
"""Replication limits go from 1 to this."""

# How many of each a genome may have.
MOST_NODES, MOST_CONNECTIONS, MOST_NEURONS = 10, 24, 8

MOST_COSINE = math.sqrt(0.75)
"""Axes are more than 30° apart (FON-56)."""


@dataclass(frozen=True)
class Node:
    """What parts are grown from.

    Args:
        shape: its number in `SHAPES`.
        size: along x, y, z [m]; a part hangs on its parent with the lower end of its own z axis.
        freedom: degrees of freedom of the joint to the parent: 1, 2 or 3.
        axes: three unit vectors, more than 30° apart, in the joint's frame.
        limits: three pairs of angles [rad].
        replication: copies that may be grown.
        net: local network with three effectors, copied with each part; None for rhythmic controllers.
        rhythm: harmonics of each of three degrees of freedom, for rhythmic controllers; empty for neurons.
    """

    shape: int
    size: Triple
    freedom: int
    axes: tuple[Triple, Triple, Triple]
    limits: tuple[Range, Range, Range]
    replication: int
    net: Net | None = None
    rhythm: tuple[tuple[complex, ...], ...] = ()


@dataclass(frozen=True)
class Connection:
    """How a part is grown from another one.

    Args:
        parent: number of a node.
        child: number of a node; the same one for a chain of copies.
        direction: from the parent's centre to where the child sits, a unit vector in the parent's frame.
        turn: of the child about the outward normal there [rad].
        reflected: whether the child, with all that grows from it, is a mirror image.
        scale: of the child against its parent.
        lag: of the child's rhythm behind its parent's [periods].
    """

    parent: int
    child: int
    direction: Triple
    turn: float
    reflected: bool
    scale: float
    lag: float


def unit(x: float, y: float, z: float) -> Triple:
    """The direction of a vector; that of z for one that has none."""
    squared = x * x + y * y + z * z
    if not squared > 1e-24:
        return (0.0, 0.0, 1.0)
    length = math.sqrt(squared)
    return (x / length, y / length, z / length)


def wrap(x: float, bounds: Range) -> float:
    """x moved by whole ranges until it lies inside, for angles and phases."""
    low, high = bounds
    y = math.fmod(x - low, high - low)
    if y < 0.0:
        y += high - low
    return min(max(low + y, low), high)


def apart(a: Triple, b: Triple) -> bool:
    """Whether two axes are more than 30° apart, whatever their sense."""
    return abs(a[0] * b[0] + a[1] * b[1] + a[2] * b[2]) < MOST_COSINE
