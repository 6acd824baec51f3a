"""Making: random genes and random genomes (the operation *randomise* of FON-63).

Random creatures have a trunk and a few limbs, longer than wide; most limbs come in pairs, one the mirror image of the
other.  A draw that grows no limb, or whose parts are in each other at birth, is drawn again.
"""

from __future__ import annotations

import math
from typing import TypeAlias

import numpy as np

from zoophyte.evolution.genomes.graph.form import Form
from zoophyte.evolution.genomes.graph.genes import (
    FREEDOMS,
    HARMONICS,
    LOWER,
    SHAPES,
    TURN,
    UPPER,
    Connection,
    Node,
    Range,
    Triple,
    apart,
    unit,
)
from zoophyte.evolution.genomes.graph.genome import GraphGenome
from zoophyte.evolution.genomes.graph.growth import overlapping
from zoophyte.evolution.genomes.nets import random_net

Rng: TypeAlias = np.random.Generator

NODES = (3, 6)
"""Fewest and most nodes of a random genome."""
PAIRED, LOOPED, EXTRA = 0.6, 0.25, 0.3
"""Probabilities that a connection gets a mirrored twin, that a node leads to itself, that one more leads anywhere."""
TRUNK: tuple[Range, Range, Range] = ((0.25, 0.6), (0.2, 0.5), (0.12, 0.3))
LIMB: tuple[Range, Range, Range] = ((0.08, 0.22), (0.08, 0.22), (0.2, 0.55))
COPIES = (1, 2, 2, 2, 3, 4)
TRIES = 100
"""Draws before a creature is taken as it is."""


def random_genome(form: Form, rng: Rng) -> GraphGenome:
    """A valid genome that grows at least two parts, none in another."""
    for _ in range(TRIES):
        genome = _drawn(form, rng)
        if len(genome.parts) > 1 and not (form.self_contact and overlapping(genome.parts, genome.nodes)):
            break
    return genome


def _drawn(form: Form, rng: Rng) -> GraphGenome:
    count = int(rng.integers(NODES[0], NODES[1] + 1))
    nodes = tuple(random_node(form, rng, TRUNK if n == 0 else LIMB) for n in range(count))
    connections: list[Connection] = []
    for child in range(1, count):
        connections += random_limb(int(rng.integers(child)), child, rng)
    connections += [
        random_connection(n, n, rng, onward=True) for n in range(1, count) if rng.random() < LOOPED
    ]
    if rng.random() < EXTRA:
        connections.append(random_connection(int(rng.integers(count)), int(rng.integers(count)), rng))
    brain = random_net(form.brain_rules(), rng) if form.thinks else None
    tempo = float(rng.uniform(0.5, 2.0)) if not form.thinks else 1.0
    return GraphGenome(form, nodes, tuple(connections), brain, tempo)


def random_node(form: Form, rng: Rng, sizes: tuple[Range, Range, Range] = LIMB) -> Node:
    """A node of a usual size for a trunk or a limb."""
    x, y, z = (float(rng.uniform(low, high)) for low, high in sizes)
    shape = SHAPES.index(form.shapes[int(rng.integers(len(form.shapes)))])
    freedom = 1 + int(rng.integers(FREEDOMS)) if rng.random() < 0.5 else 1
    lower = rng.uniform(LOWER[0], LOWER[1], FREEDOMS).tolist()
    upper = rng.uniform(UPPER[0], UPPER[1], FREEDOMS).tolist()
    limits = ((lower[0], upper[0]), (lower[1], upper[1]), (lower[2], upper[2]))
    copies = COPIES[int(rng.integers(len(COPIES)))]
    net = random_net(form.net_rules(), rng) if form.thinks else None
    rhythm = () if form.thinks else tuple(random_rhythm(rng) for _ in range(FREEDOMS))
    return Node(shape, (x, y, z), freedom, random_axes(rng), limits, copies, net, rhythm)


def random_rhythm(rng: Rng) -> tuple[complex, ...]:
    """Harmonics that become smaller, the n-th like 1/n²."""
    numbers = rng.uniform(-1.0, 1.0, (HARMONICS, 2)).tolist()
    shares = (0.4, *(1.0 / (n * n) for n in range(1, HARMONICS)))
    return tuple(complex(share * re, share * im) for share, (re, im) in zip(shares, numbers, strict=True))


def random_direction(rng: Rng) -> Triple:
    """A unit vector, all directions alike."""
    x, y, z = rng.standard_normal(3).tolist()
    return unit(x, y, z)


def random_axis(others: list[Triple], rng: Rng) -> Triple:
    """A unit vector more than 30° from one or two others (FON-56)."""
    axis = random_direction(rng)
    while not all(apart(axis, other) for other in others):
        axis = random_direction(rng)  # two caps of 30° on each side leave 73 % of the sphere
    return axis


def random_axes(rng: Rng) -> tuple[Triple, Triple, Triple]:
    """Three axes."""
    first = random_direction(rng)
    second = random_axis([first], rng)
    return first, second, random_axis([first, second], rng)


def random_connection(parent: int, child: int, rng: Rng, *, onward: bool = False) -> Connection:
    """A connection of two nodes.

    Args:
        parent: number of it.
        child: number of it.
        rng: of everything.
        onward: whether it leads away from where the parent itself hangs.
    """
    x, y, z = random_direction(rng)
    if onward:
        x, y, z = unit(x, y, abs(z) + 0.5)
    turn = 0.5 * math.pi * int(rng.integers(-2, 2)) if rng.random() < 0.5 else float(rng.uniform(*TURN))
    scale = float(rng.uniform(0.7, 1.1))
    return Connection(parent, child, (x, y, z), turn, bool(rng.random() < 0.3), scale, float(rng.random()))


def random_limb(parent: int, child: int, rng: Rng) -> list[Connection]:
    """A connection, or on a trunk often two that are mirror images."""
    connection = random_connection(parent, child, rng, onward=parent > 0)
    if rng.random() >= PAIRED:
        return [connection]
    x, y, z = connection.direction
    if parent == 0:  # twins need room between them
        x, y, z = unit(x, y + math.copysign(0.7, y), z)
    first = Connection(parent, child, (x, y, z), connection.turn, False, connection.scale, connection.lag)
    return [first, twin_of(first, rng)]


def twin_of(connection: Connection, rng: Rng) -> Connection:
    """The mirror image of a connection; half of them move half a period later."""
    c = connection
    lag = c.lag if rng.random() < 0.5 else (c.lag + 0.5) % 1.0
    return Connection(c.parent, c.child, c.direction, c.turn, not c.reflected, c.scale, lag)
