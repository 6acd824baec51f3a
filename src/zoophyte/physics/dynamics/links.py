"""The records of links, in the letters of Featherstone (2008): L is a link, P its parent, W the world.

A kernel loads what it needs by name, `U = L.U`, computes, and writes by name, `L.U = U`.
"""

from __future__ import annotations

from zoophyte.model import layout as at
from zoophyte.model.layout import (
    BALL,
    FLAGS,
    FREE,
    GROUND,
    HEADER_INTS,
    LINK_COUNT,
    ROW_DATA,
    ROW_KIND,
    ROW_PARENT,
    ROW_ROLE,
    ROW_SCRATCH,
    ROW_SIZE,
)
from zoophyte.numbers import Array, Spec, width
from zoophyte.numbers.records import Field, FieldAt, Record, Whole, Within

AXIS_DOF, BALL_DOF, FREE_DOF = (at.CONFIGURATION + at.Q_COUNT[kind] for kind in (at.HINGE, BALL, FREE))
BALL_CARRIER, FREE_CARRIER = BALL_DOF + 3 * at.DOF_SIZE, FREE_DOF + 6 * at.DOF_SIZE
BALL_TERMS = at.JOINT + at.JOINT_SIZE[BALL]


class Header(Record):
    """What a whole creature has."""

    gravity = Field("data", at.GRAVITY, 3)
    dt = Field("data", at.DT)
    stage_time = Field("data", at.STAGE_TIME)


class Dof(Record):
    """A degree of freedom."""

    v = Field("data", at.VELOCITY)
    tau = Field("data", at.TAU)
    a = Field("data", at.ACCELERATION)
    mobile = Field("data", at.MOBILE)
    armature = Field("data", at.ARMATURE)
    k = Field("data", at.STIFFNESS)
    b = Field("data", at.DAMPING)
    rest = Field("data", at.REST)
    lower = Field("data", at.LOWER)
    upper = Field("data", at.UPPER)
    limit_k = Field("data", at.LIMIT_STIFFNESS)
    limit_b = Field("data", at.LIMIT_DAMPING)
    servo_k = Field("data", at.SERVO_STIFFNESS)
    servo_b = Field("data", at.SERVO_DAMPING)
    strength = Field("data", at.MOTOR_STRENGTH)
    slowdown = Field("data", at.MOTOR_SLOWDOWN)
    command = Field("data", at.COMMAND)
    command_rate = Field("data", at.COMMAND_RATE)
    command_curve = Field("data", at.COMMAND_CURVE)
    command_start = Field("data", at.COMMAND_START)
    sine_amplitude = Field("data", at.SINE_AMPLITUDE)
    sine_frequency = Field("data", at.SINE_FREQUENCY)
    sine_phase = Field("data", at.SINE_PHASE)
    applied = Field("data", at.APPLIED)


class AxisJoint(Record):
    """A hinge or a slide."""

    q = Field("data", at.CONFIGURATION)
    v = Field("data", AXIS_DOF + at.VELOCITY)
    tau = Field("data", AXIS_DOF + at.TAU)
    a = Field("data", AXIS_DOF + at.ACCELERATION)
    mobile = Field("data", AXIS_DOF + at.MOBILE)
    armature = Field("data", AXIS_DOF + at.ARMATURE)
    U = Field("scratch", at.JOINT, 6)
    D_inverse = Field("scratch", at.JOINT + 6)
    u = Field("scratch", at.JOINT + 7)
    E = Field("scratch", at.JOINT + at.JOINT_SIZE[at.HINGE])  # the implicit terms: D + E, stiffness, ∂τ/∂t
    K = Field("scratch", at.JOINT + at.JOINT_SIZE[at.HINGE] + 1)
    drift = Field("scratch", at.JOINT + at.JOINT_SIZE[at.HINGE] + 2)
    SG = Field("scratch", at.SCREW, 6)
    UG = Field("scratch", at.SCREW + 6, 6)
    dof = Within(Dof, AXIS_DOF)
    kind, flags = Whole(), Whole()


class BallJoint(Record):
    """A ball joint: U has three columns, D is 3×3 and symmetric, as is G with D⁻¹ = G Gᵀ three columns."""

    q = Field("data", at.CONFIGURATION, 4)
    v = Field("data", BALL_DOF + at.VELOCITY, 3, at.DOF_SIZE)
    tau = Field("data", BALL_DOF + at.TAU, 3, at.DOF_SIZE)
    a = Field("data", BALL_DOF + at.ACCELERATION, 3, at.DOF_SIZE)
    mobile = Field("data", BALL_DOF + at.MOBILE)
    armature = Field("data", BALL_DOF + at.ARMATURE, 3, at.DOF_SIZE)
    carrier_inertia = Field("data", BALL_CARRIER + at.CARRIER_INERTIA, 6)
    carrier_inverse = Field("data", BALL_CARRIER + at.CARRIER_INVERSE, 6)
    U0 = Field("scratch", at.JOINT, 6)
    U1 = Field("scratch", at.JOINT + 6, 6)
    U2 = Field("scratch", at.JOINT + 12, 6)
    D_inverse = Field("scratch", at.JOINT + 18, 6)
    u = Field("scratch", at.JOINT + 24, 3)
    E = Field("scratch", BALL_TERMS, 6)
    K = Field("scratch", BALL_TERMS + 6, 6)
    drift = Field("scratch", BALL_TERMS + 12, 3)
    SG0 = Field("scratch", at.BALL_SCREW, 6)
    UG0 = Field("scratch", at.BALL_SCREW + 6, 6)
    SG1 = Field("scratch", at.BALL_SCREW + at.SCREW_SIZE, 6)
    UG1 = Field("scratch", at.BALL_SCREW + at.SCREW_SIZE + 6, 6)
    SG2 = Field("scratch", at.BALL_SCREW + 2 * at.SCREW_SIZE, 6)
    UG2 = Field("scratch", at.BALL_SCREW + 2 * at.SCREW_SIZE + 6, 6)
    dof0, dof1, dof2 = (Within(Dof, BALL_DOF + n * at.DOF_SIZE) for n in range(3))
    flags = Whole()


class FreeJoint(Record):
    """The joint of a link that moves freely: its IA = L Lᵀ is factored whole."""

    q = Field("data", at.CONFIGURATION, 4)
    p = Field("data", at.CONFIGURATION + 4, 3)
    v = Field("data", FREE_DOF + at.VELOCITY, 6, at.DOF_SIZE)
    tau = Field("data", FREE_DOF + at.TAU, 6, at.DOF_SIZE)
    a = Field("data", FREE_DOF + at.ACCELERATION, 6, at.DOF_SIZE)
    applied = Field("data", FREE_DOF + at.APPLIED, 6, at.DOF_SIZE)
    com = Field("data", FREE_CARRIER + at.CARRIER_COM, 3)
    carrier_inertia = Field("data", FREE_CARRIER + at.CARRIER_INERTIA, 6)
    carrier_inverse = Field("data", FREE_CARRIER + at.CARRIER_INVERSE, 6)
    L = Field("scratch", at.JOINT, 21)
    u = Field("scratch", at.JOINT + 21, 6)
    R_row = Field("scratch", at.SCREW, 9)  # R_WL where the rows of a step were made


class Link(Record):
    """A link of any kind, in link axes at its origin."""

    tree_E = Field("data", at.TREE_E, 9)
    tree_r = Field("data", at.TREE_R, 3)
    m = Field("data", at.MASS)
    h = Field("data", at.MOMENT, 3)
    inertia = Field("data", at.INERTIA, 6)
    F = Field("data", at.FORCE, 6)
    E = Field("scratch", at.E, 9)
    r_moved = Field("scratch", at.R, 3)
    V = Field("scratch", at.V, 6)
    pA = Field("scratch", at.P, 6)
    I = Field("scratch", at.IA, 6)  # the blocks of IA = [[I, H], [Hᵀ, M]]
    H = Field("scratch", at.IA + 6, 9)
    M = Field("scratch", at.IA + 15, 6)
    A = Field("scratch", at.A, 6)
    R_WL = Field("scratch", at.WORLD_R, 9)
    p_WL = Field("scratch", at.WORLD_P, 3)
    away = Field("scratch", at.AWAY, 3)
    axis = Within(AxisJoint)
    ball = Within(BallJoint)
    free = Within(FreeJoint)
    kind, role, flags = Whole(), Whole(), Whole()


class Parent(Record):
    """The parent of a link.  Every lane may have another; what it *is* is asked only where all lanes have the same."""

    m = Field("data", at.MASS)
    h = Field("data", at.MOMENT, 3)
    inertia = Field("data", at.INERTIA, 6)
    V = FieldAt("scratch", at.V, 6)
    pA = FieldAt("scratch", at.P, 6)
    I = FieldAt("scratch", at.IA, 6)
    H = FieldAt("scratch", at.IA + 6, 9)
    M = FieldAt("scratch", at.IA + 15, 6)
    A = FieldAt("scratch", at.A, 6)
    R_WL = FieldAt("scratch", at.WORLD_R, 9)
    p_WL = FieldAt("scratch", at.WORLD_P, 3)
    away = FieldAt("scratch", at.AWAY, 3)
    own = FieldAt("scratch", at.OWN)  # where its record starts, as a number: 0 is the ground


def row(ints: Array, link: int) -> int:
    """Where the row of `link` starts in `ints`."""
    return HEADER_INTS + link * ROW_SIZE


def parent_index(ints: Array, link: int, spec: Spec) -> int:
    """Where the parents of `link`, one scratch offset per lane, start in `ints`."""
    return HEADER_INTS + ints[LINK_COUNT] * ROW_SIZE + link * width(spec)


def first_dof(kind: int) -> int:
    """Field of the first dof block in a link's data record."""
    if kind == BALL:
        return BALL_DOF
    if kind == FREE:
        return FREE_DOF
    return AXIS_DOF


def header(data: Array, spec: Spec) -> Header:
    """The record of the creature."""
    return Header(data, 0, spec)


def ground(data: Array, scratch: Array, spec: Spec) -> Link:
    """The record of the ground, whose `scratch` alone means something."""
    return Link(data, 0, scratch, 0, GROUND, 0, 0, spec)


def link_of(ints: Array, data: Array, scratch: Array, link: int, spec: Spec) -> Link:
    """The record of a link of any kind."""
    i = row(ints, link)
    return Link(
        data, ints[i + ROW_DATA], scratch, ints[i + ROW_SCRATCH], ints[i + ROW_KIND], ints[i + ROW_ROLE],
        ints[FLAGS], spec,
    )  # fmt: skip


def parent_of(ints: Array, data: Array, scratch: Array, link: int, spec: Spec) -> Parent:
    """The record of the parent of a link."""
    i = row(ints, ints[row(ints, link) + ROW_PARENT])
    return Parent(data, ints[i + ROW_DATA], scratch, ints, parent_index(ints, link, spec), spec)


def dof_of(L: Link, number: int) -> Dof:
    """The record of a degree of freedom of a link."""
    return Dof(L.data, L.data_start + (first_dof(L.kind) + number * at.DOF_SIZE) * width(L.spec), L.spec)
