"""``zoophyte replay``: a page that plays a recorded life, or the best of a run."""

from __future__ import annotations

import sys
import webbrowser
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from zoophyte.cli.arguments import ENDINGS, Background, Ghosts, Grid, GroundColour, Sky, find_look
from zoophyte.cli.evolution.files import RUN, Trust, open_run, write_best
from zoophyte.cli.output import as_size, given_path
from zoophyte.errors import counted, shown

if TYPE_CHECKING:
    from zoophyte.export import Look
    from zoophyte.simulation import Trajectory


def replay(
    file: Annotated[
        Path,
        typer.Argument(
            parser=given_path,
            metavar="FILE.npz|RUN.db",
            help="A life, as `zoophyte simulate` writes it; or a run, as `zoophyte evolve` does.",
        ),
    ],
    *,
    out: Annotated[
        Path | None,
        typer.Option(
            parser=given_path,
            metavar="FILE.html",
            help="The page to write; FILE.html next to FILE if left out.",
        ),
    ] = None,
    compare: Annotated[
        Path | None,
        typer.Option(parser=given_path, metavar="OTHER.npz", help="Another life, drawn as a ghost."),
    ] = None,
    best: Annotated[
        int | None, typer.Option(help="Of a run: how many of the best to show; 1 if left out.")
    ] = None,
    ground_colour: GroundColour = None,
    sky: Sky = None,
    background: Background = None,
    grid: Grid = True,
    ghosts: Ghosts = None,
    trust: Trust = None,
    open_it: Annotated[bool, typer.Option("--open", help="Open the page in the browser.")] = False,
) -> None:
    """Write a page that plays a life, or the best of a run: one file that any browser opens, without a network."""
    if file.suffix.lower() in ENDINGS or (not file.exists() and not file.suffix):
        raise typer.BadParameter(
            f"'{file}' is no life (.npz); `zoophyte simulate {file}` makes one of a body."
        )
    target = file.with_suffix(".html") if out is None else out
    if target.suffix.lower() not in (".html", ".htm"):
        from zoophyte.simulation.exporters import exporter_endings

        known = target.suffix.lower() in exporter_endings()
        other = f" `zoophyte export {file} {target}` writes such a file." if known else ""
        raise typer.BadParameter(f"--out is '{target}', must end in .html.{other}")
    look = find_look(ground_colour, sky, background, grid=grid, ghosts=ghosts)
    if file.suffix.lower() == RUN:
        _write_best(file, target, best=best, compare=compare, look=look, trust=trust)
    else:
        if trust:
            raise typer.BadParameter(f"--trust goes with a run ({RUN}); a life names no code.")
        if best is not None:
            raise typer.BadParameter(f"--best goes with a run ({RUN}); '{file}' is a life.")
        _write_life(file, target, compare=compare, look=look)
    print(f"wrote {target} ({as_size(target.stat().st_size)})")
    if not open_it or not webbrowser.open(target.resolve().as_uri()):
        print(f"open {target} in a browser")


def _write_best(
    file: Path,
    target: Path,
    *,
    best: int | None,
    compare: Path | None,
    look: Look | None,
    trust: list[str] | None,
) -> None:
    if compare is not None:
        raise typer.BadParameter(
            "--compare goes with a life (.npz); the best of a run are shown side by side."
        )
    if best is not None and best < 1:
        raise typer.BadParameter(f"--best is {best}, must be 1 or more.")
    write_best(open_run(file, trust, lives=True), best or 1, target, look)


def _write_life(file: Path, target: Path, *, compare: Path | None, look: Look | None) -> None:
    from zoophyte.export.page import write_replay
    from zoophyte.simulation import Trajectory

    life = Trajectory.load(file)
    other = None if compare is None else Trajectory.load(compare)
    if other is not None and _names(other) != _names(life):
        print(
            f"zoophyte: {compare} ({_title(other)}) shows another body than {file} ({_title(life)}); "
            "the ghost is drawn all the same, but the two cannot be compared body by body.",
            file=sys.stderr,
        )
    write_replay(life, target, compare=other, look=look)


def _names(life: Trajectory) -> list[str]:
    return [body.name for body in life.description.bodies]


def _title(life: Trajectory) -> str:
    return f"'{shown(life.description.name, lines=False)}', {counted(len(life.description.bodies), 'body', 'bodies')}"
