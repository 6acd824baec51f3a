"""Stroboscopic drawings and what notebooks show."""

from __future__ import annotations

import base64
import re
from xml.etree import ElementTree

import numpy as np
import pytest

import zoophyte as zp
from golden.pictures import SOLIDS, read_png, row_of_solids, scene
from zoophyte.description import Body, Description, Sphere
from zoophyte.errors import UsageError
from zoophyte.export import drawing_of, strip_of
from zoophyte.export.strips import outline

SVG = "{http://www.w3.org/2000/svg}"
EVIL = '<script>alert(1)</script>&\x07"'


def groups(svg: str) -> list[ElementTree.Element]:
    return [part for part in ElementTree.fromstring(svg).iter(f"{SVG}g") if part.get("class") == "shape"]


@pytest.fixture(scope="module")
def life() -> zp.Trajectory:
    return zp.World(zp.compile(zp.zoo.double_pendulum()), dt=1e-3).simulate(seconds=0.4, record_rate=100)


def test_moments_are_drawn_the_older_the_paler(life: zp.Trajectory) -> None:
    found = groups(strip_of(life, moments=5).svg)
    assert len(found) == 5
    shares = [float(group.get("opacity", "0")) for group in found]
    assert shares == sorted(shares) and shares[-1] == 1.0
    assert [len(group.findall(f"{SVG}path")) for group in found] == [2] * 5
    assert found[-1].find(f"{SVG}title").text == "0.400 s"


def test_channels_stand_below(life: zp.Trajectory) -> None:
    whole = ElementTree.fromstring(strip_of(life, ["com.z", "energy"]).svg)
    (inner,) = whole.findall(f"{SVG}svg")
    assert float(inner.get("y", "0")) + float(inner.get("height", "0")) == pytest.approx(
        float(whole.get("height", "0")), abs=1.0
    )


@pytest.mark.parametrize("shape", SOLIDS, ids=[shape.kind for shape in SOLIDS])
def test_outlines_are_convex_and_counter_clockwise(shape: object) -> None:
    points = outline(shape, np.eye(3), np.array([1.0, 0.0, 0.0]), np.array([0.0, 0.0, 1.0]))
    steps = np.roll(points, -1, axis=0) - points
    turns = steps[:, 0] * np.roll(steps[:, 1], -1) - steps[:, 1] * np.roll(steps[:, 0], -1)
    assert len(points) >= 3 and np.all(turns >= -1e-12)


def test_outline_of_a_ball_has_its_area() -> None:
    """A regular polygon of 48 corners has (48/2π) sin(2π/48) = 0.9971 of its circle's area."""
    x, y = outline(SOLIDS[0], np.eye(3), np.array([1.0, 0.0, 0.0]), np.array([0.0, 1.0, 0.0])).T
    area = 0.5 * np.sum(x * np.roll(y, -1) - y * np.roll(x, -1))
    assert area == pytest.approx(0.99715 * np.pi * 0.15**2, rel=1e-4)


def test_an_upright_box_has_four_corners() -> None:
    description = Description(
        name="box", bodies=[Body(name="b", shapes=[{"kind": "box", "size": (1, 2, 3)}])]
    )
    (group,) = groups(drawing_of(scene(description), view="side").svg)
    (path,) = group.findall(f"{SVG}path")
    assert path.get("d", "").count(" ") == 4


def test_single_frames_and_bare_bodies_are_drawn() -> None:
    assert len(groups(drawing_of(scene(row_of_solids())).svg)) == 1
    bare = Description(name="bare", bodies=[Body(name="a")])
    assert len(groups(drawing_of(scene(bare)).svg)) == 1
    assert len(groups(drawing_of(scene(Description(name="nothing", bodies=[]))).svg)) == 1


def test_names_stay_text() -> None:
    description = Description(name="a<script>&b", bodies=[Body(name="b<i>", shapes=[Sphere(radius=1)])])
    svg = drawing_of(scene(description)).svg
    assert ElementTree.fromstring(svg).find(f"{SVG}title").text == "a<script>&b"
    assert "<script" not in svg


@pytest.mark.parametrize(
    ("arguments", "message"),
    [({"view": "up"}, "no view 'up'"), ({"moments": 0}, "0 moments"), ({"moments": 999}, "999")],
)
def test_wrong_wishes_are_named(arguments: dict, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        drawing_of(scene(zp.zoo.rod()), **arguments)


def test_descriptions_and_models_show_a_picture_and_a_table() -> None:
    description = zp.zoo.humanoid()
    for shown in (description, zp.compile(description)):
        html = shown._repr_html_()
        picture = re.search(r'src="data:image/png;base64,([^"]+)"', html)
        assert picture is not None
        assert read_png(base64.b64decode(picture[1])).shape == (315, 560, 3)
        assert html.count("<tr>") == 16 and "left_forearm" in html and "hinge" in html
        assert "15 bodies, 73 kg" in html


def test_a_table_stays_short() -> None:
    html = zp.zoo.cantilever()._repr_html_()
    assert "… and 10 more" in html and html.count("<tr>") == 42


def test_names_are_inert_in_notebooks() -> None:
    bad = Description(name="x<script>alert(1)</script>", bodies=[Body(name="<b>", shapes=[Sphere(radius=1)])])
    html = bad._repr_html_()
    assert "<script" not in html and "<b>" not in html


def test_a_broken_description_says_what_is_wrong() -> None:
    description = zp.zoo.rod()
    description.bodies[0].parent = "nowhere<i>"
    html = description._repr_html_()
    assert "nowhere&lt;i&gt;" in html and "<img" not in html
