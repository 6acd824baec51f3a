"""glTF 2.0 in its binary form (.glb): a tree of named nodes, one per body, with their motion over time.

Inside, z is up and quaternions are (w, x, y, z); a glTF file has y up and quaternions (x, y, z, w).  One node at the root
turns everything, so that below it the numbers stay those of the simulation.
"""

from __future__ import annotations

import json
import struct
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from zoophyte import __version__
from zoophyte.description.files import replacing
from zoophyte.export.extent import rotations_of
from zoophyte.export.grounds import ground_mesh
from zoophyte.export.meshes import Mesh, mesh_of
from zoophyte.export.scene import Scene, continuous, quaternions_of, scene_of
from zoophyte.simulation.exporters import register_exporter

if TYPE_CHECKING:
    from zoophyte.simulation import Trajectory

Floats = NDArray[np.float64]

FLOAT, SHORT, INTEGER = 5126, 5123, 5125  # componentType
VERTICES, INDICES = 34962, 34963  # target
UPRIGHT = (-float(np.sqrt(0.5)), 0.0, 0.0, float(np.sqrt(0.5)))  # a quarter turn about x: z up becomes y up
ROUGHNESS = 0.55
GROUND_COLOUR = (0.86, 0.87, 0.86)
STILL = 1e-7  # what changes less than this share of its size is written once


class _File:
    """The parts of a glTF file while it is put together."""

    def __init__(self) -> None:
        self.binary = bytearray()
        self.tables: dict[str, list[dict[str, Any]]] = {
            name: [] for name in ("bufferViews", "accessors", "materials", "meshes", "nodes")
        }
        self._known: dict[Any, int] = {}

    def add(self, table: str, entry: dict[str, Any]) -> int:
        """Append an entry; returns its number."""
        self.tables[table].append(entry)
        return len(self.tables[table]) - 1

    def once(self, table: str, key: Any, entry: dict[str, Any]) -> int:
        """Append an entry unless one of that key is there; returns its number."""
        if (table, key) not in self._known:
            self._known[table, key] = self.add(table, entry)
        return self._known[table, key]

    def numbers(self, values: Any, kind: str, *, target: int | None = None, limits: bool = False) -> int:
        """Store an array; returns the number of its accessor.

        Args:
            values: shape (n, …).
            kind: "SCALAR", "VEC3" or "VEC4".
            target: of the buffer view.
            limits: whether to say what the smallest and largest values are.
        """
        array, component = np.asarray(values, "<f4"), FLOAT
        if target == INDICES:
            is_short = int(np.max(values)) < 65535
            array = np.asarray(values, "<u2" if is_short else "<u4").ravel()
            component = SHORT if is_short else INTEGER
        view: dict[str, Any] = {"buffer": 0, "byteOffset": len(self.binary), "byteLength": array.nbytes}
        if target is not None:
            view["target"] = target
        self.binary += array.tobytes() + b"\0" * (-array.nbytes % 4)
        accessor = {
            "bufferView": self.add("bufferViews", view), "componentType": component, "count": len(array),
            "type": kind,
        }  # fmt: skip
        if limits:
            rows = array.reshape(len(array), -1)
            accessor |= {"min": rows.min(axis=0).tolist(), "max": rows.max(axis=0).tolist()}
        return self.add("accessors", accessor)

    def mesh(self, mesh: Mesh, colour: Any) -> int:
        """The number of a mesh of that form and colour; forms are stored once."""
        if ("form", mesh.key) not in self._known:
            first = self.numbers(mesh.points, "VEC3", target=VERTICES, limits=True)
            self.numbers(_unit(mesh.normals), "VEC3", target=VERTICES)
            self.numbers(mesh.triangles, "SCALAR", target=INDICES)
            self._known["form", mesh.key] = first
        first = self._known["form", mesh.key]
        rgb = tuple(float(part) for part in colour)
        material = self.once(
            "materials", rgb,
            {
                "name": "#" + "".join(f"{round(255 * part):02x}" for part in rgb),
                "pbrMetallicRoughness": {
                    "baseColorFactor": [*(_linear(part) for part in rgb), 1.0],
                    "metallicFactor": 0.0, "roughnessFactor": ROUGHNESS,
                },
            },
        )  # fmt: skip
        primitive = {
            "attributes": {"POSITION": first, "NORMAL": first + 1}, "indices": first + 2, "material": material,
        }  # fmt: skip
        name = str(mesh.key[0])
        return self.once("meshes", (mesh.key, rgb), {"name": name, "primitives": [primitive]})


def _unit(vectors: Floats) -> Floats:
    """Unit vectors that are still so after rounding to single precision."""
    return np.asarray(vectors / np.linalg.norm(vectors, axis=-1, keepdims=True))


def _linear(part: float) -> float:
    """Linear light of an sRGB component, which is what glTF asks for."""
    return float(part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4)


def glb_bytes(scene: Scene) -> bytes:
    """A scene as the bytes of a .glb file.

    Args:
        scene: bodies, shapes and motion; a scene of one frame has no animation.
    """
    file = _File()
    root = file.add("nodes", {"name": scene.name, "rotation": list(UPRIGHT)})
    places, turns = local_motion(scene)
    children: dict[int, list[int]] = {}
    for body, name in enumerate(scene.body_names):
        pose = {"translation": places[0, body].tolist(), "rotation": turns[0, body].tolist()}
        number = file.add("nodes", {"name": name, **pose})
        children.setdefault(scene.parents[body] + 1, []).append(number)
    for body, shapes in enumerate(scene.shapes):
        children.setdefault(body + 1, []).extend(_shape_node(file, shape) for shape in shapes)
    ground = ground_mesh(scene)
    if ground is not None:
        children.setdefault(0, []).append(
            file.add("nodes", {"name": "ground", "mesh": file.mesh(ground, GROUND_COLOUR)})
        )
    for parent, numbers in children.items():
        if numbers:
            file.tables["nodes"][root + parent]["children"] = numbers
    return _packed(file, scene, _animation(file, scene.times, places, turns))


def _animation(file: _File, times: Floats, places: Floats, turns: Floats) -> dict[str, Any]:
    """The animation of what moves; empty if nothing does.  Body k is node k + 1."""
    samplers: list[dict[str, Any]] = []
    channels: list[dict[str, Any]] = []
    for body in range(places.shape[1]):
        for path, values, kind in (("translation", places, "VEC3"), ("rotation", turns, "VEC4")):
            moved = float(np.ptp(values[:, body], axis=0).max())
            if moved > STILL * float(np.abs(values[:, body]).max()):
                if not samplers:
                    clock = file.numbers(times - times[0], "SCALAR", limits=True)
                output = file.numbers(values[:, body], kind)
                channels.append({"sampler": len(samplers), "target": {"node": body + 1, "path": path}})
                samplers.append({"input": clock, "output": output, "interpolation": "LINEAR"})
    return {"name": "life", "samplers": samplers, "channels": channels} if channels else {}


def _shape_node(file: _File, shape: Any) -> int:
    """A node that holds one shape on its body; returns its number."""
    mesh = mesh_of(shape)
    w, x, y, z = shape.rotation
    node = {
        "name": shape.name or shape.kind, "mesh": file.mesh(mesh, shape.colour),
        "translation": list(shape.position), "rotation": _unit(np.array([x, y, z, w])).tolist(),
        "scale": list(mesh.scale),
    }  # fmt: skip
    return file.add("nodes", node)


def local_motion(scene: Scene) -> tuple[Floats, Floats]:
    """Places (T, n, 3) and quaternions (x, y, z, w) (T, n, 4) of bodies in the frames of their parents.

    Interpolated there, a joint stays together between frames.
    """
    turns = rotations_of(scene.quaternions)
    places, rotations = scene.positions.copy(), turns.copy()
    for body, parent in enumerate(scene.parents):
        if parent >= 0:
            back = np.swapaxes(turns[:, parent], 1, 2)
            shift = scene.positions[:, body] - scene.positions[:, parent]
            places[:, body] = np.einsum("tij,tj->ti", back, shift)
            rotations[:, body] = back @ turns[:, body]
    quaternions = continuous(quaternions_of(rotations))
    return places, _unit(np.roll(quaternions, -1, axis=-1))


def _packed(file: _File, scene: Scene, animation: dict[str, Any]) -> bytes:
    document: dict[str, Any] = {
        "asset": {"version": "2.0", "generator": f"Zoophyte {__version__}"},
        "scene": 0,
        "scenes": [{"name": scene.name, "nodes": [0]}],
        "extras": {"length": "m", "time": "s", "start": float(scene.times[0]), "up": "z below the root node"},
        **{name: entries for name, entries in file.tables.items() if entries},
    }
    if animation:
        document["animations"] = [animation]
    chunks = []
    if file.binary:
        document["buffers"] = [{"byteLength": len(file.binary)}]
        chunks.append(struct.pack("<I4s", len(file.binary), b"BIN\0") + bytes(file.binary))
    text = json.dumps(document, ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode()
    text += b" " * (-len(text) % 4)
    chunks.insert(0, struct.pack("<I4s", len(text), b"JSON") + text)
    return struct.pack("<4sII", b"glTF", 2, 12 + sum(map(len, chunks))) + b"".join(chunks)


def write_glb(life: Trajectory, path: Path) -> None:
    """Write a life as a binary glTF file, at most 60 frames a second.

    Args:
        life: what to write.
        path: of the file.
    """
    data = glb_bytes(scene_of(life, rate=60.0))
    with replacing(path) as file:
        file.write(data)


register_exporter(".glb", write_glb)
