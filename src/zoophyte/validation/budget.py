"""What a life with contact may gain: its own energy, read at the time of the places, beside what steps are known to make."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from zoophyte.model import Model
from zoophyte.model import contact_layout as cl
from zoophyte.model.filling.contact import margin
from zoophyte.model.model import Floats, Ints
from zoophyte.physics.contact.motion import FAST
from zoophyte.physics.dynamics import totals
from zoophyte.validation.scenes import DT, G, Lived

SEEN = 5
"""Steps from one look at the energy to the next."""
ROUNDING = 1e-10
"""Of the energy, in sums over a whole life."""
NEAR = 0.1
"""Part of the largest reach within which a contact of the next step is the same."""
TINY = 1e-30
"""An energy that is none [J]."""


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
    """Of chains: Ẽ = E half a step of velocities on, with what impulses make of the second half of a step told apart."""
    struck = np.array([False, *(bool(np.any(contact.forces)) for contact in life.contacts[1:])])
    made = np.zeros(len(struck))
    made[struck] = late_halves(life, np.flatnonzero(struck) - 1)
    # Flights between blows count from end to end, times with contact every few steps.
    edges = struck != np.append(struck[1:], False)
    seen = np.flatnonzero(edges | (np.arange(len(struck)) % SEEN == 0))
    found = read(life, seen)
    least = ROUNDING * float(np.abs(found.energy).max())
    share = found.turn**2 * found.kinetic
    gain = float((found.energy - found.energy[0]).max()) / (made.sum() + float(share.max()) + least)
    steps = np.diff(seen, prepend=seen[0])
    change = np.diff(found.energy, prepend=found.energy[0]) - np.diff(np.cumsum(made)[seen], prepend=0.0)
    # Beyond FAST a step takes its velocity products half-way, so that faster turns make no more than that.
    slow = np.minimum(found.turn, FAST) ** 2 * found.kinetic
    change -= 0.5 * steps * np.maximum(slow, np.append(slow[0], slow[:-1]))
    E = np.cumsum(np.where(struck[seen], change, 0.0))
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


@dataclass(frozen=True)
class Reading:
    """At some steps of a life: Ẽ, kinetic energy, and the largest turn of a link in a step."""

    energy: Floats
    kinetic: Floats
    turn: Floats


def read(life: Lived, steps: Ints) -> Reading:
    """Read a life at these steps, with the velocities that belong to the time of the places."""
    then = replace(life, q=life.q[steps], v=life.v[steps])
    v, turn = then.half_a_step_on()
    sums = replace(then, v=v).sums()
    return Reading(sums[:, totals.KINETIC] + sums[:, totals.POTENTIAL], sums[:, totals.KINETIC], turn)


def late_halves(life: Lived, before: Ints) -> Floats:
    """Energy that each of these steps makes because the second half of its accelerations is that of v before its impulses.

    To first order that is what those do on the velocities after, which count with no more kinetic energy than those before:
    what impulses put in is no excuse for more.  To second order it is x²·√(T·T_Δ), with T_Δ the kinetic energy of the change
    of velocity and x the largest turn of a link in the step; a blow knows nothing of velocities half-way.

    Args:
        life: recorded every step.
        before: the steps, by where they begin.
    """
    if not len(before):
        return np.zeros(0)
    start = replace(life, q=life.q[before], v=life.v[before])
    end = replace(start, v=life.v[before + 1])
    blow = np.sqrt(kinetic(start) * kinetic(replace(start, v=end.v - start.v)))
    turn = np.maximum(start.half_a_step_on()[1], end.half_a_step_on()[1])
    given = np.sqrt(np.minimum(kinetic(start) / np.maximum(kinetic(end), TINY), 1.0))
    end = replace(end, v=given[:, None] * end.v)
    late = (start.half_a_step_on()[0] - start.v) - (end.half_a_step_on()[0] - end.v)
    made = kinetic(replace(end, v=end.v + late)) - kinetic(end) - kinetic(replace(end, v=late))  # vᵀ·M·late
    return np.asarray(np.maximum(made, 0.0) + turn**2 * blow)


def kinetic(life: Lived) -> Floats:
    """T at every recorded time."""
    return life.sums()[:, totals.KINETIC]


def turning_error(model: Model, v: Floats) -> float:
    """Σ (ω dt)²·½ ω·I ω of free bodies."""
    total = 0.0
    for n, w in enumerate(v.reshape(-1, 6)[:, :3]):
        total += float(w @ w) * DT**2 * 0.5 * float(w @ model.bodies.inertia[n + 1] @ w)
    return total
