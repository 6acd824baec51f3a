"""What an MJCF file asks for, counted before MuJoCo's reader is called, which would go on until the memory is full.

Files may include others, attach whole models, replicate what they hold, and ask by a single number for any amount of
memory.  Here all files that MuJoCo would read are found and looked at: each must be an ordinary file, none may lead back to
itself, and what they ask for together must stay below limits.  In doubt more is counted than MuJoCo makes.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, fields
from pathlib import Path

from zoophyte.description.arrays.png import SIGNATURE, check_picture
from zoophyte.description.files import open_regular, read_bytes
from zoophyte.description.problems import given
from zoophyte.description.readers.amounts import (
    BODY_LIMIT,
    BYTE_LIMIT,
    DEPTH_OF_DATA,
    ELEMENT_LIMIT,
    LOOK_LIMIT,
    MODEL_DEPTH,
    NUMBER_LIMIT,
    PIXEL_LIMIT,
    TEXT_LIMIT,
    TRANSMISSIONS,
    Place,
    amount_of,
    bodies_of,
    check_caps,
    copies_of,
    doubled,
    largest,
    product_of,
    refused,
)
from zoophyte.description.readers.xml import Element, read_xml
from zoophyte.description.reading import file_error
from zoophyte.errors import FileError

FOLDERS = ("assetdir", "meshdir", "texturedir")


@dataclass
class Demand:
    """What a model asks for.

    Args:
        bodies: and geoms.
        elements: of all kinds.
        named: elements of the models that it names, which MuJoCo makes before it attaches any.
        numbers: in arrays.
        keys: keyframes.
        pixels: of its pictures.
        bytes: of all files that it names.
        text: bytes of XML.
        depth: how many models stand one in the other, itself included.
    """

    bodies: int = 0
    elements: int = 0
    named: int = 0
    numbers: int = 0
    keys: int = 0
    pixels: int = 0
    bytes: int = 0
    text: int = 0
    depth: int = 1

    def largest(self, other: Demand) -> Demand:
        """The larger of each."""
        return Demand(
            **{each.name: max(getattr(self, each.name), getattr(other, each.name)) for each in fields(self)}
        )

    def add(self, other: Demand, times: int) -> None:
        """What another asks for that is attached to this model."""
        for each in fields(self):
            if each.name not in ("named", "text", "depth"):
                setattr(self, each.name, getattr(self, each.name) + times * getattr(other, each.name))


@dataclass
class _Model:
    """A model and the files that it is made of."""

    path: Path
    places: list[Place] = field(default_factory=list)
    folders: set[str] = field(default_factory=lambda: {""})
    demand: Demand = field(default_factory=Demand)
    attached: dict[str, Demand] = field(default_factory=dict)
    """What the models ask for that it names; under the empty name all together."""
    replicated: dict[str, int] = field(default_factory=dict)
    """How often there is what bears a name."""
    heirs: Counter[str] = field(default_factory=Counter)
    """Elements that may take something from a default, by tag; under the empty tag those that may be actuators."""
    resolution: int = 0
    """Pixels of the largest camera."""


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
        self.looked = 0
        self.demands: dict[tuple[str, str], Demand] = {}
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
            name = place.element.attributes.get("name", "")
            if place.times > 1 and name:
                model.replicated[name] = max(place.times, model.replicated.get(name, 1))
            if place.element.tag == "camera":
                model.resolution = max(model.resolution, product_of(place.element, "resolution"))
            for key in FOLDERS:
                model.folders.add(place.element.attributes.get(key, "").replace("\\", "/"))
        for place in model.places:
            if place.element.tag == "model":
                self._mention(place, model, above)
            if not place.inherited:
                times = self._times(place, model)
                model.heirs[place.element.tag] += times
                model.heirs[""] += times * (not TRANSMISSIONS.isdisjoint(place.element.attributes))
        copies = sum(
            place.times * copies_of(place.element)
            for place in model.places
            if place.element.tag == "replicate"
        )
        for place in model.places:
            if place.element.tag == "sensor" and copies:
                model.demand.elements += doubled(place.element, copies)
            self._count(place, model)
            self._check_files(place, model)
        return model

    def _times(self, place: Place, model: _Model) -> int:
        """How often there is an element: what refers to a replica by its name is replicated with it."""
        if place.times > 1 or not model.replicated:
            return place.times
        return max(
            (
                model.replicated.get(word, 1)
                for key, word in place.element.attributes.items()
                if key != "name"
            ),
            default=1,
        )

    def _places(self, path: Path, model: _Model) -> Iterator[Place]:
        """All elements of a model, those of included files where they are included."""
        real = os.path.realpath(path)
        waiting = [Place(self._document(path), 1, path, (real,))]
        while waiting:
            place = waiting.pop()
            element, times, source, chain, inherited = place
            model.demand.elements += times
            if model.demand.elements > ELEMENT_LIMIT:
                raise refused(
                    place,
                    f"is one of more than {ELEMENT_LIMIT:,} elements, included and replicated ones counted.",
                )
            check_caps(place)
            yield place
            if element.tag == "include":
                for target in self._found(place, model, "file", element.attributes.get("file", "")):
                    waiting += reversed(self._included(place, target, model.demand))
                continue
            if element.tag == "replicate":
                times *= copies_of(element)
            inherited = inherited or element.tag == "default"
            waiting += [Place(child, times, source, chain, inherited) for child in reversed(element.children)]

    def _included(self, place: Place, target: Path, demand: Demand) -> list[Place]:
        real = os.path.realpath(target)
        if real in place.chain:
            names = [os.path.basename(name) for name in [*place.chain[place.chain.index(real) :], real]]
            raise refused(place, f"includes itself: {' → '.join(names)}.", "Remove the loop.")
        document = self._document(target)
        _read(place, demand, os.path.getsize(real))
        chain = (*place.chain, real)
        return [Place(child, place.times, target, chain, place.inherited) for child in document.children]

    def _document(self, path: Path) -> Element:
        """The outermost element of a file; however often it is included, it is read once."""
        real = os.path.realpath(path)
        if real not in self.documents:
            self.documents[real] = read_xml(path)
        return self.documents[real]

    def _mention(self, place: Place, model: _Model, above: tuple[str, ...]) -> None:
        """Count a model that this one names; MuJoCo reads its files each time, be it attached or not."""
        own = (*above, os.path.realpath(model.path))
        most = Demand()
        for target in self._found(place, model, "file", place.element.attributes.get("file", "")):
            most = most.largest(self._attached(place, target, own))
        demand = model.demand
        demand.depth = max(demand.depth, 1 + most.depth)
        demand.named += place.times * (most.elements + most.named)
        _check_demand(place, demand)
        _read(place, demand, most.text)
        name = place.element.attributes.get("name", "")
        for key in {name, ""}:
            model.attached.setdefault(key, Demand()).add(most, 1)

    def _attached(self, place: Place, target: Path, own: tuple[str, ...]) -> Demand:
        """What a model asks for that may be attached to another; however often it is named, it is surveyed once."""
        real = os.path.realpath(target)
        if real in own:
            names = [os.path.basename(name) for name in [*own[own.index(real) :], real]]
            raise refused(place, f"attaches itself: {' → '.join(names)}.", "Remove the loop.")
        key = (real, os.path.realpath(target.parent))
        known = self.demands.get(key)
        if len(own) + (known.depth if known else 1) > MODEL_DEPTH:
            raise refused(place, f"is attached to more than {MODEL_DEPTH} models, one to the other.")
        if known is None:
            known = self.demands[key] = self._model(target, own).demand
            known.text += os.path.getsize(real)
        return known

    # -------------------------------------------------------------------------------------------------- counting

    def _count(self, place: Place, model: _Model) -> None:
        """Add what one element asks for to what its model does."""
        element, times = place.element, self._times(place, model)
        demand, tag = model.demand, element.tag
        demand.elements += times - place.times
        if tag == "attach":
            name = element.attributes.get("model", "")
            demand.add(model.attached.get(name, model.attached.get("", Demand())), times)
        demand.bodies += place.times * bodies_of(element)
        amount = amount_of(element)
        if amount and place.inherited:
            times = max(1, model.heirs[tag] + model.heirs[""])
        demand.numbers += times * amount
        if tag == "key":
            demand.keys += 1
        elif tag == "size":
            demand.keys += int(max(0.0, largest(element, "nkey")))
        elif tag == "rangefinder" and "camera" in element.attributes:
            demand.numbers += times * DEPTH_OF_DATA * model.resolution
        elif tag == "texture" and "builtin" in element.attributes:
            sides = 6 if element.attributes.get("type", "cube") != "2d" else 1
            demand.pixels += sides * product_of(element, "width", "height", "nchannel")
        _check_demand(place, demand)

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
        self.looked += len(folders) * len(inner) * len(names)
        if self.looked > LOOK_LIMIT:
            raise refused(
                place,
                f"names one of more files than can be looked for: {LOOK_LIMIT:,} names in all folders together.",
                f"Name fewer folders than {len(inner)} in assetdir, meshdir and texturedir.",
            )
        for candidate in (folder / middle / each for folder in folders for middle in inner for each in names):
            if "\0" not in name and clean and os.path.lexists(candidate) and not candidate.is_dir():
                found.setdefault(os.path.realpath(candidate), candidate)
        if not found:
            looked = ", ".join(os.fspath(folder / clean) for folder in folders)[:300]
            raise refused(place, f"names {given(name)}, which was not found.", f"Looked for: {looked}.")
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
                    self._check_file(place, target, model.demand)
                except FileError as failure:
                    raise refused(place, f"names a file that is not read: {failure}") from None

    def _check_file(self, place: Place, target: Path, demand: Demand) -> None:
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
        demand.pixels += self.pictures[real] * (6 if place.element.tag == "hfield" else 1)
        demand.bytes += os.path.getsize(real)
        _check_demand(place, demand)


def _read(place: Place, demand: Demand, size: int) -> None:
    """Count XML that is read for an element."""
    demand.text += place.times * size
    if demand.text > TEXT_LIMIT:
        raise refused(place, f"is one of files of more than {TEXT_LIMIT // 2**20} MiB of XML together.")


def _check_demand(place: Place, demand: Demand) -> None:
    """Refuse the element with which a model asks for too much."""
    room = demand.numbers + demand.keys * demand.bodies * DEPTH_OF_DATA
    what = ""
    if demand.bodies > BODY_LIMIT:
        what = (
            f"makes more than {BODY_LIMIT:,} bodies and geoms, with what is included, attached and replicated"
        )
        what += "; no larger model is read."
    elif demand.elements > ELEMENT_LIMIT:
        what = f"makes more than {ELEMENT_LIMIT:,} elements, attached and replicated ones counted."
    elif demand.named > ELEMENT_LIMIT:
        what = f"is one of models of more than {ELEMENT_LIMIT:,} elements, those counted that they name themselves."
    elif room > NUMBER_LIMIT:
        what = f"asks with what stands before for room for more than {NUMBER_LIMIT:,} numbers."
    elif demand.pixels > PIXEL_LIMIT:
        what = f"is one of pictures of more than {PIXEL_LIMIT:,} pixels together."
    elif demand.bytes > BYTE_LIMIT:
        what = f"names one of files of more than {BYTE_LIMIT // 2**20} MiB together."
    if what:
        raise refused(place, what)
