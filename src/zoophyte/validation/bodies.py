"""Bodies of the checks, as descriptions: those of the source works, and random trees."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from zoophyte.description import Body, Cylinder, Description, Ellipsoid, Frustum, Joint, MassProperties, Servo
from zoophyte.model.model import Floats
from zoophyte.validation.oracles import rotation_about

X, Y, Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
HALF = 0.5**0.5
TURN_X_BACK = (HALF, -HALF, 0.0, 0.0)  # z → y
TURN_X = (HALF, HALF, 0.0, 0.0)  # z → −y, and y → z: from y-up worlds to ours
TURN_Y_BACK = (HALF, 0.0, -HALF, 0.0)  # x → z


def rod(mass: float, length: float, *, along: Any = (0.0, 0.0, -1.0)) -> MassProperties:
    """A slender rod from the body's origin along a coordinate axis: m L²/12 across, nothing about itself."""
    u = np.asarray(along, float)
    inertia = mass * length**2 / 12.0 * (np.eye(3) - np.outer(u, u))
    return MassProperties(mass=mass, com=(0.5 * length * u).tolist(), inertia=inertia.tolist())


def pendulum(*, mass: float = 1.0, length: float = 1.0, **joint: Any) -> Description:
    """One hanging rod that turns about x."""
    return Description(
        name="pendulum",
        bodies=[Body(name="rod", joint=Joint(kind="hinge", axis=X, **joint), mass=rod(mass, length))],
    )


def double_pendulum(*, mass: float = 1.0, length: float = 1.0) -> Description:
    """Two equal hanging rods that turn about x; the second angle is relative."""
    upper = Body(name="upper", joint=Joint(kind="hinge", axis=X), mass=rod(mass, length))
    knee = Joint(kind="hinge", axis=X, position=(0.0, 0.0, -length))
    return Description(
        name="double pendulum",
        bodies=[upper, Body(name="lower", parent="upper", joint=knee, mass=upper.mass)],
    )


def free_body(
    properties: MassProperties, *, name: str = "body", position: Any = (0.0, 0.0, 0.0)
) -> Description:
    """One free body."""
    return Description(
        name=name, bodies=[Body(name=name, joint=Joint(kind="free", position=position), mass=properties)]
    )


def pinned_body(moments: Any) -> Description:
    """One body on a ball joint at its centre of mass."""
    properties = MassProperties(mass=1.0, inertia=tuple(float(x) for x in moments))
    return Description(name="top", bodies=[Body(name="top", joint=Joint(kind="ball"), mass=properties)])


def asymmetric(mass: float = 1.3, com: Any = (0.11, -0.07, 0.19)) -> MassProperties:
    """Three different moments on turned principal axes, centre of mass off the origin."""
    R = rotation_about((0.3, -0.8, 0.5), 0.9)
    inertia = R @ np.diag([0.021, 0.034, 0.047]) @ R.T
    return MassProperties(mass=mass, com=tuple(com), inertia=(0.5 * (inertia + inertia.T)).tolist())


def euler_quaternion(x: float, y: float, z: float) -> tuple[float, float, float, float]:
    """Quaternion of Rx(x)·Ry(y)·Rz(z)."""
    product = np.array([1.0, 0.0, 0.0, 0.0])
    for axis, angle in enumerate((x, y, z)):
        c, s = np.cos(0.5 * angle), np.sin(0.5 * angle)
        w, u = product[0], product[1:]
        e = np.eye(3)[axis]
        product = np.concatenate([[w * c - s * (u @ e)], w * s * e + c * u + s * np.cross(u, e)])
    return (float(product[0]), float(product[1]), float(product[2]), float(product[3]))


# --- Garcia: the test plant Y and the cantilever ------------------------------------------------------------

Y_ROOT = (0.05, 0.004)  # length and radius of the body in the ground
Y_BODIES = {  # parent, length, radius, rest angles about R, H, U
    "B1": ("ground", 0.10, 0.004, (0.0, 0.0, 0.0)),
    "B2": ("B1", 0.08, 0.002, (0.8, 0.0, 0.3)),
    "B3": ("B1", 0.10, 0.003, (0.0, 0.4, 0.0)),
}
Y_DENSITY, Y_YOUNG, Y_POISSON, Y_DAMPING = 900.0, 200e6, 0.25, 1e-4


def internode_springs(
    young: float, poisson: float, proximal: tuple[float, float], distal: tuple[float, float]
) -> Any:
    """(k_R, k_H, k_U) of a joint between two cylinders (length, radius): Garcia's equations 6.6 and 6.16."""
    (l_p, r_p), (l_i, r_i) = proximal, distal
    bend = young * np.pi / 8.0 * (r_p**4 + r_i**4) * 2.0 / (l_p + l_i)
    twist = young / (2.0 * (1.0 + poisson)) * np.pi / 4.0 * (r_p**4 + r_i**4) * 2.0 / (l_p + l_i)
    return bend, twist, bend


def y_plant(*, placement: Any = (1.0, 0.0, 0.0, 0.0)) -> Description:
    """The plant `B0 J1 B1 [J2 B2] J3 B3`, y along each cylinder; a joint is three hinges R, H, U (x, y, z).

    Args:
        placement: how the plant's axes stand in the world; the identity is the source's y-up world.
    """
    bodies: list[Body] = []
    for name, (parent, length, radius, rest) in Y_BODIES.items():
        inner = Y_ROOT if parent == "ground" else Y_BODIES[parent][1:3]
        springs = internode_springs(Y_YOUNG, Y_POISSON, inner, (length, radius))
        socket = (0.0, 0.0, 0.0) if parent == "ground" else (0.0, inner[0], 0.0)
        turn = placement if parent == "ground" else euler_quaternion(*rest)
        trunk = Cylinder(
            radius=radius,
            length=length,
            density=Y_DENSITY,
            position=(0.0, 0.5 * length, 0.0),
            rotation=TURN_X_BACK,
        )
        carrier = parent
        for n, (letter, axis) in enumerate(zip("RHU", (X, Y, Z), strict=True)):
            first = {"position": socket, "rotation": turn} if n == 0 else {}
            joint = Joint(kind="hinge", axis=axis, stiffness=springs[n], damping=Y_DAMPING, **first)
            last = n == 2
            label = name if last else f"{name}.{letter}"
            bodies.append(Body(name=label, parent=carrier, joint=joint, shapes=[trunk] if last else []))
            carrier = label
    return Description(name="Y plant", bodies=bodies)


BEAM_LENGTH, BEAM_RADIUS, BEAM_YOUNG, BEAM_DENSITY = 1.0, 0.01, 8.1e9, 923.0
BEAM_AREA = np.pi * BEAM_RADIUS**2
BEAM_EI = BEAM_YOUNG * np.pi / 4.0 * BEAM_RADIUS**4
BEAM_MASS = BEAM_DENSITY * BEAM_AREA * BEAM_LENGTH


def beam_springs(count: int, *, half_cell: bool) -> Floats:
    """EI/h at every joint; 2EI/h at the root when it stands for half a cell."""
    k = np.full(count, BEAM_EI * count / BEAM_LENGTH)
    if half_cell:
        k[0] *= 2.0
    return k


def cantilever(
    count: int, *, half_cell: bool = False, damping_time: float = 0.0, softer: float = 1.0
) -> Description:
    """Garcia's beam: `count` slender rods along x that bend about y, clamped at the origin.

    Args:
        count: of rods.
        half_cell: whether the root spring stands for half a cell (second order) or a whole one (the source).
        damping_time: b = damping_time·k.
        softer: divides every spring.
    """
    h = BEAM_LENGTH / count
    segment, bodies = rod(BEAM_MASS / count, h, along=X), []
    for n, k in enumerate(beam_springs(count, half_cell=half_cell) / softer):
        joint = Joint(
            kind="hinge",
            axis=(0.0, -1.0, 0.0),
            position=(h if n else 0.0, 0.0, 0.0),
            stiffness=k,
            damping=damping_time * k,
        )
        bodies.append(Body(name=f"s{n}", parent=f"s{n - 1}" if n else "ground", joint=joint, mass=segment))
    return Description(name=f"cantilever of {count}", bodies=bodies)


def beam_tip(angles: Any) -> Any:
    """Height of the free end of a chain along x; its joint angles, upwards, are the last axis of `angles`."""
    angles = np.asarray(angles, float)
    return BEAM_LENGTH / angles.shape[-1] * np.sin(np.cumsum(angles, axis=-1)).sum(axis=-1)


# --- Arnold: the creature REF4 ------------------------------------------------------------------------------

REF4_HIPS = {
    "front left": (0.15, 0.10),
    "front right": (0.15, -0.10),
    "rear left": (-0.15, 0.10),
    "rear right": (-0.15, -0.10),
}
REF4_UPPER, REF4_LOWER = (
    (0.20, 0.030, 0.022),
    (0.22, 0.022, 0.012),
)  # length, radius at the hinge, radius at the end


def ref4(actuator: Servo | None = None) -> Description:
    """An ellipsoid trunk (x forward, y up) on four legs of two frustums that extend along their local −y."""

    def segment(length: float, start: float, end: float) -> Frustum:
        return Frustum(radius_start=start, radius_end=end, length=length, rotation=TURN_X)

    trunk = Body(name="trunk", joint=Joint(kind="free"), shapes=[Ellipsoid(semi_axes=(0.25, 0.08, 0.12))])
    bodies = [trunk]
    for leg, (x, z) in REF4_HIPS.items():
        hip = Joint(kind="hinge", axis=X, position=(x, 0.0, z), rotation=TURN_Y_BACK, actuator=actuator)
        knee = Joint(kind="hinge", axis=X, position=(0.0, -REF4_UPPER[0], 0.0), actuator=actuator)
        bodies += [
            Body(name=f"{leg} upper", parent="trunk", joint=hip, shapes=[segment(*REF4_UPPER)]),
            Body(name=f"{leg} lower", parent=f"{leg} upper", joint=knee, shapes=[segment(*REF4_LOWER)]),
        ]
    return Description(name="REF4", bodies=bodies)


# --- random trees -------------------------------------------------------------------------------------------

ARNOLD_KINDS = ("hinge", "slide", "ball", "fixed")
ALL_KINDS = ("hinge", "slide", "universal", "ball", "fixed", "free")


def random_tree(
    rng: np.random.Generator, count: int, *, kinds: Sequence[str] = ALL_KINDS, free: bool = True
) -> Description:
    """A random tree with random rest rotations, axes and mass properties.

    Args:
        rng: draws.
        count: of bodies.
        kinds: of the joints below the root.
        free: whether the root floats; otherwise it hinges on the ground.
    """
    bodies: list[Body] = []
    for n in range(count):
        kind = ("free" if free else "hinge") if n == 0 else str(rng.choice(kinds))
        parent = "ground" if n == 0 or kind == "free" else f"b{rng.integers(n)}"
        axis, other = rng.normal(size=3), rng.normal(size=3)
        second = np.cross(axis, other)
        arms = {
            "hinge": {"axis": tuple(axis)},
            "slide": {"axis": tuple(axis)},
            "universal": {"axes": (tuple(axis), tuple(second))},
        }
        turn = rng.normal(size=4)
        joint = Joint(
            kind=kind,
            position=tuple(rng.uniform(-0.4, 0.4, 3)),
            rotation=tuple(turn / np.linalg.norm(turn)),
            **arms.get(kind, {}),
        )
        bodies.append(Body(name=f"b{n}", parent=parent, joint=joint, mass=random_mass(rng)))
    return Description(name=f"tree of {count}", bodies=bodies)


def random_mass(rng: np.random.Generator) -> MassProperties:
    """The mass properties of a random cloud of points, so that they are possible ones."""
    points = rng.normal(size=(8, 3)) * rng.uniform(0.05, 0.3, 3)
    weights = rng.uniform(0.05, 0.3, 8)
    com = weights @ points / weights.sum()
    d = points - com
    inertia = np.einsum("n,ni,ni->", weights, d, d) * np.eye(3) - np.einsum("n,ni,nj->ij", weights, d, d)
    shift = rng.uniform(-0.2, 0.2, 3)
    return MassProperties(
        mass=float(weights.sum()), com=tuple(com + shift), inertia=(0.5 * (inertia + inertia.T)).tolist()
    )


def random_coordinates(
    rng: np.random.Generator, description: Description, *, speed: float = 1.0
) -> tuple[Floats, Floats]:
    """(q, v) with random orientations, angles and speeds."""
    q: list[Any] = []
    for body in description.bodies:
        kind = body.joint.kind
        if kind in ("ball", "free"):
            turn = rng.normal(size=4)
            q += [*(turn / np.linalg.norm(turn)), *(rng.normal(size=3) if kind == "free" else ())]
        else:
            q += list(rng.uniform(-1.0, 1.0, body.joint.coordinate_count))
    nv = sum(body.joint.dof_count for body in description.bodies)
    return np.array(q), speed * rng.normal(size=nv)
