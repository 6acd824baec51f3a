"""Block: W creatures with the same sequence of link kinds, packed for the kernels.

Parents may differ from lane to lane (`mixed`); kinds may not, since kernels branch on them.
"""

from __future__ import annotations

import copy
import hashlib
from collections.abc import Sequence
from typing import Any, Protocol, Self, TypeVar

import numpy as np

from zoophyte.errors import UsageError
from zoophyte.model import contact_layout as cl
from zoophyte.model import layout as at
from zoophyte.model.contact import ContactSettings, ContactTables
from zoophyte.model.filling.links import Places, fill_model, read_state, write_command, write_state
from zoophyte.model.layout import Layout
from zoophyte.model.medium import Medium, MediumTables
from zoophyte.model.medium.laws import Law, LawTables
from zoophyte.model.model import Floats, Model
from zoophyte.model.state import State
from zoophyte.model.terrain import Terrain
from zoophyte.numbers import Spec
from zoophyte.numbers.primitives import MEDIUM_LAW, WIDTHS
from zoophyte.numbers.units import CONNECTED, LAWS

STANDARD_GRAVITY = (0.0, 0.0, -9.81)
CACHE_LINE = 64  # bytes
WARP = 32  # threads that run in step on a GPU


def aligned_zeros(count: int, dtype: Any) -> Any:
    """Zeros that start on a cache line: a register of eight doubles would otherwise straddle two at every access."""
    size = np.dtype(dtype).itemsize
    raw = np.zeros(count * size + CACHE_LINE, np.uint8)
    start = -raw.ctypes.data % CACHE_LINE
    return raw[start : start + count * size].view(dtype)


class Tables(Protocol):
    """What a section of a block says of itself: its integers, and how many numbers of one creature it needs."""

    ints: list[int]
    data_size: int
    scratch_size: int


Section = TypeVar("Section", bound=Tables)


class Block:
    """Flat arrays of W creatures side by side: of a World, and of any who lives as its models are told here.

    The pens of a herd (:class:`zoophyte.model.herd.pen.Pen`) are blocks whose lanes are filled later.

    Args:
        models: one per lane; they must have the same link kinds in the same order.
        dtype: float64 or float32.
        mixed: whether lanes may have different parents; by default only if they do.
        gravity: [m/s²].
        contact: ground and solver, for blocks whose contacts are to be solved.
        medium: in which they move; None for empty space.
        laws: of force, beside joints, actuators and the medium.
        response: law of response, in place of the production solver.
    """

    def __init__(
        self, models: Sequence[Model], *, dtype: Any = np.float64, mixed: bool | None = None,
        gravity: Any = STANDARD_GRAVITY, contact: ContactSettings | None = None, medium: Medium | None = None,
        laws: Sequence[Law] = (), response: Law | None = None,
    ) -> None:  # fmt: skip
        if len(models) not in (*WIDTHS, WARP):
            widths = ", ".join(map(str, WIDTHS))
            raise UsageError(
                f"a block of {len(models)} creatures; must be {widths} (or {WARP}, a warp, on a GPU)."
            )
        self.models = tuple(models)
        layout = models[0].layout
        for lane, model in enumerate(models):
            if model.layout.kinds != layout.kinds:
                raise UsageError(
                    f"lane {lane} ({model.name}) has other link kinds than lane 0 ({models[0].name}); "
                    "creatures in one block must have the same sequence of kinds."
                )
        parents = np.stack([model.links.parent for model in models])
        same = bool((parents == parents[0]).all())
        if mixed is False and not same:
            raise UsageError("the creatures have different parents; such a block needs mixed=True.")
        driven = any(m.dofs.driven.any() for m in models)
        self._lay_out(layout, Spec(len(models), (not same) if mixed is None else mixed), driven=driven)
        self._join(parents)
        self._add_laws(medium, laws, response)
        self.contact: ContactTables | None = None
        if contact is not None:
            tables = ContactTables(self.models, contact, self._ends(), layout.scratch_offsets)
            self.contact = self._add(at.CONTACT, tables)
        self._allocate(dtype, None if contact is None else contact.ground)
        self.places = Places.of(layout.data_offsets, layout.kinds)
        for lane, model in enumerate(models):
            fill_model(self.fields[:, lane], self.places, model, solved=contact is not None)
            self.set_state(lane, State.neutral(model))
            if self.medium is not None and medium is not None:
                self.medium.fill(self.fields[:, lane], model, medium)
        self.set_gravity(gravity)
        self.fields[at.FAILED_LINK] = -1.0
        if self.contact is not None:
            self.contact.fill(self.fields, gravity, 1e-3)
            self.contact.place = self._place()

    def _lay_out(self, layout: Layout, spec: Spec, *, driven: bool) -> None:
        """The table of links: of their kinds, and where their numbers are; parents and roles come with `_join`."""
        self.layout, self.spec, self.width = layout, spec, spec.width
        self.dof_offsets = np.array(layout.dof_offsets, np.int64)
        count, first_q, first_v = (
            len(layout.kinds),
            *(at.starts(layout.kinds, n) for n in (at.Q_COUNT, at.V_COUNT)),
        )
        header = np.zeros(at.HEADER_INTS, np.int64)
        header[[at.LINK_COUNT, at.NQ, at.NV]] = count, len(layout.q_offsets), len(layout.dof_offsets)
        header[at.FLAGS] = at.FLAG_DRIVEN if driven else 0
        rows = np.zeros((count, at.ROW_SIZE), np.int64)
        rows[:, at.ROW_KIND], rows[:, at.ROW_Q], rows[:, at.ROW_V] = layout.kinds, first_q, first_v
        rows[:, at.ROW_DATA] = np.array(layout.data_offsets) * self.width
        rows[:, at.ROW_SCRATCH] = np.array(layout.scratch_offsets) * self.width
        self._data_size, self._scratch_size = layout.data_size, layout.scratch_size
        # 32-bit tables: gathers of 32-bit offsets are faster, and no block comes near 2³¹ numbers.
        self.ints = np.concatenate([header, rows.ravel(), np.zeros(count * self.width)]).astype(np.int32)

    def _join(self, parents: Any) -> None:
        """Write the parent of every link, shape (lanes, links), and its role in the inward pass."""
        count = len(self.layout.kinds)
        start = at.HEADER_INTS + count * at.ROW_SIZE
        rows = self.ints[at.HEADER_INTS : start].reshape(count, at.ROW_SIZE)
        rows[:, at.ROW_PARENT], rows[:, at.ROW_ROLE] = parents[0], roles(parents)
        offsets = np.array(self.layout.scratch_offsets) * self.width
        self.ints[start : start + count * self.width] = offsets[parents].T.ravel()

    def _ends(self) -> tuple[int, int, int]:
        """Where the next section begins in `ints`, `data` and `scratch`; in numbers of one creature for the last two."""
        return len(self.ints), self._data_size, self._scratch_size

    def _add(self, name: int, section: Section) -> Section:
        """Take in a section that begins at `_ends`."""
        self.ints[name] = len(self.ints)
        self.ints = np.concatenate([self.ints, np.array(section.ints, np.int32)])
        self._data_size, self._scratch_size = (
            self._data_size + section.data_size, self._scratch_size + section.scratch_size,
        )  # fmt: skip
        return section

    def _add_laws(self, medium: Medium | None, laws: Sequence[Law] = (), response: Law | None = None) -> None:
        """The sections of the medium and of laws; before that of contact, which may grow."""
        self.medium: MediumTables | None = None
        if medium is not None:
            self.medium = MediumTables(self._data_size, len(self.layout.kinds))
            self.ints[at.MEDIUM] = self._data_size * self.width
            self._data_size += self.medium.data_size
        known = [] if medium is None else [(MEDIUM_LAW, int(self.ints[at.MEDIUM]))]
        self._laws = LawTables(self._data_size, self.width, laws, response, known)
        self.ints[LAWS] = len(self.ints) if len(self._laws.ints) else 0
        self.ints = np.concatenate([self.ints, self._laws.ints])
        self.set_flags(at.FLAG_FORCES, self._laws.adds_forces)
        self._data_size += self._laws.data_size

    def _allocate(self, dtype: Any, ground: Any) -> None:
        """The arrays, once all sections are known."""
        self.terrain = np.ravel(ground.heights if isinstance(ground, Terrain) else 0.0).astype(dtype)
        self.orders = np.zeros(0, dtype)  # commands from outside for every step: none
        self._take_data(aligned_zeros(self._data_size * self.width, dtype))
        self._laws.fill(self.fields)
        self.scratch_size = self._scratch_size * self.width
        self.take_scratch(aligned_zeros(self.scratch_size, dtype))

    def _take_data(self, data: Any) -> None:
        self.data, self.fields = data, data.reshape(-1, self.width)

    def copied(self) -> Self:
        """Another block with the same numbers; nothing that changes as creatures live is shared."""
        found = copy.copy(self)
        found.ints, found.contact = self.ints.copy(), copy.copy(self.contact)
        found._take_data(aligned_zeros(len(self.data), self.data.dtype))
        found.data[:] = self.data
        found.take_scratch(aligned_zeros(self.scratch_size, self.data.dtype))
        return found

    def make_room(self) -> bool:
        """Give the contacts of a step the room that they lacked; whether they did, and the step is to be done once more."""
        tables = self.contact
        lack = 0 if tables is None else int(self.fields[tables.head + cl.OVERFLOW, 0])
        if tables is None or lack <= cl.TOO_MANY:
            return False
        self.fields[tables.head + cl.OVERFLOW] = 0.0
        before = tables.scratch_size
        self.ints = tables.enlarge(self.ints, lack)
        self.scratch_size += (tables.scratch_size - before) * self.width
        self.take_scratch(aligned_zeros(self.scratch_size, self.scratch.dtype))
        return True

    def take_scratch(self, scratch: Any) -> None:
        """Work in this array, which may be longer than needed, from now on."""
        assert len(scratch) >= self.scratch_size
        self.scratch = scratch
        self.work = scratch[: self.scratch_size].reshape(-1, self.width)
        offsets = np.array(self.layout.scratch_offsets)
        self.work[offsets + at.OWN] = offsets[:, None] * self.width

    def _place(self) -> float:
        """A number for all that is fixed: bodies, ground, gravity, medium; the same in every process."""
        found = hashlib.blake2b(digest_size=6)
        ints, laws = self.ints.copy(), int(self.ints[LAWS])
        if laws:  # numbers of laws are those of this process
            ints[laws : laws + len(self._laws.ints)] = 0
            found.update(self._laws.identity.encode())
        for numbers in (ints, self.data, self.terrain):
            found.update(numbers.tobytes())
        return 1.0 + int.from_bytes(found.digest(), "little")

    def set_step(self, dt: float) -> None:
        """Step size [s] of every lane, and the margins that go with it."""
        self.fields[at.DT] = dt
        if self.contact is not None:
            self.contact.set_step(self.fields, self.fields[at.GRAVITY : at.GRAVITY + 3, 0], dt)

    def set_gravity(self, gravity: Any) -> None:
        """The same gravity [m/s²] in every lane."""
        self.fields[at.GRAVITY : at.GRAVITY + 3] = np.asarray(gravity, float).reshape(3, 1)

    def set_integrator(self, name: str) -> None:
        """Integrate by one of INTEGRATORS."""
        self.ints[at.METHOD] = at.INTEGRATORS[name]
        self.ints[CONNECTED] = 0  # other units may be needed
        self.set_flags(at.FLAG_IMPLICIT, name in ("implicit", "ros2"))

    def set_flags(self, flag: int, on: bool) -> None:
        """Switch one of the FLAG_ bits of the block; other units may be needed then."""
        if bool(self.ints[at.FLAGS] & flag) != on:
            self.ints[CONNECTED] = 0
        self.ints[at.FLAGS] = (self.ints[at.FLAGS] | flag) if on else (self.ints[at.FLAGS] & ~flag)

    def places_of(self, lane: int) -> Places:
        """Where the numbers of the creature in a lane lie."""
        return self.places

    def set_dofs(self, field: int, values: Any, lane: int = 0) -> None:
        """Write one dof field of one creature, in the order of v."""
        self.fields[self.places_of(lane).dofs + field, lane] = values

    def dofs(self, field: int, lane: int = 0) -> Floats:
        """Read one dof field of one creature, in the order of v."""
        return np.asarray(self.fields[self.places_of(lane).dofs + field, lane], np.float64)

    def set_state(self, lane: int, state: State) -> None:
        """Load a creature's state into a lane."""
        write_state(self.fields[:, lane], self.places_of(lane), state)
        self._tell_sines(lane)
        self._set_memory(lane, state.contact)

    def set_command(self, command: Floats, applied: Floats, lane: int = 0) -> None:
        """Signals (nv, 7) and joint forces (nv,) (none if empty) of one creature."""
        write_command(self.fields[:, lane], self.places_of(lane), command, applied)
        self._tell_sines(lane)

    def _tell_sines(self, lane: int) -> None:
        self.set_flags(at.FLAG_SINE, bool(self.fields[self.dof_offsets + at.SINE_AMPLITUDE].any()))

    def q(self, lane: int = 0) -> Floats:
        """Configuration of a lane."""
        return np.asarray(self.fields[self.places_of(lane).q, lane], np.float64)

    def v(self, lane: int = 0) -> Floats:
        """Velocity of a lane."""
        return self.dofs(at.VELOCITY, lane)

    def state(self, lane: int = 0, memory: Floats | None = None, alarm: float = 0.0) -> State:
        """The state of a lane, ready to be saved; memory and alarm are the controller's."""
        own = np.zeros(0) if memory is None else memory
        contact = self._memory(lane)
        return read_state(
            self.fields[:, lane], self.places_of(lane), memory=own, alarm=alarm, contact=contact
        )

    def slots_of(self, lane: int) -> Floats:
        """The slots of contacts that the last step, or look, has filled."""
        tables = self.contact
        assert tables is not None
        count = int(self.fields[tables.head + cl.SLOT_COUNT, lane])
        slots = self.work[tables.slots : tables.slots + count * tables.slot_size, lane]
        slots = slots.reshape(count, tables.slot_size)
        found: Floats = slots[(slots[:, cl.SLOT_KEY] >= 0.0) & (slots[:, cl.SLOT_KIND] < 0.5)]
        return found

    def _memory(self, lane: int) -> Floats:
        """What the solver remembers of the creature in a lane."""
        return (
            np.zeros(0) if self.contact is None else np.asarray(self.contact.memory_of(self.fields[:, lane]))
        )

    def _set_memory(self, lane: int, remembered: Floats) -> None:
        if self.contact is not None:
            self.contact.set_memory(self.fields[:, lane], remembered)


def roles(parents: Any) -> Any:
    """Role of every link in the inward pass, for lanes with these parents; see `zoophyte.model.layout`.

    Args:
        parents: of every link, the ground's being itself, shape (lanes, links).
    """
    width, count = parents.shape
    links = np.arange(1, count)
    first_child = np.zeros((width, count), np.int64)
    # The last in order is the first to reach its parent.
    np.maximum.at(first_child, (np.arange(width)[:, None], parents[:, 1:]), links)
    same, child = (first_child == first_child[0]).all(axis=0)[1:], first_child[0, 1:]
    found = np.zeros(count, np.int64)
    found[links[~parents[:, 1:].any(axis=0)]] |= at.ROLE_ROOT
    found[links[~same]] |= at.ROLE_PREPARED
    found[child[same & (child > 0)]] |= at.ROLE_FIRST
    found[links[same & (child == 0)]] |= at.ROLE_LEAF
    return found
