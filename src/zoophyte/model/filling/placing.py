"""Where links, bodies and shapes lie, and what links weigh: the arithmetic of a compilation, as one kernel.

`numbers` holds what a description says, row by row: bodies, then touching shapes.  `out` takes one record for each link,
body and shape.  Those of links and shapes are laid out as the blocks of `zoophyte.model.layout` and
`zoophyte.model.contact_layout` want them, so that they are copied there as they are.
"""

from __future__ import annotations

from typing import Any

from zoophyte.algebra.inertia import rigid_to_parent
from zoophyte.algebra.quaternions import quaternion_matrix
from zoophyte.algebra.rotations import Mat3, Sym3, compose, congruence_symmetric, rotate, transpose
from zoophyte.algebra.spatial import spatial_add
from zoophyte.algebra.vectors import Vec3, add, cross, dot, norm
from zoophyte.model import contact_layout as shape_at

# Header of `ints`, then rows of bodies, then the body of every shape. Neither bodies nor links count the ground here.
BODY_COUNT, LINK_COUNT, SHAPE_COUNT, HEADER = 0, 1, 2, 3
# A body: its parent; the link that it is welded to, the last of those that its joint makes; how many these are, and how
# many axes they have; whether its matter is given in the frame of its only shape, and not in its own.
PARENT, LINK, LINKS, AXES, IN_SHAPE, BODY_INTS = 0, 1, 2, 3, 4, 5
# A body in `numbers`: of the joint, and of the matter. The place of the matter counts where it is given in its shape's
# frame.
ROTATION, POSITION, AXIS, MASS, COM, INERTIA, SHAPE_POSITION, SHAPE_ROTATION = 0, 4, 7, 13, 14, 17, 23, 26
BODY_NUMBERS = 30
# A shape in `numbers`: frame on the body, start of its axis and middle in that frame, size; its reach from the middle is
# that of a corner and a radius more.
PLACE, TURN, START, MIDDLE, SIZE, CORNER, RADIUS, SHAPE_NUMBERS = 0, 3, 7, 10, 13, 16, 19, 20
# Record of a link: E, r, mass, first moment and inertia, as in `zoophyte.model.layout`; of a body: R_LB, p_LB, mass, centre
# of mass and central inertia.
FRAME, ORIGIN, MATTER, MOMENT, MOMENTS, RECORD = 0, 9, 12, 13, 16, 22

IDENTITY: Mat3 = (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0)
NOWHERE: Vec3 = (0.0, 0.0, 0.0)


def place(ints: Any, numbers: Any, out: Any) -> None:
    """Fill the records; `out` is zero."""
    bodies, links, shapes = ints[BODY_COUNT], ints[LINK_COUNT], ints[SHAPE_COUNT]
    first_body = (links + 1) * RECORD
    put9(out, FRAME, IDENTITY)
    put9(out, first_body + FRAME, IDENTITY)
    for n in range(bodies):
        row, given, record = HEADER + n * BODY_INTS, n * BODY_NUMBERS, first_body + (n + 1) * RECORD
        R_LB, p_LB = seat(ints, numbers, out, row, given, first_body + ints[row + PARENT] * RECORD)
        put9(out, record + FRAME, R_LB)
        put3(out, record + ORIGIN, p_LB)
        weld(ints[row + IN_SHAPE], numbers, out, given, record, ints[row + LINK] * RECORD)
    first, begin = HEADER + bodies * BODY_INTS, first_body + (bodies + 1) * RECORD
    for n in range(shapes):
        record = begin + n * shape_at.SHAPE_RECORD
        put_shape(
            numbers,
            out,
            bodies * BODY_NUMBERS + n * SHAPE_NUMBERS,
            record,
            first_body + ints[first + n] * RECORD,
        )


def seat(ints: Any, numbers: Any, out: Any, row: int, given: int, parent: int) -> tuple[Mat3, Vec3]:
    """(R_LB, p_LB) of a body; the links of its joint are placed on the way."""
    R_LP, p_LP = at9(out, parent + FRAME), at3(out, parent + ORIGIN)
    R_LJ = compose(R_LP, quaternion_matrix(at4(numbers, given + ROTATION)))
    p_LJ = add(p_LP, rotate(R_LP, at3(numbers, given + POSITION)))
    for k in range(ints[row + LINKS]):
        frame = IDENTITY
        if k < ints[row + AXES]:
            frame = frame_with_z(at3(numbers, given + AXIS + 3 * k))
        record = (ints[row + LINK] - ints[row + LINKS] + 1 + k) * RECORD
        put9(out, record + FRAME, transpose(compose(R_LJ, frame)))
        put3(out, record + ORIGIN, p_LJ)
        R_LJ, p_LJ = transpose(frame), NOWHERE
    return R_LJ, p_LJ


def weld(in_shape: int, numbers: Any, out: Any, given: int, record: int, link: int) -> None:
    """Write the matter of a body, and add it to its link's."""
    mass, com, central = numbers[given + MASS], at3(numbers, given + COM), at6(numbers, given + INERTIA)
    if in_shape > 0:
        com, central = moved(
            com, central, at3(numbers, given + SHAPE_POSITION), at4(numbers, given + SHAPE_ROTATION)
        )
    out[record + MATTER] = mass
    put3(out, record + MOMENT, com)
    put6(out, record + MOMENTS, central)
    R_LB, p_LB = at9(out, record + FRAME), at3(out, record + ORIGIN)
    # About the centre of mass the first moment is zero; from there to the link's origin in one shift.
    where = add(p_LB, rotate(R_LB, com))
    moment, inertia = rigid_to_parent(transpose(R_LB), where, mass, NOWHERE, central)
    out[link + MATTER] += mass
    put3(out, link + MOMENT, add(at3(out, link + MOMENT), moment))
    put6(out, link + MOMENTS, spatial_add(at6(out, link + MOMENTS), inertia))


def moved(com: Vec3, central: Sym3, position: Vec3, rotation: Any) -> tuple[Vec3, Sym3]:
    """Matter of a shape in its body's frame; the same bits as `zoophyte.description.mass.moved`."""
    w, x, y, z = rotation
    if w == 1.0 and x == 0.0 and y == 0.0 and z == 0.0:
        xx, xy, xz, yy, yz, zz = central
        turned = (com[0] + 0.0, com[1] + 0.0, com[2] + 0.0)
        return add(turned, position), (xx, xy + 0.0, xz + 0.0, yy, yz + 0.0, zz)
    R = quaternion_matrix(rotation)
    return add(rotate(R, com), position), congruence_symmetric(transpose(R), central)


def put_shape(numbers: Any, out: Any, given: int, record: int, body: int) -> None:
    """Write what a shape is, in the frame of its link; how it touches is written elsewhere."""
    R_LB = at9(out, body + FRAME)
    R_LS = compose(R_LB, quaternion_matrix(at4(numbers, given + TURN)))
    origin = add(at3(out, body + ORIGIN), rotate(R_LB, at3(numbers, given + PLACE)))
    centre = add(origin, rotate(R_LS, at3(numbers, given + MIDDLE)))
    reach = numbers[given + RADIUS] + norm(at3(numbers, given + CORNER))
    put3(out, record + shape_at.SHAPE_POSITION, add(origin, rotate(R_LS, at3(numbers, given + START))))
    put9(out, record + shape_at.SHAPE_ROTATION, R_LS)
    put3(out, record + shape_at.SHAPE_SIZE, at3(numbers, given + SIZE))
    put3(out, record + shape_at.SHAPE_CENTRE, centre)
    out[record + shape_at.SHAPE_REACH] = reach
    out[record + shape_at.SHAPE_EXTENT] = reach + norm(centre)


def frame_with_z(axis: Vec3) -> Mat3:
    """A rotation whose third column is `axis`; exact for the coordinate axes."""
    z = unit(axis)
    # Helper axis: the one after the largest component of z, so that x → (y, z, x), and z stays the identity.
    helper, largest = (0.0, 1.0, 0.0), abs(z[0])
    if abs(z[1]) > largest:
        helper, largest = (0.0, 0.0, 1.0), abs(z[1])
    if abs(z[2]) > largest:
        helper = (1.0, 0.0, 0.0)
    along = dot(helper, z)
    x = unit((helper[0] - along * z[0], helper[1] - along * z[1], helper[2] - along * z[2]))
    y = cross(z, x)
    return (x[0], y[0], z[0], x[1], y[1], z[1], x[2], y[2], z[2])


def unit(a: Vec3) -> Vec3:
    """a / |a|."""
    length = norm(a)
    return (a[0] / length, a[1] / length, a[2] / length)


def at3(a: Any, n: int) -> Vec3:
    """Three numbers."""
    return (a[n], a[n + 1], a[n + 2])


def at4(a: Any, n: int) -> Any:
    """Four numbers."""
    return (a[n], a[n + 1], a[n + 2], a[n + 3])


def at6(a: Any, n: int) -> Sym3:
    """Six numbers."""
    return (a[n], a[n + 1], a[n + 2], a[n + 3], a[n + 4], a[n + 5])


def at9(a: Any, n: int) -> Mat3:
    """Nine numbers."""
    return (a[n], a[n + 1], a[n + 2], a[n + 3], a[n + 4], a[n + 5], a[n + 6], a[n + 7], a[n + 8])


def put3(a: Any, n: int, v: Vec3) -> None:
    """Write three numbers."""
    a[n], a[n + 1], a[n + 2] = v


def put6(a: Any, n: int, S: Sym3) -> None:
    """Write six numbers."""
    a[n], a[n + 1], a[n + 2], a[n + 3], a[n + 4], a[n + 5] = S


def put9(a: Any, n: int, M: Mat3) -> None:
    """Write nine numbers."""
    a[n], a[n + 1], a[n + 2], a[n + 3], a[n + 4], a[n + 5], a[n + 6], a[n + 7], a[n + 8] = M
