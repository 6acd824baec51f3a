"""Gaps between shapes, beside the least distance found by search over their surfaces."""

from __future__ import annotations

import math
from itertools import combinations_with_replacement
from typing import Any

import numpy as np
import pytest

from bodies import Floats
from zoophyte.description import Box, Capsule, Ellipsoid, Shape, Sphere, TaperedCapsule
from zoophyte.model import Plane, State
from zoophyte.physics.living import look
from zoophyte.simulation import Habitat
from zoophyte.simulation.touching import Contacts, read_contacts
from zoophyte.validation.oracles import rotation_of
from zoophyte.validation.scenes import SPACE, block_of, lone, model_of

TOLERANCE = 1e-6
"""The search's own error is some 1e-9 of a length; the kernels' search along tapered shapes ends at less than this [m]."""
KINDS = ("sphere", "capsule", "tapered", "box")
PAIRS = [pair for pair in combinations_with_replacement(KINDS, 2) if pair != ("tapered",) * 2]
"""Not two tapered capsules, whose contact is found by a few alternations between them and not to this tolerance."""


def shape_of(kind: str, rng: np.random.Generator) -> Any:
    if kind == "sphere":
        return Sphere(radius=rng.uniform(0.05, 0.2))
    if kind == "capsule":
        return Capsule(radius=rng.uniform(0.03, 0.1), length=rng.uniform(0.1, 0.4))
    if kind == "box":
        return Box(size=tuple(rng.uniform(0.1, 0.4, 3)))
    start, end = rng.uniform(0.03, 0.1, 2)
    return TaperedCapsule(radius_start=start, radius_end=end, length=rng.uniform(0.15, 0.4))


def turn_of(rng: np.random.Generator) -> Floats:
    turn = rng.normal(size=4)
    return np.asarray(turn / np.linalg.norm(turn))


def looked(model: Any, q: Floats, habitat: Habitat = SPACE) -> Contacts:
    """What detection alone finds."""
    block = block_of([model], [State.neutral(model).at(q=q)], habitat=habitat)
    look(block)
    return read_contacts(block)


def row_of_balls(shape: Any, R: Floats, p: Floats) -> tuple[Floats, Floats, float, float]:
    """A round shape as balls on a segment: start, direction, radius there, and how much it grows to the end."""
    if isinstance(shape, Sphere):
        return p, np.zeros(3), shape.radius, 0.0
    along = R[:, 2] * shape.length
    if isinstance(shape, Capsule):
        return p - 0.5 * along, along, shape.radius, 0.0
    return p, along, shape.radius_start, shape.radius_end - shape.radius_start


def round_gap(a: Any, Ra: Floats, pa: Floats, b: Any, Rb: Floats, pb: Floats) -> float:
    """Least distance of any two of their balls, on grids that close in on it: a convex function has one least value."""
    x, d, r, grow = row_of_balls(a, Ra, pa)
    y, e, s, more = row_of_balls(b, Rb, pb)
    low, high, best = np.zeros(2), np.ones(2), math.inf
    for _ in range(9):
        S, U = (np.linspace(low[n], high[n], 17) for n in (0, 1))
        apart = np.linalg.norm((x + S[:, None] * d)[:, None] - (y + U[:, None] * e)[None], axis=-1)
        gaps = apart - r - grow * S[:, None] - s - more * U[None]
        i, j = np.unravel_index(gaps.argmin(), gaps.shape)
        best, reach = min(best, float(gaps[i, j])), (high - low) / 6.0
        middle = np.array([S[i], U[j]])
        low, high = np.maximum(middle - reach, 0.0), np.minimum(middle + reach, 1.0)
    return best


def box_gap(box: Any, R: Floats, p: Floats, other: Any, Ro: Floats, po: Floats) -> float:
    """Signed distance from a box to balls on a segment, which is convex along it: thirds until nothing is left."""
    x, d, r, grow = row_of_balls(other, Ro, po)
    half, x, d = 0.5 * np.array(box.size), R.T @ (x - p), R.T @ d

    def gap(t: float) -> float:
        out = np.abs(x + t * d) - half
        return float(np.linalg.norm(np.maximum(out, 0.0)) + min(out.max(), 0.0) - r - grow * t)

    low, high = 0.0, 1.0
    for _ in range(60):
        third = (high - low) / 3.0
        low, high = (low, high - third) if gap(low + third) < gap(high - third) else (low + third, high)
    return min(gap(low), gap(0.0), gap(1.0))


def boxes_gap(a: Any, Ra: Floats, pa: Floats, b: Any, Rb: Floats, pb: Floats) -> float:
    """Minus the least depth over the fifteen axes of separation; only for boxes that overlap."""
    crossed = [np.cross(Ra[:, i], Rb[:, j]) for i in range(3) for j in range(3)]
    axes = [*Ra.T, *Rb.T, *(c / np.linalg.norm(c) for c in crossed if np.linalg.norm(c) > 1e-6)]
    half_a, half_b = 0.5 * np.array(a.size), 0.5 * np.array(b.size)
    return max(
        float(abs(u @ (pa - pb)) - np.abs(Ra.T @ u) @ half_a - np.abs(Rb.T @ u) @ half_b) for u in axes
    )


def gap_of(a: Any, Ra: Floats, pa: Floats, b: Any, Rb: Floats, pb: Floats) -> float:
    if isinstance(a, Box) and isinstance(b, Box):
        return boxes_gap(a, Ra, pa, b, Rb, pb)
    if isinstance(b, Box):
        a, Ra, pa, b, Rb, pb = b, Rb, pb, a, Ra, pa
    return (box_gap if isinstance(a, Box) else round_gap)(a, Ra, pa, b, Rb, pb)


@pytest.mark.parametrize(("first", "second"), PAIRS)
def test_pairs(first: str, second: str, rng: np.random.Generator) -> None:
    """Shapes in any pose, pushed together along any line until they overlap by 0.05, 2 or 10 mm."""
    for case in range(10):
        a, b = shape_of(first, rng), shape_of(second, rng)
        turns = [turn_of(rng), turn_of(rng)]
        if case % 3 == 0:
            turns[1] = turns[0]  # parallel edges and axes
        Ra, Rb = (rotation_of(turn) for turn in turns)
        along = rng.normal(size=3)
        along /= np.linalg.norm(along)
        wanted = -0.002 if case % 2 else -0.01
        if case % 5 == 0:
            wanted = -5e-5
        low, high = 0.0, 1.5
        for _ in range(32):
            middle = 0.5 * (low + high)
            deep = gap_of(a, Ra, np.zeros(3), b, Rb, middle * along) <= wanted
            low, high = (middle, high) if deep else (low, middle)
        model = model_of(lone(a, name="a"), lone(b, name="b", place=(0.0, 0.0, 2.0)))
        found = looked(model, np.concatenate([turns[0], np.zeros(3), turns[1], high * along]))
        exact = gap_of(a, Ra, np.zeros(3), b, Rb, high * along)
        assert len(found.gaps), (case, exact)
        assert found.gaps.min() == pytest.approx(exact, abs=TOLERANCE), case
        assert np.linalg.norm(found.normals, axis=1) == pytest.approx(1.0, abs=1e-12)


def reach_of(shape: Shape, R: Floats, down: Floats) -> float:
    """How far a shape at the origin reaches along `down`."""
    if isinstance(shape, Box):
        return float(np.abs(R.T @ down) @ (0.5 * np.array(shape.size)))
    if isinstance(shape, Ellipsoid):
        return float(np.linalg.norm((R.T @ down) * shape.semi_axes))
    x, d, r, grow = row_of_balls(shape, R, np.zeros(3))
    return max(float(x @ down) + r, float((x + d) @ down) + r + grow)


@pytest.mark.parametrize("kind", [*KINDS, "ellipsoid"])
def test_planes(kind: str, rng: np.random.Generator) -> None:
    """The gap to a tilted plane is the height of the lowest point: exact but for rounding."""
    for _ in range(20):
        shape = (
            Ellipsoid(semi_axes=tuple(rng.uniform(0.05, 0.2, 3)))
            if kind == "ellipsoid"
            else shape_of(kind, rng)
        )
        normal = np.array([*rng.uniform(-0.5, 0.5, 2), 1.0])
        normal /= np.linalg.norm(normal)
        turn, height = turn_of(rng), rng.uniform(-0.5, 0.5)
        R, gap = rotation_of(turn), rng.choice([-0.01, -0.002, -5e-5])
        place = normal * (height + gap + reach_of(shape, R, -normal)) + np.cross(normal, rng.normal(size=3))
        ground = Habitat((0.0, 0.0, 0.0), ground=Plane(tuple(normal), height))
        found = looked(model_of(lone(shape)), np.concatenate([turn, place]), ground)
        assert found.gaps.min() == pytest.approx(gap, abs=1e-12)
        assert found.normals == pytest.approx(np.tile(normal, (len(found.gaps), 1)), abs=1e-12)
