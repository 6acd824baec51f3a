"""Whole lives on a GPU: what is measured, and how it is compared with the CPU first."""

from __future__ import annotations

import json
import multiprocessing
import os
import time
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from zoophyte.bench.contact.creatures import SWEEPS
from zoophyte.bench.herd.boxes import SECONDS, box_body, box_genome, sampled_sines
from zoophyte.control import Table
from zoophyte.description import Description
from zoophyte.model import Model
from zoophyte.model import compile as compile_model
from zoophyte.simulation.habitat import Habitat
from zoophyte.simulation.herd.herd import Herd
from zoophyte.simulation.herd.nursery import Nursery
from zoophyte.simulation.living.life import Life

DT = 0.005
SETTLE = 1.0
FEW_MODELS = 512
"""So many are made by one process."""
HUMANOID = "ZOOPHYTE_HUMANOID"
"""Variable of the environment that names a file with the description of the humanoid, where MuJoCo's is not installed."""
ROUNDS = 3
"""How often everything is measured; the fastest counts."""
RATE, TABLE_ROWS = 10.0, 100
"""Of the random commands of ants and humanoids: drawn so many times a second, and held [Hz]."""
WORKLOADS: dict[str, dict[str, Any]] = {
    "boxes-8192": {"body": "boxes", "creatures": 8192},
    "humanoids-8192": {"body": "humanoid", "creatures": 8192},
    "ants-8192": {"body": "ant", "creatures": 8192},
    "boxes-65536": {"body": "boxes", "creatures": 65536, "copies": 64},
    "humanoids-65536": {"body": "humanoid", "creatures": 65536, "copies": 64},
    "boxes-8192-30-sweeps": {"body": "boxes", "creatures": 8192, "copies": 8, "sweeps": 30},
}
"""Name → what lives: which bodies, how many, sweeps in a step at most (as in the benchmarks of one core, if left out).

Box creatures all differ, and so do the commands of ants and humanoids.  Where there are copies, they are other warps.
"""


def random_table(model: Model, number: int) -> Table:
    """Random commands of all joints behind the free root; others for each number."""
    samples = np.zeros((TABLE_ROWS, model.nv))
    samples[:, 6:] = np.random.default_rng((number, 1)).uniform(-1.0, 1.0, (TABLE_ROWS, model.nv - 6))
    return Table(samples, rate=RATE, interpolation="hold")


@cache
def _shared_model(body: str) -> Model:
    """Of an ant or a humanoid: many creatures share it."""
    if body == "ant":
        from zoophyte.zoo.walkers import ant

        return compile_model(ant())
    path = os.environ.get(HUMANOID)
    if path is not None:
        return compile_model(Description.model_validate(json.loads(Path(path).read_text(encoding="utf-8"))))
    from zoophyte.bench.contact import scenes

    text = scenes.humanoid_on_a_floor()
    if text is None:
        raise FileNotFoundError("MuJoCo's humanoid is not installed: pip install --no-deps mujoco-mjx")
    return compile_model(scenes.description_of(text))


def genotype(body: str, seed: int) -> tuple[str, Any]:
    """The kind of a body, and the boxes of a box creature; the seed of the commands of others."""
    return body, box_genome(seed) if body == "boxes" else seed


def size(genotype: tuple[str, Any]) -> float:
    """How many boxes a box creature has; others are all alike."""
    body, genome = genotype
    return len(genome) if body == "boxes" else 1.0


def develop(genotype: tuple[str, Any]) -> tuple[Any, Any]:
    """Body and controller of a genotype."""
    body, genome = genotype
    if body == "boxes":
        model = compile_model(box_body(genome, "boxes"))
        return model, sampled_sines(model)
    return _shared_model(body), random_table(_shared_model(body), genome)


def population(body: str, creatures: int) -> tuple[list[Model], list[Any]]:
    """Models and controllers, all different, made by all processors."""
    genotypes = [genotype(body, seed) for seed in range(creatures)]
    if body != "boxes" or creatures < FEW_MODELS:
        made = list(map(develop, genotypes))
    else:
        with ProcessPoolExecutor(mp_context=multiprocessing.get_context("spawn")) as pool:
            made = list(pool.map(develop, genotypes, chunksize=64))
    return [model for model, _ in made], [controller for _, controller in made]


def measure(name: str) -> tuple[dict[str, Any], list[Any]]:
    """One workload, 2 000 steps: figures with all that is needed and of the device alone; and what is told of lives."""
    from zoophyte.numbers.cuda import require_device
    from zoophyte.physics.cuda.lives import lanes_for, launcher, team_size
    from zoophyte.simulation.herd.crowd import Crowd
    from zoophyte.simulation.herd.device import OnDevice

    cuda = require_device()
    asked = dict(WORKLOADS[name])
    copies, sweeps = asked.get("copies", 1), asked.get("sweeps", SWEEPS)
    body, creatures = asked["body"], asked["creatures"] // copies
    everything, told = _everything(body, creatures, sweeps) if copies == 1 else ({}, [])
    models, controllers = population(body, creatures)
    herd = Herd(models, Habitat(), controllers, dt=DT, sweeps=sweeps, device="cuda")
    herd.lanes = lanes_for(asked["creatures"])
    kernel = launcher(herd.lanes)
    terms = herd.terms(SECONDS, None, None, SETTLE, 1.0, 0.05)
    crowd = Crowd(herd, [None] * creatures, terms)
    start = time.perf_counter()
    device = OnDevice(crowd.packed, copies)
    device.live(terms.steps)
    data, depths = device.numbers()
    device_s = time.perf_counter() - start
    lives = crowd.read(data, depths, keep_final=False)
    steps = copies * sum(round(life.status.time / DT) for life in lives)
    name_of = getattr(cuda.get_current_device(), "name", "simulator")
    if told:
        everything["million_steps_per_s_all"] = round(steps / everything["all_s"] / 1e6, 3)
        everything["as_in_a_herd"] = float(
            np.mean([a[:2] == b[:2] for a, b in zip(told, summary(lives), strict=True)])
        )
    figures = {
        "workload": name, "creatures": creatures * copies, "body": body,
        "different_bodies": len({id(model) for model in models}), "copies": copies,
        "device": name_of.decode() if isinstance(name_of, bytes) else str(name_of), "steps": terms.steps,
        "sweeps": sweeps, "threads_per_creature": team_size(herd.lanes), "registers": kernel.registers,
        "local_bytes": kernel.local_bytes,
        "device_memory_gb": round(4e-9 * copies * float(crowd.packed.sizes[1] + crowd.packed.sizes[2]), 2),
        "device_s": round(device_s, 3), "creature_steps": steps,
        "million_steps_per_s_on_device": round(steps / device_s / 1e6, 2),
        "copies_alike": device.alike if copies > 1 else None, **everything,
        "statuses": _counted(lives),
    }  # fmt: skip
    return figures, told


def _everything(body: str, creatures: int, sweeps: int) -> tuple[dict[str, Any], list[Any]]:
    """From genotypes in memory to what is told of lives, by a nursery that has begun to work before; and the latter."""
    genotypes = [genotype(body, seed) for seed in range(creatures)]
    began = time.perf_counter()
    with Nursery(develop, Habitat(), dt=DT, sweeps=sweeps) as nursery:
        nursery.lives(genotypes, DT, judge=tell, size=size)
        started_s = time.perf_counter() - began
        seconds, spent = [], []
        for _ in range(ROUNDS):
            began = time.perf_counter()
            told = nursery.lives(genotypes, SECONDS, settle=SETTLE, judge=tell, size=size)
            seconds.append(time.perf_counter() - began)
            spent.append(nursery.spent)
    best = int(np.argmin(seconds))
    figures = {
        "makers": os.cpu_count(), "first_s": round(started_s, 2), "all_s": round(seconds[best], 3),
        **{name: round(time, 3) for name, time in spent[best].items()},
    }  # fmt: skip
    return figures, told


def _counted(lives: Sequence[Life]) -> dict[str, int]:
    kinds, counts = np.unique([life.status.kind for life in lives], return_counts=True)
    return dict(zip(kinds.tolist(), counts.tolist(), strict=True))


def tell(life: Life) -> list[Any]:
    """Of a life its status, its distance, and where its centre of mass was when it had settled."""
    return [life.status.kind, life.distance, life.com[1].tolist() if len(life.times) > 1 else []]


def summary(lives: Sequence[Life]) -> list[list[Any]]:
    """The same of all lives."""
    return [tell(life) for life in lives]


def on_cpu(count: int) -> list[list[Any]]:
    """The first box creatures on float32 lanes."""
    models, controllers = population("boxes", count)
    herd = Herd(models, Habitat(), controllers, dt=DT, dtype=np.float32, sweeps=SWEEPS)
    return summary(herd.simulate(SECONDS, settle=SETTLE, keep_final=False))


def agreement(ours: list[list[Any]], theirs: list[list[Any]]) -> dict[str, Any]:
    """How lives on the GPU and on the CPU agree."""
    pairs = list(zip(ours, theirs, strict=True))
    born = [(a, b) for a, b in pairs if a[2] and b[2]]
    far = np.array([(a[1], b[1]) for a, b in born])
    early = [np.linalg.norm(np.subtract(a[2], b[2])) for a, b in born]
    return {
        "workload": "agreement", "creatures": len(pairs),
        "equal_statuses": float(np.mean([a[0] == b[0] for a, b in pairs])),
        "median_difference_at_1_s_m": float(np.median(early)),
        "median_difference_of_distance_m": float(np.median(np.abs(far[:, 0] - far[:, 1]))),
        "mean_distance_m": float(far[:, 0].mean()), "mean_distance_on_cpu_m": float(far[:, 1].mean()),
        "correlation_of_distance": float(np.corrcoef(far.T)[0, 1]),
    }  # fmt: skip
