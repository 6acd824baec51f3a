"""``zoophyte runs``: list, report, merge and pick."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from zoophyte.cli.evolution.files import RUN, Trust, open_run, way_on
from zoophyte.cli.output import as_size, given_path, print_json, print_table, progress_of, wrong_usage
from zoophyte.errors import FileError, ZoophyteError, counted

if TYPE_CHECKING:
    from zoophyte.evolution.run import Run

runs = typer.Typer(
    name="runs", help="List, compare, merge and steer runs of evolution.", no_args_is_help=True
)

Files = Annotated[
    list[Path],
    typer.Argument(parser=given_path, metavar="RUN.db …", help="Runs, as `zoophyte evolve` writes them."),
]
LIVES_SHOWN = 6
"""Of every run, about: how far a report is."""
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]


@runs.command("list")
def list_runs(
    places: Annotated[
        list[Path] | None,
        typer.Argument(parser=given_path, metavar="FILE|DIR …", help="Where to look; . and out, if left out."),
    ] = None,
    *,
    json: Json = False,
) -> None:  # fmt: skip
    """List runs: what was asked, how far they are, how good their best is."""
    rows = [_row(path) for path in _found(places)]
    if json:
        print_json(rows)
    elif rows:
        labelled = ("label",) * any(row["label"] for row in rows)
        header = ("run", *labelled, "task", "genome", "generations", "lives", "best", "size")
        print_table(
            header,
            [[str(row[name]) for name in header] for row in rows],
            right=range(len(header) - 4, len(header)),
        )
    else:
        print("no runs here; `zoophyte evolve walk` makes one")


def _found(places: list[Path] | None) -> list[Path]:
    paths: list[Path] = []
    for place in places or [Path(), Path("out")]:
        if place.is_dir():
            paths += sorted(place.glob(f"*{RUN}"))
        elif places:
            paths.append(place)
    return paths


def _row(path: Path) -> dict[str, Any]:
    from zoophyte.evolution.report.data import title_said, unit_said

    try:
        run = open_run(path)
        asked = run.configuration
        best = run.store.largest_fitness(run.contending)
        done = f"{run.generation_count}/{asked['generations']}"
        return {
            "run": str(path), "label": str(asked.get("label", "")),
            "task": title_said(asked["task"]), "genome": asked["genome"]["name"], "generations": done,
            "lives": len(run), "best": "–" if math.isnan(best) else f"{best:.4g} {unit_said(asked)}".rstrip(),
            "size": as_size(path.stat().st_size),
        }  # fmt: skip
    except (ZoophyteError, KeyError) as problem:
        told = str(problem).removeprefix(f"{path}: ")
        empty = dict.fromkeys(("label", "genome", "generations", "lives", "best", "size"), "")
        return {"run": str(path), "task": f"({told})", **empty}


@runs.command()
def report(
    files: Files,
    *,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", parser=given_path, metavar="FILE.html", help="The page to write.")
    ] = None,
    replays: Annotated[bool, typer.Option(help="Whether the page replays the best.")] = True,
    audits: Annotated[
        bool, typer.Option("--audit/--no-audit", help="Whether champions live again at half the step and elsewhere.")
    ] = True,
    trust: Trust = None,
) -> None:  # fmt: skip
    """Write a page: curves, family tree, gallery of the best, failures; of several runs a comparison."""
    from zoophyte.evolution.report import write_report
    from zoophyte.evolution.report.facts import audited, relived

    target = out or files[0].with_suffix(".report.html" if len(files) == 1 else ".comparison.html")
    found = [open_run(path, trust, lives=replays or audits) for path in files]
    total = len(found) * (LIVES_SHOWN * replays + audits) or 1
    with wrong_usage(), progress_of("reliving the best") as progress:
        done = 0

        def counting(work: Any) -> Any:
            def do(*arguments: Any) -> Any:
                nonlocal done
                if progress is not None:
                    progress(min(done / total, 1.0))
                done += 1
                return work(*arguments)

            return do

        write_report(
            found,
            target,
            lives=counting(relived) if replays else None,
            audits=counting(audited) if audits else None,
        )
    print(f"wrote {target} ({as_size(target.stat().st_size)})\nopen {target} in a browser")


@runs.command()
def merge(
    files: Files,
    *,
    out: Annotated[
        Path, typer.Option("--out", "-o", parser=given_path, metavar="POP.yaml|RUN.db", help="The file to write.")
    ],
    best: Annotated[int, typer.Option(help="How many of each run.")] = 5,
    generations: Annotated[int, typer.Option(help="Of a new run.")] = 50,
    seed: Annotated[int, typer.Option(help="Of a new run.")] = 0,
    trust: Trust = None,
) -> None:  # fmt: skip
    """Put the best of several runs together: a population to begin with, or a new run to go on with."""
    if best < 1:
        raise typer.BadParameter(f"--best is {best}, must be 1 or more.")
    found = [open_run(path, trust) for path in files]
    _refuse_mixtures(found)
    creatures = list(_distinct(found, best))
    if not creatures:
        raise FileError("none of these runs has anybody without fault.")
    if out.suffix.lower() == RUN:
        with wrong_usage():
            begin_merged(found[0], out, [one.genome for one, _ in creatures], generations, seed)
        print(f"wrote {out} with {counted(len(creatures), 'founder')}; begin with: {way_on(open_run(out))}")
        return
    from zoophyte.evolution.run.populace import write_population

    count = write_population(out, found[0].breed, creatures)
    print(f"wrote {out} ({counted(count, 'creature')}); begin with: zoophyte evolve TASK --from {out}")


def _distinct(found: list[Run], best: int) -> Iterator[tuple[Any, str]]:
    """The best of each run, and where they come from; no genome twice, though runs may share ancestors or be the same."""
    seen: set[bytes] = set()
    for run in found:
        for one in run.best(best):
            data = run.row(one.number).genome
            if data not in seen:
                seen.add(data)
                yield one, f"{run.path}, individual {one.number}"


def _refuse_mixtures(found: list[Run]) -> None:
    kinds = {run.path: (run.breed.name, run.breed.settings()) for run in found}
    first = next(iter(kinds.values()))
    for path, kind in kinds.items():
        if kind != first:
            raise FileError(
                f"{path}: its genomes are of another kind or other settings than those of {next(iter(kinds))}; only like "
                "can be merged with like."
            )


def begin_merged(like: Run, out: Path, genomes: list[Any], generations: int, seed: int) -> None:
    """A run that has not begun yet, with founders that are given."""
    from zoophyte.evolution.chance import checked_seed
    from zoophyte.evolution.populations.schemes import checked_count
    from zoophyte.evolution.run.evolving import founding, origin
    from zoophyte.evolution.run.store import Store

    asked = {
        **like.configuration,
        **origin(),
        "generations": checked_count("--generations", generations),
        "seed": checked_seed(seed),
    }
    founders = founding(genomes, like.scheme)
    Store(out, "create", configuration=asked, founders=founders).close()


@runs.command()
def pick(
    file: Annotated[Path, typer.Argument(parser=given_path, metavar="RUN.db", help="The run to steer.")],
    *,
    choose: Annotated[str, typer.Option(metavar="1,2,…", help="Numbers of those to breed from.")] = "",
    keep: Annotated[str, typer.Option(metavar="1,2,…", help="Numbers of others who stay.")] = "",
    delete: Annotated[str, typer.Option(metavar="1,2,…", help="Numbers of those who go.")] = "",
    serve: Annotated[
        bool, typer.Option("--serve", help="Show the page on this machine, and breed on from what is chosen there.")
    ] = False,
    steps: Annotated[int, typer.Option(help="Of --serve: generations bred after each choice.")] = 1,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", parser=given_path, metavar="FILE.html", help="The page to write.")
    ] = None,
    trust: Trust = None,
) -> None:  # fmt: skip
    """Choose parents by eye: with numbers, make the choice; without, write a page to choose from, or serve it."""
    from zoophyte.evolution.report import Choice, serve_picker, write_picker
    from zoophyte.evolution.report import pick as picked
    from zoophyte.evolution.report.picking import numbers_in

    run = open_run(file, trust, lives=not (choose or keep or delete))
    if choose or keep or delete:
        named = (("--choose", choose), ("--keep", keep), ("--delete", delete))
        with wrong_usage():
            generation = picked(
                file, Choice(*(numbers_in(text, option) if text else () for option, text in named))
            )
        print(f"{file}: generation {generation} is chosen. Go on with: {way_on(run)}")
    elif serve:
        if steps < 1:
            raise typer.BadParameter(f"--steps is {steps}, must be 1 or more.")
        run.task, run.breed  # noqa: B018 - a run that cannot go on is told before anybody looks at it

        def bred(choice: Choice) -> Run:
            generation = picked(file, choice)
            wanted = max(run.configuration["generations"], generation + 1 + steps)
            return open_run(file, trust).resume(generations=wanted)

        serve_picker(
            run, bred, told=lambda address: print(f"open {address} in a browser; Ctrl-C ends it", flush=True)
        )
    else:
        target = out or file.with_suffix(".pick.html")
        with wrong_usage():
            write_picker(run, target)
        print(f"wrote {target} ({as_size(target.stat().st_size)})\nopen {target} in a browser")
