"""Growth: from a graph of nodes to a tree of parts, breadth first, until limits end it (FON-54, FON-64); overlaps at birth.

A part is described in its own body frame, which sits at its joint; z points away from the parent, and the shape's centre
lies on it.  The frame of a reflected part is a mirror image too, so every part has a right-handed frame of its own:
what a connection says is mirrored by M: y → −y if the part is reflected, as M·T·M.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from zoophyte.algebra.quaternions import quaternion_matrix
from zoophyte.evolution.genomes.graph.genes import Connection, Node, Triple
from zoophyte.evolution.genomes.graph.placement import (
    BOX,
    GAP,
    SPHERE,
    Quadruple,
    height,
    mirrored_axis,
    mirrored_point,
    mirrored_turn,
    radius,
    rotation_at,
    surface_point,
)

if TYPE_CHECKING:
    from zoophyte.evolution.genomes.graph.form import Form

Matrix: TypeAlias = tuple[float, ...]
Pose: TypeAlias = tuple[Matrix, Triple]
Block: TypeAlias = tuple[tuple[Triple, Triple, Triple], Triple, Triple, float]
"""Axes, half lengths, centre and reach of a box."""

PARALLEL = 1e-9
"""Room for rounding: the product of two parallel axes is no axis, and tells nothing apart."""
LEAST_SIDE, MOST_SIDE = 0.04, 1.2
"""Sides of parts stay between these, however scales multiply [m]."""


class Part(NamedTuple):
    """A body part.

    Args:
        node: it is grown from.
        parent: number of the part that it hangs on; −1 for the root.
        scale: product along the path.
        reflected: whether it is a mirror image.
        lag: sum along the path [periods].
        size: with the scale in it [m].
        centre: of its shape, on its own z axis [m].
        position: of its joint in the parent's body frame [m].
        rotation: of its joint in the parent's body frame, unit quaternion.
        axes: of its joint.
    """

    node: int
    parent: int
    scale: float
    reflected: bool
    lag: float
    size: Triple
    centre: float
    position: Triple
    rotation: Quadruple
    axes: tuple[Triple, ...]


def part_name(number: int) -> str:
    """What the body of a part is called."""
    return f"part{number}"


def grow(nodes: Sequence[Node], connections: Sequence[Connection], form: Form) -> tuple[Part, ...]:
    """The parts, parents before children; the first node is the root.

    Every copy uses up one of its node's replication limit: in the whole creature, or with `form.per_path` on the way from
    the root.  No more than `form.most_parts` grow, so cycles end.  With `form.prune` a part for which there is no room is
    left out and uses up nothing.
    """
    prunes = form.prune and form.self_contact
    outgoing: list[list[Connection]] = [[] for _ in nodes]
    for each in connections:
        outgoing[each.parent].append(each)
    grown = [0] * len(nodes)
    parts: list[Part] = []
    frames: list[Pose] = []
    taken: list[Block] = []
    queue: deque[tuple[int, Connection | None]] = deque([(-1, None)])
    while queue and len(parts) < form.most_parts:
        parent, connection = queue.popleft()
        n = 0 if connection is None else connection.child
        copies = _on_path(parts, parent, n) if form.per_path else grown[n]
        if copies >= nodes[n].replication:
            continue
        part = _root(nodes[0]) if connection is None else _child(nodes, parts, parent, connection)
        if prunes:
            frame = _pose(part, frames)
            block = _block(part, nodes[n].shape, frame)
            if any(other != parent and _meet(found, block) for other, found in enumerate(taken)):
                continue
            frames.append(frame)
            taken.append(block)
        grown[n] += 1
        parts.append(part)
        here = len(parts) - 1
        queue.extend((here, following) for following in outgoing[n])
    return tuple(parts)


def _on_path(parts: Sequence[Part], part: int, node: int) -> int:
    """How often a node occurs from a part to the root."""
    count = 0
    while part >= 0:
        count += parts[part].node == node
        part = parts[part].parent
    return count


def _root(node: Node) -> Part:
    zero, still = (0.0, 0.0, 0.0), (1.0, 0.0, 0.0, 0.0)
    return Part(0, -1, 1.0, False, 0.0, _scaled(node.size, 1.0), 0.0, zero, still, ())


def _child(nodes: Sequence[Node], parts: Sequence[Part], parent: int, connection: Connection) -> Part:
    above, node = parts[parent], nodes[connection.child]
    scale = above.scale * connection.scale
    reflected = above.reflected != connection.reflected
    point, normal = surface_point(nodes[above.node].shape, above.size, connection.direction)
    position = (point[0], point[1], point[2] + above.centre)
    rotation = rotation_at(normal, connection.turn)
    axes: tuple[Triple, ...] = node.axes[: node.freedom]
    if reflected:
        position, rotation = mirrored_point(position), mirrored_turn(rotation)
        axes = tuple(mirrored_axis(a) for a in axes)
    size = _scaled(node.size, scale)
    centre = GAP + 0.5 * height(node.shape, size)
    lag = above.lag + connection.lag
    return Part(connection.child, parent, scale, reflected, lag, size, centre, position, rotation, axes)


def _scaled(size: Triple, scale: float) -> Triple:
    x, y, z = size
    return _bounded(scale * x), _bounded(scale * y), _bounded(scale * z)


def _bounded(side: float) -> float:
    return min(max(side, LEAST_SIDE), MOST_SIDE)


# Whether parts are in each other at birth, told from the parts alone.


def poses(parts: Sequence[Part]) -> list[Pose]:
    """(R, p) of every part's body frame in the root's, with all joints at 0."""
    found: list[Pose] = []
    for part in parts:
        found.append(_pose(part, found))
    return found


def _pose(part: Part, found: Sequence[Pose]) -> Pose:
    """Of one part, after those of the parts before it."""
    turn = tuple(quaternion_matrix(part.rotation))
    if part.parent < 0:
        return turn, part.position
    above, origin = found[part.parent]
    x, y, z = _rotate(above, part.position)
    return _product(above, turn), (origin[0] + x, origin[1] + y, origin[2] + z)


def blocks(parts: Sequence[Part], nodes: Sequence[Node]) -> list[Block]:
    """The box of every part, or the one around its ball or capsule."""
    return [
        _block(part, nodes[part.node].shape, pose) for part, pose in zip(parts, poses(parts), strict=True)
    ]


def _block(part: Part, shape: int, pose: Pose) -> Block:
    m, p = pose
    half: Triple = (0.5 * part.size[0], 0.5 * part.size[1], 0.5 * part.size[2])
    if shape != BOX:
        r = radius(shape, part.size)
        half = (r, r, r if shape == SPHERE else 0.5 * height(shape, part.size))
    centre = tuple(p[k] + m[3 * k + 2] * part.centre for k in range(3))
    axes = ((m[0], m[3], m[6]), (m[1], m[4], m[7]), (m[2], m[5], m[8]))
    reach = math.sqrt(half[0] * half[0] + half[1] * half[1] + half[2] * half[2])
    return axes, half, (centre[0], centre[1], centre[2]), reach


def overlapping(parts: Sequence[Part], nodes: Sequence[Node]) -> bool:
    """Whether two parts that are not parent and child are in each other (balls and capsules: the boxes around them)."""
    found = blocks(parts, nodes)
    for j in range(1, len(parts)):
        for i in range(j):
            if parts[j].parent != i and _meet(found[i], found[j]):
                return True
    return False


def _meet(a: Block, b: Block) -> bool:
    """Separating axes: two boxes are apart if some axis of one, or a product of two, tells them apart."""
    d = (b[2][0] - a[2][0], b[2][1] - a[2][1], b[2][2] - a[2][2])
    reach = a[3] + b[3]
    if _dot(d, d) > reach * reach:
        return False
    c = [[_dot(u, v) for v in b[0]] for u in a[0]]
    s = [[abs(x) + PARALLEL for x in row] for row in c]
    h, k = a[1], b[1]
    along = [_dot(d, u) for u in a[0]]
    for i in range(3):
        if abs(along[i]) > h[i] + k[0] * s[i][0] + k[1] * s[i][1] + k[2] * s[i][2]:
            return False
    for j in range(3):
        if abs(_dot(d, b[0][j])) > k[j] + h[0] * s[0][j] + h[1] * s[1][j] + h[2] * s[2][j]:
            return False
    for i in range(3):
        i1, i2 = (i + 1) % 3, (i + 2) % 3
        for j in range(3):
            j1, j2 = (j + 1) % 3, (j + 2) % 3
            room = h[i1] * s[i2][j] + h[i2] * s[i1][j] + k[j1] * s[i][j2] + k[j2] * s[i][j1]
            if abs(along[i2] * c[i1][j] - along[i1] * c[i2][j]) > room:
                return False
    return True


def _dot(a: Triple, b: Triple) -> float:
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def _rotate(m: Matrix, v: Triple) -> Triple:
    return (
        m[0] * v[0] + m[1] * v[1] + m[2] * v[2],
        m[3] * v[0] + m[4] * v[1] + m[5] * v[2],
        m[6] * v[0] + m[7] * v[1] + m[8] * v[2],
    )


def _product(a: Matrix, b: Matrix) -> Matrix:
    columns = [_rotate(a, (b[k], b[3 + k], b[6 + k])) for k in range(3)]
    return tuple(columns[k][row] for row in range(3) for k in range(3))
