"""Contact of a compiled MuJoCo model in our terms: surfaces, groups and masks, and pairs of bodies.

There two geoms meet if contype₁ ∧ conaffinity₂ or contype₂ ∧ conaffinity₁, or if a <pair> says so; not in bodies that are
welded together or carry one another, nor where an <exclude> says so.  Here each class of geoms that meet the same others
gets a group of its own, and the groups that it meets as its mask; group 1 is the ground's.  What the two rules
still see differently becomes a pair of bodies without contact.  Friction mixes there as the larger coefficient and here
as the geometric mean; where that differs, the pair of bodies gets the coefficient.

Planes are the ground, which belongs to the habitat; where there is none, one with MuJoCo's defaults is assumed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from zoophyte.description.bodies import GROUND, Body
from zoophyte.description.constraints import Pair
from zoophyte.description.problems import given
from zoophyte.description.readers.report import Report
from zoophyte.description.surface import ALL_GROUPS, Surface
from zoophyte.description.tree import Kin, kinship

GROUPS = 16
GEOM_LIMIT = 3000
"""Beyond this many geoms all pairs of them are too many to look at: tables of them would take more than a gibibyte."""
PAIR_LIMIT = 10_000
SAME = 1e-9

Truths = NDArray[np.bool_]
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Contacts:
    """What contact adds to a description.

    Args:
        surface: that most touching shapes have.
        self_contact: whether bodies of one tree touch.
        pairs: of bodies that touch otherwise than their surfaces say.
    """

    surface: Surface | None
    self_contact: bool
    pairs: list[Pair]


class ContactReader:
    """Reads contact parameters and gives the shapes theirs.

    Args:
        mujoco: the package.
        model: compiled.
        report: of the reader.
        lines: where each <pair> is written, if that is known.
    """

    def __init__(self, mujoco: Any, model: Any, report: Report, lines: Sequence[int | None]) -> None:
        self.model, self.report, self.lines = model, report, lines
        planes = np.flatnonzero(np.asarray(model.geom_type) == int(mujoco.mjtGeom.mjGEOM_PLANE))
        self.planes = [int(g) for g in planes]
        disabled = int(model.opt.disableflags)
        if disabled & int(mujoco.mjtDisableBit.mjDSBL_CONTACT):
            report.note("Contacts are switched off there, but not here.")
        self.parents_part = not disabled & int(mujoco.mjtDisableBit.mjDSBL_FILTERPARENT)
        if not self.parents_part:
            report.note("Bodies touch their parents there, but not here.")

    def read(self, bodies: list[Body], shapes: Mapping[int, tuple[str, Any]]) -> Contacts:
        """Surfaces for all shapes, which are changed in place.

        Args:
            bodies: of the description, every parent before its children.
            shapes: by number of the geom, the name of the body and the shape.
        """
        self._note_planes()
        geoms = sorted(shapes)
        if len(geoms) > GEOM_LIMIT:
            what = f"are {len(geoms)} in number; contact is read of at most {GEOM_LIMIT}."
            self.report.missing(None, "geoms", what)
            geoms = []
        if not geoms:
            return Contacts(None, False, [])
        table = _Table(self.model, geoms, self.planes[:1])
        names = [*(shapes[g][0] for g in geoms), GROUND]
        meets, touches = self._relations(table, geoms)
        alive: Truths = np.asarray(touches.any(axis=1), bool)
        alive[-1] = True
        parted, same_tree = _kept_apart(bodies, names)
        self_contact = bool(np.any(touches & same_tree))
        ours = meets & ~parted & alive[:, None] & alive[None, :]
        if not self_contact:
            ours &= ~same_tree
        groups = self._groups(meets, np.flatnonzero(alive).tolist())
        surface = self._give_surfaces(table, [shapes[g][1] for g in geoms], groups)
        self._note_mixtures(table, touches)
        return Contacts(surface, self_contact, self._pairs(names, (ours, touches), table))

    def _note_planes(self) -> None:
        model = self.model
        for g in self.planes:
            name = str(model.geom(g).name)
            who = f"The plane {given(name)}" if name else "A plane"
            if int(model.geom_bodyid[g]):
                self.report.note(f"{who} on a body was passed over.")
                continue
            w, x, y, z = (float(v) for v in model.geom_quat[g])
            normal = (2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y))
            words = ", ".join(f"{v:.6g}" for v in normal)
            height = float(np.dot(normal, model.geom_pos[g]))
            friction = _kept(model.geom_friction[g], int(model.geom_condim[g]))[0]
            self.report.note(
                f"{who} was passed over; the ground belongs to the habitat: normal ({words}), height {height:.6g} m, "
                f"friction {friction:.6g}."
            )

    # ------------------------------------------------------------------------------------------------ who meets whom

    def _relations(self, table: _Table, geoms: Sequence[int]) -> tuple[Truths, Truths]:
        """By masks and pairs, and by everything; the last row and column are the ground's."""
        model = self.model
        meets = (table.contype[:, None] & table.conaffinity[None, :]) != 0
        meets |= meets.T
        where = {g: n for n, g in enumerate(geoms)} | dict.fromkeys(self.planes, len(geoms))
        bodies = np.array([*(int(model.geom_bodyid[g]) for g in geoms), 0])
        weld = np.asarray(model.body_weldid)[bodies]
        above = np.asarray(model.body_weldid)[np.asarray(model.body_parentid)[weld]]
        parted = weld[:, None] == weld[None, :]
        if self.parents_part:
            moving = (weld != 0)[:, None] & (weld != 0)[None, :]
            parted |= ((above[:, None] == weld[None, :]) | (weld[:, None] == above[None, :])) & moving
        for signature in np.asarray(model.exclude_signature).tolist():
            one, other = bodies == signature >> 16, bodies == signature & 0xFFFF
            parted |= (one[:, None] & other[None, :]) | (other[:, None] & one[None, :])
        touches = meets & ~parted
        for number in range(len(model.pair_geom1)):
            i, j = (where.get(int(ends[number])) for ends in (model.pair_geom1, model.pair_geom2))
            if i is None or j is None:
                continue
            meets[i, j] = meets[j, i] = touches[i, j] = touches[j, i] = True
            table.own[min(i, j), max(i, j)] = number
            first, second = (float(x) for x in model.pair_friction[number][:2])
            if first != second and int(model.pair_dim[number]) > 1:
                what = f"has the frictions {first:g} and {second:g} along its two tangents: not supported."
                self.report.missing(self._line(number), self._pair_name(number), what)
        return meets, touches

    def _pair_name(self, number: int) -> str:
        names = [
            str(self.model.geom(int(ends[number])).name)
            for ends in (self.model.pair_geom1, self.model.pair_geom2)
        ]
        return f"contact pair of {given(names[0])} and {given(names[1])}"

    def _line(self, number: int) -> int | None:
        return self.lines[number] if number < len(self.lines) else None

    def _groups(self, meets: Truths, alive: list[int]) -> dict[int, tuple[int, int]]:
        """Group and mask of each geom that touches; classes are told apart by whom they meet."""
        rows: dict[bytes, int] = {meets[-1, alive].tobytes(): 0}
        classes = {n: rows.setdefault(meets[n, alive].tobytes(), len(rows)) for n in alive}
        if len(rows) > GROUPS:
            what = f"fall into {len(rows)} classes by whom they touch; {GROUPS} can be told apart."
            self.report.missing(None, "geoms", what)
        bits = {n: 1 << min(number, GROUPS - 1) for n, number in classes.items()}
        found = {}
        for n in alive:
            met = [other for other in alive if meets[n, other]]
            mask = 0
            for other in met:
                mask |= bits[other]
            found[n] = (bits[n], ALL_GROUPS if len(met) == len(alive) else mask)
        return found

    def _give_surfaces(
        self, table: _Table, shapes: list[Any], groups: dict[int, tuple[int, int]]
    ) -> Surface | None:
        """The commonest surface, which becomes the description's; the others stay with their shapes."""
        found: dict[int, Surface] = {}
        for n, shape in enumerate(shapes):
            shape.contact = n in groups
            if n in groups:
                friction, torsion, rolling = _kept(table.friction[n], int(table.condim[n]))
                found[n] = Surface(
                    friction=friction, torsion=torsion, rolling=rolling, adhesion=float(table.adhesion[n]),
                    group=groups[n][0], mask=groups[n][1],
                )  # fmt: skip
        if not found:
            for shape in shapes:
                shape.contact = True  # without any surface they touch nothing anyway
            return None
        texts = {n: surface.model_dump_json() for n, surface in found.items()}
        common = Counter(texts.values()).most_common(1)[0][0]
        for n, surface in found.items():
            shapes[n].surface = None if texts[n] == common else surface
        return next(found[n] for n, text in texts.items() if text == common)

    # --------------------------------------------------------------------------------------------- pairs of bodies

    def _note_mixtures(self, table: _Table, touches: Truths) -> None:
        """What mixes otherwise there and has no place in a pair of ours."""
        for noun, theirs, ours in (
            ("Torsional", *table.mixtures(1)),
            ("Rolling", *table.mixtures(2)),
            ("Adhesive", *table.adhesions()),
        ):
            if np.any(touches & (np.abs(theirs - ours) > SAME * np.maximum(theirs, ours))):
                self.report.note(
                    f"{noun} forces of some pairs of geoms are not the larger of the two there, but here."
                )

    def _pairs(self, names: list[str], relations: tuple[Truths, Truths], table: _Table) -> list[Pair]:
        """Pairs of bodies where the two rules, or the two mixtures of friction, differ."""
        ours, touches = relations
        theirs, mean = table.mixtures(0)
        known = list(dict.fromkeys(names))
        place = {name: n for n, name in enumerate(known)}
        number = np.array([place[name] for name in names])

        def codes(differs: Any) -> set[int]:
            rows, columns = np.nonzero(np.triu(differs))
            first, second = number[rows], number[columns]
            return set((np.minimum(first, second) * len(known) + np.maximum(first, second)).tolist())

        wanted = codes(ours != touches)
        mixed = codes(touches & (np.abs(theirs - mean) > SAME * np.maximum(theirs, mean)))
        if len(mixed) > PAIR_LIMIT:
            self.report.note(
                f"Friction between bodies mixes as the geometric mean here, and as the larger there; the {len(mixed)} pairs "
                "that differ are too many to list."
            )
            mixed = set()
        pairs = []
        for code in sorted(wanted | mixed):
            one, other = divmod(code, len(known))
            block = np.ix_(np.flatnonzero(number == one), np.flatnonzero(number == other))
            pairs.append(self._pair((known[one], known[other]), block, (ours, touches, theirs), table))
        return [pair for pair in pairs if pair is not None]

    def _pair(
        self, names: tuple[str, str], block: Any, tables: tuple[Any, Any, Any], table: _Table
    ) -> Pair | None:
        ours, touches, theirs = (each[block] for each in tables)
        where = f"bodies {given(names[0])} and {given(names[1])}"
        forced = np.argwhere(touches & ~ours)
        if len(forced):
            i, j = int(block[0][forced[0][0], 0]), int(block[1][0, forced[0][1]])
            number = table.own.get((min(i, j), max(i, j)))
            if number is None:  # MuJoCo lets no body touch its parent, unless that stands still
                self.report.note(
                    f"The {where} touch there, but not here: one stands still and carries the other."
                )
            else:
                what = "are neighbours, but a <pair> lets them touch: not supported."
                self.report.missing(self._line(number), where, what)
            return None
        if not np.any(touches):
            return Pair(bodies=names, contact=False)
        if np.any(ours & ~touches):
            self.report.missing(None, where, "touch with some of their geoms only: not supported.")
            return None
        found = theirs[touches]
        if float(np.ptp(found)) > SAME * float(found.max()):
            bounds = f"{found.min():.6g} to {found.max():.6g}"
            self.report.note(
                f"Friction between {where} is {bounds} there, and mixes as the geometric mean here."
            )
            return None
        return Pair(bodies=names, friction=float(found[0]))


class _Table:
    """Contact parameters of geoms, and of the ground in the last place."""

    def __init__(self, model: Any, geoms: Sequence[int], plane: Sequence[int]) -> None:
        rows = [*geoms, *plane]
        self.model = model
        self.contype = _column(model.geom_contype, rows, 1, plane)
        self.conaffinity = _column(model.geom_conaffinity, rows, 1, plane)
        self.condim = _column(model.geom_condim, rows, 3, plane)
        self.priority = _column(model.geom_priority, rows, 0, plane)
        self.friction = _column(model.geom_friction, rows, (1.0, 0.005, 0.0001), plane)
        adhesion = getattr(model, "geom_adhesion", np.zeros(len(model.geom_type)))
        self.adhesion = _column(adhesion, rows, 0.0, plane)
        self.own: dict[tuple[int, int], int] = {}
        """Number of the <pair> of two geoms."""

    def mixtures(self, entry: int) -> tuple[Floats, Floats]:
        """One coefficient of every two geoms, mixed as there and as here.

        Args:
            entry: 0 for friction, 1 for torsion, 2 for rolling.
        """
        needed = (1, 3, 4)[entry]  # dimensions of contact above this have the coefficient
        theirs = self._chosen(self.friction[:, entry], np.maximum)
        theirs = np.where(self._chosen(self.condim, np.maximum) > needed, theirs, 0.0)
        for (i, j), number in self.own.items():
            coefficient = float(self.model.pair_friction[number][(0, 2, 3)[entry]])
            theirs[i, j] = theirs[j, i] = coefficient if int(self.model.pair_dim[number]) > needed else 0.0
        own = np.where(self.condim > needed, self.friction[:, entry], 0.0)
        mean = np.sqrt(own[:, None] * own[None, :]) if entry == 0 else np.maximum(own[:, None], own[None, :])
        return theirs, mean

    def adhesions(self) -> tuple[Floats, Floats]:
        """Adhesion of every two geoms, mixed as there and as here."""
        theirs = self._chosen(self.adhesion, np.add)
        for (i, j), number in self.own.items():
            theirs[i, j] = theirs[j, i] = float(
                getattr(self.model, "pair_adhesion", np.zeros(number + 1))[number]
            )
        return theirs, np.maximum(self.adhesion[:, None], self.adhesion[None, :])

    def _chosen(self, values: Any, mix: Any) -> Any:
        """A parameter of two geoms: of the one with the higher priority, or mixed."""
        first = self.priority[:, None] - self.priority[None, :]
        one, other = np.broadcast_arrays(values[:, None], values[None, :])
        return np.where(first > 0, one, np.where(first < 0, other, mix(one, other)))


def _column(values: Any, rows: Sequence[int], default: Any, plane: Sequence[int]) -> Any:
    found = np.asarray(values)[rows]
    return found if plane else np.concatenate([found, np.asarray([default], found.dtype)])


def _kept(friction: Any, condim: int) -> tuple[float, float, float]:
    """What the dimension of contact leaves of a geom's coefficients."""
    slide, torsion, rolling = (float(x) for x in friction)
    return (slide if condim > 1 else 0.0, torsion if condim > 3 else 0.0, rolling if condim > 4 else 0.0)


def _kept_apart(bodies: list[Body], names: Sequence[str]) -> tuple[Truths, Truths]:
    """Whether two geoms never touch here, and whether they belong to one tree that moves; the ground's come last."""
    kin = {GROUND: Kin("", "", GROUND), **kinship(bodies)}
    mine = [kin[name] for name in names]
    code = {word: n for n, word in enumerate({word for k in mine for word in (k.welded, k.carrier, k.tree)})}
    piece, above, tree = (
        np.array([code[word] for word in words])
        for words in ([k.welded for k in mine], [k.carrier for k in mine], [k.tree for k in mine])
    )
    still = np.array([k.is_still for k in mine])
    carried = piece[:, None] == above[None, :]
    parted = (piece[:, None] == piece[None, :]) | carried | carried.T | (still[:, None] & still[None, :])
    return parted, (tree[:, None] == tree[None, :]) & ~still[:, None]
