"""Large bodies: one tree of thousands of capsules, hit by balls; time and memory against the size of the tree."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from zoophyte.algebra.quaternions import quaternion_exp, quaternion_product
from zoophyte.bench.contact import mujoco
from zoophyte.bench.contact.duel import guarded
from zoophyte.bench.contact.ours import Ours
from zoophyte.bench.contact.sides import Effort, apart, race
from zoophyte.bench.harness import Row, benchmark
from zoophyte.description import GROUND, Body, Capsule, Description, Joint, Sphere, Surface
from zoophyte.model import ContactSettings, Model, State
from zoophyte.model import compile as compile_model
from zoophyte.physics import body_poses
from zoophyte.simulation import Habitat

DT = 0.002
AGREE_STEPS, AGREE = 5, 2e-3
"""Distance of twins after so many steps, in which the balls fall [m]."""
BRANCH, LENGTH, RADIUS, DENSITY = 10, 0.1, 0.01, 500.0
"""Capsules of a branch, each so long and thick [m], of wood [kg/m³]."""
BALL, GAP = 0.03, 0.001
"""Radius of a ball, and how far from all capsules it is let go, at least [m]."""
TURN, TILT = math.pi * (3.0 - math.sqrt(5.0)), 0.9
"""From one branch to the next around their parent, and away from it [rad]."""
SIZES, BALLS = (1250, 2500, 5000, 10_000), 100
SLOPE, MOST_BYTES = 1.15, 300e6


def tree(capsules: int) -> list[Body]:
    """Capsules joined by sprung hinges: branches of ten, of which each carries three more at most, so that paths stay short.

    Args:
        capsules: how many.
    """
    parents = [n - 1 if n % BRANCH else (n // BRANCH - 1) // 3 * BRANCH + (3, 6, 9)[(n // BRANCH - 1) % 3]
               for n in range(capsules)]  # fmt: skip
    carried = [1.0] * capsules
    for n in range(capsules - 1, 0, -1):
        carried[parents[n]] += carried[n]
    bodies = []
    for n in range(capsules):
        rotation = (1.0, 0.0, 0.0, 0.0)
        if n and n % BRANCH == 0:
            around = quaternion_exp((0.0, 0.0, 0.5 * TURN * (n // BRANCH)))
            rotation = quaternion_product(around, quaternion_exp((0.5 * TILT, 0.0, 0.0)))
        joint = Joint(
            kind="hinge", axis=((1, 0, 0), (0, 1, 0))[n % 2], position=(0.0, 0.0, LENGTH if n else 0.5), rotation=rotation,
            stiffness=0.5 * carried[n], damping=0.01 * carried[n],
        )  # fmt: skip
        shape = Capsule(
            radius=RADIUS, length=LENGTH - 2.0 * RADIUS, position=(0.0, 0.0, 0.5 * LENGTH), density=DENSITY
        )
        parent = GROUND if n == 0 else f"c{parents[n]}"
        bodies.append(Body(name=f"c{n}", parent=parent, joint=joint, shapes=[shape]))
    return bodies


def hit_tree(capsules: int, balls: int) -> Description:
    """A tree, and balls just above the flattest of its capsules that have room there.

    Args:
        capsules: of the tree.
        balls: free ones.
    """
    bodies = tree(capsules)
    model = compile_model(Description(name="tree", bodies=bodies))
    R, p = body_poses(model, State.neutral(model))
    axes = R[1:, :, 2]
    middles = p[1:] + 0.5 * LENGTH * axes
    placed: list[Any] = []
    upwards = np.array([0.0, 0.0, 1.0]) - axes[:, 2:] * axes  # as steep as a capsule's side allows
    for n in np.argsort(np.abs(axes[:, 2]), kind="stable"):
        place = middles[n] + (BALL + RADIUS + 2.0 * GAP) * upwards[n] / max(
            float(np.linalg.norm(upwards[n])), 0.1
        )
        along = np.clip(np.sum((place - middles) * axes, axis=1), -0.5 * LENGTH, 0.5 * LENGTH)
        nearest = np.linalg.norm(place - middles - along[:, None] * axes, axis=1).min()
        if nearest > BALL + RADIUS + GAP and all(
            np.linalg.norm(place - other) > 2.5 * BALL for other in placed
        ):
            placed.append(place)
        if len(placed) == balls:
            break
    for n, place in enumerate(placed):
        joint = Joint(kind="free", initial=(1.0, 0.0, 0.0, 0.0, *map(float, place)))
        bodies.append(Body(name=f"ball{n}", joint=joint, shapes=[Sphere(radius=BALL, density=DENSITY)]))
    return Description(name="tree", bodies=bodies, surface=Surface(friction=0.5))


def ours_of(model: Model, effort: Effort) -> Ours:
    """Our side, some steps after the balls were let go.

    Args:
        model: tree and balls.
        effort: how many steps.
    """
    side = Ours([model], ContactSettings(ground=None, surface=Surface(friction=0.5)), DT)
    side.advance(effort.settle)
    side.keep()
    return side


def block_bytes(side: Ours) -> int:
    """Memory of all arrays of a block."""
    block = side.block
    return int(block.ints.nbytes + block.data.nbytes + block.scratch.nbytes)


def duel_rows(capsules: int, balls: int, effort: Effort) -> Iterator[Row]:
    """Time against MuJoCo's, and memory, of a tree that is hit."""
    description = hit_tree(capsules, balls)
    model = compile_model(description)
    ours = ours_of(model, effort)
    workload = f"tree of {capsules} capsules hit by {balls} balls, {model.nv} dof, {ours.contacts:.0f} contacts, dt 2 ms"
    if not mujoco.available():
        (mine,) = race(ours.timers(effort.steps), rounds=effort.rounds)
        yield Row("big-touch", workload, mine * 1e6, None, mujoco.MISSING, "µs", None)
    else:
        theirs = mujoco.exported(description, DT, Habitat(ground=None))
        twin = mujoco.Twin(model, theirs)
        ruler, peer = mujoco.MuJoCoRuler(theirs), mujoco.MuJoCo(theirs, twin)
        ours.twins = [twin]
        peer.place(ours.coordinates()[0])
        peer.keep()
        distance = apart(ours, peer, (ruler, ruler), AGREE_STEPS)
        checked = f"same masses; from one state, bodies are at most {distance:.1e} m apart after {AGREE_STEPS} steps"
        if distance > AGREE:
            yield Row("big-touch", workload, None, None, peer.name, "µs", None, "", False, checked)
        else:
            mine, other = race(ours.timers(effort.steps), peer.timers(effort.steps), rounds=effort.rounds)
            yield Row(
                "big-touch", workload, mine * 1e6, other * 1e6, peer.name, "µs", other / mine, checked=checked
            )
    size = block_bytes(ours)
    yield Row("big-touch", f"{workload}: memory", size / 1e6, None, "", "MB", None, f"< {MOST_BYTES / 1e6:g}",
              size < MOST_BYTES, "all arrays of the block, after the steps")  # fmt: skip


def slope_rows(effort: Effort, sizes: Sequence[int] = SIZES, balls: int = BALLS) -> Iterator[Row]:
    """Time of a step against the degrees of freedom of the tree, hit by equally many balls."""
    times, dofs = [], []
    for capsules in sizes:
        model = compile_model(hit_tree(capsules, balls))
        ours = ours_of(model, effort)
        (seconds,) = race(ours.timers(effort.steps), rounds=effort.rounds)
        times.append(seconds)
        dofs.append(model.nv)
    slope = float(np.polyfit(np.log(dofs), np.log(times), 1)[0])
    told = ", ".join(f"{nv} dof {seconds * 1e6:.4g} µs" for nv, seconds in zip(dofs, times, strict=True))
    yield Row("big-touch", f"trees of {sizes[0]} … {sizes[-1]} capsules hit by {balls} balls", slope, None, "",
              "log–log slope", None, f"≤ {SLOPE:g}", slope <= SLOPE, told)  # fmt: skip


@benchmark("big-touch")
def big_touch() -> Iterator[Row]:
    """A tree of 3300 capsules hit by 20 balls, one of 10 000 by 350, and time against size."""
    effort = Effort(rounds=3, steps=40, settle=70)
    for capsules, balls in ((3300, 20), (10_000, 350)):
        yield from guarded("big-touch", duel_rows(capsules, balls, effort))
    yield from guarded("big-touch", slope_rows(effort))
