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
from bodies_to_compare import Restless, bare, lifted, random_body, random_controller, random_habitat

import zoophyte as zp
from zoophyte.control import Sine
from zoophyte.description import Description
from zoophyte.evolution import showcase
from zoophyte.simulation.herd import Herd

SECONDS = 1.0
BODIES = 200
BODY_STEPS = 500
LARGEST = 200
"""Bodies of an inhabitant of the zoo that lives all of SECONDS; larger ones live as long as takes as many body-steps."""
INTEGRATORS = ("semi_implicit", "rk4", "rkf45", "implicit", "ros2")
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
    yield from _herd(
        bodies, seeds, controllers,
        zp.Habitat(ground=zp.Terrain.bumps(seed=3, height=0.1, length=0.3, spacing=0.05)), 0.7, **options,
    )  # fmt: skip


def _make_uniform(herd: Any) -> None:
    """Compile the form for like bodies, which herds use where it is at hand; elsewhere few likes go with the unlike."""
    try:
        from zoophyte.physics.entries import compile_ahead

        compile_ahead({herd.form(mixed=False)})
        mixed = any(queue.mixed for queue in herd.queues())
    except (ImportError, AttributeError, TypeError):
        mixed = True
    if mixed:
        print("(likes go with the unlike here: their own form is not asked)", file=sys.stderr)  # noqa: T201


def _alike(**options: Any) -> Lives:
    ant = zp.compile(zp.zoo.ant())
    _make_uniform(Herd([ant], **options))
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
        unlike = [
            name for name in before if before[name] != lives.get(name)
        ]  # new ones have nothing to be equal to
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
