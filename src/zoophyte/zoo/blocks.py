"""Blocks: boxes that are stacked, laid as a wall, stood in a row to topple, and heaped."""

from __future__ import annotations

import math

import numpy as np

from zoophyte.algebra.quaternions import quaternion_exp, quaternion_product
from zoophyte.description import Body, Box, Description, Joint, Surface
from zoophyte.description.values import Quadruple, Triple
from zoophyte.errors import UsageError
from zoophyte.numbers.functions import sincos

BEECH: Triple = (0.80, 0.65, 0.46)
CLAYS: tuple[Triple, ...] = (
    (0.74, 0.36, 0.25), (0.86, 0.55, 0.36), (0.62, 0.26, 0.20), (0.80, 0.44, 0.29), (0.91, 0.66, 0.46),
)  # fmt: skip
IVORY: Triple = (0.90, 0.87, 0.78)
SPOT: Triple = (0.16, 0.18, 0.22)
PAINTS: tuple[Triple, ...] = ((0.75, 0.28, 0.22), (0.87, 0.68, 0.24), (0.30, 0.52, 0.36), (0.25, 0.42, 0.60))

UPRIGHT: Quadruple = (1.0, 0.0, 0.0, 0.0)

CUBE_EDGE, CUBE_DENSITY = 0.04, 700.0
"""Of a child's building block of beech [m, kg/m³]; ours."""

BRICK: Triple = (0.240, 0.115, 0.071)
BRICK_DENSITY = 1800.0
"""The German normal format (DIN 105), and a common class of density [m, kg/m³]."""
BRICK_ROWS = (9, 8, 9, 8)

DOMINO: Triple = (0.0075, 0.024, 0.048)
DOMINO_DENSITY = 1180.0
"""A domino of acrylic glass [m, kg/m³]: 10.2 g."""


def box_stack(count: int = 8, *, edge: float = CUBE_EDGE) -> Description:
    """A tower of beech blocks, each turned and set off a little, that stands as it was built.

    Each block is set off from the one below by a twentieth of its edge, in a direction that turns by the golden angle, and
    rests on it without a gap.

    Args:
        count: of blocks.
        edge: of a block [m].
    """
    _whole("box_stack", "count", count)
    bodies = []
    for n in range(count):
        sine, cosine = sincos(2.399963229728653 * n)
        place = (0.05 * edge * cosine, 0.05 * edge * sine, (n + 0.5) * edge)
        block = Box(size=(edge, edge, edge), density=CUBE_DENSITY, colour=PAINTS[n % len(PAINTS)])
        bodies.append(_free(f"block{n + 1}", block, place, _about_z(0.12 * (-1) ** n)))
    return Description(name="box_stack", bodies=bodies, surface=Surface(friction=0.5))


def brick_wall(rows: tuple[int, ...] = BRICK_ROWS, *, joint: float = 0.004) -> Description:
    """A dry wall of 34 bricks in running bond, which must stand (after Fontijne 2000, §3.11.1).

    Rows of 9, 8, 9 and 8 bricks, 240 × 115 × 71 mm and 3.53 kg each, friction 0.5; the source gives the number of bricks
    and small gaps between them, all else is ours.

    Args:
        rows: bricks in each row, from below.
        joint: gap between the ends of two bricks [m].
    """
    for row in rows:
        _whole("brick_wall", "each of rows", row)
    length, _, height = BRICK
    bodies = []
    for level, row in enumerate(rows):
        for n in range(row):
            place = ((n - 0.5 * (row - 1)) * (length + joint), 0.0, (level + 0.5) * height)
            clay = CLAYS[(3 * n + 2 * level + n * level // 2) % len(CLAYS)]
            brick = Box(size=BRICK, density=BRICK_DENSITY, colour=clay)
            bodies.append(_free(f"brick{level + 1}_{n + 1}", brick, place, UPRIGHT))
    return Description(name="brick_wall", bodies=bodies, surface=Surface(friction=0.5))


def dominoes(count: int = 150, *, spacing: float = 0.022, lean: float = 0.2) -> Description:
    """150 dominoes in a spiral, the first of which leans on nothing: they fall one after another.

    48 × 24 × 7.5 mm, 10.2 g each; count after Fontijne 2000 (§3.11.2), sizes of a common set.  The spiral of Archimedes
    begins 0.12 m from its centre and grows by 0.075 m in a turn.

    Args:
        count: of dominoes.
        spacing: from the middle of one to the middle of the next [m].
        lean: of the first, about its lower front edge [rad]; it would come back below 0.155.
    """
    _whole("dominoes", "count", count)
    thick, _, tall = DOMINO
    bodies, angle = [], 0.0
    for n in range(count):
        radius, growth = 0.12 + 0.075 * angle / (2.0 * math.pi), 0.075 / (2.0 * math.pi)
        sine, cosine = sincos(angle)
        tip = lean if n == 0 else 0.0
        # Forward is along the spiral: across the radius, and a little outwards.
        along = math.atan2(radius * cosine + growth * sine, growth * cosine - radius * sine)
        turn = quaternion_product(_about_z(along), quaternion_exp((0.0, tip, 0.0)))
        sine_tip, cosine_tip = sincos(tip)
        # A block that leans about its lower front edge: that edge stays where it is.
        forward = 0.5 * thick - 0.5 * thick * cosine_tip + 0.5 * tall * sine_tip
        up = 0.5 * tall * cosine_tip + 0.5 * thick * sine_tip
        ahead_sine, ahead = sincos(along)
        place = (radius * cosine + forward * ahead, radius * sine + forward * ahead_sine, up)
        bodies.append(_free(f"domino{n + 1}", _domino(n), place, turn))
        angle += spacing / math.hypot(radius, growth)
    return Description(name="dominoes", bodies=bodies, surface=Surface(friction=0.4))


def box_pile(count: int = 60, *, edge: float = CUBE_EDGE, seed: int = 0) -> Description:
    """Building blocks that fall and come to rest in a heap: the workload of the benchmark of scaling.

    They start in layers above a square, turned at random, none touching another.

    Args:
        count: of blocks.
        edge: of a block [m].
        seed: of how they are turned.
    """
    _whole("box_pile", "count", count)
    # Raw bits, which NumPy promises not to change, so that the heap is the same on every machine.
    raw = np.random.PCG64(np.random.SeedSequence(seed)).random_raw(4 * count) >> np.uint64(11)
    chance = (raw.astype(float) * 2.0**-53).reshape(count, 4)
    side = max(2, round((count / 3.0) ** (1.0 / 3.0)))
    pitch = 1.75 * edge  # a cube turned anyhow fits into a ball of √3 edges
    bodies = []
    for n in range(count):
        level, cell = divmod(n, side * side)
        row, column = divmod(cell, side)
        # Every other layer is set off by half a pitch, so that blocks fall into the gaps of the layer below.
        x, y = (pitch * (place - 0.5 * (side - 1) + 0.25 * (-1) ** level) for place in (column, row))
        about_x, about_y, about_z = (math.pi * (float(share) - 0.5) for share in chance[n, :3])
        turn = quaternion_exp((about_x, about_y, about_z))
        paint = PAINTS[int(chance[n, 3] * len(PAINTS))]
        block = Box(size=(edge, edge, edge), density=CUBE_DENSITY, colour=paint)
        bodies.append(_free(f"block{n + 1}", block, (x, y, pitch * (level + 0.5)), turn))
    return Description(name="box_pile", bodies=bodies, surface=Surface(friction=0.4))


def _domino(n: int) -> Box:
    return Box(size=DOMINO, density=DOMINO_DENSITY, colour=IVORY if n % 2 else SPOT)


def _free(name: str, shape: Box, place: Triple, turn: Quadruple) -> Body:
    return Body(name=name, joint=Joint(kind="free", initial=(*turn, *place)), shapes=[shape])


def _about_z(angle: float) -> Quadruple:
    return quaternion_exp((0.0, 0.0, angle))


def _whole(name: str, what: str, value: object) -> None:
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise UsageError(f"{name}: {what} is {value!r}, must be a whole number, 1 or more.")
