"""``zoophyte evolve``: from random creatures to one that does what it is asked."""

from __future__ import annotations

import os
import shlex
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from zoophyte.cli.evolution.files import RUN, finish, free_run, open_run, places_of, resume_line
from zoophyte.cli.evolution.showing import shown_progress
from zoophyte.cli.output import given_path, ignore_interrupts, wrong_usage
from zoophyte.cli.simulate import refuse_unwritable
from zoophyte.errors import FileError
from zoophyte.trust import trust_options

BIRTHS = 96
"""In one generation, unless told otherwise: n = 16 with six children each (ARN-58)."""
INTERRUPTED = 130


Audit = Annotated[
    bool,
    typer.Option(
        "--audit/--no-audit", help="Whether the champion lives again at half the step and elsewhere."
    ),
]


def given_settings(texts: list[str] | None, option: str) -> dict[str, Any]:
    """Settings as NAME=VALUE; values are read as YAML: numbers, true and false, [lists], {mappings: …}, texts."""
    from ruamel.yaml import YAML
    from ruamel.yaml.error import YAMLError

    found: dict[str, Any] = {}
    for text in texts or []:
        name, equals, value = text.partition("=")
        if not (equals and name.strip()):
            raise typer.BadParameter(f"{option} is '{text}', must be NAME=VALUE.")
        try:
            read = YAML(typ="safe", pure=True).load(value)
        except YAMLError:
            raise typer.BadParameter(f"{option} is '{text}'; the value cannot be read.") from None
        found[name.strip()] = tuple(read) if isinstance(read, list) else read
    return found


def evolve(
    task: Annotated[
        str,
        typer.Argument(help="What creatures are asked to do: walk, jump, swim, …; or file.py:name for your own."),
    ] = "walk",
    *,
    genome: Annotated[str, typer.Option(help="limbed, graph, tune, or file.py:name for your own.")] = "limbed",
    controller: Annotated[
        str | None, typer.Option(help="spectral, neurons, oscillators or sine; the genome's own if left out.")
    ] = None,
    population: Annotated[
        int | None, typer.Option(help="How many survive a generation; enough for 96 births, if left out.")
    ] = None,
    generations: Annotated[int, typer.Option(help="How many.")] = 50,
    seed: Annotated[int, typer.Option(help="Of all chance: the same seed gives the same run.")] = 0,
    seconds: Annotated[float | None, typer.Option(help="Length of a life; the task's own if left out.")] = None,
    store: Annotated[
        Path | None,
        typer.Option(parser=given_path, metavar="RUN.db", help="The file of the run; OUT/run.db if left out."),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", parser=given_path, metavar="DIR", help="Folder for the files; out if left out."),
    ] = None,
    workers: Annotated[int | None, typer.Option(help="How many; one per processor if left out.")] = None,
    executor: Annotated[str | None, typer.Option(help="threads (if left out) or processes.")] = None,
    cluster: Annotated[str | None, typer.Option(metavar="tcp://…", help="A dask scheduler, to use its workers.")] = None,
    timeout: Annotated[float | None, typer.Option(help="Seconds that a chunk of creatures may take.")] = None,
    scheme: Annotated[
        str, typer.Option(help="generational, islands, lattice, steady, elites, novelty or cma.")
    ] = "generational",
    selection: Annotated[
        str | None, typer.Option(help="comma, roulette, proportional or tournament; the genome's own if left out.")
    ] = None,
    from_: Annotated[
        Path | None,
        typer.Option("--from", parser=given_path, metavar="POP.yaml|RUN.db", help="Begin with these, not at random."),
    ] = None,
    body: Annotated[str | None, typer.Option(metavar="FILE|NAME", help="Of --genome tune: the body to tune.")] = None,
    precision: Annotated[str, typer.Option(help="Of lives: double; or single, faster and less exact.")] = "double",
    repeat: Annotated[int, typer.Option(help="Run several times, with the next seeds, to compare.")] = 1,
    set_task: Annotated[
        list[str] | None, typer.Option("--set", metavar="NAME=VALUE", help="A setting of the task; may be repeated.")
    ] = None,
    set_genome: Annotated[
        list[str] | None, typer.Option(metavar="NAME=VALUE", help="A setting of the genome; may be repeated.")
    ] = None,
    set_scheme: Annotated[
        list[str] | None, typer.Option(metavar="NAME=VALUE", help="A setting of the scheme; may be repeated.")
    ] = None,
    label: Annotated[str, typer.Option(help="What the run is called beside others, in reports.")] = "",
    audit: Audit = True,
    json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:  # fmt: skip
    """Evolve creatures; leave the run, a page that replays the champion, and the curves of its fitness."""
    task_settings = given_settings(set_task, "--set") | ({} if seconds is None else {"seconds": seconds})
    genome_settings = given_settings(set_genome, "--set-genome")
    if body is not None:
        if genome != "tune":
            raise typer.BadParameter("--body goes with --genome tune.")
        from zoophyte.cli.arguments import find_body

        genome_settings["body"] = find_body(body)
    if repeat < 1:
        raise typer.BadParameter(f"--repeat is {repeat}, must be 1 or more.")
    refuse_two(cluster, executor)
    runs = _stores(store, out, range(seed, seed + repeat))
    options = {
        "genome": genome, "controller": controller, "generations": generations, "executor": cluster or executor,
        "workers": workers, "timeout": timeout, "scheme": scheme, "selection": selection, "from_": from_,
        "task_settings": task_settings, "genome_settings": genome_settings,
        "scheme_settings": given_settings(set_scheme, "--set-scheme"),
        "precision": precision, "label": label, "population": _population(population, genome, scheme, selection),
    }  # fmt: skip
    for number, path in enumerate(runs):
        if repeat > 1 and not json:
            print(f"run {number + 1} of {repeat}, seed {seed + number}")
        _evolve_one(task, path, {**options, "seed": seed + number}, json=json, audit=audit)
    if repeat > 1 and not json:
        _tell_comparison(runs)


def _tell_comparison(runs: list[Path]) -> None:
    """The line that compares them, with the trust that their code needs."""
    from zoophyte.evolution.registry import foreign

    places = foreign(open_run(runs[0]).configuration).values()
    print(f"\ncompare them: zoophyte runs report {shlex.join(map(str, runs))}{trust_options(places)}")


def refuse_two(cluster: str | None, executor: str | None) -> None:
    """Creatures are judged in one place."""
    if cluster is not None and executor is not None:
        raise typer.BadParameter("--cluster and --executor exclude each other.")


def _evolve_one(task: str, path: Path, options: dict[str, Any], *, json: bool, audit: bool) -> None:
    from zoophyte.evolution.run import evolve as evolved

    try:
        with shown_progress(silent=json) as tell, wrong_usage():
            run = evolved(task, store=path, progress=tell, **options)
    except KeyboardInterrupt:
        raise stopped(path) from None
    finish(run, places_of(path), json=json, audit=audit)


def stopped(path: Path) -> typer.Exit:
    """What is left after Ctrl-C, and how to go on."""
    ignore_interrupts()
    from zoophyte.evolution.evaluation.hands import working

    print(
        f"\nzoophyte: stopped; what was judged is saved. Go on with: {resume_line(path)}",
        file=sys.stderr,
    )
    if working():  # they cannot be stopped, and nobody wants what they will find; the run is closed already
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(INTERRUPTED)
    return typer.Exit(INTERRUPTED)


def _population(given: int | None, genome: str, scheme: str, selection: str | None) -> int:
    """So many that about as many are born in every generation, whatever the selection."""
    if given is not None:
        return given
    from zoophyte.evolution.populations import SELECTING
    from zoophyte.evolution.run.evolving import FROM_PROPORTIONAL

    broods = selection in ("comma", "roulette") or (selection is None and genome not in FROM_PROPORTIONAL)
    return BIRTHS // 6 if scheme in SELECTING and broods else BIRTHS


def _stores(store: Path | None, out: Path | None, seeds: range) -> list[Path]:
    """The files of the runs, none of which is there yet."""
    if store is not None and out is not None and store.parent.resolve() != out.resolve():
        raise typer.BadParameter(
            f"--store and --out exclude each other: all files go where the run goes; --store {out / store.name} does both."
        )
    if store is not None and store.suffix.lower() != RUN:
        raise typer.BadParameter(f"--store is '{store}', must end in {RUN}.")
    folder = out or Path("out") if store is None else store.parent
    refuse_unwritable(folder, "--out" if store is None else "--store")
    first = free_run(folder) if store is None else store
    if len(seeds) == 1:
        return [first]
    paths = [first.with_name(f"{first.stem}-seed{seed}{RUN}") for seed in seeds]
    for path in paths:
        if path.exists():
            raise FileError(f"{path}: exists already; give another name with --store.")
    return paths
