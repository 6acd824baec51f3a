"""``zoophyte zoo``: the bodies that come along."""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from zoophyte.cli.arguments import named_body, named_scene
from zoophyte.cli.output import (
    as_size,
    given_path,
    print_facts,
    print_json,
    print_table,
    with_progress,
    wrong_usage,
)
from zoophyte.cli.simulate import writable_folder
from zoophyte.errors import counted

if TYPE_CHECKING:
    from zoophyte.model import State
    from zoophyte.simulation import Trajectory, World
    from zoophyte.zoo.scenes import Scene

GALLERY_SECONDS, GALLERY_DT = 5.0, 2e-3
STILL = 0.02  # of its size; what moves less is given a push


def zoo(
    name: Annotated[str | None, typer.Argument(help="An inhabitant; all of them if left out.")] = None,
    *,
    yaml: Annotated[
        bool, typer.Option("--yaml", help="Print the inhabitant's description, to save and edit.")
    ] = False,
    json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    gallery: Annotated[
        Path | None,
        typer.Option(
            parser=given_path,
            metavar="DIR",
            help="Write a page into this folder that shows them all in motion.",
        ),
    ] = None,
) -> None:
    """List the bodies that come along, or show one, or write a page with all of them."""
    from zoophyte import zoo as inhabitants
    from zoophyte.evolution import showcase

    everyone = [*inhabitants.names(), *showcase.names()]
    if name is not None and name not in showcase.names():
        with wrong_usage():
            inhabitants.describe(name)
    if gallery is not None:
        if yaml or json:
            raise typer.BadParameter("--gallery writes a page; leave out --yaml and --json.")
        # The list begins with what is simple, a page with what is alive.
        liveliest = [*showcase.names(), *reversed(inhabitants.names())]
        _write_gallery([name] if name is not None else liveliest, gallery)
        return
    if yaml and (name is None or json):
        raise typer.BadParameter("--yaml needs the NAME of one inhabitant, and no --json.")
    if yaml:
        assert name is not None
        print(named_body(name).to_yaml(), end="")
        return
    entries = [_entry(each) for each in ([name] if name is not None else everyone)]
    if json:
        print_json(entries if name is None else entries[0])
    elif name is None:
        header = ("name", "bodies", "dofs", "mass", "")
        rows = [
            [e["name"], str(e["bodies"]), str(e["dofs"]), f"{e['mass']:.4g} kg", e["description"]]
            for e in entries
        ]
        print_table(header, rows, right=(1, 2, 3))
    else:
        entry = entries[0]
        print(_told(name))
        print()
        print_facts(
            [
                ("bodies", str(entry["bodies"])),
                ("dofs", str(entry["dofs"])),
                ("mass", f"{entry['mass']:.6g} kg"),
            ]
        )
        print(
            f"\nsimulate it: zoophyte simulate {name}\nedit it:     zoophyte zoo {name} --yaml > {name}.yaml"
        )


def _told(name: str) -> str:
    """All there is to say of an inhabitant; of an evolved one, how it was made."""
    from zoophyte import zoo as inhabitants
    from zoophyte.evolution import showcase

    if name not in showcase.names():
        return inspect.getdoc(getattr(inhabitants, name)) or ""
    made = showcase.about(name)
    settings = made.task["settings"]
    wait = ""
    if settings.get("settle", 0.0) > 0.0:
        first = "It begins to act after" if settings.get("passive") else "Its way is counted after"
        wait = f" {first} {settings['settle']:g} s of {settings['seconds']:g} s."
    run = f"Individual {made.number}, fitness {made.fitness:.4g}, of a run with Zoophyte {made.version}:"
    return f"{made.text}{wait}\n\n{run}\n{made.command}"


def _description(name: str) -> str:
    """One line."""
    from zoophyte import zoo as inhabitants
    from zoophyte.evolution import showcase

    return showcase.about(name).text if name in showcase.names() else inhabitants.describe(name)


def _entry(name: str) -> dict[str, Any]:
    bodies = named_body(name).bodies
    return {
        "name": name,
        "bodies": len(bodies),
        "dofs": sum(body.joint.dof_count for body in bodies),
        "mass": sum(body.mass_properties().mass for body in bodies),
        "description": _description(name),
    }


def _write_gallery(names: list[str], folder: Path) -> None:
    from zoophyte.export.page import player, write_gallery

    player()  # says so at once if it is missing
    scenes = [named_scene(name) for name in names]
    target = writable_folder(folder, "--gallery") / "gallery.html"
    shown = list(with_progress((_in_motion(each) for each in scenes), len(names), "simulating"))
    notes = [
        " · ".join(filter(None, (note, _description(each))))
        for each, (_, note) in zip(names, shown, strict=True)
    ]
    write_gallery([life for life, _ in shown], target, title="The zoo", notes=notes)
    print(f"wrote {target} ({as_size(target.stat().st_size)}): {counted(len(names), 'inhabitant')}")
    print(f"open {target} in a browser")


def _in_motion(scene: Scene) -> tuple[Trajectory, str]:
    """A few seconds of a life: pushed if it would stand still, without gravity if it would fall out of sight."""
    from zoophyte.simulation import Habitat, World

    if scene.is_staged:
        return scene.simulate(record_rate=60.0), ""
    roots = [body.joint.kind for body in scene.description.bodies if body.parent == "ground"]
    falls = "free" in roots
    habitat = Habitat((0.0, 0.0, 0.0)) if falls else Habitat()
    world = World(scene.description, habitat=habitat, dt=GALLERY_DT)
    note = "weightless" if falls else ""
    if not falls:
        life = world.simulate(GALLERY_SECONDS, record_rate=60.0)
        if _moves(life):
            return life, note
    life = world.simulate(GALLERY_SECONDS, _pushed(world), record_rate=60.0)
    return life, note or "pushed"


def _moves(life: Trajectory) -> bool:
    """Whether it is worth looking at."""
    import numpy as np

    from zoophyte.export import scene_of

    scene = scene_of(life, rate=5.0)
    size = float(np.linalg.norm(scene.bounds[1] - scene.bounds[0]))
    return bool(np.ptp(scene.com, axis=0).max() > STILL * size)


def _pushed(world: World) -> State:
    """The neutral state with a gentle turn of every joint, none like its neighbour's."""
    import numpy as np

    from zoophyte.model import State

    state = State.neutral(world.model)
    v = 0.35 * np.cos(2.4 * np.arange(world.model.nv))
    for body, first in zip(world.model.description.bodies, _first_dofs(world), strict=True):
        if body.joint.kind == "free":
            v[first : first + 6] = (0.1, 1.6, 0.15, 0.0, 0.0, 0.0)
    return state.at(state.q, v)


def _first_dofs(world: World) -> list[int]:
    counts = [body.joint.dof_count for body in world.model.description.bodies]
    return [sum(counts[:n]) for n in range(len(counts))]
