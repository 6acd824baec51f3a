"""The replay page: one HTML file with everything in it, which any browser opens from disk, without a network.

The player is written in TypeScript (folder `player`) and bundled when a wheel is built, or by ``make``; pages carry it.
Nothing in a page can load anything or run a script other than the player: its policy says so, and texts are only data.
"""

from __future__ import annotations

import base64
import hashlib
import html
import json
import os
import tempfile
import warnings
import webbrowser
from collections.abc import Sequence
from dataclasses import dataclass, replace
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from zoophyte import __version__
from zoophyte.description.files import replacing
from zoophyte.errors import FileError, UsageError, ZoophyteError
from zoophyte.export.arrows import ARROWS, NEAR_POINTS, arrows_in, steady, strongest
from zoophyte.export.look import Look
from zoophyte.export.packing import pack, size_of
from zoophyte.export.scene import Scene, scene_of
from zoophyte.simulation.exporters import register_exporter

if TYPE_CHECKING:
    from zoophyte.simulation import Trajectory

RATE = 60.0  # frames per second
POSE_LIMIT = 4_000_000  # poses of single bodies in one life; longer lives keep fewer frames
ANGLE_LIMIT = 64  # joints whose angles become channels
FRAME_HEIGHT = 560  # pixels of a player in a notebook
PLAYER = ("player.js", "player.css")


@dataclass(frozen=True, eq=False)
class Replay:
    """One life on a page.

    Args:
        scene: what is shown.
        note: a few words behind its name.
        ghost: another life, drawn like a ghost for comparison.
    """

    scene: Scene
    note: str = ""
    ghost: Scene | None = None


def replay_page(replays: Sequence[Replay], *, title: str | None = None) -> str:
    """A page with a player; with a gallery when there are several lives.

    Args:
        replays: one life or more.
        title: of the page; the first life's name if left out.

    Raises:
        UsageError: when there is nothing to show.
        FileError: when this installation lacks the player.
    """
    if not replays:
        raise UsageError("a replay page needs one life or more, and none was given.")
    blobs: list[bytes] = []

    def packed(scene: Scene, note: str = "") -> dict[str, Any]:
        if scene.frame_count == 0:
            raise UsageError(f"{scene.name}: the trajectory has no frames; there is nothing to show.")
        made = pack(scene)
        blobs.append(made.motion)
        return {**made.data, "note": note, "motion": f"motion-{len(blobs) - 1}"}

    entries = [
        {"life": packed(each.scene, each.note), "ghost": packed(each.ghost) if each.ghost else None}
        for each in replays
    ]
    title = title or replays[0].scene.name
    script, style = player()
    data = {"title": title, "version": __version__, "entries": entries}
    motions = "\n".join(
        f'<script type="application/octet-stream" id="motion-{n}">{base64.b64encode(blob).decode()}</script>'
        for n, blob in enumerate(blobs)
    )
    body = f"""<noscript>This page replays a motion; please allow JavaScript. It loads nothing from anywhere.</noscript>
<script type="application/json" id="zoophyte-page">{inert_json(data)}</script>
{motions}
<script>{script}</script>"""
    return whole_page(title, body, style, [script])


def whole_page(
    title: str,
    body: str,
    style: str,
    scripts: Sequence[str],
    *,
    images: str = "data: blob:",
    connects: str = "'none'",
) -> str:
    """A page of one file around its body, under a policy by which it loads nothing and runs no scripts but these.

    Args:
        title: of the page, any text.
        body: its markup; whoever wrote it made its texts inert.
        style: its rules.
        scripts: that may run, in the page or in a frame of it.
        images: sources of pictures.
        connects: whom its scripts may speak to; nobody if left out.
    """
    digests = " ".join(
        f"'sha256-{base64.b64encode(hashlib.sha256(each.encode()).digest()).decode()}'" for each in scripts
    )
    policy = (
        f"default-src 'none'; script-src {digests}; style-src 'unsafe-inline'; img-src {images}; "
        f"connect-src {connects}; base-uri 'none'; form-action 'none'"
    )
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover">
<meta name="generator" content="Zoophyte {__version__}">
<meta name="referrer" content="no-referrer">
<title>{html.escape(title)}</title>
<link rel="icon" href="data:,">
<style>{style}</style>
</head>
<body>
{body}
</body>
</html>
"""


def inert_json(value: Any) -> str:
    """JSON that cannot end the element it stands in, whatever names it holds."""
    text = json.dumps(value, separators=(",", ":"), allow_nan=False)
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def player() -> tuple[str, str]:
    """Script and style of the player.

    Raises:
        FileError: when it was not built.
    """
    folder = resources.files("zoophyte.export").joinpath("player", "dist")
    try:
        script, style = (folder.joinpath(name).read_text(encoding="utf-8") for name in PLAYER)
    except OSError:
        raise FileError(
            "this installation has no player for replay pages: it was built without Node.js. "
            "Install Node.js 20 or newer and run `python tools/build_player.py` in the source folder "
            "(`make run` does it too); wheels that were built with Node.js hold the player."
        ) from None
    return script, style


# ------------------------------------------------------------------------------------------------------- lives


def replay_of(
    life: Trajectory, *, compare: Trajectory | None = None, note: str = "", look: Look | None = None
) -> Replay:
    """What a page shows of a life: up to 60 frames per second, its channels and the angles of its joints.

    Args:
        life: the life.
        compare: another one to show as a ghost.
        note: a few words behind its name.
        look: colours of ground and sky; with ghosts the page begins with its stroboscope on.
    """
    notes = [note] if note else []
    if not life.status.is_sound:
        notes.append(f"diverged at {life.status.time:.4g} s")
    return Replay(_scene(life, look), " · ".join(notes), _scene(compare) if compare is not None else None)


def write_replay(
    life: Trajectory,
    path: str | os.PathLike[str],
    *,
    compare: Trajectory | None = None,
    look: Look | None = None,
) -> None:
    """Write the replay page of a life.

    Args:
        life: the life.
        path: of the file.
        compare: another life, drawn as a ghost.
        look: colours of ground and sky; with ghosts the page begins with its stroboscope on.
    """
    _write(replay_page([replay_of(life, compare=compare, look=look)]), path)


def write_gallery(
    lives: Sequence[Trajectory],
    path: str | os.PathLike[str],
    *,
    title: str = "Zoophyte",
    notes: Sequence[str] = (),
    look: Look | None = None,
) -> None:
    """Write one page with the moving pictures of several lives.

    Args:
        lives: one or more.
        path: of the file.
        title: of the page.
        notes: a few words for each life, if any.
        look: of all of them.
    """
    notes = [*notes, *[""] * (len(lives) - len(notes))]
    replays = [replay_of(life, note=note, look=look) for life, note in zip(lives, notes, strict=True)]
    _write(replay_page(replays, title=title), path)


def show_replay(life: Trajectory, *, compare: Trajectory | None = None) -> Path:
    """Open the replay of a life in the browser.

    Returns:
        The page, a temporary file.
    """
    handle, name = tempfile.mkstemp(prefix="zoophyte-", suffix=".html")
    os.close(handle)
    path = Path(name)
    try:
        write_replay(life, path, compare=compare)
    except Exception:
        path.unlink(missing_ok=True)
        raise
    if not webbrowser.open(path.as_uri()):
        warnings.warn(f"no browser was found; open this file in one: {path}", stacklevel=3)
    return path


def embedded_replay(life: Trajectory) -> str:
    """The replay of a life as a frame for a notebook; what cannot be shown is told, since a notebook hides errors."""
    try:
        page = html.escape(replay_page([replay_of(life)]), quote=True)
    except ZoophyteError as reason:
        return (
            f'<pre style="white-space:pre-wrap">{html.escape(repr(life))}<br>{html.escape(str(reason))}</pre>'
        )
    return (
        f'<iframe srcdoc="{page}" width="100%" height="{FRAME_HEIGHT}" style="border:0;border-radius:12px" '
        f'sandbox="allow-scripts" title="{html.escape(life.description.name, quote=True)}"></iframe>'
    )


def _scene(life: Trajectory, look: Look | None = None) -> Scene:
    seconds = max(float(life.times[-1] - life.times[0]), 1e-9)
    bodies = max(1, len(life.description.bodies))
    scene = scene_of(life, rate=min(RATE, max(1.0, POSE_LIMIT / (bodies * seconds))), look=look)
    rows = np.searchsorted(life.times, scene.times)
    angles: dict[str, Any] = {}
    first = 0
    for body in life.description.bodies:
        joint, count = body.joint, body.joint.coordinate_count
        if joint.kind in ("hinge", "slide", "universal") and len(angles) < ANGLE_LIMIT:
            values = np.asarray(life.q[rows, first : first + count])
            angles[f"q:{body.name}"] = values[:, 0] if count == 1 else values
        first += count
    forces = {ARROWS: _forces(life, scene, rows)} if ARROWS in scene.channels else {}
    return replace(scene, channels={**scene.channels, **forces, **angles})


def _forces(life: Trajectory, scene: Scene, rows: Any) -> Any:
    """Contact forces with the impacts between two frames of the page."""
    arrows = arrows_in(life.channels[ARROWS][: rows[-1] + 1], scene.name)
    if len(arrows) > scene.frame_count:
        arrows = strongest(steady(arrows, NEAR_POINTS * size_of(scene)), rows)
    return arrows.reshape(scene.frame_count, -1)


def _write(page: str, path: str | os.PathLike[str]) -> None:
    with replacing(path) as file:
        file.write(page.encode())


register_exporter(".html", write_replay)
