"""Shapes against ridges, peaks and rims of a terrain, beside the clearance found by search over their surfaces."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from bodies import Floats
from zoophyte.description import Box, Capsule, Cylinder, Ellipsoid, Frustum, TaperedCapsule
from zoophyte.model import State, Terrain
from zoophyte.numbers.forms import compiled
from zoophyte.physics.contact.touch import LOOK, NO_ORDERS, touching_life
from zoophyte.simulation import Habitat
from zoophyte.simulation.touching import Contacts, read_contacts
from zoophyte.validation.oracles import rotation_of
from zoophyte.validation.scenes import block_of, lone, model_of

X: Floats = np.linspace(-1.0, 1.0, 41)
GROUNDS = {
    "ridge": Terrain(np.tile(np.maximum(0.1 - np.abs(X), 0.0), (5, 1)), (0.05, 0.5), (-1.0, -1.0)),
    "peak": Terrain(
        np.maximum(0.1 - np.maximum(np.abs(X), np.abs(X)[:, None]), 0.0), (0.05, 0.05), (-1.0, -1.0)
    ),
    "waves": Terrain(0.04 * np.sin(9.0 * X) * np.cos(7.0 * X[:, None]), (0.05, 0.05), (-1.0, -1.0)),
}
SHAPES: dict[str, Any] = {
    "box": Box(size=(0.4, 0.2, 0.1)),
    "capsule": Capsule(radius=0.05, length=0.4),
    "tapered": TaperedCapsule(radius_start=0.06, radius_end=0.03, length=0.4),
    "cylinder": Cylinder(radius=0.08, length=0.3),
    "frustum": Frustum(radius_start=0.1, radius_end=0.06, length=0.2),
    "ellipsoid": Ellipsoid(semi_axes=(0.2, 0.1, 0.06)),
}
DEPTH, SEARCH = 5e-3, 2e-3
"""How deep the shapes are set, and the error of the search [m]: points of surfaces are up to 4 mm apart, so that they miss a
ridge with slopes of 45° by up to 2 mm."""


def surface(shape: Any) -> Floats:
    """Points all over a shape, in its own axes."""
    turn = np.linspace(0.0, 2.0 * np.pi, 161)
    across = np.linspace(0.0, 1.0, 60)
    if isinstance(shape, Box):
        a, b = (x.ravel() for x in np.meshgrid(np.linspace(-1, 1, 121), np.linspace(-1, 1, 121)))
        one = np.ones_like(a)
        sides = [np.stack(s, -1) for c in (one, -one) for s in ((a, b, c), (a, c, b), (c, a, b))]
        return np.asarray(np.concatenate(sides) * 0.5 * np.array(shape.size))
    if isinstance(shape, Ellipsoid):
        tilt, around = (x.ravel() for x in np.meshgrid(np.linspace(0, np.pi, 161), turn))
        ball = np.stack([np.sin(tilt) * np.cos(around), np.sin(tilt) * np.sin(around), np.cos(tilt)], -1)
        return np.asarray(ball * np.array(shape.semi_axes))
    straight = isinstance(shape, (Capsule, Cylinder))
    r, q = (shape.radius, shape.radius) if straight else (shape.radius_start, shape.radius_end)
    low = -0.5 * shape.length if straight else 0.0
    rings = [(r + t * (q - r), low + t * shape.length) for t in np.linspace(0, 1, 101)]
    for radius, z, way in ((r, low, -1.0), (q, low + shape.length, 1.0)):
        if isinstance(shape, (Cylinder, Frustum)):
            rings += [(t * radius, z) for t in across]
        else:
            rings += [(radius * np.cos(t), z + way * radius * np.sin(t)) for t in 0.5 * np.pi * across]
    if isinstance(shape, TaperedCapsule):  # the cone that touches both balls
        sine = (r - q) / shape.length
        cosine = np.sqrt(1.0 - sine * sine)
        ends = [(x * cosine, z + x * sine) for x, z in ((r, low), (q, low + shape.length))]
        rings += [tuple(np.array(ends[0]) * (1 - t) + np.array(ends[1]) * t) for t in np.linspace(0, 1, 101)]
    return np.concatenate(
        [np.stack([x * np.cos(turn), x * np.sin(turn), np.full_like(turn, z)], -1) for x, z in rings]
    )


def looked(shape: Any, q: Floats, ground: Terrain) -> Contacts:
    model = model_of(lone(shape))
    block = block_of([model], [State.neutral(model).at(q=q)], habitat=Habitat(ground=ground))
    compiled(touching_life)(block.ints, block.data, block.scratch, block.terrain, NO_ORDERS, LOOK, block.spec)
    return read_contacts(block)


@pytest.mark.parametrize("ground", GROUNDS)
@pytest.mark.parametrize("kind", SHAPES)
def test_who_is_deep_is_found_and_no_deeper(kind: str, ground: str) -> None:
    """A shape is lowered until it is 5 mm below the surface somewhere; slopes up to 45° make that 3.5 to 5 mm."""
    terrain, rng = GROUNDS[ground], np.random.default_rng(7)
    points = surface(SHAPES[kind])
    most = 2.0 if kind == "frustum" else 1.0  # at its rim, out through a face is longer than straight up
    for _ in range(25):
        turn = rng.normal(size=4)
        turn /= np.linalg.norm(turn)
        at = rng.uniform(-0.15, 0.15, 2)
        placed = points @ rotation_of(turn).T
        lowest = (placed[:, 2] - terrain.height_at(placed[:, 0] + at[0], placed[:, 1] + at[1])).min()
        found = looked(SHAPES[kind], np.array([*turn, *at, -lowest - DEPTH]), terrain)
        assert len(found.gaps) > 0
        deepest = found.gaps.min()
        assert -most * DEPTH - SEARCH < deepest < -0.7 * DEPTH + SEARCH, (turn, at, deepest)
