"""Shapes that meet the ground only, and those inside of them that meet the others in their place."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import zoophyte as zp
from zoophyte.algebra.quaternions import quaternion_matrix
from zoophyte.description import (
    Body,
    Box,
    Capsule,
    Cylinder,
    Description,
    Ellipsoid,
    Frustum,
    Joint,
    Pair,
    Sphere,
    Surface,
)
from zoophyte.description.readers.meshes import hull
from zoophyte.description.readers.proxies import with_proxies
from zoophyte.description.shapes.inscribed import inscribed
from zoophyte.errors import UsageError
from zoophyte.model.medium.tables import displaced

RNG = np.random.default_rng(5)
CUBE = hull(list(itertools.product((-0.1, 0.1), (-0.2, 0.2), (-0.3, 0.3))))
GEM = hull(RNG.normal(size=(40, 3)) * (0.1, 0.2, 0.4))
ROD = hull(
    [(0.1 * math.cos(a), 0.1 * math.sin(a), z) for a in np.arange(0, 2 * math.pi, 0.1) for z in (0.0, 1.0)]
)
SHAPES: dict[str, tuple[Any, str]] = {
    "long cylinder": (Cylinder(radius=0.1, length=1.0), "capsule"),
    "flat cylinder": (Cylinder(radius=0.5, length=0.1), "box"),
    "long ellipsoid": (Ellipsoid(semi_axes=(0.5, 0.1, 0.1)), "capsule"),
    "ellipsoid along y": (Ellipsoid(semi_axes=(0.1, 0.4, 0.12)), "capsule"),
    "flat ellipsoid": (Ellipsoid(semi_axes=(0.5, 0.4, 0.05)), "box"),
    "ball": (Ellipsoid(semi_axes=(0.2, 0.2, 0.2)), "sphere"),
    "long frustum": (Frustum(radius_start=0.1, radius_end=0.05, length=1.0), "tapered_capsule"),
    "frustum that widens": (Frustum(radius_start=0.05, radius_end=0.1, length=1.0), "tapered_capsule"),
    "cone": (Frustum(radius_start=0.2, radius_end=0.0, length=1.0), "tapered_capsule"),
    "flat frustum": (Frustum(radius_start=0.5, radius_end=0.4, length=0.1), "box"),
    "flat cone": (Frustum(radius_start=0.5, radius_end=0.0, length=0.1), "box"),
    "cube": (CUBE, "box"),
    "gem": (GEM, "any"),
    "rod": (ROD, "capsule"),
}  # fmt: skip


def surface_points(shape: Any) -> np.ndarray[Any, Any]:
    """Points on a sphere, a capsule, a tapered capsule or a box, in the body frame."""
    directions = RNG.normal(size=(4000, 3))
    directions /= np.linalg.norm(directions, axis=1)[:, None]
    if shape.kind == "box":
        points = np.array(list(itertools.product((-0.5, 0.5), repeat=3))) * shape.size
    elif shape.kind == "sphere":
        points = shape.radius * directions
    else:
        ends = (shape.radius,) * 2 if shape.kind == "capsule" else (shape.radius_start, shape.radius_end)
        low = -0.5 * shape.length if shape.kind == "capsule" else 0.0
        points = np.vstack(
            [r * directions + (0, 0, z) for r, z in zip(ends, (low, low + shape.length), strict=True)]
        )
    return _moved(points, shape)


def _moved(points: Any, shape: Any) -> Any:
    return points @ np.array(quaternion_matrix(shape.rotation)).reshape(3, 3).T + shape.position


def excess(shape: Any, points: Any) -> float:
    """How far points in the shape's frame lie outside, as a share of its size; 0 or less when all are inside."""
    x, y, z = points.T
    across = np.hypot(x, y)
    match shape.kind:
        case "cylinder":
            return float(max((across / shape.radius).max(), (2 * np.abs(z) / shape.length).max()) - 1.0)
        case "ellipsoid":
            return float(((points / shape.semi_axes) ** 2).sum(axis=1).max() - 1.0)
        case "frustum":
            radius = shape.radius_start + (shape.radius_end - shape.radius_start) * z / shape.length
            return float(max((across - radius).max(), -z.min(), (z - shape.length).max()) / shape.length)
    worst = 0.0
    for face in shape.faces:
        rim = np.array([shape.vertices[corner] for corner in face])
        normal = np.cross(rim, np.roll(rim, -1, axis=0)).sum(axis=0)
        worst = max(worst, float(((points - rim[0]) @ (normal / np.linalg.norm(normal))).max()))
    return worst


@pytest.mark.parametrize("case", SHAPES)
def test_a_proxy_lies_inside_of_its_shape_and_fills_much_of_it(case: str) -> None:
    """Oracle: points on the proxy's surface, by the equation of the shape."""
    shape, kind = SHAPES[case]
    found = inscribed(shape)
    assert kind in ("any", found.kind)
    assert excess(shape, surface_points(found)) < 1e-9
    assert found.volume() > shape.volume() / 8  # that of the shape at half its size


def test_a_box_of_a_mesh_is_that_box() -> None:
    found = inscribed(CUBE)
    assert sorted(found.size) == pytest.approx([0.2, 0.4, 0.6], rel=1e-12)
    assert inscribed(Cylinder(radius=0.1, length=1.0)).model_dump(include={"radius", "length"}) == {
        "radius": 0.1, "length": pytest.approx(0.8),
    }  # fmt: skip


def test_a_proxy_goes_where_its_shape_is() -> None:
    turned = Cylinder(
        radius=0.1, length=1.0, position=(1, 2, 3), rotation=(math.sqrt(0.5), 0, math.sqrt(0.5), 0)
    )
    found = inscribed(turned)
    assert found.position == pytest.approx((1, 2, 3))
    assert surface_points(found)[:, 0].max() == pytest.approx(1.5, abs=1e-2)


def scene(*, surface: Surface | None = None, pairs: Sequence[Pair] = (), **fields: Any) -> Description:
    """A wheel, a ball, and scenery."""
    surface, wheel = surface or Surface(friction=0.7), Cylinder(radius=0.2, length=0.05, **fields)
    return Description(
        name="scene", surface=surface, pairs=list(pairs),
        bodies=[
            Body(name="wheel", joint=Joint(kind="free", position=(0, 0, 1)), shapes=[wheel]),
            Body(name="ball", joint=Joint(kind="free", position=(1, 0, 1)), shapes=[Sphere(radius=0.1)]),
            Body(name="post", shapes=[Cylinder(radius=0.1, length=2.0)]),
        ],
    )  # fmt: skip


def meetings(description: Description) -> tuple[set[tuple[str, str]], set[str]]:
    """Pairs of shapes that may touch, and shapes that touch the ground."""
    touching = [
        (body, s, s.surface or description.surface)
        for body in description.bodies
        for s in body.shapes
        if s.contact
    ]
    pairs = {
        (a[1].kind, b[1].kind)
        for a, b in itertools.combinations(touching, 2)
        if a[0] is not b[0] and a[2].group & b[2].mask and b[2].group & a[2].mask
    }
    return pairs, {s.kind for _, s, surface in touching if surface.mask & 1}


def test_shapes_that_could_not_meet_others_get_proxies_on_request() -> None:
    """Such bodies used to be refused by every World, and there was no way around but to edit the file."""
    plain = scene()
    with pytest.raises(UsageError, match=r"proxies=True \(--proxies\)"):
        zp.World(zp.compile(plain))
    found = with_proxies(plain)
    zp.World(zp.compile(found))
    wheel, ball, post = (found.body(name) for name in ("wheel", "ball", "post"))
    assert [shape.kind for shape in wheel.shapes] == ["cylinder", "box"]
    assert [shape.kind for shape in post.shapes] == ["cylinder", "capsule"]
    assert [shape.contact for shape in post.shapes] == [False, True]
    assert len(ball.shapes) == 1
    pairs, grounded = meetings(found)
    assert pairs == {("box", "sphere"), ("box", "capsule"), ("sphere", "capsule")}
    assert "cylinder" in grounded and "box" not in grounded
    assert (
        "Body 'wheel': its cylinder meets other shapes as a box of 0.2828 × 0.2828 × 0.05 m inside of it, "
        "and the ground as itself." in found.notes
    )
    assert (
        "Body 'post': its cylinder meets other shapes as a capsule of radius 0.1 m and length 1.8 m inside of it."
        in found.notes
    )


def test_the_mass_stays_that_of_the_shapes() -> None:
    plain = scene()
    found = with_proxies(plain)
    for name in ("wheel", "ball", "post"):
        assert found.body(name).mass_properties() == plain.body(name).mass_properties()


def test_a_medium_lifts_a_shape_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """What only stands for another shape displaces nothing, also where the mass of the body is given."""
    plain = scene()
    for body in plain.bodies:
        body.mass = body.mass_properties()
    assert displaced(zp.compile(with_proxies(plain))) == displaced(zp.compile(plain))


@pytest.mark.parametrize(
    "apart",
    [
        {"surface": Surface(mask=0)},
        {"contact": False},
        {"surface": Surface(group=2, mask=1)},
    ],
)
def test_shapes_that_meet_nothing_else_stay_alone(apart: dict[str, Any]) -> None:
    plain = Description(
        name="x", surface=Surface(group=2, mask=3),
        bodies=[
            Body(name="wheel", joint=Joint(kind="free"), shapes=[Cylinder(radius=0.2, length=0.05, **apart)]),
            Body(name="box", joint=Joint(kind="free", position=(1, 0, 0)), shapes=[Box(size=(0.1, 0.1, 0.1))]),
        ],
    )  # fmt: skip
    assert with_proxies(plain) is plain


def test_pairs_and_neighbours_that_never_meet_need_no_proxies() -> None:
    arm = Description(
        name="arm", surface=Surface(),
        bodies=[
            Body(name="a", joint=Joint(kind="free"), shapes=[Cylinder(radius=0.1, length=1.0)]),
            Body(name="b", parent="a", joint=Joint(kind="hinge"), shapes=[Capsule(radius=0.1, length=0.5)]),
            Body(name="c", parent="b", joint=Joint(kind="hinge"), shapes=[Capsule(radius=0.1, length=0.5)]),
        ],
    )  # fmt: skip
    assert with_proxies(arm) is arm
    arm.self_contact = True
    assert len(with_proxies(arm).body("a").shapes) == 2
    arm.pairs = [Pair(bodies=("a", "c"), contact=False)]
    assert with_proxies(arm) is arm


def test_where_all_groups_are_taken_the_proxy_meets_the_ground_too() -> None:
    found = with_proxies(scene(surface=Surface(group=2**16 - 1)))
    assert [shape.contact for shape in found.body("wheel").shapes] == [False, True]
    zp.World(zp.compile(found))


MJCF = """<mujoco><worldbody><geom type="plane" size="1 1 1"/>
<body name="wheel" pos="0 0 1"><freejoint/><geom name="tyre" type="cylinder" size="0.2 0.02"/></body>
<body name="egg" pos="1 0 1"><freejoint/><geom type="ellipsoid" size="0.1 0.1 0.3"/></body></worldbody></mujoco>"""
URDF = """<robot name="r"><link name="base">
<collision><geometry><cylinder radius="0.1" length="1"/></geometry></collision></link>
<link name="arm"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial></link>
<link name="hand"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial>
<collision><origin xyz="1 0 0"/><geometry>
<box size="0.1 0.1 0.1"/></geometry></collision></link>
<joint name="a" type="continuous"><parent link="base"/><child link="arm"/></joint>
<joint name="b" type="continuous"><parent link="arm"/><child link="hand"/></joint></robot>"""


@pytest.mark.parametrize(("name", "text"), [("x.xml", MJCF), ("x.urdf", URDF)])
def test_files_of_others_are_read_with_proxies(name: str, text: str, tmp_path: Path) -> None:
    if name == "x.xml":
        pytest.importorskip("mujoco")
    (tmp_path / name).write_text(text)
    plain = zp.load(tmp_path / name)
    with pytest.raises(UsageError, match="may meet other shapes"):
        zp.World(zp.compile(plain))
    found = zp.load(tmp_path / name, proxies=True)
    zp.World(zp.compile(found))
    assert "meets other shapes as a" in found.notes and found.notes.startswith(plain.notes)
    a, b = (zp.compile(each) for each in (plain, found))
    assert np.array_equal(zp.mass_matrix(a, zp.State.neutral(a)), zp.mass_matrix(b, zp.State.neutral(b)))


def test_proxies_displace_nothing_where_the_mass_is_given() -> None:
    """Of a body whose mass is given and whose shapes have no density, proxies displaced a second time."""
    mass = {"mass": 2.0, "com": (0, 0, 0), "inertia": (0.1, 0.1, 0.1)}
    shape = Cylinder(radius=0.1, length=0.5, density=0.0)
    bodies = [
        Body(
            name=name,
            joint=Joint(kind="free", initial=(1, 0, 0, 0, x, 0, 2)),
            mass=mass,
            shapes=[shape.model_copy()],
        )
        for name, x in (("a", 0.0), ("b", 1.0))
    ]
    alone = Description(name="two", bodies=bodies, surface=Surface())
    with_them = with_proxies(alone)
    assert len(with_them.bodies[0].shapes) == 2
    assert displaced(zp.compile(with_them)) == displaced(_untouched(alone))


def _untouched(description: Description) -> zp.Model:
    """The model of a body that meets nothing: cylinders that could meet are refused."""
    changed = description.copy()
    changed.surface = None
    return zp.compile(changed)
