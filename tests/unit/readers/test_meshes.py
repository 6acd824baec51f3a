"""Meshes as convex hulls."""

from __future__ import annotations

import itertools
from pathlib import Path

import numpy as np
import pytest

from zoophyte.description import Box
from zoophyte.description.readers import meshes
from zoophyte.description.readers.meshes import hull, read_mesh
from zoophyte.errors import DescriptionError, FileError, MissingExtraError

CUBE = np.array(list(itertools.product((-0.5, 0.5), repeat=3)))


def test_a_cube_has_six_faces_and_exact_mass() -> None:
    """Oracle: the formulas of a box. Tolerance: rounding."""
    inner = np.random.default_rng(0).uniform(-0.4, 0.4, size=(50, 3))
    shape = hull(np.concatenate([CUBE, inner, CUBE]) * (1.0, 2.0, 3.0), position=(1, 2, 3), density=10.0)
    assert (len(shape.vertices), len(shape.faces)) == (8, 6)
    found, expected = (
        shape.mass_properties(),
        Box(size=(1, 2, 3), position=(1, 2, 3), density=10.0).mass_properties(),
    )
    assert found.mass == pytest.approx(expected.mass, rel=1e-14)
    assert np.allclose(found.inertia, expected.inertia, rtol=1e-13, atol=1e-13)


def test_random_hulls_are_accepted() -> None:
    rng = np.random.default_rng(1)
    for count in (4, 10, 100):
        points = rng.normal(size=(count, 3))
        assert hull(points).volume() > 0.0
    rounded = np.round(rng.normal(size=(300, 3)), 1)  # many corners on common planes and edges
    assert hull(rounded).volume() > 0.0


@pytest.mark.parametrize("points", [CUBE[:3], np.zeros((10, 3)), CUBE * (1, 1, 0)])
def test_flat_meshes_are_refused(points: object) -> None:
    with pytest.raises(DescriptionError, match=r"corners|flat"):
        hull(points)


def test_meshes_with_too_many_corners_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(meshes, "VERTEX_LIMIT", 7)
    with pytest.raises(DescriptionError, match="has 8 corners, at most 7 are allowed"):
        hull(CUBE)


def test_files_that_are_no_meshes(tmp_path: Path) -> None:
    with pytest.raises(FileError, match=r"a\.txt: is no mesh file that can be read. Known endings: \.stl, "):
        read_mesh(tmp_path / "a.txt")
    with pytest.raises(FileError, match=r"a\.stl: cannot be read: no such file"):
        read_mesh(tmp_path / "a.stl")


def test_without_trimesh_the_extra_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "trimesh", None)
    (tmp_path / "a.stl").write_bytes(b"solid")
    with pytest.raises(MissingExtraError, match=r"pip install '\.\[mesh\]'"):
        read_mesh(tmp_path / "a.stl")


def test_mesh_files(tmp_path: Path) -> None:
    pytest.importorskip("trimesh", reason="trimesh is not installed (extra 'mesh')")
    path = tmp_path / "cube.obj"
    triangles = [
        "1 2 4",
        "1 4 3",
        "5 7 8",
        "5 8 6",
        "1 5 6",
        "1 6 2",
        "3 4 8",
        "3 8 7",
        "1 3 7",
        "1 7 5",
        "2 6 8",
        "2 8 4",
    ]
    path.write_text(
        "".join(f"v {x} {y} {z}\n" for x, y, z in CUBE) + "".join(f"f {face}\n" for face in triangles)
    )
    assert hull(read_mesh(path)).volume() == pytest.approx(1.0, rel=1e-12)
    for broken in (b"", b"garbage", b"solid x\nfacet"):
        (tmp_path / "broken.stl").write_bytes(broken)
        with pytest.raises(FileError, match=r"broken\.stl: holds no mesh"):
            read_mesh(tmp_path / "broken.stl")


@pytest.mark.parametrize("ending", [".stl", ".obj", ".ply", ".off", ".glb", ".gltf"])
def test_every_format_gives_the_same_box(ending: str, tmp_path: Path) -> None:
    """Written by trimesh itself; formats with scenes hold the box moved, and the move counts."""
    trimesh = pytest.importorskip("trimesh", reason="trimesh is not installed (extra 'mesh')")
    box, moved = trimesh.creation.box((1.0, 2.0, 3.0)), ending in (".glb", ".gltf")
    whole = trimesh.Scene() if moved else box
    if moved:
        whole.add_geometry(box, transform=trimesh.transformations.translation_matrix((5.0, 0.0, 0.0)))
    whole.export(tmp_path / f"box{ending}")
    found = hull(read_mesh(tmp_path / f"box{ending}"))
    assert (len(found.vertices), len(found.faces)) == (8, 6)
    assert found.volume() == pytest.approx(6.0, rel=1e-6)  # some formats keep single precision
    assert found.mass_properties().com == pytest.approx((5.0 if moved else 0.0, 0.0, 0.0), abs=1e-6)


@pytest.mark.parametrize(("ending", "package"), [(".dae", "pycollada"), (".3mf", "networkx")])
def test_packages_that_trimesh_needs_are_named(
    ending: str, package: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("trimesh", reason="trimesh is not installed (extra 'mesh')")
    monkeypatch.setattr(meshes, "find_spec", lambda name: None)
    path = tmp_path / f"box{ending}"
    path.write_bytes(b"x")
    with pytest.raises(FileError, match=rf"needs {package}.* beside trimesh. pip install {package}"):
        read_mesh(path)
