"""Placements, and which of our bodies become one MuJoCo body.

MuJoCo refuses moving bodies without mass, but lets several joints act on one body, one after the other.  So a body
without mass that carries a single other one hands its joint on to that one: with placements T₁, T₂ and motions J₁, J₂,

    T₁ J₁ T₂ J₂ = (T₁ T₂) (T₂⁻¹ J₁ T₂) J₂,

the joint J₁ seen from the second body's frame, before J₂.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from zoophyte.algebra.quaternions import quaternion_conjugate, quaternion_matrix, quaternion_product
from zoophyte.algebra.rotations import rotate, unrotate
from zoophyte.algebra.vectors import add
from zoophyte.description import GROUND, Body, Description, Joint
from zoophyte.description.values import Quadruple, Triple
from zoophyte.numbers.functions import sincos

ONE_AXIS_KINDS = ("hinge", "slide", "universal")
DOFS_PER_BODY = 6


@dataclass(frozen=True)
class Placement:
    """Where a frame stands in the frame outside: x ↦ R x + p."""

    position: Triple = (0.0, 0.0, 0.0)
    rotation: Quadruple = (1.0, 0.0, 0.0, 0.0)

    def then(self, inner: Placement) -> Placement:
        """The inner frame, seen from outside this one."""
        p = add(rotate(quaternion_matrix(self.rotation), inner.position), self.position)
        return Placement(p, quaternion_product(self.rotation, inner.rotation))

    def inverse(self) -> Placement:
        """The outer frame, seen from inside."""
        return Placement(self.origin_inside(), quaternion_conjugate(self.rotation))

    def origin_inside(self) -> Triple:
        """The outer frame's origin, seen from inside: −Rᵀ p."""
        x, y, z = self.direction_inside(self.position)
        return (0.0 - x, 0.0 - y, 0.0 - z)

    def direction_inside(self, direction: Triple) -> Triple:
        """A direction of the outer frame, seen from inside: Rᵀ d."""
        x, y, z = unrotate(quaternion_matrix(self.rotation), direction)
        return (x, y, z)


def placement_of(body: Body) -> Placement:
    """Where a body's joint stands on its parent."""
    return Placement(body.joint.position, body.joint.rotation)


def poses_at_start(description: Description) -> dict[str, Placement]:
    """Where each body, and the ground, stands in the world at the initial coordinates."""
    poses = {GROUND: Placement()}
    for body in description.bodies:
        placed = poses[body.parent].then(placement_of(body))
        for motion in _motions(body.joint):
            placed = placed.then(motion)
        poses[body.name] = placed
    return poses


def _motions(joint: Joint) -> list[Placement]:
    """What a joint does at its initial coordinates, one motion after the other."""
    q = joint.initial_coordinates()
    match joint.kind:
        case "hinge":
            return [_turn(joint.axis, q[0])]
        case "universal":
            return [_turn(axis, angle) for axis, angle in zip(joint.axes, q, strict=True)]
        case "slide":
            x, y, z = joint.axis
            return [Placement((x * q[0], y * q[0], z * q[0]))]
        case "ball":
            return [Placement(rotation=(q[0], q[1], q[2], q[3]))]
        case "free":
            return [Placement((q[4], q[5], q[6]), (q[0], q[1], q[2], q[3]))]
    return []


def _turn(axis: Triple, angle: float) -> Placement:
    sine, cosine = sincos(0.5 * angle)
    return Placement(rotation=(cosine, sine * axis[0], sine * axis[1], sine * axis[2]))


@dataclass(frozen=True)
class Station:
    """One MuJoCo body: the body of ours that it is, and those without mass whose joints it takes over.

    Args:
        bodies: ours, from the outermost to the one whose mass and shapes it has.
        placement: of the whole on the parent's frame.
        inner: for each of `bodies` the placement of the last one's frame on it.
    """

    bodies: tuple[Body, ...]
    placement: Placement
    inner: tuple[Placement, ...]

    @property
    def body(self) -> Body:
        """The body that has the mass and the shapes."""
        return self.bodies[-1]

    @property
    def parent(self) -> str:
        """Name of the body of ours on which the station stands."""
        return self.bodies[0].parent


def stations_of(description: Description, kept: Collection[str] = ()) -> list[Station]:
    """All MuJoCo bodies in depth-first order, which is MuJoCo's own.

    Args:
        description: checked.
        kept: names of bodies that something else refers to, so that they must be bodies there too.
    """
    children: dict[str, list[Body]] = {}
    for body in description.bodies:
        children.setdefault(body.parent, []).append(body)
    stations = []
    waiting = list(reversed(children.get(GROUND, [])))
    while waiting:
        chain = [waiting.pop()]
        while chain[-1].name not in kept and (heir := _heir(chain, children)) is not None:
            chain.append(heir)
        stations.append(_station(tuple(chain)))
        waiting += reversed(children.get(chain[-1].name, []))
    return stations


def _heir(chain: list[Body], children: dict[str, list[Body]]) -> Body | None:
    """The one body that takes over the joint of the last one of the chain, if there is such a body."""
    body = chain[-1]
    carried = children.get(body.name, [])
    if body.has_mass() or body.shapes or body.joint.kind not in ONE_AXIS_KINDS or len(carried) != 1:
        return None
    heir = carried[0]
    dofs = sum(each.joint.dof_count for each in [*chain, heir])
    turns = any(each.joint.kind != "slide" for each in chain)
    fits = heir.joint.kind in ONE_AXIS_KINDS or (heir.joint.kind == "ball" and not turns)
    return heir if fits and dofs <= DOFS_PER_BODY else None


def _station(chain: tuple[Body, ...]) -> Station:
    inner = [Placement()]
    for body in reversed(chain[1:]):
        inner.append(placement_of(body).then(inner[-1]))
    inner.reverse()
    return Station(chain, placement_of(chain[0]).then(inner[0]), tuple(inner))
