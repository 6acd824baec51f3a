"""Lives that are hard to draw: each exporter writes a sound file, or says in our words why it cannot."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import zoophyte as zp
from zoophyte.description import Body, Box, Joint, MassProperties, Sphere
from zoophyte.errors import UsageError, ZoophyteError
from zoophyte.export import page
from zoophyte.simulation.status import Status
from zoophyte.simulation.trajectory import Trajectory

DRAWN = (".html", ".glb", ".png", ".gif", ".svg")
ENDINGS = (*DRAWN, ".csv", ".npz")
BROKEN = Status("diverged", 0.1, "lower", "made up")


@pytest.fixture(autouse=True)
def player(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pages need no bundled player."""
    monkeypatch.setattr(page, "player", lambda: ("script", "style"))


@cache
def plain() -> Trajectory:
    return zp.World(zp.zoo.double_pendulum(), dt=1e-2).simulate(seconds=0.2)


def flying(x: float) -> Trajectory:
    """A ball that falls somewhere."""
    joint = Joint(kind="free", initial=(1.0, 0.0, 0.0, 0.0, x, 0.0, 0.0))
    ball = Body(name="ball", joint=joint, shapes=[Sphere(radius=0.1)])
    return zp.World(zp.Description(name="far", bodies=[ball]), dt=1e-2).simulate(seconds=0.1)


def spoilt(start: int) -> Trajectory:
    """Nothing is finite from that frame on."""
    life = plain()

    def spoil(values: Any) -> Any:
        values = values.copy()
        values[start:] = np.nan
        return values

    channels = {name: spoil(values) for name, values in life.channels.items()}
    return replace(life, q=spoil(life.q), v=spoil(life.v), channels=channels, status=BROKEN)


def with_channels(**channels: Any) -> Trajectory:
    return replace(plain(), channels={**plain().channels, **channels}, status=BROKEN)


def of_bodies(*bodies: Body) -> Trajectory:
    return zp.World(zp.Description(name="odd", bodies=list(bodies)), dt=1e-3).simulate(seconds=0.01)


COUNT = 21
MASS = MassProperties(mass=1.0, inertia=(1.0, 1.0, 1.0))
DRAWABLE = {
    "zero length": lambda: zp.World(zp.zoo.double_pendulum()).simulate(seconds=0.0),
    "not finite at the end": lambda: spoilt(10),
    "one finite frame": lambda: spoilt(1),
    "far away": lambda: flying(9e8),
    "no channels": lambda: replace(plain(), channels={}),
    "centre of mass not finite": lambda: with_channels(com=np.full((COUNT, 3), np.inf)),
    "centre of mass a line": lambda: with_channels(com=np.zeros(COUNT)),
    "channel beyond all differences": lambda: with_channels(wide=np.resize([1.7e308, -1.7e308], COUNT)),
    "forces beyond all numbers": lambda: with_channels(contact_forces=np.full((COUNT, 12), 1e300)),
    "no shapes": lambda: of_bodies(Body(name="a", joint=Joint(kind="hinge"), mass=MASS)),
    "nothing moves": lambda: of_bodies(Body(name="a", shapes=[Box(size=(1, 1, 1))])),
    "tiny beside huge": lambda: of_bodies(
        Body(name="a", joint=Joint(kind="hinge"), shapes=[Sphere(radius=1e-9, position=(1e-9, 0, 0))]),
        Body(name="b", shapes=[Sphere(radius=1e6)]),
    ),
}  # fmt: skip


@pytest.mark.parametrize("ending", ENDINGS)
@pytest.mark.parametrize("case", DRAWABLE, ids=lambda case: case.replace(" ", "-"))
def test_odd_lives_are_exported(case: str, ending: str, tmp_path: Path) -> None:
    """Warnings are errors here, so that no number overflows on its way into a file."""
    path = tmp_path / f"life{ending}"
    DRAWABLE[case]().export(path)
    content = path.read_bytes()
    if ending == ".glb":
        length = int.from_bytes(content[12:16], "little")
        json.loads(content[20 : 20 + length])
        floats = np.frombuffer(content[20 + length + 8 :], "<f4")
        assert np.all(np.isfinite(floats))
    if ending == ".svg":
        assert b"nan" not in content and b"inf" not in content
    assert len(content) > 40


@pytest.mark.parametrize(
    ("life", "words"),
    [
        (lambda: spoilt(0), "no frame of the trajectory is finite; there is nothing to draw"),
        (lambda: flying(1e12), r"every frame of the trajectory is farther away than 1e\+09 m"),
        (lambda: flying(1e17), "farther away than"),
    ],
    ids=["nothing finite", "too far", "much too far"],
)
def test_what_cannot_be_drawn_is_told(life: Any, words: str, tmp_path: Path) -> None:
    made = life()
    for ending in DRAWN:
        with pytest.raises(UsageError, match=words):
            made.export(tmp_path / f"life{ending}")
    for ending in (".csv", ".npz"):
        made.export(tmp_path / f"life{ending}")
    assert sorted(path.suffix for path in tmp_path.iterdir()) == [".csv", ".npz"]


def test_forces_of_half_a_contact_are_refused(tmp_path: Path) -> None:
    life = with_channels(contact_forces=np.zeros((COUNT, 5)))
    with pytest.raises(UsageError, match="'contact_forces' has 5 columns, must be six for each contact"):
        life.export(tmp_path / "life.html")


def test_a_notebook_is_told_what_it_cannot_show(monkeypatch: pytest.MonkeyPatch) -> None:
    """An error in `_repr_html_` would show as a traceback, or not at all."""
    assert "farther away than" in flying(1e12)._repr_html_()

    def missing() -> tuple[str, str]:
        raise ZoophyteError("this installation has no <player>")

    monkeypatch.setattr(page, "player", missing)
    shown = plain()._repr_html_()
    assert "this installation has no &lt;player&gt;" in shown and "double_pendulum" in shown
    assert "<iframe" not in shown


@pytest.mark.parametrize("path", ["", "x", ".png", "x.docx", "x.png "])
def test_names_without_a_known_ending_are_refused(path: str) -> None:
    known = r"Known: \.csv, \.gif, \.glb, \.html, \.mjcf, \.mp4, \.npz, \.png, \.svg, \.xml"
    with pytest.raises(UsageError, match=rf"^.+: the file .*{known}"):
        plain().export(path)
