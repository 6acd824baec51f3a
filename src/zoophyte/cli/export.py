"""``zoophyte export``: a life or a body as a file of another kind."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from zoophyte.cli.output import as_size
from zoophyte.errors import UsageError, nearest

if TYPE_CHECKING:
    from zoophyte.description import Description

LIFE = ".npz"
MJCF, YAML = (".xml", ".mjcf"), (".yaml", ".yml")
FOREIGN = (*MJCF, ".urdf", ".xacro")
ROOTS = ("fixed", "free")
WARNINGS_SHOWN = 5


def export(
    file: Annotated[
        str,
        typer.Argument(
            metavar="FILE|NAME",
            help="A life (.npz), a body (.yaml, .xml, .urdf), or an inhabitant of the zoo.",
        ),
    ],
    out: Annotated[
        Path, typer.Argument(metavar="OUT", help="The file to write; its ending says what it becomes.")
    ],
    *,
    partial: Annotated[
        bool, typer.Option("--partial", help="Of MJCF and URDF, leave out what Zoophyte does not have.")
    ] = False,
    root: Annotated[
        str, typer.Option(help="Of URDF: whether the outermost link is fixed to the ground, or free.")
    ] = "fixed",
) -> None:
    """Write a life or a body as another kind of file: html, glb, png, gif, svg, csv; xml (MJCF) and yaml for bodies."""
    if root not in ROOTS:
        raise typer.BadParameter(f"--root is '{root}', must be fixed or free.")
    if out.exists() and Path(file).exists() and out.samefile(file):
        raise UsageError(f"{out}: this is the file that would be read; give the result another name.")
    ending = out.suffix.lower()
    is_life = Path(file).suffix.lower() == LIFE
    known = _known(is_life)
    if ending not in known:
        given = f"the file ending '{ending}' is unknown" if ending else "the file name has no ending"
        what = "a life becomes" if is_life else "a body becomes"
        how = "" if is_life else "Simulate the body first to get a life." if ending in _known(True) else ""
        raise UsageError(
            f"{out}: {given}: {what} {', '.join(known)}. {how or nearest(ending, known)}".rstrip()
        )
    if is_life and ending not in (*MJCF, *YAML):
        from zoophyte.simulation import Trajectory

        Trajectory.load(file).export(out)
    else:
        _write_body(_life_body(file) if is_life else _body(file, partial, root), out)
    print(f"wrote {out} ({as_size(out.stat().st_size)})")


def _known(is_life: bool) -> list[str]:
    """The endings that a life, or a body, can be written with."""
    if not is_life:
        return [*MJCF, *YAML]
    from zoophyte.simulation.exporters import exporter_endings

    return [*exporter_endings(), *MJCF, *YAML]


def _life_body(file: str) -> Description:
    from zoophyte.simulation import Trajectory

    return Trajectory.load(file).description


def _body(file: str, partial: bool, root: str) -> Description:
    """A body from its file or by its name; what an import left out is told on stderr."""
    from zoophyte.cli.simulate import find_body
    from zoophyte.description import load

    if Path(file).suffix.lower() not in FOREIGN:
        return find_body(file)
    description = load(file, partial=partial, root="free" if root == "free" else "fixed")
    for line in description.notes.splitlines()[1:]:
        print(f"zoophyte: {line}", file=sys.stderr)
    return description


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
