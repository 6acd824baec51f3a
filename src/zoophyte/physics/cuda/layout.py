"""What a thread needs while it works, laid out so that as many warps as possible fit into a multiprocessor.

On a GPU the scratch of a warp lies in shared memory, and its size decides how many warps can hide each other's waiting.
So the record of a link holds only what the kernel at hand uses, and parts that are never needed together share a
place.  The kernels are the same; only these constants of :mod:`zoophyte.model.layout` have other values:

    V | IA (later A) | P, later the joint part | E | R where a joint moves it

The inward pass reads P before it writes the joint part; only for free links it does not, so herds with free links keep
them apart.  R is a constant of hinges and ball joints, and is read from there.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from zoophyte.model import layout as at
from zoophyte.model.layout import SEMI_IMPLICIT
from zoophyte.numbers.cuda.toolkit import WARP

_MOTION, _INERTIA, _ROTATION, _VECTOR = 6, 21, 9, 3
_BEFORE = _MOTION + _INERTIA  # V and IA


def _joint_size(kind: int, method: int | None) -> int:
    """Numbers in the joint part of a link: U, D, u; then implicit terms; then the integrator's copies."""
    if method is None or method == SEMI_IMPLICIT:
        return at.JOINT_SIZE[kind]
    return at.scratch_record_size(kind) - at.JOINT


@dataclass(frozen=True)
class ThreadLayout:
    """Offsets in the scratch of a thread, in numbers.

    Args:
        offsets: of every link's record, the ground's first.
        size: numbers per thread.
        constants: name and value of the constants of :mod:`zoophyte.model.layout` that differ.
    """

    offsets: tuple[int, ...]
    size: int
    constants: tuple[tuple[str, int], ...]

    @classmethod
    def of(cls, kinds: Sequence[int], method: int | None = None) -> ThreadLayout:
        """For creatures of these link kinds; `method` is the integrator, None for forward dynamics alone."""
        joints = [_joint_size(kind, method) for kind in kinds[1:]]
        apart = at.FREE in kinds
        moved = _VECTOR if apart or at.SLIDE in kinds else 0
        force = _MOTION if apart else 0
        # Either the transform comes last, and the ground (V, IA and P alone) needs no room for it; or it comes before P
        # and the joint part, and only links with a large joint part are large.
        largest = force + max([_MOTION, *joints])
        last = cls._arranged(
            [_BEFORE + _MOTION, *[_BEFORE + largest + _ROTATION + moved] * len(joints)],
            transform=_BEFORE + largest, force=_BEFORE, joint=_BEFORE + force, moved=moved,
        )  # fmt: skip
        start = _BEFORE + _ROTATION + moved
        first = cls._arranged(
            [start + _MOTION, *[start + force + max(_MOTION, joint) for joint in joints]],
            transform=_BEFORE, force=start, joint=start + force, moved=moved,
        )  # fmt: skip
        return min(last, first, key=lambda layout: layout.size)

    @classmethod
    def _arranged(
        cls, sizes: Sequence[int], *, transform: int, force: int, joint: int, moved: int
    ) -> ThreadLayout:
        constants = {
            "V": 0, "IA": _MOTION, "A": _MOTION, "E": transform, "P": force, "JOINT": joint,
            # Where nobody reads R, it is written to a place that P takes right afterwards.
            "R": transform + _ROTATION if moved else force,
        }  # fmt: skip
        offsets = np.concatenate([[0], np.cumsum(sizes)[:-1]])
        return cls(tuple(int(offset) for offset in offsets), sum(sizes), tuple(constants.items()))

    @property
    def rebound(self) -> dict[str, tuple[int, int]]:
        """The constants as :func:`zoophyte.numbers.cuda.device_function` wants them."""
        return {name: (getattr(at, name), value) for name, value in self.constants}

    def shared_bytes(self, itemsize: int) -> int:
        """Shared memory that one warp takes."""
        return self.size * WARP * itemsize
