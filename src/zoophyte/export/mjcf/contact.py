"""Who touches whom, and how, in MuJoCo's terms.

Ours.  Two shapes meet if each is in a group that the other's mask names; not if their bodies are welded together, stand
still both, or carry one another; and not in one tree, unless the description says so.  Friction mixes as the geometric
mean, torsion, rolling and adhesion as the larger.

MuJoCo's.  Two geoms meet if contype₁ ∧ conaffinity₂ or contype₂ ∧ conaffinity₁; not if their bodies are welded together
or carry one another, except on the ground.  Friction, torsion and rolling mix as the larger, adhesion as the sum.

So every class of shapes that meet the same others gets one bit as its contype, and the bits of all classes that it meets
as its conaffinity; bit 0 is the ground's, so that a floor with MuJoCo's defaults is the ground too.  That is exact for 31
classes.  What is left becomes <exclude> (we do not, they would) and <pair> (they do not, or with another friction).
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from zoophyte.description import GROUND, Description, Surface
from zoophyte.description.tree import Kin, kinship
from zoophyte.export.mjcf.frames import Station
from zoophyte.export.mjcf.markup import Attributes, Names, Value

CLASSES = 31
"""Bits of MuJoCo's masks."""
PAIRS = 5000
"""Of geoms that are written at most; a file with more would be read for minutes."""
SAME = 1e-12


@dataclass(frozen=True)
class Material:
    """What a contact feels like: MuJoCo's coefficients."""

    friction: float
    torsion: float
    rolling: float
    adhesion: float

    @classmethod
    def of(cls, surface: Surface) -> Material:
        """Of one surface."""
        return cls(surface.friction, surface.torsion, surface.rolling, surface.adhesion)

    @property
    def condim(self) -> int:
        """Dimension of the contact: 1 without friction, 3 with it, 4 with torsion, 6 with rolling."""
        return 6 if self.rolling > 0.0 else 4 if self.torsion > 0.0 else 3 if self.friction > 0.0 else 1

    def mixed(self, other: Material, friction: float | None = None) -> Material:
        """Our mixture; the friction may be given."""
        mean = math.sqrt(self.friction * other.friction)
        return Material(
            mean if friction is None else friction, max(self.torsion, other.torsion), max(self.rolling, other.rolling),
            max(self.adhesion, other.adhesion),
        )  # fmt: skip

    def is_mixed_by_mujoco(self, other: Material, wanted: Material) -> bool:
        """Whether MuJoCo's mixture of the two is what is wanted."""
        found = (
            max(self.friction, other.friction),
            self.adhesion + other.adhesion,
            max(self.condim, other.condim),
        )
        return (
            math.isclose(found[0], wanted.friction, rel_tol=SAME)
            and math.isclose(found[1], wanted.adhesion, rel_tol=SAME)
            and found[2] == wanted.condim
        )


@dataclass
class Touching:
    """A geom that touches.

    Args:
        body: of ours that it belongs to; ground's name for the ground.
        surface: how it touches.
        attributes: of the geom, which get their contact parameters.
        wanted_name: if it needs a name and has none.
    """

    body: str
    surface: Surface
    attributes: dict[str, Value]
    wanted_name: str = ""


GHOST: Attributes = {"contype": 0, "conaffinity": 0}
"""Attributes of a geom that touches nothing."""

Key = tuple[int, int, str]
"""Group, mask, and the tree whose bodies do not touch each other."""


@dataclass
class Contacts:
    """Fills in the contact parameters of geoms, and collects what cannot be said by them.

    Args:
        description: checked.
        geoms: that touch; the ground's first, if there is one.
        stations: the bodies there.
        bodies: what each body of ours is called there.
        names: of geoms.
    """

    description: Description
    geoms: Sequence[Touching]
    stations: Sequence[Station]
    bodies: Mapping[str, str]
    names: Names
    excludes: list[tuple[str, Attributes]] = field(default_factory=list)
    pairs: list[tuple[str, Attributes]] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._kin = {GROUND: Kin("", "", GROUND), **kinship(self.description.bodies)}
        self._own = {frozenset(pair.bodies): pair for pair in self.description.pairs}
        self._by_body: dict[str, list[Touching]] = {}
        for geom in self.geoms:
            self._by_body.setdefault(geom.body, []).append(geom)
        self._crowds = self._crowded_trees()

    def fill(self) -> None:
        """Do everything."""
        if not self.geoms:
            return
        by_masks = self._set_masks()
        for geom in self.geoms:
            material = Material.of(geom.surface)
            geom.attributes |= {
                "condim": material.condim if material.condim != 3 else None,
                "friction": (material.friction, material.torsion, material.rolling),
                "adhesion": material.adhesion or None,
            }
        for one, other in self._parted(by_masks):
            if one in self._by_body and other in self._by_body:
                self.excludes.append(("exclude", {"body1": self.bodies[one], "body2": self.bodies[other]}))
        self._write_pairs()
        self._warn()

    # --------------------------------------------------------------------------------------------------- masks

    def _crowded_trees(self) -> set[str]:
        """Trees with more than one touching piece, where these do not touch each other."""
        if self.description.self_contact:
            return set()
        pieces: dict[str, set[str]] = {}
        for body in self._by_body:
            kin = self._kin[body]
            pieces.setdefault(kin.tree, set()).add(kin.welded)
        return {tree for tree, members in pieces.items() if len(members) > 1 and tree != GROUND}

    def _key(self, geom: Touching, with_trees: bool) -> Key:
        tree = self._kin[geom.body].tree
        return (geom.surface.group, geom.surface.mask, tree if with_trees and tree in self._crowds else "")

    def _set_masks(self) -> bool:
        """Contypes and conaffinities; returns whether they also part the bodies of a tree."""
        ground = (1, Surface().mask, "")
        if self.geoms[0].body == GROUND:
            ground = self._key(self.geoms[0], False)
        for with_trees in (True, False):
            keys = [ground, *dict.fromkeys(self._key(geom, with_trees) for geom in self.geoms)]
            if with_trees and len(keys) > 4 * CLASSES:
                continue
            bits = _bits(keys)
            if len(set(bits.values())) <= CLASSES:
                break
        else:
            self.warnings.append(
                f"shapes have more than {CLASSES} kinds of groups and masks; some of them touch no others there."
            )
        for geom in self.geoms:
            key = self._key(geom, with_trees)
            met = {bits[other] for other in bits if _meet(key, other)} - {CLASSES}
            conaffinity = sum(1 << bit for bit in met)
            contype = 1 << bits[key] if bits[key] < CLASSES else 0
            geom.attributes |= {
                "contype": contype if contype != 1 else None,
                "conaffinity": conaffinity if conaffinity != 1 else None,
            }
        return with_trees

    # ------------------------------------------------------------------------------------- what masks cannot say

    def _parted(self, by_masks: bool) -> Iterator[tuple[str, str]]:
        """Bodies that MuJoCo would let touch and we do not."""
        for pair in self.description.pairs:
            if not pair.contact:
                yield pair.bodies
        bodies = [body for body in self._by_body if body != GROUND]
        still = [body for body in bodies if self._kin[body].is_still]
        for body in bodies:
            carrier = self._kin[body].carrier
            yield from ((other, body) for other in still if self._kin[other].welded == carrier)
        if not by_masks:
            for tree in self._crowds:
                members = [body for body in bodies if self._kin[body].tree == tree]
                for one, other in itertools.combinations(members, 2):
                    if not self._kin[one].never_touches(self._kin[other]):
                        yield one, other

    def _meet(self, a: Touching, b: Touching) -> bool:
        """Our whole rule."""
        one, other, own = self._kin[a.body], self._kin[b.body], self._own.get(frozenset((a.body, b.body)))
        return (
            not one.never_touches(other)
            and (own is None or own.contact)
            and _meet(self._key(a, True), self._key(b, True))
        )

    def _write_pairs(self) -> None:
        for count, (a, b) in enumerate(self._special()):
            if count == PAIRS:
                self.warnings.append(
                    f"frictions mix as the geometric mean here and as the larger there; {PAIRS} pairs of shapes are "
                    "written with their own friction, the rest is not."
                )
                return
            wanted = self._mixture(a, b)
            slide, roll = (wanted.friction,) * 2, (wanted.rolling,) * 2
            self.pairs.append(
                ("pair", {"geom1": self._name(a), "geom2": self._name(b), "condim": wanted.condim,
                          "friction": (*slide, wanted.torsion, *roll), "adhesion": wanted.adhesion or None})
            )  # fmt: skip

    def _mixture(self, a: Touching, b: Touching) -> Material:
        own = self._own.get(frozenset((a.body, b.body)))
        return Material.of(a.surface).mixed(Material.of(b.surface), own.friction if own else None)

    def _special(self) -> Iterator[tuple[Touching, Touching]]:
        """Shapes that touch here, and there not at all or with another friction."""
        seen: set[tuple[int, int]] = set()
        for a, b in self._candidates():
            key = (min(id(a), id(b)), max(id(a), id(b)))
            if key not in seen and a is not b and self._meet(a, b):
                seen.add(key)
                yield a, b

    def _candidates(self) -> Iterator[tuple[Touching, Touching]]:
        for pair in self.description.pairs:
            if pair.contact and pair.friction is not None:
                yield from itertools.product(*(self._by_body.get(body, ()) for body in pair.bodies))
        welded: dict[str, list[Touching]] = {}
        for geom in self.geoms:
            welded.setdefault(self._kin[geom.body].welded, []).append(geom)
        for station in self.stations:
            carrier = self._kin[station.parent]
            if (
                not carrier.is_still
            ):  # MuJoCo lets these alone; so do we, unless a body without mass lies between
                yield from itertools.product(
                    welded.get(station.body.name, ()), welded.get(carrier.welded, ())
                )
        by_material: dict[Material, list[Touching]] = {}
        for geom in self.geoms:
            by_material.setdefault(Material.of(geom.surface), []).append(geom)
        for one, other in itertools.combinations_with_replacement(by_material, 2):
            if not one.is_mixed_by_mujoco(other, one.mixed(other)):
                if one is other:
                    yield from itertools.combinations(by_material[one], 2)
                else:
                    yield from itertools.product(by_material[one], by_material[other])

    def _name(self, geom: Touching) -> Value:
        if geom.attributes.get("name") is None:
            geom.attributes["name"] = self.names.take(geom.wanted_name)
        return geom.attributes["name"]

    def _warn(self) -> None:
        surfaces = [geom.surface for geom in self.geoms]
        bouncing = any(surface.restitution > 0.0 for surface in surfaces)
        if bouncing or any((pair.restitution or 0.0) > 0.0 for pair in self.description.pairs):
            self.warnings.append(
                "surfaces have a restitution; MuJoCo's contacts rebound as their solref says, here not at all."
            )
        if any(surface.friction_across is not None for surface in surfaces):
            self.warnings.append("surfaces have a grain; MuJoCo's friction is the same in all directions.")


def _meet(a: Key, b: Key) -> bool:
    """Whether groups and masks let two classes meet, and no tree keeps them apart."""
    return bool(a[0] & b[1]) and bool(b[0] & a[1]) and not (a[2] and a[2] == b[2])


def _bits(keys: Iterable[Key]) -> dict[Key, int]:
    """One bit for all keys that meet the same others, the first key's is 0; CLASSES for those beyond the last one."""
    known = list(dict.fromkeys(keys))
    numbers: dict[tuple[bool, ...], int] = {}
    bits = {}
    for key in known:
        row = tuple(_meet(key, other) for other in known)
        bits[key] = min(numbers.setdefault(row, len(numbers)), CLASSES)
    return bits
