"""glTF files: read back by hand, and judged by the Khronos validator where Node.js is there."""

from __future__ import annotations

import json
import shutil
import struct
import subprocess
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import zoophyte as zp
from golden.pictures import row_of_solids, scene, standing
from zoophyte.description import Body, Description, Sphere
from zoophyte.export import Scene, glb_bytes, scene_of
from zoophyte.export.extent import rotations_of

ROOT = Path(__file__).parents[2]
VALIDATOR = "gltf-validator@2.0.0-dev.3.10"
JUDGE = """
import { createRequire } from "node:module";
import { readFileSync } from "node:fs";
const validator = createRequire(process.argv[2] + "/")("gltf-validator");
const reports = [];
for (const path of process.argv.slice(3))
  reports.push((await validator.validateBytes(new Uint8Array(readFileSync(path)))).issues);
console.log(JSON.stringify(reports));
"""
TYPES = {5126: "<f4", 5123: "<u2", 5125: "<u4"}
WIDTHS = {"SCALAR": 1, "VEC3": 3, "VEC4": 4}


@cache
def swinging() -> Scene:
    return scene_of(zp.World(zp.compile(zp.zoo.tree12()), dt=1e-3).simulate(seconds=0.2, record_rate=60))


def read(data: bytes) -> tuple[dict[str, Any], bytes]:
    """The document and the binary part of a .glb file."""
    magic, version, length = struct.unpack("<4sII", data[:12])
    assert (magic, version, length) == (b"glTF", 2, len(data))
    size, kind = struct.unpack("<I4s", data[12:20])
    assert kind == b"JSON" and size % 4 == 0
    rest = data[20 + size :]
    return json.loads(data[20 : 20 + size]), rest[8:]


def array(document: dict[str, Any], binary: bytes, number: int) -> Any:
    accessor = document["accessors"][number]
    view = document["bufferViews"][accessor["bufferView"]]
    count = accessor["count"] * WIDTHS[accessor["type"]]
    values = np.frombuffer(binary, TYPES[accessor["componentType"]], count, view["byteOffset"])
    return values.reshape(accessor["count"], -1)


def pose(node: dict[str, Any]) -> Any:
    """A node's matrix, scale left out."""
    x, y, z, w = node.get("rotation", (0, 0, 0, 1))
    matrix = np.eye(4)
    matrix[:3, :3] = rotations_of(np.array([w, x, y, z], float))
    matrix[:3, 3] = node.get("translation", (0, 0, 0))
    return matrix


def world_poses(document: dict[str, Any], binary: bytes, frame: int) -> dict[str, Any]:
    """Matrices of all named nodes in the file's world at a frame, by walking down the tree."""
    nodes = [dict(node) for node in document["nodes"]]
    for animation in document.get("animations", []):
        for channel in animation["channels"]:
            values = array(document, binary, animation["samplers"][channel["sampler"]]["output"])
            nodes[channel["target"]["node"]][channel["target"]["path"]] = values[frame]
    found: dict[str, Any] = {}

    def walk(number: int, above: Any) -> None:
        here = above @ pose(nodes[number])
        found[nodes[number]["name"]] = here
        for child in nodes[number].get("children", []):
            walk(child, here)

    walk(document["scenes"][document["scene"]]["nodes"][0], np.eye(4))
    return found


def test_bodies_move_as_they_did_with_y_up() -> None:
    """Oracle: the scene's own poses, turned so that z becomes y; floats of 24 bits through a chain of 12 joints."""
    life = swinging()
    document, binary = read(glb_bytes(life))
    upright = np.array([[1, 0, 0], [0, 0, 1], [0, -1, 0]])
    for frame in (0, life.frame_count // 2, life.frame_count - 1):
        poses = world_poses(document, binary, frame)
        for body, name in enumerate(life.body_names):
            turn = upright @ rotations_of(life.quaternions[frame, body])
            assert poses[name][:3, 3] == pytest.approx(upright @ life.positions[frame, body], abs=2e-6)
            assert np.abs(poses[name][:3, :3] - turn).max() < 2e-6


def test_nodes_are_the_tree_of_bodies() -> None:
    life = swinging()
    document, _ = read(glb_bytes(life))
    names = [node["name"] for node in document["nodes"]]
    assert names[: 1 + len(life.body_names)] == [life.name, *life.body_names]
    for body, parent in enumerate(life.parents):
        assert body + 1 in document["nodes"][parent + 1]["children"]


def test_time_starts_at_zero_and_is_shared() -> None:
    document, binary = read(glb_bytes(swinging()))
    (animation,) = document["animations"]
    inputs = {sampler["input"] for sampler in animation["samplers"]}
    assert len(inputs) == 1
    times = array(document, binary, inputs.pop())[:, 0]
    assert (
        times[0] == 0.0
        and times[-1] == pytest.approx(swinging().times[-1], abs=1e-7)
        and np.all(np.diff(times) > 0)
    )
    assert {sampler["interpolation"] for sampler in animation["samplers"]} == {"LINEAR"}


def test_geometry_is_shared() -> None:
    """Four equal legs and one trunk make two forms."""
    document, _ = read(glb_bytes(scene(zp.zoo.ref4())))
    primitives = [mesh["primitives"][0]["attributes"]["POSITION"] for mesh in document["meshes"]]
    shapes = sum(len(body.shapes) for body in zp.zoo.ref4().bodies)
    assert len(set(primitives)) < shapes


def test_colours_are_linear_light() -> None:
    """sRGB ½ is (0.5 + 0.055)^2.4/1.055^2.4 = 0.21404 of linear light (IEC 61966-2-1)."""
    ball = Description(name="grey", bodies=[Body(name="b", shapes=[Sphere(radius=1, colour=(0.5, 0, 1))])])
    document, _ = read(glb_bytes(scene(ball)))
    colour = document["materials"][0]["pbrMetallicRoughness"]["baseColorFactor"]
    assert colour == pytest.approx([0.214041, 0.0, 1.0, 1.0], abs=1e-6)


def test_a_still_scene_has_no_animation() -> None:
    assert "animations" not in read(glb_bytes(scene(row_of_solids())))[0]


def test_terrain_is_a_node_below_the_root_with_the_heights_of_the_ground() -> None:
    """Oracle: Terrain.height_at; single precision of numbers of order 10."""
    hills = zp.Terrain.bumps(seed=3, size=(6.0, 4.0), height=0.5)
    document, binary = read(glb_bytes(standing(hills)))
    number = next(n for n, node in enumerate(document["nodes"]) if node["name"] == "ground")
    assert number in document["nodes"][0]["children"]
    primitive = document["meshes"][document["nodes"][number]["mesh"]]["primitives"][0]
    points = array(document, binary, primitive["attributes"]["POSITION"])
    assert np.abs(points[:, 2] - hills.height_at(points[:, 0], points[:, 1])).max() < 1e-5
    triangles = points[array(document, binary, primitive["indices"]).reshape(-1, 3)]
    area = np.cross(triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0])[:, 2]
    assert area.min() > 0.0 and area.sum() / 2.0 == pytest.approx(24.0, rel=1e-4)
    assert not any(node["name"] == "ground" for node in read(glb_bytes(standing(zp.Plane())))[0]["nodes"])


def test_a_scene_of_nothing_is_a_file() -> None:
    document, binary = read(glb_bytes(scene(Description(name="nothing", bodies=[]))))
    assert binary == b"" and document["nodes"][0]["name"] == "nothing"


@pytest.fixture(scope="module")
def validator() -> Path:
    """The folder in which the validator is installed."""
    if shutil.which("node") is None or shutil.which("npm") is None:
        pytest.skip("the Khronos validator needs Node.js and npm, which are not installed")
    folder = ROOT / "out" / "gltf-validator"
    if not (folder / "node_modules" / "gltf-validator").is_dir():
        folder.mkdir(parents=True, exist_ok=True)
        command = [
            "npm",
            "install",
            "--no-audit",
            "--no-fund",
            "--no-save",
            "--prefix",
            str(folder),
            VALIDATOR,
        ]
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
        if done.returncode:
            pytest.skip(f"npm could not install {VALIDATOR}: {done.stderr.strip()[-200:]}")
    return folder


def test_khronos_validator_finds_nothing_wrong(validator: Path, tmp_path: Path) -> None:
    """Law: the glTF 2.0 specification; oracle: Khronos' own validator, which must report no error and no warning."""
    odd = Description(
        name='<"&', bodies=[Body(name="ä\N{SNOWMAN}", shapes=[Sphere(radius=1)]), Body(name="bare")]
    )
    scenes = {name: scene(zp.zoo.get(name)) for name in zp.zoo.names()}
    scenes |= {"moving": swinging(), "solids": scene(row_of_solids()), "odd": scene(odd)}
    scenes["nothing"] = scene(Description(name="nothing", bodies=[]))
    scenes |= {
        "hills": standing(zp.Terrain.bumps(seed=3)), "stair": standing(zp.Terrain.steps(5)),
        "tilted": standing(zp.Plane((0.1, 0.2, 1.0))), "space": standing(None),
    }  # fmt: skip
    paths = []
    for name, each in scenes.items():
        paths.append(tmp_path / f"{name}.glb")
        paths[-1].write_bytes(glb_bytes(each))
    judge = tmp_path / "judge.mjs"
    judge.write_text(JUDGE, encoding="utf-8")
    command = ["node", str(judge), str(validator), *map(str, paths)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stderr
    for path, issues in zip(paths, json.loads(done.stdout), strict=True):
        assert issues["numErrors"] == issues["numWarnings"] == 0, (path.name, issues["messages"][:3])
