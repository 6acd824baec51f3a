"""Which ground the command line means: a word, a word with a number, or a file of heights."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from zoophyte.cli.output import wrong_usage
from zoophyte.errors import nearest

if TYPE_CHECKING:
    from zoophyte.model import Plane, Terrain

WORDS = ("plane", "none", "slope", "steps", "bumps")
ENDINGS = (".npz", ".png")
SLOPE, STEEPEST = 10.0, 80.0  # degrees
STEPS = 10
HELP = "plane, none, slope:DEGREES, steps:COUNT, bumps:SEED, or a file of heights: .npz, or a grey .png (white is high)."


def find_ground(
    text: str, *, spacing: float | None = None, height: float | None = None
) -> Plane | Terrain | None:
    """The ground that a word or the name of a file stands for.

    Args:
        text: what was given.
        spacing: of the points in a file [m].
        height: of white above black in a picture, or a factor of the heights in an archive [m].

    Raises:
        typer.BadParameter: when it is neither.
        FileError: says what is wrong with the file.
    """
    from zoophyte.model import Plane, Terrain, load_terrain

    if Path(text).suffix.lower() in ENDINGS:
        with wrong_usage("On the command line: --ground-spacing 0.1." if spacing is None else ""):
            return load_terrain(text, spacing=spacing, scale=1.0 if height is None else height)
    if spacing is not None or height is not None:
        raise typer.BadParameter(
            "--ground-spacing and --ground-height go with a file of heights in --ground."
        )
    word, colon, number = text.partition(":")
    if word not in WORDS or (colon and word in ("plane", "none")):
        raise typer.BadParameter(f"--ground is '{text}', must be {HELP} {nearest(word, WORDS)}".rstrip())
    with wrong_usage():
        if word == "slope":
            degrees = _number(text, number, SLOPE)
            if not abs(degrees) <= STEEPEST:
                raise typer.BadParameter(f"--ground is '{text}'; a slope lies between -80 and 80 degrees.")
            return Terrain.slope(math.radians(degrees))
        if word == "steps":
            return Terrain.steps(_whole(text, number, STEPS))
        if word == "bumps":
            return Terrain.bumps(seed=_whole(text, number, 0))
    return Plane() if word == "plane" else None


def _number(text: str, number: str, default: float) -> float:
    try:
        return float(number) if number else default
    except ValueError:
        raise typer.BadParameter(f"--ground is '{text}'; a number must stand behind the colon.") from None


def _whole(text: str, number: str, default: int) -> int:
    try:
        return int(number) if number else default
    except ValueError:
        raise typer.BadParameter(
            f"--ground is '{text}'; a whole number must stand behind the colon."
        ) from None
