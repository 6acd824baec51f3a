"""``zoophyte replay``: a page that plays a recorded life."""

from __future__ import annotations

import sys
import webbrowser
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from zoophyte.cli.arguments import ENDINGS
from zoophyte.cli.output import as_size, given_path
from zoophyte.errors import counted

if TYPE_CHECKING:
    from zoophyte.simulation import Trajectory


def replay(
    file: Annotated[
        Path,
        typer.Argument(
            parser=given_path, metavar="FILE.npz", help="A life, as `zoophyte simulate` writes it."
        ),
    ],
    *,
    out: Annotated[
        Path | None,
        typer.Option(
            parser=given_path,
            metavar="FILE.html",
            help="The page to write; FILE.html next to FILE.npz if left out.",
        ),
    ] = None,
    compare: Annotated[
        Path | None,
        typer.Option(parser=given_path, metavar="OTHER.npz", help="Another life, drawn as a ghost."),
    ] = None,
    open_it: Annotated[bool, typer.Option("--open", help="Open the page in the browser.")] = False,
) -> None:
    """Write a page that plays a life: one file that any browser opens, without a network."""
    if file.suffix.lower() in ENDINGS or (not file.exists() and not file.suffix):
        raise typer.BadParameter(
            f"'{file}' is no life (.npz); `zoophyte simulate {file}` makes one of a body."
        )
    target = file.with_suffix(".html") if out is None else out
    if target.suffix.lower() not in (".html", ".htm"):
        raise typer.BadParameter(f"--out is '{target}', must end in .html.")
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
    write_replay(life, target, compare=other)
    print(f"wrote {target} ({as_size(target.stat().st_size)})")
    if not open_it or not webbrowser.open(target.resolve().as_uri()):
        print(f"open {target} in a browser")


def _names(life: Trajectory) -> list[str]:
    return [body.name for body in life.description.bodies]


def _title(life: Trajectory) -> str:
    return f"'{life.description.name}', {counted(len(life.description.bodies), 'body', 'bodies')}"
