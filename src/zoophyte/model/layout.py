"""The flat layout of a block of creatures: which number lies where.

Kernels take three flat arrays: `ints` (uniform over the block, except the parent table), `data` (what the block *is* and
its state) and `scratch` (what a worker needs while it computes).  A field of one creature lies at `offset·width + lane`,
so that one load reads the field for all lanes.  Offsets in `ints` are already multiplied by the width.

`ints`     header | one row per link (kind, data offset, scratch offset, first q, first v, parent
           in lane 0, role) | parents: scratch offsets, link × lane
`data`     header | one record per link: constants, external force, coordinates, then one block per degree of freedom
`scratch`  one record per link, the ground first

Kinds of links and why there are only four: `docs/decisions/0002-links-and-bodies.md`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

from zoophyte.numbers.units import FIRST_FREE

# Kinds of links. The ground is link 0 and has no joint.
GROUND, HINGE, SLIDE, BALL, FREE = 0, 1, 2, 3, 4
Q_COUNT = (0, 1, 1, 4, 7)
V_COUNT = (0, 1, 1, 3, 6)

# Header of `ints`, then rows.
# CONTACT and LIFE: where those sections start, or 0. MEDIUM: where its section starts in `data`, or 0.
# CONNECTED and LAWS lie behind them (see numbers/units.py). METHOD: number of the integrator. From CALLS on: addresses.
LINK_COUNT, NQ, NV, FLAGS, CONTACT, LIFE, MEDIUM = range(7)
METHOD, CALLS = FIRST_FREE, FIRST_FREE + 1
CALLED = (
    "forces", "forward_dynamics", "refine", "start_evaluation", "advance", "begin_contacts", "look_around", "meet_edges",
    "meet_holds", "meet_others", "find_impulses", "solve", "bounce", "join", "fall_asleep", "set_memory_aside",
    "merge_memory", "go_on", "correct", "slot_rows", "observe", "tick", "flow", "begin_late", "add_work", "note_step",
)  # fmt: skip
"""Units: the functions that kernels call by address (:mod:`zoophyte.numbers.units`)."""
HEADER_INTS = CALLS + 2 * len(CALLED)
SEMI_IMPLICIT, RK4, RKF45, IMPLICIT, ROS2 = 0, 1, 2, 3, 4
INTEGRATORS = {"semi_implicit": SEMI_IMPLICIT, "rk4": RK4, "rkf45": RKF45, "implicit": IMPLICIT, "ros2": ROS2}
ROW_KIND, ROW_DATA, ROW_SCRATCH, ROW_Q, ROW_V, ROW_PARENT, ROW_ROLE, ROW_SIZE = 0, 1, 2, 3, 4, 5, 6, 7
# Role of a link in the inward pass, where all lanes agree: it carries nothing; its parent is the ground; it is the first to
# reach its parent. A link whose first child is not the same in all lanes needs its inertia written beforehand.
ROLE_LEAF, ROLE_ROOT, ROLE_FIRST, ROLE_PREPARED = 1, 2, 4, 8
# What is present: external forces, driven coordinates, additions to D, sine commands, a log in the place of orders.
FLAG_FORCES, FLAG_DRIVEN, FLAG_IMPLICIT, FLAG_SINE, FLAG_NOTED = 1, 2, 4, 8, 16

# Header of `data`.
GRAVITY, DT, START, COUNT, STAGE_TIME, FAILED_LINK, FAILED_COUNT, HEADER_SIZE = 0, 3, 4, 5, 6, 7, 8, 9

# Link record in `data`.
TREE_E = 0  # rotation from the parent's axes to the link's at q = 0 (9)
TREE_R = 9  # origin of the link in the parent's frame at q = 0 (3)
MASS = 12
MOMENT = 13  # first moment m·com (3)
INERTIA = 16  # about the link's origin, link axes (6)
FORCE = 22  # external force on the link, at its origin, in its axes (6): the sum of what laws of force add
CONFIGURATION = 28  # q of this link; then the dof blocks

# Dof block in `data`.
VELOCITY, TAU, ACCELERATION = 0, 1, 2
MOBILE = 3  # 1 for a free coordinate, 0 for a driven one (then ACCELERATION is an input)
ARMATURE = 4  # added to the joint-space inertia
STIFFNESS, DAMPING, REST = 5, 6, 7
LOWER, UPPER, LIMIT_STIFFNESS, LIMIT_DAMPING = 8, 9, 10, 11
SERVO_STIFFNESS, SERVO_DAMPING = 12, 13
MOTOR_STRENGTH, MOTOR_SLOWDOWN = 14, 15  # slowdown is 1/max_speed
COMMAND, COMMAND_RATE, COMMAND_CURVE, COMMAND_START = (
    16,
    17,
    18,
    19,
)  # value + rate·s + ½ curve·s², s = t − start
SINE_AMPLITUDE, SINE_FREQUENCY, SINE_PHASE = (
    20,
    21,
    22,
)  # … + amplitude·sin(frequency·t + phase), frequency in rad/s
APPLIED = 23  # joint force given from outside, beside springs and actuators
DOF_SIZE = 24

# Behind the dof blocks of a ball or free link: the point about which its momentum is taken, the inertia about it and its
# inverse (see integrate.py).
CARRIER_COM, CARRIER_INERTIA, CARRIER_INVERSE, CARRIER_SIZE = 0, 3, 9, 15

# Link record in `scratch`.
E, R, V, P, IA = 0, 9, 12, 18, 24  # 9, 3, 6, 6, 21 numbers
A = IA  # the acceleration (6) replaces the articulated inertia, which pass 3 no longer needs
WORLD_R, WORLD_P = 45, 54  # pose in the world: rotation link→world (9), origin (3)
OWN = 57  # where the record itself starts, as a number
WAY_KIND, WAY_ROW, WAY_PARENT = (
    58,
    59,
    60,
)  # kind, place of its first entry in rows, and where the parent's record starts, as numbers
AWAY = 61  # origin seen from that of the tree's root, world axes (3)
SCREW = 64  # what a force meets on its way to the root (see screws.py): hinge, slide 12; free: rotation (9)
SCREW_SIZE = 12
JOINT = 76  # by kind: hinge, slide: U 6, 1/D, u; ball: U 18, D⁻¹ 6, u 3; free: Cholesky 21, u 6
JOINT_SIZE = (0, 8, 8, 27, 27)
EXTRA = (
    0,
    3,
    3,
    15,
    0,
)  # implicit terms behind the JOINT part: E and K (numbers, or symmetric 3×3), servo's drift
RUNGE_STAGES = 6


def called(name: str) -> int:
    """Where the address of a unit lies in `ints`."""
    return CALLS + 2 * CALLED.index(name)


def starts(kinds: Sequence[int], counts: Sequence[int]) -> tuple[int, ...]:
    """Index of every link's first coordinate, for links of these kinds with so many coordinates each."""
    return tuple(accumulate((counts[kind] for kind in kinds[:-1]), initial=0))


def data_record_size(kind: int) -> int:
    """Numbers in the `data` record of a link of this kind."""
    if kind == GROUND:
        return 0
    carrier = CARRIER_SIZE if kind in (BALL, FREE) else 0
    return CONFIGURATION + Q_COUNT[kind] + V_COUNT[kind] * DOF_SIZE + carrier


def stage_offset(kind: int) -> int:
    """Where the integrator's copies lie in the `scratch` record: start, one derivative per stage, and their sum."""
    return JOINT + JOINT_SIZE[kind] + EXTRA[kind]


def stage_end(kind: int) -> int:
    """Where they end."""
    return stage_offset(kind) + (2 + RUNGE_STAGES) * (Q_COUNT[kind] + V_COUNT[kind])


BALL_SCREW = stage_end(BALL)
"""The three screws of a ball joint, behind all else of its record."""


def scratch_record_size(kind: int) -> int:
    """Numbers in the `scratch` record of a link of this kind."""
    return stage_end(kind) + (3 * SCREW_SIZE if kind == BALL else 0)


@dataclass(frozen=True)
class Layout:
    """Offsets of a block whose creatures all have these link kinds, in this order (ground first)."""

    kinds: tuple[int, ...]
    data_offsets: tuple[int, ...]
    scratch_offsets: tuple[int, ...]
    data_size: int
    scratch_size: int
    q_offsets: tuple[int, ...]  # of every coordinate in `data`
    dof_offsets: tuple[int, ...]  # of every dof block in `data`

    @classmethod
    def of(cls, kinds: Sequence[int]) -> Layout:
        """Lay out the records one after the other."""
        data, scratch = HEADER_SIZE, 0
        data_offsets: list[int] = []
        scratch_offsets: list[int] = []
        q_offsets: list[int] = []
        dof_offsets: list[int] = []
        for kind in kinds:
            data_offsets.append(data)
            scratch_offsets.append(scratch)
            first_q = data + CONFIGURATION
            first_dof = first_q + Q_COUNT[kind]
            q_offsets += range(first_q, first_dof)
            dof_offsets += [first_dof + DOF_SIZE * dof for dof in range(V_COUNT[kind])]
            data += data_record_size(kind)
            scratch += scratch_record_size(kind)
        return cls(
            tuple(kinds), tuple(data_offsets), tuple(scratch_offsets), data, scratch,
            tuple(q_offsets), tuple(dof_offsets),
        )  # fmt: skip
