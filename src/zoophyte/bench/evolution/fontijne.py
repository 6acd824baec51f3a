"""A run as in Fontijne's thesis, graphs and neurons; and a sample of its creatures in MuJoCo, from text to the last step.

MuJoCo's side gets its commands for nothing: its life is lived once with the neurons in the loop, off the clock, and then
again with the commands that they gave, by the clock.  Ours has its neurons in the kernel, and is timed from genome to score.
"""

from __future__ import annotations

import math
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from zoophyte.bench.contact import mujoco
from zoophyte.bench.contact.duel import guarded
from zoophyte.bench.contact.sides import timed
from zoophyte.bench.dynamics import isa_factor
from zoophyte.bench.evolution.arnold import Lived, timed_run, warm_up
from zoophyte.bench.harness import Row, benchmark
from zoophyte.bench.herd.unlike import CORRELATION, rank_correlation
from zoophyte.control import Command, Controller, Senses
from zoophyte.errors import ZoophyteError
from zoophyte.evolution.chance import Purpose, generator
from zoophyte.evolution.evaluation.chunks import Order, evaluate_timed
from zoophyte.evolution.genomes.graph import Graph
from zoophyte.evolution.mujoco_lives import Twin, mujoco_life
from zoophyte.evolution.precision import DOUBLE, PRECISIONS, SINGLE, WIDTH
from zoophyte.evolution.protocols import Trial
from zoophyte.evolution.retold import CHECK
from zoophyte.evolution.run import Run
from zoophyte.evolution.tasks import make_task
from zoophyte.evolution.wire import unpack
from zoophyte.model import Model
from zoophyte.model import compile as compile_model
from zoophyte.model.model import Floats
from zoophyte.simulation.herd import Herd, Life

NAME, BAR = "evolve-fontijne", 5.0
TASK = "move"
GENERATIONS = 100
THESIS = 5.0
"""CPU seconds of one simulation in the thesis: 30 000 of them are 42 h (FON-E9)."""


@dataclass(frozen=True)
class Effort:
    """How long the benchmark takes; tests make it small.

    Args:
        population: as many are born in every generation.
        generations: that are lived of the 100.
        seconds: of every life [s].
        settle: of it, before anything acts [s].
        workers: threads of the run; the comparison with MuJoCo has one.
        sample: creatures of the run that live in MuJoCo, too; as many as are born in a generation, since how long one takes
            in a herd depends on who else is there.
        rounds: of each side, in turns; the fastest counts.
        correlation: of the ranks of distances on both sides, at least; without it there is no ratio.
        seed: of the run.
        precisions: in each of which our side lives; the sample is of the run in the first.
    """

    population: int = 300
    generations: int = 10
    seconds: float = 15.0
    settle: float = 3.0
    workers: int = 2
    sample: int = 300
    rounds: int = 3
    correlation: float = CORRELATION
    seed: int = 0
    precisions: tuple[str, ...] = (DOUBLE, SINGLE)

    @property
    def task(self) -> dict[str, Any]:
        """Settings of the task."""
        return {"seconds": self.seconds, "settle": self.settle}


# ------------------------------------------------------------------------------------------------------------ both sides


@dataclass
class Scribe:
    """A controller that notes what another says.

    Args:
        inner: the other.
        notes: when it was asked, and its signals.
    """

    inner: Controller
    notes: list[tuple[float, Floats]] = field(default_factory=list)

    @property
    def period(self) -> float | None:
        """Of the other."""
        return self.inner.period

    def begin(self, model: Model) -> Floats:
        """Likewise."""
        return self.inner.begin(model)

    def command(self, senses: Senses, memory: Floats) -> tuple[Command, Floats]:
        """What the other says."""
        command, memory = self.inner.command(senses, memory)
        self.notes.append((senses.time, np.array(command.signals)))
        return command, memory


@dataclass(frozen=True, eq=False)
class Piece:
    """A creature for MuJoCo.

    Args:
        text: its MJCF.
        orders: what its actuators are told, one row for each time that this changes.
        lengths: steps for which each row holds.
        life: with the neurons in the loop.
    """

    text: str
    orders: Floats
    lengths: list[int]
    life: Life

    def play(self) -> Any:
        """Live in MuJoCo, from the text on; its data at the end."""
        import mujoco as program

        model = program.MjModel.from_xml_string(self.text)
        data = program.MjData(model)
        program.mj_resetDataKeyframe(model, data, 0)
        program.mj_forward(model, data)
        for order, steps in zip(self.orders, self.lengths, strict=True):
            data.ctrl[:] = order
            program.mj_step(model, data, steps)
        return data

    def deepest(self, dt: float) -> float:
        """Contact at any look, as a herd looks [m]."""
        import mujoco as program

        model = program.MjModel.from_xml_string(self.text)
        data = program.MjData(model)
        program.mj_resetDataKeyframe(model, data, 0)
        every, step, found = max(1, round(CHECK / dt)), 0, 0.0
        for order, steps in zip(self.orders, self.lengths, strict=True):
            data.ctrl[:] = order
            for _ in range(steps):
                program.mj_step(model, data)
                step += 1
                if step % every == 0 and data.ncon:
                    found = max(found, -float(np.min(data.contact.dist)))
        return found


def piece_of(trial: Trial, model: Model, dt: float) -> Piece | None:
    """A trial for MuJoCo; None where it does not live there to its end.

    Args:
        trial: of our creature.
        model: of it.
        dt: step [s].
    """
    assert trial.controller is not None
    scribe = Scribe(trial.controller)
    try:
        life = mujoco_life(
            replace(trial, controller=scribe), model, dt, implicit=False
        )  # as the text is played
    except (ZoophyteError, ValueError):
        return None
    if not life.status.is_sound or not scribe.notes:
        return None
    twin = Twin(trial, model, dt, implicit=False)
    steps = math.ceil(trial.seconds / dt - 1e-6)
    orders, at = np.zeros((steps, twin.there.nu)), 0
    for step in range(steps):
        while at + 1 < len(scribe.notes) and scribe.notes[at + 1][0] <= step * dt + 1e-12:
            at += 1
        orders[step] = twin.controls(scribe.notes[at][1], (step + 1) * dt)
    changes = [0, *(1 + np.flatnonzero(np.any(orders[1:] != orders[:-1], axis=1))), steps]
    return Piece(twin.text, orders[changes[:-1]], [int(n) for n in np.diff(changes)], life)


@dataclass(frozen=True, eq=False)
class Sample:
    """Creatures that live on both sides.

    Args:
        order: for our side.
        lives: on our side, in each precision.
        pieces: for MuJoCo.
        links: mean number of links.
    """

    order: Order
    lives: dict[str, list[Life]]
    pieces: list[Piece]
    links: float

    def ours(self, precision: str = DOUBLE) -> None:
        """From genomes to scores."""
        evaluate_timed(replace(self.order, precision=precision))

    def theirs(self) -> None:
        """From texts to the last step."""
        for piece in self.pieces:
            piece.play()


def sample_of(run: Run, effort: Effort) -> Sample:
    """Creatures from all generations of a run that move by joints and live to their end on both sides, on the ground only.

    Args:
        run: of graph creatures.
        effort: how many.
    """
    breed, task = Graph(self_contact=False), make_task(TASK, **effort.task)
    found = run.store.rows("fitness >= 0 AND status = 'ended'", genomes=True)
    step = max(1, len(found) // (2 * effort.sample))
    trials, genomes = [], []
    for row in found[::step]:
        grown = breed.restore(unpack(row.genome)).develop()
        if len(grown.description.bodies) > 1:
            rng = generator(effort.seed, 0, 0, Purpose.TRIAL)
            trials.append(task.trials(grown, 1.0, rng)[0])
            genomes.append(row.genome)
    models = [compile_model(trial.description) for trial in trials]
    everyone = {precision: _lives(trials, models, task, precision) for precision in effort.precisions}
    chosen: list[tuple[int, Piece]] = []
    for n, (trial, model) in enumerate(zip(trials, models, strict=True)):
        sound = all(lives[n].status.kind == "ended" for lives in everyone.values())
        piece = piece_of(trial, model, task.dt) if sound else None
        if piece is not None:
            chosen.append((n, piece))
        if len(chosen) == effort.sample:
            break
    order = Order(
        breed, task, 1.0, effort.seed, 0, tuple(range(len(chosen))), tuple(genomes[n] for n, _ in chosen)
    )
    links = float(np.mean([len(models[n].links.mass) for n, _ in chosen])) if chosen else math.nan
    kept = {precision: [lives[n] for n, _ in chosen] for precision, lives in everyone.items()}
    return Sample(order, kept, [piece for _, piece in chosen], links)


def _lives(trials: Sequence[Trial], models: Sequence[Model], task: Any, precision: str) -> list[Life]:
    controllers, first = [trial.controller for trial in trials], trials[0]
    herd = Herd(
        models, first.habitat, controllers, dt=task.dt, sweeps=task.sweeps, width=WIDTH, dtype=PRECISIONS[precision]
    )  # fmt: skip
    return herd.simulate(
        first.seconds, settle=first.settle, guards=first.guards, sample_every=first.sample_every
    )


# ------------------------------------------------------------------------------------------------------------------ rows


def fontijne_rows(effort: Effort) -> Iterator[Row]:
    """The run against the thesis, in each precision; then creatures of the first of these runs against MuJoCo."""
    with ExitStack() as left:
        runs = []
        for precision in effort.precisions:
            warm_up("graph", workers=effort.workers, precision=precision)
            folder = Path(left.enter_context(tempfile.TemporaryDirectory()))
            run, lived = timed_run(
                TASK, folder, genome="graph", population=effort.population, generations=effort.generations,
                seed=effort.seed, workers=effort.workers, task_settings=effort.task, precision=precision,
            )  # fmt: skip
            left.callback(run.close)
            runs.append(run)
            yield _thesis_row(effort, lived, precision)
        yield from _mujoco_rows(runs[0], effort)


def _thesis_row(effort: Effort, lived: Lived, precision: str) -> Row:
    whole = GENERATIONS / effort.generations
    workload = (
        f"graph creatures with neurons move along x: population {effort.population}, {GENERATIONS} generations, "
        f"{effort.seconds:g} s lives, self-contact, {effort.workers} threads, {_words(precision)}, wall time; "
        f"{effort.generations} generations were lived, and their time taken {whole:.3g} times"
    )
    checked = (
        f"best of the first generation {lived.first:.3g} m, of the last {lived.last:.3g} m; {lived.faulty} of "
        f"{lived.lives} lives faulty; {1e3 * lived.cpu / lived.lives:.3g} ms of CPU time per life"
    )
    thesis = THESIS * lived.lives * whole
    peer = f"the thesis in one process, {THESIS:g} s per life (FON-E9)"
    ours = lived.wall * whole
    return Row(NAME, workload, ours, thesis, peer, "s", thesis / ours, checked=checked)


def _words(precision: str) -> str:
    """The numbers of a precision, as rows call them."""
    return str(np.dtype(PRECISIONS[precision]))


def _mujoco_rows(run: Run, effort: Effort) -> Iterator[Row]:
    bar = BAR * isa_factor()
    words = f"creatures of that run, {effort.seconds:g} s each at dt 5 ms, ground contact only, per core"
    wanted = f"≥ {bar:g}"
    if not mujoco.available():
        yield Row(NAME, words, None, None, mujoco.MISSING, "ms", None, wanted)
        return
    import mujoco as program

    sample = sample_of(run, effort)
    count = len(sample.pieces)
    peer = f"MuJoCo {program.__version__}, from MJCF text, commands known before"
    if count < 2:
        yield Row(NAME, words, None, None, peer, "ms", None, wanted, False, "none lived on both sides")
        return
    sides: list[Callable[[], None]] = [
        *(partial(sample.ours, each) for each in effort.precisions),
        sample.theirs,
    ]
    *ours, theirs = (1e3 * seconds / count for seconds in _fastest(sides, effort.rounds))
    for precision, mine in zip(effort.precisions, ours, strict=True):
        workload = f"{count} {words}; ours from genome to score with neurons, {_words(precision)}"
        correlation, told = _compared(sample, precision)
        if correlation >= effort.correlation:
            ratio = theirs / mine
            yield Row(NAME, workload, mine, theirs, peer, "ms", ratio, wanted, bool(ratio >= bar), told)
        else:
            yield Row(NAME, workload, None, None, peer, "ms", None, wanted, False, told)


def _fastest(sides: Sequence[Callable[[], None]], rounds: int) -> list[float]:
    """Processor time of the fastest round of each side, in turns [s]; the first round loads kernels."""
    return [
        min(each[1:])
        for each in zip(*([timed(side) for side in sides] for _ in range(rounds + 1)), strict=True)
    ]


def _compared(sample: Sample, precision: str) -> tuple[float, str]:
    """How alike the lives on both sides were: the rank correlation of distances; and all there is to say."""
    dt, lives = sample.order.task.dt, sample.lives[precision]
    ours = np.array([life.distance for life in lives])
    theirs = np.array([piece.life.distance for piece in sample.pieces])
    depths = [life.deepest for life in lives], [piece.deepest(dt) for piece in sample.pieces]
    correlation = rank_correlation(ours, theirs)
    return correlation, (
        f"{sample.links:.3g} links in the mean; rank correlation of distances {correlation:.2f}, medians "
        f"{np.median(ours):.2g} and {np.median(theirs):.2g} m; deepest contact of a life, median: "
        f"{1e3 * np.median(depths[0]):.2g} and {1e3 * np.median(depths[1]):.2g} mm, greatest: "
        f"{1e3 * max(depths[0]):.2g} and {1e3 * max(depths[1]):.2g} mm"
    )


@benchmark(NAME)
def evolve_fontijne() -> Iterator[Row]:
    """Graph creatures with neurons, population 300; and a sample of them against MuJoCo."""
    yield from guarded(NAME, fontijne_rows(Effort()))
