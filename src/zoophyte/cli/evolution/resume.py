"""``zoophyte resume``: go on with a run that was broken off."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from zoophyte.cli.evolution.evolve import Audit, refuse_two, stopped
from zoophyte.cli.evolution.files import Trust, finish, open_run, places_of, tell_nothing_bred
from zoophyte.cli.evolution.showing import shown_progress
from zoophyte.cli.output import given_path, wrong_usage


def resume(
    file: Annotated[
        Path, typer.Argument(parser=given_path, metavar="RUN.db", help="A run, as `zoophyte evolve` writes it.")
    ],
    *,
    generations: Annotated[
        int | None, typer.Option(help="How many in all; as many as were asked for, if left out.")
    ] = None,
    workers: Annotated[int | None, typer.Option(help="How many; one per processor if left out.")] = None,
    executor: Annotated[str | None, typer.Option(help="threads (if left out) or processes.")] = None,
    cluster: Annotated[str | None, typer.Option(metavar="tcp://…", help="A dask scheduler, to use its workers.")] = None,
    timeout: Annotated[float | None, typer.Option(help="Seconds that a chunk of creatures may take.")] = None,
    anyway: Annotated[
        bool, typer.Option("--anyway", help="Go on even if another version of Zoophyte began the run.")
    ] = False,
    audit: Audit = True,
    trust: Trust = None,
    json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:  # fmt: skip
    """Go on with a run: what comes is what would have come without the break, bit for bit, on any number of workers."""
    refuse_two(cluster, executor)
    run = open_run(file, trust, lives=True)
    before = run.generation_count
    try:
        with shown_progress(silent=json) as tell, wrong_usage():
            run = run.resume(
                generations=generations, workers=workers, executor=cluster or executor, timeout=timeout, progress=tell,
                anyway=anyway,
            )  # fmt: skip
    except KeyboardInterrupt:
        raise stopped(file) from None
    if run.generation_count == before:
        tell_nothing_bred(run)
    finish(run, places_of(file), json=json, audit=audit)
