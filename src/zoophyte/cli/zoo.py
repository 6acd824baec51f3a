"""``zoophyte zoo``: the bodies that come along."""

from __future__ import annotations

import inspect
from typing import Annotated, Any

import typer

from zoophyte.cli.output import print_facts, print_json, print_table


def zoo(
    name: Annotated[str | None, typer.Argument(help="An inhabitant; all of them if left out.")] = None,
    *,
    yaml: Annotated[
        bool, typer.Option("--yaml", help="Print the inhabitant's description, to save and edit.")
    ] = False,
    json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """List the bodies that come along, or show one."""
    from zoophyte import zoo as inhabitants

    if yaml and (name is None or json):
        raise typer.BadParameter("--yaml needs the NAME of one inhabitant, and no --json.")
    if yaml:
        assert name is not None
        print(inhabitants.get(name).to_yaml(), end="")
        return
    entries = [_entry(each) for each in ([name] if name is not None else inhabitants.names())]
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
        print(inspect.getdoc(getattr(inhabitants, name)))
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


def _entry(name: str) -> dict[str, Any]:
    from zoophyte import zoo as inhabitants

    bodies = inhabitants.get(name).bodies
    return {
        "name": name,
        "bodies": len(bodies),
        "dofs": sum(body.joint.dof_count for body in bodies),
        "mass": sum(body.mass_properties().mass for body in bodies),
        "description": inhabitants.describe(name),
    }
