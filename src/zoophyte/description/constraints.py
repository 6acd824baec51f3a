"""Constraints between two bodies beside the tree: closed loops, welds, and springs that break."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Literal, TypeAlias

from pydantic import BeforeValidator, Field

from zoophyte.description.bodies import GROUND
from zoophyte.description.part import Part
from zoophyte.description.problems import WORD_LENGTH, Finding, Path, field_of, given, refuse
from zoophyte.description.surface import Friction, restitution_findings
from zoophyte.description.values import Label, Name, NonNegative, PositiveOrInfinite, Truth, Vector, as_list
from zoophyte.errors import nearest

CONSTRAINT_LIMIT = 100_000
SUGGESTION_LIMIT = 20
SUGGESTION_NAMES = 10_000


class Link(Part):
    """What all constraints share: two bodies and a point."""

    name: Label = ""
    """What to call it."""
    body: Name
    """The first body."""
    other: Name = GROUND
    """The second body, or ground."""
    point: Vector = (0.0, 0.0, 0.0)
    """Where it holds the first body, in that body's frame [m]."""
    other_point: Vector | None = None
    """Where it holds the second body, in its frame [m]; if left out, where `point` is when life begins."""


class Connect(Link):
    """Two points that stay together, as a ball joint holds them: closes a loop."""

    kind: Literal["connect"] = "connect"


class Weld(Link):
    """Two bodies that keep the relative pose in which life begins."""

    kind: Literal["weld"] = "weld"


class Attach(Link):
    """A spring between two points that pulls them together and breaks when stretched too far."""

    kind: Literal["attach"] = "attach"
    stiffness: NonNegative
    """Force over length [N/m]."""
    damping: NonNegative = 0.0
    """Force over speed of stretching [N·s/m]."""
    break_length: Annotated[
        PositiveOrInfinite, Field(json_schema_extra=lambda schema: schema.pop("default", None))
    ] = math.inf
    """Length at which it breaks for good [m]."""


Constraint: TypeAlias = Annotated[Connect | Weld | Attach, Field(discriminator="kind")]


def _two_names(value: object) -> object:
    names = as_list(value)
    if not isinstance(names, list | tuple) or len(names) != 2:
        raise refuse(f"is {given(names)}, must be the names of two bodies, [one, other].")
    return names


class Pair(Part):
    """How two bodies touch each other, where that differs from how their surfaces mix.

    It makes nothing touch that does not touch without it.
    """

    bodies: Annotated[tuple[Name, Name], BeforeValidator(_two_names)]
    """Names of the two; one may be ground."""
    contact: Truth = True
    """Whether they touch at all."""
    friction: Friction | None = None
    """Coefficient of dry friction between them."""
    restitution: NonNegative | None = None
    """Speed after an impact over speed before; at most 1."""

    @classmethod
    def whole_findings(cls, data: object) -> list[Finding]:
        """A rebound that makes energy; only whole surfaces can be springy.

        Args:
            data: what the pair is to be made from, as given.
        """
        return restitution_findings(data, "Give one of the two surfaces that restitution, and springy: true.")


def constraint_findings(data: object) -> list[Finding]:
    """What is wrong with the bodies that constraints and pairs name.

    Args:
        data: what a description is to be made from; whatever cannot be read is passed over, since it is reported elsewhere.
    """
    bodies = field_of(data, "bodies")
    names = [field_of(body, "name") for body in bodies] if isinstance(bodies, list | tuple) else []
    known = _Known({name for name in names if isinstance(name, str)})
    findings = [
        *_held_findings(_entries(data, "constraints"), known),
        *_pair_findings(_entries(data, "pairs"), known),
    ]
    if not known.names:  # then it is the bodies that are wrong
        findings = [finding for finding in findings if finding.path[-1] == "name"]
    return findings


@dataclass
class _Known:
    """The names of bodies; the nearest is found by comparing with every name, so only for the first problems."""

    names: set[str]
    asked: int = 0

    def unknown(self, path: Path, name: object, *more: str) -> list[Finding]:
        """What to say when that is no name of a body.

        Args:
            path: where it stands.
            name: as it was given.
            more: names that would do there besides.
        """
        if not isinstance(name, str) or not name or name in self.names:
            return []
        self.asked += 1
        near = self.names if self.asked <= SUGGESTION_LIMIT and len(self.names) <= SUGGESTION_NAMES else ()
        how = nearest(name[:WORD_LENGTH], (*near, *more)) or "Name a body of this description."
        return [Finding(path, f"is {given(name)}, which is no body here.", how)]


def _entries(data: object, key: str) -> Sequence[object]:
    entries = field_of(data, key)
    return entries if isinstance(entries, list | tuple) and len(entries) <= CONSTRAINT_LIMIT else []


def _held_findings(constraints: Sequence[object], known: _Known) -> list[Finding]:
    findings: list[Finding] = []
    first: dict[str, int] = {}
    for index, held in enumerate(constraints):
        path = ("constraints", index)
        name, body, other = (field_of(held, key) for key in ("name", "body", "other"))
        if isinstance(name, str) and name and first.setdefault(name, index) != index:
            what = f"is {given(name)}, which is the name of constraints[{first[name]}] already."
            findings.append(Finding((*path, "name"), what, "Every constraint has its own name, or none."))
        if body == GROUND:
            how = "Name the body that is held; ground is what `other` is unless it is given."
            findings.append(Finding((*path, "body"), "is 'ground', which does not move.", how))
        else:
            findings += known.unknown((*path, "body"), body)
        if other is not None and other != GROUND:
            findings += known.unknown((*path, "other"), other, GROUND)
        if isinstance(body, str) and body and body == other:
            findings.append(
                Finding((*path, "other"), f"is {given(other)}, which is `body` too.", "Name two bodies.")
            )
    return findings


def _pair_findings(pairs: Sequence[object], known: _Known) -> list[Finding]:
    findings: list[Finding] = []
    first: dict[frozenset[str], int] = {}
    for index, pair in enumerate(pairs):
        path, both = ("pairs", index, "bodies"), as_list(field_of(pair, "bodies"))
        if (
            not isinstance(both, list | tuple)
            or len(both) != 2
            or not all(isinstance(name, str) for name in both)
        ):
            continue
        for end, name in enumerate(both):
            if name != GROUND:
                findings += known.unknown((*path, end), name, GROUND)
        if both[0] == both[1]:
            findings.append(Finding(path, f"is {given(both)}: a body and itself.", "Name two bodies."))
        elif first.setdefault(frozenset(both), index) != index:
            what = f"is {given(both)}, which is the pair of pairs[{first[frozenset(both)]}] already."
            findings.append(Finding(path, what, "Keep one of them."))
    return findings
