"""URDF's numbers, origins and geometry elements."""

from __future__ import annotations

import os
from itertools import zip_longest
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import numpy as np

from zoophyte.algebra.quaternions import quaternion_matrix, quaternion_product
from zoophyte.algebra.vectors import add, cross
from zoophyte.description.problems import given
from zoophyte.description.readers.meshes import hull, read_mesh
from zoophyte.description.readers.report import Report, unknown
from zoophyte.description.readers.xml import Element
from zoophyte.description.shapes import Box, Capsule, Cylinder, Shape, Sphere
from zoophyte.description.values import LARGEST, Quadruple, Triple, as_number
from zoophyte.errors import DescriptionError, FileError
from zoophyte.numbers.functions import sincos

SOLIDS = ("box", "cylinder", "sphere", "capsule", "mesh")
ROUNDING = 1e-9
"""Of sizes, within which numbers in files are taken for equal."""
PACKAGE_FOLDERS = ("ROS_PACKAGE_PATH", "AMENT_PREFIX_PATH", "CMAKE_PREFIX_PATH")
"""Variables of the environment that list where packages are, under ROS 1 and 2."""


def name_of(element: Element) -> str:
    """An element as messages name it: ``joint 'knee'``."""
    name = element.attributes.get("name", "")
    return f"{element.tag} {given(name)}" if name else element.tag


def turned(roll: float, pitch: float, yaw: float) -> Quadruple:
    """The quaternion of URDF's angles: about fixed x, then y, then z; R = R_z R_y R_x."""
    halves = [sincos(0.5 * angle) for angle in (roll, pitch, yaw)]
    (sr, cr), (sp, cp), (sy, cy) = halves
    first = quaternion_product((cp, 0.0, sp, 0.0), (cr, sr, 0.0, 0.0))
    w, x, y, z = quaternion_product((cy, 0.0, 0.0, sy), first)
    return (w, x, y, z)


def across(axis: Triple) -> tuple[Triple, Triple]:
    """Two directions that make a right-handed frame with `axis`, which comes last."""
    smallest = min(range(3), key=lambda n: abs(axis[n]))
    helper = tuple(1.0 if n == smallest else 0.0 for n in range(3))
    x, y, z = cross((helper[0], helper[1], helper[2]), axis)
    length = (x * x + y * y + z * z) ** 0.5
    first = (x / length, y / length, z / length)
    a, b, c = cross(axis, first)
    return first, (a, b, c)


def with_capsules(shapes: list[Shape]) -> list[Shape]:
    """The same solids, where a cylinder with a ball on each end is a capsule, for which URDF has no element.

    Args:
        shapes: of one link, none of which has mass of its own to lose.
    """
    balls = [shape for shape in shapes if isinstance(shape, Sphere)]
    found: list[Shape] = []
    for shape in shapes:
        ends = _balls_at_ends(shape, balls) if isinstance(shape, Cylinder) and len(balls) > 1 else None
        if isinstance(shape, Cylinder) and ends is not None:
            balls = [ball for ball in balls if not any(ball is end for end in ends)]
            kept = {"name", "position", "rotation", "colour", "radius", "length"}
            found.append(Capsule(**{name: getattr(shape, name) for name in kept}))
        else:
            found.append(shape)
    return [shape for shape in found if not isinstance(shape, Sphere) or any(shape is ball for ball in balls)]


def _balls_at_ends(cylinder: Cylinder, balls: list[Sphere]) -> list[Sphere] | None:
    """The two balls that make it a capsule, if they are there."""
    _, _, x, _, _, y, _, _, z = quaternion_matrix(cylinder.rotation)
    allowed = ROUNDING * (cylinder.length + cylinder.radius)
    ends = []
    for half in (-0.5 * cylinder.length, 0.5 * cylinder.length):
        wanted = add(cylinder.position, (half * x, half * y, half * z))
        near = (
            ball
            for ball in balls
            if abs(ball.radius - cylinder.radius) <= allowed
            and max(abs(a - b) for a, b in zip(ball.position, wanted, strict=True)) <= allowed
        )
        if (end := next(near, None)) is None:
            return None
        ends.append(end)
    return ends


class Attribute:
    """Reads numbers from attributes; what is no number is reported and replaced by a harmless one."""

    def __init__(self, report: Report) -> None:
        self.report = report

    def of(self, element: Element, key: str, default: float | None) -> float:
        """One finite number; without a default it must be there."""
        text = element.attributes.get(key)
        if text is None:
            if default is None:
                self.report.problem(element.line, f"<{element.tag}>: {key}", "is missing.")
            return default or 0.0
        number = _number(text)
        if number is None:
            what = f"is {given(text)}, must be a number from {-LARGEST:g} to {LARGEST:g}."
            self.report.problem(element.line, f"<{element.tag}>: {key}", what)
        return number or 0.0

    def triple(self, element: Element, key: str, default: Triple) -> Triple:
        """Three finite numbers, parted by blanks."""
        text = element.attributes.get(key)
        if text is None:
            return default
        where, what = (
            f"<{element.tag}>: {key}",
            f"is {given(text)}, must be three numbers from {-LARGEST:g} to {LARGEST:g}.",
        )
        numbers = [_number(word) for word in text.split()[:8]]
        if len(numbers) != 3 or None in numbers:
            mended = [_number(word) for word in text.replace(",", " ").split()[:8]]
            if len(mended) < 3 or None in mended[:3]:
                self.report.problem(element.line, where, what)
                return default
            numbers = mended[:3]
            self.report.mend(element.line, where, what, f"{', '.join(map(str, numbers))} were taken.")
        x, y, z = (number or 0.0 for number in numbers)
        return (x, y, z)

    def origin(self, element: Element) -> tuple[Triple, Quadruple]:
        """Position and rotation of an element's <origin>; none is no displacement."""
        origin = element.find("origin")
        if origin is None:
            return (0.0, 0.0, 0.0), (1.0, 0.0, 0.0, 0.0)
        zero = (0.0, 0.0, 0.0)
        return self.triple(origin, "xyz", zero), turned(*self.triple(origin, "rpy", zero))


class Geometry:
    """Shapes of links: what collides, or where nothing does, what shows."""

    def __init__(self, report: Report, folder: Path, document: Element) -> None:
        self.report, self.folder = report, folder
        self.number = Attribute(report)
        self.materials = self._materials(document)

    def _materials(self, document: Element) -> dict[str, Element]:
        """The materials with a name that say what they look like: the robot's own before those of links."""
        found: dict[str, Element] = {}
        inner = (element for element in document.walk() if element.tag == "material")
        for material in [*document.all("material"), *inner]:
            if material.children:
                found.setdefault(material.attributes.get("name", ""), material)
        return found

    def shapes(self, link: Element) -> list[Shape]:
        """All shapes of a link."""
        collisions, visuals = link.all("collision"), link.all("visual")
        colours = [self._colour(visual) for visual in visuals]
        usual = next((colour for colour in colours if colour is not None), None)
        if collisions and len(collisions) != len(visuals):
            colours = []
        elements = collisions or visuals
        found = [
            self._shape(element, name_of(link), colour or usual)
            for element, colour in zip_longest(elements, colours)
        ]
        shapes = with_capsules([shape for shape in found if shape is not None])
        if not collisions:
            for shape in shapes:
                shape.contact = False
        return shapes

    def _colour(self, visual: Element) -> tuple[float, ...] | None:
        """Its own, or that of the material that it names."""
        material = visual.find("material")
        if material is None:
            return None
        name = material.attributes.get("name", "")
        if material.find("color") is None and name and not material.children:
            if name not in self.materials:
                self.report.note(f"Material {given(name)} is named, but nowhere described.")
                return None
            material = self.materials[name]
        if material.find("texture") is not None:
            self.report.note("Textures were passed over.")
        colour = material.find("color")
        if colour is None:
            return None
        text = colour.attributes.get("rgba", "")
        numbers = [_number(word) for word in text.split()[:5]]
        if len(numbers) != 4 or not all(x is not None and 0.0 <= x <= 1.0 for x in numbers):
            self.report.note(f"The colour rgba={given(text)}, no four numbers from 0 to 1, was passed over.")
            return None
        if numbers[3] != 1.0:
            self.report.note("Shapes are opaque here: of colours, the transparency was passed over.")
        return tuple(x for x in numbers[:3] if x is not None)

    def _shape(self, element: Element, link: str, colour: tuple[float, ...] | None) -> Shape | None:
        where = f"{link}: {name_of(element)}"
        geometry = element.find("geometry")
        solid = geometry.children[0] if geometry is not None and geometry.children else None
        if solid is None:
            self.report.problem(element.line, where, "has no geometry.", f"Known: {', '.join(SOLIDS)}.")
            return None
        position, rotation = self.number.origin(element)
        fields: dict[str, Any] = {
            "name": element.attributes.get("name", ""), "position": position, "rotation": rotation, "colour": colour,
        }  # fmt: skip
        try:
            return self._solid(solid, where, fields)
        except DescriptionError as failure:
            self.report.adopt(solid.line, f"{where}: {solid.tag}", failure)
        except FileError as failure:
            self.report.missing(solid.line, f"{where}: mesh", str(failure))
        return None

    def _solid(self, solid: Element, where: str, fields: dict[str, Any]) -> Shape | None:
        number = self.number
        match solid.tag:
            case "box":
                return Box(size=number.triple(solid, "size", (0.0, 0.0, 0.0)), **fields)
            case "sphere":
                return Sphere(radius=number.of(solid, "radius", None), **fields)
            case "cylinder" | "capsule":
                cls: type[Cylinder] | type[Capsule] = Cylinder if solid.tag == "cylinder" else Capsule
                return cls(
                    radius=number.of(solid, "radius", None), length=number.of(solid, "length", None), **fields
                )
            case "mesh":
                points = read_mesh(self._mesh_path(solid)) * np.array(
                    number.triple(solid, "scale", (1.0, 1.0, 1.0))
                )
                return hull(points, **fields)
        self.report.missing(solid.line, f"{where}: <{solid.tag}>", unknown(solid.tag, SOLIDS))
        return None

    def _mesh_path(self, mesh: Element) -> Path:
        """The file of a mesh: beside the URDF file, in a package around it, or where ROS says packages are.

        Raises:
            FileError: when it is not there.
        """
        name = mesh.attributes.get("filename", "")
        if "\0" in name or not name:
            raise FileError(f"filename is {given(name)}; it must name a mesh file.")
        candidates = self._candidates(name)
        for candidate in candidates:
            if os.path.isfile(candidate):  # which is no failure where the name is too long
                return candidate
        looked = ", ".join(os.fspath(candidate) for candidate in candidates[:4])
        raise FileError(f"the file {given(name)} was not found. Looked for: {looked}.")

    def _candidates(self, name: str) -> list[Path]:
        if name.startswith("file://"):
            return [Path(unquote(name.removeprefix("file://")))]
        scheme, separator, rest = name.partition("://")
        if not separator:
            return [self.folder / name]
        if scheme not in ("package", "model"):
            raise FileError(
                f"filename is {given(name)}; only files and package:// addresses are read, no network."
            )
        package, _, inside = unquote(rest).partition("/")
        around = [self.folder.absolute(), *self.folder.absolute().parents]
        found = [folder / inside for folder in around if folder.name == package]
        found += [folder / package / inside for folder in around]
        for variable in PACKAGE_FOLDERS:
            for folder in filter(None, os.environ.get(variable, "").split(os.pathsep)):
                found += [Path(folder) / package / inside, Path(folder) / "share" / package / inside]
        return found


def _number(text: str) -> float | None:
    try:
        return None if "_" in text else as_number(float(text))
    except ValueError:
        return None
