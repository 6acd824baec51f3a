"""Can every joint move something? Massless tips and singular inertias make forward dynamics divide by zero."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from zoophyte.errors import Problem
from zoophyte.model.layout import BALL, FREE, HINGE, SLIDE
from zoophyte.model.model import Floats, Links, Model

RELATIVE_FLOOR = 1e-13
"""An inertia below this part of m·L² is rounding of zero: L is the size of what moves, 1e-13 some hundred ulps."""


def composite_inertias(links: Links) -> tuple[Floats, Floats, Floats]:
    """Mass, first moment and inertia (about its origin) of every link with all that it carries, at q = 0."""
    mass, moment, inertia = links.mass.copy(), links.moment.copy(), links.inertia.copy()
    for i in range(len(links.kind) - 1, 0, -1):
        parent, E, r = links.parent[i], links.E[i], links.r[i]
        h, I = E.T @ moment[i], E.T @ inertia[i] @ E
        h_P = h + mass[i] * r
        I_P = I + (r @ (h + h_P)) * np.eye(3) - np.outer(h_P, r) - np.outer(r, h)
        mass[parent] += mass[i]
        moment[parent] += h_P
        inertia[parent] += 0.5 * (I_P + I_P.T)
    return mass, moment, inertia


def inertia_problems(model: Model) -> list[Problem]:
    """One problem per joint that has nothing to move: the composite inertia beyond it, at q = 0, is singular.

    Massless links are allowed as long as what they carry has inertia about their axes.
    """
    links = model.links
    mass, moment, inertia = composite_inertias(links)
    floor = RELATIVE_FLOOR * max(float(np.max(np.abs(inertia))), np.finfo(float).tiny)
    problems = []
    for i in range(1, len(links.kind)):
        body = model.bodies.names[links.body[i]]
        if trouble := _TROUBLE[int(links.kind[i])](float(mass[i]), moment[i], inertia[i], floor):
            problems.append(
                Problem(
                    f"body {body!r}",
                    f"{trouble} [mass beyond the joint {mass[i]:.3g} kg].",
                    "Give it, or a body that it carries, a shape or mass properties with volume; or make the joint fixed.",
                )
            )
    return problems


def _hinge(mass: float, moment: Floats, inertia: Floats, floor: float) -> str:
    return "" if inertia[2, 2] > floor else "the hinge has no moment of inertia to turn about its axis"


def _slide(mass: float, moment: Floats, inertia: Floats, floor: float) -> str:
    return "" if mass > 0.0 else "the slide has no mass to move"


def _ball(mass: float, moment: Floats, inertia: Floats, floor: float) -> str:
    return (
        ""
        if np.linalg.eigvalsh(inertia)[0] > floor
        else "the ball joint has no moment of inertia about some axis"
    )


def _free(mass: float, moment: Floats, inertia: Floats, floor: float) -> str:
    if mass <= 0.0:
        return "the free body has no mass"
    com = moment / mass
    central = inertia - mass * (com @ com * np.eye(3) - np.outer(com, com))
    return (
        ""
        if np.linalg.eigvalsh(central)[0] > floor
        else "the free body has no moment of inertia about some axis"
    )


_TROUBLE: dict[int, Callable[[float, Floats, Floats, float], str]] = {
    HINGE: _hinge,
    SLIDE: _slide,
    BALL: _ball,
    FREE: _free,
}
