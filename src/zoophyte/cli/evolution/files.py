"""Files of a run: where they lie, and how they are written once it is over."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from zoophyte.cli.output import as_size, print_facts, print_json, wrong_usage
from zoophyte.errors import FileError, ZoophyteError, counted, shown

if TYPE_CHECKING:
    from zoophyte.description import Description
    from zoophyte.evolution.run import Run
    from zoophyte.export import Look

RUN = ".db"
TABLES = (".csv", ".parquet")


@dataclass(frozen=True)
class Places:
    """Where a run and its pages go.

    Args:
        run: the run itself.
        champion: the page that replays its best.
        fitness: the curves.
    """

    run: Path
    champion: Path
    fitness: Path


def places_of(run: Path) -> Places:
    """Beside the run: `champion.html` for `run.db`, `jump.champion.html` for `jump.db`."""
    stem = run.with_suffix("").name
    head = "" if stem == "run" else f"{stem}."
    return Places(run, run.with_name(f"{head}champion.html"), run.with_name(f"{head}fitness.svg"))


def free_run(folder: Path) -> Path:
    """`run.db` in a folder; `run-2.db` where there is one already, and so on."""
    number, path = 1, folder / f"run{RUN}"
    while path.exists():
        number += 1
        path = folder / f"run-{number}{RUN}"
    return path


Trust = Annotated[
    list[str] | None,
    typer.Option(
        "--trust", metavar="PLACE",
        help="Code outside of Zoophyte that the run names and that may be imported, as own.py:fitness; may be repeated.",
    ),
]  # fmt: skip


def open_run(path: str | Path, trust: list[str] | None = None, *, lives: bool = False) -> Run:
    """A run that was given by its file.

    Args:
        path: of it.
        trust: code outside of Zoophyte that it may have imported.
        lives: whether its creatures are to live again, for which both its task and its genome are needed.

    Raises:
        UntrustedError: when that needs code which is not trusted; all of it is named at once.
    """
    from zoophyte.evolution.run import Run

    if Path(path).suffix.lower() != RUN and not Path(path).exists():
        raise typer.BadParameter(f"'{path}' is no run; runs end in {RUN}, and `zoophyte evolve` writes them.")
    with wrong_usage():
        run = Run(path, trust=trust or ())
    if lives:
        run.refuse_untrusted()
    return run


def way_on(run: Run) -> str:
    """The command that breeds the next generation; of a run whose generations are all there, more must be asked for."""
    more = f" --generations {run.generation_count + 1}" if run.is_complete else ""
    return f"{run.store.resume_line()}{more}"


def resume_line(path: Path) -> str:
    """The command that goes on with a run, be it begun or not."""
    try:
        return open_run(path).store.resume_line()
    except (ZoophyteError, typer.BadParameter):
        return f"zoophyte resume {path}"


def tell_nothing_bred(run: Run) -> None:
    """That all generations of a run were there already, and what that means for a choice that was made in the last."""
    picks = run.configuration.get("picks", [])
    is_chosen = bool(picks) and picks[-1]["generation"] == run.generation_count - 1
    what = "nothing was bred from the choice" if is_chosen else "nothing was bred"
    there = f"{counted(run.generation_count, 'generation')} were asked for and are there"
    print(f"zoophyte: {there}: {what}. For more: {way_on(run)}", file=sys.stderr)


def finish(run: Run, places: Places, *, json: bool, audit: bool = True) -> None:
    """Write the pages of a complete run, audit its champion, and tell what was found and where it is.

    Args:
        run: complete.
        places: of its files.
        json: whether to print JSON.
        audit: whether to live the champion again in other ways.
    """
    from zoophyte.cli.evolution.verdict import as_facts, as_json, audited_champion
    from zoophyte.evolution.protocols import title_of, unit_of
    from zoophyte.evolution.report.curves import measured

    if not run.best(1):
        raise FileError(
            f"{places.run}: nobody in this run has been found without fault, so there is no champion; "
            f"`zoophyte runs report {places.run}` tells why."
        )
    _tell_failures(run)
    files = [places.run, *_written(run, places)]
    best, history, unit = run.best(), run.history(), unit_of(run.task)
    audited, archive = audited_champion(run) if audit else None, run.archive
    seconds = sum(row.seconds for row in history)
    if json:
        print_json(
            {
                "task": title_of(run.task), "unit": unit, "genome": run.breed.name,
                "generations": run.generation_count, "lives": len(run),
                "best": {"number": best.number, "generation": best.generation, "fitness": best.fitness},
                "first_best": history[0].best, "seconds": seconds, "precision": run.precision,
                **as_json(audited, archive),
                "files": [str(path) for path in files],
            }
        )  # fmt: skip
        return
    if run.changes:
        beaten = "; the best of the last generation, since the task changed"
    elif history[0].best > 0:
        beaten = f", {best.fitness / history[0].best:.3g} times the best of the first generation"
    else:
        beaten = ""
    numbers = "" if run.precision == "double" else f", {run.precision} precision"
    sizes = [f"{path}  ({as_size(path.stat().st_size)})" for path in files]
    print_facts(
        [
            (
                "champion",
                f"individual {best.number} of generation {best.generation}: fitness {measured(best.fitness, unit)}{beaten}",
            ),
            (
                "run",
                f"{counted(len(run), 'life', 'lives')}, {counted(len(history), 'generation')}, {seconds:.3g} s{numbers}",
            ),
            *as_facts(audited, archive, unit),
            *zip(["files", *[""] * (len(sizes) - 1)], sizes, strict=True),
        ]
    )
    if best.fitness == 0.0 and (nought := getattr(run.task, "nought", "")):
        easier = ", or a task that changes less: --set far=0.85, say" * run.changes
        print(f"\n{shown(nought)}; more generations or a larger population may{easier}")
    if places.champion in files:
        print(f"\nopen {places.champion} in a browser")


def _tell_failures(run: Run) -> None:
    """What the user's own code raised, which costs no more than the creatures that it happened to."""
    columns, rest = ("reason",), "WHERE status = 'failed' ORDER BY number"
    failed = [reason for (reason,) in run.store.cells("individual", columns, rest)]
    if failed:
        some = f"{len(failed)} of {counted(len(run), 'creature')}"
        print(f"zoophyte: {some} failed, the first with: {shown(failed[0], lines=False)}", file=sys.stderr)


def _written(run: Run, places: Places) -> list[Path]:
    """The curves, and the page of the champion where there is a player for it."""
    from zoophyte.evolution.protocols import title_of, unit_of
    from zoophyte.evolution.report import write_curves
    from zoophyte.evolution.report.gallery import write_champion

    title, unit = f"{title_of(run.task)}, {run.breed.name}", unit_of(run.task)
    write_curves(run.history(), places.fitness, title=title, unit=unit)
    found = [places.fitness]
    try:
        best = run.best()
        if run.trials(best):
            write_champion(run.relive(best), places.champion, title_of(run.task), best, unit)
            found.append(places.champion)
    except ZoophyteError as reason:  # no player in this installation: the run itself is there
        print(f"zoophyte: no replay page: {shown(reason)}", file=sys.stderr)
    return found


def write_best(run: Run, count: int, target: Path, look: Look | None = None) -> None:
    """A page with the lives of the best of a run."""
    from zoophyte.evolution.protocols import unit_of
    from zoophyte.evolution.report.curves import measured
    from zoophyte.export.page import write_gallery

    best = run.best(count)
    if not best:
        raise FileError(f"{run.path}: nobody in this run has been found without fault yet.")
    lives = [run.relive(one) for one in best]
    notes = [
        f"individual {one.number}, generation {one.generation}, fitness {measured(one.fitness, unit_of(run.task))}"
        for one in best
    ]
    write_gallery(lives, target, title=f"{run.name}: the best {len(lives)}", notes=notes, look=look)


def champion_body(run: Run) -> Description:
    """The body of the best of a run, where its life began, with whatever the task adds to it; its notes say whose it is."""
    from zoophyte.description.values import NOTES_LENGTH

    best = run.best()
    trials = run.trials(best)
    body = (trials[0].description if trials else best.develop().description).copy()
    origin = (
        f"Individual {best.number} of generation {best.generation} of {run.name}: {run.task.name}, {run.breed.name}, "
        f"fitness {best.fitness:.4g}.\nThe body alone: its controller is not in this file."
    )
    body.notes = f"{origin}\n{body.notes}".strip()[:NOTES_LENGTH]
    return body


def export_run(run: Run, out: Path, best: int | None) -> None:
    """The best of a run as a population (yaml), or everyone in it as a table (csv, parquet)."""
    from zoophyte.evolution.run.populace import write_population

    ending = out.suffix.lower()
    if ending == ".csv":
        run.to_csv(out)
    elif ending == ".parquet":
        run.to_parquet(out)
    else:
        chosen = run.best(best or 1)
        if not chosen:
            raise FileError(f"{run.path}: nobody in this run has been found without fault yet.")
        write_population(out, run.breed, [(one, f"{run.path}, individual {one.number}") for one in chosen])
