"""From a description to a model, for trees of many bodies, against MuJoCo's compiler on the same bodies."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

from zoophyte.bench.contact import mujoco
from zoophyte.bench.harness import Row, benchmark, fastest
from zoophyte.description import Body, Capsule, Description, Joint
from zoophyte.model import Model
from zoophyte.model import compile as compile_model

NAME, SIZES, BRANCHES = "compile-model", (100, 1000, 10_000), 3
LARGE, MOST = 1000, 0.1
"""From this many bodies on a body must take no more than so much [ms]."""
PEER_MOST, BEND = 1000, 0.2
"""Bodies that the peer is given at most: 3 000 take it 20 s, 10 000 over four minutes.  How far a slope may be from 1."""
RADIUS, LENGTH, DENSITY, DAMPING, TWIG = 0.01, 0.1, 1000.0, 0.01, (0.02, 0.0, 0.1)
AGREEMENT = 1e-9


def tree(count: int) -> Description:
    """Capsules on ball joints; each carries three others."""
    joint = Joint(kind="ball", position=TWIG, damping=DAMPING)
    shape = Capsule(radius=RADIUS, length=LENGTH, density=DENSITY)
    bodies = [Body(name="b0", joint=joint, shapes=[shape])]
    for n in range(1, count):
        bodies.append(Body(name=f"b{n}", parent=f"b{(n - 1) // BRANCHES}", joint=joint, shapes=[shape]))
    return Description(name=f"tree of {count}", bodies=bodies)


def peer_tree(count: int) -> Any:
    """The same as MuJoCo's editable description."""
    import mujoco as program

    spec = program.MjSpec()
    bodies: list[Any] = []
    for n in range(count):
        parent = bodies[(n - 1) // BRANCHES] if n else spec.worldbody
        body = parent.add_body(name=f"b{n}", pos=TWIG)
        body.add_joint(type=program.mjtJoint.mjJNT_BALL, damping=DAMPING)
        size = [RADIUS, 0.5 * LENGTH, 0.0]
        body.add_geom(
            type=program.mjtGeom.mjGEOM_CAPSULE, size=size, density=DENSITY, contype=0, conaffinity=0
        )
        bodies.append(body)
    return spec


def our_side(description: Description) -> Callable[[], int]:
    """A description that has just been edited, and so is checked as a whole, becomes a model."""

    def run() -> int:
        description.bodies[0].joint.damping = DAMPING
        compile_model(description)
        return 1

    return run


def _agree(model: Model, theirs: Any) -> bool:
    """Whether both have the same bodies with the same masses, and as many degrees of freedom."""
    masses = {theirs.body(n).name: float(theirs.body_mass[n]) for n in range(1, theirs.nbody)}
    own = dict(zip(model.body_names[1:], model.bodies.mass[1:].tolist(), strict=True))
    worst = (
        max(abs(masses[name] - mass) / mass for name, mass in own.items())
        if own.keys() == masses.keys()
        else np.inf
    )
    return bool(model.nv == theirs.nv and worst < AGREEMENT)


@benchmark(NAME)
def compile_models() -> Iterator[Row]:
    """Description → Model of trees of 100 to 10 000 bodies, against MuJoCo's MjSpec.compile."""
    seconds = []
    for count in SIZES:
        workload, wanted = f"a tree of {count} capsules on ball joints, just edited", count >= LARGE
        description, peer, checked = tree(count), None, "degrees of freedom, names and masses of all bodies"
        sides, name = [our_side(description)], f"MuJoCo's compiler takes n² time: minutes for {count} bodies"
        if not mujoco.available():
            name = mujoco.MISSING
        elif count <= PEER_MOST:
            import mujoco as program

            name, spec = f"MuJoCo {program.__version__} MjSpec.compile", peer_tree(count)
            sides.append(partial(_peer_side, spec))
            if not _agree(compile_model(description), spec.compile()):
                sides, checked = sides[:1], "the models differ, so there is no ratio"
        own, *others = fastest(*sides, rounds=max(3, 3000 // count))
        seconds.append(own)
        peer = 1e3 * others[0] if others else None
        yield Row(
            NAME, workload, 1e3 * own, peer, name, "ms", None if peer is None else 1e-3 * peer / own,
            f"at most {MOST:g} ms per body" if wanted else "", 1e3 * own <= MOST * count if wanted else None, checked,
        )  # fmt: skip
    slope = math.log(seconds[-1] / seconds[-2]) / math.log(SIZES[-1] / SIZES[-2])
    words = f"trees of {SIZES[-2]} and {SIZES[-1]} bodies"
    yield Row(NAME, words, slope, None, "", "log–log slope", None, f"1 ± {BEND:g}", abs(slope - 1.0) <= BEND)


def _peer_side(spec: Any) -> int:
    spec.compile()
    return 1
