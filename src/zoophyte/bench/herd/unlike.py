"""Herds of bodies that all differ: from descriptions to distances, compilation included, on one thread and on two."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from zoophyte.bench.contact import mujoco
from zoophyte.bench.contact.duel import guarded
from zoophyte.bench.contact.sides import timed
from zoophyte.bench.dynamics import isa_factor
from zoophyte.bench.harness import Quality, Row, benchmark
from zoophyte.bench.herd import boxes
from zoophyte.bench.herd.sides import PRECISIONS, TRUSTED, Flock, HerdSide, MeanWatch
from zoophyte.description import Description, Surface
from zoophyte.export.mjcf import mjcf_of
from zoophyte.model import Model, State
from zoophyte.model import compile as compile_model
from zoophyte.model.model import Floats
from zoophyte.simulation import Habitat
from zoophyte.simulation.herd import Herd

DT = 0.005
TICK_STEPS = round(boxes.TICK / DT)
HABITAT = Habitat(surface=Surface(friction=1.0))
SWEEPS, SELF_SWEEPS = 4, 8
"""Sweeps of the box creatures' solves, on the ground alone and with self-contact: `docs/concepts/herd.md` says how they were
chosen."""
CORRELATION = 0.6
"""Of the ranks of distances on both sides, at least. Chaos sets the limit: MuJoCo against itself, with another friction
cone, gives 0.7 to 0.9."""


@dataclass(frozen=True)
class Effort:
    """How long a benchmark takes; tests make it small.

    Args:
        count: creatures.
        seconds: of every life.
        rounds: of each side, in turns; the fastest counts.
        watched: how many are watched on both sides.
        rest: steps after the last command until they should lie still.
        standing: steps of lying still that are watched.
        sweeps: of our solver.
        precisions: in each of which our side lives.
    """

    count: int = boxes.COUNT
    seconds: float = boxes.SECONDS
    rounds: int = 3
    watched: int = 40
    rest: int = 6000
    standing: int = 2000
    sweeps: int = SWEEPS
    precisions: tuple[Any, ...] = PRECISIONS


def our_distances(
    bodies: Sequence[Description], seconds: float, *, sweeps: int = SWEEPS, workers: int = 1, dtype: Any = np.float64
) -> Floats:  # fmt: skip
    """How far each goes, from its description on [m]."""
    return distances(herd_of([compile_model(body) for body in bodies], sweeps, workers, dtype), seconds)


def herd_of(models: Sequence[Model], sweeps: int = SWEEPS, workers: int = 1, dtype: Any = np.float64) -> Herd:
    """A herd of compiled box creatures."""
    controllers = [boxes.sampled_sines(model) for model in models]
    return Herd(models, HABITAT, controllers, dt=DT, workers=workers, sweeps=sweeps, dtype=dtype)


def distances(herd: Herd, seconds: float) -> Floats:
    """How far each goes [m]."""
    lives = herd.simulate(seconds, guards=TRUSTED, sample_every=seconds, keep_final=False)
    return np.array([life.distance if life.status.kind == "ended" else np.nan for life in lives])


def peer_texts(bodies: Sequence[Description]) -> list[str]:
    """The same bodies as MJCF."""
    return [mjcf_of(body, timestep=DT, habitat=HABITAT) for body in bodies]


def peer_distances(texts: Sequence[str], seconds: float, *, elliptic: bool = False) -> Floats:
    """How far each goes in MuJoCo, from its text on [m]."""
    import mujoco as program

    ticks = round(seconds / boxes.TICK)
    found = np.zeros(len(texts))
    for n, text in enumerate(texts):
        model = program.MjModel.from_xml_string(text)
        if elliptic:
            model.opt.cone = program.mjtCone.mjCONE_ELLIPTIC
        data = program.MjData(model)
        program.mj_resetDataKeyframe(model, data, 0)
        before = _centre(model, data)
        phases = np.arange(model.nu)
        for k in range(ticks):
            data.ctrl[:] = np.sin(2.0 * np.pi * boxes.TICK * k + phases)
            program.mj_step(model, data, TICK_STEPS)
        way = _centre(model, data) - before
        failed = int(data.warning[program.mjtWarning.mjWARN_BADQACC].number)
        found[n] = np.nan if failed else float(np.hypot(way[0], way[1]))
    return found


def _centre(model: Any, data: Any) -> Floats:
    """Centre of mass of the creature now."""
    import mujoco as program

    program.mj_kinematics(model, data)
    program.mj_comPos(model, data)
    return np.array(data.subtree_com[1])


def rank_correlation(a: Floats, b: Floats) -> float:
    """Spearman's; no two distances are equal."""
    ranks = np.argsort(np.argsort(a)), np.argsort(np.argsort(b))
    return float(np.corrcoef(*ranks)[0, 1])


def qualities(bodies: Sequence[Description], effort: Effort) -> list[Quality]:
    """How well contact holds while the hinges swing, and after the last command: ours in each precision, then MuJoCo's."""
    import mujoco as program

    models, texts = [compile_model(body) for body in bodies], peer_texts(bodies)
    theirs = [program.MjModel.from_xml_string(text) for text in texts]
    twins = [mujoco.Twin(model, their) for model, their in zip(models, theirs, strict=True)]
    states = [State.neutral(model) for model in models]
    begin = [twin.there(state.q, state.v) for twin, state in zip(twins, states, strict=True)]
    controls = []
    for model, twin in zip(models, twins, strict=True):
        controls.append(twin.controls(boxes.sampled_sines(model).samples[:, :, None]))
    sides: list[Any] = [
        HerdSide(herd_of(models, effort.sweeps, dtype=dtype), twins) for dtype in effort.precisions
    ]
    sides.append(Flock(theirs, begin, controls, period=TICK_STEPS))
    rulers = [
        mujoco.MuJoCoRuler(_with_springs(text, own[-1])) for text, own in zip(texts, controls, strict=True)
    ]
    found = []
    for side in sides:
        watch = MeanWatch(side, rulers, TICK_STEPS)
        watch.drive(round(effort.seconds / DT))
        side.advance(effort.rest)
        found.append(watch.stand(effort.standing, DT))
    return found


def _with_springs(text: str, control: Floats) -> Any:
    """A body in MuJoCo whose servos are springs, pulling to a command that holds: so their energy is counted."""
    import mujoco as program

    model = program.MjModel.from_xml_string(text)
    for actuator, value in enumerate(control):
        joint = model.actuator_trnid[actuator, 0]
        model.jnt_stiffness[joint] = model.actuator_gainprm[actuator, 0]
        model.qpos_spring[model.jnt_qposadr[joint]] = value
    return model


def mixed_rows(
    name: str, words: str, make: Callable[[int], Description], bar: float | None, effort: Effort
) -> Iterator[Row]:
    """Time per creature on both sides, compilation included; ours in each precision.

    Args:
        name: of the benchmark.
        words: what the creatures are.
        make: a creature from its seed.
        bar: ratio to reach, if any.
        effort: how many, how long.
    """
    bodies = [make(seed) for seed in range(effort.count)]
    life = f"{effort.seconds:g} s each at dt 5 ms, {effort.sweeps} sweeps, from description to distance"
    wanted, scale = "" if bar is None else f"≥ {bar:g} per core", 1e3 / effort.count
    workloads = [f"{effort.count} {words}, {life}, {np.dtype(dtype)}" for dtype in effort.precisions]
    ways = [
        partial(our_distances, bodies, effort.seconds, sweeps=effort.sweeps, dtype=dtype)
        for dtype in effort.precisions
    ]
    if not mujoco.available():
        for workload, (seconds, _) in zip(workloads, best_of(ways, effort.rounds), strict=True):
            yield Row(name, workload, seconds * scale, None, mujoco.MISSING, "ms", None, wanted)
        return
    *ours, (other, found) = best_of(
        [*ways, partial(peer_distances, peer_texts(bodies), effort.seconds)], effort.rounds
    )
    *held, watched = qualities(bodies[: effort.watched], effort)
    parts = timed(lambda: [compile_model(body) for body in bodies]) * scale
    peer, theirs = f"{watched.who} from MJCF text", other * scale
    for workload, (seconds, gone), own in zip(workloads, ours, held, strict=True):
        both = np.isfinite(gone) & np.isfinite(found)
        correlation, mine, quality = (
            rank_correlation(gone[both], found[both]),
            seconds * scale,
            (own, watched),
        )
        checked = (
            f"rank correlation of distances {correlation:.2f} over {np.count_nonzero(both)} that lived on both sides, "
            f"medians {np.median(gone[both]):.2f} and {np.median(found[both]):.2f} m; of our time {parts:.2f} ms are "
            "compilation"
        )
        if correlation >= CORRELATION:
            reached = None if bar is None else bool(theirs / mine >= bar)
            yield Row(
                name, workload, mine, theirs, peer, "ms", theirs / mine, wanted, reached, checked, quality
            )
        else:
            reached = None if bar is None else False
            yield Row(name, workload, None, None, peer, "ms", None, wanted, reached, checked, quality)


def best_of(ways: Sequence[Callable[[], Floats]], rounds: int) -> list[tuple[float, Floats]]:
    """Processor time of the fastest round of each, in turns [s], and what it found."""
    best, found = [np.inf] * len(ways), [np.zeros(0)] * len(ways)
    for n in range(rounds + 1):
        for k, way in enumerate(ways):
            begin = time.process_time()
            found[k] = way()
            seconds = time.process_time() - begin
            best[k] = min(best[k], seconds) if n else best[k]  # the first round loads kernels
    return list(zip(best, found, strict=True))


def thread_rows(effort: Effort) -> Iterator[Row]:
    """Wall time of the herd on one thread and on two; with equal results.

    Whatever else runs on the machine takes more from two threads than from one, so there are more rounds than elsewhere.
    """
    bodies = [boxes.box_creature(seed) for seed in range(effort.count)]
    models = [compile_model(body) for body in bodies]
    whole: dict[int, float] = {}
    herd: dict[int, float] = {}
    results = {}
    for n in range(effort.rounds + 1):
        for workers in (1, 2):
            begin = time.perf_counter()
            results[workers] = distances(herd_of(models, workers=workers), effort.seconds)
            middle = time.perf_counter()
            our_distances(bodies, effort.seconds, workers=workers)
            end = time.perf_counter()
            if n:  # the first round loads kernels
                herd[workers] = min(herd.get(workers, np.inf), middle - begin)
                whole[workers] = min(whole.get(workers, np.inf), end - middle)
    same = np.array_equal(results[1], results[2], equal_nan=True)
    checked = "equal distances, bit for bit" if same else "distances DIFFER"
    words = f"{effort.count} box creatures, {effort.seconds:g} s each, on 2 threads"
    for seconds, what, bar in ((herd, "from models on", 1.8), (whole, "from descriptions on", None)):
        gain = seconds[1] / seconds[2]
        yield Row("herd-threads", f"{words}, {what}", seconds[2] if same else None, seconds[1], "ours on 1 thread", "s",
                  gain if same else None, "" if bar is None else f"≥ {bar:g} on two idle cores",
                  None if bar is None else bool(same and gain >= bar), checked)  # fmt: skip


@benchmark("herd-mixed")
def herd_mixed() -> Iterator[Row]:
    """200 different box creatures, from description to distance, per core, against MuJoCo."""
    words = "different creatures of 5 to 12 boxes, no self-contact"
    rows = mixed_rows("herd-mixed", words, boxes.box_creature, 5.0 * isa_factor(), Effort())
    yield from guarded("herd-mixed", rows)


@benchmark("herd-mixed-self")
def herd_mixed_self() -> Iterator[Row]:
    """The same with boxes that do not overlap at birth and touch each other."""
    words = "different creatures of 5 to 12 boxes, with self-contact"
    effort = Effort(sweeps=SELF_SWEEPS)
    rows = mixed_rows("herd-mixed-self", words, boxes.sparse_box_creature, None, effort)
    yield from guarded("herd-mixed-self", rows)


@benchmark("herd-threads")
def herd_threads() -> Iterator[Row]:
    """The creatures of herd-mixed on one thread and on two."""
    yield from guarded("herd-threads", thread_rows(Effort(rounds=8)))
