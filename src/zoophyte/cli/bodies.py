"""Which body the command line means: a file, or an inhabitant of the zoo."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from zoophyte.errors import nearest

if TYPE_CHECKING:
    from zoophyte.description import Description

ENDINGS = (".yaml", ".yml", ".xml", ".mjcf", ".urdf", ".xacro")
"""Of files that hold a body."""
ROOTS = ("fixed", "free")
NOTES_SHOWN = 20


def given_root(root: str) -> str:
    """How the outermost link of a robot is held, if it is one of `ROOTS`."""
    if root not in ROOTS:
        raise typer.BadParameter(f"'{root}' must be fixed or free. {nearest(root, ROOTS)}".rstrip())
    return root


Partial = Annotated[
    bool, typer.Option("--partial", help="Of MJCF and URDF, leave out what Zoophyte does not have.")
]
Root = Annotated[
    str,
    typer.Option(
        parser=given_root,
        metavar="fixed|free",
        help="Of URDF: whether the outermost link is fixed to the ground, or free.",
    ),
]


def is_file_of_body(body: str) -> bool:
    """Whether a file is meant, there or not, and no inhabitant of the zoo.

    Args:
        body: what was given.

    Raises:
        typer.BadParameter: when it is neither.
    """
    from zoophyte import zoo

    path = Path(body)
    if path.suffix.lower() in ENDINGS or (body and path.is_file()):
        return True
    if body not in zoo.names():
        how = (
            nearest(body, zoo.names())
            or f"`zoophyte zoo` lists the inhabitants; files end in {', '.join(ENDINGS)}."
        )
        raise typer.BadParameter(f"'{body}' is neither a file nor an inhabitant of the zoo. {how}")
    return False


def find_body(body: str, *, partial: bool = False, root: str = "fixed") -> Description:
    """The description that a file name or the name of an inhabitant stands for; tells on stderr what was left out.

    Args:
        body: what was given.
        partial: of MJCF and URDF, leave out what Zoophyte does not have.
        root: of URDF, "fixed" or "free".

    Raises:
        typer.BadParameter: when it is neither.
    """
    from zoophyte import zoo
    from zoophyte.description import load

    if not is_file_of_body(body):
        return zoo.get(body)
    description = load(body, partial=partial, root="free" if root == "free" else "fixed")
    if Path(body).suffix.lower() not in (".yaml", ".yml"):
        _tell(description.notes.splitlines()[1:])
    return description


def _tell(notes: list[str]) -> None:
    for line in notes[:NOTES_SHOWN]:
        print(f"zoophyte: {line}", file=sys.stderr)
    if len(notes) > NOTES_SHOWN:
        print(f"zoophyte: … and {len(notes) - NOTES_SHOWN} more.", file=sys.stderr)
