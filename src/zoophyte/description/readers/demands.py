"""What an MJCF file asks for, counted before MuJoCo's reader is called, which would go on until the memory is full.

Files may include others, attach whole models, replicate what they hold, and ask by a single number for any amount of
memory.  Here all files that MuJoCo would read are found and looked at: each must be an ordinary file, none may lead back to
itself, and what they ask for together must stay below limits.  In doubt more is counted than MuJoCo makes.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from zoophyte.description.arrays.png import SIGNATURE, check_picture
from zoophyte.description.files import open_regular, read_bytes
from zoophyte.description.problems import given
from zoophyte.description.readers.xml import Element, numbers_of, read_xml
from zoophyte.description.reading import SIZE_LIMIT, file_error
from zoophyte.errors import FileError

BODY_LIMIT = 10_000
"""Bodies and geoms of a model: MuJoCo's reader takes time with the square of their number."""
ELEMENT_LIMIT = 100_000
NUMBER_LIMIT = 2**24
"""Of fields of heights, keyframes, sensors, user data: what a few letters of a file may ask for."""
PIXEL_LIMIT = 2**26
BYTE_LIMIT = 2**28
"""Of meshes, pictures and other files together."""
TEXT_LIMIT = SIZE_LIMIT
"""Bytes of XML, included files counted each time that they are read."""
MODEL_DEPTH = 16
"""Models that are attached to models that are attached …"""

CAPS = {
    "replicate": {"count": BODY_LIMIT},
    "size": {
        "nkey": 10_000, "nuserdata": 10**6, "njmax": 10**6, "nconmax": 10**6, "nstack": 10**8, "memory": 2**30,
        **dict.fromkeys([f"nuser_{n}" for n in ("actuator", "body", "cam", "geom", "jnt", "sensor", "site", "tendon")], 100),
    },
    "option": dict.fromkeys(
        [f"{n}iterations" for n in ("", "ls_", "noslip_", "ccd_", "mpr_", "sdf_")] + ["sdf_initpoints"], 10_000
    ),
    "mesh": {"params": 100},
}  # fmt: skip
"""The largest number in an attribute."""
COUNTS = {"flexcomp": ("count", "cellcount"), "flex": ("cellcount",), "composite": ("count",)}
"""Products that are numbers of bodies, or cost as much."""
USUAL_COUNT = {"flexcomp": 1000}
SIZES = ("nrow", "ncol", "dim", "num", "nsample", "actdim", "value")
"""Attributes whose product over an element is a number of numbers."""
LONGEST_RANGE = 10_000
"""Steps in which MuJoCo looks for the range of the length of one actuator."""
DEPTH_OF_DATA = 8
"""Numbers of a pixel of a range finder, or of a body in a keyframe, more or less."""

SENSED = frozenset(
    (
        "site",
        "joint",
        "tendon",
        "actuator",
        "body",
        "geom",
        "camera",
        "mesh",
        "objname",
        "geom1",
        "geom2",
        "body1",
        "body2",
    )
)
"""Attributes that say what a sensor is about."""

FOLDERS = ("assetdir", "meshdir", "texturedir")


class Place(NamedTuple):
    """An element of a model, and how often MuJoCo makes it.

    Args:
        element: as written.
        times: how many of it there will be.
        source: the file.
        chain: the files that include it, from the model's own to this one.
    """

    element: Element
    times: int
    source: Path
    chain: tuple[str, ...]


@dataclass
class Demand:
    """What a model asks for.

    Args:
        bodies: and geoms.
        elements: of all kinds.
        numbers: in arrays.
        keys: keyframes.
    """

    bodies: int = 0
    elements: int = 0
    numbers: int = 0
    keys: int = 0


@dataclass
class _Model:
    """A model and the files that it is made of."""

    path: Path
    places: list[Place] = field(default_factory=list)
    folders: set[str] = field(default_factory=lambda: {""})
    demand: Demand = field(default_factory=Demand)


def check_mjcf(document: Element, path: Path) -> bool:
    """Refuse a file that asks for too much, and tell whether everything stands in this one file.

    Args:
        document: the outermost element.
        path: of the file.

    Raises:
        FileError: says where, what it asks for and how much is allowed.
    """
    return _Survey().whole(document, path)


class _Survey:
    """Looks at all files of a model, each once."""

    def __init__(self) -> None:
        self.documents: dict[str, Element] = {}
        self.text = self.bytes = self.pixels = 0
        self.pictures: dict[str, int] = {}

    def whole(self, document: Element, path: Path) -> bool:
        self.documents[os.path.realpath(path)] = document
        model = self._model(path, ())
        return not any(place.element.tag in ("include", "attach", "model") for place in model.places)

    # ------------------------------------------------------------------------------------------------ one model

    def _model(self, path: Path, above: tuple[str, ...]) -> _Model:
        """What a file and all that it includes and attaches asks for."""
        model = _Model(path)
        for place in self._places(path, model):
            model.places.append(place)
            for name in FOLDERS:
                model.folders.add(place.element.attributes.get(name, "").replace("\\", "/"))
        attached = {
            place.element.attributes.get("name", ""): self._attached(place, model, above)
            for place in model.places
            if place.element.tag == "model"
        }
        copies = sum(
            place.times * _copies(place.element) for place in model.places if place.element.tag == "replicate"
        )
        for place in model.places:
            if place.element.tag == "sensor" and copies:
                model.demand.elements += _doubled(place.element, copies)
            self._count(place, model, attached)
            self._check_files(place, model)
        return model

    def _places(self, path: Path, model: _Model) -> Iterator[Place]:
        """All elements of a model, those of included files where they are included."""
        real = os.path.realpath(path)
        waiting = [Place(self._document(path), 1, path, (real,))]
        while waiting:
            place = waiting.pop()
            element, times, source, chain = place
            model.demand.elements += times
            if model.demand.elements > ELEMENT_LIMIT:
                raise _refused(
                    place,
                    f"is one of more than {ELEMENT_LIMIT:,} elements, included and replicated ones counted.",
                )
            _check_caps(place)
            yield place
            if element.tag == "include":
                for target in self._found(place, model, "file", element.attributes.get("file", "")):
                    waiting += reversed(self._included(place, target))
                continue
            if element.tag == "replicate":
                times *= _copies(element)
            waiting += [Place(child, times, source, chain) for child in reversed(element.children)]

    def _included(self, place: Place, target: Path) -> list[Place]:
        real = os.path.realpath(target)
        if real in place.chain:
            names = [os.path.basename(name) for name in [*place.chain[place.chain.index(real) :], real]]
            raise _refused(place, f"includes itself: {' → '.join(names)}.", "Remove the loop.")
        document = self._document(target, place)
        return [Place(child, place.times, target, (*place.chain, real)) for child in document.children]

    def _document(self, path: Path, place: Place | None = None) -> Element:
        """The outermost element of a file; however often it is included, it is read once."""
        real = os.path.realpath(path)
        if real not in self.documents:
            self.documents[real] = read_xml(path)
        if place is not None:
            self.text += os.path.getsize(real)
            if self.text > TEXT_LIMIT:
                raise _refused(
                    place, f"is one of files of more than {TEXT_LIMIT // 2**20} MiB of XML together."
                )
        return self.documents[real]

    def _attached(self, place: Place, model: _Model, above: tuple[str, ...]) -> Demand:
        """What a model asks for that may be attached to another."""
        own = (*above, os.path.realpath(model.path))
        most = Demand()
        for target in self._found(place, model, "file", place.element.attributes.get("file", "")):
            real = os.path.realpath(target)
            if real in own:
                names = [os.path.basename(name) for name in [*own[own.index(real) :], real]]
                raise _refused(place, f"attaches itself: {' → '.join(names)}.", "Remove the loop.")
            if len(own) >= MODEL_DEPTH:
                raise _refused(place, f"is attached to more than {MODEL_DEPTH} models, one to the other.")
            self._document(target, place)
            found = self._model(target, own).demand
            most = found if found.bodies >= most.bodies else most
        return most

    # -------------------------------------------------------------------------------------------------- counting

    def _count(self, place: Place, model: _Model, attached: dict[str, Demand]) -> None:
        """Add what one element asks for to what its model does."""
        element, times = place.element, place.times
        demand, tag = model.demand, element.tag
        if tag == "attach":
            name = element.attributes.get("model", "")
            for found in [attached[name]] if name in attached else attached.values():
                demand.bodies += times * found.bodies
                demand.elements += times * found.elements
                demand.numbers += times * found.numbers
                demand.keys += times * found.keys
        demand.bodies += times * _bodies(element)
        demand.numbers += times * _numbers(element)
        if tag == "key":
            demand.keys += 1
        elif tag == "size":
            demand.keys += int(max(0.0, _largest(element, "nkey")))
        elif tag == "rangefinder" and "camera" in element.attributes:
            pixels = max(
                (_product(p.element, "resolution") for p in model.places if p.element.tag == "camera"),
                default=0,
            )
            demand.numbers += times * DEPTH_OF_DATA * pixels
        elif tag == "texture" and "builtin" in element.attributes:
            sides = 6 if element.attributes.get("type", "cube") != "2d" else 1
            self._draw(place, sides * _product(element, "width", "height", "nchannel"))
        if demand.bodies > BODY_LIMIT:
            what = f"makes more than {BODY_LIMIT:,} bodies and geoms, with what is included, attached and replicated"
            raise _refused(place, f"{what}; no larger model is read.")
        if demand.elements > ELEMENT_LIMIT:
            raise _refused(
                place, f"makes more than {ELEMENT_LIMIT:,} elements, attached and replicated ones counted."
            )
        if demand.numbers + demand.keys * demand.bodies * DEPTH_OF_DATA > NUMBER_LIMIT:
            raise _refused(
                place, f"asks with what stands before for room for more than {NUMBER_LIMIT:,} numbers."
            )

    def _draw(self, place: Place, pixels: int) -> None:
        self.pixels += pixels
        if self.pixels > PIXEL_LIMIT:
            raise _refused(place, f"is one of pictures of more than {PIXEL_LIMIT:,} pixels together.")

    # ----------------------------------------------------------------------------------------------------- files

    def _found(self, place: Place, model: _Model, key: str, name: str) -> list[Path]:
        """All files that MuJoCo might mean by a name; none may be missing, and none anything but an ordinary file."""
        clean = name.replace("\\", "/")
        folders = dict.fromkeys(
            [model.path.parent, place.source.parent, *([Path()] if model.path.suffix != ".xml" else [])]
        )
        names = (
            [clean]
            if key == "file" and place.element.tag in ("include", "model")
            else [clean, os.path.basename(clean)]
        )
        inner = [""] if len(names) == 1 else sorted(model.folders)
        found: dict[str, Path] = {}
        for candidate in (folder / middle / each for folder in folders for middle in inner for each in names):
            if "\0" not in name and clean and os.path.lexists(candidate) and not candidate.is_dir():
                found.setdefault(os.path.realpath(candidate), candidate)
        if not found:
            looked = ", ".join(os.fspath(folder / clean) for folder in folders)[:300]
            raise _refused(place, f"names {given(name)}, which was not found.", f"Looked for: {looked}.")
        return list(found.values())

    def _check_files(self, place: Place, model: _Model) -> None:
        """Meshes, pictures, heights and whatever else an element names; what is XML was read already."""
        element = place.element
        for key, name in element.attributes.items():
            if not key.startswith("file") or element.tag in ("include", "model"):
                continue
            if "://" in name or model.places[0].element.tag == "robot":
                name = name.partition("://")[2] or name
            for target in self._found(place, model, key, name):
                try:
                    self._check_file(place, target)
                except FileError as failure:
                    raise _refused(place, f"names a file that is not read: {failure}") from None

    def _check_file(self, place: Place, target: Path) -> None:
        real = os.path.realpath(target)
        if real not in self.pictures:
            with open_regular(target) as file:
                if not os.fstat(
                    file.fileno()
                ).st_size:  # as those are that a system makes up when they are read
                    raise file_error(os.fspath(target), None, "is empty.")
            content = read_bytes(target)
            is_picture = content[:8] == SIGNATURE
            self.pictures[real] = check_picture(target, content, PIXEL_LIMIT) if is_picture else 0
        self._draw(place, self.pictures[real] * (6 if place.element.tag == "hfield" else 1))
        self.bytes += os.path.getsize(real)
        if self.bytes > BYTE_LIMIT:
            raise _refused(place, f"names one of files of more than {BYTE_LIMIT // 2**20} MiB together.")


def _check_caps(place: Place) -> None:
    for name, most in CAPS.get(place.element.tag, {}).items():
        number = _largest(place.element, name)
        if not number <= most:
            text = given(place.element.attributes[name])
            raise _refused(place, f"asks for {name} = {text}; at most {most:,} is read.")
    if place.element.tag == "lengthrange":
        total, step = (
            _largest(place.element, name, usual) for name, usual in (("inttotal", 10.0), ("timestep", 0.01))
        )
        if not (step > 0.0 and total / step <= LONGEST_RANGE):
            raise _refused(
                place,
                f"asks for inttotal / timestep = {total:g} / {step:g}; at most {LONGEST_RANGE:,} steps.",
            )


def _copies(element: Element) -> int:
    return int(max(1.0, min(_largest(element, "count"), BODY_LIMIT)))


def _doubled(element: Element, copies: int) -> int:
    """Sensors of nothing in particular, of which MuJoCo makes a second for each that there is with every replica."""
    free = sum(not SENSED & child.attributes.keys() for child in element.children)
    return free << min(copies, 30)


def _bodies(element: Element) -> int:
    """How many bodies and geoms an element makes, or what costs as much as those."""
    if element.tag in ("body", "geom", "link", "collision", "visual"):
        return 1
    made = [_product(element, name) for name in COUNTS.get(element.tag, ())]
    return max([USUAL_COUNT.get(element.tag, 0) if "count" not in element.attributes else 0, *made])


def _numbers(element: Element) -> int:
    return _product(element, *SIZES) if any(name in element.attributes for name in SIZES) else 0


def _largest(element: Element, name: str, usual: float = 0.0) -> float:
    return max(numbers_of(element, name), default=usual)


def _product(element: Element, *names: str) -> int:
    """The product of all numbers in some attributes; those that are missing or below 1 count as 1."""
    product = 1.0
    for name in names:
        for number in numbers_of(element, name):
            product *= max(1.0, number)
    return int(product) if product < 10**18 else 10**18


def _refused(place: Place, what: str, how: str = "") -> FileError:
    element = place.element
    name = element.attributes.get("name", "")
    head = f"<{element.tag}>" if element.tag.isprintable() else "an element"
    who = f"{head} {given(name)}" if name else head
    return file_error(os.fspath(place.source), element.line, f"{who} {what}", how)
