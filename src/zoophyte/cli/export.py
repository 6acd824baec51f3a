"""``zoophyte export``: a life, a body or the best of a run as a file of another kind."""

from __future__ import annotations

import math
import re
import sys
from collections.abc import Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from zoophyte.cli.arguments import (
    LIFE,
    Background,
    Ghosts,
    Grid,
    GroundColour,
    NoGhosts,
    Partial,
    Proxies,
    Root,
    Sky,
    find_body,
    find_look,
    is_file_of_body,
    named_scene,
)
from zoophyte.cli.evolution.files import RUN, TABLES, Trust, champion_body, export_run, open_run, write_best
from zoophyte.cli.output import as_size, given_path, progress_of, wrong_usage
from zoophyte.errors import UsageError, counted, nearest, shown

if TYPE_CHECKING:
    from zoophyte.description import Description
    from zoophyte.simulation import Trajectory
    from zoophyte.zoo.scenes import Scene

MJCF, URDF, YAML = (".xml", ".mjcf"), (".urdf",), (".yaml", ".yml")
WARNINGS_SHOWN = 5
PICTURE, FILMS = ".png", (".gif", ".mp4")
LOOKS = {
    "time": (PICTURE,), "camera": (PICTURE, *FILMS), "size": (PICTURE, *FILMS), "rate": (".mp4",),
    "since": FILMS, "until": FILMS,
    "look": (PICTURE, *FILMS, ".svg", ".html"),
}  # fmt: skip
"""Options of pictures, and the endings that they go with."""
OPTIONS = {"since": "--from", "until": "--to"}
"""Those whose names are others on the command line."""
LOOKS_OF_BODIES = ("camera", "size", "look")

Time = Annotated[
    float | None, typer.Option(metavar="SECONDS", help="Of a png: which moment; the middle if left out.")
]
CameraWords = Annotated[
    str | None,
    typer.Option(
        metavar="VIEW|X,Y,Z,X,Y,Z",
        help="Of a png, gif or mp4: auto, three_quarter, front, side, top or follow; or six numbers [m], where the camera "
        "stands and what it looks at.",
    ),
]
Size = Annotated[
    str | None, typer.Option(metavar="WIDTHxHEIGHT", help="Of a png, gif or mp4, in pixels, as 1920x1080.")
]
Rate = Annotated[
    float | None, typer.Option(metavar="HZ", help="Of an mp4: frames per second; 30 if left out.")
]

From = Annotated[
    float | None, typer.Option("--from", metavar="SECONDS", help="Of a gif or mp4: where the film begins.")
]
To = Annotated[
    float | None,
    typer.Option("--to", metavar="SECONDS", help="Where it ends; a gif takes up to 12 s, an mp4 60."),
]


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
    time: Time = None,
    camera: CameraWords = None,
    size: Size = None,
    rate: Rate = None,
    since: From = None,
    until: To = None,
    ground_colour: GroundColour = None,
    sky: Sky = None,
    background: Background = None,
    grid: Grid = True,
    ghosts: Ghosts = None,
    no_ghosts: NoGhosts = False,
    best: Annotated[
        int | None,
        typer.Option(
            help="Of a run: how many of the best; 1 if left out. With it, yaml is a population: genomes, to evolve on with."
        ),
    ] = None,
    partial: Partial = False,
    root: Root = "fixed",
    proxies: Proxies = False,
    trust: Trust = None,
) -> None:
    """Write a life or a body as another kind of file: html, glb, png, gif, mp4, svg, csv, xml; bodies: png, xml, urdf, yaml.

    The xml of a life holds its ground, its step and its first pose; what its actuators were told lies beside it, in a table
    (NAME.ctrl.csv). What another format cannot say is printed. Of a run it is the champion's life or body; with --best its
    best as a population (yaml); or everyone in it as a table (csv, parquet).
    """
    out = _given_once(target, option)
    is_life, is_run = (Path(file).suffix.lower() == ending for ending in (LIFE, RUN))
    look = find_look(ground_colour, sky, background, grid=grid, ghosts=0 if no_ghosts else ghosts)
    given_looks = {"time": time, "camera": camera, "size": size, "rate": rate, "look": look}
    looks = _looks(out, is_life or is_run, **given_looks, since=since, until=until)
    before = _beside(out)
    if is_run:
        _write_run(Path(file), out, best, looks, trust)
        _tell_written(out, before)
        return
    for option_name, given in (("--best", best), ("--trust", trust)):
        if given:
            raise typer.BadParameter(f"{option_name} goes with a run ({RUN}).")
    from zoophyte.simulation import Trajectory

    _refuse_unreadable(file, out, is_file=is_life or is_file_of_body(file))
    ending = out.suffix.lower()
    known = _known(is_life)
    if ending not in known:
        raise typer.BadParameter(_unknown_ending(out, is_life))
    if is_life:
        _write_life(Trajectory.load(file), out, looks)
    elif ending in MJCF and not is_file_of_body(file):
        _write_scene(named_scene(file), out)
    else:
        _write_body(find_body(file, partial=partial, root=root, proxies=proxies), out, looks)
    _tell_written(out, before)


def _beside(out: Path) -> dict[Path, int]:
    """When the files that a format puts beside its own were written last: a table of commands, meshes."""
    if out.suffix.lower() in MJCF:
        from zoophyte.export.mjcf.life import table_beside

        found = [table_beside(out)]
    elif out.suffix.lower() in URDF:
        from zoophyte.export.urdf import meshes_beside

        found = sorted(meshes_beside(out).glob("*.obj"))
    else:
        found = []
    return {path: path.stat().st_mtime_ns for path in found if path.exists()}


def _tell_written(out: Path, before: dict[Path, int]) -> None:
    """The file that was written, and those that belong to it and must go where it goes."""
    print(f"wrote {out} ({as_size(out.stat().st_size)})")
    written = [path for path, when in _beside(out).items() if before.get(path) != when]
    size = as_size(sum(path.stat().st_size for path in written))
    if out.suffix.lower() in URDF and written:
        print(f"wrote {written[0].parent}/ ({counted(len(written), 'mesh', 'meshes')}, {size})")
    elif written:
        print(f"wrote {written[0]} ({size})")


def _given_once(target: Path | None, option: Path | None) -> Path:
    """The file to write, given as an argument or as an option."""
    if target is not None and option is not None:
        raise typer.BadParameter("give the file to write once: as OUT, or with -o.")
    out = target or option
    if out is None:
        raise typer.BadParameter("Missing argument 'OUT': the file to write; or give it with -o.")
    return out


def _refuse_unreadable(file: str, out: Path, *, is_file: bool) -> None:
    """Refuse a file that is not there, before anything is said about OUT, and one that would be overwritten."""
    from zoophyte.description.files import missing_file

    if is_file and not Path(file).exists():
        raise missing_file(file)
    if out.exists() and Path(file).exists() and out.samefile(file):
        raise UsageError(f"{out}: this is the file that would be read; give the result another name.")


def _looks(out: Path, is_life: bool, **given: Any) -> dict[str, Any]:
    """The options that say how a picture looks, read; none may be given for what is no picture."""
    ending = out.suffix.lower()
    looks = {name: value for name, value in given.items() if value is not None}
    for name in looks:
        option = (
            "a look (--ground-colour, --sky, --background, --no-grid, --ghosts)"
            if name == "look"
            else OPTIONS.get(name, f"--{name}")
        )
        fitting = LOOKS[name]
        of_body = not is_life and name in LOOKS_OF_BODIES and ending == PICTURE
        if not of_body and (not is_life or ending not in fitting):
            raise typer.BadParameter(
                f"{option} goes with a life that becomes {' or '.join(fitting)}, not with {out}."
            )
    if "look" in looks and not is_life and looks["look"].ghosts:
        raise typer.BadParameter(
            "--ghosts goes with a life; a body that does not move yet was nowhere before."
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


def _write_run(
    file: Path, out: Path, best: int | None, looks: dict[str, Any], trust: list[str] | None
) -> None:
    """A run as a population or a table, or the life or the body of its champion."""
    ending = out.suffix.lower()
    from zoophyte.evolution.report.gallery import settling_of

    of_life = set(_known(True)) - {*YAML, *TABLES}
    if ending not in {*of_life, *YAML, *TABLES}:
        raise typer.BadParameter(
            f"{out}: a run becomes .csv or .parquet (everyone), .yaml with --best (a population), or of its champion: "
            f"{', '.join(sorted({*of_life, *YAML}))}."
        )
    if best is not None and not 1 <= best <= (math.inf if ending in (*YAML, ".html") else 1):
        raise typer.BadParameter(f"--best is {best}, must be 1, or more with .yaml and .html.")
    population = ending in TABLES or (ending in YAML and best is not None)
    run = open_run(file, trust, lives=not population)
    if population:
        export_run(run, out, best)
    elif ending == ".html":
        write_best(run, best or 1, out, looks.get("look"))
    elif ending in MJCF:
        _tell_notes(run.relive(run.best(), record_rate=None).export(out))
    elif ending in (*URDF, *YAML):
        _write_body(champion_body(run), out)
        print(
            f"zoophyte: {out} holds the champion's body. Its controller stays in {file}: `zoophyte export {file} life.npz` "
            "lives with it; --best 1 and a .yaml keep the genome, from which both grow.",
            file=sys.stderr,
        )
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
    if out.suffix.lower() in (*URDF, *YAML):
        _write_body(life.description, out)
    elif out.suffix.lower() in FILMS:
        with wrong_usage(), progress_of("drawing") as progress:
            life.export(out, progress=progress, **looks)
        _tell_cut(life, out, looks)
    else:
        with wrong_usage() if looks else nullcontext():
            notes = life.export(out, **looks)
        _tell_notes(notes)


def _tell_cut(life: Trajectory, out: Path, looks: dict[str, Any]) -> None:
    """Say what a film leaves out of the seconds that were asked for."""
    from zoophyte.export.picture.files import GIF_FRAMES, GIF_RATE, film_span
    from zoophyte.export.video import MP4_SECONDS

    longest = GIF_FRAMES / GIF_RATE if out.suffix.lower() == ".gif" else MP4_SECONDS
    since, until = looks.get("since"), looks.get("until")
    (first, last), (_, end) = (film_span(life, most, since, until) for most in (longest, math.inf))
    if end - last > 1e-6:
        print(
            f"zoophyte: {out} shows the first {last - first:g} of {end - first:.6g} s; --from and --to choose others.",
            file=sys.stderr,
        )


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
        return [*MJCF, *URDF, *YAML, PICTURE]
    from zoophyte.simulation.exporters import exporter_endings

    return [*exporter_endings(), *URDF, *YAML]


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
    if out.suffix.lower() in URDF:
        from zoophyte.export.urdf import write_urdf

        _tell_notes(write_urdf(description, out), "URDF")
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


def _tell_notes(notes: Sequence[str], who: str = "MuJoCo") -> None:
    """What another format cannot hold."""
    for note in notes[:WARNINGS_SHOWN]:
        print(f"zoophyte: {who} cannot say: {shown(note)}", file=sys.stderr)
    if len(notes) > WARNINGS_SHOWN:
        more = len(notes) - WARNINGS_SHOWN
        print(f"zoophyte: … and {more} more, which stand in the file as comments.", file=sys.stderr)
