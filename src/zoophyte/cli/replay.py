"""``zoophyte replay``: a page that plays a recorded life."""

from __future__ import annotations

import webbrowser
from pathlib import Path
from typing import Annotated

import typer

from zoophyte.cli.output import as_size


def replay(
    file: Annotated[
        Path, typer.Argument(metavar="FILE.npz", help="A life, as `zoophyte simulate` writes it.")
    ],
    *,
    out: Annotated[
        Path | None, typer.Option(help="The page to write; FILE.html next to FILE.npz if left out.")
    ] = None,
    compare: Annotated[
        Path | None, typer.Option(metavar="OTHER.npz", help="Another life, drawn as a ghost.")
    ] = None,
    open_it: Annotated[bool, typer.Option("--open", help="Open the page in the browser.")] = False,
) -> None:
    """Write a page that plays a life: one file that any browser opens, without a network."""
    target = file.with_suffix(".html") if out is None else out
    if target.suffix.lower() not in (".html", ".htm"):
        raise typer.BadParameter(f"--out is '{target}', must end in .html.")
    from zoophyte.export.page import write_replay
    from zoophyte.simulation import Trajectory

    life = Trajectory.load(file)
    other = None if compare is None else Trajectory.load(compare)
    write_replay(life, target, compare=other)
    print(f"wrote {target} ({as_size(target.stat().st_size)})")
    if not open_it or not webbrowser.open(target.resolve().as_uri()):
        print(f"open {target} in a browser")
