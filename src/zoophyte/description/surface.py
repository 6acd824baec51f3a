"""Surfaces: how shapes touch. A shape without one is a ghost: it weighs and shows, and touches nothing."""

from __future__ import annotations

import math
from typing import Annotated, TypeAlias

from pydantic import BeforeValidator, Field, Strict

from zoophyte.description.part import Part
from zoophyte.description.problems import Finding, field_of, given, refuse
from zoophyte.description.values import NonNegative, Truth, Vector, as_list, as_number

ALL_GROUPS = 2**16 - 1


MOST_FRICTION = 1e6
"""No load on Earth slips where friction is such; squares of much more would leave the numbers."""


def _not_huge(value: object) -> object:
    number = as_number(value)
    if number is None:
        number = value if isinstance(value, float) and not math.isnan(value) else 0.0
    if number > MOST_FRICTION:
        raise refuse(f"is {given(value)}, must be at most {MOST_FRICTION:g}: there, nothing slips any more.")
    return value


Friction: TypeAlias = Annotated[NonNegative, BeforeValidator(_not_huge)]


class Surface(Part):
    """Friction, rebound, and who meets whom.

    Where two surfaces meet, friction coefficients mix as the geometric mean and the others as the larger of the two,
    unless the description says otherwise for that pair of bodies.
    """

    friction: Friction = 1.0
    """Coefficient μ of dry friction: sticking force over pressing force."""
    restitution: NonNegative = 0.0
    """Speed after an impact over speed before; above 1 only if the surface is `springy`."""
    springy: Truth = False
    """Whether a restitution above 1, which makes energy, is meant."""
    rolling: NonNegative = 0.0
    """Rolling resistance: torque over pressing force [m]."""
    torsion: NonNegative = 0.0
    """Resistance to turning on the spot: torque over pressing force [m]."""
    friction_across: Friction | None = None
    """Coefficient across `grain`, where it differs from that along it."""
    grain: Vector = (1.0, 0.0, 0.0)
    """Direction of the grain in the body frame; for `friction_across`."""
    adhesion: NonNegative = 0.0
    """Force with which a touching point may be pulled before it lets go [N]."""
    group: Annotated[int, Strict(), Field(ge=0, le=ALL_GROUPS)] = 1
    """Bits of the groups that the shape belongs to."""
    mask: Annotated[int, Strict(), Field(ge=0, le=ALL_GROUPS)] = ALL_GROUPS
    """Bits of the groups that it can touch; two shapes meet if each is in a group that the other can touch."""

    @classmethod
    def whole_findings(cls, data: object) -> list[Finding]:
        """A rebound that makes energy without being called springy, and a grain that points nowhere.

        Args:
            data: what the surface is to be made from, as given.
        """
        springy = field_of(data, "springy") is True
        findings = [] if springy else restitution_findings(data, "Add springy: true if that is meant.")
        grain = as_list(field_of(data, "grain"))
        nowhere = (
            isinstance(grain, list | tuple) and len(grain) == 3 and all(as_number(x) == 0.0 for x in grain)
        )
        if nowhere and field_of(data, "friction_across") is not None:
            what = f"is {given(grain)}, which points nowhere, but friction_across is given."
            findings.append(Finding(("grain",), what, "Give a direction that is not zero."))
        return findings


def restitution_findings(data: object, how: str) -> list[Finding]:
    """What to say about a restitution above 1.

    Args:
        data: what a surface or a pair is to be made from.
        how: what to do about it.
    """
    restitution = as_number(field_of(data, "restitution"))
    if restitution is None or restitution <= 1.0:
        return []
    return [Finding(("restitution",), f"is {given(restitution)}; above 1 an impact makes energy.", how)]
