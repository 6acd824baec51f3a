"""What a step with contact does to the energy, term by term.

Velocities stand half a step before the places they are recorded with, and energy is read with u = v + ½ dt f(q, v), f the
accelerations in the axes of q.  A step makes free velocities v_f of v, its impulses add Δ, places move with v_s = v_f + Δ,
and what is too deep is corrected.  With T that at q, and no approximation,

    Ẽ′ − Ẽ = work + late + flight + moved,

    work   = T(m + Δ) − T(m),  m = ½ (v + v_f):  what impulses do, half-way;
    late   = T(w) − T(m + Δ) + T(m) − T(u),  w = v_s − ½ dt f(q, v_s):  accelerations are those of v before the impulses,
             while w is where half a step of its own would have come from;
    flight = E read after a step with v_s that nothing disturbs − E(q, w);
    moved  = what corrections do besides.

Orders, by expansion in dt.  Without refinement m = u and w = u + Δ + ½ dt (f(q, v) − f(q, v_s)), so that late is
½ dt (u + Δ)ᵀ·M·(f(q, v) − f(q, v_s)) and the kinetic energy of ½ dt (f(q, v) − f(q, v_s)): of first order in a blow.  Flight
is what a step that looks the same forwards and backwards makes: of third order, a matter of flight.

Contacts answer for work and moved.  Restitution is guarded half-way, so that its work is not above zero.  Coulomb's law and
gaps that close hold at the end of the step: λᵀ·J·v_s ≤ 0, the kinetic energy falls by T(Δ) and more from v_f to v_s, and

    work ≤ −T(Δ) − Δᵀ·M·h ≤ T(h),  h = v_f − m = ½ (v_f − v),

the largest value that any Δ gives.  Where sweeps have not come to an end, the guard makes sure only that T does not rise
from v_f to v_s; no more is allowed for that.  Corrections carry velocities along; what that does is counted with the work.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from zoophyte.model import Block
from zoophyte.model import layout as at
from zoophyte.model.model import Floats, Ints, Model
from zoophyte.physics.dynamics import totals
from zoophyte.validation.scenes import Lived

SAME = 1e-12
"""Places that differ by less were not corrected [m or rad]."""


@dataclass(frozen=True)
class Terms:
    """Of some steps [J]: work, late and moved as above, and `most`, the largest work that is no gain."""

    work: Floats
    late: Floats
    moved: Floats
    most: Floats


def terms(life: Lived, before: Ints) -> Terms:
    """What these steps of a life do to the energy.

    Args:
        life: recorded every step with its contacts; without springs and motors.
        before: the steps, by where they begin.
    """
    if not len(before):
        return Terms(*np.zeros((4, 0)))
    start = replace(
        life, q=life.q[before], v=life.v[before], contacts=tuple(life.contacts[n] for n in before)
    )
    end = replace(life, q=life.q[before + 1], v=life.v[before + 1])
    free = start.free_velocities()
    solved = replace(start, v=turned_back(life.model, start.q, end.q, end.v))
    middle, impulse = 0.5 * (start.v + free), solved.v - free
    own = 2.0 * solved.v - solved.half_a_step_on()[0]
    m, struck, w, u, most = (
        kinetic(replace(start, v=v))
        for v in (middle, middle + impulse, own, start.half_a_step_on()[0], middle - start.v)
    )
    pressed = np.array([bool(np.any(life.contacts[n + 1].forces)) for n in before])
    return Terms(struck - m, w - struck + m - u, corrected(solved, end), np.where(pressed, most, 0.0))


def corrected(solved: Lived, end: Lived) -> Floats:
    """Energy where steps end, less that where their velocities alone would have brought them [J]."""
    gone = solved.moved()
    found = np.zeros(len(end.q))
    where = np.abs(gone.q - end.q).max(axis=1) > SAME
    if np.any(where):
        found[where] = read(end, where).energy - read(gone, where).energy
    return found


def turned_back(model: Model, q: Floats, q_after: Floats, v: Floats) -> Floats:
    """Velocities after a step in the axes before it: what free and ball links keep as they turn is the same in the world.

    Args:
        model: of the creature.
        q: coordinates before, one row for each time.
        q_after: after.
        v: velocities after.
    """
    block, found = Block([model]), v.copy()
    for link, kind in enumerate(model.links.kind.tolist()):
        if not link or kind not in (at.BALL, at.FREE):
            continue
        place, dof = model.q_start[link], model.v_start[link]
        record = block.places.links[link] + at.data_record_size(kind) - at.CARRIER_SIZE
        carrier = block.fields[record : record + at.CARRIER_SIZE, 0]
        c = carrier[at.CARRIER_COM : at.CARRIER_COM + 3]
        turn = between(q[:, place : place + 4], q_after[:, place : place + 4])
        w = v[:, dof : dof + 3]
        L = rotated(turn, w @ symmetric(carrier[at.CARRIER_INERTIA : at.CARRIER_INERTIA + 6]))
        found[:, dof : dof + 3] = L @ symmetric(carrier[at.CARRIER_INVERSE : at.CARRIER_INVERSE + 6])
        if kind == at.FREE:
            u = rotated(turn, v[:, dof + 3 : dof + 6] + np.cross(w, c))
            found[:, dof + 3 : dof + 6] = u - np.cross(found[:, dof : dof + 3], c)
    return found


def between(a: Floats, b: Floats) -> Floats:
    """Unit quaternions that take the axes b to the axes a: conj(a) ⊗ b."""
    s, x, t, y = a[:, :1], a[:, 1:], b[:, :1], b[:, 1:]
    return np.hstack([s * t + np.sum(x * y, axis=1, keepdims=True), s * y - t * x - np.cross(x, y)])


def rotated(q: Floats, x: Floats) -> Floats:
    """Vectors turned by unit quaternions."""
    return np.asarray(x + 2.0 * np.cross(q[:, 1:], np.cross(q[:, 1:], x) + q[:, :1] * x))


def symmetric(entries: Floats) -> Floats:
    """The matrix of xx, xy, xz, yy, yz, zz."""
    return np.asarray(entries[[[0, 1, 2], [1, 3, 4], [2, 4, 5]]])


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


def kinetic(life: Lived) -> Floats:
    """T at every recorded time."""
    return life.sums()[:, totals.KINETIC]
