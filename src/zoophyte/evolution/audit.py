"""The honesty audit: champions are lived again in other ways, because evolution finds and uses every error (ARN-C49).

What a champion achieved is found again with half the step (in float64, whatever the precision of the run), in a World (with
that precision), and in MuJoCo where that is installed.  A fitness that half the step does not give back is an artefact, or
chaos.  The two are told apart by lives that begin a few micrometres higher: where those differ as much among themselves, no
single number means anything, and their means are compared instead.  MuJoCo's figure informs and does not judge: its
contacts rebound and its friction lifts what slides (`docs/concepts/evolution.md`), so that it may give a champion much less
or more, though in the mean of many creatures the two agree.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from zoophyte.errors import UsageError, ZoophyteError
from zoophyte.evolution import mujoco_lives
from zoophyte.evolution.chance import Purpose, generator
from zoophyte.evolution.evaluation.chunks import compiled_models
from zoophyte.evolution.precision import DOUBLE, PRECISIONS, WIDTH
from zoophyte.evolution.protocols import Grown, Individual, Trial, title_of, unit_of
from zoophyte.evolution.report.data import Audited
from zoophyte.evolution.retold import world_life
from zoophyte.evolution.tasks import CommonTask
from zoophyte.simulation.herd import Herd, Life
from zoophyte.zoo.standing import lifted

TOLERANCE = 0.2
"""Change of what was achieved that is borne (ARN-C49)."""
STARTS = 8
"""Lives that begin a little higher."""
NUDGE = 1e-6
"""How much higher, the n-th of them n times as much [m]."""


def audit(
    grown: Grown, task: Any, *, number: int = 0, stage: float = 1.0, seed: int = 0, generation: int = 0,
    peers: bool = True, precision: str = DOUBLE,
) -> Audited:  # fmt: skip
    """Live a champion again in other ways.

    Args:
        grown: the champion.
        task: by which it became one; of several lives the first is taken.
        number: of the individual.
        stage: of the run at which it was judged.
        seed: of the run.
        generation: in which it was judged.
        peers: whether to ask MuJoCo too.
        precision: of the run's lives.
    """
    rng = generator(seed, generation, 0, Purpose.TRIAL)
    trials = list(task.trials(grown, stage, rng))
    if not trials:
        raise UsageError(f"task '{title_of(task)}' gives no life that could be lived again.")
    trial = trials[0]
    usual, lived = _achieved(grown, task, trial, task.dt, precision)
    halved, _ = _achieved(
        grown, task, trial, 0.5 * task.dt, DOUBLE
    )  # who lives on roundings is found out, too
    again = _in_world(task, replace(trial, seconds=lived.status.time), precision)
    in_world = _value(grown, task, trial, again)
    in_mujoco, words = _in_mujoco(grown, task, trial) if peers else (None, "")
    is_exploit, note = _verdict(usual, halved)
    # What they achieved may differ a little: leaps are seen at looks, which may fall on other steps there.
    if not _ends_alike(lived, again):
        is_exploit = True
        note = _joined(note, "the World gives another life: a fault of the simulator")
    return Audited(
        number, usual[0], halved[0], in_world, in_mujoco, is_exploit, _joined(note, words), unit_of(task)
    )


def audit_all(
    individuals: Iterable[Individual], task: Any, *, stage: Callable[[int], float], seed: int, peers: bool = True,
    precision: str = DOUBLE,
) -> list[Audited]:  # fmt: skip
    """Audit several champions of a run.

    Args:
        individuals: with genomes.
        task: of the run.
        stage: at which a generation was judged, by its number.
        seed: of the run.
        peers: whether to ask MuJoCo too.
        precision: of the run's lives.
    """
    return [
        audit(
            one.genome.develop(), task, number=one.number, generation=one.generation, seed=seed, peers=peers,
            stage=stage(one.generation), precision=precision,
        )
        for one in individuals
    ]  # fmt: skip


def _achieved(grown: Grown, task: Any, trial: Trial, dt: float, precision: str) -> tuple[list[float], Life]:
    """What the creature achieves, and what it does when it begins a little higher; and its life."""
    raised = [trial] + [
        replace(trial, description=lifted(trial.description, NUDGE * n)) for n in range(1, STARTS + 1)
    ]
    models = compiled_models(raised, {})
    herd = Herd(
        models, trial.habitat, trial.controller, dt=dt, sweeps=task.sweeps, width=WIDTH,
        dtype=PRECISIONS[precision],
    )  # fmt: skip
    lives = herd.simulate(
        trial.seconds,
        settle=trial.settle,
        stops=trial.stops,
        guards=trial.guards,
        sample_every=trial.sample_every,
        keep=trial.keep,
    )
    values = [_value(grown, task, one, life) for one, life in zip(raised, lives, strict=True)]
    return values, lives[0]


def _value(grown: Grown, task: Any, trial: Trial, life: Life) -> float:
    """What one life has achieved, without the terms that only a herd can tell."""
    if not life.status.is_sound:
        return 0.0
    if isinstance(task, CommonTask) and type(task).measure is not CommonTask.measure:
        return float(task.measure(grown, trial, life))
    return float(task.score(grown, [trial], [life]).fitness)


def _in_world(task: Any, trial: Trial, precision: str) -> Life:
    (model,) = compiled_models([trial], {})
    return world_life(trial, model, task.dt, task.sweeps, precision=precision)


def _in_mujoco(grown: Grown, task: Any, trial: Trial) -> tuple[float | None, str]:
    if not mujoco_lives.available():
        return None, ""
    if trial.keep:
        return None, f"not in MuJoCo, whose lives keep no {' and no '.join(trial.keep)}"
    (model,) = compiled_models([trial], {})
    try:
        life = mujoco_lives.mujoco_life(trial, model, task.dt)
    except (ZoophyteError, ValueError) as failure:  # a body or a command that MuJoCo cannot have
        return None, f"not in MuJoCo: {' '.join(str(failure).split())[:120]}"
    if not life.status.is_sound:
        return None, f"diverges in MuJoCo after {life.status.time:.3g} s"
    driven = any(body.joint.driven for body in trial.description.bodies)
    return _value(grown, task, trial, life), "driven joints swing freely in MuJoCo" * driven


def _verdict(usual: Sequence[float], halved: Sequence[float]) -> tuple[bool, str]:
    """Whether half the step takes away what was achieved, and what there is to say."""
    if _close(halved[0], usual[0], TOLERANCE * abs(usual[0])) and _mean(halved) >= (1.0 - TOLERANCE) * _mean(
        usual
    ):
        return False, ""
    spread = (
        f"begun up to {1e6 * NUDGE * STARTS:.3g} µm higher it gets {min(usual):.3g} to {max(usual):.3g}, "
        f"with half the step {min(halved):.3g} to {max(halved):.3g}"
    )
    if _mean(halved) < (1.0 - TOLERANCE) * _mean(usual):
        return True, f"achieves less with half the step: {spread}"
    if _mean(halved) > (1.0 + TOLERANCE) * _mean(usual):
        return False, f"achieves more with half the step: {spread}"
    return False, f"sensitive to how it begins, the same in the mean: {spread}"


def _ends_alike(one: Life, other: Life) -> bool:
    """Whether two lives ended in one state, bit for bit."""
    if one.final is None or other.final is None:
        return one.final is other.final
    return bool(np.array_equal(one.final.q, other.final.q) and np.array_equal(one.final.v, other.final.v))


def _mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values)


def _close(a: float, b: float, tolerance: float) -> bool:
    return abs(a - b) <= tolerance


def _joined(*words: str) -> str:
    return "; ".join(word for word in words if word)
