"""What one element of an MJCF file asks for, and how much of it is allowed."""

from __future__ import annotations

import os
from pathlib import Path
from typing import NamedTuple

from zoophyte.description.problems import given
from zoophyte.description.readers.xml import Element, numbers_of
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
LOOK_LIMIT = 100_000
"""Files looked for by name: every name may stand in every folder that a model names."""
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

TRANSMISSIONS = frozenset(
    ("joint", "jointinparent", "tendon", "cranksite", "slidersite", "site", "body", "plugin")
)
"""Attributes of which every actuator has one; others have them, too."""

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


class Place(NamedTuple):
    """An element of a model, and how often MuJoCo makes it.

    Args:
        element: as written.
        times: how many of it there will be.
        source: the file.
        chain: the files that include it, from the model's own to this one.
        inherited: whether it stands in a default, for others to take what it says.
    """

    element: Element
    times: int
    source: Path
    chain: tuple[str, ...]
    inherited: bool = False


def check_caps(place: Place) -> None:
    """Refuse an element with a number that is too large."""
    for name, most in CAPS.get(place.element.tag, {}).items():
        number = largest(place.element, name)
        if not number <= most:
            text = given(place.element.attributes[name])
            raise refused(place, f"asks for {name} = {text}; at most {most:,} is read.")
    if place.element.tag == "lengthrange":
        total, step = (
            largest(place.element, name, usual) for name, usual in (("inttotal", 10.0), ("timestep", 0.01))
        )
        if not (step > 0.0 and total / step <= LONGEST_RANGE):
            raise refused(
                place,
                f"asks for inttotal / timestep = {total:g} / {step:g}; at most {LONGEST_RANGE:,} steps.",
            )


def copies_of(element: Element) -> int:
    """How many replicas an element makes."""
    return int(max(1.0, min(largest(element, "count"), BODY_LIMIT)))


def doubled(element: Element, copies: int) -> int:
    """Sensors of nothing in particular, of which MuJoCo makes a second for each that there is with every replica."""
    free = sum(not SENSED & child.attributes.keys() for child in element.children)
    return free << min(copies, 30)


def bodies_of(element: Element) -> int:
    """How many bodies and geoms an element makes, or what costs as much as those."""
    if element.tag in ("body", "geom", "link", "collision", "visual"):
        return 1
    made = [product_of(element, name) for name in COUNTS.get(element.tag, ())]
    return max([USUAL_COUNT.get(element.tag, 0) if "count" not in element.attributes else 0, *made])


def amount_of(element: Element) -> int:
    """How many numbers an element asks room for."""
    names = (*SIZES, "size") if element.tag == "numeric" else SIZES
    return product_of(element, *names) if any(name in element.attributes for name in names) else 0


def largest(element: Element, name: str, usual: float = 0.0) -> float:
    """The largest number in an attribute."""
    return max(numbers_of(element, name), default=usual)


def product_of(element: Element, *names: str) -> int:
    """The product of all numbers in some attributes; those that are missing or below 1 count as 1."""
    product = 1.0
    for name in names:
        for number in numbers_of(element, name):
            product *= max(1.0, number)
    return int(product) if product < 10**18 else 10**18


def refused(place: Place, what: str, how: str = "") -> FileError:
    """The error about an element of a file."""
    element = place.element
    name = element.attributes.get("name", "")
    head = f"<{element.tag}>" if element.tag.isprintable() else "an element"
    who = f"{head} {given(name)}" if name else head
    return file_error(os.fspath(place.source), element.line, f"{who} {what}", how)
