"""A herd on a GPU: many creatures of the same link kinds, each with its own parents, inertias and state."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from zoophyte.errors import UsageError
from zoophyte.model import layout as at
from zoophyte.model.layout import IMPLICIT, INTEGRATORS, ROS2, Layout
from zoophyte.numbers.cuda import WARP, Launcher, require_device, simulated
from zoophyte.physics.cuda.kernels import Form, launcher
from zoophyte.physics.cuda.layout import ThreadLayout

if TYPE_CHECKING:
    from zoophyte.model import Block, Model, State

_SHARED_LIMIT = 227 * 1024  # of one block on compute capability 9.0; numba-cuda's simulator has none
_IMPLICIT_METHODS = (IMPLICIT, ROS2)


class DeviceHerd:
    """Creatures in the memory of a GPU, 32 in a block, one per thread.

    Args:
        kinds: of the links, the ground first; the same for all creatures.
        parents: (creatures, links), the index of every link's parent; creatures may differ.
        data: (blocks, fields, 32) as in :class:`zoophyte.model.Block`; its dtype (float32 or float64) is kept.
        flags: FLAG_ bits of :mod:`zoophyte.model.layout`.
        scratch: "shared" or "global" memory; "auto" takes shared memory if it is large enough.
        tailored: compile for exactly these kinds and flags; all links must be of one kind.
        warps: blocks of creatures per block of threads.
    """

    def __init__(
        self, kinds: Sequence[int], parents: Any, data: Any, *, flags: int = 0, scratch: str = "auto",
        tailored: bool = False, warps: int = 1,
    ) -> None:  # fmt: skip
        self._cuda = require_device()
        self.kinds, self.flags, self.warps = tuple(int(kind) for kind in kinds), flags, warps
        self.layout = Layout.of(self.kinds)
        self.parents = np.asarray(parents, np.int64)
        host = np.ascontiguousarray(data)
        self.blocks = host.shape[0]
        self._check(host)
        if tailored and len(set(self.kinds[1:])) != 1:
            raise UsageError(
                f"a tailored herd must have links of one kind, this one has {sorted(set(self.kinds[1:]))}."
            )
        if scratch not in ("auto", "shared", "global"):
            raise UsageError(f"scratch is {scratch!r}, must be 'auto', 'shared' or 'global'.")
        self.scratch, self.tailored = scratch, tailored
        self.single = host.dtype == np.float32
        self._data = self._cuda.to_device(host.reshape(-1))
        self._tables: dict[Any, Any] = {}
        self._scratch: dict[int, Any] = {}

    def _check(self, data: Any) -> None:
        expected = (self.blocks, self.layout.data_size, WARP)
        if data.ndim != 3 or data.shape != expected or data.dtype not in (np.float32, np.float64):
            raise UsageError(
                f"data is {data.dtype} of shape {data.shape}, must be float32 or float64 of shape (blocks, "
                f"{self.layout.data_size}, {WARP})."
            )
        if self.parents.shape != (self.blocks * WARP, len(self.kinds)):
            raise UsageError(
                f"parents has shape {self.parents.shape}, must be ({self.blocks * WARP}, {len(self.kinds)}): "
                "one row per creature."
            )

    @classmethod
    def from_blocks(cls, blocks: Sequence[Block], *, dtype: Any = np.float32, **options: Any) -> DeviceHerd:
        """A herd from CPU blocks of 32 creatures; `options` as for the class."""
        for block in blocks:
            if block.width != WARP or block.layout.kinds != blocks[0].layout.kinds:
                raise UsageError(
                    f"a block of {block.width} creatures with kinds {block.layout.kinds} cannot join: all blocks of a herd "
                    f"hold {WARP} creatures with kinds {blocks[0].layout.kinds}. Pad the last block with copies."
                )
        parents = np.stack([model.links.parent for block in blocks for model in block.models])
        data = np.stack([block.fields for block in blocks]).astype(dtype)
        flags = int(np.bitwise_or.reduce([int(block.ints[at.FLAGS]) for block in blocks]))
        return cls(blocks[0].layout.kinds, parents, data, flags=flags, **options)

    @classmethod
    def from_states(
        cls,
        models: Sequence[Model],
        states: Sequence[State],
        *,
        gravity: Any = (0.0, 0.0, -9.81),
        **options: Any,
    ) -> DeviceHerd:
        """A herd of models in given states; the last block is filled up with copies of the last creature."""
        from zoophyte.model import Block

        count = -(-len(models) // WARP) * WARP
        chosen = [min(i, len(models) - 1) for i in range(count)]
        blocks = []
        for first in range(0, count, WARP):
            block = Block([models[i] for i in chosen[first : first + WARP]], gravity=gravity)
            for lane, i in enumerate(chosen[first : first + WARP]):
                block.set_state(lane, states[i])
            blocks.append(block)
        return cls.from_blocks(blocks, **options)

    def forward_dynamics(self) -> None:
        """ACCELERATION of every creature from its coordinates, velocities and TAU."""
        self._launch(None, 0)

    def life(self, steps: int, integrator: str = "semi_implicit") -> None:
        """Advance every creature by `steps` steps of its DT."""
        if integrator not in INTEGRATORS:
            raise UsageError(f"integrator is {integrator!r}, must be one of {', '.join(INTEGRATORS)}.")
        self._launch(INTEGRATORS[integrator], steps)

    def data(self) -> Any:
        """Everything in the layout of the CPU: (blocks, fields, 32)."""
        return self._data.copy_to_host().reshape(self.blocks, self.layout.data_size, WARP)

    def dofs(self, field: int) -> Any:
        """One dof field of every creature, (creatures, nv)."""
        chosen = self.data()[:, np.array(self.layout.dof_offsets) + field]
        return chosen.transpose(0, 2, 1).reshape(self.blocks * WARP, -1)

    def write_back(self, blocks: Sequence[Block]) -> None:
        """Copy the herd's numbers into the CPU blocks it was made from."""
        for block, numbers in zip(blocks, self.data(), strict=True):
            block.fields[:] = numbers

    def synchronize(self) -> None:
        """Wait until the device is done."""
        self._cuda.synchronize()

    def launch(self, method: int | None) -> tuple[Launcher, tuple[Any, ...]]:
        """What runs, and its arguments but for the steps; for those who measure."""
        layout = ThreadLayout.of(self.kinds, method)
        itemsize = 4 if self.single else 8
        fits = simulated() or layout.shared_bytes(itemsize) * self.warps <= _SHARED_LIMIT
        shared = self.scratch == "shared" or (self.scratch == "auto" and fits)
        flags = self.flags | (at.FLAG_IMPLICIT if method in _IMPLICIT_METHODS else 0)
        tailored = self.tailored and not simulated()
        form = Form(
            method, layout, self.single, shared, self.layout.data_size, len(self.kinds),
            self._rows(layout, flags) if tailored else None,
            ahead=tailored and method is None and set(self.kinds[1:]) == {at.HINGE},  # whole steps have other work
        )  # fmt: skip
        scratch = () if shared else (self._global_scratch(layout.size),)
        return launcher(form, self.warps), (self._table(layout, flags), self._data, *scratch, self.blocks)

    def _launch(self, method: int | None, steps: int) -> None:
        kernel, arguments = self.launch(method)
        kernel(-(-self.blocks // self.warps), self.warps * WARP, *arguments, steps)

    def _global_scratch(self, size: int) -> Any:
        if size not in self._scratch:
            number = np.float32 if self.single else np.float64
            self._scratch[size] = self._cuda.device_array(self.blocks * size * WARP, number)
        return self._scratch[size]

    def _link_rows(self, layout: ThreadLayout) -> Any:
        """One row per link; every link's inertia is prepared, because creatures may differ in who comes first."""
        rows = np.zeros((len(self.kinds), at.ROW_SIZE), np.int64)
        rows[:, at.ROW_KIND] = self.kinds
        rows[:, at.ROW_DATA] = np.array(self.layout.data_offsets) * WARP
        rows[:, at.ROW_SCRATCH] = np.array(layout.offsets) * WARP
        rows[:, at.ROW_Q] = np.cumsum([0, *(at.Q_COUNT[kind] for kind in self.kinds)])[:-1]
        rows[:, at.ROW_V] = np.cumsum([0, *(at.V_COUNT[kind] for kind in self.kinds)])[:-1]
        rows[:, at.ROW_ROLE] = at.ROLE_PREPARED
        return rows

    def _header(self, flags: int) -> list[int]:
        header = [0] * at.HEADER_INTS
        header[at.LINK_COUNT], header[at.FLAGS] = len(self.kinds), flags
        header[at.NQ] = sum(at.Q_COUNT[kind] for kind in self.kinds)
        header[at.NV] = sum(at.V_COUNT[kind] for kind in self.kinds)
        return header

    def _rows(self, layout: ThreadLayout, flags: int) -> Any:
        """The table as the compiler may know it: first + step·link in every column."""
        from zoophyte.numbers.cuda.rows import Rows

        rows = self._link_rows(layout)
        step = rows[2] - rows[1] if len(rows) > 2 else np.zeros_like(rows[1])
        return Rows(tuple(self._header(flags)), tuple((rows[1] - step).tolist()), tuple(step.tolist()))

    def _table(self, layout: ThreadLayout, flags: int) -> Any:
        """Header, rows, and the parents of every block: where their scratch records start."""
        key = (layout, flags)
        if key not in self._tables:
            offsets = np.array(layout.offsets) * WARP
            parents = offsets[self.parents].reshape(self.blocks, WARP, -1).transpose(0, 2, 1)
            table = [self._header(flags), self._link_rows(layout).ravel(), parents.ravel()]
            self._tables[key] = self._cuda.to_device(np.concatenate(table).astype(np.int32))
        return self._tables[key]
