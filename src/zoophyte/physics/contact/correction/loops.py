"""Gaps of loops are closed by damped least squares, in short ways.

A chain that is pulled straight between two points is rigid, though its joints are not: what its rows say of ways along
itself is next to nothing, and divided by that, a gap of a micrometre is a leap.
"""

from __future__ import annotations

from zoophyte.model.contact_layout import (
    AXIS_COUNT,
    AXIS_ERROR,
    HEAD_START,
    LARGEST_REACH,
    SLOT_BLOCK,
    SLOT_ERROR,
    SLOT_HIGH,
    SLOT_HOLD,
    SLOT_INVERSE,
    SLOT_KIND,
    SLOT_NORMAL_INVERSE,
    SLOT_ROUND_IMPULSE,
    SLOT_SOFT,
)
from zoophyte.model.layout import (
    BALL,
    CONTACT,
    FREE,
    HINGE,
    LINK_COUNT,
    NV,
    ROW_KIND,
    ROW_V,
    V_COUNT,
)
from zoophyte.numbers import (
    Array,
    Number,
    Spec,
    absolute,
    both,
    fma,
    load,
    maximum,
    minimum,
    number,
    sqrt,
    store,
    where,
    width,
)
from zoophyte.numbers.memory import load3, load6, store3, store6
from zoophyte.physics.contact.axes import axis_offset, is_active
from zoophyte.physics.contact.cone import add_slot, slot_velocity
from zoophyte.physics.contact.slots import slot_offset
from zoophyte.physics.dynamics.kinematics import row

BOUND = 1e29
"""An impulse bound above this is none."""
GIVE = 1e-3
"""Part of the mean of its diagonal by which the block of a constraint is damped when its gap is closed (Levenberg and
Marquardt).  A chain that is pulled straight between two points cannot move along itself: there a gap of a micrometre,
divided by what little can, turned links by radians.  Where the way is free, three passes leave 10⁻⁹ of a gap."""
MOST_TURN = 0.03
"""What one pass turns a joint at most where there are constraints [rad].  A blow pulls a chain straight in a step;
corrections of a tenth of a radian then fed its energy until it burst, by the second order that carrying velocities leaves
out."""


def correct_slot(ints: Array, scratch: Array, slot: int, spec: Spec) -> None:
    """One Gauss–Seidel step on displacements: the normal alone, or all three rows where all are bound."""
    W = width(spec)
    error = load3(scratch, slot + SLOT_ERROR * W, spec)
    u0, u1, u2 = slot_velocity(ints, scratch, slot, error, spec)
    zero = number(0.0, u0)
    before = load3(scratch, slot + SLOT_ROUND_IMPULSE * W, spec)
    bound = load(scratch, slot + SLOT_HOLD * W, spec) > number(BOUND, zero)
    point = both(load(scratch, slot + SLOT_KIND * W, spec) < number(0.5, zero),
                 load(scratch, slot + SLOT_SOFT * W, spec) <= zero)  # fmt: skip
    point = both(point, load(scratch, slot + SLOT_HIGH * W, spec) > zero)
    normal = maximum(before[0] - u0 * load(scratch, slot + SLOT_NORMAL_INVERSE * W, spec), zero)
    normal = where(point, normal, zero)
    give = damping(scratch, slot, spec)
    K = load6(scratch, slot + SLOT_INVERSE * W, spec)
    u0, u1, u2 = fma(give, before[0], u0), fma(give, before[1], u1), fma(give, before[2], u2)
    d0 = where(bound, -(K[0] * u0 + K[1] * u1 + K[2] * u2), normal - before[0])
    d1 = where(bound, -(K[1] * u0 + K[3] * u1 + K[4] * u2), zero)
    d2 = where(bound, -(K[2] * u0 + K[4] * u1 + K[5] * u2), zero)
    store3(scratch, slot + SLOT_ROUND_IMPULSE * W, (before[0] + d0, before[1] + d1, before[2] + d2), spec)
    add_slot(ints, scratch, slot, (d0, d1, d2), spec)


def damping(scratch: Array, slot: int, spec: Spec) -> Number:
    """What is added to the diagonal of a slot's block where loops are closed: a part of its mean."""
    W, block = width(spec), slot + SLOT_BLOCK * width(spec)
    nn, tt = load(scratch, block, spec), load(scratch, block + 3 * W, spec)
    return number(GIVE / 3.0, nn) * (nn + tt + load(scratch, block + 5 * W, spec))


def damp(ints: Array, scratch: Array, slots: int, spec: Spec) -> None:
    """The inverse of every slot's damped block, for :func:`correct_slot`."""
    W = width(spec)
    for k in range(slots):
        slot = slot_offset(ints, k)
        B, give = load6(scratch, slot + SLOT_BLOCK * W, spec), damping(scratch, slot, spec)
        zero, one = number(0.0, give), number(1.0, give)
        some = give > zero
        a, b, c = where(some, B[0] + give, one), where(some, B[3] + give, one), where(some, B[5] + give, one)
        c0, c1, c2 = b * c - B[4] * B[4], B[2] * B[4] - B[1] * c, B[1] * B[4] - B[2] * b
        per = one / where(some, a * c0 + B[1] * c1 + B[2] * c2, one)
        per = where(some, per, zero)
        inverse = (per * c0, per * c1, per * c2, per * (a * c - B[2] * B[2]),
                   per * (B[2] * B[1] - a * B[4]), per * (a * b - B[1] * B[1]))  # fmt: skip
        store6(scratch, slot + SLOT_INVERSE * W, inverse, spec)


def stay_near(ints: Array, data: Array, scratch: Array, slots: int, change: int, spec: Spec) -> None:
    """Scale displacements back to ways whose curvature opens no more than is to be closed, and to small turns.

    What turns by φ at a reach r comes off its straight way by up to r·φ²/2; so of an error e, ways of more than √(e·r) say
    nothing.  And velocities are carried along small turns only.  Where the way is free, it is about as long as the error,
    and the bounds are far.
    """
    W, c = width(spec), ints[CONTACT]
    reach = load(data, ints[c + HEAD_START] + LARGEST_REACH * W, spec)
    error, way, turn = number(0.0, reach), number(0.0, reach), number(0.0, reach)
    for k in range(slots):
        slot = slot_offset(ints, k)
        e = load3(scratch, slot + SLOT_ERROR * W, spec)
        size = maximum(maximum(absolute(e[0]), absolute(e[1])), absolute(e[2]))
        turns = load(scratch, slot + SLOT_KIND * W, spec) > number(0.5, reach)
        error = maximum(where(turns, reach * size, size), error)
    for a in range(ints[c + AXIS_COUNT]):
        if is_active(ints, scratch, a, spec):
            excess = load(scratch, axis_offset(ints, a, spec) + AXIS_ERROR * W, spec)
            error = maximum(maximum(reach, number(1.0, reach)) * excess, error)
    for link in range(1, ints[LINK_COUNT]):
        i = row(ints, link)
        kind = ints[i + ROW_KIND]
        for n in range(V_COUNT[kind]):
            d = absolute(load(scratch, change + (ints[i + ROW_V] + n) * W, spec))
            if kind == HINGE or kind == BALL or (kind == FREE and n < 3):
                turn = maximum(d, turn)
            else:
                way = maximum(d, way)
    way = maximum(reach * turn, way)
    one, most = number(1.0, reach), sqrt(error * reach)
    factor = where(way > most, most / where(way > most, way, one), one)
    far = turn > number(MOST_TURN, reach)
    factor = minimum(where(far, number(MOST_TURN, reach) / where(far, turn, one), one), factor)
    for n in range(ints[NV]):
        store(scratch, change + n * W, factor * load(scratch, change + n * W, spec), spec)
