"""A run, asked once for all that its page tells of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from zoophyte.errors import UntrustedError, ZoophyteError, counted
from zoophyte.evolution.populations.archive import Archive
from zoophyte.evolution.precision import DOUBLE
from zoophyte.evolution.report.ancestry import Step, trunk_of
from zoophyte.evolution.report.data import (
    Audited,
    Birth,
    Generation,
    RunLike,
    is_said_to_change,
    title_said,
    unit_said,
)
from zoophyte.evolution.report.gallery import Exhibit, settling_of
from zoophyte.evolution.report.tallies import as_generation, best_births

if TYPE_CHECKING:
    from zoophyte.simulation import Trajectory

Audits = Callable[[Any, Sequence[int]], Sequence[Audited]]
"""From a run and the numbers of champions to their audits."""
Lives = Callable[[Any, int], "Trajectory | None"]
"""From a run and the number of an individual to its life; None for one that cannot be played."""

GALLERY = 6  # of the best
AUDITED = 3  # of the best


def relived(run: Any, number: int) -> Trajectory | None:
    """The life of an individual once more; None for a run that cannot do that, or one who cannot live again."""
    if not hasattr(run, "relive"):
        return None
    try:
        life: Trajectory = run.relive(run.individual(number))
    except UntrustedError:
        raise
    except ZoophyteError:  # who failed in the run fails again; the page then has no picture
        return None
    return life if len(life) > 1 else None


def audited(run: Any, numbers: Sequence[int]) -> list[Audited]:
    """Champions lived again in other ways (ARN-C49); none for a run that cannot do that."""
    if not (hasattr(run, "task") and hasattr(run, "individual")):
        return []
    from zoophyte.evolution.audit import audit_all

    champions = [run.individual(number) for number in numbers]
    try:
        return audit_all(
            champions, run.task, stage=run.stage, seed=run.configuration["seed"],
            precision=getattr(run, "precision", DOUBLE),
        )  # fmt: skip
    except (
        ZoophyteError
    ):  # a body or task that cannot live alone; the page then says that nothing was audited
        return []


@dataclass(frozen=True, eq=False)
class Facts:
    """A run, asked once for all that the page tells of it.

    Args:
        key: of its parts on the page.
        run: the run.
    """

    key: str
    run: RunLike

    @cached_property
    def history(self) -> list[Generation]:
        """Its generations."""
        return [as_generation(row) for row in self.run.history()]

    @property
    def changes(self) -> bool:
        """Whether the task changes over the generations, so that fitness compares creatures of one generation alone."""
        return is_said_to_change(self.run.configuration)

    @property
    def unit(self) -> str:
        """Of fitness."""
        return unit_said(self.run.configuration)

    @property
    def archive(self) -> Archive | None:
        """The niches of MAP-Elites, if it has any."""
        found: Archive | None = getattr(self.run, "archive", None)
        return found

    @cached_property
    def births(self) -> Sequence[Birth]:
        """Its individuals."""
        return self.run.births()

    @cached_property
    def best(self) -> list[Birth]:
        """The fittest that it ever had; of a task that changes, in its last complete generation."""
        last = self.history[-1].number
        return best_births([b for b in self.births if b.generation == last or not self.changes], GALLERY)

    @cached_property
    def trunk(self) -> list[Step]:
        """From the champion back to its founder; empty without a champion."""
        return trunk_of(self.by_number, self.best[0].number) if self.best else []

    @cached_property
    def by_number(self) -> dict[int, Birth]:
        """Individuals by number."""
        return {birth.number: birth for birth in self.births}


def exhibits(
    facts: Facts, births: Sequence[Birth], lives: Lives | None, *, note: str = ""
) -> Iterator[Exhibit]:
    """Individuals of a run as they are put on show, each with its life if it can be played.

    Args:
        facts: of the run.
        births: the individuals.
        lives: plays one once more.
        note: a few words below; generation and operator if left out.
    """
    for birth in births:
        life = lives(facts.run, birth.number) if lives is not None else None
        words = note or f"gen. {birth.generation} · {birth.operator}"
        yield Exhibit(
            facts.key,
            birth.number,
            birth.fitness,
            words,
            life,
            settled=settling_of(facts.run),
            unit=facts.unit,
        )


def name_of(facts: Facts) -> str:
    """What a report of a run is called: its task and breed, or its file."""
    asked = facts.run.configuration
    label = asked.get("label")
    task, genome = (title_said(asked.get(key)) for key in ("task", "genome"))
    name = f"{task} · {genome}" if task and genome else task or facts.run.name
    return f"{label}: {name}" if label else name


def names_of(runs: Sequence[RunLike]) -> list[str]:
    """What runs are called side by side: by their names; those of one name by as much of their paths as is needed."""
    names = [run.name for run in runs]
    places = [_parts(run) for run in runs]
    found = []
    for n, name in enumerate(names):
        others = [places[k] for k in range(len(runs)) if k != n and names[k] == name]
        own = places[n]
        lengths = range(1, len(own) + 1) if others else ()
        short = next((k for k in lengths if all(own[-k:] != other[-k:] for other in others)), 0)
        found.append("/".join(own[-short:]) if short else name)
    return found


def _parts(run: RunLike) -> tuple[str, ...]:
    """The path of a run, without the file where that is called as all are; nothing for one without a file."""
    path = getattr(run, "path", None)
    if path is None:
        return ()
    full = Path(path).resolve()
    return (full.parent if full.stem == "run" else full).parts


def summary(facts: Facts, *, with_name: bool = True) -> str:
    """A run in one line."""
    seed = facts.run.configuration.get("seed")
    parts = [facts.run.name] if with_name else []
    parts += [counted(len(facts.history), "generation"), counted(len(facts.births), "creature")]
    return " · ".join([*parts, f"seed {seed}"] if seed is not None else parts)
