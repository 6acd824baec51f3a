"""Can every joint move something? Massless tips and singular inertias make forward dynamics divide by zero."""

from __future__ import annotations

from typing import TYPE_CHECKING

from zoophyte.errors import Problem
from zoophyte.model.articulated import AXES
from zoophyte.model.layout import BALL, FREE, HINGE, SLIDE

if TYPE_CHECKING:
    from zoophyte.model.articulated import Neutral
    from zoophyte.model.model import Model

RELATIVE_FLOOR = 1e-12
"""A pivot below this part of what it was computed from is rounding of zero: some thousand ulps of the sums behind it."""

TROUBLE = {
    HINGE: "the hinge has no moment of inertia to turn about its axis",
    SLIDE: "the slide has no mass to move",
    BALL: "the ball joint has no moment of inertia about some axis",
    FREE: "the free body has no moment of inertia about some axis",
}


def inertia_problems(model: Model, neutral: Neutral) -> list[Problem]:
    """One problem per joint that has nothing to move as the body begins, while the joints beyond it are loose.

    Massless links are allowed as long as what they carry has inertia about their axes; rotors (armature) count, and a
    driven joint needs none.
    """
    problems = []
    for link in range(1, len(model.links.kind)):
        kind, first = int(model.links.kind[link]), model.v_start[link]
        if kind != FREE and bool(model.dofs.driven[first]):
            continue
        rotor = min(float(model.dofs.armature[first + n]) for n in range(len(AXES[kind])))
        if neutral.pivots[link] > RELATIVE_FLOOR and (rotor > 0.0 or _has_size(neutral, link, kind)):
            continue
        trouble = TROUBLE[kind] if kind != FREE or neutral.mass[link] > 0.0 else "the free body has no mass"
        problems.append(
            Problem(
                f"body {model.bodies.names[model.links.body[link]]!r}",
                f"{trouble} [mass beyond the joint {neutral.mass[link]:.3g} kg].",
                "Give it, or a body that it carries, a shape or mass properties with volume; or make the joint fixed.",
            )
        )
    return problems


def _has_size(neutral: Neutral, link: int, kind: int) -> bool:
    """Whether the inertia about each turning axis of the joint is more than rounding of the inertia about others."""
    rigid = neutral.rigid[link]
    largest = max(rigid[k][k] for k in range(3))
    return all(rigid[axis][axis] > RELATIVE_FLOOR * largest for axis in AXES[kind] if axis < 3)
