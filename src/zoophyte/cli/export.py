"""``zoophyte export``: a life, a body or the best of a run as a file of another kind."""

from __future__ import annotations

import math
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from zoophyte.cli.arguments import LIFE, Partial, Root, find_body, is_file_of_body, named_scene
from zoophyte.cli.evolution.files import RUN, TABLES, export_run, open_run, write_best
from zoophyte.cli.output import as_size, given_path, progress_of, wrong_usage
from zoophyte.errors import UsageError, nearest

if TYPE_CHECKING:
    from zoophyte.description import Description
    from zoophyte.simulation import Trajectory
    from zoophyte.zoo.scenes import Scene

MJCF, YAML = (".xml", ".mjcf"), (".yaml", ".yml")
WARNINGS_SHOWN = 5
LOOKS = {"time": (".png",), "ghosts": (".png",), "camera": (".png", ".gif"), "size": (".png", ".gif")}
"""Options of pictures, and the endings that they go with."""
PICTURE, LOOKS_OF_BODIES = ".png", ("camera", "size")


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
    time: Annotated[
        float | None, typer.Option(metavar="SECONDS", help="Of a png: which moment; the middle if left out.")
    ] = None,
    camera: Annotated[
        str | None,
        typer.Option(
            metavar="VIEW|X,Y,Z,X,Y,Z",
            help="Of a png or gif: auto, three_quarter, front, side, top or follow; or six numbers [m], where the camera "
            "stands and what it looks at.",
        ),
    ] = None,
    size: Annotated[
        str | None, typer.Option(metavar="WIDTHxHEIGHT", help="Of a png or gif, in pixels, as 1920x1080.")
    ] = None,
    ghosts: Annotated[
        bool | None, typer.Option("--ghosts/--no-ghosts", help="Of a png: pale copies of moments before.")
    ] = None,
    best: Annotated[
        int | None,
        typer.Option(help="Of a run that becomes yaml or html: how many of the best; 1 if left out."),
    ] = None,
    partial: Partial = False,
    root: Root = "fixed",
) -> None:
    """Write a life or a body as another kind of file: html, glb, png, gif, svg, csv, xml; png, xml (MJCF), yaml for bodies.

    The xml of a life holds its ground, its step and its first pose; what its actuators were told lies beside it, in a table
    (NAME.ctrl.csv). What MuJoCo cannot say is printed. Of a run it is the champion's life; or its best as a population
    (yaml), or everyone in it as a table (csv, parquet).
    """
    if target is None and option is None:
        raise typer.BadParameter("Missing argument 'OUT': the file to write; or give it with -o.")
    if target is not None and option is not None:
        raise typer.BadParameter("give the file to write once: as OUT, or with -o.")
    out = target or option
    assert out is not None
    is_life, is_run = (Path(file).suffix.lower() == ending for ending in (LIFE, RUN))
    looks = _looks(out, is_life or is_run, time=time, camera=camera, size=size, ghosts=ghosts)
    if is_run:
        _write_run(Path(file), out, best, looks)
        print(f"wrote {out} ({as_size(out.stat().st_size)})")
        return
    if best is not None:
        raise typer.BadParameter(f"--best goes with a run ({RUN}).")
    from zoophyte.description.files import missing_file
    from zoophyte.simulation import Trajectory

    if (is_life or is_file_of_body(file)) and not Path(file).exists():  # before anything is said about OUT
        raise missing_file(file)
    if out.exists() and Path(file).exists() and out.samefile(file):
        raise UsageError(f"{out}: this is the file that would be read; give the result another name.")
    ending = out.suffix.lower()
    known = _known(is_life)
    if ending not in known:
        raise typer.BadParameter(_unknown_ending(out, is_life))
    if is_life:
        _write_life(Trajectory.load(file), out, looks)
    elif ending in MJCF and not is_file_of_body(file):
        _write_scene(named_scene(file), out)
    else:
        _write_body(find_body(file, partial=partial, root=root), out, looks)
    print(f"wrote {out} ({as_size(out.stat().st_size)})")


def _looks(out: Path, is_life: bool, **given: Any) -> dict[str, Any]:
    """The options that say how a picture looks, read; none may be given for what is no picture."""
    ending = out.suffix.lower()
    looks = {name: value for name, value in given.items() if value is not None}
    for name in looks:
        option = "--ghosts" if name == "ghosts" else f"--{name}"
        fitting = LOOKS[name]
        of_body = not is_life and name in LOOKS_OF_BODIES and ending == PICTURE
        if not of_body and (not is_life or ending not in fitting):
            raise typer.BadParameter(
                f"{option} goes with a life that becomes {' or '.join(fitting)}, not with {out}."
            )
    if "time" in looks and not math.isfinite(looks["time"]):
        raise typer.BadParameter(f"--time is {looks['time']:g}, must be a finite number of seconds.")
    if "size" in looks:
        looks["size"] = _size(looks["size"])
    if "camera" in looks:
        looks["camera"] = _camera(looks["camera"])
    return looks


def _size(text: str) -> tuple[int, int]:
    found = re.fullmatch(r"(\d{1,9})[x×,](\d{1,9})", text.strip())
    if found is None:
        raise typer.BadParameter(f"--size is '{text}', must be width and height in pixels: --size 1920x1080")
    return int(found[1]), int(found[2])


def _camera(text: str) -> Any:
    """The name of a view, which the renderer judges, or a camera."""
    if "," not in text:
        return text
    from zoophyte.export import Camera

    try:
        numbers = [float(part) for part in text.split(",")]
    except ValueError:
        numbers = []
    if len(numbers) != 6:
        raise typer.BadParameter(
            f"--camera is '{text}', must be a view, or six numbers: where the camera stands and what it looks at, as "
            "--camera 2,-3,1,0,0,0.5"
        )
    eye, target = numbers[:3], numbers[3:]
    camera = Camera((eye[0], eye[1], eye[2]), (target[0], target[1], target[2]))
    with wrong_usage():
        camera.axes()
    return camera


def _write_run(file: Path, out: Path, best: int | None, looks: dict[str, Any]) -> None:
    """A run as a population or a table, or the life or the body of its champion."""
    ending = out.suffix.lower()
    from zoophyte.evolution.report.gallery import settling_of

    of_life = set(_known(True)) - {*YAML, *TABLES}
    if ending not in {*of_life, *YAML, *TABLES}:
        raise typer.BadParameter(
            f"{out}: a run becomes .yaml (its best), .csv or .parquet (everyone), or of its champion: "
            f"{', '.join(sorted(of_life))}."
        )
    if best is not None and not 1 <= best <= (math.inf if ending in (*YAML, ".html") else 1):
        raise typer.BadParameter(f"--best is {best}, must be 1, or more with .yaml and .html.")
    run = open_run(file)
    if ending in (*YAML, *TABLES):
        export_run(run, out, best)
    elif ending == ".html":
        write_best(run, best or 1, out)
    elif ending in MJCF:
        _tell_notes(run.relive(run.best(), record_rate=None).export(out))
    else:
        life = run.relive(run.best())
        if ending == PICTURE and "time" not in looks:
            looks = {**looks, "time": _telling_time(life, settling_of(run))}
        _write_life(life, out, looks)


def _telling_time(life: Trajectory, settled: float) -> float:
    """When the champion does what it was bred for: not in the middle of the life, where it may still be lying."""
    from zoophyte.export.framing import telling_frame
    from zoophyte.export.scene import scene_of

    scene = scene_of(life, rate=120.0)
    return float(scene.times[telling_frame(scene, settled)])


def _write_life(life: Trajectory, out: Path, looks: dict[str, Any]) -> None:
    if out.suffix.lower() in YAML:
        _write_body(life.description, out)
        return
    if not looks and out.suffix.lower() != ".gif":
        _tell_notes(life.export(out))
        return
    from zoophyte.export.picture import write_gif, write_png

    if out.suffix.lower() == ".gif":
        with wrong_usage(), progress_of("drawing") as progress:
            write_gif(life, out, progress=progress, **looks)
    else:
        with wrong_usage():
            write_png(life, out, **looks)


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
        return [*MJCF, *YAML, PICTURE]
    from zoophyte.simulation.exporters import exporter_endings

    return [*exporter_endings(), *YAML]


def _write_body(description: Description, out: Path, looks: dict[str, Any] | None = None) -> None:
    if out.suffix.lower() in YAML:
        description.save(out)
        return
    if out.suffix.lower() == PICTURE:
        from zoophyte.export.picture import write_body_png
        from zoophyte.model import compile as compiled

        with wrong_usage():
            write_body_png(compiled(description), out, **(looks or {}))
        return
    from zoophyte.export.mjcf import write_mjcf

    _tell_notes(write_mjcf(description, out))


def _write_scene(scene: Scene, out: Path) -> None:
    """An inhabitant of the zoo as MJCF: where it lives, how its life begins, and what drives it."""
    if not scene.is_staged:
        _write_body(scene.description, out)
        return
    with wrong_usage(), progress_of("simulating") as progress:
        notes = scene.export(out, progress=progress)
    _tell_notes(notes)


def _tell_notes(notes: Sequence[str]) -> None:
    """What a format cannot hold."""
    for note in notes[:WARNINGS_SHOWN]:
        print(f"zoophyte: MuJoCo cannot say: {note}", file=sys.stderr)
    if len(notes) > WARNINGS_SHOWN:
        more = len(notes) - WARNINGS_SHOWN
        print(f"zoophyte: … and {more} more, which stand in the file as comments.", file=sys.stderr)
