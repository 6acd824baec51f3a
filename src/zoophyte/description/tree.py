"""Bodies together: names, parents, rings, order, mass that moves, who can touch whom, and trees side by side."""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any

from pydantic_core import PydanticCustomError

from zoophyte.algebra.quaternions import quaternion_matrix, quaternion_product
from zoophyte.algebra.rotations import rotate
from zoophyte.algebra.vectors import add
from zoophyte.description.bodies import GROUND, Body
from zoophyte.description.constraints import Pair
from zoophyte.description.problems import WORD_LENGTH, Finding, field_of, given
from zoophyte.description.values import Quadruple, Triple, unit_quaternion, vector
from zoophyte.errors import UsageError, nearest

if TYPE_CHECKING:
    from zoophyte.description.constraints import Constraint
    from zoophyte.description.description import Description
    from zoophyte.description.surface import Surface

BODY_LIMIT = 100_000

# The nearest name is found by comparing with every name, so only for the first problems of a small forest.
SUGGESTION_LIMIT = 20
SUGGESTION_NAMES = 10_000


@dataclass(frozen=True)
class _Branch:
    """What can be read of a body that may be wrong otherwise."""

    name: str | None
    parent: str | None
    kind: str

    @classmethod
    def of(cls, body: object) -> _Branch:
        name, parent = field_of(body, "name"), field_of(body, "parent")
        kind = field_of(field_of(body, "joint"), "kind")
        if parent is None:
            parent = GROUND
        return cls(
            name if isinstance(name, str) else None,
            parent if isinstance(parent, str) else None,
            kind if isinstance(kind, str) else "fixed",
        )


def tree_findings(bodies: object) -> list[Finding]:
    """Everything wrong with how bodies hang together.

    Args:
        bodies: parts or the mappings that are to become them, in the order given; whatever cannot be read is
            passed over, since it is reported elsewhere.
    """
    if not isinstance(bodies, list | tuple) or len(bodies) > BODY_LIMIT:
        return []
    branches = [_Branch.of(body) for body in bodies]
    first: dict[str, int] = {}
    findings = []
    for index, branch in enumerate(branches):
        if branch.name is not None and first.setdefault(branch.name, index) != index:
            what = f"is {given(branch.name)}, which is the name of bodies[{first[branch.name]}] already."
            findings.append(Finding(("bodies", index, "name"), what, "Every body has its own name."))
    findings += _parent_findings(branches, first)
    findings += _ring_findings(branches, first)
    return findings


def _parent_findings(branches: Sequence[_Branch], first: dict[str, int]) -> list[Finding]:
    findings: list[Finding] = []
    for index, branch in enumerate(branches):
        if branch.parent is None or branch.parent == "":
            continue
        if branch.parent != GROUND and branch.kind == "free":
            what = (
                f"is 'free', but the body hangs on {given(branch.parent)}; only the ground has free bodies."
            )
            findings.append(
                Finding(
                    ("bodies", index, "joint", "kind"), what, "Leave the parent out, or use another joint."
                )
            )
        if branch.parent != GROUND and branch.parent not in first:
            known: list[str] = []
            if len(findings) < SUGGESTION_LIMIT and len(first) <= SUGGESTION_NAMES:
                known = [GROUND, *first]
            how = (
                nearest(branch.parent[:WORD_LENGTH], known)
                or "Name another body of this description, or ground."
            )
            findings.append(
                Finding(
                    ("bodies", index, "parent"), f"is {given(branch.parent)}, which is no body here.", how
                )
            )
    return findings


def _ring_findings(branches: Sequence[_Branch], first: dict[str, int]) -> list[Finding]:
    """One finding for each ring of bodies that hang on each other."""
    findings = []
    settled = [False] * len(branches)
    for start in range(len(branches)):
        walk: list[int] = []
        on_walk: set[int] = set()
        index: int | None = start
        while index is not None and not settled[index] and index not in on_walk:
            walk.append(index)
            on_walk.add(index)
            index = first.get(branches[index].parent or GROUND)
        if index is not None and index in on_walk:
            findings.append(_ring_finding([branches[i].name or "" for i in walk[walk.index(index) :]], index))
        for i in walk:
            settled[i] = True
    return findings


def _ring_finding(ring: list[str], index: int) -> Finding:
    path = ("bodies", index, "parent")
    if len(ring) == 1:
        return Finding(
            path, f"is {given(ring[0])}: the body hangs on itself.", "Name another body, or ground."
        )
    shown = " → ".join([*ring[:6], *(["…"] if len(ring) > 6 else []), ring[0]])
    return Finding(
        path,
        f"closes a ring: {shown}.",
        "One of these bodies must hang on a body outside the ring, or on ground.",
    )


def parents_first(bodies: Sequence[Body]) -> list[Body]:
    """The bodies with every parent before its children, as close to the given order as that allows."""
    index_of = {body.name: index for index, body in enumerate(bodies)}
    children: dict[int, list[int]] = {}
    ready = []
    for index, body in enumerate(bodies):
        parent = index_of.get(body.parent)
        if parent is None:
            ready.append(index)
        else:
            children.setdefault(parent, []).append(index)
    heapq.heapify(ready)
    ordered = []
    while ready:
        index = heapq.heappop(ready)
        ordered.append(bodies[index])
        for child in children.get(index, ()):
            heapq.heappush(ready, child)
    return ordered


def moving_mass_findings(bodies: Sequence[Body]) -> list[Finding]:
    """Bodies on a moving joint that move no mass: a force on them would accelerate them without bound.

    A driven joint needs no mass, since its motion is given; nor does one with a rotor on each dof.
    """
    index_of = {body.name: index for index, body in enumerate(bodies)}
    has_mass = [body.has_mass() for body in bodies]
    for body in reversed(parents_first(bodies)):
        parent = index_of.get(body.parent)
        if parent is not None and has_mass[index_of[body.name]]:
            has_mass[parent] = True
    findings = []
    for index, body in enumerate(bodies):
        joint = body.joint
        if joint.kind == "fixed" or joint.driven or has_mass[index]:
            continue
        if joint.kind != "free" and all(rotor > 0.0 for rotor in joint.per_dof(joint.armature)):
            continue
        findings.append(
            Finding(
                ("bodies", index),
                f"moves on a {joint.kind} joint, but neither it nor anything that hangs on it has mass.",
                "Give it a shape with a density, or a mass.",
            )
        )
    return findings


@dataclass(frozen=True)
class Kin:
    """Where a body belongs, which decides whom it can touch.

    Args:
        welded: the outermost of the bodies that fixed joints weld to it; itself, if there is none.
        carrier: the same of the body that those hang on; ground's name for the ground.
        tree: the same of the outermost moving body of its tree; ground's name for what stands still.
    """

    welded: str
    carrier: str
    tree: str

    @property
    def is_still(self) -> bool:
        """Whether it is fixed to the ground."""
        return self.tree == GROUND

    def never_touches(self, other: Kin) -> bool:
        """Whether two bodies are one piece, stand still both, or hang on one another."""
        return (
            self.welded == other.welded
            or (self.is_still and other.is_still)
            or self.carrier == other.welded
            or other.carrier == self.welded
        )


def kinship(bodies: Sequence[Body]) -> dict[str, Kin]:
    """For the name of each body where it belongs.

    Args:
        bodies: every parent before its children.
    """
    kin: dict[str, Kin] = {}
    for body in bodies:
        above = kin.get(body.parent)
        if body.joint.kind == "fixed":
            kin[body.name] = above or Kin(body.name, GROUND, GROUND)
        else:
            tree = body.name if above is None or above.is_still else above.tree
            kin[body.name] = Kin(body.name, GROUND if above is None else above.welded, tree)
    return kin


ORIGIN: Triple = (0.0, 0.0, 0.0)
UNTURNED: Quadruple = (1.0, 0.0, 0.0, 0.0)
APART_LIMIT = 10_000
"""Pairs that are kept apart where one tree touches itself and another does not."""


@dataclass(frozen=True)
class Guest:
    """A description that becomes part of another one.

    Args:
        description: of the guest; its bodies stay its own.
        prefix: put before the names of its bodies and constraints.
        position: of its ground frame in the ground frame of the whole [m].
        rotation: of the same, unit quaternion (w, x, y, z).
    """

    description: Description
    prefix: str = ""
    position: Triple = (0.0, 0.0, 0.0)
    rotation: Quadruple = (1.0, 0.0, 0.0, 0.0)

    def called(self, name: str) -> str:
        """What a body, or the ground, is called in the whole."""
        return GROUND if name == GROUND else f"{self.prefix}{name}"

    def placed(self, point: Triple) -> Triple:
        """Where a point of its ground frame is in that of the whole."""
        if self.rotation == UNTURNED:
            return add(point, self.position)
        return add(rotate(quaternion_matrix(self.rotation), point), self.position)

    def bodies(self, surface: Surface | None) -> list[Body]:
        """Its bodies, those on the ground moved, with surfaces that the surface of the whole does not change.

        Args:
            surface: of the whole.
        """
        own = self.description.surface
        found = []
        for body in self.description.bodies:
            changes: dict[str, Any] = {"name": self.called(body.name), "parent": self.called(body.parent)}
            if own != surface:  # else what a shape does not say is the same there
                touch = {"contact": False} if own is None else {"surface": own}
                changes["shapes"] = [
                    shape
                    if shape.surface is not None or not shape.contact
                    else shape.model_copy(update=touch)
                    for shape in body.shapes
                ]
            if body.parent == GROUND and (self.position, self.rotation) != (ORIGIN, UNTURNED):
                joint = body.joint
                place = {
                    "position": self.placed(joint.position),
                    "rotation": quaternion_product(self.rotation, joint.rotation),
                }
                changes["joint"] = joint.model_copy(update=place)
            found.append(body.model_copy(update=changes))
        return found

    def constraints(self) -> list[Constraint]:
        """Its constraints; points on the ground are moved."""
        found = []
        for held in self.description.constraints:
            changes: dict[str, Any] = {"body": self.called(held.body), "other": self.called(held.other)}
            if held.name:
                changes["name"] = f"{self.prefix}{held.name}"
            if held.other == GROUND and held.other_point is not None:
                changes["other_point"] = self.placed(held.other_point)
            found.append(held.model_copy(update=changes))
        return found

    def pairs(self, self_contact: bool) -> list[Pair]:
        """Its pairs, and those that keep its trees from touching themselves where only others do.

        Args:
            self_contact: of the whole.

        Raises:
            UsageError: when that would be too many.
        """
        apart = self._apart() if self_contact and not self.description.self_contact else {}
        kept = [pair for pair in self.description.pairs if frozenset(pair.bodies) not in apart]
        return [
            pair.model_copy(update={"bodies": tuple(map(self.called, pair.bodies))})
            for pair in [*kept, *apart.values()]
        ]

    def _apart(self) -> dict[frozenset[str], Pair]:
        """Pairs of its own bodies that do not touch, as its self_contact is false."""
        kin = kinship(parents_first(self.description.bodies))
        trees: dict[str, list[str]] = {}
        for body in self.description.bodies:
            if any(shape.contact for shape in body.shapes) and not kin[body.name].is_still:
                trees.setdefault(kin[body.name].tree, []).append(body.name)
        count = sum(len(names) * (len(names) - 1) // 2 for names in trees.values())
        if count > APART_LIMIT:
            raise UsageError(
                f"'{self.description.name}' does not touch itself, and what it is joined with does; to keep that, {count} "
                f"pairs would be needed, at most {APART_LIMIT} are made. Give both the same self_contact."
            )
        return {
            frozenset((one, other)): Pair(bodies=(one, other), contact=False)
            for names in trees.values()
            for one, other in combinations(names, 2)
            if not kin[one].never_touches(kin[other])
        }


def guest(description: Description, *, at: Any, rotation: Any, prefix: Any) -> Guest:
    """A description with its place in another one.

    Args:
        description: of the guest.
        at: as it was given.
        rotation: as it was given.
        prefix: as it was given.

    Raises:
        UsageError: when one of them cannot be used.
    """
    checks = {"at": (at, vector), "rotation": (rotation, unit_quaternion)}
    found: dict[str, Any] = {}
    for name, (value, check) in checks.items():
        try:
            found[name] = check(value)
        except PydanticCustomError as failure:
            raise UsageError(f"{name} {failure.message()}") from None
    if not isinstance(prefix, str):
        raise UsageError(f"prefix is {given(prefix)}, must be text, such as 'second_'.")
    return Guest(description, prefix, found["at"], found["rotation"])


def clashing_names(host: Description, newcomer: Guest) -> list[str]:
    """Names of bodies and constraints that a guest would have in common with its host."""
    bodies = {body.name for body in host.bodies}
    held = {held.name for held in host.constraints if held.name}
    names = [name for body in newcomer.description.bodies if (name := newcomer.called(body.name)) in bodies]
    mine = (f"{newcomer.prefix}{each.name}" for each in newcomer.description.constraints if each.name)
    return [*names, *(name for name in mine if name in held)]


def free_prefix(host: Description, newcomer: Guest) -> str:
    """A prefix with which no names would clash: the guest's name, with a number if need be."""
    number, stem = 1, newcomer.description.name
    while clashing_names(
        host, Guest(newcomer.description, prefix := f"{stem}{number if number > 1 else ''}_")
    ):
        number += 1
    return prefix


def side_by_side(guests: Sequence[Guest], surface: Surface | None) -> dict[str, Any]:
    """Bodies, pairs, constraints and self_contact of several descriptions in one; each touches as it did alone.

    Args:
        guests: the descriptions.
        surface: of the whole.
    """
    touching = any(guest.description.self_contact for guest in guests)
    return {
        "bodies": [body for guest in guests for body in guest.bodies(surface)],
        "pairs": [pair for guest in guests for pair in guest.pairs(touching)],
        "constraints": [held for guest in guests for held in guest.constraints()],
        "self_contact": touching,
    }
