"""``zoophyte simulate``: one life, its numbers, its files."""

from __future__ import annotations

import math
import os
import re
import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from zoophyte.cli.arguments import (
    Friction,
    Gravity,
    Ground,
    GroundHeight,
    GroundSpacing,
    Partial,
    Proxies,
    Restitution,
    Root,
    find_controller,
    find_ground,
    find_scene,
    find_surface,
    three_numbers,
)
from zoophyte.cli.output import (
    as_duration,
    as_size,
    given_path,
    print_facts,
    print_json,
    progress_of,
    wrong_usage,
)
from zoophyte.errors import FileError, UsageError, counted, nearest, shown

if TYPE_CHECKING:
    from zoophyte.simulation import Trajectory, World
    from zoophyte.zoo.scenes import Scene

INTEGRATOR_NAMES = ("auto", "semi_implicit", "rk4", "rkf45", "implicit", "ros2")
OVERLAPS = ("refuse", "resolve")
Given = Annotated[
    str,
    typer.Argument(
        metavar="FILE|NAME",
        help="A description (.yaml), a MuJoCo model (.xml), a robot (.urdf), or an inhabitant of the zoo.",
    ),
]
Seconds = Annotated[
    float | None,
    typer.Option(
        help="How long to live, in seconds; a life ends on a whole step. 10 if left out, or as the zoo has it."
    ),
]
Step = Annotated[
    float | None, typer.Option(help="Step, in seconds; 0.001 if left out, or as the zoo has it.")
]
Integrator = Annotated[
    str,
    typer.Option(
        help="semi_implicit, rk4, rkf45, implicit, ros2, or auto: implicit for bodies that touch or are bound, "
        "else ros2 for those with springs, dampers or servos, else rk4."
    ),
]
RecordRate = Annotated[
    float | None,
    typer.Option(
        help="Frames to keep per second; every step if left out, or as the zoo has it. Frames fall on whole steps, so "
        "the nearest rate that divides the steps is taken."
    ),
]
Overlap = Annotated[
    str,
    typer.Option(
        metavar="refuse|resolve",
        help="What to do with overlapping shapes, open constraints and joints beyond limits at the start: refuse, or move "
        "them where they belong.",
    ),
]
Slots = Annotated[
    int | None,
    typer.Option(
        min=1,
        max=10**6,
        help="Contacts at one time, for which there is room; chosen from the shapes if left out, or as the zoo has it.",
    ),
]
Sweeps = Annotated[
    int | None,
    typer.Option(
        min=1,
        max=10**6,
        help="How long contacts are solved at most in a step; more for unlike masses and tall stacks. 30 if left out, or as "
        "the zoo has it.",
    ),
]
Controller = Annotated[
    str | None,
    typer.Option(
        metavar="sine|hold",
        help="What moves all joints that have an actuator or are driven: hold keeps the initial pose. What the zoo has, or "
        "nothing, if left out.",
    ),
]
Amplitude = Annotated[
    float | None,
    typer.Option(
        help="Of --controller: how far sines swing, 0.5 if left out; or what all joints hold instead of the initial pose. "
        "rad or m of servos and driven joints; of motors the input."
    ),
]
Frequency = Annotated[float | None, typer.Option(help="Of --controller sine, in Hz; 1 if left out.")]
Out = Annotated[
    Path,
    typer.Option(parser=given_path, metavar="DIR", help="Folder for the files; made if it is not there."),
]
Table = Annotated[bool, typer.Option("--csv", help="Write the states as a table (csv), too: often large.")]
Seed = Annotated[int | None, typer.Option(help="Kept with the result; nothing here is left to chance yet.")]


def simulate(
    body: Given,
    *,
    seconds: Seconds = None,
    dt: Step = None,
    integrator: Integrator = "auto",
    record_rate: RecordRate = None,
    gravity: Gravity = None,
    ground: Ground = None,
    ground_spacing: GroundSpacing = None,
    ground_height: GroundHeight = None,
    friction: Friction = None,
    restitution: Restitution = None,
    overlap: Overlap = "refuse",
    slots: Slots = None,
    sweeps: Sweeps = None,
    controller: Controller = None,
    amplitude: Amplitude = None,
    frequency: Frequency = None,
    out: Out = Path("out"),
    csv: Table = False,
    seed: Seed = None,
    partial: Partial = False,
    root: Root = "fixed",
    proxies: Proxies = False,
    json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Simulate one life; write its states (npz), a plot of its energy (svg) and a page that replays it (html)."""
    pull = None if gravity is None else three_numbers(gravity)
    _refuse_numbers(seconds=seconds, dt=dt, record_rate=record_rate, ground_spacing=ground_spacing)
    _refuse_words("--integrator", integrator, INTEGRATOR_NAMES)
    _refuse_words("--overlap", overlap, OVERLAPS)
    surface = find_surface(friction, restitution)
    mover = find_controller(controller, amplitude, frequency)
    scene = find_scene(body, partial=partial, root=root, proxies=proxies)
    habitat = scene.habitat if pull is None else replace(scene.habitat, gravity=pull)
    if not (ground is None and ground_spacing is None and ground_height is None):
        earth = find_ground(ground or "plane", spacing=ground_spacing, height=ground_height)
        habitat = replace(habitat, ground=earth)
    if surface is not None:
        habitat = replace(habitat, surface=surface)
        scene.description.surface = scene.description.surface or surface
    scene = replace(
        scene, habitat=habitat, dt=dt or scene.dt, seconds=seconds or scene.seconds,
        controller=mover or scene.controller,
    )  # fmt: skip
    given = {name: count for name, count in (("slots", slots), ("sweeps", sweeps)) if count is not None}
    with wrong_usage():
        world = scene.world(integrator=integrator, overlap=overlap, **given)
    _note_of_ghosts(world, asked=ground is not None)
    _live(
        world,
        scene,
        record_rate or scene.record_rate,
        folder=writable_folder(out),
        csv=csv,
        seed=seed,
        json=json,
    )


def _note_of_ghosts(world: World, *, asked: bool) -> None:
    """Tell of a body that touches nothing before it falls through the ground, or if a ground was asked for."""
    model = world.model
    held = all(each.joint.kind != "free" for each in model.description.bodies)
    weightless = not any(world.habitat.gravity)
    if world.habitat.ground is None or model.shapes or (not asked and (held or weightless)):
        return
    falls = "" if held or weightless else " and it falls through the ground"
    name = shown(model.name, lines=False)
    print(
        f"zoophyte: {name} touches nothing: its shapes have no surface{falls}; --friction 0.8 gives them one.",
        file=sys.stderr,
    )


def _refuse_numbers(**given: float | None) -> None:
    for name, value in given.items():
        if value is not None and not (math.isfinite(value) and value > 0.0):
            option = f"--{name.replace('_', '-')}"
            raise typer.BadParameter(f"{option} is {value:g}, must be a finite number greater than 0.")


def _refuse_words(option: str, given: str, known: Sequence[str]) -> None:
    if given not in known:
        how = nearest(given, known)
        raise typer.BadParameter(f"{option} '{given}' is unknown. Known: {', '.join(known)}. {how}".rstrip())


def _live(
    world: World,
    scene: Scene,
    record_rate: float | None,
    *,
    folder: Path,
    csv: bool,
    seed: int | None,
    json: bool,
) -> None:
    """Live, write the files, and tell."""
    world.simulate(world.dt)  # compiles or loads the physics, so that it is not counted below
    start = time.perf_counter()
    with progress_of("simulating") as progress:
        state = scene.state(world.model)
        life = world.simulate(scene.seconds, state, record_rate=record_rate, progress=progress)
    wall = time.perf_counter() - start
    life = replace(life, seed=seed)
    files = _write(life, folder, csv=csv)
    numbers = _numbers(life, scene.seconds, record_rate, wall)
    if json:
        print_json({**numbers, "files": [os.fspath(path) for path in files]})
    else:
        sizes = [f"{path}  ({as_size(path.stat().st_size)})" for path in files]
        print_facts([*_facts(numbers), *zip(["files", *[""] * (len(sizes) - 1)], sizes, strict=True)])
        if files[-1].suffix == ".html":
            print(f"\nopen {files[-1]} in a browser")
    if not life.status.is_sound:
        print(f"zoophyte: {shown(life.description.name, lines=False)} {life.status}", file=sys.stderr)
        raise typer.Exit(1)


def writable_folder(folder: Path, option: str = "--out") -> Path:
    """The folder, made if need be, before any time is spent on simulating.

    Args:
        folder: its path.
        option: with which it was given.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as failure:
        why = (
            "it is a file"
            if isinstance(failure, FileExistsError)
            else (failure.strerror or str(failure)).lower()
        )
        raise FileError(
            f"{folder}: the folder cannot be made: {why}. Choose another with {option}."
        ) from None
    if not os.access(folder, os.W_OK | os.X_OK):
        raise FileError(f"{folder}: the folder cannot be written to. Choose another with {option}.")
    return folder


def refuse_unwritable(folder: Path, option: str) -> None:
    """Refuse a folder that could not be made or written to, and make nothing yet.

    Args:
        folder: its path.
        option: with which it was given.
    """
    there = next(place for place in (folder, *folder.resolve().parents) if place.exists())
    if not there.is_dir():
        raise FileError(f"{folder}: the folder cannot be made: it is a file. Choose another with {option}.")
    if not os.access(there, os.W_OK | os.X_OK):
        raise FileError(f"{folder}: the folder cannot be written to. Choose another with {option}.")


def _stride(record_rate: float | None, dt: float) -> int:
    """Steps from one frame to the next."""
    return 1 if record_rate is None else max(1, round(1.0 / (record_rate * dt)))


def _write(life: Trajectory, folder: Path, *, csv: bool) -> list[Path]:
    stem = re.sub(r"[^\w.-]+", "_", life.description.name).strip("._")[:80] or "life"
    npz, table, svg = (folder / f"{stem}{ending}" for ending in (".npz", ".csv", ".energy.svg"))
    life.save(npz)
    if csv:
        life.export(table)
    files = [npz, *([table] if csv else []), svg]
    parts = [name for name in ("kinetic", "potential", "elastic") if life.channels[name].any()]
    life.plot(["energy", *parts], path=svg)
    page = folder / f"{stem}.html"
    if reason := _no_page(life, page):  # the other files are there
        print(f"zoophyte: no replay page: {shown(reason)}", file=sys.stderr)
        return files
    return [*files, page]


def _no_page(life: Trajectory, page: Path) -> str:
    """Write the replay page, or say why there can be none: no player in this installation, or no finite frame.

    Raises:
        FileError: when it cannot be written, which is a failure and no reason to do without.
    """
    from zoophyte.export.page import player

    try:
        player()
    except FileError as failure:
        return str(failure)
    try:
        life.export(page)
    except UsageError as failure:
        return str(failure)
    return ""


def _numbers(life: Trajectory, asked: float, record_rate: float | None, wall: float) -> dict[str, Any]:
    """What there is to tell of a life; one that diverged lived until it was last sound."""
    energy, kinetic = life.channels["energy"], life.channels["kinetic"]
    lived, stride = life.status.time, _stride(record_rate, life.dt)
    return {
        "name": life.description.name,
        "bodies": len(life.description.bodies),
        "dofs": life.v.shape[1],
        "steps": round(lived / life.dt),
        "frames": len(life),
        "steps_per_frame": stride,
        "frames_per_second": 1.0 / (stride * life.dt),
        "frames_per_second_asked": record_rate,
        "seconds": lived,
        "seconds_asked": asked,
        "dt": life.dt,
        "integrator": life.integrator,
        "gravity": list(life.gravity),
        "wall_seconds": wall,
        "real_time_factor": lived / wall,
        "energy_start": float(energy[0]),
        "energy_end": float(energy[-1]),
        "energy_change": float(energy[-1] - energy[0]),
        "kinetic_peak": float(kinetic.max()),
        "status": str(life.status),
        "sound": life.status.is_sound,
        "seed": life.seed,
        "version": life.version,
    }


def _facts(n: dict[str, Any]) -> list[tuple[str, str]]:
    change, peak = n["energy_change"], n["kinetic_peak"]
    # What falls over and lies still loses more than it ever had in motion: a share would say nothing.
    share = f", {abs(change) / peak:.2g} of the largest kinetic energy" if abs(change) < peak else ""
    bodies, dofs = counted(n["bodies"], "body", "bodies"), counted(n["dofs"], "degree", "degrees")
    steps = f"{counted(n['steps'], 'step')} of {as_duration(n['dt'])}"
    lived = f"{n['seconds']:.6g} s in {steps}, {n['integrator']}"
    if n["seconds"] > n["seconds_asked"] + 1e-6 * n["dt"]:
        lived += f" ({n['seconds_asked']:.6g} s were asked; a life ends on a whole step)"
    rate, wanted = n["frames_per_second"], n["frames_per_second_asked"]
    every = "every step" if n["steps_per_frame"] == 1 else f"every {n['steps_per_frame']} steps"
    kept = f"{counted(n['frames'], 'frame')}, one {every}, {rate:.6g} per second"
    if wanted is not None and abs(rate - wanted) > 1e-6 * wanted:
        kept += f" ({wanted:.6g} were asked; frames fall on whole steps)"
    speed = (
        f", {n['real_time_factor']:.3g} times real time" if n["steps"] else ""
    )  # who did not live has none
    return [
        (n["name"], f"{bodies}, {dofs} of freedom"),
        ("simulated", lived),
        ("recorded", kept),
        ("wall time", as_duration(n["wall_seconds"]) + speed),
        ("energy", f"{n['energy_start']:.6g} J → {n['energy_end']:.6g} J (changed by {change:.3g} J{share})"),
        ("status", n["status"]),
    ]
