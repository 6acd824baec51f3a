"""Hashes of many lives, to compare two trees of sources to the last bit.

    PYTHONPATH=BEFORE/src python tools/compare_bits.py --out before.json
    PYTHONPATH=AFTER/src python tools/compare_bits.py --against before.json

One line per group with a hash of all times, coordinates, velocities, contact forces, events, final states and ends of its
lives, then one of everything. Only the public interface is used, so that the same script runs on both trees.
"""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import json
import math
import os
import subprocess
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

import zoophyte as zp
from zoophyte.control import Command, Hold, Sine, Table
from zoophyte.description import (
    Attach,
    Body,
    Box,
    Capsule,
    Connect,
    Cylinder,
    Description,
    Ellipsoid,
    Frustum,
    Joint,
    MassProperties,
    Motor,
    Pair,
    Polyhedron,
    Servo,
    Sphere,
    Surface,
    TaperedCapsule,
    Weld,
)
from zoophyte.evolution import showcase
from zoophyte.model import Medium
from zoophyte.simulation.herd import Herd

SECONDS = 1.0
BODIES = 200
BODY_STEPS = 500
LARGEST = 200
"""Bodies of an inhabitant of the zoo that lives all of SECONDS; larger ones live as long as takes as many body-steps."""
INTEGRATORS = ("semi_implicit", "rk4", "rkf45", "implicit", "ros2")
MEETING = ("sphere", "capsule", "box", "tapered")
"""Shapes that can meet each other; all meet the ground."""
EVOLVED = {"seconds": 2.0, "settle": 0.2}
GENOMES = {"limbed": {}, "limbed/neurons": {"controller": "neurons"}, "graph": {}}
LOUD = "ZOOPHYTE_COMPARE_LOUD"
"""Set to see with which words lives are refused."""
INNER = " "
"""Between the hash of what a life shows and that of how its contacts lie: columns of channels, memory of the solver."""
INTERPRETED = "ZOOPHYTE_COMPARE_INTERPRETED"

Lives = Iterator[tuple[str, Callable[[], str]]]


# --- what is hashed ----------------------------------------------------------------------------------------------


class Digest:
    """A hash of arrays and words."""

    def __init__(self) -> None:
        self._hash = hashlib.blake2b(digest_size=12)

    def add(self, *parts: Any) -> None:
        """Numbers by their bits (all NaN alike), everything else by its words."""
        for part in parts:
            if isinstance(part, np.ndarray | float | tuple | list) and not isinstance(part, str):
                with contextlib.suppress(TypeError, ValueError):
                    array = np.array(part, np.float64)
                    array[np.isnan(array)] = math.nan
                    self._hash.update(repr(array.shape).encode())
                    self._hash.update(np.ascontiguousarray(array).tobytes())
                    continue
            self._hash.update(repr(part).encode() + b"\0")

    def __str__(self) -> str:
        return self._hash.hexdigest()


def _add_state(digest: Digest, state: Any) -> None:
    if state is None:
        digest.add("no state")
        return
    digest.add(state.q, state.v, state.clock, state.command, state.applied, state.memory)


def _add_status(digest: Digest, status: Any) -> None:
    digest.add(status.kind, float(status.time))


def of_trajectory(life: Any) -> str:
    """All that a life in a World shows: states, recorded channels (contact forces among them), events, the end."""
    digest, inner = Digest(), Digest()
    digest.add(life.times, life.q, life.v)
    for name in sorted(life.channels):
        (inner if name.startswith("contact") else digest).add(name, life.channels[name])
    if "contact_forces" in life.channels:
        for body in ("ground", *(body.name for body in life.description.bodies)):
            digest.add(body, life.contact_force(body))
    for event in life.events:
        fields = getattr(event, "__dict__", None) or {
            n: getattr(event, n) for n in event.__dataclass_fields__
        }
        digest.add(*(x for name in sorted(fields) for x in (name, fields[name])))
    _add_state(digest, life.final)
    _add_status(digest, life.status)
    inner.add(life.final.contact)
    return f"{digest}{INNER}{inner}"


def joined_halves(first: str, second: str) -> list[str]:
    """What two lives show, then how they are laid out."""
    return ["+".join(parts) for parts in zip(first.split(INNER), second.split(INNER), strict=True)]


def of_life(life: Any) -> str:
    """All that a life in a herd shows."""
    digest, inner = Digest(), Digest()
    digest.add(life.times, life.com, life.root, life.upright, life.work)
    digest.add(
        *(float(getattr(life, name)) for name in (
            "path", "highest", "lowest", "effort", "energy_gain", "top_speed", "deepest", "leap", "airborne",
        ))
    )  # fmt: skip
    if life.kept is not None and len(life.times):
        digest.add(life.q, life.v, *(life.contact_force(body) for body in life.bodies))
    _add_state(digest, life.final)
    _add_status(digest, life.status)
    if life.final is not None:
        inner.add(life.final.contact)
    return f"{digest}{INNER}{inner}"


# --- the zoo -----------------------------------------------------------------------------------------------------


def bare(description: Description) -> Description:
    """The same without anything that is solved: contact, constraints, dry friction, weak servos."""
    bodies = []
    for body in description.bodies:
        shapes = [shape.model_copy(update={"surface": None}) for shape in body.shapes]
        actuator = body.joint.actuator
        if isinstance(actuator, Servo):
            actuator = actuator.model_copy(update={"max_force": math.inf})
        joint = body.joint.model_copy(update={"friction": 0.0, "actuator": actuator})
        bodies.append(body.model_copy(update={"shapes": shapes, "joint": joint}))
    return description.model_copy(update={"bodies": bodies, "surface": None, "constraints": [], "pairs": []})


def zoo_seconds(scene: Any) -> float:
    """Less for many bodies."""
    count = len(scene.description.bodies)
    return SECONDS * min(1.0, LARGEST / count) if count else SECONDS


def zoo() -> Lives:
    """Everybody in the own scene, with its controller."""
    for name in zp.zoo.names():

        def live(name: str = name) -> str:
            scene = zp.zoo.scene(name)
            return of_trajectory(scene.simulate(zoo_seconds(scene)))

        yield name, live


def zoo_bare() -> Lives:
    """Everybody without contact, as the World chooses its integrator."""
    for name in zp.zoo.names():

        def live(name: str = name) -> str:
            scene = zp.zoo.scene(name)
            world = zp.World(
                bare(scene.description), scene.habitat, scene.controller, dt=scene.dt, integrator="auto"
            )
            return of_trajectory(world.simulate(zoo_seconds(scene), record_rate=min(500.0, 1.0 / scene.dt)))

        yield name, live


def zoo_cut() -> Lives:
    """Lives that are recorded rarely, broken off, and gone on with."""
    for name in ("walking_ant", "humanoid", "ragdoll", "dominoes", "spinning_coin", "four_bar", "sapling"):

        def live(name: str = name) -> str:
            scene = zp.zoo.scene(name)
            world = scene.world()
            first = world.simulate(0.12, scene.state(world.model), record_rate=60.0)
            second = world.simulate(0.13, first.final, record_rate=60.0)
            return INNER.join(joined_halves(of_trajectory(first), of_trajectory(second)))

        yield name, live


def sleep() -> Lives:
    """Piles that come to rest, and one that something falls on."""
    for name, seconds in (
        ("box_stack", 3.0),
        ("box_pile", 1.5),
        ("brick_wall", 1.0),
        ("dominoes", 2.0),
        ("ragdoll", 4.0),
    ):

        def live(name: str = name, seconds: float = seconds) -> str:
            return of_trajectory(zp.zoo.scene(name).simulate(seconds, record_rate=50.0))

        yield name, live


def creatures() -> Lives:
    """The evolved creatures that come along, where they were judged."""
    for name in showcase.names():

        def live(name: str = name) -> str:
            return of_trajectory(showcase.life(name, 3.0))

        yield name, live


class Restless:
    """A controller that Python must ask: it minds the time, what it senses, and how often it was asked."""

    def __init__(self, period: float | None, alarms: tuple[float, ...] = ()) -> None:
        self.period, self.alarms = period, alarms

    def begin(self, model: Any) -> Any:
        """How often it was asked."""
        return np.array([0.0, 0.25])

    def command(self, senses: Any, memory: Any) -> Any:
        """Signals, a torque, and when to be asked again."""
        calls, mood = memory
        nv = senses.model.nv
        signals = np.zeros((nv, 7))
        signals[:, 0] = mood * np.cos(np.arange(nv))
        torque = 0.01 * np.sin(calls + np.arange(nv))
        alarm = {"next_call": senses.time + self.alarms[int(calls) % len(self.alarms)]} if self.alarms else {}
        return Command(signals, torque=torque, **alarm), np.array([calls + 1.0, np.cos(calls + senses.v[-1])])


def controlled() -> Lives:
    """Controllers in Python, with and without contact, of any period."""
    asked = {"once": Restless(None), "often": Restless(0.0), "fits": Restless(0.01), "odd": Restless(0.0037),
             "short": Restless(0.0007), "alarms": Restless(0.005, (0.0011, 0.0132, 0.0007, 0.0044))}  # fmt: skip
    for body in ("ant", "humanoid", "ref4"):
        for name, controller in asked.items():

            def live(body: str = body, controller: Any = controller) -> str:
                scene = zp.zoo.scene(body)
                described = bare(scene.description) if body == "ref4" else scene.description
                return of_trajectory(zp.World(described, controller=controller, dt=2e-3).simulate(0.5))

            yield f"{body}/{name}", live


def environments() -> Lives:
    """Environments for learning: single ones and several, some of which fall and begin anew."""
    for body, number in (("ant", None), ("ant", 9), ("humanoid", 3), ("walking_ant", None)):

        def live(body: str = body, number: int | None = number) -> str:
            digest = Digest()
            environment = zp.make(body, number)
            digest.add(environment.reset(seed=3)[0])
            shape = environment.action_space.shape
            rng = np.random.default_rng(4)
            for _ in range(60):
                seen, reward, over, cut, _ = environment.step(
                    rng.uniform(-1.0, 1.0, shape).astype(np.float32)
                )
                digest.add(seen, np.asarray(reward, float), np.asarray(over, float), np.asarray(cut, float))
                if number is None and (over or cut):
                    digest.add(environment.reset()[0])
            return str(digest)

        yield f"{body}/{number}", live


# --- random bodies -----------------------------------------------------------------------------------------------


def _turn(rng: np.random.Generator) -> tuple[float, ...]:
    q = rng.normal(size=4)
    return tuple((q / np.linalg.norm(q)).tolist())


def _shape(rng: np.random.Generator, kind: str) -> Any:
    a, b, c = rng.uniform(0.05, 0.12, 3).tolist()
    turned = {"rotation": _turn(rng)} if rng.random() < 0.5 else {}
    return {
        "sphere": lambda: Sphere(radius=a),
        "capsule": lambda: Capsule(radius=0.5 * a, length=2.0 * b, **turned),
        "box": lambda: Box(size=(2.0 * a, 2.0 * b, 2.0 * c), **turned),
        "cylinder": lambda: Cylinder(radius=a, length=2.0 * b, **turned),
        "ellipsoid": lambda: Ellipsoid(semi_axes=(a, b, c), **turned),
        "frustum": lambda: Frustum(radius_start=0.5 * a, radius_end=b, length=2.0 * c, **turned),
        "tapered": lambda: TaperedCapsule(radius_start=0.5 * a, radius_end=0.6 * b, length=2.0 * c, **turned),
        "polyhedron": lambda: Polyhedron(
            vertices=[(-a, -a, -a), (2 * a, -a, -a), (-a, 2 * b, -a), (-a, -a, 2 * c)],
            faces=[(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)],
            **turned,
        ),
    }[kind]()


ALL_SHAPES = ("sphere", "capsule", "box", "cylinder", "ellipsoid", "frustum", "tapered", "polyhedron")


def _joint(rng: np.random.Generator) -> Joint:
    """One that moves, with springs, limits, friction, an actuator and a rotor as it happens."""
    kind = str(rng.choice(["hinge", "hinge", "slide", "ball", "universal", "fixed"]))
    away = rng.normal(size=3)
    fields: dict[str, Any] = {
        "kind": kind,
        "position": tuple((0.28 * away / np.linalg.norm(away)).tolist()),
        "rotation": _turn(rng),
    }
    if kind == "fixed":
        return Joint(**fields)
    dofs = {"hinge": 1, "slide": 1, "universal": 2, "ball": 3}[kind]
    if kind == "universal":
        fields["axes"] = ((1.0, 0.0, 0.0), (0.0, 0.0, 1.0))
    elif kind != "ball":
        axis = rng.normal(size=3)
        fields["axis"] = tuple((axis / np.linalg.norm(axis)).tolist())
    if rng.random() < 0.4 or kind == "ball":
        fields |= {"stiffness": rng.uniform(0.0, 4.0, dofs).tolist(), "damping": 0.05,
                   "rest": rng.uniform(-0.2, 0.2, dofs).tolist()}  # fmt: skip
    if kind != "ball" and rng.random() < 0.6:
        reach = 0.6 if kind != "slide" else 0.05
        fields["limits"] = [(-reach, 0.7 * reach)] * dofs
        if rng.random() < 0.4:
            fields |= {"limit_stiffness": 40.0, "limit_damping": 0.4}
    if kind != "ball" and rng.random() < 0.3:
        fields["friction"] = float(rng.uniform(0.01, 0.1))
    if rng.random() < 0.3:
        fields["armature"] = float(rng.uniform(0.001, 0.01))
    chosen = rng.integers(5)
    if chosen == 0:
        fields["actuator"] = Motor(strength=float(rng.uniform(0.3, 1.5)), max_speed=20.0)
    elif chosen <= 2:
        weak = {"max_force": 1.0} if chosen == 2 and kind in ("hinge", "slide") else {}
        fields["actuator"] = Servo(stiffness=float(rng.uniform(2.0, 20.0)), damping=0.2, **weak)
    elif chosen == 3 and rng.random() < 0.5:
        fields["driven"] = True
        fields.pop("limits", None), fields.pop("friction", None)
        fields.pop("limit_stiffness", None), fields.pop("limit_damping", None)
    return Joint(**fields)


def random_body(seed: int, *, most: int = 8) -> Description:
    """Trees above the ground: every kind of joint and shape, surfaces, and constraints.

    Even seeds touch themselves and each other, and have only shapes that can; odd ones are one tree of any shapes.
    """
    rng = np.random.default_rng([seed, 77])
    social = seed % 2 == 0
    kinds = MEETING if social else ALL_SHAPES
    bodies: list[Body] = []
    roots: list[str] = []
    for number in range(int(rng.integers(1, most))):
        name = f"b{number}"
        if number == 0 or (social and rng.random() < 0.25):
            x, y = rng.uniform(-0.1, 0.1, 2).tolist()
            place = (*_turn(rng), x + 0.9 * len(roots), y, 0.25 + 0.2 * float(rng.random()))
            joint, parent = Joint(kind="free", initial=place), "ground"
            roots.append(name)
        else:
            joint, parent = _joint(rng), f"b{int(rng.integers(number))}"
        weight: dict[str, Any] = {"shapes": [_shape(rng, str(rng.choice(kinds)))]}
        if rng.random() < 0.1:
            mass = float(rng.uniform(0.5, 2.0))
            weight["mass"] = MassProperties(mass=mass, com=(0.01, 0.0, 0.02), inertia=(0.01, 0.012, 0.009))
        bodies.append(Body(name=name, parent=parent, joint=joint, **weight))
    constraints: list[Any] = []
    if seed % 3 == 0:
        bodies.append(Body(name="post", joint=Joint(kind="fixed", position=(0.0, 0.8, 0.5))))
        constraints.append(Attach(body="b0", other="post", stiffness=30.0, damping=0.5, break_length=1.1))
        if len(roots) > 1:
            held = Connect if seed % 2 else Weld
            constraints.append(held(body=roots[1], other=roots[0]))
    surface = Surface(
        friction=float(rng.uniform(0.1, 1.2)), restitution=float(rng.uniform(0.2, 0.8)) if rng.random() < 0.4 else 0.0,
        rolling=0.002 if rng.random() < 0.3 else 0.0, torsion=0.002 if rng.random() < 0.3 else 0.0,
        friction_across=0.3 if rng.random() < 0.2 else None, adhesion=0.5 if rng.random() < 0.1 else 0.0,
    )  # fmt: skip
    pairs = [Pair(bodies=("b0", "ground"), friction=0.5, restitution=0.3)] if seed % 7 == 0 else []
    return Description(
        name=f"random{seed}", bodies=bodies, surface=surface, constraints=constraints, pairs=pairs, self_contact=social
    )  # fmt: skip


def random_habitat(seed: int) -> Any:
    """A plane, or terrain of several kinds; empty space, air or water."""
    grounds: list[Callable[[], Any]] = [
        lambda: zp.Plane(), lambda: zp.Terrain.bumps(seed=seed, height=0.1, length=0.3, spacing=0.05),
        lambda: zp.Terrain.slope(0.2), lambda: zp.Terrain.steps(4, rise=0.03, run=0.3, start=0.1),
    ]  # fmt: skip
    chosen = (seed // 2) % 6
    ground = grounds[chosen]() if chosen < len(grounds) else zp.Plane()
    media = [
        None,
        None,
        Medium(density=1.2, viscosity=1.8e-5, wind=(3.0, 1.0, 0.0)),
        Medium(density=1000.0, viscosity=1e-3),
    ]
    return zp.Habitat(ground=ground, medium=media[3 if seed % 8 == 3 else seed % 3])


def random_controller(model: Any, seed: int) -> Any:
    """Sines, a table, or a constant, on whatever has an actuator or is driven; nothing for a quarter of them."""
    moving = [
        body.name
        for body in model.description.bodies
        if body.joint.kind in ("hinge", "slide") and (body.joint.actuator or body.joint.driven)
    ]
    if not moving or seed % 4 == 0:
        return None
    if seed % 4 == 1:
        return Sine(dict.fromkeys(moving, 0.3), frequency=1.0 + 0.1 * (seed % 10))
    if seed % 4 == 2:
        rng = np.random.default_rng([seed, 78])
        return Table({name: 0.3 * rng.normal(size=24) for name in moving}, rate=20.0)
    return Hold(dict.fromkeys(moving, 0.2))


def lifted(model: Any, height: float, seed: int) -> Any:
    """A start above where it was described, with some speed."""
    state = zp.State.neutral(model)
    q, at = state.q.copy(), 0
    for body in model.description.bodies:
        if body.joint.kind == "free":
            q[at + 6] += height
        at += body.joint.coordinate_count
    return state.at(q, 0.5 * np.random.default_rng([seed, 79]).normal(size=model.nv))


def contact() -> Lives:
    """Random bodies fall on the ground and on each other."""
    for seed in range(BODIES):

        def live(seed: int = seed) -> str:
            model, habitat = zp.compile(random_body(seed)), random_habitat(seed)
            start = lifted(model, 0.3 * (seed % 4), seed)
            world = zp.World(
                model, habitat, random_controller(model, seed), dt=2e-3, overlap="resolve",
                integrator="semi_implicit" if seed % 5 == 4 else "auto",
            )  # fmt: skip
            return of_trajectory(world.simulate(BODY_STEPS * 2e-3, start))

        yield f"random{seed}", live


def integrators() -> Lives:
    """Bodies that touch nothing, with each integrator, in space, air and water."""
    for integrator in INTEGRATORS:
        for seed in range(8):

            def live(integrator: str = integrator, seed: int = seed) -> str:
                model = zp.compile(bare(random_body(1000 + seed)))
                start = zp.State.neutral(model).at(v=np.random.default_rng(seed).normal(size=model.nv))
                world = zp.World(
                    model, random_habitat(seed), random_controller(model, seed), dt=1e-3, integrator=integrator
                )  # fmt: skip
                return of_trajectory(world.simulate(0.2, start))

            yield f"{integrator}/{seed}", live


# --- herds -------------------------------------------------------------------------------------------------------


def _herd(
    bodies: list[Any], seeds: list[int], controllers: list[Any], habitat: Any, height: float, **options: Any
) -> Lives:  # fmt: skip
    told: list[str] = []

    def all_of_them() -> None:
        if not told:
            herd = Herd(bodies, habitat, controllers, dt=5e-3, **options)
            states = [lifted(model, height, seed) for model, seed in zip(herd.models, seeds, strict=True)]
            told.extend(
                of_life(life)
                for life in herd.simulate(1.0, states, sample_every=0.1, keep=["joints", "contacts"])
            )

    for number, seed in enumerate(seeds):

        def live(number: int = number) -> str:
            all_of_them()
            return told[number]

        yield f"{number}/{seed}", live


def _mixed(**options: Any) -> Lives:
    seeds = list(range(2000, 2040))
    bodies = [zp.compile(random_body(seed)) for seed in seeds]
    controllers = [random_controller(model, seed) for model, seed in zip(bodies, seeds, strict=True)]
    keep = [number for number, one in enumerate(controllers) if _fits(one)]
    yield from _herd(
        [bodies[n] for n in keep], [seeds[n] for n in keep], [controllers[n] for n in keep],
        zp.Habitat(ground=zp.Terrain.bumps(seed=3, height=0.1, length=0.3, spacing=0.05)), 0.7, **options,
    )  # fmt: skip


def _fits(controller: Any) -> bool:
    """Whether a herd's steps hit the times of a controller."""
    return controller is None or hasattr(controller, "life_plan")


def _alike(**options: Any) -> Lives:
    ant = zp.compile(zp.zoo.ant())
    seeds = list(range(20))
    moving = [body.name for body in ant.description.bodies if body.joint.actuator]
    controllers = [Sine(dict.fromkeys(moving, 0.6), frequency=1.0 + 0.1 * seed) for seed in seeds]
    yield from _herd([ant] * len(seeds), seeds, controllers, zp.Habitat(), 0.1, **options)


def herd_groups() -> dict[str, Callable[[], Lives]]:
    """Mixed and uniform registers, both precisions, one thread and two."""
    groups: dict[str, Callable[[], Lives]] = {}
    for make in (_mixed, _alike):
        for dtype in (np.float64, np.float32):
            for workers in (1, 2):
                name = f"herd{make.__name__}_{np.dtype(dtype).name}_{workers}"
                groups[name] = lambda make=make, dtype=dtype, workers=workers: make(
                    dtype=dtype, workers=workers
                )
    return groups


def single() -> Lives:
    """Worlds in float32."""
    for seed in range(8):

        def live(seed: int = seed) -> str:
            model = zp.compile(random_body(2000 + seed))
            world = zp.World(model, controller=random_controller(model, seed), dt=5e-3, dtype=np.float32)
            return of_trajectory(world.simulate(0.75, lifted(model, 0.7, seed)))

        yield f"random{2000 + seed}", live


# --- evolution, interpreter --------------------------------------------------------------------------------------


def evolved() -> Lives:
    """Two generations of few of each kind of genome; one life is one individual."""
    for genome, options in GENOMES.items():
        runs: list[Any] = []

        def run(genome: str = genome, options: Any = options, runs: list[Any] = runs) -> Any:
            if not runs:
                runs.append(
                    zp.evolve(
                        "walk", genome=genome.split("/")[0], population=8, generations=2, seed=5, workers=1,
                        task_settings=EVOLVED, **options,
                    )
                )  # fmt: skip
            return list(runs[0].store.rows(genomes=True))

        for number in range(16):

            def live(number: int = number, run: Callable[[], Any] = run) -> str:
                rows, digest = run(), Digest()
                if number < len(rows):
                    row = rows[number]
                    digest.add(row.number, row.generation, row.parents, row.operator, row.score, row.genome)
                return str(digest)

            yield f"{genome}/{number}", live


def interpreted() -> Lives:
    """A child without Numba lives the first steps of a few."""
    found: dict[str, str] = {}

    def child() -> dict[str, str]:
        if not found:
            told = subprocess.run(
                [sys.executable, __file__], capture_output=True, text=True, check=False,
                env={**os.environ, "NUMBA_DISABLE_JIT": "1", INTERPRETED: "1"},
            )  # fmt: skip
            if told.returncode:
                raise SystemExit(f"the interpreter failed:\n{told.stderr}")
            found.update(json.loads(told.stdout.splitlines()[-1]))
        return found

    for name in interpreted_lives():
        yield name, lambda name=name: child()[name]


def interpreted_lives() -> dict[str, Callable[[], str]]:
    """Few steps each."""

    def short(description: Description, steps: int, **options: Any) -> str:
        world = zp.World(description, **{"dt": 2e-3, **options})
        state = zp.State.neutral(world.model)
        return of_trajectory(
            world.simulate(steps * world.dt, state.at(v=0.1 * np.cos(np.arange(world.model.nv))))
        )

    lives: dict[str, Callable[[], str]] = {
        "ant": lambda: short(zp.zoo.ant(), 100),
        "ragdoll": lambda: short(zp.zoo.ragdoll(), 20),
        "four_bar": lambda: short(zp.zoo.four_bar(), 50),
        "rolling_ball": lambda: short(zp.zoo.rolling_ball(), 100),
    }
    for integrator in INTEGRATORS:
        lives[integrator] = lambda integrator=integrator: short(
            bare(random_body(1003)), 50, integrator=integrator
        )
    for seed in (1, 2, 7):
        lives[f"random{seed}"] = lambda seed=seed: short(
            random_body(seed), 60, overlap="resolve", habitat=random_habitat(seed)
        )
    return lives


# --- the whole ---------------------------------------------------------------------------------------------------


def compiled() -> Lives:
    """The same few, compiled: their hashes are those of the interpreter."""
    yield from interpreted_lives().items()


def groups() -> dict[str, Callable[[], Lives]]:
    """By name."""
    return {
        "zoo": zoo, "zoo_bare": zoo_bare, "zoo_cut": zoo_cut, "sleep": sleep, "creatures": creatures,
        "controlled": controlled, "environments": environments, "contact": contact, "integrators": integrators,
        **herd_groups(), "single": single, "evolved": evolved, "compiled": compiled, "interpreted": interpreted,
    }  # fmt: skip


def told(live: Callable[[], str]) -> str:
    """The hash of a life, or what it was refused with."""
    try:
        return live()
    except zp.ZoophyteError as refused:  # whose words may be mended
        if os.environ.get(LOUD):
            print(f"{type(refused).__name__}: {refused}", file=sys.stderr)  # noqa: T201
        return f"refused with {type(refused).__name__}"


def hashed(words: Any) -> str:
    """One hash of several."""
    digest = Digest()
    digest.add(*words)
    return str(digest)


def differences(now: dict[str, dict[str, str]], then: dict[str, dict[str, str]]) -> list[str]:
    """Groups and lives that are not the same, in those groups that were asked for now."""
    lines = []
    for group, lives in now.items():
        before = then.get(group)
        if before is None:
            lines.append(f"{group}: was not there before")
            continue
        unlike = [name for name in {**before, **lives} if before.get(name) != lives.get(name)]
        deep = [n for n in unlike if before.get(n, "").split(INNER)[0] != lives.get(n, "").split(INNER)[0]]
        layout = [name for name in unlike if name not in deep]
        if deep:
            lines.append(f"{group}: {len(deep)} of {len(lives)} differ: {' '.join(deep)}")
        if layout:
            lines.append(
                f"{group}: {len(layout)} of {len(lives)} move alike but lay contacts out otherwise: {' '.join(layout)}"
            )
    return lines


def main() -> int:
    """Read the command line."""
    warnings.simplefilter("ignore")
    if os.environ.get(INTERPRETED):
        print(json.dumps({name: told(live) for name, live in interpreted_lives().items()}))  # noqa: T201
        return 0
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument(
        "--only", nargs="+", choices=sorted(groups()), metavar="GROUP", help="of: %(choices)s"
    )
    parser.add_argument("--out", type=Path, help="where to keep the hash of every life (JSON)")
    parser.add_argument(
        "--against", type=Path, help="a file that --out wrote: list what differs; exit status 1 if so"
    )
    given = parser.parse_args()
    print(f"zoophyte of {Path(zp.__file__).parent}", flush=True)  # noqa: T201
    now: dict[str, dict[str, str]] = {}
    for group, lives in groups().items():
        if given.only and group not in given.only:
            continue
        begin = time.perf_counter()
        now[group] = {name: told(live) for name, live in lives()}
        refused = sum(1 for word in now[group].values() if word.startswith("refused"))
        print(  # noqa: T201
            f"{group:24} {hashed(sorted(now[group].items()))}  {len(now[group]):4} lives, {refused} refused, "
            f"{time.perf_counter() - begin:.1f} s",
            flush=True,
        )
    if {"compiled", "interpreted"} <= now.keys() and now["compiled"] != now["interpreted"]:
        print("the interpreter makes other bits than the compiler")  # noqa: T201
    print(f"{'total':24} {hashed(sorted((g, n, h) for g, lives in now.items() for n, h in lives.items()))}")  # noqa: T201
    if given.out is not None:
        given.out.write_text(json.dumps(now, indent=1) + "\n", encoding="utf-8")
    if given.against is None:
        return 0
    unlike = differences(now, json.loads(given.against.read_text(encoding="utf-8")))
    print("\n".join(unlike) or "all bits are equal")  # noqa: T201
    return 1 if unlike else 0


if __name__ == "__main__":
    sys.exit(main())
