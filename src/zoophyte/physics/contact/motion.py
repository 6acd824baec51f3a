"""How velocities and positions of the step with contact advance: free velocities first, positions once they are solved.

A leapfrog: velocities lie half a step before positions.  The velocity products of the accelerations belong half-way through
the step; with those of its start a chain gains energy in free flight, about (x²/2) of it in a step in which it turns by x.
Where contacts act, forces alone do not tell the velocities half-way, and only fast joints have their products taken there.
"""

from __future__ import annotations

from typing import Any

from zoophyte.algebra.inertia import acceleration_at
from zoophyte.algebra.quaternions import quaternion_integrate, quaternion_matrix
from zoophyte.algebra.rotations import apply_symmetric, rotate, unrotate
from zoophyte.algebra.spatial import spatial
from zoophyte.algebra.vectors import add, add_cross, add_scaled, choose3, cross, dot, scale, subtract
from zoophyte.model.contact_layout import (
    AXIS_COUNT,
    AXIS_DATA,
    AXIS_DOF,
    AXIS_HARD,
    AXIS_Q,
    AXIS_ROW_SIZE,
    AXIS_ROWS,
    AXIS_V,
    ISLAND_COUNT,
    ISLAND_FACTOR,
    ISLAND_RECORD,
    ISLAND_START,
    MEMORY_START,
)
from zoophyte.model.layout import (
    ACCELERATION,
    BALL,
    CARRIER_INERTIA,
    CARRIER_INVERSE,
    CONFIGURATION,
    CONTACT,
    DOF_SIZE,
    DT,
    FLAG_DRIVEN,
    FLAGS,
    FREE,
    LINK_COUNT,
    LOWER,
    MOBILE,
    ROW_DATA,
    ROW_KIND,
    ROW_SCRATCH,
    ROW_V,
    SCREW,
    SLIDE,
    TAU,
    UPPER,
    V_COUNT,
    VELOCITY,
    WORLD_R,
    A,
    V,
)
from zoophyte.numbers import (
    Array,
    Mask,
    Spec,
    absolute,
    both,
    either,
    fma,
    load,
    maximum,
    minimum,
    number,
    store,
    where,
    width,
)
from zoophyte.numbers.memory import load3, load4, load6, load9, store3, store4, store6
from zoophyte.physics.contact.axes import LATE
from zoophyte.physics.contact.islands import axis_island, island_record, tree_of
from zoophyte.physics.dynamics.blocks import dof_fields3, dof_fields6, store_dof_fields6
from zoophyte.physics.dynamics.kinematics import first_dof, row
from zoophyte.physics.integrate import (
    carrier_of,
    free_from_momentum,
    free_momentum,
    stage_start,
    store_velocity3,
    turned,
)

FAST = 0.05
"""A joint that turns by more than this in a step [rad] is fast: velocity products are then taken half-way through it."""
FAST_ALOFT = 0.005
"""The same for a creature that nothing touched in the step before."""
FASTER = 0.1
"""A link that turns by more than this in a step [rad] has its velocities half-way improved once more."""


def is_fast(ints: Array, data: Array, spec: Spec) -> Mask:
    """Where any joint turns fast."""
    W = width(spec)
    dt = load(data, DT * W, spec)
    aloft = load(data, ints[ints[CONTACT] + MEMORY_START], spec) < number(0.5, dt)
    limit = where(aloft, number(FAST_ALOFT, dt), number(FAST, dt))
    fast = dt < number(0.0, dt)
    for link in range(1, ints[LINK_COUNT]):
        i = row(ints, link)
        kind = ints[i + ROW_KIND]
        for n in range(0 if kind == SLIDE else min(V_COUNT[kind], 3)):
            v = load(data, ints[i + ROW_DATA] + (first_dof(kind) + n * DOF_SIZE + VELOCITY) * W, spec)
            fast = either(fast, dt * absolute(v) > limit)
    return fast


def is_faster(ints: Array, data: Array, scratch: Array, spec: Spec) -> Mask:
    """Where any link turns so fast that one guess of the velocities half-way is not enough.

    A motion that turns by x in a step gains x⁴/4 of its energy with the first guess, and loses as much with the second.
    """
    W = width(spec)
    dt = load(data, DT * W, spec)
    most = number(0.0, dt)
    for link in range(1, ints[LINK_COUNT]):
        w = load3(scratch, ints[row(ints, link) + ROW_SCRATCH] + V * W, spec)
        most = maximum(dot(w, w), most)
    return dt * dt * most > number(FASTER * FASTER, dt)


def go_half_way(ints: Array, data: Array, scratch: Array, fast: Mask, spec: Spec) -> None:
    """v + ½ dt·a where fast, into the velocities; `scratch` keeps v before, these, accelerations and forces."""
    W = width(spec)
    for link in range(1, ints[LINK_COUNT]):
        i = row(ints, link)
        kind, d = ints[i + ROW_KIND], ints[i + ROW_DATA]
        kept = stage_start(kind, ints[i + ROW_SCRATCH], spec)
        for n in range(V_COUNT[kind]):
            dof, size = d + (first_dof(kind) + n * DOF_SIZE) * W, V_COUNT[kind]
            store(scratch, kept + n * W, load(data, dof + VELOCITY * W, spec), spec)
            store(scratch, kept + (2 * size + n) * W, load(data, dof + ACCELERATION * W, spec), spec)
            store(scratch, kept + (3 * size + n) * W, load(data, dof + TAU * W, spec), spec)
        A_L = load6(scratch, ints[i + ROW_SCRATCH] + A * W, spec)
        store6(scratch, kept + 4 * V_COUNT[kind] * W, A_L, spec)
    improve_half_way(ints, data, scratch, fast, spec)


def improve_half_way(ints: Array, data: Array, scratch: Array, fast: Mask, spec: Spec) -> None:
    """The velocities half-way anew where fast, from those of the start, which `go_half_way` kept, and the accelerations.

    Forces are those of the start again, since a pass adds what driven joints need.
    """
    W = width(spec)
    half = number(0.5, load(data, DT * W, spec)) * load(data, DT * W, spec)
    for link in range(1, ints[LINK_COUNT]):
        i = row(ints, link)
        kind, d = ints[i + ROW_KIND], ints[i + ROW_DATA]
        kept = stage_start(kind, ints[i + ROW_SCRATCH], spec)
        for n in range(V_COUNT[kind]):
            dof = d + (first_dof(kind) + n * DOF_SIZE) * W
            v = load(scratch, kept + n * W, spec)
            rate = half * load(data, dof + MOBILE * W, spec)
            middle = fma(rate, load(data, dof + ACCELERATION * W, spec), v)
            middle = where(fast, middle, load(data, dof + VELOCITY * W, spec))
            store(scratch, kept + (V_COUNT[kind] + n) * W, middle, spec)
            store(data, dof + VELOCITY * W, middle, spec)
            store(data, dof + TAU * W, load(scratch, kept + (3 * V_COUNT[kind] + n) * W, spec), spec)


def go_back(ints: Array, data: Array, scratch: Array, fast: Mask, spec: Spec) -> None:
    """The velocities that `go_half_way` kept; where not fast, accelerations and forces too, to the last bit."""
    W = width(spec)
    for link in range(1, ints[LINK_COUNT]):
        i = row(ints, link)
        kind, d = ints[i + ROW_KIND], ints[i + ROW_DATA]
        kept = stage_start(kind, ints[i + ROW_SCRATCH], spec)
        for n in range(V_COUNT[kind]):
            dof, size = d + (first_dof(kind) + n * DOF_SIZE) * W, V_COUNT[kind]
            store(data, dof + VELOCITY * W, load(scratch, kept + n * W, spec), spec)
            a, tau = load(data, dof + ACCELERATION * W, spec), load(data, dof + TAU * W, spec)
            a = where(fast, a, load(scratch, kept + (2 * size + n) * W, spec))
            tau = where(fast, tau, load(scratch, kept + (3 * size + n) * W, spec))
            store(data, dof + ACCELERATION * W, a, spec)
            store(data, dof + TAU * W, tau, spec)
        own = ints[i + ROW_SCRATCH] + A * W
        A_L, A_kept = load6(scratch, own, spec), load6(scratch, kept + 4 * V_COUNT[kind] * W, spec)
        turn = choose3(fast, (A_L[0], A_L[1], A_L[2]), (A_kept[0], A_kept[1], A_kept[2]))
        move = choose3(fast, (A_L[3], A_L[4], A_L[5]), (A_kept[3], A_kept[4], A_kept[5]))
        store6(scratch, own, spatial(turn, move), spec)


def free_velocities(ints: Array, data: Array, scratch: Array, refined: bool, spec: Spec) -> None:
    """v of every dof after dt of its acceleration, in the axes of the start: momentum advanced, nothing moved yet.

    With `refined`, accelerations are those at the velocities half-way, which `go_half_way` left in `scratch`.
    """
    W = width(spec)
    dt = load(data, DT * W, spec)
    for link in range(1, ints[LINK_COUNT]):
        i = row(ints, link)
        kind, d = ints[i + ROW_KIND], ints[i + ROW_DATA]
        dof = d + first_dof(kind) * W
        middle = stage_start(kind, ints[i + ROW_SCRATCH], spec) + V_COUNT[kind] * W
        if kind == FREE:
            carrier = carrier_of(FREE, d, spec)
            V, A = dof_fields6(data, d, VELOCITY, spec), dof_fields6(data, d, ACCELERATION, spec)
            V_m = load6(scratch, middle, spec) if refined else V
            w, w_m = (V[0], V[1], V[2]), (V_m[0], V_m[1], V_m[2])
            c = load3(data, carrier, spec)
            u = add_scaled(add_cross((V[3], V[4], V[5]), w, c), dt, acceleration_at(A, V_m, c))
            w = advanced_turn(data, carrier, w, w_m, (A[0], A[1], A[2]), dt, spec)
            v = subtract(u, cross(w, c))
            store_dof_fields6(data, d, VELOCITY, (w[0], w[1], w[2], v[0], v[1], v[2]), spec)
        elif kind == BALL:
            w, a = dof_fields3(data, d, VELOCITY, spec), dof_fields3(data, d, ACCELERATION, spec)
            w_m = load3(scratch, middle, spec) if refined else w
            own = advanced_turn(data, carrier_of(BALL, d, spec), w, w_m, a, dt, spec)
            if ints[FLAGS] & FLAG_DRIVEN:
                mobile = load(data, dof + MOBILE * W, spec) > number(0.5, dt)
                own = choose3(mobile, own, add_scaled(w, dt, a))
            store_velocity3(data, dof, own, spec)
        else:
            v = fma(dt, load(data, dof + ACCELERATION * W, spec), load(data, dof + VELOCITY * W, spec))
            store(data, dof + VELOCITY * W, v, spec)


def advanced_turn(data: Array, carrier: int, w: Any, w_m: Any, a: Any, dt: Any, spec: Spec) -> Any:
    """The rate of turning whose momentum I·w is that of now plus dt of its rate of change, in the axes of now.

    The rate of change, I·a + w × I·w, is taken at the velocity `w_m`, as the acceleration was.
    """
    W = width(spec)
    I = load6(data, carrier + CARRIER_INERTIA * W, spec)
    rate = add_cross(apply_symmetric(I, a), w_m, apply_symmetric(I, w_m))
    inverse = load6(data, carrier + CARRIER_INVERSE * W, spec)
    return apply_symmetric(inverse, add_scaled(apply_symmetric(I, w), dt, rate))


def move(ints: Array, data: Array, spec: Spec) -> None:
    """q moves for dt with the velocities, given in the axes of the start; ball and free joints keep their momentum."""
    W = width(spec)
    dt = load(data, DT * W, spec)
    for link in range(1, ints[LINK_COUNT]):
        i = row(ints, link)
        kind, d = ints[i + ROW_KIND], ints[i + ROW_DATA]
        dof, at = d + first_dof(kind) * W, d + CONFIGURATION * W
        if kind == FREE:
            q, x, L, u = free_momentum(data, d, spec)
            inverse = load6(data, carrier_of(FREE, d, spec) + CARRIER_INVERSE * W, spec)
            free_from_momentum(data, d, turned(q, L, inverse, dt), add_scaled(x, dt, u), L, u, spec)
        elif kind == BALL:
            carrier = carrier_of(BALL, d, spec)
            inverse = load6(data, carrier + CARRIER_INVERSE * W, spec)
            q, w = load4(data, at, spec), dof_fields3(data, d, VELOCITY, spec)
            L = rotate(
                quaternion_matrix(q), apply_symmetric(load6(data, carrier + CARRIER_INERTIA * W, spec), w)
            )
            q_next = turned(q, L, inverse, dt)
            if ints[FLAGS] & FLAG_DRIVEN:
                mobile = load(data, dof + MOBILE * W, spec) > number(0.5, dt)
                given = quaternion_integrate(q, scale(dt, w))
                q_next = (where(mobile, q_next[0], given[0]), where(mobile, q_next[1], given[1]),
                          where(mobile, q_next[2], given[2]), where(mobile, q_next[3], given[3]))  # fmt: skip
            store4(data, at, q_next, spec)
            store_velocity3(data, dof, apply_symmetric(inverse, unrotate(quaternion_matrix(q_next), L)), spec)
        else:
            v = load(data, dof + VELOCITY * W, spec)
            store(data, at, fma(dt, v, load(data, at, spec)), spec)


def hold_back(ints: Array, data: Array, scratch: Array, change: int, spec: Spec) -> None:
    """Scale the displacements of an island to where none overruns a hard limit by more than LATE.

    Sweeps that have not come to an end may leave a joint beyond its limit; a part of the correction is then taken, and the
    rest is left to the next step.  What was beyond before may go on by a tenth of LATE, so that something always moves: with
    none, a depth whose correction such a joint stands against would stay.  It is no drift, since each step's correction asks
    for the whole overrun back: of 192 000 steps of thrown trees 60 were beyond LATE, 15 in a row at most and 2 mrad far
    (one blow apart), then back.  Nor does it make energy: less is moved than asked for; E fell meanwhile.

    Args:
        ints: of the block.
        data: of the block.
        scratch: of the block.
        change: where the displacements of all coordinates are in `scratch`.
        spec: the machine.
    """
    W, c = width(spec), ints[CONTACT]
    one = number(1.0, load(data, 0, spec))
    for n in range(ints[c + ISLAND_COUNT]):
        store(scratch, ints[c + ISLAND_START] + (n * ISLAND_RECORD + ISLAND_FACTOR) * W, one, spec)
    for a in range(ints[c + AXIS_COUNT]):
        r = ints[c + AXIS_ROWS] + a * AXIS_ROW_SIZE
        q, dof = load(data, ints[r + AXIS_Q], spec), ints[r + AXIS_DOF]
        unit = load(data, ints[r + AXIS_DATA] + AXIS_HARD * W, spec)
        way = load(scratch, change + ints[r + AXIS_V] * W, spec)
        below, above = load(data, dof + LOWER * W, spec) - q, q - load(data, dof + UPPER * W, spec)
        lower_side = below - way > above + way
        excess, moved = where(lower_side, below, above), where(lower_side, -way, way)
        room = maximum(number(LATE, one) * unit - excess, number(0.1 * LATE, one) * unit)
        over = both(unit > number(0.0, one), moved > room)
        place = axis_island(ints, a, spec) + ISLAND_FACTOR * W
        factor = where(over, room / where(over, moved, one), one)
        store(scratch, place, minimum(factor, load(scratch, place, spec)), spec)
    for link in range(1, ints[LINK_COUNT]):
        i = row(ints, link)
        factor = load(scratch, island_record(ints, tree_of(ints, link), spec) + ISLAND_FACTOR * W, spec)
        for n in range(V_COUNT[ints[i + ROW_KIND]]):
            place = change + (ints[i + ROW_V] + n) * W
            store(scratch, place, factor * load(scratch, place, spec), spec)


def turn_back(ints: Array, scratch: Array, change: int, spec: Spec) -> None:
    """Displacements of free links in the axes that these have now; rows are those of before they turned in the step.

    A marble that rolls on by half a turn in a step would else be pushed into the ground instead of out of it.
    """
    W = width(spec)
    for link in range(1, ints[LINK_COUNT]):
        i = row(ints, link)
        if ints[i + ROW_KIND] == FREE:
            s, x = ints[i + ROW_SCRATCH], change + ints[i + ROW_V] * W
            before, now = load9(scratch, s + SCREW * W, spec), load9(scratch, s + WORLD_R * W, spec)
            move = load6(scratch, x, spec)
            turn = unrotate(now, rotate(before, (move[0], move[1], move[2])))
            way = unrotate(now, rotate(before, (move[3], move[4], move[5])))
            store6(scratch, x, spatial(turn, way), spec)


def displace(ints: Array, data: Array, scratch: Array, change: int, needed: Mask, spec: Spec) -> None:
    """q moves by the displacements where that is needed."""
    W = width(spec)
    for link in range(1, ints[LINK_COUNT]):
        i = row(ints, link)
        kind, d = ints[i + ROW_KIND], ints[i + ROW_DATA]
        at, x = d + CONFIGURATION * W, change + ints[i + ROW_V] * W
        if kind == FREE:
            displace_free(data, scratch, d, x, needed, spec)
        elif kind == BALL:
            q = load4(data, at, spec)
            store4(data, at, choose4(needed, quaternion_integrate(q, load3(scratch, x, spec)), q), spec)
        else:
            q = load(data, at, spec)
            store(data, at, where(needed, q + load(scratch, x, spec), q), spec)


def displace_free(data: Array, scratch: Array, d: int, x: int, needed: Mask, spec: Spec) -> None:
    """A free link, moved where that is needed: its centre of mass along a straight way."""
    W = width(spec)
    at = d + CONFIGURATION * W
    q, place = load4(data, at, spec), load3(data, at + 4 * W, spec)
    c, move = load3(data, carrier_of(FREE, d, spec), spec), load6(scratch, x, spec)
    turn = (move[0], move[1], move[2])
    turned = quaternion_integrate(q, turn)
    way = rotate(quaternion_matrix(q), add(c, add_cross((move[3], move[4], move[5]), turn, c)))
    moved = subtract(add(place, way), rotate(quaternion_matrix(turned), c))
    store4(data, at, choose4(needed, turned, q), spec)
    store3(data, at + 4 * W, choose3(needed, moved, place), spec)


def choose4(mask: Mask, a: Any, b: Any) -> Any:
    """`a` where the mask holds, else `b`."""
    return (
        where(mask, a[0], b[0]),
        where(mask, a[1], b[1]),
        where(mask, a[2], b[2]),
        where(mask, a[3], b[3]),
    )
