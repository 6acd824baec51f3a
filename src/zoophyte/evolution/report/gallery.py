"""Creatures on a page: still pictures that open the player, which the page carries once for all of them."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from zoophyte.description.files import replacing
from zoophyte.errors import FileError, UntrustedError
from zoophyte.evolution.protocols import Individual
from zoophyte.evolution.report.curves import measured, safe
from zoophyte.export.framing import telling_frame
from zoophyte.export.page import Replay, player, replay_of, replay_page
from zoophyte.export.picture import ghost_frames, picture_of, png_bytes
from zoophyte.export.scene import Scene

if TYPE_CHECKING:
    from zoophyte.simulation import Trajectory

PICTURE = (320, 200)  # pixels
GHOSTS = 3


@dataclass(frozen=True, eq=False)
class Exhibit:
    """A creature on show.

    Args:
        run: name of the run's part of the page.
        number: of the individual.
        fitness: of it.
        note: a few words below.
        life: to be played; None if there is none.
        picture: an address that holds one; made of the life if left out.
        settled: when the creature had settled, and what it does begins to count [s].
        unit: of fitness.
    """

    run: str
    number: int
    fitness: float
    note: str
    life: Trajectory | None = None
    picture: str = ""
    settled: float = 0.0
    unit: str = ""

    @cached_property
    def replay(self) -> Replay | None:
        """What the player shows."""
        if self.life is None:
            return None
        made = replay_of(self.life, note=self.note)
        return replace(
            made, scene=replace(made.scene, name=f"#{self.number} · {measured(self.fitness, self.unit)}")
        )

    @cached_property
    def address(self) -> str:
        """The picture, as an address that holds all of it; empty without one."""
        return self.picture or (still(self.replay.scene, self.settled) if self.replay is not None else "")

    @property
    def image(self) -> str:
        """The picture as an element; empty without one."""
        if not self.address:
            return ""
        width, height = PICTURE
        return f'<img src="{self.address}" alt="Individual {self.number}" width="{width}" height="{height}">'


def write_champion(life: Trajectory, path: Path, task: str, one: Individual, unit: str = "") -> None:
    """The page that replays the best of a run, and says whose life it is.

    Args:
        life: of the champion.
        path: of the page.
        task: that it was bred for.
        one: the champion.
        unit: of fitness.
    """
    note = f"#{one.number} of generation {one.generation} · fitness {measured(one.fitness, unit)}"
    made = replay_of(life, note=note)
    name = f"{task} champion"
    page = replay_page([replace(made, scene=replace(made.scene, name=name))], title=f"{name} · {note}")
    with replacing(path) as file:
        file.write(page.encode())


def settling_of(run: Any) -> float:
    """How long creatures of a run settle before what they do counts [s].

    Args:
        run: that may know its task, or not.
    """
    try:
        task = getattr(run, "task", None)
    except UntrustedError:  # its creatures cannot live here, so there is nothing that settles
        task = None
    return float(getattr(task, "settle", 0.0))


def still(scene: Scene, settled: float = 0.0) -> str:
    """A telling moment of a life with ghosts of those before, as an address that holds all of the picture.

    Args:
        scene: of the life.
        settled: when the creature had settled [s].
    """
    frame = telling_frame(scene, settled)
    ghosts = ghost_frames(scene, frame, GHOSTS)
    return data_address(png_bytes(picture_of(scene, frame=frame, size=PICTURE, ghosts=ghosts)))


def data_address(png: bytes) -> str:
    """A picture as an address that holds all of it."""
    return "data:image/png;base64," + base64.b64encode(png).decode()


def replays_of(exhibits: Sequence[Exhibit], title: str) -> tuple[str, str] | None:
    """The page with the player and all lives, and the player's script; None where there is no life or no player.

    Args:
        exhibits: those with a life become entries, in their order.
        title: of the page.
    """
    replays = [exhibit.replay for exhibit in exhibits if exhibit.replay is not None]
    if not replays:
        return None
    try:
        script, _ = player()
    except FileError:  # built without Node.js: the pictures stay
        return None
    return replay_page(replays, title=title), script


def cards(exhibits: Sequence[Exhibit], *, first: int = 0, is_playable: bool = True) -> str:
    """A row of pictures.

    Args:
        exhibits: what is shown.
        first: number of the first one's entry in the player.
        is_playable: whether there is a player.
    """
    made, entry = [], first
    for exhibit in exhibits:
        worth = safe(measured(exhibit.fitness, exhibit.unit))
        text = (
            f'<div class="card-text"><h3><span>#{exhibit.number}</span><b>{worth}</b></h3>'
            f"<p>{safe(exhibit.note)}</p></div>"
        )
        if exhibit.life is not None and is_playable:
            made.append(
                f'<button type="button" class="card" data-entry="{entry}" aria-pressed="false" '
                f'title="Watch individual {exhibit.number}">{exhibit.image}{text}</button>'
            )
            entry += 1
        else:
            made.append(f'<div class="card">{exhibit.image}{text}</div>')
    return f'<div class="cards">{"".join(made)}</div>'


def entries(exhibits: Sequence[Exhibit]) -> list[dict[str, Any]]:
    """The player's entries, for the script of the page: whom each shows."""
    return [{"run": e.run, "number": e.number} for e in exhibits if e.life is not None]
