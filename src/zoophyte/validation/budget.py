"""What a life with contact may gain: its own energy, read at the time of the places, beside what steps are known to make."""

from __future__ import annotations

import numpy as np

from zoophyte.model import Model
from zoophyte.model import contact_layout as cl
from zoophyte.model.filling.contact import margin
from zoophyte.model.model import Floats
from zoophyte.physics.dynamics import totals
from zoophyte.validation.blows import kinetic, read, terms
from zoophyte.validation.scenes import DT, G, Lived

SEEN = 5
"""Steps from one look at the energy to the next."""
ROUNDING = 1e-10
"""Of the energy, in sums over a whole life."""
NEAR = 0.1
"""Part of the largest reach within which a contact of the next step is the same."""


def gains_over_bounds(life: Lived, jointed: bool) -> tuple[float, float]:
    """(gain over the start, rise over the lowest since), each as a share of what steps may make; see LAW-contact-energy.

    Args:
        life: recorded every step with its contacts.
        jointed: whether bodies hang on one another.
    """
    return jointed_gains(life) if jointed else free_gains(life)


def free_gains(life: Lived) -> tuple[float, float]:
    """Of free bodies: Ẽ = E − ½ dt g P_z."""
    sums = life.sums()
    E = sums[:, totals.KINETIC] + sums[:, totals.POTENTIAL]
    least = ROUNDING * float(np.abs(E).max())
    E = E - 0.5 * DT * G * sums[:, totals.LINEAR + 2]
    own = np.array([turning_error(life.model, v) for v in life.v])
    gain = float((E - E[0]).max()) / (float(own.max()) + least)
    return gain, largest_rise(E, own, least + lift(life))


def jointed_gains(life: Lived) -> tuple[float, float]:
    """Of chains: Ẽ = E half a step of velocities on, with what impulses, corrections and late halves do told apart."""
    struck = np.array([False, *(len(contact.gaps) > 0 for contact in life.contacts[1:])])
    parts = terms(life, np.flatnonzero(struck) - 1)
    # Flights between blows count from end to end, times with contact every few steps.
    edges = struck != np.append(struck[1:], False)
    found = read(life, np.flatnonzero(edges | (np.arange(len(struck)) % SEEN == 0)))
    least = ROUNDING * float(np.abs(found.energy).max())
    made = float((np.maximum(parts.late, 0.0) + parts.most).sum() + (found.turn**2 * found.kinetic).max())
    gain = float((found.energy - found.energy[0]).max()) / (made + least)
    E = np.cumsum(np.append(0.0, parts.work + parts.moved - parts.most))
    return gain, largest_rise(E, np.zeros(len(E)), least + lift(life))


def largest_rise(energy: Floats, own: Floats, least: float) -> float:
    """Rise above the lowest value so far, over the largest of `own` since then and `least`."""
    worst, low, most = 0.0, energy[0], own[0]
    for E, x in zip(energy, own, strict=True):
        if low > E:
            low, most = E, x
        most = max(most, x)
        worst = max(worst, float(E - low) / float(most + least))
    return worst


def lift(life: Lived) -> float:
    """Energy of a lift by the slop, or by the greatest depth where contacts were recorded [J].

    Of a contact that the step before had close by, no more than slop and margin count: nothing should get deeper by itself,
    and to be lifted out of more is to gain.  But a blow may drive what was not near into something else within the same
    step: that contact is new, and as deep as the lighter of the two bodies can have gone with all the kinetic energy.
    """
    model = life.model
    reach = max(shape.reach for shape in model.shapes if shape.link)
    slop, near_by = cl.SLOP_PART * reach, margin(G * DT, DT, reach)
    depth, before, T = slop, life.contacts[0], kinetic(life)
    for n, now in enumerate(life.contacts[1:], 1):
        for bodies, point, gap in zip(now.bodies, now.points, now.gaps, strict=True):
            same = np.all(before.bodies == bodies, axis=1)
            near = np.linalg.norm(before.points - point, axis=1) < NEAR * reach
            lighter = min(float(model.bodies.mass[body]) for body in bodies if body)
            most = slop + near_by if np.any(same & near) else DT * np.sqrt(2.0 * T[n - 1] / lighter)
            depth = max(depth, min(-float(gap), float(most)))
        before = now
    return G * model.total_mass * depth


def turning_error(model: Model, v: Floats) -> float:
    """Σ (ω dt)²·½ ω·I ω of free bodies."""
    total = 0.0
    for n, w in enumerate(v.reshape(-1, 6)[:, :3]):
        total += float(w @ w) * DT**2 * 0.5 * float(w @ model.bodies.inertia[n + 1] @ w)
    return total
