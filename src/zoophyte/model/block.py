"""Block: W creatures with the same sequence of link kinds, packed for the kernels.

Parents may differ from lane to lane (`mixed`); kinds may not, since kernels branch on them.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any

import numpy as np

from zoophyte.errors import UsageError
from zoophyte.model import contact_layout as cl
from zoophyte.model import layout as at
from zoophyte.model.contact import ContactSettings, ContactTables
from zoophyte.model.filling.links import Places, fill_model, read_state, write_command, write_state
from zoophyte.model.layout import Layout
from zoophyte.model.medium import Medium, MediumTables
from zoophyte.model.model import Floats, Model
from zoophyte.model.state import State
from zoophyte.model.terrain import Terrain
from zoophyte.numbers import Spec
from zoophyte.numbers.primitives import WIDTHS

STANDARD_GRAVITY = (0.0, 0.0, -9.81)
CACHE_LINE = 64  # bytes
WARP = 32  # threads that run in step on a GPU


def aligned_zeros(count: int, dtype: Any) -> Any:
    """Zeros that start on a cache line: a register of eight doubles would otherwise straddle two at every access."""
    size = np.dtype(dtype).itemsize
    raw = np.zeros(count * size + CACHE_LINE, np.uint8)
    start = -raw.ctypes.data % CACHE_LINE
    return raw[start : start + count * size].view(dtype)


class Block:
    """Flat arrays of W creatures side by side.

    Args:
        models: one per lane; they must have the same link kinds in the same order.
        dtype: float64 or float32.
        mixed: whether lanes may have different parents; by default only if they do.
        gravity: [m/s²].
        contact: ground and solver, for blocks whose contacts are to be solved.
        medium: in which they move; None for empty space.
    """

    def __init__(
        self, models: Sequence[Model], *, dtype: Any = np.float64, mixed: bool | None = None,
        gravity: Any = STANDARD_GRAVITY, contact: ContactSettings | None = None, medium: Medium | None = None,
    ) -> None:  # fmt: skip
        if len(models) not in (*WIDTHS, WARP):
            widths = ", ".join(map(str, WIDTHS))
            raise UsageError(
                f"a block of {len(models)} creatures; must be {widths} (or {WARP}, a warp, on a GPU)."
            )
        self.models = tuple(models)
        self.layout: Layout = models[0].layout
        for lane, model in enumerate(models):
            if model.layout.kinds != self.layout.kinds:
                raise UsageError(
                    f"lane {lane} ({model.name}) has other link kinds than lane 0 ({models[0].name}); "
                    "creatures in one block must have the same sequence of kinds."
                )
        same = all(np.array_equal(m.links.parent, models[0].links.parent) for m in models)
        if mixed is False and not same:
            raise UsageError("the creatures have different parents; such a block needs mixed=True.")
        self.width = len(models)
        self.spec = Spec(self.width, (not same) if mixed is None else mixed)
        self.ints = self._pack_ints()
        data_size, scratch_size = self.layout.data_size, self.layout.scratch_size
        self.contact: ContactTables | None = None
        if contact is not None:
            starts = (len(self.ints), data_size, scratch_size)
            self.contact = ContactTables(self.models, contact, starts, self.layout.scratch_offsets)
            self.ints[at.CONTACT] = len(self.ints)
            self.ints = np.concatenate([self.ints, np.array(self.contact.ints, np.int32)])
            data_size, scratch_size = (
                data_size + self.contact.data_size,
                scratch_size + self.contact.scratch_size,
            )
        self.medium: MediumTables | None = None
        if medium is not None:
            self.medium = MediumTables(data_size, len(self.layout.kinds))
            self.ints[at.MEDIUM] = data_size * self.width
            self.set_flags(at.FLAG_FORCES, True)
            data_size += self.medium.data_size
        ground = contact.ground if contact is not None else None
        self.terrain = np.ravel(ground.heights if isinstance(ground, Terrain) else 0.0).astype(dtype)
        self.orders = np.zeros(0, dtype)  # commands from outside for every step: none
        self.data = aligned_zeros(data_size * self.width, dtype)
        self.fields = self.data.reshape(-1, self.width)
        self.take_scratch(aligned_zeros(scratch_size * self.width, dtype))
        self.places = Places.of(self.layout.data_offsets, self.layout.kinds)
        for lane, model in enumerate(models):
            self._pack_model(lane, model)
            if self.medium is not None and medium is not None:
                self.medium.fill(self.fields[:, lane], model, medium)
        self.set_gravity(gravity)
        self.fields[at.FAILED_LINK] = -1.0
        if self.contact is not None:
            self.contact.fill(self.fields, gravity, 1e-3)
            self.contact.place = self._place()

    def take_scratch(self, scratch: Any) -> None:
        """Work in this array from now on."""
        self.scratch, self.work = scratch, scratch.reshape(-1, self.width)
        offsets = np.array(self.layout.scratch_offsets)
        self.work[offsets + at.OWN] = offsets[:, None] * self.width

    def make_room(self) -> bool:
        """Give the contacts of a step the room that they lacked; whether they did, and the step is to be done once more."""
        tables = self.contact
        lack = 0 if tables is None else int(self.fields[tables.head + cl.OVERFLOW, 0])
        if tables is None or lack <= cl.TOO_MANY:
            return False
        self.fields[tables.head + cl.OVERFLOW] = 0.0
        before = tables.scratch_size
        self.ints = tables.enlarge(self.ints, lack)
        size = len(self.scratch) + (tables.scratch_size - before) * self.width
        self.take_scratch(aligned_zeros(size, self.scratch.dtype))
        return True

    def _place(self) -> float:
        """A number for all that is fixed: bodies, ground, gravity, medium; the same in every process."""
        found = hashlib.blake2b(digest_size=6)
        for numbers in (self.ints, self.data, self.terrain):
            found.update(numbers.tobytes())
        return 1.0 + int.from_bytes(found.digest(), "little")

    def _pack_ints(self) -> Any:
        width, kinds = self.width, self.layout.kinds
        first = self.models[0]
        header = [
            len(kinds),
            first.nq,
            first.nv,
            at.FLAG_DRIVEN if any(m.dofs.driven.any() for m in self.models) else 0,
            0,
            0,
            0,
        ]
        rows = [
            [kind, data * width, scratch * width, q, v, parent, role]
            for kind, data, scratch, q, v, parent, role in zip(
                kinds,
                self.layout.data_offsets,
                self.layout.scratch_offsets,
                first.q_start,
                first.v_start,
                first.links.parent,
                self._roles(),
                strict=True,
            )
        ]
        offsets = np.array(self.layout.scratch_offsets) * width
        parents = np.stack([offsets[m.links.parent] for m in self.models], axis=1)
        # 32-bit tables: gathers of 32-bit offsets are faster, and no block comes near 2³¹ numbers.
        return np.concatenate([header, np.ravel(rows), np.ravel(parents)]).astype(np.int32)

    def _roles(self) -> list[int]:
        """Role of every link in the inward pass; see `zoophyte.model.layout`."""
        parents = np.stack([m.links.parent for m in self.models])
        count = parents.shape[1]
        first_child = np.zeros(
            (self.width, count), np.int64
        )  # the last in order is the first to reach its parent
        for i in range(1, count):
            first_child[np.arange(self.width), parents[:, i]] = i
        roles = [0] * count
        for i in range(1, count):
            if not parents[:, i].any():
                roles[i] |= at.ROLE_ROOT
            if np.any(first_child[:, i] != first_child[0, i]):
                roles[i] |= at.ROLE_PREPARED
            elif first_child[0, i]:
                roles[first_child[0, i]] |= at.ROLE_FIRST
            else:
                roles[i] |= at.ROLE_LEAF
        return roles

    def _pack_model(self, lane: int, model: Model) -> None:
        fill_model(self.fields[:, lane], self.places, model, solved=self.contact is not None)
        self.set_state(lane, State.neutral(model))

    def set_step(self, dt: float) -> None:
        """Step size [s] of every lane, and the margins that go with it."""
        self.fields[at.DT] = dt
        if self.contact is not None:
            self.contact.set_step(self.fields, self.fields[at.GRAVITY : at.GRAVITY + 3, 0], dt)

    def set_gravity(self, gravity: Any) -> None:
        """The same gravity [m/s²] in every lane."""
        self.fields[at.GRAVITY : at.GRAVITY + 3] = np.asarray(gravity, float).reshape(3, 1)

    def set_flags(self, flag: int, on: bool) -> None:
        """Switch one of the FLAG_ bits of the block."""
        self.ints[at.FLAGS] = (self.ints[at.FLAGS] | flag) if on else (self.ints[at.FLAGS] & ~flag)

    def set_dofs(self, field: int, values: Any, lane: int = 0) -> None:
        """Write one dof field of one creature, in the order of v."""
        self.fields[self.places.dofs + field, lane] = values

    def dofs(self, field: int, lane: int = 0) -> Floats:
        """Read one dof field of one creature, in the order of v."""
        return np.asarray(self.fields[self.places.dofs + field, lane], np.float64)

    def set_state(self, lane: int, state: State) -> None:
        """Load a creature's state into a lane."""
        write_state(self.fields[:, lane], self.places, state)
        self._tell_sines()
        if self.contact is not None:
            self.contact.set_memory(self.fields[:, lane], state.contact)

    def set_command(self, command: Floats, applied: Floats, lane: int = 0) -> None:
        """Signals (nv, 7) and joint forces (nv,) (none if empty) of one creature."""
        write_command(self.fields[:, lane], self.places, command, applied)
        self._tell_sines()

    def _tell_sines(self) -> None:
        self.set_flags(at.FLAG_SINE, bool(self.fields[self.places.dofs + at.SINE_AMPLITUDE].any()))

    def q(self, lane: int = 0) -> Floats:
        """Configuration of a lane."""
        return np.asarray(self.fields[self.places.q, lane], np.float64)

    def v(self, lane: int = 0) -> Floats:
        """Velocity of a lane."""
        return np.asarray(self.fields[self.places.dofs + at.VELOCITY, lane], np.float64)

    def state(self, lane: int = 0, memory: Floats | None = None, alarm: float = 0.0) -> State:
        """The state of a lane, ready to be saved; memory and alarm are the controller's."""
        contact = np.zeros(0) if self.contact is None else self.contact.memory_of(self.fields[:, lane])
        own = np.zeros(0) if memory is None else memory
        return read_state(self.fields[:, lane], self.places, memory=own, alarm=alarm, contact=contact)
