"""One step: a list of named stages.

    poses → forces → accelerate → detect → respond → integrate → note

A World and a Herd, with contact and without, go through the same list; each stage looks whether a block has what the stage
is for.  Integrators that evaluate forces several times go through the list as often, and note at the end.  Before each
evaluation commands may change: a controller that is called at every force evaluation works between
:func:`set_evaluation_point` and :func:`evaluate_and_integrate`.
"""

from __future__ import annotations

from zoophyte.model.layout import (
    CONTACT,
    COUNT,
    DOF_SIZE,
    DT,
    FAILED_COUNT,
    FAILED_LINK,
    FLAG_DRIVEN,
    FLAG_FORCES,
    FLAG_IMPLICIT,
    FLAGS,
    FORCE,
    IMPLICIT,
    LINK_COUNT,
    METHOD,
    RK4,
    RKF45,
    ROS2,
    ROW_DATA,
    ROW_KIND,
    STAGE_TIME,
    START,
    V_COUNT,
    VELOCITY,
    called,
)
from zoophyte.numbers import Array, Spec, absolute, both, fma, load, number, store, where, width
from zoophyte.numbers.memory import store6
from zoophyte.numbers.primitives import LAW_ROW, call_force_law
from zoophyte.numbers.units import LAWS, unit
from zoophyte.physics.contact.slots import lacks_room
from zoophyte.physics.contact.touch import find_contacts, find_impulses, go_on, refine, rest
from zoophyte.physics.dynamics.forward import forward_dynamics
from zoophyte.physics.dynamics.kinematics import first_dof, row
from zoophyte.physics.dynamics.kinematics import poses as pose_links
from zoophyte.physics.forces import joint_forces
from zoophyte.physics.implicit import (
    ROS2_GAMMA,
    first_right_side,
    ros2_finish,
    ros2_first,
    ros2_second_right_side,
    save_terms,
)
from zoophyte.physics.integrate import (
    NODES,
    RK4_NODE,
    RK4_ROW,
    RKF_NODE,
    RKF_ROW,
    advance_semi_implicit,
    combine,
    save_rates,
    save_start,
)
from zoophyte.physics.presence import is_free
from zoophyte.physics.signals import drive

STAGES = ("poses", "forces", "accelerate", "detect", "respond", "integrate", "note")
"""The stages of a step, in their order: functions of this module."""
EVALUATIONS = (1, 4, 6, 1, 2)
"""How often each integrator evaluates forces in a step."""
SPEED_LIMIT = 1e8
"""A coordinate faster than this [rad/s, m/s], or not a number, has diverged."""


def step(ints: Array, data: Array, scratch: Array, terrain: Array, spec: Spec) -> None:
    """One step of DT."""
    if rest(ints, data, scratch, spec):
        note(ints, data, spec)
        return
    for evaluation in range(EVALUATIONS[method_of(ints)]):
        set_evaluation_point(ints, data, scratch, evaluation, spec)
        evaluate_and_integrate(ints, data, scratch, terrain, evaluation, spec)


def method_of(ints: Array) -> int:
    """The number of the integrator; a constant on a GPU."""
    return ints[METHOD]


def set_evaluation_point(ints: Array, data: Array, scratch: Array, evaluation: int, spec: Spec) -> None:
    """Bring q, v and STAGE_TIME to where forces are evaluated."""
    method = method_of(ints)
    # ROS2 evaluates at both ends; commands of backward Euler act with their value at the end of the step, and so they do
    # wherever contacts are solved.
    if EVALUATIONS[method] > 1:
        start_evaluation(ints, data, scratch, evaluation, spec)
    elif method == IMPLICIT or ints[CONTACT] > 0:
        set_time(data, 1.0, spec)
    else:
        set_time(data, 0.0, spec)


def evaluate_and_integrate(
    ints: Array, data: Array, scratch: Array, terrain: Array, evaluation: int, spec: Spec
) -> None:
    """The stages, in their order."""
    poses(ints, data, scratch, spec)
    forces(ints, data, scratch, evaluation, spec)
    refined = accelerate(ints, data, scratch, spec)
    slots = detect(ints, data, scratch, terrain, spec)
    solved = respond(ints, data, scratch, slots, refined, spec)
    if ints[CONTACT] > 0 and lacks_room(ints, data, spec):
        return  # nothing has moved: who called gives more room, and the step is done once more
    integrate(ints, data, scratch, evaluation, slots, solved, spec)
    if evaluation == EVALUATIONS[method_of(ints)] - 1:
        note(ints, data, spec)


# ------------------------------------------------------------------------------------------------------------ the stages


def poses(ints: Array, data: Array, scratch: Array, spec: Spec) -> None:
    """Puts driven coordinates on their signals, and links where they are in the world if the block has laws.

    Without laws nobody needs poses before `accelerate`, which goes through the kinematics itself.
    """
    if ints[FLAGS] & FLAG_DRIVEN:  # here, so that a controller asked before is obeyed at once
        drive(ints, data, spec)
    if ints[LAWS] > 0:
        pose_links(ints, data, scratch, spec)


@unit(called("forces"))
def forces(ints: Array, data: Array, scratch: Array, evaluation: int, spec: Spec) -> None:
    """TAU of every coordinate and FORCE on every link: joints and actuators, then each law, which adds its own."""
    ros2 = method_of(ints) == ROS2
    joint_forces(ints, data, scratch, ROS2_GAMMA if ros2 else 1.0, spec)
    if ints[LAWS] > 0:
        apply_laws(ints, data, scratch, spec)
    if ints[FLAGS] & FLAG_IMPLICIT:  # what springs and dampers will be at the end of the step
        if evaluation == 0:
            first_right_side(ints, data, scratch, ROS2_GAMMA if ros2 else 1.0, 1.0 if ros2 else 0.0, spec)
            if ros2:
                save_terms(ints, scratch, spec)
        else:
            ros2_second_right_side(ints, data, scratch, spec)


def accelerate(ints: Array, data: Array, scratch: Array, spec: Spec) -> bool:
    """Accelerations; returns whether velocity products were taken half-way through the step."""
    forward_dynamics(ints, data, scratch, spec)
    if ints[CONTACT] > 0:
        return refine(ints, data, scratch, spec)
    return False


def detect(ints: Array, data: Array, scratch: Array, terrain: Array, spec: Spec) -> int:
    """Fill the slots with what touches, or may within the step; how many are in use."""
    if ints[CONTACT] > 0:
        return find_contacts(ints, data, scratch, terrain, spec)
    return 0


def respond(ints: Array, data: Array, scratch: Array, slots: int, refined: bool, spec: Spec) -> bool:
    """The velocities that forces make, and the impulses of contacts and limits; whether there was anything to solve."""
    if ints[CONTACT] > 0:
        return find_impulses(ints, data, scratch, slots, refined, spec)
    return False


def integrate(
    ints: Array, data: Array, scratch: Array, evaluation: int, slots: int, solved: bool, spec: Spec
) -> None:
    """Coordinates and velocities at the end of the step, or where the integrator evaluates forces next."""
    if ints[CONTACT] > 0:
        go_on(ints, data, scratch, slots, solved, spec)
    else:
        advance(ints, data, scratch, evaluation, spec)


def note(ints: Array, data: Array, spec: Spec) -> None:
    """Count the step, put driven coordinates at their new places, and note the first link that diverged."""
    W = width(spec)
    count = load(data, COUNT * W, spec)
    store(data, COUNT * W, count + number(1.0, count), spec)
    set_time(data, 0.0, spec)
    if ints[FLAGS] & FLAG_DRIVEN:
        drive(ints, data, spec)
    failed = load(data, FAILED_LINK * W, spec)
    unharmed = failed < number(0.0, failed)
    limit = number(SPEED_LIMIT, failed)
    for link in range(ints[LINK_COUNT] - 1, 0, -1):  # the innermost link that failed is the one that is told
        i = row(ints, link)
        kind, d = ints[i + ROW_KIND], ints[i + ROW_DATA]
        for k in range(V_COUNT[kind]):
            v = load(data, d + (first_dof(kind) + k * DOF_SIZE + VELOCITY) * W, spec)
            sound = absolute(v) < limit
            failed = where(both(unharmed, sound), failed, where(unharmed, number(link, v), failed))
    at = load(data, FAILED_COUNT * W, spec)
    store(data, FAILED_COUNT * W, where(unharmed, count, at), spec)
    store(data, FAILED_LINK * W, failed, spec)


# -------------------------------------------------------------------------------------------------------- what they call


def apply_laws(ints: Array, data: Array, scratch: Array, spec: Spec) -> None:
    """Every law of force of the block, one after the other; FORCE begins as −0, to which anything may be added unchanged."""
    W, section = width(spec), ints[LAWS]
    if ints[FLAGS] & FLAG_FORCES:
        z = number(-0.0, load(data, 0, spec))
        for link in range(1, ints[LINK_COUNT]):
            store6(data, ints[row(ints, link) + ROW_DATA] + FORCE * W, (z, z, z, z, z, z), spec)
    for law in range(1, ints[section]):  # the first row is that of the law of response
        call_force_law(ints, section + 1 + law * LAW_ROW, data, scratch, spec)


def _evaluates_often(ints: Array) -> bool:
    return bool(EVALUATIONS[ints[METHOD]] > 1)


@unit(called("start_evaluation"), _evaluates_often)
def start_evaluation(ints: Array, data: Array, scratch: Array, evaluation: int, spec: Spec) -> None:
    """Where an integrator that evaluates forces several times evaluates them next."""
    method = method_of(ints)
    if evaluation == 0:
        save_start(ints, data, scratch, spec)
    if method == ROS2:
        set_time(data, 1.0 if evaluation == 1 else 0.0, spec)
        return
    set_time(data, NODES[(RK4_NODE if method == RK4 else RKF_NODE) + evaluation], spec)
    if evaluation > 0:
        combine(
            ints, data, scratch, (RK4_ROW if method == RK4 else RKF_ROW) + evaluation - 1, evaluation, spec
        )


@unit(called("advance"), is_free)
def advance(ints: Array, data: Array, scratch: Array, evaluation: int, spec: Spec) -> None:
    """What the integrator makes of the accelerations of this evaluation, where nothing touches."""
    method = method_of(ints)
    last = evaluation == EVALUATIONS[method] - 1
    if method == RK4 or method == RKF45:
        save_rates(ints, data, scratch, evaluation, spec)
        if last:
            combine(
                ints,
                data,
                scratch,
                (RK4_ROW if method == RK4 else RKF_ROW) + evaluation,
                evaluation + 1,
                spec,
            )
    elif method == ROS2:
        if last:
            ros2_finish(ints, data, scratch, spec)
        else:
            ros2_first(ints, data, scratch, spec)
    else:
        advance_semi_implicit(ints, data, spec)


def evaluate(ints: Array, data: Array, scratch: Array, spec: Spec) -> None:
    """Forces and accelerations of the present state, as they are: no step is taken.  FLAG_IMPLICIT must be off."""
    set_time(data, 0.0, spec)
    poses(ints, data, scratch, spec)
    forces(ints, data, scratch, 0, spec)
    forward_dynamics(ints, data, scratch, spec)


def set_time(data: Array, fraction: float, spec: Spec) -> None:
    """STAGE_TIME = start + (count + fraction)·dt."""
    W = width(spec)
    dt = load(data, DT * W, spec)
    count = load(data, COUNT * W, spec) + number(fraction, dt)
    store(data, STAGE_TIME * W, fma(count, dt, load(data, START * W, spec)), spec)
