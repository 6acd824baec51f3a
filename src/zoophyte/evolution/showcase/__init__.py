"""Showcase: evolved creatures that come along, each with the command and the seed that made it.

    showcase.names()                 # all of them
    showcase.about("hopper").command # how it came about
    showcase.creature("hopper")      # its body and its controller
    showcase.scene("hopper")         # the life by which it was judged: showcase.scene("hopper").simulate()

Each is a file of a population (`zoophyte evolve … --from` reads it), to which `made` adds how it was evolved, and with
which version.  The command gives the same creature on the kernels of that version only; the creature stays, and what is said
of it holds on later ones within :attr:`Made.bands`.
"""

from __future__ import annotations

import json
import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from zoophyte.errors import UsageError, nearest
from zoophyte.evolution.chance import Purpose, generator
from zoophyte.evolution.protocols import Grown, Trial
from zoophyte.evolution.run.populace import breed_of, read_content, read_population
from zoophyte.simulation import Trajectory
from zoophyte.zoo.scenes import Scene

FRAMES = 50.0
"""Of a life, in a second."""
GRAINS = {"strides": 1.0, "airborne": 0.01, "ground": 0.01, "together": 0.01}
"""Of measures that are counted: a stride that is cut by the end; one look of a hundred."""
LEAST = 5e-3
"""Part of a measure that the last of three digits leaves open, at most."""
_FOLDER = Path(__file__).parent / "creatures"
_ENDING = ".yaml"
_OPTIONS = ("genome", "controller", "population", "generations", "seed", "scheme", "selection")
"""Of `evolve`, that the command line spells alike."""
_SETTINGS = {"task_settings": "--set", "genome_settings": "--set-genome", "scheme_settings": "--set-scheme"}


@dataclass(frozen=True)
class Made:
    """How a creature came about.

    Args:
        name: of the creature.
        text: what it does, in one line.
        arguments: of `zoophyte.evolve`, which makes it again.
        task: its name and all its settings.
        number: of the individual in its run.
        generation: in which it was born.
        stage: of the run then, from 0 to 1.
        fitness: that its life was worth.
        version: of Zoophyte that evolved it.
        measured: of each measure of its life the median over starts that differ by next to nothing, the median with half of
            the step, and the larger of the two spreads, as tools/keep_evolved.py found them.
    """

    name: str
    text: str
    arguments: dict[str, Any]
    task: dict[str, Any]
    number: int
    generation: int
    stage: float
    fitness: float
    version: str
    measured: dict[str, list[float]]

    @property
    def bands(self) -> dict[str, tuple[float, float]]:
        """Between which values each measure lies on any sound kernels.

        A life of many touches is chaos: with one other last bit it is, seconds later, one of the lives of starts nearby,
        whose spread was measured.  Kernels that are as exact, but take things in another order, may differ by as much as
        half of the step changes.  To both comes the grain of what is counted.
        """
        found = {}
        for name, (median, half, spread) in self.measured.items():
            reach = abs(half - median) + spread + GRAINS.get(name.split(" ")[0], LEAST * abs(median))
            found[name] = (median - reach, median + reach)
        return found

    @property
    def command(self) -> str:
        """What to type to evolve one like it; the same one, on the kernels of `version`."""
        words = ["zoophyte evolve", str(self.arguments["task"])]
        words += [f"--{key} {self.arguments[key]}" for key in _OPTIONS if self.arguments.get(key) is not None]
        for key, option in _SETTINGS.items():
            given = self.arguments.get(key) or {}
            words += [f"{option} {shlex.quote(f'{name}={_spelt(value)}')}" for name, value in given.items()]
        return " ".join(words)


def names() -> list[str]:
    """Names of all that are shown."""
    return sorted(path.stem for path in _FOLDER.glob(f"*{_ENDING}"))


def about(name: str) -> Made:
    """How a creature came about.

    Args:
        name: one of :func:`names`.

    Raises:
        UsageError: when there is none; the message gives the nearest name.
    """
    made = read_content(_path(name))["made"]
    return Made(name=name, **made)


def genome(name: str) -> Any:
    """What a creature inherited.

    Args:
        name: one of :func:`names`.
    """
    path = _path(name)
    return read_population(path, breed_of(path))[0]


def creature(name: str) -> Grown:
    """Its body, under its name in the zoo, and its controller.

    Args:
        name: one of :func:`names`.
    """
    grown: Grown = genome(name).develop()
    return Grown(grown.description.model_copy(update={"name": name}), grown.controller)


def judged(name: str) -> tuple[Any, Grown, Trial]:
    """By whom it was judged: the task, the creature, and the life that it lived for it.

    Args:
        name: one of :func:`names`.
    """
    # Tasks need the model and the physics; names and bodies do not.
    from zoophyte.evolution.registry import found_task

    made, grown = about(name), creature(name)
    task = found_task(made.task)
    rng = generator(made.arguments["seed"], made.generation, 0, Purpose.TRIAL)
    return task, grown, task.trials(grown, made.stage, rng)[0]


def scene(name: str) -> Scene:
    """The life by which it was judged: where, how long, with which step and what beside it (a ball, say).

    Args:
        name: one of :func:`names`.
    """
    from zoophyte.simulation.living.colony import SLOTS

    task, _, trial = judged(name)
    solver = {"integrator": "implicit", "slots": SLOTS, "sweeps": task.sweeps, "sleep": False}
    return Scene(
        trial.description, trial.habitat, trial.controller, task.dt, trial.seconds, FRAMES, solver=solver
    )


def life(name: str, seconds: float | None = None) -> Trajectory:
    """Its life, or the beginning of it.

    Args:
        name: one of :func:`names`.
        seconds: how long; as it was judged if left out [s].
    """
    return scene(name).simulate(seconds)


def _path(name: str) -> Path:
    known = names()
    if name not in known:
        text = f"there is no evolved creature '{name[:80]}'. {nearest(name[:80], known)} Known: {', '.join(known)}."
        raise UsageError(text.replace("  ", " "))
    return _FOLDER / f"{name}{_ENDING}"


def _spelt(value: Any) -> str:
    """As `--set` reads it."""
    return value if isinstance(value, str) else json.dumps(value)
