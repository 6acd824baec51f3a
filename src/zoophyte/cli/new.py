"""``zoophyte new``: a commented template to edit; and ``zoophyte schema``: what editors check it with."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

from zoophyte.cli.output import given_path, print_json
from zoophyte.errors import FileError

TEMPLATE = """\
# A body for Zoophyte. Check and run it with: zoophyte simulate {file}
# Units are SI, angles radians, z is up; quaternions are (w, x, y, z).
zoophyte: 1                       # version of this format
name: {name}
notes: A swinging arm with an elastic elbow. Edit me.
# surface: {{friction: 0.8}}        # with it, shapes touch the ground and other things; without it nothing touches
# self_contact: true              # whether bodies of one tree touch each other too

bodies:
  # A body hangs on its parent by a joint; the body's own frame sits at the joint.
  - name: upper
    parent: ground                # or the name of another body
    joint:
      kind: hinge                 # fixed, hinge, slide, universal, ball or free (free: on the ground only)
      position: [0, 0, 1]         # of the joint in the parent's frame
      axis: [0, 1, 0]             # of a hinge or slide, in the body's frame
      initial: 0.8                # where it starts
    shapes:                       # sphere, box, capsule, tapered_capsule, cylinder, ellipsoid, frustum or polyhedron
      - kind: capsule
        radius: 0.03
        length: 0.4               # of the straight part, along the shape's z
        position: [0, 0, -0.2]    # of its middle, in the body's frame
        density: 1000             # the mass follows from shape and density
        colour: [0.25, 0.42, 0.58]

  - name: lower
    parent: upper
    joint:
      kind: hinge
      position: [0, 0, -0.4]
      axis: [0, 1, 0]
      stiffness: 2.0              # spring towards `rest` [N·m/rad]
      damping: 0.02               # [N·m·s/rad]
      rest: 0.3
      limits: [-2.0, 2.0]
      # actuator: {{kind: servo, stiffness: 5, damping: 0.05}}    # pulls towards a controller's command
    shapes:
      - kind: capsule
        radius: 0.02
        length: 0.4
        position: [0, 0, -0.2]
    # mass: {{mass: 0.6, com: [0, 0, -0.2], inertia: [0.01, 0.01, 0.0002]}}   # instead of what the shapes
    # give
"""


def new(
    path: Annotated[
        Path,
        typer.Argument(parser=given_path, metavar="FILE.yaml", help="The file to write; it must not exist."),
    ] = Path("body.yaml"),
) -> None:
    """Write a commented description to start from."""
    if path.suffix.lower() not in (".yaml", ".yml"):
        raise typer.BadParameter(f"'{path}' must end in .yaml")
    text = TEMPLATE.format(
        file=path, name="".join(c if c.isalnum() or c in "_-" else "_" for c in path.stem) or "body"
    )
    try:
        with path.open("x", encoding="utf-8") as file:
            file.write(text)
    except FileExistsError:
        raise FileError(f"{path}: exists already, and is left alone. Choose another name.") from None
    except OSError as failure:
        raise FileError(f"{path}: cannot be written: {(failure.strerror or str(failure)).lower()}.") from None
    print(f"wrote {os.fspath(path)}; next: zoophyte simulate {os.fspath(path)}")


def schema() -> None:
    """Print the JSON schema of descriptions, for editors that complete and check YAML files."""
    from zoophyte.description import Description

    print_json({"$schema": "https://json-schema.org/draft/2020-12/schema", **Description.model_json_schema()})
