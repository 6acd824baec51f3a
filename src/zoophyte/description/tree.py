"""Bodies together: names, parents, rings, order, mass that moves, and who can touch whom."""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from dataclasses import dataclass

from zoophyte.description.bodies import GROUND, Body
from zoophyte.description.problems import WORD_LENGTH, Finding, field_of, given
from zoophyte.errors import nearest

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
