"""``zoophyte export``: a life, a body or the best of a run as a file of another kind."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from zoophyte.cli.arguments import LIFE, Partial, Root, find_body, is_file_of_body
from zoophyte.cli.evolution.files import RUN, export_run
from zoophyte.cli.output import as_size, given_path
from zoophyte.errors import UsageError, nearest

if TYPE_CHECKING:
    from zoophyte.description import Description

MJCF, YAML = (".xml", ".mjcf"), (".yaml", ".yml")
WARNINGS_SHOWN = 5


def export(
    file: Annotated[
        str,
        typer.Argument(
            metavar="FILE|NAME",
            help="A life (.npz), a body (.yaml, .xml, .urdf), an inhabitant of the zoo, or a run (.db).",
        ),
    ],
    target: Annotated[
        Path | None,
        typer.Argument(
            parser=given_path, metavar="OUT", help="The file to write; its ending says what it becomes."
        ),
    ] = None,
    *,
    option: Annotated[
        Path | None, typer.Option("--out", "-o", parser=given_path, metavar="OUT", help="The same as OUT.")
    ] = None,
    best: Annotated[int | None, typer.Option(help="Of a run: how many of the best; 1 if left out.")] = None,
    partial: Partial = False,
    root: Root = "fixed",
) -> None:
    """Write a life or a body as another kind of file: html, glb, png, gif, svg, csv; xml (MJCF) and yaml for bodies.

    A run becomes a population (yaml) or a table of everyone in it (csv, parquet).
    """
    if target is None and option is None:
        raise typer.BadParameter("Missing argument 'OUT': the file to write; or give it with -o.")
    if target is not None and option is not None:
        raise typer.BadParameter("give the file to write once: as OUT, or with -o.")
    out = target or option
    assert out is not None
    if Path(file).suffix.lower() == RUN:
        export_run(Path(file), out, best)
        print(f"wrote {out} ({as_size(out.stat().st_size)})")
        return
    if best is not None:
        raise typer.BadParameter(f"--best goes with a run ({RUN}).")
    from zoophyte.description.files import missing_file

    is_life = Path(file).suffix.lower() == LIFE
    if (is_life or is_file_of_body(file)) and not Path(file).exists():  # before anything is said about OUT
        raise missing_file(file)
    if out.exists() and Path(file).exists() and out.samefile(file):
        raise UsageError(f"{out}: this is the file that would be read; give the result another name.")
    ending = out.suffix.lower()
    known = _known(is_life)
    if ending not in known:
        raise typer.BadParameter(_unknown_ending(out, is_life))
    if is_life and ending not in (*MJCF, *YAML):
        from zoophyte.simulation import Trajectory

        Trajectory.load(file).export(out)
    else:
        _write_body(_life_body(file) if is_life else find_body(file, partial=partial, root=root), out)
    print(f"wrote {out} ({as_size(out.stat().st_size)})")


def _unknown_ending(out: Path, is_life: bool) -> str:
    """What is wrong with the name of the file to write, and what to do."""
    ending, known = out.suffix.lower(), _known(is_life)
    if not is_life and ending in _known(True):
        body = f"a body becomes {', '.join(known)}; only a life becomes {ending}."
        return f"{out}: {body} `zoophyte simulate` makes a life (.npz) of a body."
    given = f"the file ending '{ending}' is unknown" if ending else "the file name has no ending"
    what = "a life becomes" if is_life else "a body becomes"
    return f"{out}: {given}: {what} {', '.join(known)}. {nearest(ending, known)}".rstrip()


def _known(is_life: bool) -> list[str]:
    """The endings that a life, or a body, can be written with."""
    if not is_life:
        return [*MJCF, *YAML]
    from zoophyte.simulation.exporters import exporter_endings

    return [*exporter_endings(), *MJCF, *YAML]


def _life_body(file: str) -> Description:
    from zoophyte.simulation import Trajectory

    return Trajectory.load(file).description


def _write_body(description: Description, out: Path) -> None:
    if out.suffix.lower() in YAML:
        description.save(out)
        return
    from zoophyte.export.mjcf import write_mjcf

    warnings = write_mjcf(description, out)
    for warning in warnings[:WARNINGS_SHOWN]:
        print(f"zoophyte: MuJoCo cannot say: {warning}", file=sys.stderr)
    if len(warnings) > WARNINGS_SHOWN:
        more = len(warnings) - WARNINGS_SHOWN
        print(f"zoophyte: … and {more} more, which stand in the file as comments.", file=sys.stderr)
