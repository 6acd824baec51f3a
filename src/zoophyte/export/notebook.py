"""What a notebook shows of a description and of a model: a picture and a table."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING

from zoophyte.description import Body, Description
from zoophyte.errors import ZoophyteError
from zoophyte.export.picture import picture_of, png_bytes
from zoophyte.export.scene import scene_of_pose
from zoophyte.export.strips import inert
from zoophyte.model import compile

if TYPE_CHECKING:
    from zoophyte.model import Model

PICTURE_SIZE = (560, 315)
ROWS = 40
UNFOLDED = 16  # bodies; a longer table opens on demand
CELL = "padding:2px 12px;text-align:left"


def description_html(description: Description) -> str:
    """A description as HTML; one that has been edited into nonsense shows what is wrong instead of a picture.

    Args:
        description: what to show.
    """
    try:
        return model_html(compile(description))
    except ZoophyteError as problem:
        message = f'<pre style="white-space:pre-wrap">{inert_lines(str(problem))}</pre>'
        return _page(description.name, message, description.bodies, [None] * len(description.bodies))


def model_html(model: Model) -> str:
    """A model in its neutral state as HTML.

    Args:
        model: what to show.
    """
    picture = png_bytes(picture_of(scene_of_pose(model), size=PICTURE_SIZE))
    source = "data:image/png;base64," + base64.b64encode(picture).decode()
    width, height = PICTURE_SIZE
    image = (
        f'<img src="{source}" width="{width}" height="{height}" alt="{inert(model.name)}" '
        'style="max-width:100%;height:auto;border-radius:6px">'
    )
    masses = [float(mass) for mass in model.bodies.mass[1:]]
    return _page(model.name, image, model.description.bodies, masses)


def _page(name: str, image: str, bodies: list[Body], masses: list[float] | list[None]) -> str:
    rows = [
        _row("td", body.name, body.parent, body.joint.kind, "" if mass is None else f"{mass:.4g}")
        for body, mass in zip(bodies[:ROWS], masses, strict=False)
    ]
    if len(bodies) > ROWS:
        rows.append(_row("td", f"… and {len(bodies) - ROWS} more", "", "", ""))
    known = [mass for mass in masses if mass is not None]
    whole = f", {sum(known):.4g} kg" if known else ""
    count = f"{len(bodies)} {'body' if len(bodies) == 1 else 'bodies'}{whole}"
    head = _row("th", "body", "parent", "joint", "mass [kg]")
    unfolded = " open" if len(bodies) <= UNFOLDED else ""
    return (
        f'<div class="zoophyte"><p><strong>{inert(name)}</strong> · {count}</p>{image}'
        f"<details{unfolded}><summary>bodies</summary><table><thead>{head}</thead><tbody>{''.join(rows)}</tbody></table>"
        "</details></div>"
    )


def _row(cell: str, *texts: str) -> str:
    return "<tr>" + "".join(f'<{cell} style="{CELL}">{inert(text)}</{cell}>' for text in texts) + "</tr>"


def inert_lines(text: str) -> str:
    """Several lines that cannot be taken for markup."""
    return "\n".join(inert(line) for line in text.splitlines())
