"""Whole lives on a GPU: what is measured, and how it is compared with the CPU first."""

from __future__ import annotations

import json
import multiprocessing
import time
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np

from zoophyte.bench.contact.creatures import SWEEPS
from zoophyte.bench.herd.boxes import SECONDS, box_creature, sampled_sines
from zoophyte.control import Table
from zoophyte.description import Description
from zoophyte.model import Model
from zoophyte.model import compile as compile_model
from zoophyte.simulation.habitat import Habitat
from zoophyte.simulation.herd.herd import Herd
from zoophyte.simulation.herd.life import Life

DT = 0.005
SETTLE = 1.0
FEW_MODELS = 512
"""So many are made by one process."""
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


def random_tables(model: Model, count: int, seed: int = 0) -> list[Table]:
    """Random commands of all joints behind the free root, for each of so many creatures others."""
    rng = np.random.default_rng(seed)
    samples = np.zeros((count, TABLE_ROWS, model.nv))
    samples[:, :, 6:] = rng.uniform(-1.0, 1.0, (count, TABLE_ROWS, model.nv - 6))
    return [Table(own, rate=RATE, interpolation="hold") for own in samples]


def _humanoid(path: str | None) -> Description:
    from zoophyte.bench.contact import scenes

    if path is not None:
        return Description.model_validate(json.loads(Path(path).read_text(encoding="utf-8")))
    text = scenes.humanoid_on_a_floor()
    if text is None:
        raise FileNotFoundError("MuJoCo's humanoid is not installed: pip install --no-deps mujoco-mjx")
    return scenes.description_of(text)


def box_model(seed: int) -> Model:
    """One box creature."""
    return compile_model(box_creature(seed))


def box_models(count: int) -> list[Model]:
    """So many, made by all processors."""
    if count < FEW_MODELS:
        return [box_model(seed) for seed in range(count)]
    with ProcessPoolExecutor(mp_context=multiprocessing.get_context("spawn")) as pool:
        return list(pool.map(box_model, range(count), chunksize=64))


def population(body: str, creatures: int, humanoid: str | None = None) -> tuple[list[Model], list[Any]]:
    """Models and controllers, all different."""
    if body == "boxes":
        models = box_models(creatures)
        return models, [sampled_sines(model) for model in models]
    if body == "ant":
        from zoophyte.zoo.walkers import ant

        model = compile_model(ant())
    else:
        model = compile_model(_humanoid(humanoid))
    return [model] * creatures, random_tables(model, creatures)


def measure(name: str, humanoid: str | None = None) -> tuple[dict[str, Any], list[Life]]:
    """One workload, 2 000 steps: figures with all that is needed and of the device's part alone; and the lives."""
    from zoophyte.numbers.cuda import require_device
    from zoophyte.physics.cuda.lives import lanes_for, launcher, team_size
    from zoophyte.simulation.herd.device import Crowd, OnDevice

    cuda = require_device()
    asked = dict(WORKLOADS[name])
    copies = asked.get("copies", 1)
    body, creatures = asked["body"], asked["creatures"] // copies
    began = time.perf_counter()
    lanes = lanes_for(asked["creatures"])
    kernel = launcher(lanes)
    compiled_s = time.perf_counter() - began
    began = time.perf_counter()
    models, controllers = population(body, creatures, humanoid)
    made_s = time.perf_counter() - began
    herd = Herd(models, Habitat(), controllers, dt=DT, sweeps=asked.get("sweeps", SWEEPS), device="cuda")
    herd.lanes = lanes  # which copies count in
    terms = herd.terms(SECONDS, None, None, SETTLE, 1.0, 0.05)
    crowd = Crowd(herd, [None] * creatures, terms)
    packed_s = time.perf_counter() - began - made_s
    start = time.perf_counter()
    device = OnDevice(crowd, copies)
    crowd.turn_away(device.look())
    alike = device.live(terms.steps)
    device_s = time.perf_counter() - start
    lives = crowd.read(keep_final=False)
    all_s = time.perf_counter() - began
    steps = copies * sum(round(life.status.time / DT) for life in lives)
    name_of = getattr(cuda.get_current_device(), "name", "simulator")
    figures = {
        "workload": name, "creatures": creatures * copies, "body": body,
        "different_bodies": len({id(model) for model in models}), "copies": copies,
        "device": name_of.decode() if isinstance(name_of, bytes) else str(name_of), "steps": terms.steps,
        "sweeps": herd.settings.sweeps, "threads_per_creature": team_size(lanes), "registers": kernel.registers,
        "local_bytes": kernel.local_bytes, "compile_s": round(compiled_s, 1),
        "device_memory_gb": round(4e-9 * copies * float(crowd.sizes[1] + crowd.sizes[2]), 2),
        "made_s": round(made_s, 2), "packed_s": round(packed_s, 2), "device_s": round(device_s, 3),
        "all_s": round(all_s, 2) if copies == 1 else None, "creature_steps": steps,
        "million_steps_per_s_on_device": round(steps / device_s / 1e6, 2),
        "million_steps_per_s_all": round(steps / all_s / 1e6, 3) if copies == 1 else None,
        "copies_alike": alike if copies > 1 else None,
        "statuses": _counted(lives),
    }  # fmt: skip
    return figures, lives


def _counted(lives: Sequence[Life]) -> dict[str, int]:
    kinds, counts = np.unique([life.status.kind for life in lives], return_counts=True)
    return dict(zip(kinds.tolist(), counts.tolist(), strict=True))


def summary(lives: Sequence[Life]) -> list[list[Any]]:
    """Of each life its status, its distance, and where its centre of mass was when it had settled."""
    return [
        [life.status.kind, life.distance, life.com[1].tolist() if len(life.times) > 1 else []]
        for life in lives
    ]


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
