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
    BALL,
    CONTACT,
    FLAG_DRIVEN,
    FREE,
    LINK_COUNT,
    LOWER,
    ROW_V,
    SLIDE,
    UPPER,
    V_COUNT,
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
from zoophyte.numbers.memory import load3, load6, store6
from zoophyte.physics.contact.axes import LATE
from zoophyte.physics.contact.islands import axis_island, island_record, tree_of
from zoophyte.physics.dynamics.links import FreeJoint, dof_of, header, link_of, row
from zoophyte.physics.integrate import choose4, copy_start, free_from_momentum, free_momentum, turned

FAST = 0.05
"""A joint that turns by more than this in a step [rad] is fast: velocity products are then taken half-way through it."""
FAST_ALOFT = 0.005
"""The same for a creature that nothing touched in the step before."""
FASTER = 0.1
"""A link that turns by more than this in a step [rad] has its velocities half-way improved once more."""


def is_fast(ints: Array, data: Array, spec: Spec) -> Mask:
    """Where any joint turns fast."""
    dt = header(data, spec).dt
    aloft = load(data, ints[ints[CONTACT] + MEMORY_START], spec) < number(0.5, dt)
    limit = where(aloft, number(FAST_ALOFT, dt), number(FAST, dt))
    fast = dt < number(0.0, dt)
    for link in range(1, ints[LINK_COUNT]):
        L = link_of(ints, data, data, link, spec)  # only what lies in `data` is asked for
        for n in range(0 if L.kind == SLIDE else min(V_COUNT[L.kind], 3)):
            fast = either(fast, dt * absolute(dof_of(L, n).v) > limit)
    return fast


def is_faster(ints: Array, data: Array, scratch: Array, spec: Spec) -> Mask:
    """Where any link turns so fast that one guess of the velocities half-way is not enough.

    A motion that turns by x in a step gains x⁴/4 of its energy with the first guess, and loses as much with the second.
    """
    dt = header(data, spec).dt
    most = number(0.0, dt)
    for link in range(1, ints[LINK_COUNT]):
        V = link_of(ints, data, scratch, link, spec).V
        w = (V[0], V[1], V[2])
        most = maximum(dot(w, w), most)
    return dt * dt * most > number(FASTER * FASTER, dt)


def go_half_way(ints: Array, data: Array, scratch: Array, fast: Mask, spec: Spec) -> None:
    """v + ½ dt·a where fast, into the velocities; `scratch` keeps v before, these, accelerations and forces."""
    W = width(spec)
    for link in range(1, ints[LINK_COUNT]):
        L = link_of(ints, data, scratch, link, spec)
        kept, size = copy_start(L, 0), V_COUNT[L.kind]
        for n in range(size):
            D = dof_of(L, n)
            store(scratch, kept + n * W, D.v, spec)
            store(scratch, kept + (2 * size + n) * W, D.a, spec)
            store(scratch, kept + (3 * size + n) * W, D.tau, spec)
        store6(scratch, kept + 4 * size * W, L.A, spec)
    improve_half_way(ints, data, scratch, fast, spec)


def improve_half_way(ints: Array, data: Array, scratch: Array, fast: Mask, spec: Spec) -> None:
    """The velocities half-way anew where fast, from those of the start, which `go_half_way` kept, and the accelerations.

    Forces are those of the start again, since a pass adds what driven joints need.
    """
    W, dt = width(spec), header(data, spec).dt
    half = number(0.5, dt) * dt
    for link in range(1, ints[LINK_COUNT]):
        L = link_of(ints, data, scratch, link, spec)
        kept, size = copy_start(L, 0), V_COUNT[L.kind]
        for n in range(size):
            D, v = dof_of(L, n), load(scratch, kept + n * W, spec)
            middle = where(fast, fma(half * D.mobile, D.a, v), D.v)
            store(scratch, kept + (size + n) * W, middle, spec)
            D.v, D.tau = middle, load(scratch, kept + (3 * size + n) * W, spec)


def go_back(ints: Array, data: Array, scratch: Array, fast: Mask, spec: Spec) -> None:
    """The velocities that `go_half_way` kept; where not fast, accelerations and forces too, to the last bit."""
    W = width(spec)
    for link in range(1, ints[LINK_COUNT]):
        L = link_of(ints, data, scratch, link, spec)
        kept, size = copy_start(L, 0), V_COUNT[L.kind]
        for n in range(size):
            D = dof_of(L, n)
            D.v = load(scratch, kept + n * W, spec)
            D.a = where(fast, D.a, load(scratch, kept + (2 * size + n) * W, spec))
            D.tau = where(fast, D.tau, load(scratch, kept + (3 * size + n) * W, spec))
        A, before = L.A, load6(scratch, kept + 4 * size * W, spec)
        turn = choose3(fast, (A[0], A[1], A[2]), (before[0], before[1], before[2]))
        L.A = spatial(turn, choose3(fast, (A[3], A[4], A[5]), (before[3], before[4], before[5])))


def free_velocities(ints: Array, data: Array, scratch: Array, refined: bool, spec: Spec) -> None:
    """v of every dof after dt of its acceleration, in the axes of the start: momentum advanced, nothing moved yet.

    With `refined`, accelerations are those at the velocities half-way, which `go_half_way` left in `scratch`.
    """
    dt = header(data, spec).dt
    for link in range(1, ints[LINK_COUNT]):
        L = link_of(ints, data, scratch, link, spec)
        middle = copy_start(L, 0) + V_COUNT[L.kind] * width(spec)
        if L.kind == FREE:
            F, c, V, A = L.free, L.free.com, L.free.v, L.free.a
            V_m = load6(scratch, middle, spec) if refined else V
            w, w_m, alpha = (V[0], V[1], V[2]), (V_m[0], V_m[1], V_m[2]), (A[0], A[1], A[2])
            u = add_scaled(add_cross((V[3], V[4], V[5]), w, c), dt, acceleration_at(A, V_m, c))
            w = advanced_turn(F.carrier_inertia, F.carrier_inverse, w, w_m, alpha, dt)
            F.v = spatial(w, subtract(u, cross(w, c)))
        elif L.kind == BALL:
            B, w, a = L.ball, L.ball.v, L.ball.a
            w_m = load3(scratch, middle, spec) if refined else w
            own = advanced_turn(B.carrier_inertia, B.carrier_inverse, w, w_m, a, dt)
            if L.flags & FLAG_DRIVEN:
                own = choose3(B.mobile > number(0.5, dt), own, add_scaled(w, dt, a))
            B.v = own
        else:
            L.axis.v = fma(dt, L.axis.a, L.axis.v)


def advanced_turn(I: Any, inverse: Any, w: Any, w_m: Any, a: Any, dt: Any) -> Any:
    """The rate of turning whose momentum I·w is that of now plus dt of its rate of change, in the axes of now.

    The rate of change, I·a + w × I·w, is taken at the velocity `w_m`, as the acceleration was.
    """
    rate = add_cross(apply_symmetric(I, a), w_m, apply_symmetric(I, w_m))
    return apply_symmetric(inverse, add_scaled(apply_symmetric(I, w), dt, rate))


def move(ints: Array, data: Array, spec: Spec) -> None:
    """q moves for dt with the velocities, given in the axes of the start; ball and free joints keep their momentum."""
    dt = header(data, spec).dt
    for link in range(1, ints[LINK_COUNT]):
        L = link_of(ints, data, data, link, spec)  # only what lies in `data` is asked for
        if L.kind == FREE:
            q, x, momentum, u = free_momentum(data, L.data_start, spec)
            q = turned(q, momentum, L.free.carrier_inverse, dt)
            free_from_momentum(data, L.data_start, q, add_scaled(x, dt, u), momentum, u, spec)
        elif L.kind == BALL:
            B, q, w, inverse = L.ball, L.ball.q, L.ball.v, L.ball.carrier_inverse
            momentum = rotate(quaternion_matrix(q), apply_symmetric(B.carrier_inertia, w))
            q_next = turned(q, momentum, inverse, dt)
            if L.flags & FLAG_DRIVEN:
                q_next = choose4(B.mobile > number(0.5, dt), q_next, quaternion_integrate(q, scale(dt, w)))
            B.q = q_next
            B.v = apply_symmetric(inverse, unrotate(quaternion_matrix(q_next), momentum))
        else:
            L.axis.q = fma(dt, L.axis.v, L.axis.q)


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
        L = link_of(ints, data, scratch, link, spec)
        factor = load(scratch, island_record(ints, tree_of(ints, link), spec) + ISLAND_FACTOR * W, spec)
        for n in range(V_COUNT[L.kind]):
            place = change + (ints[row(ints, link) + ROW_V] + n) * W
            store(scratch, place, factor * load(scratch, place, spec), spec)


def turn_back(ints: Array, scratch: Array, change: int, spec: Spec) -> None:
    """Displacements of free links in the axes that these have now; rows are those of before they turned in the step.

    A marble that rolls on by half a turn in a step would else be pushed into the ground instead of out of it.
    """
    for link in range(1, ints[LINK_COUNT]):
        L = link_of(ints, scratch, scratch, link, spec)  # only what lies in `scratch` is asked for
        if L.kind == FREE:
            x = change + ints[row(ints, link) + ROW_V] * width(spec)
            before, now, move = L.free.R_row, L.R_WL, load6(scratch, x, spec)
            turn = unrotate(now, rotate(before, (move[0], move[1], move[2])))
            way = unrotate(now, rotate(before, (move[3], move[4], move[5])))
            store6(scratch, x, spatial(turn, way), spec)


def displace(ints: Array, data: Array, scratch: Array, change: int, needed: Mask, spec: Spec) -> None:
    """q moves by the displacements where that is needed."""
    for link in range(1, ints[LINK_COUNT]):
        L, x = link_of(ints, data, scratch, link, spec), change + ints[row(ints, link) + ROW_V] * width(spec)
        if L.kind == FREE:
            displace_free(L.free, load6(scratch, x, spec), needed)
        elif L.kind == BALL:
            q = L.ball.q
            L.ball.q = choose4(needed, quaternion_integrate(q, load3(scratch, x, spec)), q)
        else:
            q = L.axis.q
            L.axis.q = where(needed, q + load(scratch, x, spec), q)


def displace_free(J: FreeJoint, move: Any, needed: Mask) -> None:
    """A free link, moved where that is needed: its centre of mass along a straight way."""
    q, p, c, turn = J.q, J.p, J.com, (move[0], move[1], move[2])
    turned = quaternion_integrate(q, turn)
    way = rotate(quaternion_matrix(q), add(c, add_cross((move[3], move[4], move[5]), turn, c)))
    moved = subtract(add(p, way), rotate(quaternion_matrix(turned), c))
    J.q, J.p = choose4(needed, turned, q), choose3(needed, moved, p)
