"""Modular robots: cubes and hinges under a linear central pattern generator, 30 s each, as revolve2 evaluates them."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from zoophyte.bench.contact.duel import guarded
from zoophyte.bench.contact.sides import timed
from zoophyte.bench.harness import Row, benchmark
from zoophyte.control import Coupling, Oscillator, Oscillators
from zoophyte.description import Body, Box, Description, Joint, Servo, Surface
from zoophyte.simulation.herd import Herd, Life
from zoophyte.zoo.standing import standing

NAME, BAR = "evolve-revolve2", 10.0
GECKO, SPIDER = 1.15, 1.36
"""CPU seconds of one evaluation in revolve2 1.2.4 (MuJoCo 2.3.7), of two of its own robots with random CPGs: 30 s at dt
1 ms, RK4, 20 Hz; measured on a machine like ours, not in this run."""
SECONDS, RATE = 30.0, 20.0
DT, FINE = 5e-3, 1e-3
SWEEPS = 8
"""As the tasks of evolution have it."""
CORE, CORE_MASS = (0.09, 0.09, 0.06), 0.25
LINK, LINK_MASS = (0.12, 0.06, 0.06), 0.12
"""A hinge and the cube on it, as one box [m], [kg]."""
SWING = math.pi / 3.0
STIFFNESS, DAMPING, TORQUE = 5.0, 0.05, 0.95
ARMATURE = 0.002


@dataclass(frozen=True)
class Effort:
    """How long the benchmark takes; tests make it small.

    Args:
        count: robots, with as many different pattern generators.
        seconds: of every evaluation.
        rounds: the fastest counts.
    """

    count: int = 64
    seconds: float = SECONDS
    rounds: int = 3


def spider() -> Description:
    """A core and four legs of two hinges each: the inner one turns about the vertical, the outer one lifts; 14 degrees."""
    bodies = [Body(name="core", joint=Joint(kind="free"), shapes=[_box(CORE, CORE_MASS)])]
    for leg in range(4):
        turn = 0.5 * math.pi * leg
        away = 0.5 * CORE[0]
        inner = _link(
            f"leg{leg}", "core", (0.0, 0.0, 1.0), (away * math.cos(turn), away * math.sin(turn), 0.0), turn
        )
        outer = _link(f"foot{leg}", f"leg{leg}", (0.0, 1.0, 0.0), (LINK[0], 0.0, 0.0), 0.0)
        bodies += [inner, outer]
    made = Description(name="modular spider", bodies=bodies, surface=Surface(friction=1.0), self_contact=True)
    return standing(made)


def _link(
    name: str, parent: str, axis: tuple[float, float, float], position: tuple[float, float, float], turn: float
) -> Body:  # fmt: skip
    joint = Joint(
        kind="hinge", axis=axis, position=position, rotation=(math.cos(0.5 * turn), 0.0, 0.0, math.sin(0.5 * turn)),
        limits=(-SWING, SWING), armature=ARMATURE,
        actuator=Servo(stiffness=STIFFNESS, damping=DAMPING, max_force=TORQUE),
    )  # fmt: skip
    return Body(name=name, parent=parent, joint=joint, shapes=[_box(LINK, LINK_MASS, 0.5 * LINK[0])])


def _box(size: tuple[float, float, float], mass: float, along: float = 0.0) -> Box:
    return Box(size=size, density=mass / math.prod(size), position=(along, 0.0, 0.0))


def generator_of(seed: int) -> Oscillators:
    """A random linear pattern generator: one oscillator per hinge, neighbours coupled, the two ways by opposite weights.

    Opposite weights keep the sum of all oscillators' sizes, so that commands swing for ever.
    """
    rng = np.random.default_rng(seed)
    names = [f"{part}{leg}" for leg in range(4) for part in ("leg", "foot")]
    oscillators = {
        name: Oscillator(
            frequency=float(rng.uniform(0.3, 1.2)), amplitude=SWING * math.sqrt(0.5),
            phase=float(rng.uniform(-math.pi, math.pi)),
        )
        for name in names
    }  # fmt: skip
    neighbours = [(f"leg{leg}", f"foot{leg}") for leg in range(4)]
    neighbours += [(f"leg{leg}", f"leg{(leg + 1) % 4}") for leg in range(4)]
    couplings = []
    for one, other in neighbours:
        weight = float(rng.uniform(-4.0, 4.0))
        couplings += [Coupling(one, other, weight), Coupling(other, one, -weight)]
    return Oscillators(oscillators, couplings, form="linear", rate=RATE, seconds=SECONDS, limit=SWING)


def evaluated(effort: Effort, dt: float) -> list[Life]:
    """The lives of all robots, each from a description and a generator of its own on."""
    bodies = [spider() for _ in range(effort.count)]
    controllers = [generator_of(seed) for seed in range(effort.count)]
    herd = Herd(bodies, controllers=controllers, dt=dt, sweeps=SWEEPS, workers=1)
    return herd.simulate(effort.seconds, sample_every=1.0, keep_final=False)


def revolve2_rows(effort: Effort) -> Iterator[Row]:
    """CPU time of an evaluation, at our step and, for information, at theirs."""
    medians = {}
    rows = []
    for dt, rounds, bar in ((DT, effort.rounds, BAR), (FINE, 1, None)):
        lives = evaluated(effort, dt)  # which also loads kernels
        seconds = min(timed(lambda dt=dt: evaluated(effort, dt)) for _ in range(rounds)) / effort.count  # type: ignore[misc]
        sound = [life.distance for life in lives if life.status.is_sound]
        medians[dt] = float(np.median(sound)) if sound else math.nan
        workload = (
            f"{effort.count} spiders of 9 boxes and 8 hinges with self-contact, random linear CPGs at {RATE:g} Hz, "
            f"{effort.seconds:g} s at dt {1e3 * dt:g} ms, from description to distance, per core"
        )
        checked = f"{len(sound)} of {effort.count} lives sound, median distance {medians[dt]:.3g} m"
        theirs = GECKO * effort.seconds / SECONDS
        peer = (
            f"revolve2 1.2.4, its gecko, dt 1 ms (its spider {SPIDER:g} s), measured before on such a machine"
        )
        ratio, whole = theirs / seconds, len(sound) == effort.count
        wanted = "" if bar is None else f"≥ {bar:g}"
        reached = None if bar is None else bool(whole and ratio >= bar)
        rows.append(Row(NAME, workload, seconds, theirs, peer, "s", ratio, wanted, reached, checked))
    yield from rows


@benchmark(NAME)
def evolve_revolve2() -> Iterator[Row]:
    """30 s of modular spiders under central pattern generators; revolve2 needs 1.15 CPU-seconds."""
    yield from guarded(NAME, revolve2_rows(Effort()))
